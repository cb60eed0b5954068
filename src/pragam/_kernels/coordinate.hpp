// Shared by the kernels of coordinate ascent: a row's numbers, the equality, and the bindings.
#pragma once

#include "rows.hpp"

namespace pragam {

// Everything that a sweep reads and writes for a row, in one cache line.
struct Row {
    double scale, c, lower, upper, q, delta;
    double alpha;
    double slope;  // after the last visit; NaN if that is too long ago
};
static_assert(sizeof(Row) == 8 * sizeof(double));

struct Plane {
    const double *terms;  // sigma_i and lift_i of each row
    double *running;      // r and moment, kept up to date
    double bias, rho, centre2;

    double slope(std::int64_t i, double score, double lam) const {
        const double r = running[0], moment = running[1], sigma = terms[2 * i], lift = terms[2 * i + 1];
        return score - lift * r / lam - sigma * (bias + (rho + centre2 / lam) * r - moment);
    }

    void move(std::int64_t i, double step, double lam) const {
        running[0] += step * terms[2 * i];
        running[1] -= step * terms[2 * i + 1] / lam;
    }
};

using Table = nb::ndarray<double, nb::shape<-1, 8>, nb::c_contig, nb::device::cpu>;
using PlaneTerms = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// For every storage, also for the 16-bit indices of a compact copy and for a pattern without values.
template <template <class...> class Kernel, class... Args>
void bind_all(nb::module_ &m, const char *csr, const char *dense, const char *pattern, Args... args) {
    using Indptr = In<std::int64_t>;
    bind_storages<Kernel>(m, csr, dense, args...);
    bind_storage<Kernel, In<float>, In<std::uint16_t>, Indptr>(m, csr, args...);
    bind_storage<Kernel, In<double>, In<std::uint16_t>, Indptr>(m, csr, args...);
    bind_storage<Kernel, PatternIndices, Indptr>(m, pattern, args...);
}

}  // namespace pragam
