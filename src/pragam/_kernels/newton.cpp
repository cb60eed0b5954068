// The loops over rows of the semismooth Newton method: the Hessian's weights and its sum of outer products, the line
// search, and the move. Specification: twins/newton.py.
//
// A row's dual variable is alpha_i = lower_i + width_i beta_i. A row at the position u = base + factor s has
// beta = clip(u, 0, 1).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "csr.hpp"
#include "newton.hpp"
#include "vectorised.hpp"

namespace pragam {
namespace {

// gram += weight x x' for the entries begin .. end-1 of one row x, whose indices strictly increase, with all from them on:
// in the upper triangle of a row-major d x d matrix. Four rows of it at a time, for which an index is read once.
template <class Values, class I>
void add_sorted_outer(Values x, const I *indices, int64_t length, int64_t begin, int64_t end, double weight, int64_t d,
                      double *gram) {
    constexpr int64_t wide = 4;
    int64_t p = begin;
    for (; p + wide <= end; p += wide) {
        double *row[wide], v[wide];
        for (int64_t k = 0; k < wide; ++k) {
            row[k] = gram + int64_t(indices[p + k]) * d;
            v[k] = weight * double(x[p + k]);
        }
        for (int64_t q = 0; q < wide; ++q)  // independent bounds, so that the loops unroll
            for (int64_t k = 0; k < wide; ++k)
                if (k <= q) row[k][indices[p + q]] += v[k] * double(x[p + q]);
        for (int64_t q = p + wide; q < length; ++q)
            for (int64_t k = 0; k < wide; ++k) row[k][indices[q]] += v[k] * double(x[q]);
    }
    for (; p < end; ++p) {
        double *row = gram + int64_t(indices[p]) * d;
        const double v = weight * double(x[p]);
        for (int64_t q = p; q < length; ++q) row[indices[q]] += v * double(x[q]);
    }
}

// The same for entries in any order. A pair may belong below the diagonal, or be the same index twice. Only the rows
// begin .. end-1 of gram are written.
template <class Values, class I>
void add_outer(Values x, const I *indices, int64_t length, double weight, int64_t d, double *gram, int64_t begin,
               int64_t end) {
    bool sorted = true;
    for (int64_t p = 1; p < length; ++p) sorted &= indices[p - 1] < indices[p];
    if (sorted) {
        const auto place = [=](int64_t j) { return std::lower_bound(indices, indices + length, j) - indices; };
        const int64_t first = begin > 0 ? place(begin) : 0, last = end < d ? place(end) : length;
        return add_sorted_outer(x, indices, length, first, last, weight, d, gram);
    }
    for (int64_t p = 0; p < length; ++p) {
        const int64_t i = indices[p];
        const double v = weight * double(x[p]);
        for (int64_t q = 0; q < p; ++q) {
            const int64_t j = indices[q], low = std::min(i, j);
            if (low < begin || low >= end) continue;
            gram[low * d + std::max(i, j)] += (i == j ? 2.0 : 1.0) * v * double(x[q]);
        }
        if (i >= begin && i < end) gram[i * d + i] += v * double(x[p]);
    }
}

// The same for a row that is written out, zeros and all.
PRAGAM_VECTORISED void add_written_outer(const double *PRAGAM_RESTRICT x, double weight, int64_t d,
                                         double *PRAGAM_RESTRICT gram, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        if (x[i] == 0) continue;
        const double v = weight * x[i];
        for (int64_t j = i; j < d; ++j) gram[i * d + j] += v * x[j];
    }
}

constexpr int64_t dense_enough = 3;  // a row with an entry in one of this many columns is cheaper as dense

// gram += sum over k of weights_k x_i x_i', i = rows_k. Each thread has its own rows of gram, so every entry is summed
// in the order of the rows of X.
template <class Values, class I>
void gram_add(Values x, const I *indices, const Indptr &indptr, const In<int64_t> &rows, const In<double> &weights,
              int64_t d, const Out<double> &gram, int64_t threads) {
    require(rows.size() == weights.size(), "csr_gram_add, pattern_gram_add: rows and weights must have one length");
    require(gram.size() == size_t(d) * size_t(d), "csr_gram_add, pattern_gram_add: gram must be d x d");
    const int64_t n = int64_t(indptr.size()) - 1, *ptr = indptr.data(), *number = rows.data();
    int64_t pairs = 0;
    for (size_t k = 0; k < rows.size(); ++k) {
        require(number[k] >= 0 && number[k] < n, "csr_gram_add, pattern_gram_add: rows holds a number out of range");
        const int64_t length = ptr[number[k] + 1] - ptr[number[k]];
        pairs += length * length / 2;
    }
    nb::gil_scoped_release release;
    threads = worthwhile(threads, pairs);
    const int64_t chunks = threads == 1 ? 1 : 8 * threads;
    parallel_for(chunks, threads, [&](int64_t chunk, Pulse &pulse) {
        const int64_t begin = d * chunk / chunks, end = d * (chunk + 1) / chunks;
        std::vector<double> written(static_cast<size_t>(d), 0.0);
        for (size_t k = 0; k < rows.size(); ++k) {
            const int64_t first = ptr[number[k]], last = ptr[number[k] + 1], length = last - first;
            if (dense_enough * length >= d) {
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] += double(x[p]);
                add_written_outer(written.data(), weights.data()[k], d, gram.data(), begin, end);
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] = 0.0;
            } else {
                add_outer(x + first, indices + first, length, weights.data()[k], d, gram.data(), begin, end);
            }
            pulse.beat(size_t(length * length / chunks + length));
        }
    });
}

