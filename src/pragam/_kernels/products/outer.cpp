// Sums of outer products of the rows of a sparse matrix, as in a Hessian. Specification: outer.py.
#include <algorithm>
#include <vector>

#include "common/vectorised.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

// gram += weight x x' for one row x whose indices strictly increase, in the upper triangle of a row-major d x d matrix.
// Four rows of it at a time, for which an index is read once.
template <class Values, class I>
void add_sorted_outer(Values x, const I *indices, int64_t length, double weight, int64_t d, double *gram) {
    constexpr int64_t wide = 4;
    int64_t p = 0;
    for (; p + wide <= length; p += wide) {
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
    for (; p < length; ++p) {
        double *row = gram + int64_t(indices[p]) * d;
        const double v = weight * double(x[p]);
        for (int64_t q = p; q < length; ++q) row[indices[q]] += v * double(x[q]);
    }
}

// The same for entries in any order. A pair may belong below the diagonal, or be the same index twice.
template <class Values, class I>
void add_outer(Values x, const I *indices, int64_t length, double weight, int64_t d, double *gram) {
    bool sorted = true;
    for (int64_t p = 1; p < length; ++p) sorted &= indices[p - 1] < indices[p];
    if (sorted) return add_sorted_outer(x, indices, length, weight, d, gram);
    for (int64_t p = 0; p < length; ++p) {
        const int64_t i = indices[p];
        const double v = weight * double(x[p]);
        for (int64_t q = 0; q < p; ++q) {
            const int64_t j = indices[q];
            gram[std::min(i, j) * d + std::max(i, j)] += (i == j ? 2.0 : 1.0) * v * double(x[q]);
        }
        gram[i * d + i] += v * double(x[p]);
    }
}

// The same for a row that is written out, zeros and all.
PRAGAM_VECTORISED void add_written_outer(const double *PRAGAM_RESTRICT x, double weight, int64_t d,
                                         double *PRAGAM_RESTRICT gram) {
    for (int64_t i = 0; i < d; ++i) {
        if (x[i] == 0) continue;
        const double v = weight * x[i];
        for (int64_t j = i; j < d; ++j) gram[i * d + j] += v * x[j];
    }
}

constexpr int64_t dense_enough = 3;  // a row with an entry in one of this many columns is cheaper as dense

// The rows of X whose outer products are summed, and their weights.
template <class Values, class I>
struct Weighted {
    Values x;
    const I *indices;
    const int64_t *ptr, *number;
    const double *weights;
    int64_t d;

    int64_t length(int64_t k) const { return ptr[number[k] + 1] - ptr[number[k]]; }

    // gram += sum over begin <= k < end of weights_k x_i x_i', i = number_k.
    void add(int64_t begin, int64_t end, double *gram, Pulse &pulse) const {
        std::vector<double> written(static_cast<size_t>(d), 0.0);
        for (int64_t k = begin; k < end; ++k) {
            const int64_t first = ptr[number[k]], last = first + length(k);
            if (dense_enough * length(k) >= d) {
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] += double(x[p]);
                add_written_outer(written.data(), weights[k], d, gram);
                for (int64_t p = first; p < last; ++p) written[size_t(indices[p])] = 0.0;
            } else {
                add_outer(x + first, indices + first, length(k), weights[k], d, gram);
            }
            pulse.beat(size_t(length(k) * length(k) + length(k)));
        }
    }
};

// How many parts of the rows are summed separately, each in a matrix of its own. It has no more than a 24th as many
// entries as its part has pairs: on one thread that takes up to 5 % more time than a single sum (mnist, 3,000 to 15,000
// rows). All matrices but one take at most 32 MB, or are no more than one.
int64_t gram_parts(int64_t pairs, int64_t d) {
    constexpr int64_t most = 16, memory = int64_t(1) << 22, share = 24;
    const int64_t size = std::max<int64_t>(d * d, 1);
    return std::max<int64_t>(1, std::min({most, std::max<int64_t>(2, memory / size), pairs / (share * size)}));
}

// gram += sum over k of weights_k x_i x_i', i = rows_k. Each part is summed in the order of its rows, and the parts are
// added up in their order. They are shared among threads: to share the rows of gram instead, each thread would have to
// read all of X (measured on covtype: 7 times the work).
template <class Values, class I>
void gram_add(Values x, const I *indices, const Indptr &indptr, const In<int64_t> &rows, const In<double> &weights,
              int64_t d, const Out<double> &gram, int64_t threads) {
    require(rows.size() == weights.size(), "csr_gram_add, pattern_gram_add: rows and weights must have one length");
    require(gram.size() == size_t(d) * size_t(d), "csr_gram_add, pattern_gram_add: gram must be d x d");
    const int64_t n = int64_t(indptr.size()) - 1, count = int64_t(rows.size());
    const Weighted<Values, I> some{x, indices, indptr.data(), rows.data(), weights.data(), d};
    int64_t pairs = 0;
    for (int64_t k = 0; k < count; ++k) {
        require(some.number[k] >= 0 && some.number[k] < n,
                "csr_gram_add, pattern_gram_add: rows holds a number out of range");
        pairs += some.length(k) * some.length(k) / 2;
    }
    nb::gil_scoped_release release;
    const int64_t parts = gram_parts(pairs, d), size = d * d;
    std::vector<double> others(static_cast<size_t>((parts - 1) * size), 0.0);
    parallel_for(parts, worthwhile(threads, pairs), [&](int64_t part, Pulse &pulse) {
        double *to = part == 0 ? gram.data() : others.data() + (part - 1) * size;
        some.add(count * part / parts, count * (part + 1) / parts, to, pulse);
    });
    for (int64_t part = 1; part < parts; ++part)
        for (int64_t p = 0; p < size; ++p) gram.data()[p] += others[size_t((part - 1) * size + p)];
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
    bind_csr_types(m, "csr_gram_add", &csr_gram_add<double, std::int32_t>, [](const auto &...all) { return csr_gram_add(all...); }, a("rows"), a("weights"), nb::arg("d"), a("gram"), nb::arg("threads") = 1);
    m.def("pattern_gram_add", &pattern_gram_add, a("indices"), a("indptr"), a("rows"), a("weights"), nb::arg("d"),
          a("gram"), nb::arg("threads") = 1);
}

}  // namespace pragam
