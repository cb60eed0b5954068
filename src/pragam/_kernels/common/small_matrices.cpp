#include "common/small_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/lanes.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Read = const double *PRAGAM_RESTRICT;
using Written = double *PRAGAM_RESTRICT;

PRAGAM_VECTORISED void product(int64_t n, int64_t d, Read rows, Read x, Written out) {
    for (int64_t i = 0; i < n; ++i) {
        Read row = rows + i * d;
        double sum[lane_count] = {};
        int64_t j = 0;
        for (; j + lane_count <= d; j += lane_count)
            for (int64_t k = 0; k < lane_count; ++k) sum[k] += row[j + k] * x[j + k];
        for (; j < d; ++j) sum[0] += row[j] * x[j];
        out[i] = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
}

// Some rows with their weights, in fours, the last of them filled up with rows of zeros. They are so few that what is
// summed over them finds them in a near cache, however many sums there are.
struct Fours {
    static constexpr int64_t most = 64;  // rows

    const double *row[most + 3];
    double weight[most + 3];
    int64_t rows = 0;
};

// sums_r += sum over the fours of (y_r0 a + y_r1 b) + (y_r2 c + y_r3 e), of `lane_count` columns from j on. y_rk is the
// number of `weights` at 4 q step + k step + r.
template <int64_t height>
PRAGAM_INLINE void add_fours(const Fours &fours, int64_t j, Read weights, int64_t step, Lanes<double> *sums) {
    for (int64_t q = 0; q < fours.rows; q += 4) {
        const Lanes<double> a = lanes(fours.row[q] + j), b = lanes(fours.row[q + 1] + j);
        const Lanes<double> c = lanes(fours.row[q + 2] + j), e = lanes(fours.row[q + 3] + j);
        Read y = weights + q * step;
        for (int64_t r = 0; r < height; ++r)
            sums[r] = sums[r] + ((a * y[r] + b * y[step + r]) + (c * y[2 * step + r] + e * y[3 * step + r]));
    }
}

// The same for the rows i to i + height of an array of `d` columns, from column `first` on. The last lanes reach back to
// columns that are done, and leave them alone.
template <int64_t height>
PRAGAM_INLINE void add_to_rows(int64_t d, const Fours &fours, int64_t first, Read weights, int64_t step, Written out) {
    for (int64_t j = first; j < d; j += lane_count) {
        const int64_t from = std::min(j, d - lane_count);
        Lanes<double> sums[height];
        for (int64_t r = 0; r < height; ++r) sums[r] = lanes(out + r * d + from);
        add_fours<height>(fours, from, weights, step, sums);
        for (int64_t r = 0; r < height; ++r) {
            if (from == j) {
                lanes(out + r * d + j) = sums[r];
            } else {
                double last[lane_count];
                lanes(last) = sums[r];
                std::copy(last + (j - from), last + lane_count, out + r * d + j);
            }
        }
    }
}

// The same for one entry, of arrays with fewer columns.
PRAGAM_INLINE void add_to_entry(const Fours &fours, int64_t j, Read weights, int64_t step, double &out) {
    double sum = out;
    for (int64_t q = 0; q < fours.rows; q += 4) {
        Read y = weights + q * step;
        sum += (y[0] * fours.row[q][j] + y[step] * fours.row[q + 1][j]) +
               (y[2 * step] * fours.row[q + 2][j] + y[3 * step] * fours.row[q + 3][j]);
    }
    out = sum;
}

PRAGAM_VECTORISED void adjoint_of_fours(int64_t d, const Fours &fours, Written, Written out) {
    if (d >= lane_count) return add_to_rows<1>(d, fours, 0, fours.weight, 1, out);
    for (int64_t j = 0; j < d; ++j) add_to_entry(fours, j, fours.weight, 1, out[j]);
}

PRAGAM_VECTORISED void gram_of_fours(int64_t d, const Fours &fours, Written scaled, Written gram) {
    for (int64_t q = 0; q < fours.rows; ++q) {
        Read row = fours.row[q];
        for (int64_t j = 0; j < d; ++j) scaled[q * d + j] = fours.weight[q] * row[j];
    }
    int64_t i = 0;
    if (d >= lane_count) {
        for (; i + 4 <= d; i += 4) add_to_rows<4>(d, fours, i, scaled + i, d, gram + i * d);
        for (; i < d; ++i) add_to_rows<1>(d, fours, i, scaled + i, d, gram + i * d);
    }
    for (; i < d; ++i)
        for (int64_t j = i; j < d; ++j) add_to_entry(fours, j, scaled + i, d, gram[i * d + j]);
}

// Adds the rows with a weight other than 0 to out, in fours. Returns their number.
template <class Add>
int64_t by_fours(int64_t n, int64_t d, const double *rows, const double *weights, Add add, double *scratch, double *out) {
    const std::vector<double> zeros(static_cast<std::size_t>(d), 0.0);
    Fours fours;
    int64_t filled = 0, used = 0;
    for (int64_t i = 0; i < n; ++i) {
        fours.row[filled] = rows + i * d;
        fours.weight[filled] = weights[i];
        filled += weights[i] != 0;  // without a branch, which could not be foreseen
        if (filled < Fours::most) continue;
        fours.rows = filled;
        add(d, fours, scratch, out);
        used += filled;
        filled = 0;
    }
    used += filled;
    for (; filled % 4 != 0; ++filled) fours.row[filled] = zeros.data(), fours.weight[filled] = 0;
    fours.rows = filled;
    if (filled > 0) add(d, fours, scratch, out);
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
    by_fours(n, d, rows, y, adjoint_of_fours, nullptr, out);
}

int64_t small_gram(int64_t n, int64_t d, const double *rows, const double *weights, double *gram) {
    std::vector<double> scaled(static_cast<std::size_t>(std::min(n + 3, Fours::most) * d));
    return by_fours(n, d, rows, weights, gram_of_fours, scaled.data(), gram);
}

bool small_cholesky(int64_t d, double *matrix) { return cholesky(d, matrix); }

void small_substitute(int64_t d, const double *factor, double *x) { substitute(d, factor, x); }

}  // namespace pragam
