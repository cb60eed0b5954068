// The product with a dense matrix of float32 or float64 values and any strides, the squared norms of its rows, and copies
// of some. float32 is widened entry by entry, and every sum is accumulated in double. Specification: dense.py.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/parallel.hpp"
#include "common/storages.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;
using std::size_t;

// sum over j of row[j step] w[j], in four sums.
template <class T>
inline double strided_dot(const T *row, int64_t step, const double *w, int64_t d) {
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

// The same for step = 1, for n rows: eight sums, folded into four for the rest.
template <class T>
PRAGAM_VECTORISED void dots(const T *PRAGAM_RESTRICT row, int64_t down, const double *PRAGAM_RESTRICT w, int64_t d,
                            double *PRAGAM_RESTRICT out, int64_t n) {
    for (int64_t i = 0; i < n; ++i, row += down) {
        double s[8] = {};
        int64_t j = 0;
        for (; j + 8 <= d; j += 8)
            for (int k = 0; k < 8; ++k) s[k] += double(row[j + k]) * w[j + k];
        for (int k = 0; k < 4; ++k) s[k] += s[k + 4];
        for (; j + 4 <= d; j += 4)
            for (int k = 0; k < 4; ++k) s[k] += double(row[j + k]) * w[j + k];
        for (; j < d; ++j) s[0] += double(row[j]) * w[j];
        out[i] = (s[0] + s[1]) + (s[2] + s[3]);
    }
}

// out[i] += sum over j of w[j] x[i step + j right], four columns for each visit of out. Short columns, which end before
// the processor has foreseen four of them, are taken one by one: 2.5 times faster with 54 rows, 1.4 times slower with 784.
template <class T>
PRAGAM_INLINE void columns_loop(const T *PRAGAM_RESTRICT x, int64_t step, int64_t right, const double *PRAGAM_RESTRICT w,
                                int64_t d, double *PRAGAM_RESTRICT out, int64_t n) {
    constexpr int64_t few = 256;
    int64_t j = 0;
    for (; n >= few && j + 4 <= d; j += 4, x += 4 * right) {
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

template <class T>
PRAGAM_VECTORISED void add_columns(const T *x, int64_t step, int64_t right, const double *w, int64_t d, double *out,
                                   int64_t n) {
    if (step == 1) return columns_loop(x, 1, right, w, d, out, n);  // known to the compiler: contiguous
    columns_loop(x, step, right, w, d, out, n);
}

// The rows of some memory order that are walked together: about this many entries, a thread's share at a time.
int64_t band_of(int64_t d) {
    constexpr int64_t entries = int64_t(1) << 16;
    return std::max<int64_t>(1, entries / std::max<int64_t>(d, 1));
}

// out = X w row by row; out is 0 before.
template <class T>
void by_rows(const Matrix<T> &X, const double *w, double *out, int64_t threads) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    const int64_t band = band_of(d);
    parallel_for((n + band - 1) / band, threads, [&](int64_t chunk, Pulse &pulse) {
        const int64_t first = chunk * band, last = std::min(first + band, n);
        if (right == 1) dots(X.data() + first * down, down, w, d, out + first, last - first);
        else
            for (int64_t i = first; i < last; ++i) out[i] = strided_dot(X.data() + i * down, right, w, d);
        pulse.beat(size_t((last - first) * d));
    });
}

// The same column by column, within bands of rows whose part of out stays in cache. Where these are too few to share,
// parts of the columns are summed separately, and added up in their order.
template <class T>
void by_columns(const Matrix<T> &X, const double *w, double *out, int64_t threads) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    constexpr int64_t band = 2048, enough = 16;
    const int64_t bands = (n + band - 1) / band, parts = bands < enough ? parts_of(n * d, n) : 1;
    const int64_t stride = n + 16;  // no two parts write to one cache line
    std::vector<double> others(static_cast<size_t>((parts - 1) * stride), 0.0);
    parallel_for(bands * parts, threads, [&](int64_t chunk, Pulse &pulse) {
        const int64_t part = chunk / bands, first = chunk % bands * band, count = std::min(band, n - first);
        const int64_t begin = d * part / parts, end = d * (part + 1) / parts;
        double *to = part == 0 ? out : others.data() + (part - 1) * stride;
        add_columns(X.data() + first * down + begin * right, down, right, w + begin, end - begin, to + first, count);
        pulse.beat(size_t(count * (end - begin)));
    });
    for (int64_t part = 1; part < parts; ++part)
        for (int64_t i = 0; i < n; ++i) out[i] += others[size_t((part - 1) * stride + i)];
}

// out = X w for a dense X of any strides, read in the order of its memory.
template <class T>
void dense_matvec(Matrix<T> X, In<double> w, Out<double> out, int64_t threads) {
    require(X.shape(0) == out.shape(0) && X.shape(1) == w.shape(0), "X, w and out must have matching sizes");
    nb::gil_scoped_release free;
    threads = worthwhile(threads, int64_t(X.size()));
    std::fill_n(out.data(), out.size(), 0.0);
    const bool is_by_row = std::abs(X.stride(1)) <= std::abs(X.stride(0));
    (is_by_row ? by_rows<T> : by_columns<T>)(X, w.data(), out.data(), threads);
}

// out[i] = sum over j of row_j^2, for n rows with step 1: eight sums.
template <class T>
PRAGAM_VECTORISED void row_squares(const T *PRAGAM_RESTRICT row, int64_t down, int64_t d, double *PRAGAM_RESTRICT out,
                                   int64_t n) {
    for (int64_t i = 0; i < n; ++i, row += down) {
        double s[8] = {};
        int64_t j = 0;
        for (; j + 8 <= d; j += 8)
            for (int k = 0; k < 8; ++k) s[k] += double(row[j + k]) * double(row[j + k]);
        for (; j < d; ++j) s[0] += double(row[j]) * double(row[j]);
        out[i] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    }
}

// out[i] += sum over j of x[i step + j right]^2.
template <class T>
PRAGAM_VECTORISED void add_column_squares(const T *PRAGAM_RESTRICT x, int64_t step, int64_t right, int64_t d,
                                          double *PRAGAM_RESTRICT out, int64_t n) {
    for (int64_t j = 0; j < d; ++j, x += right)
        for (int64_t i = 0; i < n; ++i) out[i] += double(x[i * step]) * double(x[i * step]);
}

// norms2[i] = sum over j of X_ij^2, read in the order of X's memory.
template <class T>
void dense_row_norms2(Matrix<T> X, Out<double> norms2, int64_t threads) {
    require(X.shape(0) == norms2.shape(0), "dense_row_norms2: norms2 must be as long as X has rows");
    nb::gil_scoped_release free;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    const int64_t band = right == 1 ? band_of(d) : 2048;
    std::fill_n(norms2.data(), n, 0.0);
    parallel_for((n + band - 1) / band, worthwhile(threads, n * d), [&](int64_t chunk, Pulse &pulse) {
        const int64_t first = chunk * band, count = std::min(band, n - first);
        const T *x = X.data() + first * down;
        if (right == 1) row_squares(x, down, d, norms2.data() + first, count);
        else add_column_squares(x, down, right, d, norms2.data() + first, count);
        pulse.beat(size_t(count * d));
    });
}

// out (k, d), flat in C order: the rows of X with the numbers `rows`, widened.
template <class T>
void dense_take(Matrix<T> X, In<int64_t> rows, Out<double> out, int64_t threads) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), count = int64_t(rows.size());
    require(out.size() == size_t(count * d), "dense_take: out must have a place for each entry of the rows");
    for (int64_t k = 0; k < count; ++k)
        require(rows.data()[k] >= 0 && rows.data()[k] < n, "dense_take: rows holds a number out of range");
    nb::gil_scoped_release free;
    const int64_t down = X.stride(0), right = X.stride(1), band = band_of(d);
    parallel_for((count + band - 1) / band, worthwhile(threads, count * d), [&](int64_t chunk, Pulse &pulse) {
        for (int64_t k = chunk * band; k < std::min((chunk + 1) * band, count); ++k) {
            const T *from = X.data() + rows.data()[k] * down;
            double *to = out.data() + k * d;
            if (right == 1) std::copy_n(from, d, to);
            else
                for (int64_t j = 0; j < d; ++j) to[j] = double(from[j * right]);
        }
        pulse.beat(size_t(band * d));
    });
}