template <class T, class I>
void csr_gram_add(In<T> data, In<I> indices, Indptr indptr, In<int64_t> rows, In<double> weights, int64_t d,
                  Out<double> gram, int64_t threads) {
    gram_add(data.data(), indices.data(), indptr, rows, weights, d, gram, threads);
}

void pattern_gram_add(PatternIndices indices, Indptr indptr, In<int64_t> rows, In<double> weights, int64_t d,
                      Out<double> gram, int64_t threads) {
    gram_add(Ones{}, indices.data(), indptr, rows, weights, d, gram, threads);
}

using Block = const double *PRAGAM_RESTRICT;
using Written = double *PRAGAM_RESTRICT;
constexpr int64_t lanes = 16;    // partial sums, so that the loops vectorise
constexpr int64_t block = 2048;  // short sums, so that rounding does not grow with n

// The weights of one block: width inside the box, width / (1 + 4 (distance / blur)^2) up to a distance of 2 blur.
PRAGAM_VECTORISED void weights_of_block(int64_t count, Block s, Block base, Block width, double factor,
                                        double blur, Written out) {
    const double reach = 2 * blur, scale = blur > 0 ? 2 / blur : 0.0;
    for (int64_t i = 0; i < count; ++i) {
        const double u = base[i] + factor * s[i];
        const double distance = -u > u - 1 ? -u : u - 1;
        const double outside = distance > 0 ? distance * scale : 0.0;
        const double weight = width[i] / (1 + outside * outside);
        out[i] = distance < reach ? weight : 0.0;
    }
}

void weights(In<double> s, In<double> base, In<double> width, double factor, double blur, Out<double> out) {
    const size_t n = s.size();
    require(base.size() == n && width.size() == n && out.size() == n, "box_weights: all arrays must have one length");
    nb::gil_scoped_release release;
    box_weights(int64_t(n), s.data(), base.data(), width.data(), factor, blur, out.data());
}

// For one block: beta = clip(u, 0, 1). near says whether the row is kept or u lies within `band` of [0, 1]. fixed is
// upper for a row that is neither near nor below its box, and lower otherwise.
PRAGAM_VECTORISED void select_block(int64_t count, Block s, Block base, double factor, double band, Block lower,
                                    Block upper, Written beta, std::uint8_t *PRAGAM_RESTRICT near, Written fixed) {
    for (int64_t i = 0; i < count; ++i) {
        const double u = base[i] + factor * s[i];
        const double floored = u > 0 ? u : 0.0;
        beta[i] = floored < 1 ? floored : 1.0;
        const bool inside = (near[i] != 0) | ((u > -band) & (u < 1 + band));
        near[i] = inside;
        fixed[i] = inside | (u <= 0) ? lower[i] : upper[i];
    }
}

