// What the semismooth Newton method does row by row: the Hessian's sum of outer products, and the line search.
// Specification: twins/newton.py.
#include "vectorised.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common.hpp"

namespace pragam {
namespace {

// gram += weight x x' for one row, in the lower triangle of a row-major d x d matrix. Entries in strictly increasing
// order of their indices need no care; else a pair may belong above the diagonal, or be one index met twice.
template <class T, class I>
void add_outer(const T *data, const I *indices, std::int64_t length, double weight, std::int64_t d, double *gram) {
    bool sorted = true;
    for (std::int64_t p = 1; p < length; ++p) sorted &= indices[p - 1] < indices[p];
    for (std::int64_t p = 0; p < length; ++p) {
        const std::int64_t i = indices[p];
        const double v = weight * double(data[p]);
        double *row = gram + i * d;
        if (sorted) {
            for (std::int64_t q = 0; q < p; ++q) row[indices[q]] += v * double(data[q]);
        } else {
            for (std::int64_t q = 0; q < p; ++q) {
                const std::int64_t j = indices[q];
                gram[std::max(i, j) * d + std::min(i, j)] += (i == j ? 2.0 : 1.0) * v * double(data[q]);
            }
        }
        row[i] += v * double(data[p]);
    }
}

// gram += sum over k of weights_k x_i x_i', i = rows_k.
template <class T, class I>
void gram_add(In<T> data, In<I> indices, In<std::int64_t> indptr, In<std::int64_t> rows, In<double> weights,
              std::int64_t d, Out<double> gram) {
    require(rows.size() == weights.size(), "csr_gram_add: rows and weights must have one length");
    require(gram.size() == std::size_t(d) * std::size_t(d), "csr_gram_add: gram must be d x d");
    const std::int64_t n = std::int64_t(indptr.size()) - 1;
    for (std::size_t k = 0; k < rows.size(); ++k)
        require(rows.data()[k] >= 0 && rows.data()[k] < n, "csr_gram_add: rows holds a number out of range");
    nb::gil_scoped_release release;
    Pulse pulse;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t begin = indptr.data()[rows.data()[k]], end = indptr.data()[rows.data()[k] + 1];
        add_outer(data.data() + begin, indices.data() + begin, end - begin, weights.data()[k], d, gram.data());
        pulse.beat(std::size_t((end - begin) * (end - begin)));
    }
}

struct Slope {
    double value, curvature;
};

using Block = const double *PRAGAM_RESTRICT;

// The derivative at t, and its slope, of  sum_i max over lower <= a <= upper of a (s_i + t ds_i) - (a - centre_i)^2 /
// (2 factor tau_i), over one block of rows. Many partial sums, so that the loop vectorises as it stands.
PRAGAM_VECTORISED Slope slope_of_block(double t, std::int64_t count, Block s, Block ds, Block centre, Block tau,
                                       double factor, Block lower, Block upper) {
    constexpr std::int64_t lanes = 16;
    double value[lanes] = {}, curvature[lanes] = {};
    std::int64_t first = 0;
    for (; first + lanes <= count; first += lanes) {
        for (std::int64_t k = 0; k < lanes; ++k) {
            const std::int64_t i = first + k;
            const double step = factor * tau[i];
            const double a = centre[i] + step * (s[i] + t * ds[i]);
            const double floored = a > lower[i] ? a : lower[i];
            const double clipped = floored < upper[i] ? floored : upper[i];
            value[k] += clipped * ds[i];
            curvature[k] += clipped == a ? step * ds[i] * ds[i] : 0.0;
        }
    }
    for (; first < count; ++first) {
        const double step = factor * tau[first];
        const double a = centre[first] + step * (s[first] + t * ds[first]);
        const double clipped = std::min(std::max(a, lower[first]), upper[first]);
        value[0] += clipped * ds[first];
        curvature[0] += clipped == a ? step * ds[first] * ds[first] : 0.0;
    }
    for (std::int64_t k = 1; k < lanes; ++k) {
        value[0] += value[k];
        curvature[0] += curvature[k];
    }
    return {value[0], curvature[0]};
}

Slope slope_at(double t, std::int64_t n, const double *s, const double *ds, const double *centre, const double *tau,
               double factor, const double *lower, const double *upper) {
    constexpr std::int64_t block = 2048;  // short sums, so that rounding does not grow with n
    Slope total{0, 0};
    for (std::int64_t i = 0; i < n; i += block) {
        const Slope part = slope_of_block(t, std::min(block, n - i), s + i, ds + i, centre + i, tau + i, factor,
                                          lower + i, upper + i);
        total.value += part.value;
        total.curvature += part.curvature;
    }
    return total;
}

// The root t > 0 of  linear + quadratic t + slope_at(t), by Newton's method with a bracket as guard.
double line_search(In<double> s, In<double> ds, In<double> centre, In<double> tau, double factor, In<double> lower,
                   In<double> upper, double linear, double quadratic, std::int64_t evaluations) {
    const std::size_t n = s.size();
    require(ds.size() == n && centre.size() == n && tau.size() == n && lower.size() == n && upper.size() == n,
            "box_line_search: all arrays must have one length");
    nb::gil_scoped_release release;
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (std::int64_t k = 0; k < evaluations; ++k) {
        const Slope slope = slope_at(t, std::int64_t(n), s.data(), ds.data(), centre.data(), tau.data(), factor,
                                     lower.data(), upper.data());
        const double value = linear + quadratic * t + slope.value, curvature = quadratic + slope.curvature;
        (value < 0 ? low : high) = t;
        double next = curvature > 0 ? t - value / curvature : low;
        if (!(next > low && next < high)) next = std::isinf(high) ? 2 * t : 0.5 * (low + high);
        if (value == 0 || std::abs(next - t) <= 1e-12 * t || !(next > 0)) break;
        t = next;
    }
    return t;
}

}  // namespace

void bind_newton(nb::module_ &m) {
#define PRAGAM_GRAM_ADD(T, I)                                                                                        \
    m.def("csr_gram_add", &gram_add<T, I>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),               \
          nb::arg("indptr").noconvert(), nb::arg("rows").noconvert(), nb::arg("weights").noconvert(), nb::arg("d"),   \
          nb::arg("gram").noconvert())
    PRAGAM_GRAM_ADD(float, std::int32_t);
    PRAGAM_GRAM_ADD(float, std::int64_t);
    PRAGAM_GRAM_ADD(double, std::int32_t);
    PRAGAM_GRAM_ADD(double, std::int64_t);
#undef PRAGAM_GRAM_ADD
    m.def("box_line_search", &line_search, nb::arg("s").noconvert(), nb::arg("ds").noconvert(),
          nb::arg("centre").noconvert(), nb::arg("tau").noconvert(), nb::arg("factor"), nb::arg("lower").noconvert(),
          nb::arg("upper").noconvert(), nb::arg("linear"), nb::arg("quadratic"), nb::arg("evaluations"));
}

}  // namespace pragam
