// The nearest point of one block: of a simplex, of the marginals of pairs, of a box. All in place on `v`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "common/lanes.hpp"

namespace pragam {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Eight values in one.
PRAGAM_INLINE double largest_of(const double *lane) {
    double top = lane[0];
    for (int k = 1; k < lane_count; ++k) top = std::max(top, lane[k]);
    return top;
}

PRAGAM_INLINE double sum_of(const double *lane) {
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

// The largest of `width` numbers, a multiple of eight.
PRAGAM_VECTORISED static double largest(const double *v, std::int64_t width) {
    double lane[lane_count];
    for (int k = 0; k < lane_count; ++k) lane[k] = v[k];
    for (std::int64_t j = lane_count; j < width; j += lane_count)
        for (int k = 0; k < lane_count; ++k) lane[k] = lane[k] > v[j + k] ? lane[k] : v[j + k];
    return largest_of(lane);
}

// The t at which sum [v_k - t]_+ = total, of `count` values v_k <= 0 whose largest is 0, total > 0. Newton's method from
// t = -total, which is too low: the sum is convex in t, so t rises, and values below it are done with.
inline double threshold(double *v, std::int64_t count, double total) {
    double t = -total;
    for (std::int64_t last = 0;; last = count) {
        double sum = 0;
        std::int64_t above = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            const double x = v[k];
            v[above] = x;
            sum += x > t ? x : 0.0;
            above += x > t;
        }
        const double next = (sum - total) / double(above);
        if (!(next > t)) return t;
        t = next, count = above;
        if (count == last) return t;
    }
}

// [v - t]_+ with the t at which it sums to `total` > 0; v is padded with -inf, `near` is scratch of the same length.
// Values are taken less max v first, so rounding is relative to the total however large v is.
PRAGAM_VECTORISED static void project_on_simplex(double *v, double *near, std::int64_t width, double total) {
    const double top = largest(v, width);
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < width; ++k) {
        v[k] -= top;
        near[count] = v[k];
        count += v[k] > -total;
    }
    const double t = threshold(near, count, total);
    for (std::int64_t k = 0; k < width; ++k) v[k] = v[k] > t ? v[k] - t : 0.0;
}

// Whether entry k belongs to this side: +1 the wrong labels, -1 the right ones.
PRAGAM_INLINE bool is_on(const double *side, std::int64_t k, double which) { return side[k] == which; }

PRAGAM_INLINE double largest_on(const double *v, const double *side, std::int64_t K, double which) {
    double top = minus_infinity;
    for (std::int64_t k = 0; k < K; ++k)
        if (is_on(side, k, which) && v[k] > top) top = v[k];
    return top;
}

// As project_on_simplex, for the entries of one side.
inline void project_side(double *v, const double *side, std::int64_t K, double which, double top, double total) {
    double t = -total;
    for (std::int64_t last = 0;;) {
        double sum = 0;
        std::int64_t number = 0;
        for (std::int64_t k = 0; k < K; ++k)
            if (is_on(side, k, which) && v[k] - top > t) sum += v[k] - top, ++number;
        const double next = (sum - total) / double(number);
        const bool rises = next > t;
        if (rises) t = next;
        if (!rises || number == last) break;
        last = number;
    }
    for (std::int64_t k = 0; k < K; ++k)
        if (is_on(side, k, which)) v[k] = v[k] - top > t ? (v[k] - top) - t : 0.0;
}

// p = [y - below]_+ on the wrong labels and q = [height - y - below]_+ on the right ones with equal sums, unless these
// exceed the total: then each side is projected on a simplex of its own. `below` is how far an entry is below the largest
// of its side, and the height is the sum of the two largest. The excess of the wrong side rises with y, piece by piece
// linear: Newton's method, kept between two values of y where the excess has different signs.
inline void project_on_pairs(double *v, const double *side, std::int64_t K, double total) {
    const double top[2] = {largest_on(v, side, K, 1.0), largest_on(v, side, K, -1.0)};
    const double height = top[0] + top[1];
    if (!(height > 0) || !(total > 0)) return void(std::fill_n(v, K, 0.0));
    double low = 0, high = height, y = 0.5 * height, mass = std::numeric_limits<double>::infinity();
    for (int round = 0; height <= 2 * total && round < 100; ++round) {
        double sum = 0, wrong = 0, right = 0;
        std::int64_t number = 0;
        for (std::int64_t k = 0; k < K; ++k) {
            const bool is_wrong = side[k] > 0;
            const double below = top[!is_wrong] - v[k], reach = is_wrong ? y : height - y;
            if (!(below < reach)) continue;
            (is_wrong ? wrong : right) += reach - below;
            sum += is_wrong ? below : height - below;
            ++number;
        }
        mass = wrong;
        (wrong > right ? high : low) = y;
        double next = number ? sum / double(number) : 0.5 * (low + high);
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (next == y || !(high - low > 1e-16 * height)) break;
        y = next;
    }
    if (!(mass <= total)) {
        project_side(v, side, K, 1.0, top[0], total);
        return project_side(v, side, K, -1.0, top[1], total);
    }
    for (std::int64_t k = 0; k < K; ++k) {
        const bool is_wrong = side[k] > 0;
        v[k] = std::max((is_wrong ? y : height - y) - (top[!is_wrong] - v[k]), 0.0);
    }
}

}  // namespace pragam
