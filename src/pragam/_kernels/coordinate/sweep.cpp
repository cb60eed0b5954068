// Dual coordinate ascent over a box, with any number of planes: randomised sweeps.
//
//   maximise  <c, alpha> - 1/2 sum own_i alpha_i^2 - |A' alpha + tilt + R m|^2 / (2 lam) + sum_k (b_k r_k - rho/2 r_k^2)
//   over lower <= alpha <= upper, with A = diag(scale) X, w = -(A' alpha + tilt) / lam, the residuals r_k of the planes
//   and their sum R kept up to date.
//
// On the planes, where every r_k = 0, the vector m has no effect. Off the planes it centres the rows. With lift = A m
// and moment = <m, w> the slope of variable i, which lies on plane k, is
//   s_i = c_i + <a_i, w> - own_i alpha_i - lift_i R/lam + sigma_i (b_k - rho r_k - |m|^2 R/lam + moment),
// and the exact step is clip(alpha_i + s_i / q_i), where q_i is the curvature along variable i. own_i contains kappa_i,
// the curvature of g. Variables that share a row may move together, by an exact joint step. For CSR, w may be in single
// precision, so that more of it stays in a cache; with single rows it is, and so are the sums over a row. Everything
// else is double. Specification: dcd_sweep in sweep.py.
#include <type_traits>

#include "coordinate/joint_sweep.hpp"

