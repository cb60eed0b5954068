// Rounding bounds for certificates: sums with the sizes of their terms, and support functions over a whole interval of
// scores. Specification: columns.py.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nanobind/stl/tuple.h>

#include "common/blocks.hpp"

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

// max over a in [l, u] of a t - kappa/2 a^2, bounded from above where `bound`. Unconstrained it is t^2/(2 kappa). Without
// branches: which rows are inside follows no order.
template <bool bound>
PRAGAM_INLINE double smooth_piece(double t, double l, double u, double kappa) {
    double a = t / kappa;
    a = a < l ? l : a;
    a = a > u ? u : a;
    const double line = a * t, bend = 0.5 * kappa * a * a;
    const double inside = t * t / (2 * kappa), end = line - bend;
    const double within = bound ? inside * (1 + unit) : inside;
    const double beyond = bound ? end + unit * (std::abs(line) + bend) : end;
    return (a > l) & (a < u) ? within : beyond;
}

// The same without curvature. An infinite side counts only if some score within d has its sign, and then it is infinite.
PRAGAM_INLINE double straight_piece(double r, double d, double l, double u) {
    const double at_low = l > -infinity ? l * r + std::abs(l) * d : r - d < 0 ? infinity : -infinity;
    const double at_high = u < infinity ? u * r + std::abs(u) * d : r + d > 0 ? infinity : -infinity;
    const double most = at_low > at_high ? at_low : at_high;
    return most == -infinity ? 0.0 : most;  // a free variable whose score is exactly 0
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
            double most = straight_piece(r, d, low, high), exact = r > 0 ? high * r : r < 0 ? low * r : 0.0;
            if (smooth) {
                const bool bends = kappa[i] > 0;
                const double left = smooth_piece<true>(down, low, high, kappa[i]);
                const double right = smooth_piece<true>(up, low, high, kappa[i]);
                const double larger = (left > right) | (left != left) ? left : right;  // NaN, beyond float64, stays
                const double curved = smooth_piece<false>(r, low, high, kappa[i]);
                most = bends ? larger : most;
                exact = bends ? curved : exact;
            }
            // The loss of products below the smallest normal number, unless the term is exactly 0.
            const bool is_zero = ((up <= 0) | (high == 0)) & ((down >= 0) | (low == 0));
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

}  // namespace

void bind_rounding_columns(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("dot_and_size", &dot_and_size, a("x"), a("y"));
    m.def("box_plane_support_bound", &box_plane_support_bound, a("s"), a("slack"), a("lower"), a("upper"), a("sigma"),
          nb::arg("b"), a("kappa"));
}

}  // namespace pragam
