// A sweep in which the variables of one data row move together, by an exact joint step.
#pragma once

#include "coordinate/joint_step.hpp"
#include "coordinate/sweep.hpp"

namespace pragam {

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
            prefetch_line(variables.table + next);
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

}  // namespace pragam
