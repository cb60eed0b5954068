// A hint to load a cache line before it is used.
#pragma once

namespace pragam {

// The empty statement is what keeps it. GCC takes a function that does nothing but prefetch for one without effect and
// drops its calls: sweeps over 24 MB of rows, whose function for a row was such a one, then took 1.6 times as long.
inline void prefetch_line(const void *address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
    __asm__ volatile("");
#else
    static_cast<void>(address);
#endif
}

}  // namespace pragam
