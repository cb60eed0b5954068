// Rounding bounds for certificates: sums with the sizes of their terms, support functions over a whole interval of
// scores, and products in twice the precision.
#include <algorithm>
#include <cmath>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/blocks.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

using Pair = std::tuple<double, double>;
using Triple = std::tuple<double, double, double>;

PRAGAM_VECTORISED void dot_block(Block x, Block y, std::size_t count, Sum &sum, Sum &size) {
    Lanes terms, sizes;
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const double term = x[j + k] * y[j + k];
            terms.part[k] += term;
            sizes.part[k] += std::abs(term);
        }
    }
    terms.flush(sum), sizes.flush(size);
}

// (sum of x_i y_i, sum of |x_i y_i|).
Pair dot_and_size(In<double> x, In<double> y) {
    require(x.size() == y.size(), "x and y must have the same length");
    Sum sum, size;
    nb::gil_scoped_release nogil;
    for_blocks(x.size(), 1, [&](std::size_t first, std::size_t count) {
        dot_block(x.data() + first, y.data() + first, count, sum, size);
    });
    return {sum.total(), size.total()};
}

// The rounding between the given scores s and slack and a row's term, relative to |s| + |b sigma|.
constexpr double unit = 8 * 0x1p-53;
constexpr double tiny = std::numeric_limits<double>::min();

// max over a in [l, u] of a t - kappa/2 a^2, bounded from above where `bound`. Unconstrained it is t^2/(2 kappa).
template <bool bound>
inline double smooth_piece(double t, double l, double u, double kappa) {
    double a = t / kappa;
    a = a < l ? l : a;
    a = a > u ? u : a;
    const double line = a * t, bend = 0.5 * kappa * a * a;
    const double inside = t * t / (2 * kappa), end = line - bend;
    if (!bound) return a > l && a < u ? inside : end;
    return a > l && a < u ? inside * (1 + unit) : end + unit * (std::abs(line) + bend);
}

template <bool smooth>
PRAGAM_VECTORISED void bound_block(Block s, Block slack, Block l, Block u, Block g, double b, Block kappa,
                                   std::size_t count, Sum &bound, Sum &nominal, Sum &size) {
    Lanes bounds, nominals, sizes;
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t i = j + k;
            const double shift = b * g[i], r = s[i] - shift, low = l[i], high = u[i];
            const double d = slack[i] + unit * (std::abs(s[i]) + std::abs(shift));
            const double up = r + d, down = r - d;
            double most, exact;
            if (smooth && kappa[i] > 0) {
                const double left = smooth_piece<true>(down, low, high, kappa[i]);
                const double right = smooth_piece<true>(up, low, high, kappa[i]);
                most = left > right ? left : right;
                exact = smooth_piece<false>(r, low, high, kappa[i]);
            } else {
                // An infinite side counts only if some score within d has its sign, and then the maximum is infinite.
                const double at_low = low > -infinity ? low * r + std::abs(low) * d : down < 0 ? infinity : -infinity;
                const double at_high = high < infinity ? high * r + std::abs(high) * d : up > 0 ? infinity : -infinity;
                most = at_low > at_high ? at_low : at_high;
                most = most == -infinity ? 0.0 : most;  // a free variable whose score is exactly 0
                exact = r > 0 ? high * r : r < 0 ? low * r : 0.0;
            }
            // The loss of products below the smallest normal number, unless the term is exactly 0.
            const bool is_zero = (up <= 0 || high == 0) && (down >= 0 || low == 0);
            most += is_zero ? 0.0 : 8 * tiny;
            bounds.part[k] += most;
            nominals.part[k] += exact;
            sizes.part[k] += std::abs(most);
        }
    }
    bounds.flush(bound), nominals.flush(nominal), sizes.flush(size);
}

// The sum over rows of max over alpha in [lower, upper] of alpha (t - b sigma) - kappa/2 alpha^2, t within slack of s:
// (an upper bound, not counting the rounding of this sum; its value at t = s; the sum of the sizes of the bounds).
Triple box_plane_support_bound(In<double> s, In<double> slack, In<double> lower, In<double> upper, In<double> sigma,
                               double b, In<double> kappa) {
    const std::size_t n = s.size();
    const Column d(slack, n), l(lower, n), u(upper, n), g(sigma, n), curve(kappa, n);
    Sum bound, nominal, size;
    nb::gil_scoped_release nogil;
    const auto rows = curve.is(0) ? &bound_block<false> : &bound_block<true>;
    for_blocks(n, 1, [&](std::size_t first, std::size_t count) {
        rows(s.data() + first, d.from(first), l.from(first), u.from(first), g.from(first), b, curve.from(first),
             count, bound, nominal, size);
    });
    return {bound.total(), nominal.total(), size.total()};
}

// A sum of products in twice the precision: `high + low` (Ogita, Rump and Oishi 2005, Dot2), and the sum of the sizes.
// The error of a product is computed by splitting its factors (Dekker 1971), so no fused multiply-add is needed. Factors
// above 1e300 overflow in the splitting, and the result is then NaN.
struct Twofold {
    double high = 0, low = 0, size = 0;

    void add(double term, double error) {
        const double next = high + term, added = next - high;
        low += ((high - (next - added)) + (term - added)) + error;
        high = next;
    }
    void add_product(double x, double y) {
        constexpr double splitter = 134217729.0;  // 2^27 + 1
        const double p = x * y, xt = splitter * x, yt = splitter * y;
        const double xh = xt - (xt - x), yh = yt - (yt - y), xl = x - xh, yl = y - yh;
        add(p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl);
        size += std::abs(p);
    }
    void add(const Twofold &other) {
        add(other.high, other.low);
        size += other.size;
    }
};

