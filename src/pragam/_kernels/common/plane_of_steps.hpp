// The plane of the last step p and of what was done before, h: what momentum for coordinates and for blocks share.
//
// F is a concave quadratic function on the whole space, H = -F''. Its maximum over the plane is that of a 2 x 2 system.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "common/kernel.hpp"
#include "common/vectorised.hpp"

namespace pragam {

struct Limits {
    double ridge, longest, clipped;
};

// Products of p and h with each other, or with H between them.
struct Products {
    double pp = 0, ph = 0, hh = 0;

    void add(const Products &more) { pp += more.pp, ph += more.ph, hh += more.hh; }
};

struct Step {
    double p, h;
};

// Of F, and of its slope along h.
struct Change {
    double gain, slope;
};

struct Points {
    const double *before;
    double *step, *history;
};

struct Ascent {
    double gain, slope;
    bool has_history;
};

using PointsRecord = std::tuple<In<double>, Out<double>, Out<double>>;
using AscentRecord = std::tuple<double, double, bool>;
using LimitsRecord = std::tuple<double, double, double>;
using Pushed = std::tuple<double, double, bool>;  // the gain, the slope along h, whether h is worth keeping

namespace {

// p = now - before, and its products with itself and h, over a few entries.
PRAGAM_VECTORISED Products subtract_some(std::int64_t count, const double *PRAGAM_RESTRICT now,
                                         const double *PRAGAM_RESTRICT before, const double *PRAGAM_RESTRICT h,
                                         double *PRAGAM_RESTRICT p) {
    constexpr std::int64_t lanes = 8;  // partial sums, so that the loop vectorises
    double pp[lanes] = {}, ph[lanes] = {}, hh[lanes] = {};
    const auto add = [&](std::int64_t j, std::int64_t k) {
        const double difference = now[j] - before[j], past = h[j];
        p[j] = difference;
        pp[k] += difference * difference;
        ph[k] += difference * past;
        hh[k] += past * past;
    };
    std::int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
        for (std::int64_t k = 0; k < lanes; ++k) add(first + k, k);
    for (std::int64_t j = first; j < count; ++j) add(j, j - first);
    for (std::int64_t k = 1; k < lanes; ++k) pp[0] += pp[k], ph[0] += ph[k], hh[0] += hh[k];
    return {pp[0], ph[0], hh[0]};
}

// The same over all: in short sums, so that rounding does not grow with their number.
[[maybe_unused]] Products subtract(std::int64_t count, const double *now, const double *before, const double *h, double *p) {
    constexpr std::int64_t some = 2048;
    Products all;
    for (std::int64_t j = 0; j < count; j += some)
        all.add(subtract_some(std::min(some, count - j), now + j, before + j, h + j, p + j));
    return all;
}

// now += v and h = p + v, with v = t_p p + t_h h.
PRAGAM_VECTORISED void advance(std::int64_t count, Step t, const double *PRAGAM_RESTRICT p, double *PRAGAM_RESTRICT now,
                               double *PRAGAM_RESTRICT h) {
    for (std::int64_t j = 0; j < count; ++j) {
        const double v = t.p * p[j] + t.h * h[j];
        now[j] += v;
        h[j] = p[j] + v;
    }
}

}  // namespace

// The highest point of the plane, with a ridge along h, or a point on the way there. 0 if there is none.
inline Step highest(const Products &H, double g_p, double g_h, const Limits &limits) {
    const double hh = (1 + limits.ridge) * H.hh, det = H.pp * hh - H.ph * H.ph;
    if (!(det > 0)) return {0, 0};
    const Step t{(hh * g_p - H.ph * g_h) / det, (H.pp * g_h - H.ph * g_p) / det};
    const double shorter = limits.longest / std::max({std::abs(t.p), std::abs(t.h), limits.longest});
    return {shorter * t.p, shorter * t.h};
}

// What a step t over the plane, where F has the slopes g_p and g_h, brings.
inline Change over_plane(const Products &H, double g_p, double g_h, Step t) {
    const double left_p = g_p - H.pp * t.p - H.ph * t.h, left_h = g_h - H.ph * t.p - H.hh * t.h;
    return {0.5 * ((g_p + left_p) * t.p + (g_h + left_h) * t.h), left_p * (1 + t.p) + left_h * t.h};
}

}  // namespace pragam
