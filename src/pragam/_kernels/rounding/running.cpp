// Products whose rounding is bounded while they are summed. A sum s_1, s_2, .. of terms has an error of at most u times
// the sum of the |s_k| (Higham 2002, section 3.3), and its terms are no larger than 2 times that sum. So one more sum
// beside the product bounds all of its rounding. A term of 0 rounds nothing, and is not counted.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/vectorised.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

// A sum, and the sum of the sizes of its partial sums.
struct Running {
    double value = 0, partial = 0;

    void add(double term) {
        value += term;
        partial += term != 0 ? std::abs(value) : 0.0;
    }
    void add(const Running &other) {
        add(other.value);
        partial += other.partial;
    }
};

// value = X w, and partial[i] sums the sizes of the partial sums of value[i].
template <class T, class I>
void csr_running_matvec(In<T> data, In<I> indices, Indptr indptr, In<double> w, Out<double> value, Out<double> partial,
                        int64_t threads) {
    require_rows(indptr, value.size());
    require(partial.size() == value.size(), "value and partial must have the same length");
    const auto row = [&, v = data.data(), index = indices.data(), in = w.data()](int64_t i, int64_t first,
                                                                                  int64_t last) {
        Running even, odd;  // two sums, whose operations overlap
        for (int64_t p = first; p + 1 < last; p += 2) {
            even.add(double(v[p]) * in[index[p]]);
            odd.add(double(v[p + 1]) * in[index[p + 1]]);
        }
        if ((last - first) % 2) even.add(double(v[last - 1]) * in[index[last - 1]]);
        even.add(odd);
        value.data()[i] = even.value;
        partial.data()[i] = even.partial;
    };
    each_row(indptr, row, threads);
}

// The same for X' alpha.
template <class T, class I>
void csr_running_rmatvec(In<T> data, In<I> indices, Indptr indptr, In<double> alpha, Out<double> value,
                         Out<double> partial) {
    require_rows(indptr, alpha.size());
    require(partial.size() == value.size(), "value and partial must have the same length");
    double *sum = value.data(), *sizes = partial.data();
    std::fill_n(sum, value.size(), 0.0);
    std::fill_n(sizes, value.size(), 0.0);
    const int64_t end = indptr.data()[alpha.size()];
    each_row(indptr, [&, v = data.data(), index = indices.data(), a = alpha.data()](int64_t i, int64_t first,
                                                                                     int64_t last) {
        if (a[i] == 0) return;
        for (int64_t p = first; p < last; ++p) {
            const I next = index[std::min(p + ahead, end - 1)], j = index[p];
            prefetch_line(sum + next);
            prefetch_line(sizes + next);
            const double term = double(v[p]) * a[i];
            sum[j] += term;
            sizes[j] += term != 0 ? std::abs(sum[j]) : 0.0;
        }
    });
}

// value[i] += w x[i step], and the size of the new value to partial[i].
template <class T>
PRAGAM_VECTORISED void add_column(const T *PRAGAM_RESTRICT x, int64_t step, double w, int64_t n,
                                  double *PRAGAM_RESTRICT value, double *PRAGAM_RESTRICT partial) {
    for (int64_t i = 0; i < n; ++i) {
        const double term = w * double(x[i * step]);
        value[i] += term;
        partial[i] += term != 0 ? std::abs(value[i]) : 0.0;
    }
}

// The same as the first for a dense X of any strides, read in the order of its memory: four rows at a time, whose
// operations overlap, or column by column within a band of rows.
template <class T>
void dense_running_matvec(Matrix<T> X, In<double> w, Out<double> value, Out<double> partial, int64_t threads) {
    require(X.shape(0) == value.size() && X.shape(1) == w.size(), "X, w and value must have matching sizes");
    require(partial.size() == value.size(), "value and partial must have the same length");
    nb::gil_scoped_release free;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    const bool by_row = std::abs(right) <= std::abs(down);
    const int64_t band = by_row ? 4 : 512;
    const double *in = w.data();
    std::fill_n(value.data(), n, 0.0);
    std::fill_n(partial.data(), n, 0.0);
    parallel_for((n + band - 1) / band, worthwhile(threads, n * d), [&](int64_t chunk, Pulse &pulse) {
        const int64_t first = chunk * band, count = std::min(band, n - first);
        const T *x = X.data() + first * down;
        if (by_row) {
            Running sums[4];
            for (int64_t j = 0; j < d; ++j)
                for (int64_t i = 0; i < count; ++i) sums[i].add(in[j] * double(x[i * down + j * right]));
            for (int64_t i = 0; i < count; ++i) {
                value.data()[first + i] = sums[i].value;
                partial.data()[first + i] = sums[i].partial;
            }
        } else {
            for (int64_t j = 0; j < d; ++j)
                if (in[j] != 0)
                    add_column(x + j * right, down, in[j], count, value.data() + first, partial.data() + first);
        }
        pulse.beat(size_t(2 * count * d));
    });
}

}  // namespace

void bind_rounding_running(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    bind_csr_types(m, "csr_running_matvec", &csr_running_matvec<double, std::int32_t>, [](const auto &...all) { return csr_running_matvec(all...); }, a("w"), a("value"), a("partial"), threads);
    bind_csr_types(m, "csr_running_rmatvec", &csr_running_rmatvec<double, std::int32_t>, [](const auto &...all) { return csr_running_rmatvec(all...); }, a("alpha"), a("value"), a("partial"));
    bind_dense_types(m, "dense_running_matvec", &dense_running_matvec<double>, [](const auto &...all) { return dense_running_matvec(all...); }, a("w"), a("value"), a("partial"), threads);
}

}  // namespace pragam
