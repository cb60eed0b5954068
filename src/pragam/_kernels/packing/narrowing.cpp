// Numbers in fewer bytes. Specification: narrowing.py.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "common/storages.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

// So many numbers are looked at together, without a branch, before what does not fit ends the work.
constexpr std::size_t batch = 1024;

template <class T>
PRAGAM_INLINE bool same_bits(T one, T other) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits first, second;
    std::memcpy(&first, &one, sizeof(T));
    std::memcpy(&second, &other, sizeof(T));
    return first == second;
}

// Stores the number, or a 0, and says whether it fits.
template <class From, class To>
PRAGAM_INLINE bool fits(From value, To &out) {
    if constexpr (std::is_floating_point_v<To>) {
        out = static_cast<To>(value);
        const bool is_low = std::fabs(value) < From(std::numeric_limits<To>::min());
        return same_bits(From(out), value) & (!is_low | (value == 0));
    } else if constexpr (std::is_floating_point_v<From>) {
        const bool inside = (value >= 0) & (value <= From(std::numeric_limits<To>::max()));
        out = static_cast<To>(static_cast<std::int32_t>(inside ? value : From(0)));
        return same_bits(From(out), value);
    } else {
        out = static_cast<To>(value);
        return From(out) == value;
    }
}

template <class From, class To>
PRAGAM_INLINE bool all_fit(const From *PRAGAM_RESTRICT values, To *PRAGAM_RESTRICT out, std::size_t n) {
    for (std::size_t begin = 0; begin < n; begin += batch) {
        const std::size_t end = std::min(begin + batch, n);
        int wrong = 0;
        for (std::size_t i = begin; i < end; ++i) wrong |= !fits(values[i], out[i]);
        if (wrong) return false;
    }
    return true;
}

// Of all text, which is float32 where that is exact; wider registers take a third of the time.
PRAGAM_VECTORISED
bool all_fit_single(const double *values, float *out, std::size_t n) { return all_fit(values, out, n); }

bool narrowed(AnyVector values, AnyOut out) {
    require(values.size() == out.size(), "narrowed: out must be as long as values");
    return with_type<float, double, std::int32_t, std::int64_t>(values, [&](const auto *from) {
        using From = std::decay_t<decltype(*from)>;
        const auto fill = [&](auto *to) {
            nb::gil_scoped_release release;
            return all_fit(from, to, values.size());
        };
        if (out.dtype() == nb::dtype<std::uint8_t>()) return fill(static_cast<std::uint8_t *>(out.data()));
        if (out.dtype() == nb::dtype<std::uint16_t>()) return fill(static_cast<std::uint16_t *>(out.data()));
        if constexpr (std::is_same_v<From, double>)
            if (out.dtype() == nb::dtype<float>()) {
                nb::gil_scoped_release release;
                return all_fit_single(from, static_cast<float *>(out.data()), values.size());
            }
        throw wrong_type();
    });
}

}  // namespace

void bind_packing_narrowing(nb::module_ &m) { m.def("narrowed", &narrowed, array("values"), array("out")); }

}  // namespace pragam
