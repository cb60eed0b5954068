// Sums of outer products of the rows of a sparse matrix, as in a Hessian. Specification: outer.py.
#include <algorithm>
#include <vector>

#include "common/vectorised.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

// gram += weight x x' for the entries begin .. end-1 of one row x, whose indices strictly increase, with all from them on:
// in the upper triangle of a row-major d x d matrix. Four rows of it at a time, for which an index is read once.
template <class Values, class I>
void add_sorted_outer(Values x, const I *indices, int64_t length, int64_t begin, int64_t end, double weight, int64_t d,
                      double *gram) {
    constexpr int64_t wide = 4;
    int64_t p = begin;
    for (; p + wide <= end; p += wide) {
        double *row[wide], v[wide];
        for (int64_t k = 0; k < wide; ++k) {
            row[k] = gram + int64_t(indices[p + k]) * d;
            v[k] = weight * double(x[p + k]);
        }
        for (int64_t q = 0; q < wide; ++q)  // independent bounds, so that the loops unroll
            for (int64_t k = 0; k < wide; ++k)
                if (k <= q) row[k][indices[p + q]] += v[k] * double(x[p + q]);
        for (int64_t q = p + wide; q < length; ++q)
            for (int64_t k = 0; k < wide; ++k) row[k][indices[q]] += v[k] * double(x[q]);
    }
    for (; p < end; ++p) {
        double *row = gram + int64_t(indices[p]) * d;
        const double v = weight * double(x[p]);
        for (int64_t q = p; q < length; ++q) row[indices[q]] += v * double(x[q]);
    }
}

// The same for entries in any order. A pair may belong below the diagonal, or be the same index twice. Only the rows
// begin .. end-1 of gram are written.
template <class Values, class I>
void add_outer(Values x, const I *indices, int64_t length, double weight, int64_t d, double *gram, int64_t begin,
               int64_t end) {
    bool sorted = true;
    for (int64_t p = 1; p < length; ++p) sorted &= indices[p - 1] < indices[p];
    if (sorted) {
        const auto place = [=](int64_t j) { return std::lower_bound(indices, indices + length, j) - indices; };
        const int64_t first = begin > 0 ? place(begin) : 0, last = end < d ? place(end) : length;
        return add_sorted_outer(x, indices, length, first, last, weight, d, gram);
    }
    for (int64_t p = 0; p < length; ++p) {
        const int64_t i = indices[p];
        const double v = weight * double(x[p]);
        for (int64_t q = 0; q < p; ++q) {
            const int64_t j = indices[q], low = std::min(i, j);
            if (low < begin || low >= end) continue;
            gram[low * d + std::max(i, j)] += (i == j ? 2.0 : 1.0) * v * double(x[q]);
        }
        if (i >= begin && i < end) gram[i * d + i] += v * double(x[p]);
    }
}

// The same for a row that is written out, zeros and all.
PRAGAM_VECTORISED void add_written_outer(const double *PRAGAM_RESTRICT x, double weight, int64_t d,
                                         double *PRAGAM_RESTRICT gram, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        if (x[i] == 0) continue;
        const double v = weight * x[i];
        for (int64_t j = i; j < d; ++j) gram[i * d + j] += v * x[j];
    }
}

constexpr int64_t dense_enough = 3;  // a row with an entry in one of this many columns is cheaper as dense

// gram += sum over k of weights_k x_i x_i', i = rows_k. Each thread has its own rows of gram, so every entry is summed
// in the order of the rows of X.
template <class Values, class I>
void gram_add(Values x, const I *indices, const Indptr &indptr, const In<int64_t> &rows, const In<double> &weights,
              int64_t d, const Out<double> &gram, int64_t threads) {
    require(rows.size() == weights.size(), "csr_gram_add, pattern_gram_add: rows and weights must have one length");
    require(gram.size() == size_t(d) * size_t(d), "csr_gram_add, pattern_gram_add: gram must be d x d");
    const int64_t n = int64_t(indptr.size()) - 1, *ptr = indptr.data(), *number = rows.data();
    int64_t pairs = 0;
    for (size_t k = 0; k < rows.size(); ++k) {
        require(number[k] >= 0 && number[k] < n, "csr_gram_add, pattern_gram_add: rows holds a number out of range");
        const int64_t length = ptr[number[k] + 1] - ptr[number[k]];
        pairs += length * length / 2;
    }
    nb::gil_scoped_release release;
    threads = worthwhile(threads, pairs);
    const int64_t chunks = threads == 1 ? 1 : 8 * threads;
    parallel_for(chunks, threads, [&](int64_t chunk, Pulse &pulse) {
        const int64_t begin = d * chunk / chunks, end = d * (chunk + 1) / chunks;
        std::vector<double> written(static_cast<size_t>(d), 0.0);
        for (size_t k = 0; k < rows.size(); ++k) {
            const int64_t first = ptr[number[k]], last = ptr[number[k] + 1], length = last - first;
            if (dense_enough * length >= d) {
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] += double(x[p]);
                add_written_outer(written.data(), weights.data()[k], d, gram.data(), begin, end);
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] = 0.0;
            } else {
                add_outer(x + first, indices + first, length, weights.data()[k], d, gram.data(), begin, end);
            }
            pulse.beat(size_t(length * length / chunks + length));
        }
    });
}

template <class T, class I>
void csr_gram_add(In<T> data, In<I> indices, Indptr indptr, In<int64_t> rows, In<double> weights, int64_t d,
                  Out<double> gram, int64_t threads) {
    gram_add(data.data(), indices.data(), indptr, rows, weights, d, gram, threads);
}

void pattern_gram_add(PatternIndices indices, Indptr indptr, In<int64_t> rows, In<double> weights, int64_t d,
                      Out<double> gram, int64_t threads) {
    gram_add(Ones{}, indices.data(), indptr, rows, weights, d, gram, threads);
}

}  // namespace

void bind_products_outer(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    for_csr_types([&](auto value, auto index) {
        m.def("csr_gram_add", &csr_gram_add<decltype(value), decltype(index)>, a("data"), a("indices"), a("indptr"),
              a("rows"), a("weights"), nb::arg("d"), a("gram"), nb::arg("threads") = 1);
    });
    m.def("pattern_gram_add", &pattern_gram_add, a("indices"), a("indptr"), a("rows"), a("weights"), nb::arg("d"),
          a("gram"), nb::arg("threads") = 1);
}

}  // namespace pragam
