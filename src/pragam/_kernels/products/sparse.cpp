// Products with a CSR matrix, or with a pattern, which stores no values because all entries are 1. They rely on
// csr_check having passed.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "blocks/table.hpp"
#include "common/vectorised.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

using InBlock = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutBlock = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

// sum over p of data[p] w[indices[p]], in four independent sums so that gathers overlap. `end` is that of all entries.
template <bool is_wide, class Values, class I>
inline double gathered_dot(Values data, const I *PRAGAM_RESTRICT indices, const double *PRAGAM_RESTRICT w,
                           int64_t first, int64_t last, int64_t end) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t p = first;
    for (; p + 4 <= last; p += 4) {
        if constexpr (is_wide)
            for (int64_t q = p; q < p + 4; ++q) prefetch_line(w + indices[std::min(q + ahead, end - 1)]);
        s0 += double(data[p]) * w[indices[p]];
        s1 += double(data[p + 1]) * w[indices[p + 1]];
        s2 += double(data[p + 2]) * w[indices[p + 2]];
        s3 += double(data[p + 3]) * w[indices[p + 3]];
    }
    for (; p < last; ++p) s0 += double(data[p]) * w[indices[p]];
    return (s0 + s1) + (s2 + s3);
}

// out = diag(scale) X w; no scale means ones.
template <class Values, class I>
void matvec(Values v, const I *index, const Indptr &indptr, const In<double> &scale, const In<double> &w,
            const Out<double> &out, int64_t threads) {
    require_rows(indptr, out.shape(0));
    require(!scale.is_valid() || scale.shape(0) == out.shape(0), "scale must be as long as out");
    const double *s = scale.is_valid() ? scale.data() : nullptr, *in = w.data();
    double *result = out.data();
    const int64_t end = indptr.data()[out.shape(0)];
    const auto rows = [=](auto is_wide) {
        return [=](int64_t i, int64_t first, int64_t last) {
            const double dot = gathered_dot<is_wide.value>(v, index, in, first, last, end);
            result[i] = s ? s[i] * dot : dot;
        };
    };
    if (int64_t(w.shape(0)) > beyond_cache) each_row(indptr, rows(std::true_type{}), threads);
    else each_row(indptr, rows(std::false_type{}), threads);
}

template <class T, class I>
void csr_matvec(In<T> data, In<I> indices, Indptr indptr, In<double> scale, In<double> w, Out<double> out,
                int64_t threads) {
    matvec(data.data(), indices.data(), indptr, scale, w, out, threads);
}

void pattern_matvec(PatternIndices indices, Indptr indptr, In<double> scale, In<double> w, Out<double> out,
                    int64_t threads) {
    matvec(Ones{}, indices.data(), indptr, scale, w, out, threads);
}

// sum += x_i s_i alpha_i for the rows i in [begin, end). Many dual variables are 0 near the optimum. The others are
// first collected without a branch, since whether a row counts is hard to predict.
template <bool is_wide, class Values, class I>
void add_rows(Values v, const I *PRAGAM_RESTRICT index, const int64_t *ptr, const double *s, const double *alpha,
              int64_t begin, int64_t end, Pulse &pulse, double *PRAGAM_RESTRICT sum) {
    [[maybe_unused]] const int64_t final = ptr[end] - 1;
    constexpr int64_t batch = 512;
    int64_t row[batch];
    double weight[batch];
    for (int64_t start = begin; start < end; start += batch) {
        const int64_t stop = std::min(start + batch, end);
        int64_t count = 0;
        for (int64_t i = start; i < stop; ++i) {
            row[count] = i;
            weight[count] = s ? s[i] * alpha[i] : alpha[i];
            count += weight[count] != 0;
        }
        for (int64_t k = 0; k < count; ++k)
            for (int64_t p = ptr[row[k]]; p < ptr[row[k] + 1]; ++p) {
                if constexpr (is_wide) prefetch_line(sum + index[std::min(p + ahead, final)]);
                sum[index[p]] += weight[k] * double(v[p]);
            }
        pulse.beat(size_t(ptr[stop] - ptr[start] + batch));
    }
}

