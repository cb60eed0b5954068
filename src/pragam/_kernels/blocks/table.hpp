// The weights of all labels, feature by feature: row j of the table holds w_1j .. w_Kj, padded with zeros to a multiple
// of eight. So the scores of all labels of an example take one pass over its row, and each feature is read in one place.
#pragma once

#include "common/lanes.hpp"
#include "common/storages.hpp"

namespace pragam {

template <class F>
struct WeightTable {
    F *data;
    std::int64_t width;  // a multiple of lane_count

    F *row(std::int64_t j) const { return data + j * width; }
};

// One row of X, whatever its storage.
template <class Values, class I>
struct SparseRow {
    Values data;
    const I *indices;
    std::int64_t length;

    double value(std::int64_t p) const { return double(data[p]); }
    std::int64_t column(std::int64_t p) const { return std::int64_t(indices[p]); }
};

template <class T>
struct DenseRow {
    const T *data;
    std::int64_t length, stride;

    double value(std::int64_t p) const { return double(data[p * stride]); }
    std::int64_t column(std::int64_t p) const { return p; }
};

template <class Values, class I>
SparseRow<Values, I> row_at(const CsrRows<Values, I> &rows, std::int64_t i) {
    return {rows.data + rows.indptr[i], rows.indices + rows.indptr[i], std::int64_t(rows.length(i))};
}

template <class T>
DenseRow<T> row_at(const DenseRows<T> &rows, std::int64_t i) {
    return {rows.data + i * rows.row_stride, rows.columns, rows.column_stride};
}

// out = sum over the row's entries x_j of x_j table_j, for the labels of `chunks` times eight columns. Two sets of sums,
// so that additions need not wait for each other.
template <int chunks, class Row, class F>
PRAGAM_INLINE void add_up(const Row &row, const F *table, std::int64_t width, F *out) {
    Lanes<F> even[chunks], odd[chunks];
    for (int c = 0; c < chunks; ++c) even[c] = Lanes<F>{}, odd[c] = Lanes<F>{};
    std::int64_t p = 0;
    for (; p + 2 <= row.length; p += 2) {
        const F x = F(row.value(p)), y = F(row.value(p + 1));
        const F *a = table + row.column(p) * width, *b = table + row.column(p + 1) * width;
        for (int c = 0; c < chunks; ++c) {
            even[c] = even[c] + lanes(a + c * lane_count) * x;
            odd[c] = odd[c] + lanes(b + c * lane_count) * y;
        }
    }
    if (p < row.length) {
        const F x = F(row.value(p)), *a = table + row.column(p) * width;
        for (int c = 0; c < chunks; ++c) even[c] = even[c] + lanes(a + c * lane_count) * x;
    }
    for (int c = 0; c < chunks; ++c) lanes(out + c * lane_count) = even[c] + odd[c];
}

// out (width) = the products of a row of X with the weights of all labels.
template <class Row, class F>
PRAGAM_VECTORISED static void products(const Row &row, const F *table, std::int64_t width, F *out) {
    std::int64_t k = 0;
    for (; k + 4 * lane_count <= width; k += 4 * lane_count) add_up<4>(row, table + k, width, out + k);
    switch ((width - k) / lane_count) {
        case 3: return add_up<3>(row, table + k, width, out + k);
        case 2: return add_up<2>(row, table + k, width, out + k);
        case 1: return add_up<1>(row, table + k, width, out + k);
        default: return;
    }
}

// table += x step' for all labels.
template <class Row, class F>
PRAGAM_VECTORISED static void add_all(const Row &row, const F *PRAGAM_RESTRICT step, F *PRAGAM_RESTRICT table,
                                      std::int64_t width) {
    for (std::int64_t p = 0; p < row.length; ++p) {
        const F x = F(row.value(p));
        F *to = table + row.column(p) * width;
        for (std::int64_t k = 0; k < width; k += lane_count) lanes(to + k) = lanes(to + k) + lanes(step + k) * x;
    }
}

// The same where only these labels move.
template <class Row, class F>
void add_some(const Row &row, const F *step, const std::int32_t *labels, std::int64_t count, F *table,
              std::int64_t width) {
    for (std::int64_t p = 0; p < row.length; ++p) {
        const F x = F(row.value(p));
        F *to = table + row.column(p) * width;
        for (std::int64_t m = 0; m < count; ++m) to[labels[m]] += step[labels[m]] * x;
    }
}

// Up to so many labels are moved one by one: a row of the table is then touched in fewer places than it has lanes.
constexpr std::int64_t few_labels = 3;

template <class Row, class F>
void move(const Row &row, const F *step, const std::int32_t *labels, std::int64_t count, const WeightTable<F> &table) {
    if (count <= few_labels) add_some(row, step, labels, count, table.data, table.width);
    else add_all(row, step, table.data, table.width);
}

}  // namespace pragam
