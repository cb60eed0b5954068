// The random number generator of the kernels and of their twins, which so visit rows in the same order.
#pragma once

#include <cstdint>

namespace pragam {

// Behind every shuffle and draw. Steele, Lea and Flood (2014); the state is one word.
struct SplitMix64 {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    // Uniform on 0 .. n-1 for n < 2^32, from the upper half of one draw.
    std::int64_t below(std::int64_t n) { return std::int64_t(((next() >> 32) * std::uint64_t(n)) >> 32); }
};

}  // namespace pragam
