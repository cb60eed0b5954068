// Rows of a CSR matrix (data, indices, indptr) for kernels that read all of it, and how they are bound. Values are float32
// or float64, indices int32 or int64, in place: float32 is widened entry by entry and every sum is accumulated in double.
#pragma once

#include <algorithm>

#include "common.hpp"

namespace pragam {

using std::int64_t;
using std::size_t;
using Indptr = In<int64_t>;

// Calls row(i, first, last) for every row i with its entries first..last-1, without the GIL.
template <class Row>
void each_row(const Indptr &indptr, Row row) {
    nb::gil_scoped_release free;
    constexpr int64_t batch = 64;  // rows between two beats: the pulse stays out of the inner loop
    const int64_t *ptr = indptr.data();
    const int64_t n = int64_t(indptr.shape(0)) - 1;
    Pulse pulse;
    for (int64_t start = 0; start < n; start += batch) {
        const int64_t stop = std::min(start + batch, n);
        for (int64_t i = start; i < stop; ++i) row(i, ptr[i], ptr[i + 1]);
        pulse.beat(size_t(ptr[stop] - ptr[start] + batch));
    }
}

inline void require_rows(const Indptr &indptr, size_t n) {
    require(indptr.shape(0) == n + 1, "indptr must be one longer than the vector over the rows");
}

// Calls bind(T{}, I{}) for every pair of types.
template <class Bind>
void for_csr_types(Bind bind) {
    bind(double{}, std::int32_t{});
    bind(double{}, std::int64_t{});
    bind(float{}, std::int32_t{});
    bind(float{}, std::int64_t{});
}

}  // namespace pragam
