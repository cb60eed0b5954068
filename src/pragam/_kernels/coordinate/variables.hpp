// Shared by the kernels of coordinate ascent: the dual variables, the planes, and the bindings.
#pragma once

#include <optional>
#include <tuple>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "coordinate/single_rows.hpp"

namespace pragam {

// Everything that a sweep reads and writes for a dual variable, in one cache line. `q` is the whole curvature along it,
// `own` the part that belongs to this variable alone.
struct Row {
    double scale, c, lower, upper, q, own;
    double alpha;
    double slope;  // after the last visit; NaN if that is too long ago
};
static_assert(sizeof(Row) == 8 * sizeof(double));

struct Variables {
    Row *table;
    const std::int64_t *number;  // the data row that each variable reads; null: variable i reads row i
    const double *kappa;         // the curvature of g along each variable; null: g = 0
    bool joint;                  // whether neighbours that read one row are moved together
    std::int64_t n;

    bool is_plain() const { return !number && !kappa; }
    std::int64_t row_of(std::int64_t i) const { return number ? number[i] : i; }
};

// The planes <sigma, alpha>_k = level_k, of which a variable lies on one at most. With r the residual of the variable's
// own plane and R the sum of all residuals, the slope of variable i is its score less
//   lift_i R/lam - sigma_i (b - rho r - |m|^2 R/lam + moment).
struct Planes {
    const double *terms;        // sigma_i and lift_i of each variable
    const std::int64_t *group;  // the plane of each variable; null: there is one plane
    double *running;            // the residuals and, after them, the moment; kept up to date
    const double *multiplier;   // b of each plane; null: 0
    double rho, centre2;
    std::int64_t count;
    double total = 0;  // R, where there are several planes

    // To be called when `running` was changed by others.
    void refresh() {
        total = 0;
        for (std::int64_t k = 0; k < count; ++k) total += running[k];
    }

    double slope(std::int64_t i, double score, double lam) const {
        const std::int64_t k = group ? group[i] : 0;
        const double sigma = terms[2 * i], lift = terms[2 * i + 1], r = running[k], moment = running[count];
        double sum = r, pull = (multiplier ? multiplier[k] : 0.0) - (rho + centre2 / lam) * r;
        if (group) sum = total, pull -= centre2 / lam * (total - r);
        return score - lift * sum / lam + sigma * (pull + moment);
    }

    // The curvature by rho that variable i does not share with the others of its data row: each is on its own plane.
    double alone(std::int64_t i) const { return group ? rho * terms[2 * i] * terms[2 * i] : 0.0; }

    void move(std::int64_t i, double step, double lam) {
        const double along = step * terms[2 * i];
        running[group ? group[i] : 0] += along;
        running[count] -= step * terms[2 * i + 1] / lam;
        total += along;
    }
};

// The records of records.py, as Python passes them.
using Table = nb::ndarray<double, nb::shape<-1, 8>, nb::c_contig, nb::device::cpu>;
using PlaneTerms = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using VariablesRecord = std::tuple<Table, std::optional<In<std::int64_t>>, std::optional<In<double>>, bool>;
using PlanesRecord =
    std::tuple<PlaneTerms, std::optional<In<std::int64_t>>, Out<double>, In<double>, double, double>;

inline Variables variables_of(const VariablesRecord &record) {
    const auto &[table, number, kappa, joint] = record;
    const std::size_t n = table.shape(0);
    require(n < (std::size_t(1) << 32), "the table must have fewer than 2^32 rows");
    require((!number || number->size() == n) && (!kappa || kappa->size() == n),
            "number and kappa must have an entry for each row of the table");
    return {reinterpret_cast<Row *>(table.data()), number ? number->data() : nullptr,
            kappa ? kappa->data() : nullptr, joint && number, std::int64_t(n)};
}

inline Planes planes_of(const PlanesRecord &record, std::int64_t n) {
    const auto &[terms, group, running, multiplier, rho, centre2] = record;
    const std::size_t count = multiplier.size();
    require(terms.shape(0) == (count ? std::size_t(n) : 0) && running.size() == (count ? count + 1 : 0),
            "the planes must have terms for each row of the table, and running one entry more than there are planes");
    require(group ? group->size() == std::size_t(n) : count <= 1,
            "several planes must have a group for each row of the table");
    Planes planes{terms.data(), group ? group->data() : nullptr, running.data(), multiplier.data(), rho, centre2,
                  std::int64_t(count)};
    planes.refresh();
    return planes;
}

// use(rows) for the rows of X and of its copies: compact ones have 16-bit indices too, patterns no values.
template <class Use, class... Raw>
auto with_copies(std::size_t n, std::size_t d, const Use &use, const Raw &...raw) {
    return with_rows(n, d, use, raw...);
}

template <class Use>
auto with_copies(std::size_t n, std::size_t, const Use &use, const AnyVector &data, const AnyVector &indices,
                 const Indptr &indptr) {
    return with_csr<std::int32_t, std::int64_t, std::uint16_t>(n, use, data, indices, indptr);
}

template <class Use>
auto with_copies(std::size_t n, std::size_t, const Use &use, const AnyVector &indices, const Indptr &indptr) {
    return with_pattern<std::uint16_t>(n, use, indices, indptr);
}

// How many rows of X there are for the variables to read.
template <class... Raw>
std::size_t rows_to_read(const Variables &variables, const Raw &...raw) {
    return variables.number ? number_of_rows(raw...) : std::size_t(variables.n);
}

template <template <class...> class Kernel, class... Args>
void bind_all(nb::module_ &m, const char *csr, const char *dense, const char *pattern, Args... args) {
    bind_storages<Kernel>(m, csr, dense, args...);
    bind_storage<Kernel, AnyVector, Indptr>(m, pattern, args...);
}

}  // namespace pragam
