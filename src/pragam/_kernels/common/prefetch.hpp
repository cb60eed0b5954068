// A hint to load a cache line before it is used.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define PRAGAM_PREFETCH(address) __builtin_prefetch(address)
#else
#define PRAGAM_PREFETCH(address)
#endif
