// One block of K dual variables: the projection on a simplex, or on pairs of a wrong and a right label.
//
//   simplex   {beta >= 0, sum beta = total}
//   pairs     {p, q >= 0, sum p = sum q <= total}, p on the wrong labels, q on the right ones
//
// Both are beta_k = [x_k - theta_k]_+ with one threshold a side. Specification: projections.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/vectorised.hpp"

namespace pragam {

// What of a block moves: nothing, all of the support with one multiplier, or each side with its own.
enum Face : std::uint8_t { vertex = 0, joint = 1, by_side = 2 };

constexpr std::int64_t block_lanes = 8;

inline std::int64_t padded(std::int64_t K) { return (K + block_lanes - 1) / block_lanes * block_lanes; }

struct Side {
    double sum;
    double count;
};

// Sum and number of the entries above theta; `size` is a multiple of the lanes.
PRAGAM_INLINE Side above(const double *PRAGAM_RESTRICT x, std::int64_t size, double theta) {
    double sum[block_lanes] = {}, count[block_lanes] = {};
    for (std::int64_t k = 0; k < size; k += block_lanes)
        for (std::int64_t j = 0; j < block_lanes; ++j) {
            const bool is_above = x[k + j] > theta;
            sum[j] += is_above ? x[k + j] : 0.0;
            count[j] += is_above ? 1.0 : 0.0;
        }
    for (std::int64_t half = block_lanes / 2; half > 0; half /= 2)
        for (std::int64_t j = 0; j < half; ++j) {
            sum[j] += sum[j + half];
            count[j] += count[j + half];
        }
    return {sum[0], count[0]};
}

PRAGAM_INLINE double largest(const double *PRAGAM_RESTRICT x, std::int64_t size) {
    double top[block_lanes];
    for (std::int64_t j = 0; j < block_lanes; ++j) top[j] = x[j];
    for (std::int64_t k = block_lanes; k < size; k += block_lanes)
        for (std::int64_t j = 0; j < block_lanes; ++j) top[j] = x[k + j] > top[j] ? x[k + j] : top[j];
    for (std::int64_t half = block_lanes / 2; half > 0; half /= 2)
        for (std::int64_t j = 0; j < half; ++j) top[j] = top[j + half] > top[j] ? top[j + half] : top[j];
    return top[0];
}

// theta with sum [x - theta]_+ = total > 0, where the largest x is 0: Newton's method from below, which ends at the root.
PRAGAM_INLINE double simplex_threshold(const double *PRAGAM_RESTRICT x, std::int64_t size, double total) {
    double theta = -total, count = 0;
    for (std::int64_t k = 0; k <= size; ++k) {
        const Side side = above(x, size, theta);
        if (side.count == count || side.count == 0) break;
        count = side.count;
        const double next = (side.sum - total) / count;
        theta = next > theta ? next : theta;
        if (count == 1) break;  // the largest alone
    }
    return theta;
}

// y with  sum over wrong of [y - below]_+  =  sum over right of [height - y - below]_+,  0 < y < height: Newton's method,
// kept in a bracket, until the entries that count are the same again. `below` is how far an entry is below its side's top.
inline double balancing(const double *below, const std::uint8_t *wrong, std::int64_t K, double height) {
    double low = 0, high = height, y = 0.5 * height;
    for (int round = 0; round < 100; ++round) {
        double sum = 0, excess = 0;
        std::int64_t count = 0;
        for (std::int64_t k = 0; k < K; ++k) {
            const double z = wrong[k] ? below[k] : height - below[k];
            if (wrong[k] ? z < y : z > y) {
                sum += z;
                excess += y - z;
                ++count;
            }
        }
        if (excess < 0) low = y;
        else high = y;
        const double next = count ? sum / double(count) : y;
        if (next == y || excess == 0) return next;
        const double before = y;
        y = next > low && next < high ? next : 0.5 * (low + high);
        if (y == before || !(low < y && y < high)) return y;
    }
    return y;
}

// Room for a block, its entries padded with -infinity.
class Block {
  public:
    explicit Block(std::int64_t K) : K(K), size(padded(K)), x_(std::size_t(size), -infinity), other_(x_) {}

    static constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::int64_t K, size;
    double theta[2] = {0, 0};  // of the right and of the wrong labels; a simplex has the first alone
    Face face = vertex;

    double *x() { return x_.data(); }
    double beta(std::int64_t k, double threshold) const { return x_[std::size_t(k)] > threshold ? x_[std::size_t(k)] - threshold : 0.0; }

    // Of x in a simplex. Afterwards x is relative to its largest entry, so that the rounding is that of the total.
    PRAGAM_INLINE void project_on_simplex(double total) {
        double *PRAGAM_RESTRICT x = x_.data();
        const double top = largest(x, size);
        for (std::int64_t k = 0; k < size; ++k) x[k] -= top;
        theta[0] = total > 0 ? simplex_threshold(x, size, total) : 0.0;
        face = joint;
    }

    // Of x in the pairs. Afterwards x is relative to the largest entry of its side.
    void project_on_pairs(const std::uint8_t *wrong, double total) {
        double top[2] = {-infinity, -infinity};
        for (std::int64_t k = 0; k < K; ++k) top[wrong[k]] = std::max(top[wrong[k]], x_[std::size_t(k)]);
        for (std::int64_t k = 0; k < K; ++k) x_[std::size_t(k)] -= top[wrong[k]];
        const double height = top[0] + top[1];
        face = vertex;
        theta[0] = theta[1] = 0;
        if (!(height > 0 && total > 0)) return;
        if (height <= 2 * total) {
            for (std::int64_t k = 0; k < K; ++k) other_[std::size_t(k)] = std::min(-x_[std::size_t(k)], height);
            const double y = balancing(other_.data(), wrong, K, height);
            double mass = 0;
            for (std::int64_t k = 0; k < K; ++k)
                if (wrong[k] && other_[std::size_t(k)] < y) mass += y - other_[std::size_t(k)];
            if (mass <= total) {
                theta[1] = -y;
                theta[0] = y - height;
                face = joint;
                return;
            }
        }
        for (std::uint8_t side = 0; side < 2; ++side) {
            for (std::int64_t k = 0; k < K; ++k)
                other_[std::size_t(k)] = wrong[k] == side ? x_[std::size_t(k)] : -infinity;
            std::fill(other_.begin() + K, other_.end(), -infinity);
            theta[side] = simplex_threshold(other_.data(), size, total);
        }
        face = by_side;
    }

    double threshold(const std::uint8_t *wrong, std::int64_t k) const { return theta[wrong ? wrong[k] : 0]; }

    // Whether the block is 0: below all thresholds, whatever they are.
    bool is_empty() const { return face == vertex; }

  private:
    std::vector<double> x_, other_;
};

}  // namespace pragam
