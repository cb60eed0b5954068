// A copy of some rows of a CSR matrix, for many sweeps over them. Columns are relabelled in the order of their first
// occurrence, and columns with only one entry are left out. Specification: compact.py.
#include <nanobind/stl/tuple.h>

#include "common/storages.hpp"

namespace pragam {
namespace {

using Indptr = In<std::int64_t>;

void require_rows(const Indptr &indptr, const Indptr &rows) {
    const std::int64_t n = std::int64_t(indptr.size()) - 1;
    for (std::size_t k = 0; k < rows.size(); ++k)
        require(rows.data()[k] >= 0 && rows.data()[k] < n, "a row number is out of range");
}

template <class I>
void count_columns(In<I> indices, Indptr indptr, Indptr rows, Out<std::int32_t> counts) {
    require_rows(indptr, rows);
    const I *index = indices.data();
    const std::int64_t *ptr = indptr.data();
    std::int32_t *count = counts.data();
    nb::gil_scoped_release release;
    Pulse pulse;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t first = ptr[rows.data()[k]], last = ptr[rows.data()[k] + 1];
        for (std::int64_t p = first; p < last; ++p) ++count[index[p]];
        pulse.beat(std::size_t(last - first));
    }
}

// Where the copy is written: the entries, the weights of its columns, and what the columns that are left out contribute
// to each row. T and J are the types of the copy's values and indices.
template <class T, class J>
using CompactRecord = std::tuple<Out<T>, Out<J>, Out<std::int64_t>, Out<double>, Out<double>, Out<double>>;

// labels[j] is the number of entries in column j, and becomes minus its new number minus one.
template <class T, class I, class J>
void compact(In<T> data, In<I> indices, Indptr indptr, Indptr rows, In<double> w, Out<std::int32_t> labels,
             const CompactRecord<T, J> &copy) {
    const auto &[new_data, new_indices, new_indptr, new_w, score, norm2] = copy;
    require_rows(indptr, rows);
    require(new_indptr.size() == rows.size() + 1 && score.size() == rows.size() && norm2.size() == rows.size(),
            "csr_compact: indptr, score and norm2 of the copy must fit rows");
    require(labels.size() == w.size() && new_data.size() == new_indices.size(), "csr_compact: lengths do not match");
    nb::gil_scoped_release release;
    Pulse pulse;
    std::size_t to = 0;
    std::int32_t columns = 0;
    new_indptr.data()[0] = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t first = indptr.data()[rows.data()[k]], last = indptr.data()[rows.data()[k] + 1];
        double s = 0, n2 = 0;
        for (std::int64_t p = first; p < last; ++p) {
            const I j = indices.data()[p];
            const double x = double(data.data()[p]);
            std::int32_t &label = labels.data()[j];
            if (label == 1) {
                s += x * w.data()[j];
                n2 += x * x;
                continue;
            }
            if (label > 0) {
                require(std::size_t(columns) < new_w.size(), "csr_compact: w of the copy is too short");
                new_w.data()[columns] = w.data()[j];
                label = -1 - columns++;
            }
            require(to < new_data.size(), "csr_compact: data of the copy is too short");
            new_data.data()[to] = data.data()[p];
            new_indices.data()[to++] = J(-1 - label);
        }
        new_indptr.data()[k + 1] = std::int64_t(to);
        score.data()[k] = s;
        norm2.data()[k] = n2;
        pulse.beat(std::size_t(last - first));
    }
}

template <class T, class I>
void bind_compact(nb::module_ &m) {
    const auto bind_one = [&m](auto f) {
        m.def("csr_compact", f, array("data"), array("indices"), array("indptr"), array("rows"), array("w"),
              array("labels"), array("copy"));
    };
    bind_one(&compact<T, I, std::uint16_t>);
    bind_one(&compact<T, I, std::int32_t>);
}

}  // namespace

void bind_coordinate_compact(nb::module_ &m) {
    const auto count = [&m](auto f) {
        m.def("csr_count_columns", f, array("indices"), array("indptr"), array("rows"), array("counts"));
    };
    count(&count_columns<std::int32_t>);
    count(&count_columns<std::int64_t>);
    bind_compact<float, std::int32_t>(m);
    bind_compact<float, std::int64_t>(m);
    bind_compact<double, std::int32_t>(m);
    bind_compact<double, std::int64_t>(m);
}

}  // namespace pragam
