// For loops over plain arrays that the compiler should vectorise.
//
// A function marked PRAGAM_VECTORISED is compiled for AVX-512, for AVX2 and for the baseline, and the version is chosen at
// run time. All versions round alike. The source fixes the order of every sum, with its lanes written out, and the build
// neither reorders sums nor fuses multiply and add (CMakeLists.txt). So a result does not depend on the machine.
//
// Loops that gather or scatter through an index gain nothing from this. They are limited by loads, one per entry at any
// register width. They stay plain.
#pragma once

#include <cstddef>

#if defined(__GNUC__) || defined(__clang__) || defined(_MSC_VER)
#define PRAGAM_RESTRICT __restrict
#else
#define PRAGAM_RESTRICT
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(PRAGAM_SCALAR)
#define PRAGAM_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PRAGAM_VECTORISED
#endif

// For a loop that is written once and compiled into several functions marked PRAGAM_VECTORISED.
#if defined(__GNUC__) || defined(__clang__)
#define PRAGAM_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define PRAGAM_INLINE __forceinline
#else
#define PRAGAM_INLINE inline
#endif
