// Dual ascent over the examples of a model with a weight vector for each of K labels: randomised sweeps of exact steps.
//
//   maximise  <c, alpha> - sum_k |u_k - r_k m|^2 / (2 lam) + sum_k (b_k r_k - rho/2 r_k^2),    w_k = -u_k / lam,
//   u = A' alpha + tilt,    over alpha_i in a simplex, in the marginals of pairs or in a box.
//
// Without planes r = 0. On the planes, where r = 0, the vector m has no effect; off them it centres the rows. With lift_i
// = <x_i, m> and moment_k = <m, w_k> the slope of (i, k) is
//   s_ik = c_ik + sign_ik (<x_i, w_k> + b_k - rho r_k - moment_k + r_k (lift_i - |m|^2) / lam).
// All K curvatures of an example are equal, q_i, so its exact step is a projection: of alpha_i + s_i / q_i.
// Specification: block_sweep in sweep.py.
#include <cmath>
#include <vector>

#include "blocks/box_visit.hpp"
#include "coordinate/sweep.hpp"

namespace pragam {
namespace {

PRAGAM_VECTORISED static double dot_of(const double *a, const double *s, std::int64_t K) {
    double lane[lane_count] = {};
    std::int64_t j = 0;
    for (; j + lane_count <= K; j += lane_count)
        for (int k = 0; k < lane_count; ++k) lane[k] += a[j + k] * s[j + k];
    for (; j < K; ++j) lane[0] += a[j] * s[j];
    return sum_of(lane);
}

inline std::int64_t place_of_largest(const double *v, std::int64_t K) {
    std::int64_t place = 0;
    for (std::int64_t k = 1; k < K; ++k)
        if (v[k] > v[place]) place = k;
    return place;
}

// The largest entry but that at `place`.
inline double largest_beside(double *v, std::int64_t width, std::int64_t place) {
    const double kept = v[place];
    v[place] = minus_infinity;
    const double top = largest(v, width);
    v[place] = kept;
    return top;
}

// By how much a block prefers where it is. On a simplex: its main label to the others; it is held if all its mass is
// there.
void judge_simplex(Visit &at, double total) {
    const std::int64_t main = place_of_largest(at.alpha.data(), at.K);
    const double second = largest_beside(at.slope.data(), at.width, main), own = at.slope[std::size_t(main)];
    at.margin = own - second;
    at.gap = total * std::max(own, second) - dot_of(at.alpha.data(), at.slope.data(), at.K);
    at.held = at.alpha[std::size_t(main)] == total && at.margin >= 0;
}

// Of pairs: no pair to the best one, or the main pair, if it has all the mass, to the others and to none.
void judge_pairs(Visit &at, double total) {
    std::int64_t main[2] = {-1, -1};
    double top[2] = {minus_infinity, minus_infinity};
    for (std::int64_t k = 0; k < at.K; ++k) {
        const int side = at.side[std::size_t(k)] > 0 ? 0 : 1;
        top[side] = std::max(top[side], at.slope[std::size_t(k)]);
        if (main[side] < 0 || at.alpha[std::size_t(k)] > at.alpha[std::size_t(main[side])]) main[side] = k;
    }
    const double height = top[0] + top[1];
    at.gap = total * std::max(height, 0.0) - dot_of(at.alpha.data(), at.slope.data(), at.K);
    if (main[0] < 0 || main[1] < 0 || (at.alpha[std::size_t(main[0])] == 0 && at.alpha[std::size_t(main[1])] == 0)) {
        at.margin = -height;
        at.held = at.margin >= 0 || total == 0;
        return;
    }
    at.margin = height;
    bool is_vertex = true;
    for (std::int64_t k = 0; k < at.K; ++k) {
        const std::int64_t own = main[at.side[std::size_t(k)] > 0 ? 0 : 1];
        if (k == own) continue;
        at.margin = std::min(at.margin, at.slope[std::size_t(own)] - at.slope[std::size_t(k)]);
        is_vertex &= at.alpha[std::size_t(k)] == 0;
    }
    is_vertex &= at.alpha[std::size_t(main[0])] == total && at.alpha[std::size_t(main[1])] == total;
    at.held = is_vertex && at.margin >= 0;
}

// Of a box: the variable nearest to leaving its bound.
void judge_box(Visit &at, double total) {
    at.gap = 0, at.margin = std::numeric_limits<double>::infinity(), at.held = true;
    for (std::int64_t k = 0; k < at.K; ++k) {
        const double a = at.alpha[std::size_t(k)], s = at.slope[std::size_t(k)];
        at.gap += s > 0 ? s * (total - a) : -s * a;
        const bool held = (a <= 0 && s <= 0) || (a >= total && s >= 0);
        at.held &= held;
        at.margin = std::min(at.margin, held ? std::abs(s) : 0.0);
    }
}

void judge(Visit &at, Shape shape, double total) {
    if (shape == Shape::simplex) judge_simplex(at, total);
    else if (shape == Shape::pairs) judge_pairs(at, total);
    else judge_box(at, total);
}

struct Tally {
    double gap = 0, gain = 0, drift = 0;
    std::int64_t known = 0, turns = 0, free = 0;
    std::size_t entries = 0;
};

// Make the step from alpha to the target. Returns the labels that move, with their steps over -lam in `step`.
template <class F>
std::int64_t make_step(Visit &at, BlockSet &blocks, BlockPlanes &planes, double lam, std::int64_t i, F *step,
                       std::int32_t *labels, Tally &tally) {
    std::int64_t count = 0;
    const double q = blocks.q[i];
    bool turned = false, is_free = false;
    for (std::int64_t k = 0; k < at.K; ++k) {
        const double a = at.alpha[std::size_t(k)], moved = at.target[std::size_t(k)], change = moved - a;
        is_free |= moved > 0 && moved < blocks.totals[i];
        step[k] = F(0);
        if (change == 0) continue;
        turned |= (a == 0) != (moved == 0) || (a == blocks.totals[i]) != (moved == blocks.totals[i]);
        const double sign = blocks.sign ? at.side[std::size_t(k)] : 1.0;
        tally.gain += change * (at.slope[std::size_t(k)] - 0.5 * q * change);
        at.slope[std::size_t(k)] -= q * change;
        at.alpha[std::size_t(k)] = moved;
        blocks.alpha[i * at.K + k] = moved;
        step[k] = F(-change * sign / lam);
        labels[count++] = std::int32_t(k);
        if (planes.count) planes.move(k, change * sign, planes.lift[i]);
    }
    tally.turns += turned, tally.free += is_free;
    return count;
}

// What the visits of a sweep work with.
template <class F>
struct Bench {
    std::vector<F> product, step;
    std::vector<std::int32_t> labels;
    Visit any;
    BoxVisit box;