namespace pragam {
namespace {

// n_active, gap, gain, drift2, turns, free, before, met, last.
using Answer = std::tuple<std::int64_t, double, double, double, std::int64_t, std::int64_t, double, std::int64_t,
                          std::int64_t>;

// Plain variables have a row each and no curvature of g: it is known here that nothing need be looked up for them.
template <bool with_planes, bool is_plain, class R, class W>
Swept sweep(const R &rows, const Variables &variables, Planes &planes, double lam, W *w, const Visits &visits,
            SplitMix64 &random, Pulse &pulse) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    std::int64_t *active = visits.active;
    const std::int64_t n_active = visits.n_active;
    const std::vector<std::uint32_t> order = random_order(n_active, visits.block, random);
    std::vector<std::uint8_t> leaves(static_cast<std::size_t>(n_active), 0);
    double gap = 0, gain = 0, drift = 0;
    std::int64_t known = 0, turns = 0, free = 0;
    std::size_t entries = 0;
    for (std::int64_t k = 0; k < n_active; ++k) {
        const std::int64_t i = active[order[k]], data_row = is_plain ? i : variables.row_of(i);
        if (k + ahead < n_active) {
            const std::int64_t next = active[order[k + ahead]];
            rows.prefetch(is_plain ? next : variables.row_of(next));
            prefetch_line(variables.table + next);
        }
        Row &row = variables.table[i];
        const double a = row.alpha, q = row.q;
        double s = row.c + row.scale * rows.dot(data_row, w) - row.own * a;
        if (with_planes) s = planes.slope(i, s, lam);
        pulse.beat(rows.length(data_row));
        entries += rows.length(data_row);
        const double change = s - row.slope;
        if (q > 0 && !std::isnan(change)) drift += change * change / q, ++known;
        const bool at_lower = a <= row.lower, at_upper = a >= row.upper;
        row.slope = s;
        if ((at_lower && s <= 0) || (at_upper && s >= 0)) {
            if (s * s > visits.reach * q) leaves[order[k]] = 1, row.slope = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        gap += gap_of(row, s, !is_plain && variables.kappa ? variables.kappa[i] : 0.0);
        const double target = q > 0 ? a + s / q : (s > 0 ? inf : -inf);
        const double moved = std::min(std::max(target, row.lower), row.upper);
        const double step = moved - a;
        free += moved > row.lower && moved < row.upper;
        if (step == 0) continue;
        gain += step * (s - 0.5 * q * step);
        turns += at_lower || at_upper || moved <= row.lower || moved >= row.upper;
        row.alpha = moved;
        row.slope = s - q * step;
        rows.add_to(data_row, -step * row.scale / lam, w);
        if (with_planes) planes.move(i, step, lam);
    }
    std::int64_t stay = 0;
    for (std::int64_t k = 0; k < n_active; ++k)
        if (!leaves[std::size_t(k)]) active[stay++] = active[k];
    return {stay, gap, gain, known ? drift / double(known) : inf, turns, free, entries};
}

// One sweep, and further sweeps over the variables that stay active, since a separate call for few of them would cost
// more. The sweeps end after `entries` entries or `rows` visits, or when the gap is at most `goal`.
struct Batch {
    double caution2, before, goal;
    std::int64_t entries, rows;
};

template <bool with_planes, class R, class W>
Answer sweeps(const R &rows, const Variables &variables, Planes planes, double lam, W *w, Visits visits,
              std::uint64_t seed, Batch batch) {
    SplitMix64 random{seed};
    Pulse pulse;
    double gain = 0;
    std::int64_t met = 0, entries = 0;
    for (;;) {
        const auto once = variables.joint      ? &sweep_rows<with_planes, R, W>
                          : variables.is_plain() ? &sweep<with_planes, true, R, W>
                                                 : &sweep<with_planes, false, R, W>;
        const Swept swept = once(rows, variables, planes, lam, w, visits, random, pulse);
        met += visits.n_active;
        entries += std::int64_t(swept.entries);
        gain += swept.gain;
        if (entries >= batch.entries || met >= batch.rows || swept.stay == 0 || swept.gap <= batch.goal)
            return {swept.stay, swept.gap,    gain, swept.drift2, swept.turns,
                    swept.free, batch.before, met,  visits.n_active};
        visits.n_active = swept.stay;
        visits.reach = batch.caution2 * swept.drift2;
        batch.before = swept.gap;
    }
}

using VisitsRecord = std::tuple<Out<std::int64_t>, std::int64_t, double, std::int64_t, std::uint64_t>;
using BatchRecord = std::tuple<double, double, double, std::int64_t, std::int64_t>;

template <class W, class... Raw>
struct SweepOn {
    static Answer call(Raw... raw, const VariablesRecord &variables_record, const PlanesRecord &planes_record,
                       double lam, Out<W> w, const VisitsRecord &visits, const BatchRecord &batch) {
        const Variables variables = variables_of(variables_record);
        const Planes planes = planes_of(planes_record, variables.n);
        const auto &[active, n_active, reach, block, seed] = visits;
        const auto &[caution2, before, goal, most_entries, most_rows] = batch;
        require(n_active >= 0 && std::size_t(n_active) <= active.size(),
                "dcd_sweep: n_active must not exceed the length of active");
        require(block >= 1, "dcd_sweep: a block must have at least one row");
        const Visits first{active.data(), n_active, reach, block};
        const Batch batch_of_sweeps{caution2, before, goal, most_entries, most_rows};
        const auto run = [&, seed = seed](const auto &rows) {
            using R = std::decay_t<decltype(rows)>;
            const auto sweeps_of = planes.count ? &sweeps<true, R, W> : &sweeps<false, R, W>;
            nb::gil_scoped_release release;
            return sweeps_of(rows, variables, planes, lam, w.data(), first, seed, batch_of_sweeps);
        };
        const std::size_t n = rows_to_read(variables, raw...);
        if constexpr (std::is_same_v<W, double>) return with_copies(n, w.size(), run, raw...);
        else return with_rows(n, w.size(), run, raw...);
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
    bind_single<SweepSingle>(m, "dcd_sweep_single", args...);
}

}  // namespace

void bind_coordinate_sweep(nb::module_ &m) {
    bind_sweeps(m, array("variables"), array("planes"), nb::arg("lam"), array("w"), array("visits"),
                nb::arg("batch"));
}

}  // namespace pragam