void select(In<double> s, In<double> base, double factor, double band, In<double> lower, In<double> upper,
            Out<double> beta, Out<std::uint8_t> near, Out<double> fixed) {
    const size_t n = s.size();
    require(base.size() == n && lower.size() == n && upper.size() == n && beta.size() == n && near.size() == n &&
                fixed.size() == n,
            "box_select: all arrays must have one length");
    nb::gil_scoped_release release;
    select_block(int64_t(n), s.data(), base.data(), factor, band, lower.data(), upper.data(), beta.data(),
                 near.data(), fixed.data());
}

struct Slope {
    double value, curvature;
};

// The derivative at t, and its slope, of the sum over one block of rows of
//   max over 0 <= b <= 1 of  width (b (s + t ds) - (b - base)^2 / (2 factor)),
// which is the sum of  width ds clip(base + factor (s + t ds), 0, 1).
PRAGAM_VECTORISED Slope slope_of_block(double t, int64_t count, Block s, Block ds, Block base, Block width,
                                       double factor) {
    double value[lanes] = {}, curvature[lanes] = {};
    const auto add_row = [&](int64_t i, int64_t k) {
        const double p = width[i] * ds[i], u = base[i] + factor * (s[i] + t * ds[i]);
        const double floored = u > 0 ? u : 0.0;
        const double clipped = floored < 1 ? floored : 1.0;
        value[k] += clipped * p;
        curvature[k] += clipped == u ? p * ds[i] : 0.0;
    };
    int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) add_row(first + k, k);
    for (int64_t i = first; i < count; ++i) add_row(i, i - first);
    for (int64_t k = 1; k < lanes; ++k) {
        value[0] += value[k];
        curvature[0] += curvature[k];
    }
    return {value[0], factor * curvature[0]};
}

double line_search(In<double> s, In<double> ds, In<double> base, In<double> width, double factor, double linear,
                   double quadratic, double tol, int64_t evaluations) {
    const size_t n = s.size();
    require(ds.size() == n && base.size() == n && width.size() == n,
            "box_line_search: all arrays must have one length");
    nb::gil_scoped_release release;
    return box_line_search(int64_t(n), s.data(), ds.data(), base.data(), width.data(), factor, linear, quadratic, tol,
                           evaluations);
}

// s += t ds, beta to its new value and change to width times its change, over one block. The sums, over the block:
// width (beta - base)^2, width [s]_+, c width beta, sigma width beta, and the number of rows whose alpha changed.
PRAGAM_VECTORISED Sums move_block(double t, int64_t count, Written s, Block ds, Block base, Block width, Block c,
                                  Block sigma, double factor, Written beta, Written change) {
    double proximal[lanes] = {}, hinge[lanes] = {}, linear[lanes] = {}, plane[lanes] = {}, moved_rows[lanes] = {};
    const auto move_row = [&](int64_t i, int64_t k) {
        const double moved = s[i] + t * ds[i];
        const double u = base[i] + factor * moved;
        const double floored = u > 0 ? u : 0.0;
        const double clipped = floored < 1 ? floored : 1.0;
        const double filled = width[i] * clipped, away = clipped - base[i];
        change[i] = width[i] * (clipped - beta[i]);
        s[i] = moved;
        beta[i] = clipped;
        proximal[k] += width[i] * away * away;
        hinge[k] += moved > 0 ? width[i] * moved : 0.0;
        linear[k] += c[i] * filled;
        plane[k] += sigma[i] * filled;
        moved_rows[k] += change[i] != 0 ? 1.0 : 0.0;
    };
    int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) move_row(first + k, k);
    for (int64_t i = first; i < count; ++i) move_row(i, i - first);
    for (int64_t k = 1; k < lanes; ++k) {
        proximal[0] += proximal[k];
        hinge[0] += hinge[k];
        linear[0] += linear[k];
        plane[0] += plane[k];
        moved_rows[0] += moved_rows[k];
    }
    return {proximal[0], hinge[0], linear[0], plane[0], moved_rows[0]};
}

