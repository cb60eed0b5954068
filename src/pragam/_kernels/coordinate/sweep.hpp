// What every sweep of coordinate ascent needs: what it tells, and the gap of a variable.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/random_order.hpp"
#include "coordinate/variables.hpp"

namespace pragam {

constexpr std::int64_t ahead = 4;  // how many rows early the next rows are fetched

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
inline double gap_of(const Row &row, double s, double kappa) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double bound = s > 0 ? row.upper : row.lower;
    if (!(kappa > 0)) return s * (bound - row.alpha);
    const double target = row.alpha + s / kappa;
    const double t = (s > 0 ? std::min(target, bound) : std::max(target, bound)) - row.alpha;
    return std::abs(t) < inf ? t * (s - 0.5 * kappa * t) : inf;
}

}  // namespace pragam
