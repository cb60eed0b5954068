// Norms and sums of the rows and columns of a CSR matrix, and its check. Only csr_check tests the indices. The other
// kernels rely on it having passed.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/vectorised.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

// Whether a row's indices strictly increase, so that no column is repeated. The first few tell in most rows that do not.
template <class I>
PRAGAM_VECTORISED bool increasing(const I *indices, int64_t length) {
    constexpr int64_t few = 8;
    int falls = 0;
    for (int64_t p = 1; p < std::min(few, length); ++p) falls |= indices[p - 1] >= indices[p];
    if (falls) return false;
    for (int64_t p = few; p < length; ++p) falls |= indices[p - 1] >= indices[p];
    return falls == 0;
}

// The sum of squares, in lanes.
template <class T>
PRAGAM_VECTORISED double squares(const T *x, int64_t length) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t p = 0;
    for (; p + 4 <= length; p += 4) {
        s0 += double(x[p]) * double(x[p]);
        s1 += double(x[p + 1]) * double(x[p + 1]);
        s2 += double(x[p + 2]) * double(x[p + 2]);
        s3 += double(x[p + 3]) * double(x[p + 3]);
    }
    for (; p < length; ++p) s0 += double(x[p]) * double(x[p]);
    return (s0 + s1) + (s2 + s3);
}

// Finds the repeated columns of rows in any order, without sorting. The entries of a row write their places down backwards,
// so that the first of each column is left: an entry that then reads another place than its own is a repetition. What
// earlier rows have left behind is never read. Places is an array over the columns, of bytes if a row is short: they are
// written in no order, so few have to be near.
class Repetitions {
  public:
    explicit Repetitions(size_t n_columns) : n_columns_(n_columns) {}

    // How many entries of a row have a column that occurred before in it. Then, sums() has its values, with those of a
    // column added to its first entry, and 0 in the others.
    template <class T, class I>
    size_t find(const T *x, const I *index, int64_t length) {
        require(length < (int64_t(1) << 32), "a row has too many entries");
        return length <= 256 ? find(x, index, length, short_) : find(x, index, length, long_);
    }

    const double *sums() const { return sums_.data(); }

    // The sizes of the row's entries that are 0 in sums(), added: of the repetitions and of all that cancel.
    template <class T>
    double size(const T *x, int64_t length) const {
        double size = 0;
        if (cancels_)
            for (int64_t p = 0; p < length; ++p) size += sums_[size_t(p)] == 0 ? std::abs(double(x[p])) : 0.0;
        else
            for (size_t k = 0; k < found_; ++k) size += std::abs(double(x[again_[k]]));
        return size;
    }

    // The most repetitions of a column in all rows that these have seen.
    static int64_t most(const std::vector<Repetitions> &several) {
        std::vector<int64_t> total;
        for (const Repetitions &one : several) {
            total.resize(std::max(total.size(), one.others_.size()), 0);
            for (size_t j = 0; j < one.others_.size(); ++j) total[j] += one.others_[j];
        }
        return total.empty() ? 0 : *std::max_element(total.begin(), total.end());
    }

  private:
    template <class T, class I, class Place>
    size_t find(const T *x, const I *index, int64_t length, std::vector<Place> &places) {
        if (places.empty()) places.resize(n_columns_);
        if (again_.size() < size_t(length) + 1) again_.resize(size_t(length) + 1);
        Place *place = places.data();
        std::uint32_t *again = again_.data();
        for (int64_t p = length - 1; p >= 0; --p) place[index[p]] = Place(p);
        size_t found = 0;
        for (int64_t p = 0; p < length; ++p) {
            again[found] = std::uint32_t(p);
            found += size_t(place[index[p]] != Place(p));
        }
        found_ = found;
        if (found) sum(x, index, length, place);
        return found;
    }

