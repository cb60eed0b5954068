// A copy of the rows of a CSR matrix in single precision, in another order. Specification: single_rows.py.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nanobind/stl/tuple.h>

#include "common/vectorised.hpp"
#include "coordinate/single_rows.hpp"

namespace pragam {
namespace {

// Rounds `count` values. Returns whether each kept its digits: none became infinite, zero or subnormal.
template <class T>
PRAGAM_VECTORISED bool round_values(const T *PRAGAM_RESTRICT x, std::int64_t count, float *PRAGAM_RESTRICT rounded) {
    constexpr T least = T(std::numeric_limits<float>::min()), most = T(std::numeric_limits<float>::max());
    int lost = 0;
    for (std::int64_t p = 0; p < count; ++p) {
        const T size = std::abs(x[p]);
        rounded[p] = float(x[p]);
        lost |= (size > most) | ((size < least) & (size > 0));
    }
    return lost == 0;
}

template <class I, class J>
PRAGAM_VECTORISED void narrow_indices(const I *PRAGAM_RESTRICT index, std::int64_t count,
                                      J *PRAGAM_RESTRICT narrow) {
    for (std::int64_t p = 0; p < count; ++p) narrow[p] = J(index[p]);
}

template <class J>
using SingleRecord = std::tuple<Out<J>, Out<float>, In<std::int64_t>>;

template <class T, class I, class J>
bool csr_single(In<T> data, In<I> indices, In<std::int64_t> indptr, In<std::int64_t> order,
                const SingleRecord<J> &copy) {
    const auto &[new_indices, new_data, new_indptr] = copy;
    const std::size_t n = order.size();
    require(indptr.size() == n + 1 && new_indptr.size() == n + 1, "csr_single: indptr must fit the order");
    require(new_indices.size() == new_data.size(), "csr_single: the copy must have as many indices as values");
    const std::int64_t *ptr = indptr.data(), *to = new_indptr.data();
    nb::gil_scoped_release release;
    Pulse pulse;
    for (std::size_t k = 0; k < n; ++k) {
        const std::int64_t i = order.data()[k];
        require(i >= 0 && std::size_t(i) < n, "csr_single: a row number is out of range");
        const std::int64_t first = ptr[i], count = ptr[i + 1] - first, place = to[k];
        require(place >= 0 && to[k + 1] - place >= count && std::size_t(to[k + 1]) <= new_data.size(),
                "csr_single: a row does not fit into its place");
        if (!round_values(data.data() + first, count, new_data.data() + place)) return false;
        narrow_indices(indices.data() + first, count, new_indices.data() + place);
        std::fill(new_data.data() + place + count, new_data.data() + to[k + 1], 0.0f);
        std::fill(new_indices.data() + place + count, new_indices.data() + to[k + 1], J(0));
        pulse.beat(std::size_t(count));
    }
    return true;
}

template <class T, class I>
void bind(nb::module_ &m) {
    const auto bind_one = [&m](auto f) {
        m.def("csr_single", f, array("data"), array("indices"), array("indptr"), array("order"), array("copy"));
    };
    bind_one(&csr_single<T, I, std::uint16_t>);
    bind_one(&csr_single<T, I, std::uint32_t>);
}

}  // namespace

void bind_coordinate_single_rows(nb::module_ &m) {
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
}

}  // namespace pragam