// out = X' (scale * alpha); no scale means ones.
template <class Values, class I>
void rmatvec(Values v, const I *index, const Indptr &indptr, const In<double> &scale, const In<double> &alpha,
             const Out<double> &out, int64_t threads) {
    require_rows(indptr, alpha.shape(0));
    require(!scale.is_valid() || scale.shape(0) == alpha.shape(0), "scale must be as long as alpha");
    nb::gil_scoped_release free;
    const double *s = scale.is_valid() ? scale.data() : nullptr;
    const int64_t n = int64_t(alpha.shape(0)), d = int64_t(out.shape(0)), *ptr = indptr.data();
    const int64_t parts = parts_of(ptr[n], d), stride = d + 16;  // no two parts write to one cache line
    std::vector<double> sums(size_t((parts - 1) * stride));
    std::fill_n(out.data(), d, 0.0);
    parallel_for(parts, worthwhile(threads, ptr[n]), [&](int64_t part, Pulse &pulse) {
        double *sum = part == 0 ? out.data() : sums.data() + (part - 1) * stride;
        const auto add = d > beyond_cache ? add_rows<true, Values, I> : add_rows<false, Values, I>;
        add(v, index, ptr, s, alpha.data(), n * part / parts, n * (part + 1) / parts, pulse, sum);
    });
    for (int64_t part = 1; part < parts; ++part)
        for (int64_t j = 0; j < d; ++j) out.data()[j] += sums[size_t((part - 1) * stride + j)];
}

template <class T, class I>
void csr_rmatvec(In<T> data, In<I> indices, Indptr indptr, In<double> scale, In<double> alpha, Out<double> out,
                 int64_t threads) {
    rmatvec(data.data(), indices.data(), indptr, scale, alpha, out, threads);
}

void pattern_rmatvec(PatternIndices indices, Indptr indptr, In<double> scale, In<double> alpha, Out<double> out,
                     int64_t threads) {
    rmatvec(Ones{}, indices.data(), indptr, scale, alpha, out, threads);
}

// Add each entry times `from` to the corresponding row of out (columns of X, K).
template <class T, class I>
PRAGAM_VECTORISED void add_to_rows(const T *data, const I *indices, int64_t length, const double *PRAGAM_RESTRICT from,
                                   size_t K, double *PRAGAM_RESTRICT out) {
    for (int64_t p = 0; p < length; ++p) {
        const double x = data[p];
        double *to = out + size_t(indices[p]) * K;
        for (size_t k = 0; k < K; ++k) to[k] += x * from[k];
    }
}

// As gathered_dot, for `chunks` times eight columns of W at once: each sum is that of csr_matvec, to the bit.
template <int chunks, class Row>
PRAGAM_INLINE void gathered_dots(const Row &row, const double *W, int64_t width, double *out) {
    Lanes<double> s[4][chunks];
    for (auto &sum : s)
        for (auto &chunk : sum) chunk = Lanes<double>{};
    const auto add = [&](int64_t p, Lanes<double> *sum) {
        const double x = row.value(p), *from = W + row.column(p) * width;
        for (int c = 0; c < chunks; ++c) sum[c] = sum[c] + lanes(from + c * lane_count) * x;
    };
    int64_t p = 0;
    for (; p + 4 <= row.length; p += 4)
        for (int m = 0; m < 4; ++m) add(p + m, s[m]);
    for (; p < row.length; ++p) add(p, s[0]);
    for (int c = 0; c < chunks; ++c) lanes(out + c * lane_count) = (s[0][c] + s[1][c]) + (s[2][c] + s[3][c]);
}

