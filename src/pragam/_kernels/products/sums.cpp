// Norms and sums of the rows and columns of a CSR matrix, and its check. Only csr_check tests the indices. The other
// kernels rely on it having passed.
#include <algorithm>
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

// Tells whether a row repeats a column, in any order, by the number of the last row that had it. Bytes are few enough to
// stay in a near cache, and are cleared every 255 rows.
class LastRows {
  public:
    explicit LastRows(size_t n_columns) : last_(n_columns, 0) {}

    template <class I>
    bool repeat_none(const I *index, int64_t length) {
        if (++row_ == 0) {
            std::fill(last_.begin(), last_.end(), std::uint8_t(0));
            row_ = 1;
        }
        std::uint8_t *last = last_.data();
        const std::uint8_t row = row_;
        unsigned again = 0;
        for (int64_t p = 0; p < length; ++p) {
            again |= unsigned(last[index[p]] == row);
            last[index[p]] = row;
        }
        return again == 0;
    }

  private:
    std::vector<std::uint8_t> last_;
    std::uint8_t row_ = 0;
};

// A column's sum of the entries of the current row, and how many entries of it were summed so far.
struct Place {
    double sum = 0;
    int64_t entries = 0;

    // The sum at the first call for a row, 0 at later ones.
    double take() {
        const double x = sum;
        sum = 0;
        ++entries;
        return x;
    }
};

// Calls plain(i, first, last) for a row without repeated columns, and summed(i, first, last, places) for the others. Once
// a row repeats a column, all later ones are summed unless their columns increase. Returns the most entries of a column
// that were summed.
template <class T, class I, class Plain, class Summed>
int64_t each_summed_row(const In<T> &data, const In<I> &indices, const Indptr &indptr, size_t n_columns, Plain plain,
                        Summed summed) {
    const T *v = data.data();
    const I *index = indices.data();
    const int64_t end = indptr.data()[indptr.shape(0) - 1];
    LastRows last_rows(n_columns);
    std::vector<Place> places;  // empty until a column is repeated
    each_row(indptr, [&](int64_t i, int64_t first, int64_t last) {
        if (increasing(index + first, last - first)) return plain(i, first, last);
        if (places.empty()) {
            if (last_rows.repeat_none(index + first, last - first)) return plain(i, first, last);
            places.resize(n_columns);
        }
        for (int64_t p = first; p < last; ++p) {
            PRAGAM_PREFETCH(&places[size_t(index[std::min(p + ahead, end - 1)])]);
            places[size_t(index[p])].sum += double(v[p]);
        }
        summed(i, first, last, places.data());
    });
    int64_t most = 0;
    for (const Place &place : places) most = std::max(most, place.entries);
    return most;
}

// norms2[i] = sum_j X_ij^2, and repeated[i] sums the sizes of the entries of row i whose column occurred before. With
// repetitions summed by absolute value, the row would be longer by at most 2 repeated[i]. Returns a number such that no
// column has more entries than that and the number of rows: 0 if no row repeats a column.
template <class T, class I>
int64_t csr_row_norms2(In<T> data, In<I> indices, Indptr indptr, size_t n_columns, Out<double> norms2,
                       Out<double> repeated) {
    require_rows(indptr, norms2.shape(0));
    require(repeated.shape(0) == norms2.shape(0), "norms2 and repeated must have the same length");
    double *norm = norms2.data(), *more = repeated.data();
    std::fill_n(norm, norms2.shape(0), 0.0);
    std::fill_n(more, norms2.shape(0), 0.0);
    return each_summed_row(
        data, indices, indptr, n_columns,
        [=, v = data.data()](int64_t i, int64_t first, int64_t last) { norm[i] = squares(v + first, last - first); },
        [=, v = data.data(), index = indices.data()](int64_t i, int64_t first, int64_t last, Place *places) {
            double square = 0, again = 0;
            for (int64_t p = first; p < last; ++p) {
                const double x = places[index[p]].take();
                square += x * x;
                again += x == 0 ? std::abs(double(v[p])) : 0.0;
            }
            norm[i] = square;
            more[i] = again;
        });
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
    const auto summed = [=, v = data.data(), index = indices.data()](int64_t, int64_t first, int64_t last, Place *places) {
        for (int64_t p = first; p < last; ++p) {
            const double x = places[index[p]].take();
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
Found csr_check(In<T> data, In<I> indices, Indptr indptr, int64_t n_columns) {
    nb::gil_scoped_release free;
    const T *v = data.data();
    const I *index = indices.data();
    const int64_t *ptr = indptr.data(), n = int64_t(indptr.shape(0)) - 1;
    if (n < 0 || ptr[0] != 0) return {start, 0, 0};
    for (int64_t i = 0; i < n; ++i)
        if (ptr[i + 1] < ptr[i]) return {decreasing, i, ptr[i + 1]};
    if (ptr[n] > int64_t(std::min(data.shape(0), indices.shape(0)))) return {end, n, ptr[n]};
    constexpr int64_t block = 4096;
    Pulse pulse;
    for (int64_t p = 0; p < ptr[n]; p += block) {
        const int64_t count = std::min(block, ptr[n] - p);
        pulse.beat(size_t(count));
        if (clean(v + p, index + p, count, n_columns)) continue;
        while (clean(v + p, index + p, 1, n_columns)) ++p;
        const bool in_range = 0 <= index[p] && index[p] < n_columns;
        return {in_range ? not_finite : index_range, std::upper_bound(ptr, ptr + n + 1, p) - ptr - 1, p};
    }
    return {none, 0, 0};
}

}  // namespace

void bind_products_sums(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    for_csr_types([&](auto value, auto index) {
        using T = decltype(value);
        using I = decltype(index);
        const auto X = [&](const char *name, auto kernel, auto... rest) {
            m.def(name, kernel, a("data"), a("indices"), a("indptr"), rest...);
        };
        X("csr_row_norms2", &csr_row_norms2<T, I>, nb::arg("n_columns"), a("norms2"), a("repeated"));
        X("csr_column_norms2", &csr_column_norms2<T, I>, a("norms2"), a("repeated"));
        X("csr_abs_sums", &csr_abs_sums<T, I>, a("rows"), a("columns"));
        X("csr_check", &csr_check<T, I>, nb::arg("n_columns"));
    });
}

}  // namespace pragam
