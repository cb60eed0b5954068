// What a visit to one example needs: its dual variables, the planes, its slopes, and where its exact step leads.
#pragma once

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "blocks/projections.hpp"
#include "blocks/rows.hpp"

namespace pragam {

constexpr double far = 1e100;  // in units of a block

enum class Shape { simplex, pairs, box };

struct BlockSet {
    Shape shape;
    std::int64_t n, K;
    double *alpha;
    const double *c, *totals, *q, *sign;
    double *margin;
};

// The planes of the biases. `offset` is what they add to the product of label k, but for the part with lift_i.
struct BlockPlanes {
    double *multiplier;
    const double *lift;
    double *residual, *moment;
    double rho, centre2, lam;
    std::int64_t count;
    std::vector<double> offset, slant;  // slant_k = r_k / lam

    void refresh(std::int64_t k) {
        slant[std::size_t(k)] = residual[k] / lam;
        offset[std::size_t(k)] = multiplier[k] - rho * residual[k] - moment[k] - slant[std::size_t(k)] * centre2;
    }
    // The step of the multipliers between two sweeps.
    void ascend() {
        for (std::int64_t k = 0; k < count; ++k) multiplier[k] -= rho * residual[k], refresh(k);
    }
    // What the residuals may change of the gap; biases b_k - moment_k count from their mean, since the same may be added
    // to all.
    double excess() const {
        double mean = 0, sum = 0;
        for (std::int64_t k = 0; k < count; ++k) mean += (multiplier[k] - moment[k]) / double(count);
        for (std::int64_t k = 0; k < count; ++k)
            sum += (1 + std::abs(multiplier[k] - moment[k] - mean)) * std::abs(residual[k]);
        return sum;
    }
    void move(std::int64_t k, double step, double lift_i) {
        residual[k] += step;
        moment[k] -= step * lift_i / lam;
        refresh(k);
    }
};

// What the visit to a block has found, and where its step leads.
struct Visit {
    std::int64_t K, width;
    std::vector<double> alpha, slope, target, side, scratch;  // padded to the width: 0, -inf, -inf, 0
    double gap, margin;
    bool held;

    Visit(std::int64_t K, std::int64_t width)
        : K(K), width(width), alpha(std::size_t(width), 0.0), slope(std::size_t(width), minus_infinity),
          target(std::size_t(width), minus_infinity), side(std::size_t(width), 0.0),
          scratch(std::size_t(width)) {}
};

// The slopes of a block, from the products of its row with all weights.
template <class F>
void find_slopes(Visit &at, const BlockSet &blocks, const BlockPlanes &planes, std::int64_t i, const F *product) {
    const double *c = blocks.c + i * at.K, *alpha = blocks.alpha + i * at.K;
    double *slope = at.slope.data();
    for (std::int64_t k = 0; k < at.K; ++k) slope[k] = double(product[k]);
    if (planes.count)
        for (std::int64_t k = 0; k < at.K; ++k)
            slope[k] += planes.offset[std::size_t(k)] + planes.slant[std::size_t(k)] * planes.lift[i];
    if (blocks.sign) {
        const double *sign = blocks.sign + i * at.K;
        for (std::int64_t k = 0; k < at.K; ++k) slope[k] *= sign[k], at.side[std::size_t(k)] = sign[k];
    }
    for (std::int64_t k = 0; k < at.K; ++k) slope[k] += c[k];
    std::copy_n(alpha, at.K, at.alpha.data());
}

// The nearest point of the block to the target, in place.
inline void project(Visit &at, Shape shape, double total) {
    double *target = at.target.data();
    if (shape == Shape::simplex) {
        if (total > 0) project_on_simplex(target, at.scratch.data(), at.width, total);
        else std::fill_n(target, at.K, 0.0);
        std::fill(target + at.K, target + at.width, minus_infinity);
    } else if (shape == Shape::pairs) {
        project_on_pairs(target, at.side.data(), at.K, total);
    } else {
        for (std::int64_t k = 0; k < at.K; ++k) target[k] = std::min(std::max(target[k], 0.0), total);
    }
}

// Where the exact step leads. Where there is no curvature, or next to none, it leads so far from the block that the
// nearest point is the best vertex.
inline void aim(Visit &at, Shape shape, double q, double total) {
    double *target = at.target.data(), size = 0;
    const double inverse = 1 / q;
    bool finite = q > 0;
    for (std::int64_t k = 0; finite && k < at.K; ++k) {
        target[k] = at.alpha[std::size_t(k)] + at.slope[std::size_t(k)] * inverse;
        finite = std::isfinite(target[k]);
    }
    if (!finite) {
        for (std::int64_t k = 0; k < at.K; ++k) size = std::max(size, std::abs(at.slope[std::size_t(k)]));
        for (std::int64_t k = 0; k < at.K; ++k)
            target[k] = size > 0 ? at.slope[std::size_t(k)] / size * (far * std::max(total, 1 / far)) : 0.0;
    }
    project(at, shape, total);
}

// The records of records.py, as Python passes them.
using BlocksRecord = std::tuple<std::int64_t, Out<double>, In<double>, In<double>, In<double>,
                                std::optional<In<double>>, Out<double>>;
using BlockPlanesRecord = std::tuple<Out<double>, Out<double>, In<double>, double, double>;
template <class F>
using TableArray = nb::ndarray<F, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline BlockSet blocks_of(const BlocksRecord &record) {
    const auto &[shape, alpha, c, totals, q, sign, margin] = record;
    const std::size_t n = totals.size();
    require(shape >= 0 && shape <= 2, "shape must be 0, 1 or 2");
    require(n > 0 && n < (std::size_t(1) << 32) && alpha.size() % n == 0 && alpha.size() > 0,
            "alpha must have as many entries for each total");
    require(c.size() == alpha.size() && q.size() == n && margin.size() == n && (!sign || sign->size() == alpha.size()),
            "c and sign must be as long as alpha, q and margin as long as totals");
    require(shape != 1 || sign, "pairs must have signs");
    return {Shape(shape), std::int64_t(n), std::int64_t(alpha.size() / n), alpha.data(), c.data(), totals.data(),
            q.data(), sign ? sign->data() : nullptr, margin.data()};
}

inline BlockPlanes block_planes_of(const BlockPlanesRecord &record, const BlockSet &blocks, double lam) {
    const auto &[multiplier, running, lift, rho, centre2] = record;
    const std::size_t K = multiplier.size();
    require(K == 0 || std::int64_t(K) == blocks.K, "there must be a plane for each label, or none");
    require(running.size() == 2 * K && lift.size() == (K ? std::size_t(blocks.n) : 0),
            "running must have two entries a plane, lift one an example");
    BlockPlanes planes{multiplier.data(), lift.data(), running.data(), running.data() + K, rho, centre2, lam,
                       std::int64_t(K), std::vector<double>(K), std::vector<double>(K)};
    for (std::size_t k = 0; k < K; ++k) planes.refresh(std::int64_t(k));
    return planes;
}

}  // namespace pragam
