// The order of a sweep: random, but with neighbours in memory together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/random.hpp"

namespace pragam {

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

}  // namespace pragam
