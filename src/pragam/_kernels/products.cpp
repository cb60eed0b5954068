// Products with a data matrix X, its checks and its norms. Values are float32 or float64, indices int32 or
// int64, in place: float32 is widened entry by entry and every sum is accumulated in double. Only csr_check
// distrusts the indices; the other kernels rely on it having passed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "common.hpp"

#if defined(__GNUC__) || defined(__clang__) || defined(_MSC_VER)
#define PRAGAM_RESTRICT __restrict
#else
#define PRAGAM_RESTRICT
#endif

namespace pragam {
namespace {

using std::int64_t;
using std::size_t;

template <class T>
using Strided = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using InBlock = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutBlock = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
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

void require_rows(const Indptr &indptr, size_t n) {
    require(indptr.shape(0) == n + 1, "indptr must be one longer than the vector over the rows");
}

// sum over p of data[p] w[indices[p]], in four independent sums so that gathers overlap.
template <class T, class I>
inline double gathered_dot(const T *PRAGAM_RESTRICT data, const I *PRAGAM_RESTRICT indices,
                           const double *PRAGAM_RESTRICT w, int64_t first, int64_t last) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t p = first;
    for (; p + 4 <= last; p += 4) {
        s0 += double(data[p]) * w[indices[p]];
        s1 += double(data[p + 1]) * w[indices[p + 1]];
        s2 += double(data[p + 2]) * w[indices[p + 2]];
        s3 += double(data[p + 3]) * w[indices[p + 3]];
    }
    for (; p < last; ++p) s0 += double(data[p]) * w[indices[p]];
    return (s0 + s1) + (s2 + s3);
}

// out = diag(scale) X w; no scale means ones.
template <class T, class I>
void csr_matvec(In<T> data, In<I> indices, Indptr indptr, In<double> scale, In<double> w, Out<double> out) {
    require_rows(indptr, out.shape(0));
    require(!scale.is_valid() || scale.shape(0) == out.shape(0), "scale must be as long as out");
    const T *v = data.data();
    const I *index = indices.data();
    const double *s = scale.is_valid() ? scale.data() : nullptr, *in = w.data();
    double *result = out.data();
    each_row(indptr, [=](int64_t i, int64_t first, int64_t last) {
        const double dot = gathered_dot(v, index, in, first, last);
        result[i] = s ? s[i] * dot : dot;
    });
}

// out = X' (scale * alpha); no scale means ones.
template <class T, class I>
void csr_rmatvec(In<T> data, In<I> indices, Indptr indptr, In<double> scale, In<double> alpha,
                 Out<double> out) {
    require_rows(indptr, alpha.shape(0));
    require(!scale.is_valid() || scale.shape(0) == alpha.shape(0), "scale must be as long as alpha");
    const T *PRAGAM_RESTRICT v = data.data();
    const I *PRAGAM_RESTRICT index = indices.data();
    const double *s = scale.is_valid() ? scale.data() : nullptr, *in = alpha.data();
    double *PRAGAM_RESTRICT result = out.data();
    std::fill_n(result, out.shape(0), 0.0);
    each_row(indptr, [=](int64_t i, int64_t first, int64_t last) {
        const double a = s ? s[i] * in[i] : in[i];
        if (a == 0) return;  // most dual variables are 0 near the optimum
        for (int64_t p = first; p < last; ++p) result[index[p]] += a * double(v[p]);
    });
}

// out = X W with W (columns of X, K): one pass over X for all K.
template <class T, class I>
void csr_matmat(In<T> data, In<I> indices, Indptr indptr, InBlock W, OutBlock out) {
    require_rows(indptr, out.shape(0));
    require(W.shape(1) == out.shape(1), "W and out must have as many columns");
    const size_t K = W.shape(1);
    std::fill_n(out.data(), out.size(), 0.0);
    each_row(indptr, [&, K](int64_t i, int64_t first, int64_t last) {
        double *PRAGAM_RESTRICT to = out.data() + size_t(i) * K;
        for (int64_t p = first; p < last; ++p) {
            const double x = data.data()[p];
            const double *PRAGAM_RESTRICT from = W.data() + size_t(indices.data()[p]) * K;
            for (size_t k = 0; k < K; ++k) to[k] += x * from[k];
        }
    });
}

// out = X' B with B (rows of X, K).
template <class T, class I>
void csr_rmatmat(In<T> data, In<I> indices, Indptr indptr, InBlock B, OutBlock out) {
    require_rows(indptr, B.shape(0));
    require(B.shape(1) == out.shape(1), "B and out must have as many columns");
    const size_t K = B.shape(1);
    std::fill_n(out.data(), out.size(), 0.0);
    each_row(indptr, [&, K](int64_t i, int64_t first, int64_t last) {
        const double *PRAGAM_RESTRICT from = B.data() + size_t(i) * K;
        if (std::all_of(from, from + K, [](double b) { return b == 0; })) return;
        for (int64_t p = first; p < last; ++p) {
            const double x = data.data()[p];
            double *PRAGAM_RESTRICT to = out.data() + size_t(indices.data()[p]) * K;
            for (size_t k = 0; k < K; ++k) to[k] += x * from[k];
        }
    });
}

// Calls visit(i, j, x) once for every row i and stored column j with x the sum of its entries: repeated
// columns, possible only in a row whose indices do not strictly increase, are added up in a workspace first
// (their later visits then see x = 0).
template <class T, class I, class Visit>
void each_summed_entry(const In<T> &data, const In<I> &indices, const Indptr &indptr, size_t n_columns,
                       Visit visit) {
    const T *v = data.data();
    const I *index = indices.data();
    std::vector<double> sums;
    each_row(indptr, [&](int64_t i, int64_t first, int64_t last) {
        bool increasing = true;
        for (int64_t p = first + 1; p < last; ++p) increasing &= index[p - 1] < index[p];
        if (increasing) {
            for (int64_t p = first; p < last; ++p) visit(i, index[p], double(v[p]));
            return;
        }
        if (sums.empty()) sums.assign(n_columns, 0.0);
        for (int64_t p = first; p < last; ++p) sums[index[p]] += v[p];
        for (int64_t p = first; p < last; ++p) {
            visit(i, index[p], sums[index[p]]);
            sums[index[p]] = 0;
        }
    });
}

// rows[i] = sum_j X_ij^2.
template <class T, class I>
void csr_row_norms2(In<T> data, In<I> indices, Indptr indptr, size_t n_columns, Out<double> rows) {
    require_rows(indptr, rows.shape(0));
    double *result = rows.data();
    std::fill_n(result, rows.shape(0), 0.0);
    each_summed_entry(data, indices, indptr, n_columns,
                      [=](int64_t i, I, double x) { result[i] += x * x; });
}

// columns[j] = sum_i X_ij^2.
template <class T, class I>
void csr_column_norms2(In<T> data, In<I> indices, Indptr indptr, Out<double> columns) {
    double *result = columns.data();
    std::fill_n(result, columns.shape(0), 0.0);
    each_summed_entry(data, indices, indptr, columns.shape(0),
                      [=](int64_t, I j, double x) { result[j] += x * x; });
}

// Sums of the stored |X_ij| by row and by column (repeated entries separately: an upper bound of |X|'s).
template <class T, class I>
void csr_abs_sums(In<T> data, In<I> indices, Indptr indptr, Out<double> rows, Out<double> columns) {
    require_rows(indptr, rows.shape(0));
    const T *v = data.data();
    const I *index = indices.data();
    double *by_row = rows.data(), *by_column = columns.data();
    std::fill_n(by_column, columns.shape(0), 0.0);
    each_row(indptr, [=](int64_t i, int64_t first, int64_t last) {
        double sum = 0;
        for (int64_t p = first; p < last; ++p) {
            const double x = std::abs(double(v[p]));
            sum += x;
            by_column[index[p]] += x;
        }
        by_row[i] = sum;
    });
}

// What csr_check found; the Python side words it.
enum Fault : int { none = 0, start = 1, decreasing = 2, end = 3, index_range = 4, not_finite = 5 };

// (fault, row, position) of the first fault, or (none, 0, 0): indptr starts at 0, does not decrease and ends
// within the entries; then, entry by entry, 0 <= index < n_columns and the value is finite.
template <class T, class I>
nb::tuple csr_check(In<T> data, In<I> indices, Indptr indptr, int64_t n_columns) {
    const int64_t *ptr = indptr.data();
    const int64_t n = int64_t(indptr.shape(0)) - 1;
    if (n < 0 || ptr[0] != 0) return nb::make_tuple(int(start), 0, 0);
    for (int64_t i = 0; i < n; ++i)
        if (ptr[i + 1] < ptr[i]) return nb::make_tuple(int(decreasing), i, ptr[i + 1]);
    if (ptr[n] > int64_t(std::min(data.shape(0), indices.shape(0))))
        return nb::make_tuple(int(end), n, ptr[n]);
    Fault fault = none;
    int64_t row = 0, position = 0;
    each_row(indptr, [&](int64_t i, int64_t first, int64_t last) {
        for (int64_t p = first; p < last && fault == none; ++p) {
            const int64_t j = int64_t(indices.data()[p]);
            const bool in_range = 0 <= j && j < n_columns;
            if (in_range && std::isfinite(data.data()[p])) continue;
            fault = in_range ? not_finite : index_range;
            row = i;
            position = p;
        }
    });
    return nb::make_tuple(int(fault), row, position);
}

// sum over j of row[j step] w[j], in four sums. An inlined constant step = 1 lets the compiler vectorise.
template <class T>
inline double strided_dot(const T *row, int64_t step, const double *PRAGAM_RESTRICT w, int64_t d) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t j = 0;
    for (; j + 4 <= d; j += 4, row += 4 * step) {
        s0 += double(row[0]) * w[j];
        s1 += double(row[step]) * w[j + 1];
        s2 += double(row[2 * step]) * w[j + 2];
        s3 += double(row[3 * step]) * w[j + 3];
    }
    for (; j < d; ++j, row += step) s0 += double(*row) * w[j];
    return (s0 + s1) + (s2 + s3);
}