// Writes a sum to three columns, with its two parts such that high is the rounded sum.
struct TwofoldOut {
    double *high, *low, *size;
    void put(int64_t i, const Twofold &sum) const {
        high[i] = sum.high + sum.low;
        low[i] = sum.low - (high[i] - sum.high);
        size[i] = sum.size;
    }
};

TwofoldOut outputs(const Out<double> &high, const Out<double> &low, const Out<double> &size, size_t n) {
    require(high.size() == n && low.size() == n && size.size() == n, "high, low and size must have one entry each");
    return {high.data(), low.data(), size.data()};
}

// high + low = X w in twice the precision, size = |X| |w|.
template <class T, class I>
void csr_twofold_matvec(In<T> data, In<I> indices, Indptr indptr, In<double> w, Out<double> high, Out<double> low,
                        Out<double> size, int64_t threads) {
    require_rows(indptr, high.size());
    const TwofoldOut out = outputs(high, low, size, high.size());
    const T *v = data.data();
    const I *index = indices.data();
    const double *in = w.data();
    const auto row = [=](int64_t i, int64_t first, int64_t last) {
        Twofold even, odd;  // two sums, whose operations overlap
        for (int64_t p = first; p + 1 < last; p += 2) {
            even.add_product(double(v[p]), in[index[p]]);
            odd.add_product(double(v[p + 1]), in[index[p + 1]]);
        }
        if ((last - first) % 2) even.add_product(double(v[last - 1]), in[index[last - 1]]);
        even.add(odd);
        out.put(i, even);
    };
    each_row(indptr, row, threads);
}

// high + low = X' alpha in twice the precision, size = |X|' |alpha|.
template <class T, class I>
void csr_twofold_rmatvec(In<T> data, In<I> indices, Indptr indptr, In<double> alpha, Out<double> high, Out<double> low,
                         Out<double> size) {
    require_rows(indptr, alpha.size());
    const size_t d = high.size();
    const TwofoldOut out = outputs(high, low, size, d);
    std::vector<Twofold> sums(d);
    const int64_t end = indptr.data()[alpha.size()];
    each_row(indptr, [&, v = data.data(), index = indices.data(), a = alpha.data()](int64_t i, int64_t first,
                                                                                     int64_t last) {
        if (a[i] == 0) return;
        for (int64_t p = first; p < last; ++p) {
            PRAGAM_PREFETCH(&sums[size_t(index[std::min(p + ahead, end - 1)])]);
            sums[size_t(index[p])].add_product(double(v[p]), a[i]);
        }
    });
    for (size_t j = 0; j < d; ++j) out.put(int64_t(j), sums[j]);
}

// high + low = X w in twice the precision, size = |X| |w|, for a dense X of any strides, read in the order of its
// memory: four rows at a time, whose operations overlap, or column by column within a band of rows.
template <class T>
void dense_twofold_matvec(Matrix<T> X, In<double> w, Out<double> high, Out<double> low, Out<double> size,
                          int64_t threads) {
    require(X.shape(0) == high.size() && X.shape(1) == w.size(), "X, w and high must have matching sizes");
    const TwofoldOut out = outputs(high, low, size, high.size());
    nb::gil_scoped_release free;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    constexpr int64_t band = 256;
    const int64_t wide = std::abs(right) <= std::abs(down) ? 4 : band;  // rows read at a time
    const double *in = w.data();
    parallel_for((n + band - 1) / band, worthwhile(threads, n * d), [&](int64_t chunk, Pulse &pulse) {
        const int64_t first = chunk * band, count = std::min(band, n - first);
        const T *x = X.data() + first * down;
        Twofold sums[band];
        for (int64_t begin = 0; begin < count; begin += wide)
            for (int64_t j = 0; j < d; ++j)
                for (int64_t i = begin; i < std::min(begin + wide, count); ++i)
                    sums[i].add_product(double(x[i * down + j * right]), in[j]);
        for (int64_t i = 0; i < count; ++i) out.put(first + i, sums[i]);
        pulse.beat(size_t(8 * count * d));
    });
}

}  // namespace

void bind_rounding_columns(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    m.def("dot_and_size", &dot_and_size, a("x"), a("y"));
    m.def("box_plane_support_bound", &box_plane_support_bound, a("s"), a("slack"), a("lower"), a("upper"), a("sigma"),
          nb::arg("b"), a("kappa"));
    for_csr_types([&](auto value, auto index) {
        using T = decltype(value);
        using I = decltype(index);
        m.def("csr_twofold_matvec", &csr_twofold_matvec<T, I>, a("data"), a("indices"), a("indptr"), a("w"), a("high"),
              a("low"), a("size"), threads);
        m.def("csr_twofold_rmatvec", &csr_twofold_rmatvec<T, I>, a("data"), a("indices"), a("indptr"), a("alpha"),
              a("high"), a("low"), a("size"));
    });
    m.def("dense_twofold_matvec", &dense_twofold_matvec<double>, a("X"), a("w"), a("high"), a("low"), a("size"),
          threads);
    m.def("dense_twofold_matvec", &dense_twofold_matvec<float>, a("X"), a("w"), a("high"), a("low"), a("size"),
          threads);
}

}  // namespace pragam
