// Rows in single precision with indices of 16 or 32 bits, padded to a multiple of eight entries: what single_rows.cpp
// writes and the sweeps walk.
#pragma once

#include "common/gather.hpp"
#include "common/storages.hpp"

namespace pragam {

// Sums are in single precision where w is, else double. An entry that pads a row is 0.
template <class I>
struct SingleRows {
    const I *indices;
    const float *data;
    const std::int64_t *indptr;

    std::int64_t length(std::int64_t i) const { return indptr[i + 1] - indptr[i]; }

    // All of it: rows are met in an order that the hardware cannot know.
    void prefetch(std::int64_t i) const {
        const std::int64_t first = indptr[i], end = indptr[i + 1];
        for (std::int64_t k = first; k < end; k += std::int64_t(64 / sizeof(float))) prefetch_line(data + k);
        for (std::int64_t k = first; k < end; k += std::int64_t(64 / sizeof(*indices))) prefetch_line(indices + k);
    }

    double dot(std::int64_t i, const float *w) const {
        return gathered_dot(data + indptr[i], indices + indptr[i], length(i), w);
    }

    double dot(std::int64_t i, const double *w) const {
        double s[4] = {};
        for (std::int64_t p = indptr[i]; p < indptr[i + 1]; p += 4)
            for (int k = 0; k < 4; ++k) s[k] += double(data[p + k]) * w[indices[p + k]];
        return (s[0] + s[1]) + (s[2] + s[3]);
    }

    template <class W>
    void add_to(std::int64_t i, double t, W *w) const {
        const W by = W(t);
        for (std::int64_t p = indptr[i]; p < indptr[i + 1]; ++p) w[indices[p]] += by * W(data[p]);
    }
};

// From the raw arrays that Python passes, the indices first.
template <class Use>
auto with_rows(std::size_t n, std::size_t, const Use &use, const AnyVector &indices, const In<float> &data,
               const Indptr &indptr) {
    require_indptr(indptr, n);
    std::int64_t padded = 0;
    for (std::size_t i = 0; i <= n; ++i) padded |= indptr.data()[i];
    require(padded % gather_lanes == 0, "every row must be padded to a multiple of eight entries");
    return with_type<std::uint16_t, std::uint32_t>(indices, [&](const auto *index) {
        return use(SingleRows<std::decay_t<decltype(*index)>>{index, data.data(), indptr.data()});
    });
}

// Registers the kernel for them, too.
template <template <class...> class Kernel, class... Args>
void bind_single(nb::module_ &m, const char *name, Args... args) {
    bind_storage<Kernel, AnyVector, In<float>, Indptr>(m, name, args...);
}

}  // namespace pragam
