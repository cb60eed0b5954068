// The loops over rows that every semismooth Newton method here shares. Specification: twins/newton.py.
#pragma once

#include <cstdint>

namespace pragam {

// The rows' weights in the Hessian: width inside the box, some of it within 2 blur of it.
void box_weights(std::int64_t n, const double *s, const double *base, const double *width, double factor, double blur,
                 double *out);

// The root t > 0 of  linear + quadratic t + <width ds, clip(base + factor (s + t ds), 0, 1)>. Newton's method,
// safeguarded by a bracket, ends with the first step of at most tol t.
double box_line_search(std::int64_t n, const double *s, const double *ds, const double *base, const double *width,
                       double factor, double linear, double quadratic, double tol, std::int64_t evaluations);

// Sums over rows: width (beta - base)^2, width [s]_+, c width beta, sigma width beta, and 1 for each row that moved.
struct Sums {
    double proximal, hinge, linear, plane, moved;
};

// s += t ds, beta = clip(base + factor s, 0, 1), and change = width times the change of beta.
Sums box_move(double t, std::int64_t n, double *s, const double *ds, const double *base, const double *width,
              const double *c, const double *sigma, double factor, double *beta, double *change);

}  // namespace pragam