// out[i] += sum over j of w[j] x[i step + j right], four columns for each visit of out.
template <class T>
inline void add_columns(const T *PRAGAM_RESTRICT x, int64_t step, int64_t right,
                        const double *PRAGAM_RESTRICT w, int64_t d, double *PRAGAM_RESTRICT out, int64_t n) {
    int64_t j = 0;
    for (; j + 4 <= d; j += 4, x += 4 * right) {
        const T *x1 = x + right, *x2 = x1 + right, *x3 = x2 + right;
        const double w0 = w[j], w1 = w[j + 1], w2 = w[j + 2], w3 = w[j + 3];
        for (int64_t i = 0; i < n; ++i) {
            const int64_t p = i * step;
            out[i] += (w0 * double(x[p]) + w1 * double(x1[p])) + (w2 * double(x2[p]) + w3 * double(x3[p]));
        }
    }
    for (; j < d; ++j, x += right)
        for (int64_t i = 0; i < n; ++i) out[i] += w[j] * double(x[i * step]);
}

// out = X w for a dense X of any strides, read in the order of its memory: row by row, or column by column
// within bands of rows whose part of out stays in cache.
template <class T>
void dense_matvec(Strided<T> X, In<double> w, Out<double> out) {
    require(X.shape(0) == out.shape(0) && X.shape(1) == w.shape(0), "X, w and out must have matching sizes");
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    const bool by_row = std::abs(right) <= std::abs(down);
    const int64_t band = by_row ? 1 : 2048;
    const T *x = X.data();
    const double *in = w.data();
    double *result = out.data();
    nb::gil_scoped_release free;
    Pulse pulse;
    std::fill_n(result, n, 0.0);
    for (int64_t first = 0; first < n; first += band) {
        const T *start = x + first * down;
        const int64_t count = std::min(band, n - first);
        if (by_row && right == 1) result[first] = strided_dot(start, 1, in, d);
        else if (by_row) result[first] = strided_dot(start, right, in, d);
        else if (down == 1) add_columns(start, 1, right, in, d, result + first, count);
        else add_columns(start, down, right, in, d, result + first, count);
        pulse.beat(size_t(count * d));
    }
}