// out (d, n) = X' for X (n, d), both flat in C order, by tiles that fit the first cache.
void transpose(In<double> X, int64_t n, Out<double> out, int64_t threads) {
    require(n >= 1 && X.size() % size_t(n) == 0 && out.size() == X.size(), "transpose: X and out must have matching sizes");
    nb::gil_scoped_release free;
    const int64_t d = int64_t(X.size()) / n;
    constexpr int64_t tile = 32;
    parallel_for((d + tile - 1) / tile, worthwhile(threads, n * d), [&](int64_t chunk, Pulse &pulse) {
        const int64_t from = chunk * tile, end = std::min(from + tile, d);
        for (int64_t first = 0; first < n; first += tile)
            for (int64_t j = from; j < end; ++j)
                for (int64_t i = first; i < std::min(first + tile, n); ++i) out.data()[j * n + i] = X.data()[i * d + j];
        pulse.beat(size_t(n * (end - from)));
    });
}

}  // namespace

void bind_products_dense(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    bind_dense_types(m, "dense_matvec", &dense_matvec<double>, [](const auto &...all) { return dense_matvec(all...); }, a("w"), a("out"), threads);
    bind_dense_types(m, "dense_row_norms2", &dense_row_norms2<double>, [](const auto &...all) { return dense_row_norms2(all...); }, a("norms2"), threads);
    bind_dense_types(m, "dense_take", &dense_take<double>, [](const auto &...all) { return dense_take(all...); }, a("rows"), a("out"), threads);
    m.def("transpose", &transpose, a("X"), nb::arg("n"), a("out"), threads);
}

}  // namespace pragam