// out (width) = the products of a row of X with all columns of W.
template <class Row>
PRAGAM_VECTORISED static void row_products(const Row &row, const double *W, int64_t width, double *out) {
    int64_t k = 0;
    for (; k + 2 * lane_count <= width; k += 2 * lane_count) gathered_dots<2>(row, W + k, width, out + k);
    if (k < width) gathered_dots<1>(row, W + k, width, out + k);
}

// out = X W with W (columns of X, K), its rows padded to a multiple of eight: one pass over X for all K. Column k is that
// of csr_matvec, to the bit, so that a certificate does not depend on what was computed with it.
template <class T, class I>
void csr_matmat(In<T> data, In<I> indices, Indptr indptr, InBlock W, OutBlock out, int64_t threads) {
    require_rows(indptr, out.shape(0));
    const int64_t K = int64_t(out.shape(1)), width = int64_t(W.shape(1));
    require(width % lane_count == 0 && width >= K, "the rows of W must be those of out, padded to a multiple of 8");
    const auto row = [&, K, width](int64_t i, int64_t first, int64_t last) {
        double *to = out.data() + i * K;
        const SparseRow<const T *, I> entries{data.data() + first, indices.data() + first, last - first};
        thread_local std::vector<double> sums;
        sums.resize(size_t(width));
        row_products(entries, W.data(), width, sums.data());
        std::copy_n(sums.data(), K, to);
    };
    each_row(indptr, row, threads);
}

// out += X' B with B (rows of X, K). Rows of out need not be contiguous, nor its entries next to each other: if they are
// not, only columns with an entry other than zero in their row of B are touched.
template <class T, class I>
void csr_rmatmat(In<T> data, In<I> indices, Indptr indptr, InBlock B, Strided out) {
    require_rows(indptr, B.shape(0));
    require(B.shape(1) == out.shape(1), "B and out must have as many columns");
    const size_t K = B.shape(1);
    const int64_t down = out.stride(0), right = out.stride(1);
    const bool is_plain = right == 1 && down == int64_t(K);
    std::vector<std::pair<int64_t, double>> some(K);
    each_row(indptr, [&, K](int64_t i, int64_t first, int64_t last) {
        const double *from = B.data() + size_t(i) * K;
        size_t count = 0;
        for (size_t k = 0; k < K; ++k)
            if (from[k] != 0) some[count++] = {int64_t(k) * right, from[k]};
        if (count == 0) return;
        if (is_plain) return add_to_rows(data.data() + first, indices.data() + first, last - first, from, K, out.data());
        for (int64_t p = first; p < last; ++p) {
            double *to = out.data() + int64_t(indices.data()[p]) * down;
            for (size_t k = 0; k < count; ++k) to[some[k].first] += double(data.data()[p]) * some[k].second;
        }
    });
}

}  // namespace

void bind_products_sparse(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    bind_csr_types(m, "csr_matvec", &csr_matvec<double, std::int32_t>, [](const auto &...all) { return csr_matvec(all...); }, a("scale").none(), a("w"), a("out"), threads);
    bind_csr_types(m, "csr_rmatvec", &csr_rmatvec<double, std::int32_t>, [](const auto &...all) { return csr_rmatvec(all...); }, a("scale").none(), a("alpha"), a("out"), threads);
    bind_csr_types(m, "csr_matmat", &csr_matmat<double, std::int32_t>, [](const auto &...all) { return csr_matmat(all...); }, a("W"), a("out"), threads);
    bind_csr_types(m, "csr_rmatmat", &csr_rmatmat<double, std::int32_t>, [](const auto &...all) { return csr_rmatmat(all...); }, a("B"), a("out"));
    m.def("pattern_matvec", &pattern_matvec, a("indices"), a("indptr"), a("scale").none(), a("w"), a("out"), threads);
    m.def("pattern_rmatvec", &pattern_rmatvec, a("indices"), a("indptr"), a("scale").none(), a("alpha"), a("out"),
          threads);
}

}  // namespace pragam
