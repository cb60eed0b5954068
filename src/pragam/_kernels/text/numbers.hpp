// The bytes of a text, and its numbers. The text ends in a newline, so no loop over digits or blanks needs an end.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "common/kernel.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace pragam {

using Byte = unsigned char;

inline bool digit(Byte c) { return Byte(c - '0') < 10; }
inline bool blank(Byte c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
inline bool stops(Byte c) { return c == '\n' || c == '#' || blank(c); }

// Any decimal, correctly rounded. Python's own conversion is the portable one, and it also tells
// underflow (a good zero) from overflow (infinity), which from_chars reports alike.
inline double decimal(const Byte *first, const Byte *last) {
#if defined(__cpp_lib_to_chars)
    const char *begin = reinterpret_cast<const char *>(first) + (*first == '+');
    double value;
    if (std::from_chars(begin, reinterpret_cast<const char *>(last), value).ec == std::errc()) return value;
#endif
    const std::string text(first, last);
    nb::gil_scoped_acquire gil;
    const double result = PyOS_string_to_double(text.c_str(), nullptr, nullptr);
    if (result == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return result;
}

// [sign] digits [. digits] [e [sign] digits], moving p past it. False if the text has another form.
// A mantissa below 2^53 and a power of ten up to 10^22 are doubles, so one operation rounds correctly.
inline bool number(const Byte *&p, double &value) {
    static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const Byte *const first = p;
    const bool negative = *p == '-';
    p += negative || *p == '+';
    std::uint64_t mantissa = 0;  // exact while there are at most 19 digits
    const Byte *mark = p;
    for (; digit(*p); ++p) mantissa = 10 * mantissa + Byte(*p - '0');
    std::ptrdiff_t digits = p - mark, exponent = 0;
    if (*p == '.') {
        mark = ++p;
        for (; digit(*p); ++p) mantissa = 10 * mantissa + Byte(*p - '0');
        exponent = mark - p;
        digits -= exponent;
    }
    if (digits == 0) return false;
    if ((*p | 0x20) == 'e') {
        ++p;
        const bool down = *p == '-';
        p += down || *p == '+';
        if (!digit(*p)) return false;
        std::ptrdiff_t e = 0;
        for (; digit(*p); ++p) e = std::min<std::ptrdiff_t>(10 * e + (*p - '0'), 1000000);
        exponent += down ? -e : e;
    }
    const bool exact = digits <= 19 && mantissa <= (std::uint64_t(1) << 53) && exponent >= -22 && exponent <= 22;
    if (exact) {
        const double m = static_cast<double>(mantissa);
        const double magnitude = exponent < 0 ? m / tens[-exponent] : m * tens[exponent];
        value = negative ? -magnitude : magnitude;
        return true;
    }
    value = decimal(first, p);
    return std::isfinite(value);
}

// How often a byte occurs. Counts of one byte each, while they suffice, take a quarter of the time of std::count.
inline std::size_t count(const Byte *text, std::size_t size, Byte wanted) {
    constexpr std::size_t lanes = 16, batch = 255 * lanes;
    std::size_t found = 0;
    for (std::size_t begin = 0; begin < size; begin += batch) {
        const std::size_t last = std::min(begin + batch, size), even = begin + (last - begin) / lanes * lanes;
        Byte counts[lanes] = {};
        for (std::size_t i = begin; i < even; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) counts[k] = Byte(counts[k] + (text[i + k] == wanted));
        for (const Byte each : counts) found += each;
        for (std::size_t i = even; i < last; ++i) found += text[i] == wanted;
    }
    return found;
}

// The number of zeros below the lowest one of a number other than 0.
inline int trailing_zeros(std::uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long place;
    _BitScanForward64(&place, bits);
    return int(place);
#else
    return __builtin_ctzll(bits);
#endif
}

// Digits, moving p past them. More than 19 digits after the leading zeros give the largest integer.
inline bool whole(const Byte *&p, std::uint64_t &value) {
    const Byte *const first = p;
    while (*p == '0') ++p;
    const Byte *const leading = p;
    for (value = 0; digit(*p); ++p) value = 10 * value + Byte(*p - '0');
    if (p - leading > 19) value = std::numeric_limits<std::uint64_t>::max();
    return p != first;
}

// Up to seven digits before a colon, moving p to the colon. False, and nothing is moved, if something else is there.
// How many digits there are is hard to predict, so it is not asked by a branch: an entry of one-hot rows then takes two
// thirds of the time. `p` has eight bytes.
inline bool short_index(const Byte *&p, std::uint64_t &value) {
#if defined(_MSC_VER) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    std::uint64_t bytes;
    std::memcpy(&bytes, p, 8);
    bytes ^= 0x3030303030303030;                                                  // digits are 0 to 9 now
    const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    if (others == 0) return false;
    const int bits = trailing_zeros(others) & ~7;  // of the digits, of which no carry came
    if (bits == 0 || p[bits / 8] != ':') return false;
    bytes <<= 64 - bits;              // zeros lead; then pairs of digits are joined, pairs of these, and both of those
    bytes = bytes * 10 + (bytes >> 8);
    value = ((bytes & 0x000000FF000000FF) * 0x000F424000000064 +
             ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >> 32;
    p += bits / 8;
    return true;
#else
    return false;
#endif
}

}  // namespace pragam
