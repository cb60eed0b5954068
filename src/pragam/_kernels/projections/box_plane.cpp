// Passes over a box cut by a plane, {lower <= alpha <= upper, <sigma, alpha> = z}: the sums that the search
// for the plane's multiplier needs, and the minimising biases of its support function.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blocks.hpp"

namespace pragam {
namespace {

// The rows' speeds sigma / d^2, divided twice because d^2 may overflow where the quotient does not.
struct Rates {
    const Column &sigma, &d;
    double buffer[block];
    const double *from(std::size_t first, std::size_t count) {
        if (d.is(1.0)) return sigma.from(first);
        const double *s = sigma.from(first), *e = d.from(first);
        for (std::size_t j = 0; j < count; ++j) buffer[j] = s[j] / e[j] / e[j];
        return buffer;
    }
};

struct Pass {
    Sum total, slope, size;
};

// alpha(t) = clip(m + t rate, lower, upper): adds sum sigma alpha, its slope in t and sum |sigma alpha| to `pass`.
// A row at one of its bounds counts as moving, so the slope is never below either one-sided slope.
template <bool write>
PRAGAM_VECTORISED void pass_block(Block m, Block l, Block u, Block s, Block rate, double t, std::size_t count,
                                  Pass &pass, double *PRAGAM_RESTRICT out) {
    Lanes total, slope, size;
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t i = j + k;
            const double x = m[i] + t * rate[i];
            double a = x < l[i] ? l[i] : x;
            a = a > u[i] ? u[i] : a;
            const double term = s[i] * a;
            total.part[k] += term;
            size.part[k] += std::abs(term);
            slope.part[k] += a == x ? s[i] * rate[i] : 0.0;
            if (write) out[i] = a;
        }
    }
    total.flush(pass.total), slope.flush(pass.slope), size.flush(pass.size);
}

template <bool write>
nb::tuple box_plane_pass(const In<double> &m, const In<double> &lower, const In<double> &upper,
                         const In<double> &sigma, const In<double> &d, double t, std::size_t every, double *out) {
    const std::size_t n = m.size();
    require(every > 0, "every must be positive");
    const Column l(lower, n), u(upper, n), s(sigma, n), e(d, n);
    Rates rates{s, e, {}};
    Pass pass;
    std::size_t seen = 0;
    {
        nb::gil_scoped_release nogil;
        seen = for_blocks(n, every, [&](std::size_t first, std::size_t count) {
            pass_block<write>(m.data() + first, l.from(first), u.from(first), s.from(first),
                              rates.from(first, count), t, count, pass, out + (write ? first : 0));
        });
    }
    const double scale = seen == n ? 1.0 : double(n) / double(seen);
    return nb::make_tuple(scale * pass.total.total(), scale * pass.slope.total(), scale * pass.size.total());
}

nb::tuple box_plane_sums(In<double> m, In<double> lower, In<double> upper, In<double> sigma, In<double> d,
                         double t, std::size_t every) {
    return box_plane_pass<false>(m, lower, upper, sigma, d, t, every, nullptr);
}

nb::tuple box_plane_point(In<double> m, In<double> lower, In<double> upper, In<double> sigma, In<double> d,
                          double t, Out<double> out) {
    require(out.size() == m.size(), "out must be as long as m");
    return box_plane_pass<true>(m, lower, upper, sigma, d, t, 1, out.data());
}

// The smallest of sign (bound - m) / rate beyond `after`. Rows that t does not move give infinities or NaN, which
// lose every comparison.
PRAGAM_VECTORISED void kink_block(Block m, Block l, Block u, Block rate, double sign, double after,
                                  std::size_t count, double *nearest) {
    double part[lanes];
    std::fill(part, part + lanes, *nearest);
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t i = j + k;
            const double to_lower = sign * ((l[i] - m[i]) / rate[i]), to_upper = sign * ((u[i] - m[i]) / rate[i]);
            const double a = to_lower > after && l[i] < u[i] ? to_lower : infinity;
            const double b = to_upper > after && l[i] < u[i] ? to_upper : infinity;
            const double c = a < b ? a : b;
            part[k] = c < part[k] ? c : part[k];
        }
    }
    *nearest = *std::min_element(part, part + lanes);
}

// The kink of alpha(.) nearest to t on the right (forward) or on the left. Infinite if there is none.
double box_plane_kink(In<double> m, In<double> lower, In<double> upper, In<double> sigma, In<double> d, double t,
                      bool forward) {
    const std::size_t n = m.size();
    const Column l(lower, n), u(upper, n), s(sigma, n), e(d, n);
    Rates rates{s, e, {}};
    const double sign = forward ? 1.0 : -1.0;
    double nearest = infinity;
    nb::gil_scoped_release nogil;
    for_blocks(n, 1, [&](std::size_t first, std::size_t count) {
        kink_block(m.data() + first, l.from(first), u.from(first), rates.from(first, count), sign, sign * t, count,
                   &nearest);
    });
    return sign * nearest;
}

