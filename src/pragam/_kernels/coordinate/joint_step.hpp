// The exact step along all variables of one data row at once: a rank-one quadratic plus a diagonal, over a box.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pragam {

// One variable: its slope s, its own curvature d >= 0, its share u of the common direction and the steps that it may
// make; afterwards the step t.
struct Part {
    double s, d, u, lower, upper;
    double t = 0;
    int stage = 0;

    bool is_held() const { return (lower >= 0 && s <= 0) || (upper <= 0 && s >= 0); }
    double first() const { return u > 0 ? upper : lower; }
    double last() const { return u > 0 ? lower : upper; }
    double clip(double x) const { return std::min(std::max(x, lower), upper); }

    // The multiplier at which the best step leaves its first bound (stage 0) or meets its last one (stage 1).
    double event() const { return d > 0 ? (s - d * (stage == 0 ? first() : last())) / u : s / u; }

    // The best step at the multiplier z.
    double at(double z) const { return stage == 0 ? first() : stage == 2 ? last() : (s - u * z) / d; }
};

inline double sum_at(const Part *parts, std::size_t count, double z) {
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) sum += parts[j].u * parts[j].at(z);
    return sum;
}

// Maximise  sum_j s_j t_j - d_j/2 t_j^2  over lower_j <= t_j <= upper_j.
inline void step_apart(Part *parts, std::size_t count) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j) {
        Part &part = parts[j];
        if (part.s != 0) part.t = part.clip(part.d > 0 ? part.s / part.d : part.s > 0 ? inf : -inf);
    }
}

// The same with  - p/2 (sum_j u_j t_j)^2, where every u_j != 0.
//
// At the maximum z = p sum_j u_j t_j, and t_j is the best step against the slope s_j - u_j z. The sum falls as z rises,
// and is linear between the values of z at which some t_j leaves a bound or meets one. They are passed in order until
// the root lies between two of them, or in the jump of a variable without a curvature of its own.
inline void maximise_jointly(Part *parts, std::size_t count, double p) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    if (!(p > 0)) return step_apart(parts, count);
    Part *between = nullptr;  // the variable in whose jump the root lies
    double z = inf;
    for (;;) {
        Part *next = nullptr;
        double event = inf;
        for (std::size_t j = 0; j < count; ++j)
            if (parts[j].stage < 2 && (!next || parts[j].event() < event)) next = parts + j, event = parts[j].event();
        if (!next || (event > -inf && event - p * sum_at(parts, count, event) >= 0)) break;
        next->stage = next->d > 0 ? next->stage + 1 : 2;
        if (next->d > 0 || event - p * sum_at(parts, count, event) < 0) continue;
        between = next, z = event;
        break;
    }
    if (!between) {
        double constant = 0, slope = 0;
        for (std::size_t j = 0; j < count; ++j) {
            const Part &part = parts[j];
            constant += part.u * (part.stage == 1 ? part.s / part.d : part.at(0));
            if (part.stage == 1) slope += part.u * part.u / part.d;
        }
        z = p * constant / (1 + p * slope);
    }
    double others = 0;
    for (std::size_t j = 0; j < count; ++j) {
        Part &part = parts[j];
        if (&part == between) continue;
        part.t = part.clip(part.at(z));
        others += part.u * part.t;
    }
    if (between) between->t = between->clip((z / p - others) / between->u);
}

}  // namespace pragam
