// Dual coordinate ascent over a box, with or without one equality constraint: one randomised sweep.
//
//   maximise  <c, alpha> - |A' alpha + r m|^2 / (2 lam) - b r - rho/2 r^2,   r = <sigma, alpha> - z,
//   over lower <= alpha <= upper, with A = diag(scale) X and w = -A' alpha / lam kept up to date.
//
// On the plane r = 0 the vector m is without effect; off it, it centres the rows. With lift = A m and moment = <m, w>
// the slope of row i is s_i = c_i + <a_i, w> - lift_i r/lam - sigma_i (b + rho r + |m|^2 r/lam - moment), and the exact
// step is clip(alpha_i + s_i / q_i), where q_i is the curvature of it all along row i.
// Specification: dcd_sweep in twins/coordinate.py.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <nanobind/stl/tuple.h>

#include "rows.hpp"

namespace pragam {
namespace {

using Answer = std::tuple<std::int64_t, double, double, double, double>;
constexpr std::int64_t ahead = 3;  // how many rows early the next rows are fetched

struct Box {
    const double *scale, *c, *lower, *upper, *q;
};

struct Plane {
    const double *sigma;  // null without an equality constraint
    const double *lift;
    double *running;      // r and moment, kept up to date
    double bias, rho, centre2;

    double slope(std::int64_t i, double score, double lam) const {
        const double r = running[0], moment = running[1];
        return score - lift[i] * r / lam - sigma[i] * (bias + (rho + centre2 / lam) * r - moment);
    }

    void move(std::int64_t i, double step, double lam) const {
        running[0] += step * sigma[i];
        running[1] -= step * lift[i] / lam;
    }
};

void shuffle(std::int64_t *first, std::int64_t n, SplitMix64 &random) {
    for (std::int64_t k = n - 1; k > 0; --k) std::swap(first[k], first[random.below(k + 1)]);
}

template <bool with_plane, class R>
Answer sweep(const R &rows, const Box &box, const Plane &plane, double lam, std::int64_t *active, std::int64_t n_active,
             double highest, double lowest, double *w, double *alpha, std::uint64_t seed) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    SplitMix64 random{seed};
    Pulse pulse;
    shuffle(active, n_active, random);
    double gap = 0, gain = 0, new_highest = -inf, new_lowest = inf;
    for (std::int64_t k = 0; k < n_active;) {
        const std::int64_t i = active[k];
        if (k + ahead < n_active) rows.prefetch(active[k + ahead]);
        double s = box.c[i] + box.scale[i] * rows.dot(i, w);
        if (with_plane) s = plane.slope(i, s, lam);
        const double a = alpha[i];
        const bool at_lower = a <= box.lower[i], at_upper = a >= box.upper[i];
        pulse.beat(rows.length(i));
        const bool held = (at_lower && s <= 0) || (at_upper && s >= 0);
        // A row held at its bound by a slope steeper than any violation of the last sweep leaves this round.
        if (held && (s < lowest || s > highest)) {
            std::swap(active[k], active[--n_active]);
            continue;
        }
        ++k;
        const double violation = held ? 0.0 : s;
        new_highest = std::max(new_highest, violation);
        new_lowest = std::min(new_lowest, violation);
        if (held) continue;
        gap += s > 0 ? s * (box.upper[i] - a) : s * (box.lower[i] - a);
        const double target = box.q[i] > 0 ? a + s / box.q[i] : (s > 0 ? inf : -inf);
        const double moved = std::min(std::max(target, box.lower[i]), box.upper[i]);
        const double step = moved - a;
        if (step == 0) continue;
        gain += step * (s - 0.5 * box.q[i] * step);
        alpha[i] = moved;
        rows.add_to(i, -step * box.scale[i] / lam, w);
        if (with_plane) plane.move(i, step, lam);
    }
    return {n_active, gap, gain, new_highest, new_lowest};
}

template <class... Raw>
struct Sweep {
    static Answer call(Raw... raw, In<double> scale, In<double> c, In<double> lower, In<double> upper, In<double> q,
                       double lam, Out<std::int64_t> active, std::int64_t n_active, double highest, double lowest,
                       Out<double> w, Out<double> alpha, In<double> sigma, In<double> lift, Out<double> running,
                       double bias, double rho, double centre2, std::uint64_t seed) {
        const std::size_t n = alpha.size();
        require(scale.size() == n && c.size() == n && lower.size() == n && upper.size() == n && q.size() == n,
                "dcd_sweep: scale, c, lower, upper and q must have the length of alpha");
        require(n_active >= 0 && std::size_t(n_active) <= n && active.size() == n && n < (std::size_t(1) << 32),
                "dcd_sweep: active must have the length of alpha, and n_active must not exceed it");
        require((sigma.size() == 0 || sigma.size() == n) && lift.size() == sigma.size() && running.size() == 2,
                "dcd_sweep: sigma and lift must both have the length of alpha or none, and running two entries");
        const auto rows = rows_of(n, w.size(), raw...);
        const Box box{scale.data(), c.data(), lower.data(), upper.data(), q.data()};
        const Plane plane{sigma.data(), lift.data(), running.data(), bias, rho, centre2};
        using R = std::decay_t<decltype(rows)>;
        const auto run = sigma.size() ? &sweep<true, R> : &sweep<false, R>;
        nb::gil_scoped_release release;
        return run(rows, box, plane, lam, active.data(), n_active, highest, lowest, w.data(), alpha.data(), seed);
    }
};

}  // namespace

void bind_coordinate(nb::module_ &m) {
    bind_storages<Sweep>(m, "dcd_sweep_csr", "dcd_sweep_dense", array("scale"), array("c"), array("lower"),
                         array("upper"), array("q"), nb::arg("lam"), array("active"), nb::arg("n_active"),
                         nb::arg("highest"), nb::arg("lowest"), array("w"), array("alpha"), array("sigma"),
                         array("lift"), array("running"), nb::arg("bias"), nb::arg("rho"), nb::arg("centre2"),
                         nb::arg("seed"));
}

}  // namespace pragam
