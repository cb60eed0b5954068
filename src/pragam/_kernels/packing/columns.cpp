// What the entries of a part say of its columns. Specification: columns.py.
#include <algorithm>
#include <limits>

#include "common/storages.hpp"

namespace pragam {
namespace {

template <class I>
bool are_inside(const I *indices, std::size_t entries, std::size_t d) {
    const I last = I(std::min<std::size_t>(d, std::size_t(std::numeric_limits<I>::max())) - 1);
    int wrong = d == 0 && entries > 0;
    for (std::size_t p = 0; p < entries; ++p) wrong |= (indices[p] < 0) | (indices[p] > last);
    return !wrong;
}

template <class T, class I>
void column_facts(const T *data, const I *indices, std::int64_t entries, const double *mean, const double *first,
                  double *squares, double *stored, bool *differs) {
    constexpr std::int64_t batch = 4096;
    Pulse pulse;
    for (std::int64_t begin = 0; begin < entries; begin += batch) {
        const std::int64_t end = std::min(begin + batch, entries);
        for (std::int64_t p = begin; p < end; ++p) {
            const auto j = indices[p];
            const double value = double(data[p]), apart = value - mean[j];
            squares[p] = apart * apart;
            stored[j] += 1;
            differs[j] |= value != first[j];  // without a branch: of one-hot rows nobody can tell
        }
        pulse.beat(std::size_t(end - begin));
    }
}

void csr_column_facts(AnyVector data, AnyVector indices, In<double> mean, In<double> first, Out<double> squares,
                      Out<double> stored, Out<bool> differs) {
    const std::size_t d = stored.size(), entries = data.size();
    require(indices.size() == entries && squares.size() == entries, "csr_column_facts: one index and square an entry");
    require(mean.size() == d && first.size() == d && differs.size() == d, "csr_column_facts: one number a column");
    with_type<float, double>(data, [&](const auto *values) {
        with_type<std::int32_t, std::int64_t>(indices, [&](const auto *index) {
            require(are_inside(index, entries, d), "csr_column_facts: an index is out of range");
            nb::gil_scoped_release release;
            std::fill_n(stored.data(), d, 0.0);
            column_facts(values, index, std::int64_t(entries), mean.data(), first.data(), squares.data(),
                         stored.data(), differs.data());
        });
    });
}

}  // namespace

void bind_packing_columns(nb::module_ &m) {
    m.def("csr_column_facts", &csr_column_facts, array("data"), array("indices"), array("mean"), array("first"),
          array("squares"), array("stored"), array("differs"));
}

}  // namespace pragam