    Bench(std::int64_t K, std::int64_t width)
        : product(std::size_t(width)), step(std::size_t(width), F(0)), labels(std::size_t(width)), any(K, width),
          box(K, width) {}
};

// How far the margin of example i has moved since its last visit.
inline void note_margin(BlockSet &blocks, std::int64_t i, double margin, Tally &tally) {
    const double change = margin - blocks.margin[i], q = blocks.q[i];
    if (q > 0 && !std::isnan(change)) tally.drift += change * change / q, ++tally.known;
    blocks.margin[i] = margin;
}

// The exact step of example i. Returns whether it leaves the active ones.
template <class F>
bool visit(Bench<F> &bench, const ExampleRows<F> &rows, BlockSet &blocks, BlockPlanes &planes, double lam,
           const WeightTable<F> &table, double reach, std::int64_t i, Tally &tally) {
    Visit &at = bench.any;
    const double total = blocks.totals[i], q = blocks.q[i];
    find_slopes(at, blocks, planes, i, bench.product.data());
    judge(at, blocks.shape, total);
    note_margin(blocks, i, at.margin, tally);
    if (at.held) return at.margin * at.margin > reach * q;
    tally.gap += std::max(at.gap, 0.0);  // below 0 by rounding alone
    aim(at, blocks.shape, q, total);
    const std::int64_t count =
        make_step(at, blocks, planes, lam, i, bench.step.data(), bench.labels.data(), tally);
    if (!count) return false;
    rows.move(i, bench.step.data(), bench.labels.data(), count, table);
    judge(at, blocks.shape, total);
    blocks.margin[i] = at.margin;
    return false;
}

// The same on a box, where the block is curved.
template <class F>
bool visit_box(Bench<F> &bench, const ExampleRows<F> &rows, BlockSet &blocks, BlockPlanes &planes, double lam,
               const WeightTable<F> &table, double reach, std::int64_t i, Tally &tally) {
    BoxVisit &at = bench.box;
    const double total = blocks.totals[i], q = blocks.q[i];
    at.read(blocks, planes, i);
    look(at, bench.product.data(), total, 1 / q);
    note_margin(blocks, i, at.margin, tally);
    if (at.is_held) return at.margin * at.margin > reach * q;
    tally.gap += std::max(at.gap, 0.0);
    go(at, total, q, lam, bench.step.data());
    tally.gain += at.gain, tally.turns += at.is_turned, tally.free += at.is_free;
    if (!at.moved) return false;
    keep(at, blocks, planes, i, bench.labels.data());
    rows.move(i, bench.step.data(), bench.labels.data(), at.moved, table);
    blocks.margin[i] = at.margin;
    return false;
}

template <class F>
Tally sweep(const ExampleRows<F> &rows, BlockSet &blocks, BlockPlanes &planes, double lam, const WeightTable<F> &table,
            Visits &visits, SplitMix64 &random, Pulse &pulse) {
    std::int64_t *active = visits.active;
    const std::vector<std::uint32_t> order = random_order(visits.n_active, visits.block, random);
    std::vector<std::uint8_t> leaves(std::size_t(visits.n_active), 0);
    Bench<F> bench(blocks.K, table.width);
    Tally tally;
    for (std::int64_t k = 0; k < visits.n_active; ++k) {
        const std::int64_t i = active[order[k]];
        if (k + ahead < visits.n_active) {
            const std::int64_t next = active[order[k + ahead]];
            rows.prefetch(next);
            prefetch_line(blocks.alpha + next * blocks.K);
            prefetch_line(blocks.c + next * blocks.K);
        }
        rows.products(i, table, bench.product.data());
        const std::int64_t length = rows.length(i);
        pulse.beat(std::size_t(length * blocks.K));
        tally.entries += std::size_t(length);
        const bool is_box = blocks.shape == Shape::box && blocks.q[i] > 0 && std::isfinite(1 / blocks.q[i]);
        leaves[order[k]] = is_box ? visit_box(bench, rows, blocks, planes, lam, table, visits.reach, i, tally)
                                  : visit(bench, rows, blocks, planes, lam, table, visits.reach, i, tally);
    }
    std::int64_t stay = 0;
    for (std::int64_t k = 0; k < visits.n_active; ++k) {
        if (leaves[std::size_t(k)]) blocks.margin[active[k]] = std::numeric_limits<double>::quiet_NaN();
        else active[stay++] = active[k];
    }
    visits.n_active = stay;
    return tally;
}

// One sweep, and further ones over the blocks that stay, as in dcd_sweep, with a step of the multipliers between them.
struct BlockBatch {
    double caution2, before, goal;
    std::int64_t entries, rows;
};

using Answer = std::tuple<std::int64_t, double, double, double, std::int64_t, std::int64_t, double, std::int64_t,
                          std::int64_t>;

template <class F>
Answer sweeps(const ExampleRows<F> &rows, BlockSet &blocks, BlockPlanes &planes, double lam, const WeightTable<F> &table,
              Visits visits, std::uint64_t seed, BlockBatch batch) {
    SplitMix64 random{seed};
    Pulse pulse;
    double gain = 0;
    std::int64_t met = 0, entries = 0;
    for (;;) {
        const std::int64_t last = visits.n_active;
        const Tally tally = sweep(rows, blocks, planes, lam, table, visits, random, pulse);
        const double drift2 =
            tally.known ? tally.drift / double(tally.known) : std::numeric_limits<double>::infinity();
        met += last, entries += std::int64_t(tally.entries), gain += tally.gain;
        if (entries >= batch.entries || met >= batch.rows || visits.n_active == 0 ||
            tally.gap + planes.excess() <= batch.goal)
            return {visits.n_active, tally.gap, gain, drift2, tally.turns, tally.free, batch.before, met, last};
        visits.reach = batch.caution2 * drift2;
        batch.before = tally.gap;
        planes.ascend();
    }
}

using VisitsRecord = std::tuple<Out<std::int64_t>, std::int64_t, double, std::int64_t, std::uint64_t>;
using BatchRecord = std::tuple<double, double, double, std::int64_t, std::int64_t>;
template <class F, class... Raw>
struct BlockSweepOn {
    static Answer call(Raw... raw, BlocksRecord blocks_record, BlockPlanesRecord planes_record, double lam,
                       TableArray<F> table, VisitsRecord visits, BatchRecord batch) {
        BlockSet blocks = blocks_of(blocks_record);
        BlockPlanes planes = block_planes_of(planes_record, blocks, lam);
        const auto &[active, n_active, reach, block, seed] = visits;
        const auto &[caution2, before, goal, most_entries, most_rows] = batch;
        require(n_active >= 0 && std::size_t(n_active) <= active.size(),
                "block_sweep: n_active must not exceed the length of active");
        require(block >= 1, "block_sweep: at least one example is met together");
        require(table.shape(1) % lane_count == 0 && std::int64_t(table.shape(1)) >= blocks.K,
                "block_sweep: the rows of the table must be padded to a multiple of 8");
        for (std::int64_t k = 0; k < n_active; ++k)
            require(active.data()[k] >= 0 && active.data()[k] < blocks.n, "block_sweep: active must number examples");
        const auto rows = example_rows<F>(std::size_t(blocks.n), table.shape(0), raw...);
        nb::gil_scoped_release release;
        return sweeps<F>(*rows, blocks, planes, lam, WeightTable<F>{table.data(), std::int64_t(table.shape(1))},
                      {active.data(), n_active, reach, block}, seed,
                      {caution2, before, goal, most_entries, most_rows});
    }
};

template <class... Raw>
using BlockSweep = BlockSweepOn<double, Raw...>;
template <class... Raw>
using BlockSweepSingle = BlockSweepOn<float, Raw...>;

}  // namespace

void bind_blocks_sweep(nb::module_ &m) {
    const auto bind = [&](auto... args) {
        bind_storages<BlockSweep>(m, "block_sweep_csr", "block_sweep_dense", args...);
        bind_storages<BlockSweepSingle>(m, "block_sweep_csr", "block_sweep_dense", args...);
    };
    bind(array("blocks"), array("planes"), nb::arg("lam"), array("table"), array("visits"), nb::arg("batch"));
}

}  // namespace pragam
