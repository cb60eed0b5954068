// A visit to one example whose K dual variables lie in a box: all that is done to them in two vectorised passes.
//
// What is done is that of find_slopes, judge, aim and make_step (visit.hpp, sweep.cpp), for a curvature q > 0. The arrays
// are padded to a multiple of eight with variables that are held at 0 and stay there.
#pragma once

#include <vector>

#include "blocks/visit.hpp"

namespace pragam {

struct BoxVisit {
    std::int64_t K, width;
    std::vector<double> alpha, c, sign, shift, slope, target;
    double gap = 0, margin = 0, gain = 0;
    bool is_held = false, is_turned = false, is_free = false;
    std::int64_t moved = 0;

    BoxVisit(std::int64_t K, std::int64_t width)
        : K(K), width(width), alpha(std::size_t(width), 0.0), c(std::size_t(width), -1e300),
          sign(std::size_t(width), 1.0), shift(std::size_t(width), 0.0), slope(std::size_t(width)),
          target(std::size_t(width)) {}

    void read(const BlockSet &blocks, const BlockPlanes &planes, std::int64_t i) {
        std::copy_n(blocks.alpha + i * K, K, alpha.data());
        std::copy_n(blocks.c + i * K, K, c.data());
        if (blocks.sign) std::copy_n(blocks.sign + i * K, K, sign.data());
        for (std::int64_t k = 0; k < planes.count; ++k)
            shift[std::size_t(k)] = planes.offset[std::size_t(k)] + planes.slant[std::size_t(k)] * planes.lift[i];
    }
};

// Whether a variable is at the bound that its slope pushes it to.
PRAGAM_INLINE bool is_held_at_bound(double a, double s, double total) {
    return ((a <= 0) & (s <= 0)) | ((a >= total) & (s >= 0));
}

// The slopes, the gap, how firmly the block is held, and where the exact step leads.
template <class F>
PRAGAM_VECTORISED static void look(BoxVisit &at, const F *PRAGAM_RESTRICT product, double total, double inverse) {
    const double *PRAGAM_RESTRICT alpha = at.alpha.data(), *PRAGAM_RESTRICT c = at.c.data(),
                 *PRAGAM_RESTRICT sign = at.sign.data(), *PRAGAM_RESTRICT shift = at.shift.data();
    double *PRAGAM_RESTRICT slope = at.slope.data(), *PRAGAM_RESTRICT target = at.target.data();
    double gap[lane_count] = {}, open[lane_count] = {}, least[lane_count];
    for (int k = 0; k < lane_count; ++k) least[k] = -minus_infinity;
    for (std::int64_t j = 0; j < at.width; j += lane_count)
        for (int k = 0; k < lane_count; ++k) {
            const double a = alpha[j + k], s = c[j + k] + sign[j + k] * (double(product[j + k]) + shift[j + k]);
            const bool held = is_held_at_bound(a, s, total);
            gap[k] += s * (s > 0 ? total - a : -a);
            open[k] += held ? 0.0 : 1.0;
            const double hold = held ? (s < 0 ? -s : s) : 0.0, to = a + s * inverse, above = to > 0 ? to : 0.0;
            least[k] = hold < least[k] ? hold : least[k];
            slope[j + k] = s;
            target[j + k] = above < total ? above : total;
        }
    at.gap = sum_of(gap), at.is_held = sum_of(open) == 0;
    at.margin = least[0];
    for (int k = 1; k < lane_count; ++k) at.margin = std::min(at.margin, least[k]);
}

// The step to the target: what it gains, what the weights move by, and how firmly the block is held after it.
template <class F>
PRAGAM_VECTORISED static void go(BoxVisit &at, double total, double q, double lam, F *PRAGAM_RESTRICT step) {
    const double *PRAGAM_RESTRICT alpha = at.alpha.data(), *PRAGAM_RESTRICT sign = at.sign.data(),
                 *PRAGAM_RESTRICT slope = at.slope.data(), *PRAGAM_RESTRICT target = at.target.data();
    double gain[lane_count] = {}, moved[lane_count] = {}, turned[lane_count] = {}, inside[lane_count] = {};
    double least[lane_count];
    for (int k = 0; k < lane_count; ++k) least[k] = -minus_infinity;
    for (std::int64_t j = 0; j < at.width; j += lane_count)
        for (int k = 0; k < lane_count; ++k) {
            const double a = alpha[j + k], t = target[j + k], change = t - a, s = slope[j + k];
            const double after = s - q * change, size = after < 0 ? -after : after;
            gain[k] += change * (s - 0.5 * q * change);
            moved[k] += change != 0 ? 1.0 : 0.0;
            turned[k] += ((a == 0) != (t == 0)) | ((a == total) != (t == total)) ? 1.0 : 0.0;
            inside[k] += (t > 0) & (t < total) ? 1.0 : 0.0;
            const double hold = is_held_at_bound(t, after, total) ? size : 0.0;
            least[k] = hold < least[k] ? hold : least[k];
            step[j + k] = F(-change * sign[j + k] / lam);
        }
    at.gain = sum_of(gain), at.moved = std::int64_t(sum_of(moved));
    at.is_turned = sum_of(turned) > 0, at.is_free = sum_of(inside) > 0;
    if (!at.moved) return;
    at.margin = least[0];
    for (int k = 1; k < lane_count; ++k) at.margin = std::min(at.margin, least[k]);
}

// What follows of the step for alpha and the planes; the labels that move, if they are few.
inline void keep(const BoxVisit &at, BlockSet &blocks, BlockPlanes &planes, std::int64_t i, std::int32_t *labels) {
    std::copy_n(at.target.data(), at.K, blocks.alpha + i * at.K);
    const bool lists = at.moved <= few_labels;
    std::int64_t count = 0;
    for (std::int64_t k = 0; (lists || planes.count) && k < at.K; ++k) {
        const double change = at.target[std::size_t(k)] - at.alpha[std::size_t(k)];
        if (change == 0) continue;
        if (lists) labels[count++] = std::int32_t(k);
        if (planes.count) planes.move(k, change * at.sign[std::size_t(k)], planes.lift[i]);
    }
}

}  // namespace pragam
