// Rows of X as kernels walk them: CSR, with or without values, or dense; float32 or float64, int32 or int64 indices.
#pragma once

#include <algorithm>
#include <type_traits>

#include "common/kernel.hpp"
#include "common/prefetch.hpp"
#include "common/vectorised.hpp"

namespace pragam {

// `Values` is const T *, or Ones where there are none.
template <class Values, class I>
struct CsrRows {
    Values data;
    const I *indices;
    const std::int64_t *indptr;

    std::size_t length(std::int64_t i) const { return std::size_t(indptr[i + 1] - indptr[i]); }

    // The first cache lines of the row. The hardware prefetches the rest.
    void prefetch(std::int64_t i) const {
        const std::int64_t first = indptr[i], end = std::min(indptr[i + 1], first + 64);
        if constexpr (std::is_pointer_v<Values>)
            for (std::int64_t k = first; k < end; k += std::int64_t(64 / sizeof(*data))) prefetch_line(data + k);
        for (std::int64_t k = first; k < end; k += std::int64_t(64 / sizeof(I))) prefetch_line(indices + k);
    }

    template <class W>
    double dot(std::int64_t i, const W *w) const {
        std::int64_t k = indptr[i];
        const std::int64_t end = indptr[i + 1];
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; k + 4 <= end; k += 4) {
            s0 += double(data[k]) * double(w[indices[k]]);
            s1 += double(data[k + 1]) * double(w[indices[k + 1]]);
            s2 += double(data[k + 2]) * double(w[indices[k + 2]]);
            s3 += double(data[k + 3]) * double(w[indices[k + 3]]);
        }
        for (; k < end; ++k) s0 += double(data[k]) * double(w[indices[k]]);
        return (s0 + s1) + (s2 + s3);
    }

    template <class W>
    void add_to(std::int64_t i, double t, W *w) const {
        for (std::int64_t k = indptr[i], end = indptr[i + 1]; k < end; ++k)
            w[indices[k]] = W(double(w[indices[k]]) + t * double(data[k]));
    }
};

// <row, w>, in sixteen sums, folded into four for the rest.
template <class T>
PRAGAM_VECTORISED static double contiguous_dot(const T *PRAGAM_RESTRICT row, const double *PRAGAM_RESTRICT w,
                                               std::int64_t d) {
    constexpr int wide = 16;
    double s[wide] = {};
    std::int64_t j = 0;
    for (; j + wide <= d; j += wide)
        for (int k = 0; k < wide; ++k) s[k] += double(row[j + k]) * w[j + k];
    for (int half = wide / 2; half >= 4; half /= 2)
        for (int k = 0; k < half; ++k) s[k] += s[k + half];
    for (; j + 4 <= d; j += 4)
        for (int k = 0; k < 4; ++k) s[k] += double(row[j + k]) * w[j + k];
    for (; j < d; ++j) s[0] += double(row[j]) * w[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// w += t row.
template <class T>
PRAGAM_VECTORISED static void contiguous_add(const T *PRAGAM_RESTRICT row, double t, double *PRAGAM_RESTRICT w,
                                             std::int64_t d) {
    for (std::int64_t j = 0; j < d; ++j) w[j] += t * double(row[j]);
}

template <class T>
struct DenseRows {
    const T *data;
    std::int64_t columns, row_stride, column_stride;

    std::size_t length(std::int64_t) const { return std::size_t(columns); }

    void prefetch(std::int64_t i) const { prefetch_line(data + i * row_stride); }

    double dot(std::int64_t i, const double *w) const {
        const T *row = data + i * row_stride;
        if (column_stride == 1) return contiguous_dot(row, w, columns);
        double sum = 0;
        for (std::int64_t j = 0; j < columns; ++j) sum += double(row[j * column_stride]) * w[j];
        return sum;
    }

    void add_to(std::int64_t i, double t, double *w) const {
        const T *row = data + i * row_stride;
        if (column_stride == 1) return contiguous_add(row, t, w, columns);
        for (std::int64_t j = 0; j < columns; ++j) w[j] += t * double(row[j * column_stride]);
    }
};

}  // namespace pragam