template <class T, class I>
void bind_csr(nb::module_ &m) {
    const auto data = nb::arg("data").noconvert();
    const auto indices = nb::arg("indices").noconvert();
    const auto indptr = nb::arg("indptr").noconvert();
    const auto scale = nb::arg("scale").noconvert().none();
    const auto out = nb::arg("out").noconvert();
    const auto rows = nb::arg("rows").noconvert(), columns = nb::arg("columns").noconvert();
    m.def("csr_matvec", &csr_matvec<T, I>, data, indices, indptr, scale, nb::arg("w").noconvert(), out);
    m.def("csr_rmatvec", &csr_rmatvec<T, I>, data, indices, indptr, scale, nb::arg("alpha").noconvert(), out);
    m.def("csr_matmat", &csr_matmat<T, I>, data, indices, indptr, nb::arg("W").noconvert(), out);
    m.def("csr_rmatmat", &csr_rmatmat<T, I>, data, indices, indptr, nb::arg("B").noconvert(), out);
    m.def("csr_row_norms2", &csr_row_norms2<T, I>, data, indices, indptr, nb::arg("n_columns"), rows);
    m.def("csr_column_norms2", &csr_column_norms2<T, I>, data, indices, indptr, columns);
    m.def("csr_abs_sums", &csr_abs_sums<T, I>, data, indices, indptr, rows, columns);
    m.def("csr_check", &csr_check<T, I>, data, indices, indptr, nb::arg("n_columns"));
}

template <class T>
void bind_values(nb::module_ &m) {
    bind_csr<T, std::int32_t>(m);
    bind_csr<T, std::int64_t>(m);
    m.def("dense_matvec", &dense_matvec<T>, nb::arg("X").noconvert(), nb::arg("w").noconvert(),
          nb::arg("out").noconvert());
}

}  // namespace

void bind_products(nb::module_ &m) {
    bind_values<double>(m);
    bind_values<float>(m);
}

}  // namespace pragam
