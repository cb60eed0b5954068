// What every certificate rests on: float64 operations of IEEE 754, each rounded once, in the order of the source.
//
// CMakeLists.txt asks the compiler for this. If the compiler does not comply, the build must fail, and the package then
// installs the NumPy twins instead. No macro tells whether multiply and add are fused, so tests/kernels/test_builds.py
// compares bits.
#pragma once

#include <cfloat>
#include <limits>

#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "pragam needs IEEE arithmetic: build without -ffast-math, -Ofast, -funsafe-math-optimizations or /fp:fast"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "pragam needs NaN and infinity: build without -ffinite-math-only"
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#pragma fp_contract(off)
#endif

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53,
              "pragam needs IEEE 754 float64");
static_assert(FLT_EVAL_METHOD == 0,
              "pragam needs sums rounded to double, not kept in x87 registers: on 32-bit x86 build with -msse2 -mfpmath=sse");
