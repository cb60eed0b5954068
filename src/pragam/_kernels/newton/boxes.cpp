// The loops over rows of the semismooth Newton method: the Hessian's weights, the choice of rows, the line search, the
// slopes at several steps and the move. Specification: boxes.py.
//
// A row's dual variable is alpha_i = anchor_i + size_i beta_i. A row at the position u = (base + tau s) / (1 + tau bend)
// has beta = clip(u, low, high). Plain rows have low = 0, high = 1 and bend = 0, and loops of their own without a
// division: every loop is written once, for rows of either kind.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/kernel.hpp"
#include "common/parallel.hpp"
#include "common/vectorised.hpp"
#include "newton/boxes.hpp"

namespace pragam {
namespace {

using std::int64_t;

using Block = const double *PRAGAM_RESTRICT;
using Written = double *PRAGAM_RESTRICT;
constexpr int64_t lanes = 16;    // partial sums, so that the loops vectorise
constexpr int64_t block = 2048;  // short sums, so that rounding does not grow with n
constexpr int64_t chunk = 16;    // blocks that a thread takes at a time
// A row counts as this many entries of a product, at 0.6 ns each: 581,012 plain rows take 3.2 ns each to select, 1.7 to
// move, 0.5 for an evaluation of the line search, of which there are several, and 0.5 for the weights.
constexpr int64_t entries = 4;

inline double clip(double u, double low, double high) {
    const double floored = u > low ? u : low;
    return floored < high ? floored : high;
}

// Rows with 0 <= beta <= 1 and no curvature.
struct Plain {
    Block base, size;
    double tau;

    double low(int64_t) const { return 0.0; }
    double high(int64_t) const { return 1.0; }
    double position(int64_t i, double s) const { return base[i] + tau * s; }
    double softened(int64_t, double x) const { return x; }  // x / (1 + tau bend)
    double risk(int64_t i, double s) const { return s > 0 ? size[i] * s : 0.0; }
    double linear(int64_t i, double c, double beta) const { return c * (size[i] * beta); }
};

// Rows with bounds and a curvature of their own.
struct Curved {
    Block base, size, lows, highs, bend;
    double tau;

