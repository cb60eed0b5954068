#include "common/small_matrices.hpp"

#include <cmath>
#include <vector>

#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Read = const double *PRAGAM_RESTRICT;
using Written = double *PRAGAM_RESTRICT;
constexpr int64_t lanes = 8;  // partial sums, so that the loops vectorise

PRAGAM_VECTORISED void product(int64_t n, int64_t d, Read rows, Read x, Written out) {
    for (int64_t i = 0; i < n; ++i) {
        Read row = rows + i * d;
        double sum[lanes] = {};
        int64_t j = 0;
        for (; j + lanes <= d; j += lanes)
            for (int64_t k = 0; k < lanes; ++k) sum[k] += row[j + k] * x[j + k];
        for (; j < d; ++j) sum[0] += row[j] * x[j];
        out[i] = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
}

// Four rows at a time, so that an entry of the result is read and written once for all four.
PRAGAM_VECTORISED void adjoint_of_four(int64_t d, Read a, Read b, Read c, Read e, Read y, Written out) {
    for (int64_t j = 0; j < d; ++j) out[j] += (y[0] * a[j] + y[1] * b[j]) + (y[2] * c[j] + y[3] * e[j]);
}

PRAGAM_VECTORISED void gram_of_four(int64_t d, Read a, Read b, Read c, Read e, Read weights, Written gram) {
    for (int64_t i = 0; i < d; ++i) {
        const double va = weights[0] * a[i], vb = weights[1] * b[i], vc = weights[2] * c[i], ve = weights[3] * e[i];
        Written out = gram + i * d;
        for (int64_t j = i; j < d; ++j) out[j] += (va * a[j] + vb * b[j]) + (vc * c[j] + ve * e[j]);
    }
}

// Adds the rows with a weight other than 0 to out, four at a time, the last ones with rows of zeros. Returns their number.
template <class Add>
int64_t by_fours(int64_t n, int64_t d, const double *rows, const double *weights, Add add, double *out) {
    const std::vector<double> zeros(static_cast<std::size_t>(d), 0.0);
    const double *part[4];
    double weight[4];
    int64_t filled = 0, used = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (weights[i] == 0) continue;
        part[filled] = rows + i * d;
        weight[filled++] = weights[i];
        ++used;
        if (filled < 4) continue;
        add(d, part[0], part[1], part[2], part[3], weight, out);
        filled = 0;
    }
    if (filled == 0) return used;
    for (; filled < 4; ++filled) part[filled] = zeros.data(), weight[filled] = 0;
    add(d, part[0], part[1], part[2], part[3], weight, out);
    return used;
}

PRAGAM_VECTORISED bool cholesky(int64_t d, Written matrix) {
    for (int64_t k = 0; k < d; ++k) {
        Written top = matrix + k * d;
        if (!(top[k] > 0)) return false;
        const double root = std::sqrt(top[k]);
        for (int64_t j = k; j < d; ++j) top[j] /= root;
        for (int64_t i = k + 1; i < d; ++i) {
            const double v = top[i];
            double *row = matrix + i * d;
            for (int64_t j = i; j < d; ++j) row[j] -= v * top[j];
        }
    }
    return true;
}

PRAGAM_VECTORISED void substitute(int64_t d, Read factor, Written x) {
    for (int64_t k = 0; k < d; ++k) {
        Read row = factor + k * d;
        x[k] /= row[k];
        for (int64_t j = k + 1; j < d; ++j) x[j] -= row[j] * x[k];
    }
    for (int64_t k = d - 1; k >= 0; --k) {
        Read row = factor + k * d;
        double sum = x[k];
        for (int64_t j = k + 1; j < d; ++j) sum -= row[j] * x[j];
        x[k] = sum / row[k];
    }
}

}  // namespace

void small_product(int64_t n, int64_t d, const double *rows, const double *x, double *out) {
    product(n, d, rows, x, out);
}

void small_adjoint(int64_t n, int64_t d, const double *rows, const double *y, double *out) {
    by_fours(n, d, rows, y, adjoint_of_four, out);
}

int64_t small_gram(int64_t n, int64_t d, const double *rows, const double *weights, double *gram) {
    return by_fours(n, d, rows, weights, gram_of_four, gram);
}

bool small_cholesky(int64_t d, double *matrix) { return cholesky(d, matrix); }

void small_substitute(int64_t d, const double *factor, double *x) { substitute(d, factor, x); }

}  // namespace pragam
