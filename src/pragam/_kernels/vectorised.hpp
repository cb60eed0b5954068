// For loops over plain arrays that the compiler should vectorise. Include it first.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// Nobody traps floating-point exceptions here; as long as GCC thinks so it vectorises no comparison.
// Values, NaN and infinities included, are not affected.
#pragma GCC optimize("no-trapping-math")
#define PRAGAM_RESTRICT __restrict
#else
#define PRAGAM_RESTRICT
#endif

#include <cstddef>

// AVX2 where the machine that runs has it. (Not AVX-512: it fuses multiply and add, and rounding would differ.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define PRAGAM_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define PRAGAM_VECTORISED
#endif