    double low(int64_t i) const { return lows[i]; }
    double high(int64_t i) const { return highs[i]; }
    double position(int64_t i, double s) const { return (base[i] + tau * s) / (1 + tau * bend[i]); }
    double softened(int64_t i, double x) const { return x / (1 + tau * bend[i]); }
    // A row without curvature has its maximum at an end: s / 0 is on that side of the box, or NaN, which counts as low.
    double risk(int64_t i, double s) const { return linear(i, s, clip(s / bend[i], lows[i], highs[i])); }
    double linear(int64_t i, double c, double beta) const { return size[i] * beta * (c - 0.5 * bend[i] * beta); }
};

// The weights of some rows: size / (1 + tau bend) inside the box, and that / (1 + 4 (distance / blur)^2) up to a distance
// of 2 blur.
template <class Rows>
PRAGAM_INLINE void weights_loop(const Rows &rows, int64_t count, Block s, double blur, Written out) {
    const double reach = 2 * blur, scale = blur > 0 ? 2 / blur : 0.0;
    for (int64_t i = 0; i < count; ++i) {
        const double u = rows.position(i, s[i]), below = rows.low(i) - u, above = u - rows.high(i);
        const double distance = below > above ? below : above;
        const double outside = distance > 0 ? distance * scale : 0.0;
        const double weight = rows.softened(i, rows.size[i]) / (1 + outside * outside);
        out[i] = distance < reach ? weight : 0.0;
    }
}

PRAGAM_VECTORISED void plain_weights(int64_t count, Block base, Block size, double tau, Block s, double blur,
                                     Written out) {
    weights_loop(Plain{base, size, tau}, count, s, blur, out);
}

PRAGAM_VECTORISED void curved_weights(int64_t count, Block base, Block size, Block low, Block high, Block bend,
                                      double tau, Block s, double blur, Written out) {
    weights_loop(Curved{base, size, low, high, bend, tau}, count, s, blur, out);
}

// beta = clip(u, low, high). near says whether the row is kept or u lies within `band` of its box. fixed is the bound
// beyond which a row that is not near lies, and the anchor of the others.
template <class Rows>
PRAGAM_INLINE void select_loop(const Rows &rows, int64_t count, Block s, double band, Block anchor, Block lower,
                               Block upper, Written beta, std::uint8_t *PRAGAM_RESTRICT near, Written fixed) {
    for (int64_t i = 0; i < count; ++i) {
        const double u = rows.position(i, s[i]), low = rows.low(i), high = rows.high(i);
        beta[i] = clip(u, low, high);
        const bool inside = (near[i] != 0) | ((u > low - band) & (u < high + band));
        near[i] = inside;
        const double bound = u <= low ? lower[i] : upper[i];
        fixed[i] = inside ? anchor[i] : bound;
    }
}

PRAGAM_VECTORISED void plain_select(int64_t count, Block base, Block size, double tau, Block s, double band,
                                    Block anchor, Block lower, Block upper, Written beta,
                                    std::uint8_t *PRAGAM_RESTRICT near, Written fixed) {
    select_loop(Plain{base, size, tau}, count, s, band, anchor, lower, upper, beta, near, fixed);
}

PRAGAM_VECTORISED void curved_select(int64_t count, Block base, Block size, Block low, Block high, Block bend,
                                     double tau, Block s, double band, Block anchor, Block lower, Block upper,
                                     Written beta, std::uint8_t *PRAGAM_RESTRICT near, Written fixed) {
    select_loop(Curved{base, size, low, high, bend, tau}, count, s, band, anchor, lower, upper, beta, near, fixed);
}

struct Slope {
    double value, curvature;
};

// The derivative at t, and its slope, of the sum over some rows of
//   max over low <= b <= high of  size (b (s + t ds) - bend b^2 / 2 - (b - base)^2 / (2 tau)),
// which is the sum of  size ds clip(u, low, high)  at the scores s + t ds.
template <class Rows>
PRAGAM_INLINE Slope slope_loop(const Rows &rows, double t, int64_t count, Block s, Block ds) {
    double value[lanes] = {}, curvature[lanes] = {};
    const auto add_row = [&](int64_t i, int64_t k) {
        const double p = rows.size[i] * ds[i], u = rows.position(i, s[i] + t * ds[i]);
        const double clipped = clip(u, rows.low(i), rows.high(i));
        value[k] += clipped * p;
        curvature[k] += clipped == u ? rows.softened(i, p * ds[i]) : 0.0;
    };
    int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) add_row(first + k, k);
    for (int64_t i = first; i < count; ++i) add_row(i, i - first);
    for (int64_t k = 1; k < lanes; ++k) {
        value[0] += value[k];
        curvature[0] += curvature[k];
    }
    return {value[0], rows.tau * curvature[0]};
}

PRAGAM_VECTORISED Slope plain_slope(double t, int64_t count, Block base, Block size, double tau, Block s, Block ds) {
    return slope_loop(Plain{base, size, tau}, t, count, s, ds);
}

PRAGAM_VECTORISED Slope curved_slope(double t, int64_t count, Block base, Block size, Block low, Block high, Block bend,
                                     double tau, Block s, Block ds) {
    return slope_loop(Curved{base, size, low, high, bend, tau}, t, count, s, ds);
}

// What moves with the rows, besides beta: their offsets and signs on one plane.
struct Moved {
    Sums sums;
    double plane;
};

// s += t ds, beta to its new value and change to size times its change, over some rows. The sums over these rows, and
// that of sigma size beta.
template <class Rows>
PRAGAM_INLINE Moved move_loop(const Rows &rows, double t, int64_t count, Written s, Block ds, Block c, Block sigma,
                              Written beta, Written change) {
    double proximal[lanes] = {}, risk[lanes] = {}, linear[lanes] = {}, plane[lanes] = {}, moved_rows[lanes] = {};
    const auto move_row = [&](int64_t i, int64_t k) {
        const double moved = s[i] + t * ds[i], u = rows.position(i, moved);
        const double clipped = clip(u, rows.low(i), rows.high(i)), away = clipped - rows.base[i];
        change[i] = rows.size[i] * (clipped - beta[i]);
        s[i] = moved;
        beta[i] = clipped;
        proximal[k] += rows.size[i] * away * away;
        risk[k] += rows.risk(i, moved);
        linear[k] += rows.linear(i, c[i], clipped);
        plane[k] += sigma[i] * (rows.size[i] * clipped);
        moved_rows[k] += change[i] != 0 ? 1.0 : 0.0;
    };
    int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
        for (int64_t k = 0; k < lanes; ++k) move_row(first + k, k);
    for (int64_t i = first; i < count; ++i) move_row(i, i - first);
    for (int64_t k = 1; k < lanes; ++k) {
        proximal[0] += proximal[k];
        risk[0] += risk[k];
        linear[0] += linear[k];
        plane[0] += plane[k];
        moved_rows[0] += moved_rows[k];
    }
    return {{proximal[0], risk[0], linear[0], moved_rows[0]}, plane[0]};
}

PRAGAM_VECTORISED Moved plain_move(double t, int64_t count, Block base, Block size, double tau, Written s, Block ds,
                                   Block c, Block sigma, Written beta, Written change) {
    return move_loop(Plain{base, size, tau}, t, count, s, ds, c, sigma, beta, change);
}

PRAGAM_VECTORISED Moved curved_move(double t, int64_t count, Block base, Block size, Block low, Block high, Block bend,
                                    double tau, Written s, Block ds, Block c, Block sigma, Written beta,
                                    Written change) {
    return move_loop(Curved{base, size, low, high, bend, tau}, t, count, s, ds, c, sigma, beta, change);
}

}  // namespace

