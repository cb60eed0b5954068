// Rows of a CSR matrix (data, indices, indptr) for kernels that read all of it. Values are float32 or float64, indices
// int32 or int64, used in place. float32 is widened entry by entry, and every sum is accumulated in double.
#pragma once

#include <algorithm>

#include "common/kernel.hpp"
#include "common/parallel.hpp"
#include "common/prefetch.hpp"
#include "common/storages.hpp"

namespace pragam {

using std::int64_t;
using std::size_t;

// A vector over the columns that is longer than this does not fit into the second cache (1 MB). Its entries are then
// fetched `ahead` entries of X before they are used: 2 times faster on text with a million words.
constexpr int64_t beyond_cache = int64_t(1) << 17, ahead = 64;

// Calls row(i, first, last) for every row i in [begin, end) with its entries first..last-1.
template <class Row>
void rows_between(const int64_t *indptr, int64_t begin, int64_t end, Pulse &pulse, const Row &row) {
    constexpr int64_t batch = 64;  // rows between two beats, so that the pulse stays out of the inner loop
    for (int64_t start = begin; start < end; start += batch) {
        const int64_t stop = std::min(start + batch, end);
        for (int64_t i = start; i < stop; ++i) row(i, indptr[i], indptr[i + 1]);
        pulse.beat(size_t(indptr[stop] - indptr[start] + batch));
    }
}

// The same for every row, without the GIL. On several threads, each row must write only to its own memory.
template <class Row>
void each_row(const Indptr &indptr, const Row &row, int64_t threads = 1) {
    nb::gil_scoped_release free;
    const int64_t *ptr = indptr.data(), n = int64_t(indptr.shape(0)) - 1;
    threads = worthwhile(threads, n > 0 ? ptr[n] : 0);
    const int64_t chunks = threads == 1 ? 1 : 16 * threads;  // small enough to share evenly
    parallel_for(chunks, threads, [&](int64_t chunk, Pulse &pulse) {
        rows_between(ptr, n * chunk / chunks, n * (chunk + 1) / chunks, pulse, row);
    });
}

inline void require_rows(const Indptr &indptr, size_t n) {
    require(indptr.shape(0) == n + 1, "indptr must be one longer than the vector over the rows");
}

}  // namespace pragam
