// Eight floats or doubles that are added, multiplied and compared together.
//
// GCC and Clang turn them into whatever vector registers the function may use (vectorised.hpp). Each operation rounds
// once, so the result is that of eight separate numbers on every machine.
#pragma once

#include <cstdint>

#include "common/vectorised.hpp"

namespace pragam {

constexpr std::int64_t lane_count = 8;

#if defined(__GNUC__) || defined(__clang__)
template <class F>
struct LanesOf;
template <>
struct LanesOf<float> {
    typedef float Type __attribute__((vector_size(32), aligned(4), may_alias));
};
template <>
struct LanesOf<double> {
    typedef double Type __attribute__((vector_size(64), aligned(8), may_alias));
};
#else
template <class F>
struct LanesOf {
    struct Type {
        F x[lane_count];

        friend Type operator+(Type a, const Type &b) {
            for (int k = 0; k < lane_count; ++k) a.x[k] += b.x[k];
            return a;
        }
        friend Type operator+(Type a, F b) {
            for (int k = 0; k < lane_count; ++k) a.x[k] += b;
            return a;
        }
        friend Type operator*(Type a, F b) {
            for (int k = 0; k < lane_count; ++k) a.x[k] *= b;
            return a;
        }
    };
};
#endif

template <class F>
using Lanes = typename LanesOf<F>::Type;

template <class F>
PRAGAM_INLINE Lanes<F> &lanes(F *x) {
    return *reinterpret_cast<Lanes<F> *>(x);
}

template <class F>
PRAGAM_INLINE const Lanes<F> &lanes(const F *x) {
    return *reinterpret_cast<const Lanes<F> *>(x);
}

template <class L>
PRAGAM_INLINE void keep_larger(L &a, const L &b) {
#if defined(__GNUC__) || defined(__clang__)
    a = a > b ? a : b;
#else
    for (int k = 0; k < lane_count; ++k) a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
#endif
}

}  // namespace pragam