namespace {

int64_t blocks_of(const Boxes &rows) { return (rows.n + block - 1) / block; }

// Calls body(b, i, rows i .. of block b) for every block b, on up to `threads` threads.
template <class Body>
void each_block(const Boxes &rows, int64_t threads, const Body &body) {
    const int64_t blocks = blocks_of(rows);
    const auto between = [&](int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) body(b, b * block, rows.from(b * block, block));
    };
    threads = worthwhile(threads, entries * rows.n);
    if (threads == 1) return between(0, blocks);
    parallel_for((blocks + chunk - 1) / chunk, threads, [&](int64_t k, Pulse &) {
        between(k * chunk, std::min(blocks, (k + 1) * chunk));
    });
}

// Adds the derivative and its slope at t to `sum`. All of the team find the parts of blocks, which are added in order.
Slope add_slopes(Slope sum, double t, const Boxes &rows, const double *s, const double *ds, double tau, Team &team,
                 Pulse &pulse, std::vector<Slope> &parts) {
    std::atomic<int64_t> next{0};
    team.run(pulse, [&](int64_t, Pulse &) {
        for (int64_t b = next++; b < int64_t(parts.size()); b = next++) {
            const int64_t i = b * block;
            const Boxes r = rows.from(i, block);
            parts[std::size_t(b)] =
                r.is_plain() ? plain_slope(t, r.n, r.base, r.size, tau, s + i, ds + i)
                             : curved_slope(t, r.n, r.base, r.size, r.low, r.high, r.bend, tau, s + i, ds + i);
        }
    });
    for (const Slope &part : parts) {
        sum.value += part.value;
        sum.curvature += part.curvature;
    }
    return sum;
}

}  // namespace

void box_weights(const Boxes &rows, const double *s, double tau, double blur, double *out, int64_t threads) {
    each_block(rows, threads, [&](int64_t, int64_t i, const Boxes &r) {
        if (r.is_plain()) return plain_weights(r.n, r.base, r.size, tau, s + i, blur, out + i);
        curved_weights(r.n, r.base, r.size, r.low, r.high, r.bend, tau, s + i, blur, out + i);
    });
}

void box_slopes(const Boxes &rows, const double *s, const double *ds, double tau, const double *t, int64_t count,
                double *out, int64_t threads) {
    const std::size_t width = std::size_t(count);
    std::vector<double> parts(static_cast<std::size_t>(blocks_of(rows)) * width);
    each_block(rows, threads, [&](int64_t b, int64_t i, const Boxes &r) {
        for (int64_t k = 0; k < count; ++k)
            parts[std::size_t(b) * width + std::size_t(k)] =
                r.is_plain()
                    ? plain_slope(t[k], r.n, r.base, r.size, tau, s + i, ds + i).value
                    : curved_slope(t[k], r.n, r.base, r.size, r.low, r.high, r.bend, tau, s + i, ds + i).value;
    });
    std::fill(out, out + count, 0.0);
    for (std::size_t place = 0; place < parts.size(); ++place) out[place % width] += parts[place];
}

