// Dual coordinate ascent over a box, with or without one equality constraint: randomised sweeps.
//
//   maximise  <c, alpha> - |A' alpha + r m|^2 / (2 lam) - 1/2 sum delta_i alpha_i^2 - b r - rho/2 r^2
//   over lower <= alpha <= upper, with A = diag(scale) X, r = <sigma, alpha> - z and w = -A' alpha / lam kept up to date.
//
// On the plane r = 0 the vector m has no effect. Off the plane it centres the rows. With lift = A m and moment = <m, w>
// the slope of row i is
//   s_i = c_i + <a_i, w> - delta_i alpha_i - lift_i r/lam - sigma_i (b + rho r + |m|^2 r/lam - moment),
// and the exact step is clip(alpha_i + s_i / q_i), where q_i is the curvature along row i. For CSR, w may be in single
// precision, so that more of it stays in a cache. Everything else is double.
// Specification: dcd_sweep in twins/coordinate.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>
#include <nanobind/stl/tuple.h>

#include "coordinate.hpp"

namespace pragam {
namespace {

// n_active, gap, gain, drift2, turns, free, before, met, last.
using Answer = std::tuple<std::int64_t, double, double, double, std::int64_t, std::int64_t, double, std::int64_t,
                          std::int64_t>;
constexpr std::int64_t ahead = 4;  // how many rows early the next rows are fetched

void shuffle(std::uint32_t *first, std::int64_t n, SplitMix64 &random) {
    for (std::int64_t k = n - 1; k > 0; --k) std::swap(first[k], first[random.below(k + 1)]);
}

// 0 .. n-1 in blocks of neighbours, with the blocks in random order and each block shuffled.
std::vector<std::uint32_t> random_order(std::int64_t n, std::int64_t block_size, SplitMix64 &random) {
    std::vector<std::uint32_t> blocks(std::size_t((n + block_size - 1) / block_size)), order(static_cast<std::size_t>(n));
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = std::uint32_t(b);
    shuffle(blocks.data(), std::int64_t(blocks.size()), random);
    std::uint32_t *next = order.data();
    for (const std::uint32_t block : blocks) {
        const std::int64_t first = block * block_size, size = std::min(block_size, n - first);
        for (std::int64_t k = 0; k < size; ++k) next[k] = std::uint32_t(first + k);
        shuffle(next, size, random);
        next += size;
    }
    return order;
}

struct Swept {
    std::int64_t stay;
    double gap, gain, drift2;
    std::int64_t turns, free;
    std::size_t entries;
};

template <bool with_plane, class R, class W>
Swept sweep(const R &rows, Row *table, const Plane &plane, double lam, std::int64_t *active, std::int64_t n_active,
            double reach, W *w, std::int64_t block, SplitMix64 &random, Pulse &pulse) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<std::uint32_t> order = random_order(n_active, block, random);
    std::vector<std::uint8_t> leaves(static_cast<std::size_t>(n_active), 0);
    double gap = 0, gain = 0, drift = 0;
    std::int64_t known = 0, turns = 0, free = 0;
    std::size_t entries = 0;
    for (std::int64_t k = 0; k < n_active; ++k) {
        const std::int64_t i = active[order[k]];
        if (k + ahead < n_active) {
            const std::int64_t next = active[order[k + ahead]];
            rows.prefetch(next);
            PRAGAM_PREFETCH(table + next);
        }
        Row &row = table[i];
        const double a = row.alpha, q = row.q;
        double s = row.c + row.scale * rows.dot(i, w) - row.delta * a;
        if (with_plane) s = plane.slope(i, s, lam);
        pulse.beat(rows.length(i));
        entries += rows.length(i);
        const double change = s - row.slope;
        if (q > 0 && !std::isnan(change)) drift += change * change / q, ++known;
        const bool at_lower = a <= row.lower, at_upper = a >= row.upper;
        row.slope = s;
        if ((at_lower && s <= 0) || (at_upper && s >= 0)) {
            if (s * s > reach * q) leaves[order[k]] = 1, row.slope = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        gap += s * ((s > 0 ? row.upper : row.lower) - a);
        const double target = q > 0 ? a + s / q : (s > 0 ? inf : -inf);
        const double moved = std::min(std::max(target, row.lower), row.upper);
        const double step = moved - a;
        free += moved > row.lower && moved < row.upper;
        if (step == 0) continue;
        gain += step * (s - 0.5 * q * step);
        turns += at_lower || at_upper || moved <= row.lower || moved >= row.upper;
        row.alpha = moved;
        row.slope = s - q * step;
        rows.add_to(i, -step * row.scale / lam, w);
        if (with_plane) plane.move(i, step, lam);
    }
    std::int64_t stay = 0;
    for (std::int64_t k = 0; k < n_active; ++k)
        if (!leaves[std::size_t(k)]) active[stay++] = active[k];
    return {stay, gap, gain, known ? drift / double(known) : inf, turns, free, entries};
}

// One sweep, and further sweeps over the rows that stay active, since a separate call for few rows would cost more. The
// sweeps end after `most_entries` entries or `most_rows` rows, or when the gap is at most `goal`.
struct Batch {
    double kappa2, before, goal;
    std::int64_t entries, rows;
};

template <bool with_plane, class R, class W>
Answer sweeps(const R &rows, Row *table, const Plane &plane, double lam, std::int64_t *active, std::int64_t n_active,
              double reach, W *w, std::int64_t block, std::uint64_t seed, Batch batch) {
    SplitMix64 random{seed};
    Pulse pulse;
    double gain = 0;
    std::int64_t met = 0, entries = 0;
    for (;;) {
        const Swept swept = sweep<with_plane>(rows, table, plane, lam, active, n_active, reach, w, block, random, pulse);
        met += n_active;
        entries += std::int64_t(swept.entries);
        gain += swept.gain;
        if (entries >= batch.entries || met >= batch.rows || swept.stay == 0 || swept.gap <= batch.goal)
            return {swept.stay, swept.gap,    gain, swept.drift2, swept.turns,
                    swept.free, batch.before, met,  n_active};
        n_active = swept.stay;
        reach = batch.kappa2 * swept.drift2;
        batch.before = swept.gap;
    }
}

template <class W, class... Raw>
struct SweepOn {
    static Answer call(Raw... raw, Table table, PlaneTerms terms, double lam, Out<std::int64_t> active,
                       std::int64_t n_active, double reach, Out<W> w, Out<double> running, double bias, double rho,
                       double centre2, std::int64_t block, std::uint64_t seed, double kappa2, double before, double goal,
                       std::int64_t most_entries, std::int64_t most_rows) {
        const std::size_t n = table.shape(0);
        require(n_active >= 0 && std::size_t(n_active) <= active.size() && n < (std::size_t(1) << 32),
                "dcd_sweep: n_active must not exceed the length of active");
        require((terms.shape(0) == 0 || terms.shape(0) == n) && running.size() == 2,
                "dcd_sweep: the plane must have as many rows as the table or none, and running two entries");
        require(block >= 1, "dcd_sweep: a block must have at least one row");
        const auto rows = rows_of(n, w.size(), raw...);
        const Plane plane{terms.data(), running.data(), bias, rho, centre2};
        using R = std::decay_t<decltype(rows)>;
        const auto run = terms.shape(0) ? &sweeps<true, R, W> : &sweeps<false, R, W>;
        nb::gil_scoped_release release;
        return run(rows, reinterpret_cast<Row *>(table.data()), plane, lam, active.data(), n_active, reach, w.data(),
                   block, seed, {kappa2, before, goal, most_entries, most_rows});
    }
};

template <class... Raw>
using Sweep = SweepOn<double, Raw...>;
template <class... Raw>
using SweepSingle = SweepOn<float, Raw...>;

template <class... Args>
void bind_sweeps(nb::module_ &m, Args... args) {
    bind_all<Sweep>(m, "dcd_sweep_csr", "dcd_sweep_dense", "dcd_sweep_pattern", args...);
    bind_csr<SweepSingle>(m, "dcd_sweep_csr", args...);
}

}  // namespace

void bind_coordinate(nb::module_ &m) {
    bind_sweeps(m, array("table"), array("plane"), nb::arg("lam"), array("active"), nb::arg("n_active"),
                nb::arg("reach"), array("w"), array("running"), nb::arg("bias"), nb::arg("rho"), nb::arg("centre2"),
                nb::arg("block"), nb::arg("seed"), nb::arg("kappa2"), nb::arg("before"), nb::arg("goal"),
                nb::arg("most_entries"), nb::arg("most_rows"));
}

}  // namespace pragam
