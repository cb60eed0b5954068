// What every sweep of coordinate ascent needs: its order, what it tells, and the gap of a variable.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/random.hpp"
#include "coordinate/variables.hpp"

namespace pragam {

constexpr std::int64_t ahead = 4;  // how many rows early the next rows are fetched

inline void shuffle(std::uint32_t *first, std::int64_t n, SplitMix64 &random) {
    for (std::int64_t k = n - 1; k > 0; --k) std::swap(first[k], first[random.below(k + 1)]);
}

// 0 .. n-1 in blocks of neighbours, with the blocks in random order and each block shuffled.
inline std::vector<std::uint32_t> random_order(std::int64_t n, std::int64_t block_size, SplitMix64 &random) {
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
inline double gap_of(const Row &row, double s, double kappa) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double bound = s > 0 ? row.upper : row.lower;
    if (!(kappa > 0)) return s * (bound - row.alpha);
    const double target = row.alpha + s / kappa;
    const double t = (s > 0 ? std::min(target, bound) : std::max(target, bound)) - row.alpha;
    return std::abs(t) < inf ? t * (s - 0.5 * kappa * t) : inf;
}

}  // namespace pragam
