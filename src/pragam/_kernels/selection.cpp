// Copies of some rows of X. Specification: twins/selection.py.
#include <algorithm>

#include "rows.hpp"

namespace pragam {
namespace {

// The entries of the given rows, one row after the other; `ends` (one longer than rows) receives their indptr.
template <class T, class I>
void csr_take(In<T> data, In<I> indices, In<std::int64_t> indptr, In<std::int64_t> rows, Out<T> data_out,
              Out<I> indices_out, In<std::int64_t> ends) {
    const std::int64_t n = std::int64_t(indptr.size()) - 1, *first = indptr.data(), *end = ends.data();
    const std::size_t count = rows.size();
    require(ends.size() == count + 1 && data_out.size() == indices_out.size(), "csr_take: wrong length of an output");
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t i = rows.data()[k];
        require(i >= 0 && i < n && end[k] >= 0 && end[k + 1] - end[k] == first[i + 1] - first[i] &&
                    end[k + 1] <= std::int64_t(data_out.size()),
                "csr_take: rows out of range, or ends that do not fit them");
    }
    nb::gil_scoped_release release;
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t i = rows.data()[k];
        std::copy(data.data() + first[i], data.data() + first[i + 1], data_out.data() + end[k]);
        std::copy(indices.data() + first[i], indices.data() + first[i + 1], indices_out.data() + end[k]);
    }
}

}  // namespace

void bind_selection(nb::module_ &m) {
#define PRAGAM_CSR_TAKE(T, I)                                                                                        \
    m.def("csr_take", &csr_take<T, I>, array("data"), array("indices"), array("indptr"), array("rows"),               \
          array("data_out"), array("indices_out"), array("ends"))
    PRAGAM_CSR_TAKE(float, std::int32_t);
    PRAGAM_CSR_TAKE(float, std::int64_t);
    PRAGAM_CSR_TAKE(double, std::int32_t);
    PRAGAM_CSR_TAKE(double, std::int64_t);
#undef PRAGAM_CSR_TAKE
}

}  // namespace pragam