    template <class T, class I, class Place>
    void sum(const T *x, const I *index, int64_t length, const Place *place) {
        if (others_.empty()) others_.resize(n_columns_);
        sums_.assign(x, x + length);
        for (size_t k = 0; k < found_; ++k) {
            const std::uint32_t p = again_[k];
            const size_t column = size_t(index[p]);
            sums_[place[column]] += double(x[p]);
            sums_[p] = 0;
            ++others_[column];
        }
        cancels_ = false;
        for (size_t k = 0; k < found_; ++k) cancels_ |= sums_[place[size_t(index[again_[k]])]] == 0;
    }

    size_t n_columns_, found_ = 0;
    bool cancels_ = false;
    std::vector<std::uint8_t> short_;  // empty until a row's columns do not increase
    std::vector<std::uint32_t> long_, again_;
    std::vector<int64_t> others_;  // empty until a column is repeated
    std::vector<double> sums_;
};

// Calls plain(i, first, last) for a row without repeated columns, and summed(i, first, last, found) for the others. Returns
// the most repetitions of a column. Each thread takes one part of the rows, and notes its repetitions by itself.
template <class T, class I, class Plain, class Summed>
int64_t each_summed_row(const In<T> &data, const In<I> &indices, const Indptr &indptr, size_t n_columns, Plain plain,
                        Summed summed, int64_t threads = 1) {
    nb::gil_scoped_release free;
    const int64_t *ptr = indptr.data(), n = int64_t(indptr.shape(0)) - 1;
    const int64_t parts = worthwhile(threads, n > 0 ? ptr[n] : 0);
    std::vector<Repetitions> found(static_cast<size_t>(parts), Repetitions(n_columns));
    parallel_for(parts, parts, [&](int64_t part, Pulse &pulse) {
        Repetitions &repetitions = found[size_t(part)];
        rows_between(ptr, n * part / parts, n * (part + 1) / parts, pulse, [&](int64_t i, int64_t first, int64_t last) {
            const I *index = indices.data() + first;
            if (increasing(index, last - first)) return plain(i, first, last);
            if (!repetitions.find(data.data() + first, index, last - first)) return plain(i, first, last);
            summed(i, first, last, repetitions);
        });
    });
    return Repetitions::most(found);
}

// norms2[i] = sum_j X_ij^2, and repeated[i] sums the sizes of the entries of row i whose column occurred before. With
// repetitions summed by absolute value, the row would be longer by at most 2 repeated[i]. Returns the most repetitions of a
// column: no column has more entries than that and the number of rows.
template <class T, class I>
int64_t csr_row_norms2(In<T> data, In<I> indices, Indptr indptr, size_t n_columns, Out<double> norms2,
                       Out<double> repeated, int64_t threads) {
    require_rows(indptr, norms2.shape(0));
    require(repeated.shape(0) == norms2.shape(0), "norms2 and repeated must have the same length");
    double *norm = norms2.data(), *more = repeated.data();
    std::fill_n(norm, norms2.shape(0), 0.0);
    std::fill_n(more, norms2.shape(0), 0.0);
    return each_summed_row(
        data, indices, indptr, n_columns,
        [=, v = data.data()](int64_t i, int64_t first, int64_t last) { norm[i] = squares(v + first, last - first); },
        [=, v = data.data()](int64_t i, int64_t first, int64_t last, const Repetitions &found) {
            norm[i] = squares(found.sums(), last - first);
            more[i] = found.size(v + first, last - first);
        },
        threads);
}