struct Range {
    Sum low, high, low_size, high_size;
    bool valid = true;
};

PRAGAM_VECTORISED void range_block(Block l, Block u, Block s, std::size_t count, Range &range) {
    Lanes low, high, low_size, high_size, wrong;
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t i = j + k;
            const double at_lower = s[i] == 0 ? 0.0 : s[i] * l[i], at_upper = s[i] == 0 ? 0.0 : s[i] * u[i];
            const double down = at_lower < at_upper ? at_lower : at_upper;
            const double up = at_lower < at_upper ? at_upper : at_lower;
            low.part[k] += down, low_size.part[k] += std::abs(down);
            high.part[k] += up, high_size.part[k] += std::abs(up);
            const double finite = s[i] - s[i];  // else NaN
            wrong.part[k] += l[i] <= u[i] && l[i] < infinity && u[i] > -infinity && finite == 0 ? 0.0 : 1.0;
        }
    }
    Sum wrongs;
    low.flush(range.low), high.flush(range.high), wrong.flush(wrongs);
    low_size.flush(range.low_size), high_size.flush(range.high_size);
    range.valid = range.valid && wrongs.value == 0;
}

// The interval [low, high] of <sigma, alpha> over the box, the sizes sum |.| of the two sums, and whether
// every row is valid: lower <= upper, neither of them an infinity of the wrong sign, sigma finite.
nb::tuple box_plane_range(In<double> lower, In<double> upper, In<double> sigma, std::size_t n) {
    const Column l(lower, n), u(upper, n), s(sigma, n);
    Range range;
    {
        nb::gil_scoped_release nogil;
        for_blocks(n, 1, [&](std::size_t first, std::size_t count) {
            range_block(l.from(first), u.from(first), s.from(first), count, range);
        });
    }
    return nb::make_tuple(range.low.total(), range.high.total(), range.low_size.total(), range.high_size.total(),
                          range.valid);
}

template <bool smooth>
PRAGAM_VECTORISED void support_block(Block s, Block l, Block u, Block g, double b, Block kappa,
                                     std::size_t count, Sum &sum) {
    Lanes value;
    for (std::size_t j = 0; j < count; j += lanes) {
        const std::size_t width = std::min(lanes, count - j);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t i = j + k;
            const double r = s[i] - b * g[i], low = l[i], high = u[i];
            const bool bends = smooth && kappa[i] > 0;
            double a = bends ? r / kappa[i] : r > 0 ? high : low;
            a = a < low ? low : a;
            a = a > high ? high : a;
            const double term = a * (r - (bends ? 0.5 * kappa[i] * a : 0.0));
            value.part[k] += !bends && r == 0 ? 0.0 : term;  // 0 times an infinite bound
        }
    }
    value.flush(sum);
}

// sum over rows of max over alpha in [lower, upper] of alpha (s - b sigma) - kappa/2 alpha^2.
double box_plane_support(In<double> s, In<double> lower, In<double> upper, In<double> sigma, double b,
                         In<double> kappa) {
    const std::size_t n = s.size();
    const Column l(lower, n), u(upper, n), g(sigma, n), k(kappa, n);
    Sum sum;
    nb::gil_scoped_release nogil;
    const auto rows = k.is(0) ? &support_block<false> : &support_block<true>;
    for_blocks(n, 1, [&](std::size_t first, std::size_t count) {
        rows(s.data() + first, l.from(first), u.from(first), g.from(first), b, k.from(first), count, sum);
    });
    return sum.total();
}

struct Kink {
    double at, weight;
};

struct Crossing {
    double at, slope;  // the kink, and the slope just right of it
};

// The first kink right of which a slope that starts at `slope` and grows by each kink's weight exceeds `level`.
// Quickselect with a three-way partition, which drops all ties at once. Expected O(n). Permutes the kinks.
Crossing select(Kink *kinks, std::size_t end, Sum base, double level) {
    Pulse pulse;
    std::size_t begin = 0;
    std::uint64_t random = 0x9E3779B97F4A7C15u;
    while (begin < end) {
        double three[3];
        for (double &candidate : three) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            candidate = kinks[begin + (random >> 33) % (end - begin)].at;
        }
        std::sort(three, three + 3);
        const double pivot = three[1];
        // [begin, less) lies below the pivot, [less, i) on it, [more, end) above it.
        std::size_t less = begin, i = begin, more = end;
        Sum below = base, upto;
        while (i < more) {
            if (kinks[i].at < pivot) {
                below.add(kinks[i].weight);
                std::swap(kinks[less++], kinks[i++]);
            } else if (kinks[i].at > pivot) {
                std::swap(kinks[i], kinks[--more]);
            } else {
                upto.add(kinks[i++].weight);
            }
        }
        pulse.beat(end - begin);
        if (below.total() > level) {
            end = less;
            continue;
        }
        base = below;
        base.add(upto.value), base.add(upto.error);
        if (base.total() > level) return {pivot, base.total()};
        begin = more;
    }
    return {infinity, base.total()};
}

