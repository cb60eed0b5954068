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

// The rows of X from the raw arrays that Python passes, for n rows and d columns.
template <class T, class I>
CsrRows<const T *, I> rows_of(std::size_t n, std::size_t, const In<T> &data, const In<I> &indices,
                      const In<std::int64_t> &indptr) {
    require(indptr.size() == n + 1, "indptr must have one entry more than there are rows");
    return {data.data(), indices.data(), indptr.data()};
}

inline CsrRows<Ones, std::uint16_t> rows_of(std::size_t n, std::size_t, const PatternIndices &indices,
                                            const In<std::int64_t> &indptr) {
    require(indptr.size() == n + 1, "indptr must have one entry more than there are rows");
    return {{}, indices.data(), indptr.data()};
}

template <class T>
DenseRows<T> rows_of(std::size_t n, std::size_t d, const Matrix<T> &X) {
    require(X.shape(0) == n && X.shape(1) == d, "X must have a row for each dual variable, a column for each weight");
    return {X.data(), std::int64_t(d), X.stride(0), X.stride(1)};
}

// How many rows the raw arrays hold.
template <class T, class I>
std::size_t number_of_rows(const In<T> &, const In<I> &, const In<std::int64_t> &indptr) {
    return indptr.size() ? indptr.size() - 1 : 0;
}

inline std::size_t number_of_rows(const PatternIndices &, const In<std::int64_t> &indptr) {
    return indptr.size() ? indptr.size() - 1 : 0;
}

template <class T>
std::size_t number_of_rows(const Matrix<T> &X) {
    return X.shape(0);
}

// Registers Kernel<raw arrays ...>::call for every storage, as NAME_csr and NAME_dense. `args` describe the arguments
// that follow the raw arrays. No array is ever converted: a copy of w or alpha would lose the update.
template <class>
auto raw() {
    return nb::arg().noconvert();
}

template <template <class...> class Kernel, class... Raw, class... Args>
void bind_storage(nb::module_ &m, const char *name, Args... args) {
    m.def(name, &Kernel<Raw...>::call, raw<Raw>()..., args...);
}

template <template <class...> class Kernel, class... Args>
void bind_csr(nb::module_ &m, const char *name, Args... args) {
    using Indptr = In<std::int64_t>;
    bind_storage<Kernel, In<float>, In<std::int32_t>, Indptr>(m, name, args...);
    bind_storage<Kernel, In<float>, In<std::int64_t>, Indptr>(m, name, args...);
    bind_storage<Kernel, In<double>, In<std::int32_t>, Indptr>(m, name, args...);
    bind_storage<Kernel, In<double>, In<std::int64_t>, Indptr>(m, name, args...);
}

template <template <class...> class Kernel, class... Args>
void bind_storages(nb::module_ &m, const char *csr, const char *dense, Args... args) {
    bind_csr<Kernel>(m, csr, args...);
    bind_storage<Kernel, Matrix<float>>(m, dense, args...);
    bind_storage<Kernel, Matrix<double>>(m, dense, args...);
}

// An array argument of this name, never converted.
inline auto array(const char *name) { return nb::arg(name).noconvert(); }

}  // namespace pragam