// norms2[j] and repeated[j] for every column.
template <class T, class I>
void csr_column_norms2(In<T> data, In<I> indices, Indptr indptr, Out<double> norms2, Out<double> repeated) {
    require(repeated.shape(0) == norms2.shape(0), "norms2 and repeated must have the same length");
    double *norm = norms2.data(), *more = repeated.data();
    std::fill_n(norm, norms2.shape(0), 0.0);
    std::fill_n(more, norms2.shape(0), 0.0);
    const auto plain = [=, v = data.data(), index = indices.data()](int64_t, int64_t first, int64_t last) {
        for (int64_t p = first; p < last; ++p) norm[index[p]] += double(v[p]) * double(v[p]);
    };
    const auto summed = [=, v = data.data(), index = indices.data()](int64_t, int64_t first, int64_t last,
                                                                     const Repetitions &found) {
        for (int64_t p = first; p < last; ++p) {
            const double x = found.sums()[p - first];
            norm[index[p]] += x * x;
            more[index[p]] += x == 0 ? std::abs(double(v[p])) : 0.0;
        }
    };
    each_summed_row(data, indices, indptr, norms2.shape(0), plain, summed);
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

// What csr_check found. Python turns it into a message.
enum Fault : int { none = 0, start = 1, decreasing = 2, end = 3, index_range = 4, not_finite = 5 };
using Found = std::tuple<int, int64_t, int64_t>;

// Whether 0 <= index < n_columns and the value is finite for all entries.
template <class T, class I>
PRAGAM_VECTORISED bool clean(const T *data, const I *indices, int64_t length, int64_t n_columns) {
    const I highest = I(std::min(n_columns - 1, int64_t(std::numeric_limits<I>::max())));
    int wrong = 0;
    for (int64_t p = 0; p < length; ++p) wrong |= (indices[p] < 0) | (indices[p] > highest);
    for (int64_t p = 0; p < length; ++p) wrong |= !(data[p] - data[p] == 0);  // NaN unless finite
    return wrong == 0;
}

// (fault, row, position) of the first fault, or (none, 0, 0): indptr starts at 0, does not decrease and ends
// within the entries; then, entry by entry, 0 <= index < n_columns and the value is finite.
template <class T, class I>
Found csr_check(In<T> data, In<I> indices, Indptr indptr, int64_t n_columns, int64_t threads) {
    nb::gil_scoped_release free;
    const T *v = data.data();
    const I *index = indices.data();
    const int64_t *ptr = indptr.data(), n = int64_t(indptr.shape(0)) - 1;
    if (n < 0 || ptr[0] != 0) return {start, 0, 0};
    for (int64_t i = 0; i < n; ++i)
        if (ptr[i + 1] < ptr[i]) return {decreasing, i, ptr[i + 1]};
    if (ptr[n] > int64_t(std::min(data.shape(0), indices.shape(0)))) return {end, n, ptr[n]};
    constexpr int64_t block = 4096;
    const int64_t blocks = (ptr[n] + block - 1) / block;
    std::atomic<int64_t> faulty{blocks};  // the first block with a fault
    parallel_for(blocks, worthwhile(threads, ptr[n]), [&](int64_t b, Pulse &pulse) {
        const int64_t p = b * block, count = std::min(block, ptr[n] - p);
        pulse.beat(size_t(count));
        int64_t earliest = faulty;
        if (b > earliest || clean(v + p, index + p, count, n_columns)) return;
        while (b < earliest && !faulty.compare_exchange_weak(earliest, b)) {}
    });
    if (faulty == blocks) return {none, 0, 0};
    int64_t p = faulty * block;
    while (clean(v + p, index + p, 1, n_columns)) ++p;
    const bool in_range = 0 <= index[p] && index[p] < n_columns;
    return {in_range ? not_finite : index_range, std::upper_bound(ptr, ptr + n + 1, p) - ptr - 1, p};
}

}  // namespace

void bind_products_sums(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    const auto threads = nb::arg("threads") = 1;
    bind_csr_types(m, "csr_row_norms2", &csr_row_norms2<double, std::int32_t>, [](const auto &...all) { return csr_row_norms2(all...); }, nb::arg("n_columns"), a("norms2"), a("repeated"), threads);
    bind_csr_types(m, "csr_column_norms2", &csr_column_norms2<double, std::int32_t>, [](const auto &...all) { return csr_column_norms2(all...); }, a("norms2"), a("repeated"));
    bind_csr_types(m, "csr_abs_sums", &csr_abs_sums<double, std::int32_t>, [](const auto &...all) { return csr_abs_sums(all...); }, a("rows"), a("columns"));
    bind_csr_types(m, "csr_check", &csr_check<double, std::int32_t>, [](const auto &...all) { return csr_check(all...); }, nb::arg("n_columns"), threads);
}

}  // namespace pragam
