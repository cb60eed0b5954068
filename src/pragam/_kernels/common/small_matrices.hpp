// Products with a small dense row-major matrix, and the Cholesky factorisation. They are for matrices so small that a
// call of BLAS or LAPACK from Python would cost more than the arithmetic.
#pragma once

#include <cstdint>

namespace pragam {

// out_i = <row_i, x> for the n rows of length d.
void small_product(std::int64_t n, std::int64_t d, const double *rows, const double *x, double *out);

// out += sum_i y_i row_i. Rows with y_i = 0 are not read.
void small_adjoint(std::int64_t n, std::int64_t d, const double *rows, const double *y, double *out);

// gram += sum_i weights_i row_i row_i', in the upper triangle of a d x d matrix. Returns the number of nonzero weights.
std::int64_t small_gram(std::int64_t n, std::int64_t d, const double *rows, const double *weights, double *gram);

// matrix = U'U, in its upper triangle. False if a pivot is not positive.
bool small_cholesky(std::int64_t d, double *matrix);

// x = (U'U)^-1 x.
void small_substitute(std::int64_t d, const double *factor, double *x);

}  // namespace pragam
