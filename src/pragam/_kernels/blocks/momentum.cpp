// Momentum for block ascent. After a sweep, it steps to the maximum over the plane of the last two steps.
//
// F is the function that the sweeps maximise (sweep.cpp), H = -F'' and s = F'. A point, or a difference of two points,
// is one array: alpha (n K), the table of weights (d x width), then the residuals and the moments of the planes. The
// specification, with the formulas, is momentum.py.
#include <algorithm>
#include <vector>

#include "blocks/visit.hpp"
#include "common/plane_of_steps.hpp"

namespace pragam {
namespace {

// The sizes of the parts of a point: alpha, table, running.
struct Parts {
    std::int64_t alpha, table, running;

    std::int64_t length() const { return alpha + table + running; }
};

// The planes' part of <u, H v>, from residuals and moments.
double across(const BlockPlanes &planes, const double *u, const double *v) {
    const std::int64_t K = planes.count;
    double sum = 0;
    for (std::int64_t k = 0; k < K; ++k)
        sum += u[k] * v[K + k] + v[k] * u[K + k] + (planes.rho + planes.centre2 / planes.lam) * u[k] * v[k];
    return sum;
}

// p = now - before in all its parts, and the products <p, H p>, <p, H h>, <h, H h>.
Products take_step(Parts size, const BlockSet &blocks, const BlockPlanes &planes, const double *table,
                   const double *before, const double *h, double *p) {
    for (std::int64_t j = 0; j < size.alpha; ++j) p[j] = blocks.alpha[j] - before[j];
    const std::int64_t first = size.alpha;
    const Products all = subtract(size.table, table, before + first, h + first, p + first);
    const std::int64_t rest = size.alpha + size.table;
    for (std::int64_t k = 0; k < size.running; ++k) p[rest + k] = planes.residual[k] - before[rest + k];
    return {planes.lam * all.pp + across(planes, p + rest, p + rest),
            planes.lam * all.ph + across(planes, p + rest, h + rest),
            planes.lam * all.hh + across(planes, h + rest, h + rest)};
}

// Whether a block has left its set, by more than a sum may be rounded.
bool is_outside(const BlockSet &blocks, std::int64_t i) {
    const double *alpha = blocks.alpha + i * blocks.K, total = blocks.totals[i];
    double wrong = 0;
    for (std::int64_t k = 0; k < blocks.K; ++k) {
        if (alpha[k] < 0 || (blocks.shape == Shape::box && alpha[k] > total)) return true;
        if (blocks.sign && blocks.sign[i * blocks.K + k] > 0) wrong += alpha[k];
    }
    return blocks.shape == Shape::pairs && wrong > total * (1 + 1e-14);
}

// Put block i back into its set, which moves both the point and h by e. `past` has the residuals and moments of h, and
// neither multipliers nor c. Computes the exact change of F and of <s, h>.
Change put_back(const ExampleRows<double> &rows, std::int64_t i, BlockSet &blocks, BlockPlanes &planes, BlockPlanes &past, double lam,
                const WeightTable<double> &table, double *h_alpha, const WeightTable<double> &h_table, Visit &at,
                std::vector<double> &product, std::vector<double> &step, std::vector<std::int32_t> &labels) {
    const std::int64_t K = blocks.K;
    rows.products(i, table, product.data());
    find_slopes(at, blocks, planes, i, product.data());
    rows.products(i, h_table, product.data());
    std::copy_n(at.alpha.data(), K, at.target.data());
    project(at, blocks.shape, blocks.totals[i]);
    Change change{0, 0};
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < K; ++k) {
        const double e = at.target[std::size_t(k)] - at.alpha[std::size_t(k)];
        step[std::size_t(k)] = 0;
        if (e == 0) continue;
        const double sign = blocks.sign ? at.side[std::size_t(k)] : 1.0, s = at.slope[std::size_t(k)];
        double along = product[std::size_t(k)];
        if (past.count) along += past.offset[std::size_t(k)] + past.slant[std::size_t(k)] * planes.lift[i];
        change.gain += e * (s - 0.5 * blocks.q[i] * e);
        change.slope += e * (s + sign * along - blocks.q[i] * e);
        blocks.alpha[i * K + k] = at.target[std::size_t(k)];
        h_alpha[i * K + k] += e;
        step[std::size_t(k)] = -e * sign / lam;
        labels[std::size_t(count++)] = std::int32_t(k);
    }
    for (std::int64_t m = 0; planes.count && m < count; ++m) {
        const std::int64_t k = labels[std::size_t(m)];
        const double along = -step[std::size_t(k)] * lam;
        planes.move(k, along, planes.lift[i]), past.move(k, along, planes.lift[i]);
    }
    rows.move(i, step.data(), labels.data(), count, table);
    rows.move(i, step.data(), labels.data(), count, h_table);
    return change;
}

// Undo the step: back to before + p.
void retreat(Parts size, BlockSet &blocks, BlockPlanes &planes, const WeightTable<double> &table, const Points &points) {
    const double *before = points.before, *p = points.step;
    for (std::int64_t j = 0; j < size.alpha; ++j) blocks.alpha[j] = std::max(before[j] + p[j], 0.0);
    before += size.alpha, p += size.alpha;
    for (std::int64_t j = 0; j < size.table; ++j) table.data[j] = before[j] + p[j];
    before += size.table, p += size.table;
    for (std::int64_t k = 0; k < size.running; ++k) planes.residual[k] = before[k] + p[k];
}

Pushed push(const ExampleRows<double> &rows, Parts size, BlockSet blocks, BlockPlanes planes, double lam, WeightTable<double> table,
            const Points &points, const Ascent &ascent, const Limits &limits) {
    double *p = points.step, *h = points.history;
    if (!ascent.has_history) std::fill(h, h + size.length(), 0.0);
    const Products H = take_step(size, blocks, planes, table.data, points.before, h, p);
    const double g_p = ascent.gain - 0.5 * H.pp, g_h = ascent.slope - H.ph;
    const Step t = ascent.has_history ? highest(H, g_p, g_h, limits) : Step{0, 0};
    if (t.p == 0 && t.h == 0) {
        std::copy(p, p + size.length(), h);
        return {0.0, g_p, true};
    }
    Change total = over_plane(H, g_p, g_h, t);
    double *h_table = h + size.alpha, *h_running = h_table + size.table;
    advance(size.alpha, t, p, blocks.alpha, h);
    advance(size.table, t, p + size.alpha, table.data, h_table);
    advance(size.running, t, p + size.alpha + size.table, planes.residual, h_running);
    for (std::int64_t k = 0; k < planes.count; ++k) planes.refresh(k);
    std::vector<double> nothing(std::size_t(planes.count), 0.0);
    BlockPlanes past{nothing.data(), planes.lift, h_running, h_running + planes.count, planes.rho, planes.centre2, lam,
                     planes.count, nothing, nothing};
    for (std::int64_t k = 0; k < past.count; ++k) past.refresh(k);
    Visit at(blocks.K, table.width);
    std::vector<double> product(std::size_t(table.width)), step(std::size_t(table.width), 0.0);
    std::vector<std::int32_t> labels(std::size_t(table.width));
    std::int64_t out = 0;
    for (std::int64_t i = 0; i < blocks.n; ++i) {
        if (!is_outside(blocks, i)) continue;
        const Change change = put_back(rows, i, blocks, planes, past, lam, table, h, {h_table, table.width}, at,
                                       product, step, labels);
        total.gain += change.gain, total.slope += change.slope;
        ++out;
    }
    if (!(total.gain > 0)) {
        retreat(size, blocks, planes, table, points);
        std::copy(p, p + size.length(), h);
        return {0.0, g_p, true};
    }
    return {total.gain, total.slope, double(out) <= limits.clipped * double(blocks.n)};
}

template <class... Raw>
struct BlockPush {
    static Pushed call(Raw... raw, BlocksRecord blocks_record, BlockPlanesRecord planes_record, double lam,
                       TableArray<double> table, PointsRecord points, AscentRecord ascent, LimitsRecord limits) {
        const BlockSet blocks = blocks_of(blocks_record);
        const BlockPlanes planes = block_planes_of(planes_record, blocks, lam);
        const auto &[before, step, history] = points;
        const auto &[gain, slope, has_history] = ascent;
        const auto &[ridge, longest, clipped] = limits;
        require(table.shape(1) % lane_count == 0 && std::int64_t(table.shape(1)) >= blocks.K,
                "the rows of the table must be padded to a multiple of 8");
        const Parts size{blocks.n * blocks.K, std::int64_t(table.size()), 2 * planes.count};
        const std::size_t length = std::size_t(size.length());
        require(before.size() == length && step.size() == length && history.size() == length,
                "block_momentum: a point must have an entry for each variable, each of the table and all that is running");
        const auto rows = example_rows<double>(std::size_t(blocks.n), table.shape(0), raw...);
        nb::gil_scoped_release release;
        return push(*rows, size, blocks, planes, lam, {table.data(), std::int64_t(table.shape(1))},
                    {before.data(), step.data(), history.data()}, {gain, slope, has_history},
                    {ridge, longest, clipped});
    }
};

}  // namespace

void bind_blocks_momentum(nb::module_ &m) {
    bind_storages<BlockPush>(m, "block_momentum_csr", "block_momentum_dense", array("blocks"), array("planes"),
                             nb::arg("lam"), array("table"), array("points"), nb::arg("ascent"), nb::arg("limits"));
}

}  // namespace pragam