double box_line_search(const Boxes &rows, const double *s, const double *ds, double tau, const Line &line,
                       int64_t threads) {
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    Team team(worthwhile(threads, entries * rows.n));
    std::vector<Slope> parts(static_cast<std::size_t>(blocks_of(rows)));
    Pulse pulse;
    for (int64_t k = 0; k < line.evaluations; ++k) {
        const Slope others{line.linear + line.quadratic * t, line.quadratic};
        const auto [value, curvature] = add_slopes(others, t, rows, s, ds, tau, team, pulse, parts);
        (value < 0 ? low : high) = t;
        double next = curvature > 0 ? t - value / curvature : low;
        if (std::abs(next - t) <= line.tol * t) return std::min(std::max(next, low), high);
        if (!(next > low && next < high)) next = std::isinf(high) ? 2 * t : 0.5 * (low + high);
        if (value == 0 || !(next > 0)) break;
        t = next;
    }
    return t;
}

Sums box_move(const Boxes &rows, const Planes &planes, const double *c, double t, double *s, const double *ds,
              double tau, double *beta, double *change, double *totals, int64_t threads) {
    std::vector<Moved> parts(static_cast<std::size_t>(blocks_of(rows)));
    each_block(rows, threads, [&](int64_t b, int64_t i, const Boxes &r) {
        parts[std::size_t(b)] =
            r.is_plain() ? plain_move(t, r.n, r.base, r.size, tau, s + i, ds + i, c + i, planes.sigma + i, beta + i,
                                      change + i)
                         : curved_move(t, r.n, r.base, r.size, r.low, r.high, r.bend, tau, s + i, ds + i, c + i,
                                       planes.sigma + i, beta + i, change + i);
    });
    Sums sums{0, 0, 0, 0};
    std::fill(totals, totals + planes.count, 0.0);
    for (const Moved &part : parts) {
        sums.proximal += part.sums.proximal;
        sums.risk += part.sums.risk;
        sums.linear += part.sums.linear;
        sums.moved += part.sums.moved;
        if (planes.count == 1) totals[0] += part.plane;
    }
    if (planes.count > 1)
        for (int64_t j = 0; j < rows.n; ++j) totals[planes.group[j]] += planes.sigma[j] * (rows.size[j] * beta[j]);
    return sums;
}

