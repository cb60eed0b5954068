// Copies of some rows of X. Specification: selection.py.
#include <algorithm>
#include <type_traits>

#include "common/storages.hpp"
#include "products/csr.hpp"

namespace pragam {
namespace {

constexpr int64_t early = 12;  // how many rows before its turn a row is fetched

// Refuses rows out of range, and `ends` (one longer than rows) that are not the indptr of a copy of them.
void require_fit(const Indptr &indptr, const Indptr &rows, const Indptr &ends, size_t entries) {
    const int64_t n = int64_t(indptr.size()) - 1, *first = indptr.data(), *end = ends.data();
    require(ends.size() == rows.size() + 1, "csr_take, entries_take: ends must be one longer than rows");
    for (size_t k = 0; k < rows.size(); ++k) {
        const int64_t i = rows.data()[k];
        require(i >= 0 && i < n && end[k] >= 0 && end[k + 1] - end[k] == first[i + 1] - first[i] &&
                    end[k + 1] <= int64_t(entries),
                "csr_take, entries_take: rows out of range, or ends that do not fit them");
    }
}

// Calls take(k, i) for every row i = rows_k, on up to `threads` threads if their entries, of which `ends` is the indptr,
// are many.
template <class Take>
void each_taken(const Indptr &rows, const Indptr &ends, int64_t threads, const Take &take) {
    const int64_t n = int64_t(rows.size());
    nb::gil_scoped_release release;
    threads = worthwhile(threads, ends.data()[n]);
    const int64_t chunks = threads == 1 ? 1 : 16 * threads;
    parallel_for(chunks, threads, [&](int64_t chunk, Pulse &) {
        for (int64_t k = n * chunk / chunks; k < n * (chunk + 1) / chunks; ++k) take(k, rows.data()[k]);
    });
}

// The entries of the given rows, one row after the other.
template <class T, class I>
void csr_take(In<T> data, In<I> indices, Indptr indptr, Indptr rows, Out<T> data_out, Out<I> indices_out, Indptr ends,
              int64_t threads) {
    require(data_out.size() == indices_out.size(), "csr_take: the outputs must have one length");
    require_fit(indptr, rows, ends, data_out.size());
    const int64_t *first = indptr.data(), *end = ends.data(), *order = rows.data(), n = int64_t(rows.size());
    each_taken(rows, ends, threads, [&](int64_t k, int64_t i) {
        const int64_t next = order[std::min(k + early, n - 1)];  // short rows come from anywhere in memory
        if (first[next] < first[next + 1])
            for (const int64_t entry : {first[next], first[next + 1] - 1}) {
                prefetch_line(data.data() + entry);
                prefetch_line(indices.data() + entry);
            }
        std::copy(data.data() + first[i], data.data() + first[i + 1], data_out.data() + end[k]);
        std::copy(indices.data() + first[i], indices.data() + first[i + 1], indices_out.data() + end[k]);
    });
}

// Eight entries at a time, the last ones perhaps twice: a loop over each short row costs more than its entries.
template <class From, class To>
void convert(const From *PRAGAM_RESTRICT from, To *PRAGAM_RESTRICT to, int64_t count) {
    constexpr int64_t block = 8;
    if (count < block) {
        for (int64_t p = 0; p < count; ++p) to[p] = static_cast<To>(from[p]);
        return;
    }
    const auto eight = [from, to](int64_t p) {
        for (int64_t q = p; q < p + block; ++q) to[q] = static_cast<To>(from[q]);
    };
    for (int64_t p = 0; p + block <= count; p += block) eight(p);
    eight(count - block);
}

// The same for the data or the indices alone, as numbers of another type.
template <class From, class To>
void take_entries(const From *entries, const Indptr &indptr, const Indptr &rows, To *out, const Indptr &ends,
                  int64_t threads) {
    const int64_t *first = indptr.data(), *end = ends.data(), *order = rows.data(), n = int64_t(rows.size());
    each_taken(rows, ends, threads, [&](int64_t k, int64_t i) {
        const int64_t next = order[std::min(k + early, n - 1)];
        if (first[next] < first[next + 1]) {
            prefetch_line(entries + first[next]);
            prefetch_line(entries + first[next + 1] - 1);
        }
        convert(entries + first[i], out + end[k], first[i + 1] - first[i]);
    });
}

// Indices of 32 or 64 bits, or of a pattern; values; or either in the fewest bytes that hold them.
template <class From, class To>
constexpr bool may_hold = std::is_same_v<From, To> || sizeof(From) < sizeof(To) ||
                          (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(To) > 1);

template <class To, class... Others, class Use>
void with_output(const AnyOut &out, const Use &use) {
    if (out.dtype() == nb::dtype<To>()) use(static_cast<To *>(out.data()));
    else if constexpr (sizeof...(Others) > 0) with_output<Others...>(out, use);
    else throw wrong_type();
}

void entries_take(AnyVector entries, Indptr indptr, Indptr rows, AnyOut out, Indptr ends, int64_t threads) {
    require_fit(indptr, rows, ends, out.size());
    using std::uint8_t, std::uint16_t, std::int32_t;
    with_type<uint8_t, uint16_t, int32_t, int64_t, float, double>(entries, [&](const auto *from) {
        with_output<uint8_t, uint16_t, int32_t, int64_t, float, double>(out, [&](auto *to) {
            using From = std::decay_t<decltype(*from)>;
            using To = std::decay_t<decltype(*to)>;
            if constexpr (may_hold<From, To> && !(std::is_floating_point_v<From> && std::is_integral_v<To>))
                take_entries(from, indptr, rows, to, ends, threads);
            else throw wrong_type();
        });
    });
}

// Whether every row has a single value and increasing columns. Then the matrix is diag(values) times its pattern, with
// 1 in `values` for an empty row. Ends at the first row that fails.
template <class T, class I>
bool csr_row_values(In<T> data, In<I> indices, Indptr indptr, Out<double> values) {
    require_rows(indptr, values.size());
    const T *v = data.data();
    const I *index = indices.data();
    const int64_t *ptr = indptr.data();
    nb::gil_scoped_release release;
    Pulse pulse;
    for (size_t i = 0; i < values.size(); ++i) {
        const int64_t first = ptr[i], last = ptr[i + 1];
        int wrong = 0;
        for (int64_t p = first + 1; p < last; ++p) wrong |= (v[p] != v[first]) | (index[p - 1] >= index[p]);
        if (wrong) return false;
        values.data()[i] = first < last ? double(v[first]) : 1.0;
        pulse.beat(size_t(last - first + 1));
    }
    return true;
}

}  // namespace

void bind_products_selection(nb::module_ &m) {
    const auto take_entries = [&m](auto kernel) {
        m.def("csr_take", kernel, array("data"), array("indices"), array("indptr"), array("rows"), array("data_out"),
              array("indices_out"), array("ends"), nb::arg("threads") = 1);
    };
    take_entries(&csr_take<double, std::int32_t>);
    take_entries(&csr_take<double, int64_t>);
    take_entries(&csr_take<float, std::int32_t>);
    take_entries(&csr_take<float, int64_t>);
    bind_csr_types(m, "csr_row_values", &csr_row_values<double, std::int32_t>, [](const auto &...all) { return csr_row_values(all...); }, array("values"));
    m.def("entries_take", &entries_take, array("entries"), array("indptr"), array("rows"), array("out"), array("ends"),
          nb::arg("threads") = 1);
}

}  // namespace pragam
