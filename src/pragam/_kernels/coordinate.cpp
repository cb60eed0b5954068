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
// precision, so that more of it stays in a cache. Everything else is double. Specification: dcd_sweep in
// twins/coordinate.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "coordinate.hpp"
#include "joint_step.hpp"

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

// Which variables a sweep meets, and in which order.
struct Visits {
    std::int64_t *active;
    std::int64_t n_active;
    double reach;
    std::int64_t block;
};

// How much the maximum of s t - kappa/2 t^2 over the steps t that the box allows exceeds no step.
double gap_of(const Row &row, double s, double kappa) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double bound = s > 0 ? row.upper : row.lower;
    if (!(kappa > 0)) return s * (bound - row.alpha);
    const double target = row.alpha + s / kappa;
    const double t = (s > 0 ? std::min(target, bound) : std::max(target, bound)) - row.alpha;
    return std::abs(t) < inf ? t * (s - 0.5 * kappa * t) : inf;
}

template <bool with_planes, class R, class W>
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
        const std::int64_t i = active[order[k]], data_row = variables.row_of(i);
        if (k + ahead < n_active) {
            const std::int64_t next = active[order[k + ahead]];
            rows.prefetch(variables.row_of(next));
            PRAGAM_PREFETCH(variables.table + next);
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
        gap += gap_of(row, s, variables.kappa ? variables.kappa[i] : 0.0);
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

// The active variables that read one row, as neighbours do.
struct Together {
    const std::int64_t *variable;
    std::int64_t count;
    std::vector<Part> parts;
    double p;  // the curvature along their common direction, which the first one's q has beside its own
};

// Their slopes, by one product with the row. Returns whether any of them can move; the others are held at a bound.
template <bool with_planes>
bool meet(Together &row, double product, const Variables &variables, const Planes &planes, double lam, Swept &swept,
          std::int64_t &known) {
    bool can_move = false;
    row.parts.clear();
    for (std::int64_t k = 0; k < row.count; ++k) {
        const std::int64_t i = row.variable[k];
        Row &here = variables.table[i];
        double s = here.c + here.scale * product - here.own * here.alpha;
        if (with_planes) s = planes.slope(i, s, lam);
        const double change = s - here.slope;
        if (here.q > 0 && !std::isnan(change)) swept.drift2 += change * change / here.q, ++known;
        here.slope = s;
        const double d = here.own + (with_planes ? planes.alone(i) : 0.0);
        row.parts.push_back({s, d, here.scale, here.lower - here.alpha, here.upper - here.alpha});
        if (row.parts.back().is_held()) continue;
        can_move = true;
        swept.gap += gap_of(here, s, variables.kappa ? variables.kappa[i] : 0.0);
    }
    const Part &first = row.parts.front();
    row.p = std::max(variables.table[row.variable[0]].q - first.d, 0.0) / (first.u * first.u);
    return can_move;
}

// Make the steps of the parts. Returns their sum along the common direction.
template <bool with_planes>
double make_steps(const Together &row, const Variables &variables, Planes &planes, double lam, Swept &swept) {
    double along = 0;
    for (std::int64_t k = 0; k < row.count; ++k) {
        const Part &part = row.parts[std::size_t(k)];
        Row &here = variables.table[row.variable[k]];
        const double before = here.alpha;
        here.alpha = part.t <= part.lower ? here.lower : part.t >= part.upper ? here.upper : before + part.t;
        const double step = here.alpha - before;
        const bool is_free = here.alpha > here.lower && here.alpha < here.upper;
        swept.free += is_free;
        if (step == 0) continue;
        swept.turns += !(is_free && part.lower < 0 && part.upper > 0);
        swept.gain += step * (part.s - 0.5 * part.d * step);
        here.slope -= part.d * step;
        along += step * part.u;
        if (with_planes) planes.move(row.variable[k], step, lam);
    }
    for (std::int64_t k = 0; k < row.count; ++k)
        variables.table[row.variable[k]].slope -= row.parts[std::size_t(k)].u * row.p * along;
    swept.gain -= 0.5 * row.p * along * along;
    return along;
}

// As sweep, but the neighbours among the active variables that read one row are met together and move together.
template <bool with_planes, class R, class W>
Swept sweep_rows(const R &rows, const Variables &variables, Planes &planes, double lam, W *w, const Visits &visits,
                 SplitMix64 &random, Pulse &pulse) {
    std::int64_t *active = visits.active, known = 0;
    std::vector<std::int64_t> starts;
    for (std::int64_t k = 0; k < visits.n_active; ++k)
        if (k == 0 || variables.number[active[k]] != variables.number[active[k - 1]]) starts.push_back(k);
    const std::int64_t n_rows = std::int64_t(starts.size());
    starts.push_back(visits.n_active);
    const std::vector<std::uint32_t> order = random_order(n_rows, visits.block, random);
    std::vector<std::uint8_t> leaves(static_cast<std::size_t>(visits.n_active), 0);
    Together row{};
    Swept swept{};
    for (std::int64_t k = 0; k < n_rows; ++k) {
        if (k + ahead < n_rows) {
            const std::int64_t next = active[starts[order[k + ahead]]];
            rows.prefetch(variables.number[next]);
            PRAGAM_PREFETCH(variables.table + next);
        }
        const std::int64_t first = starts[order[k]], data_row = variables.number[active[first]];
        row.variable = active + first, row.count = starts[order[k] + 1] - first;
        pulse.beat(rows.length(data_row));
        swept.entries += rows.length(data_row);
        if (meet<with_planes>(row, rows.dot(data_row, w), variables, planes, lam, swept, known)) {
            maximise_jointly(row.parts.data(), row.parts.size(), row.p);
            const double along = make_steps<with_planes>(row, variables, planes, lam, swept);
            if (along != 0) rows.add_to(data_row, -along / lam, w);
        }
        for (std::int64_t j = 0; j < row.count; ++j) {
            const Part &part = row.parts[std::size_t(j)];
            const double q = variables.table[row.variable[j]].q;
            leaves[std::size_t(first + j)] = part.t == 0 && part.is_held() && part.s * part.s > visits.reach * q;
        }
    }
    for (std::int64_t k = 0; k < visits.n_active; ++k) {
        if (leaves[std::size_t(k)]) variables.table[active[k]].slope = std::numeric_limits<double>::quiet_NaN();
        else active[swept.stay++] = active[k];
    }
    swept.drift2 = known ? swept.drift2 / double(known) : std::numeric_limits<double>::infinity();
    return swept;
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
        const auto once = variables.joint ? &sweep_rows<with_planes, R, W> : &sweep<with_planes, R, W>;
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
        const auto rows = rows_read(variables, w.size(), raw...);
        using R = std::decay_t<decltype(rows)>;
        const auto run = planes.count ? &sweeps<true, R, W> : &sweeps<false, R, W>;
        nb::gil_scoped_release release;
        return run(rows, variables, planes, lam, w.data(), {active.data(), n_active, reach, block}, seed,
                   {caution2, before, goal, most_entries, most_rows});
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
    bind_sweeps(m, array("variables"), array("planes"), nb::arg("lam"), array("w"), array("visits"),
                nb::arg("batch"));
}

}  // namespace pragam