namespace {

using BoxesIn = std::tuple<In<double>, In<double>, In<double>, In<double>, In<double>>;  // base, size, low, high, bend
using EndsIn = std::tuple<In<double>, In<double>, In<double>>;                           // anchor, lower, upper
using PlanesIn = std::tuple<In<double>, In<std::int64_t>>;                               // sigma, group
using LineIn = std::tuple<double, double, double, int64_t>;  // linear, quadratic, tol, evaluations

// The rows of a record, all of whose arrays have the length of s, or, if the rows are plain, the first two have.
Boxes boxes_of(const BoxesIn &record, size_t n, const char *message) {
    const auto &[base, size, low, high, bend] = record;
    require(base.size() == n && size.size() == n, message);
    if (low.size() == 0 && high.size() == 0 && bend.size() == 0)
        return {int64_t(n), base.data(), size.data(), nullptr, nullptr, nullptr};
    require(low.size() == n && high.size() == n && bend.size() == n, message);
    return {int64_t(n), base.data(), size.data(), low.data(), high.data(), bend.data()};
}

void weights(const BoxesIn &rows, In<double> s, double tau, double blur, Out<double> out, int64_t threads) {
    const char *message = "box_weights: all arrays must have one length";
    const Boxes boxes = boxes_of(rows, s.size(), message);
    require(out.size() == s.size(), message);
    nb::gil_scoped_release release;
    box_weights(boxes, s.data(), tau, blur, out.data(), threads);
}

void select(const BoxesIn &rows, In<double> s, double tau, double band, const EndsIn &ends, Out<double> beta,
            Out<std::uint8_t> near, Out<double> fixed, int64_t threads) {
    const char *message = "box_select: all arrays must have one length";
    const Boxes boxes = boxes_of(rows, s.size(), message);
    const auto &[anchor, lower, upper] = ends;
    for (size_t size : {anchor.size(), lower.size(), upper.size(), beta.size(), near.size(), fixed.size()})
        require(size == s.size(), message);
    nb::gil_scoped_release release;
    const double *at = s.data(), *inside = anchor.data(), *below = lower.data(), *above = upper.data();
    each_block(boxes, threads, [&](int64_t, int64_t i, const Boxes &r) {
        double *b = beta.data() + i, *f = fixed.data() + i;
        std::uint8_t *is_near = near.data() + i;
        if (r.is_plain())
            return plain_select(r.n, r.base, r.size, tau, at + i, band, inside + i, below + i, above + i, b, is_near, f);
        curved_select(r.n, r.base, r.size, r.low, r.high, r.bend, tau, at + i, band, inside + i, below + i, above + i,
                      b, is_near, f);
    });
}

double line_search(const BoxesIn &rows, In<double> s, In<double> ds, double tau, const LineIn &line, int64_t threads) {
    const char *message = "box_line_search: all arrays must have one length";
    const Boxes boxes = boxes_of(rows, s.size(), message);
    require(ds.size() == s.size(), message);
    const auto &[linear, quadratic, tol, evaluations] = line;
    nb::gil_scoped_release release;
    return box_line_search(boxes, s.data(), ds.data(), tau, {linear, quadratic, tol, evaluations}, threads);
}

void slopes(const BoxesIn &rows, In<double> s, In<double> ds, double tau, In<double> t, Out<double> out,
            int64_t threads) {
    const char *message = "box_slopes: all arrays must have one length";
    const Boxes boxes = boxes_of(rows, s.size(), message);
    require(ds.size() == s.size(), message);
    require(out.size() == t.size(), "box_slopes: out must have the length of t");
    nb::gil_scoped_release release;
    box_slopes(boxes, s.data(), ds.data(), tau, t.data(), int64_t(t.size()), out.data(), threads);
}

std::tuple<double, double, double, double> move(const BoxesIn &rows, const PlanesIn &planes, In<double> c, double t,
                                                Out<double> s, In<double> ds, double tau, Out<double> beta,
                                                Out<double> change, Out<double> totals, int64_t threads) {
    const char *message = "box_move: all arrays must have one length";
    const Boxes boxes = boxes_of(rows, s.size(), message);
    const auto &[sigma, group] = planes;
    for (size_t size : {sigma.size(), group.size(), c.size(), ds.size(), beta.size(), change.size()})
        require(size == s.size(), message);
    const Planes on{int64_t(totals.size()), sigma.data(), group.data()};
    require(on.is_in_range(boxes.n), "box_move: group holds the number of a plane that is not there");
    nb::gil_scoped_release release;
    const Sums sums = box_move(boxes, on, c.data(), t, s.data(), ds.data(), tau, beta.data(), change.data(),
                               totals.data(), threads);
    return {sums.proximal, sums.risk, sums.linear, sums.moved};
}

}  // namespace

void bind_newton_boxes(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    m.def("box_weights", &weights, a("rows"), a("s"), nb::arg("tau"), nb::arg("blur"), a("out"), threads);
    m.def("box_select", &select, a("rows"), a("s"), nb::arg("tau"), nb::arg("band"), a("ends"), a("beta"), a("near"),
          a("fixed"), threads);
    m.def("box_line_search", &line_search, a("rows"), a("s"), a("ds"), nb::arg("tau"), nb::arg("line"), threads);
    m.def("box_slopes", &slopes, a("rows"), a("s"), a("ds"), nb::arg("tau"), a("t"), a("out"), threads);
    m.def("box_move", &move, a("rows"), a("planes"), a("c"), nb::arg("t"), a("s"), a("ds"), nb::arg("tau"), a("beta"),
          a("change"), a("totals"), threads);
}

}  // namespace pragam
