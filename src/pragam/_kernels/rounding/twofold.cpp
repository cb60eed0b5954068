// Products in twice the precision, with the sums of the sizes of their terms. Specification: twofold.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "products/csr.hpp"

namespace pragam {
namespace {

// A sum of products in twice the precision: `high + low` (Ogita, Rump and Oishi 2005, Dot2), and the sum of the sizes.
// The error of a product is computed by splitting its factors (Dekker 1971), so no fused multiply-add is needed. Factors
// above 1e300 overflow in the splitting, and the result is then NaN.
struct Twofold {
    double high = 0, low = 0, size = 0;

    void add(double term, double error) {
        const double next = high + term, added = next - high;
        low += ((high - (next - added)) + (term - added)) + error;
        high = next;
    }
    void add_product(double x, double y) {
        constexpr double splitter = 134217729.0;  // 2^27 + 1
        const double p = x * y, xt = splitter * x, yt = splitter * y;
        const double xh = xt - (xt - x), yh = yt - (yt - y), xl = x - xh, yl = y - yh;
        add(p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl);
        size += std::abs(p);
    }
    void add(const Twofold &other) {
        add(other.high, other.low);
        size += other.size;
    }
};

// Writes a sum to three columns, with its two parts such that high is the rounded sum.
struct TwofoldOut {
    double *high, *low, *size;
    void put(int64_t i, const Twofold &sum) const {
        high[i] = sum.high + sum.low;
        low[i] = sum.low - (high[i] - sum.high);
        size[i] = sum.size;
    }
};

TwofoldOut outputs(const Out<double> &high, const Out<double> &low, const Out<double> &size, size_t n) {
    require(high.size() == n && low.size() == n && size.size() == n, "high, low and size must have one entry each");
    return {high.data(), low.data(), size.data()};
}

// high + low = X w in twice the precision, size = |X| |w|.
template <class T, class I>
void csr_twofold_matvec(In<T> data, In<I> indices, Indptr indptr, In<double> w, Out<double> high, Out<double> low,
                        Out<double> size, int64_t threads) {
    require_rows(indptr, high.size());
    const TwofoldOut out = outputs(high, low, size, high.size());
    const T *v = data.data();
    const I *index = indices.data();
    const double *in = w.data();
    const auto row = [=](int64_t i, int64_t first, int64_t last) {
        Twofold even, odd;  // two sums, whose operations overlap
        for (int64_t p = first; p + 1 < last; p += 2) {
            even.add_product(double(v[p]), in[index[p]]);
            odd.add_product(double(v[p + 1]), in[index[p + 1]]);
        }
        if ((last - first) % 2) even.add_product(double(v[last - 1]), in[index[last - 1]]);
        even.add(odd);
        out.put(i, even);
    };
    each_row(indptr, row, threads);
}

// high + low = X' alpha in twice the precision, size = |X|' |alpha|.
template <class T, class I>
void csr_twofold_rmatvec(In<T> data, In<I> indices, Indptr indptr, In<double> alpha, Out<double> high, Out<double> low,
                         Out<double> size) {
    require_rows(indptr, alpha.size());
    const size_t d = high.size();
    const TwofoldOut out = outputs(high, low, size, d);
    std::vector<Twofold> sums(d);
    const int64_t end = indptr.data()[alpha.size()];
    each_row(indptr, [&, v = data.data(), index = indices.data(), a = alpha.data()](int64_t i, int64_t first,
                                                                                     int64_t last) {
        if (a[i] == 0) return;
        for (int64_t p = first; p < last; ++p) {
            prefetch_line(&sums[size_t(index[std::min(p + ahead, end - 1)])]);
            sums[size_t(index[p])].add_product(double(v[p]), a[i]);
        }
    });
    for (size_t j = 0; j < d; ++j) out.put(int64_t(j), sums[j]);
}

// high + low = X w in twice the precision, size = |X| |w|, for a dense X of any strides, read in the order of its
// memory: four rows at a time, whose operations overlap, or column by column within a band of rows.
template <class T>
void dense_twofold_matvec(Matrix<T> X, In<double> w, Out<double> high, Out<double> low, Out<double> size,
                          int64_t threads) {
    require(X.shape(0) == high.size() && X.shape(1) == w.size(), "X, w and high must have matching sizes");
    const TwofoldOut out = outputs(high, low, size, high.size());
    nb::gil_scoped_release free;
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), down = X.stride(0), right = X.stride(1);
    constexpr int64_t band = 256;
    const int64_t wide = std::abs(right) <= std::abs(down) ? 4 : band;  // rows read at a time
    const double *in = w.data();
    parallel_for((n + band - 1) / band, worthwhile(threads, n * d), [&](int64_t chunk, Pulse &pulse) {
        const int64_t first = chunk * band, count = std::min(band, n - first);
        const T *x = X.data() + first * down;
        Twofold sums[band];
        for (int64_t begin = 0; begin < count; begin += wide)
            for (int64_t j = 0; j < d; ++j)
                for (int64_t i = begin; i < std::min(begin + wide, count); ++i)
                    sums[i].add_product(double(x[i * down + j * right]), in[j]);
        for (int64_t i = 0; i < count; ++i) out.put(first + i, sums[i]);
        pulse.beat(size_t(8 * count * d));
    });
}

}  // namespace

void bind_rounding_twofold(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    bind_csr_types(m, "csr_twofold_matvec", &csr_twofold_matvec<double, std::int32_t>, [](const auto &...all) { return csr_twofold_matvec(all...); }, a("w"), a("high"), a("low"), a("size"), threads);
    bind_csr_types(m, "csr_twofold_rmatvec", &csr_twofold_rmatvec<double, std::int32_t>, [](const auto &...all) { return csr_twofold_rmatvec(all...); }, a("alpha"), a("high"), a("low"), a("size"));
    bind_dense_types(m, "dense_twofold_matvec", &dense_twofold_matvec<double>, [](const auto &...all) { return dense_twofold_matvec(all...); }, a("w"), a("high"), a("low"), a("size"), threads);
}

}  // namespace pragam
