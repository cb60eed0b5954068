// Scores of all labels at once: sums of rows of the weight table, and the steps of Viterbi's recursion.
//
// The table has a row of `stride` numbers for each feature, one for each label, padded to whole lanes. Up to 32
// labels are kept in registers; more are done in tiles of 32.
#pragma once

#include <limits>
#include <type_traits>

#include "common/lanes.hpp"
#include "common/storages.hpp"

namespace pragam {

// The entries of row t, one by one: f(column, value).
template <class Values, class I, class F>
PRAGAM_INLINE void each_entry(const CsrRows<Values, I> &rows, std::int64_t t, const F &f) {
    for (std::int64_t k = rows.indptr[t], end = rows.indptr[t + 1]; k < end; ++k)
        f(std::int64_t(rows.indices[k]), rows.data[k]);
}

template <class T, class F>
PRAGAM_INLINE void each_entry(const DenseRows<T> &rows, std::int64_t t, const F &f) {
    const T *row = rows.data + t * rows.row_stride;
    for (std::int64_t j = 0; j < rows.columns; ++j) f(j, row[j * rows.column_stride]);
}

// out = sum over the entries of row t of value times the table's row, for 8 V labels.
template <int V, class R, class F>
PRAGAM_VECTORISED static void sum_rows(const R &rows, std::int64_t t, const F *table, std::int64_t stride, F *out) {
    Lanes<F> sum[V] = {};
    each_entry(rows, t, [&](std::int64_t column, auto value) {
        const F *row = table + column * stride;
        if constexpr (std::is_same_v<decltype(rows.data), Ones>)
            for (int v = 0; v < V; ++v) sum[v] = sum[v] + lanes(row + lane_count * v);
        else
            for (int v = 0; v < V; ++v) sum[v] = sum[v] + lanes(row + lane_count * v) * F(value);
    });
    for (int v = 0; v < V; ++v) lanes(out + lane_count * v) = sum[v];
}

// out_b += max over a < K of from_a + transitions_ab, for 8 V labels b.
template <int V, class F>
PRAGAM_VECTORISED static void add_best(const F *from, const F *transitions, std::int64_t K, std::int64_t stride, F *out) {
    Lanes<F> best[V];
    for (int v = 0; v < V; ++v) best[v] = lanes(transitions + lane_count * v) + from[0];
    for (std::int64_t a = 1; a < K; ++a) {
        const F *row = transitions + a * stride;
        for (int v = 0; v < V; ++v) keep_larger(best[v], Lanes<F>(lanes(row + lane_count * v) + from[a]));
    }
    for (int v = 0; v < V; ++v) lanes(out + lane_count * v) = lanes(out + lane_count * v) + best[v];
}

// The first label with the largest sum of both, over `stride` labels.
template <class F>
PRAGAM_VECTORISED static std::int64_t best_sum(const F *value, const F *step, std::int64_t stride) {
    Lanes<F> largest = lanes(value) + lanes(step);
    for (std::int64_t b = lane_count; b < stride; b += lane_count)
        keep_larger(largest, Lanes<F>(lanes(value + b) + lanes(step + b)));
    F most[lane_count];
    lanes(most) = largest;
    for (int k = 1; k < lane_count; ++k) most[0] = most[0] > most[k] ? most[0] : most[k];
    for (std::int64_t b = 0; b < stride; ++b)
        if (value[b] + step[b] == most[0]) return b;
    return 0;
}

// out += factor * cost.
template <class F>
PRAGAM_VECTORISED static void add_scaled(const F *cost, F factor, std::int64_t stride, F *out) {
    for (std::int64_t b = 0; b < stride; b += lane_count) lanes(out + b) = lanes(out + b) + lanes(cost + b) * factor;
}

// Calls f(tile, labels / 8) for tiles of at most 32 labels, f a template over the second.
template <class F>
PRAGAM_INLINE void each_tile(std::int64_t stride, const F &f) {
    std::int64_t at = 0;
    for (; at + 4 * lane_count <= stride; at += 4 * lane_count) f(at, std::integral_constant<int, 4>{});
    switch ((stride - at) / lane_count) {
        case 1: return f(at, std::integral_constant<int, 1>{});
        case 2: return f(at, std::integral_constant<int, 2>{});
        case 3: return f(at, std::integral_constant<int, 3>{});
    }
}

}  // namespace pragam