// The same for many kinks. A sorted sample gives a rough position. One pass without branches sums what lies left of
// it and moves what lies near it to the front, and quickselect searches only that part. A misleading sample costs a
// full search.
Crossing crossing(std::vector<Kink> &kinks, double slope, double level) {
    constexpr std::size_t samples = 1024, margin = 80;  // the crossing's rank in the sample has a deviation <= 16
    Sum base;
    base.add(slope);
    if (kinks.size() < 16 * samples) return select(kinks.data(), kinks.size(), base, level);
    const std::size_t stride = kinks.size() / samples;
    std::vector<Kink> sample(samples);
    for (std::size_t k = 0; k < samples; ++k) sample[k] = kinks[k * stride];
    std::sort(sample.begin(), sample.end(), [](const Kink &a, const Kink &b) { return a.at < b.at; });
    std::size_t rank = 0;
    for (double sum = slope; rank < samples && sum <= level; ++rank) sum += double(stride) * sample[rank].weight;
    const double from = rank > margin ? sample[rank - margin - 1].at : -infinity;
    const double to = rank + margin < samples ? sample[rank + margin].at : infinity;

    Sum left = base;
    std::size_t near = 0;
    for (Kink &kink : kinks) {
        const Kink here = kink;
        left.add(here.at < from ? here.weight : 0.0);
        kink = kinks[near];
        kinks[near] = here;
        near += here.at >= from && here.at <= to;
    }
    if (left.total() <= level) {
        const Crossing found = select(kinks.data(), near, left, level);
        if (found.at < infinity) return found;
    }
    return select(kinks.data(), kinks.size(), base, level);
}

// The interval of biases b that minimise  sum max(lower r, upper r) + b z,  r = s - b sigma;  empty (first end
// above the second) where the sum is infinite for every b. Slopes within rounding of zero count as zero.
nb::tuple box_plane_bias(In<double> s, In<double> lower, In<double> upper, In<double> sigma, double z) {
    const std::size_t n = s.size();
    const Column l(lower, n), u(upper, n), g(sigma, n);
    double left = -infinity, right = infinity;  // an infinite bound confines b
    double low = -infinity, high = infinity;
    {
        nb::gil_scoped_release nogil;
        std::vector<Kink> kinks;
        kinks.reserve(n);
        Sum slope, size;
        slope.add(z), size.add(std::abs(z));
        for_blocks(n, 1, [&](std::size_t first, std::size_t count) {
            const double *sb = s.data() + first, *lb = l.from(first), *ub = u.from(first), *gb = g.from(first);
            for (std::size_t j = 0; j < count; ++j) {
                if (gb[j] == 0) continue;
                const double kink = sb[j] / gb[j];
                // In terms of beta = sigma alpha: at its upper end left of the kink, at its lower end right of it.
                const double at_lower = gb[j] * lb[j], at_upper = gb[j] * ub[j];
                const double down = std::min(at_lower, at_upper), up = std::max(at_lower, at_upper);
                const bool up_finite = up < infinity, down_finite = down > -infinity;
                if (!up_finite) left = std::max(left, kink);
                if (!down_finite) right = std::min(right, kink);
                if (up_finite && down_finite && down < up) kinks.push_back({kink, up - down});
                const double start = up_finite ? up : down_finite ? down : 0.0;
                slope.add(-start);
                size.add(std::max(std::abs(start), down_finite ? std::abs(down) : 0.0));
            }
        });
        const double flat = 32 * epsilon * size.total(), steepest = slope.total();
        Crossing bottom{-infinity, steepest};
        if (steepest <= -flat) bottom = crossing(kinks, steepest, -flat);
        low = bottom.at;
        high = bottom.slope > flat ? low : crossing(kinks, steepest, flat).at;
    }
    if (left <= right) {
        low = std::min(std::max(low, left), right);
        high = std::min(std::max(high, left), right);
    } else {
        low = infinity, high = -infinity;
    }
    return nb::make_tuple(low, high);
}

}  // namespace

void bind_projections_box_plane(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("box_plane_sums", &box_plane_sums, a("m"), a("lower"), a("upper"), a("sigma"), a("d"), nb::arg("t"),
          nb::arg("every"));
    m.def("box_plane_point", &box_plane_point, a("m"), a("lower"), a("upper"), a("sigma"), a("d"), nb::arg("t"),
          a("out"));
    m.def("box_plane_kink", &box_plane_kink, a("m"), a("lower"), a("upper"), a("sigma"), a("d"), nb::arg("t"),
          nb::arg("forward"));
    m.def("box_plane_range", &box_plane_range, a("lower"), a("upper"), a("sigma"), nb::arg("n"));
    m.def("box_plane_support", &box_plane_support, a("s"), a("lower"), a("upper"), a("sigma"), nb::arg("b"),
          a("kappa"));
    m.def("box_plane_bias", &box_plane_bias, a("s"), a("lower"), a("upper"), a("sigma"), nb::arg("z"));
}

}  // namespace pragam
