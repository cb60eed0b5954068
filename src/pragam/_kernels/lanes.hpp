// Eight floats that are added, multiplied and compared together.
//
// GCC and Clang turn them into whatever vector registers the function may use (vectorised.hpp). Each operation rounds
// once, so the result is that of eight separate floats on every machine.
#pragma once

#include <cstdint>

#include "vectorised.hpp"

namespace pragam {

constexpr std::int64_t lane_count = 8;

#if defined(__GNUC__) || defined(__clang__)
typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));

PRAGAM_INLINE void keep_larger(Lanes &a, const Lanes &b) { a = a > b ? a : b; }
#else
struct Lanes {
    float x[lane_count];
};

PRAGAM_INLINE Lanes operator+(Lanes a, const Lanes &b) {
    for (int k = 0; k < lane_count; ++k) a.x[k] += b.x[k];
    return a;
}

PRAGAM_INLINE Lanes operator*(Lanes a, float b) {
    for (int k = 0; k < lane_count; ++k) a.x[k] *= b;
    return a;
}

PRAGAM_INLINE Lanes operator+(Lanes a, float b) {
    for (int k = 0; k < lane_count; ++k) a.x[k] += b;
    return a;
}

PRAGAM_INLINE void keep_larger(Lanes &a, const Lanes &b) {
    for (int k = 0; k < lane_count; ++k) a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
}
#endif

PRAGAM_INLINE Lanes &lanes(float *x) { return *reinterpret_cast<Lanes *>(x); }
PRAGAM_INLINE const Lanes &lanes(const float *x) { return *reinterpret_cast<const Lanes *>(x); }

}  // namespace pragam