std::tuple<double, double, double, double, double> move(double t, Out<double> s, In<double> ds, In<double> base,
                                                        In<double> width, In<double> c, In<double> sigma,
                                                        double factor, Out<double> beta, Out<double> change) {
    const size_t n = s.size();
    require(ds.size() == n && base.size() == n && width.size() == n && c.size() == n && sigma.size() == n &&
                beta.size() == n && change.size() == n,
            "box_move: all arrays must have one length");
    nb::gil_scoped_release release;
    const Sums sums = box_move(t, int64_t(n), s.data(), ds.data(), base.data(), width.data(), c.data(), sigma.data(),
                               factor, beta.data(), change.data());
    return {sums.proximal, sums.hinge, sums.linear, sums.plane, sums.moved};
}

}  // namespace

void box_weights(int64_t n, const double *s, const double *base, const double *width, double factor, double blur,
                 double *out) {
    weights_of_block(n, s, base, width, factor, blur, out);
}

double box_line_search(int64_t n, const double *s, const double *ds, const double *base, const double *width,
                       double factor, double linear, double quadratic, double tol, int64_t evaluations) {
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (int64_t k = 0; k < evaluations; ++k) {
        double value = linear + quadratic * t, curvature = quadratic;
        for (int64_t i = 0; i < n; i += block) {
            const Slope part = slope_of_block(t, std::min(block, n - i), s + i, ds + i, base + i, width + i, factor);
            value += part.value;
            curvature += part.curvature;
        }
        (value < 0 ? low : high) = t;
        double next = curvature > 0 ? t - value / curvature : low;
        if (std::abs(next - t) <= tol * t) return std::min(std::max(next, low), high);
        if (!(next > low && next < high)) next = std::isinf(high) ? 2 * t : 0.5 * (low + high);
        if (value == 0 || !(next > 0)) break;
        t = next;
    }
    return t;
}

Sums box_move(double t, int64_t n, double *s, const double *ds, const double *base, const double *width,
              const double *c, const double *sigma, double factor, double *beta, double *change) {
    Sums total{0, 0, 0, 0, 0};
    for (int64_t i = 0; i < n; i += block) {
        const Sums part = move_block(t, std::min(block, n - i), s + i, ds + i, base + i, width + i, c + i, sigma + i,
                                     factor, beta + i, change + i);
        total.proximal += part.proximal;
        total.hinge += part.hinge;
        total.linear += part.linear;
        total.plane += part.plane;
        total.moved += part.moved;
    }
    return total;
}

void bind_newton(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    for_csr_types([&](auto value, auto index) {
        m.def("csr_gram_add", &csr_gram_add<decltype(value), decltype(index)>, a("data"), a("indices"), a("indptr"),
              a("rows"), a("weights"), nb::arg("d"), a("gram"), nb::arg("threads") = 1);
    });
    m.def("pattern_gram_add", &pattern_gram_add, a("indices"), a("indptr"), a("rows"), a("weights"), nb::arg("d"),
          a("gram"), nb::arg("threads") = 1);
    m.def("box_weights", &weights, nb::arg("s").noconvert(), nb::arg("base").noconvert(), nb::arg("width").noconvert(),
          nb::arg("factor"), nb::arg("blur"), nb::arg("out").noconvert());
    m.def("box_select", &select, nb::arg("s").noconvert(), nb::arg("base").noconvert(), nb::arg("factor"),
          nb::arg("band"), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(), nb::arg("beta").noconvert(),
          nb::arg("near").noconvert(), nb::arg("fixed").noconvert());
    m.def("box_line_search", &line_search, nb::arg("s").noconvert(), nb::arg("ds").noconvert(),
          nb::arg("base").noconvert(), nb::arg("width").noconvert(), nb::arg("factor"), nb::arg("linear"),
          nb::arg("quadratic"), nb::arg("tol"), nb::arg("evaluations"));
    m.def("box_move", &move, nb::arg("t"), nb::arg("s").noconvert(), nb::arg("ds").noconvert(),
          nb::arg("base").noconvert(), nb::arg("width").noconvert(), nb::arg("c").noconvert(),
          nb::arg("sigma").noconvert(), nb::arg("factor"), nb::arg("beta").noconvert(), nb::arg("change").noconvert());
}

}  // namespace pragam
