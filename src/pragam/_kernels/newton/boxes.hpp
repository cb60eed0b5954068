// The loops over rows that every semismooth Newton method here shares. Specification: boxes.py.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pragam {

// Rows in their boxes: alpha_i = anchor_i + size_i beta_i with low_i <= beta_i <= high_i, the curvature bend_i, and the
// centre base_i of the proximal term. Plain rows have low = 0, high = 1 and bend = 0, and null pointers for them.
struct Boxes {
    std::int64_t n;
    const double *base, *size, *low, *high, *bend;

    bool is_plain() const { return low == nullptr; }

    // The rows i .. i+count-1, or as many of them as there are.
    Boxes from(std::int64_t i, std::int64_t count) const {
        const std::int64_t here = std::min(count, n - i);
        if (is_plain()) return {here, base + i, size + i, nullptr, nullptr, nullptr};
        return {here, base + i, size + i, low + i, high + i, bend + i};
    }
};

// Row i has the entry sigma_i in the column group_i of `count`, and zeros elsewhere.
struct Planes {
    std::int64_t count;
    const double *sigma;
    const std::int64_t *group;

    bool is_in_range(std::int64_t n) const {
        return count <= 1 || std::all_of(group, group + n, [&](std::int64_t k) { return k >= 0 && k < count; });
    }
};

// All loops are shared among up to `threads` threads where the rows are many; the bits do not depend on how many.

// The rows' weights in the Hessian: size / (1 + tau bend) inside the box, some of it within 2 blur of it.
void box_weights(const Boxes &rows, const double *s, double tau, double blur, double *out, std::int64_t threads = 1);

// What else counts along a line, and when a search on it ends.
struct Line {
    double linear, quadratic, tol;
    std::int64_t evaluations;
};

// The root t > 0 of  linear + quadratic t + <size ds, beta(s + t ds)>. Newton's method, safeguarded by a bracket, ends
// with the first step of at most tol t.
double box_line_search(const Boxes &rows, const double *s, const double *ds, double tau, const Line &line,
                       std::int64_t threads = 1);

// Sums over rows: size (beta - base)^2, the rows' risk, their part of D, and 1 for each row that moved.
struct Sums {
    double proximal, risk, linear, moved;
};

// s += t ds, beta to its new value, and change = size times the change of beta. totals_k becomes the sum of sigma size
// beta over plane k.
Sums box_move(const Boxes &rows, const Planes &planes, const double *c, double t, double *s, const double *ds,
              double tau, double *beta, double *change, double *totals, std::int64_t threads = 1);

}  // namespace pragam
