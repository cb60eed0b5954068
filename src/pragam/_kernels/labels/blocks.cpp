// The loops over examples of the semismooth Newton method with a weight vector for each label. Specification: blocks.py.
//
// An example has beta = P(base + tau s), P the projection on a simplex or on pairs of total 1. Every loop is written once,
// for both kinds; that of simplices is compiled for the vector registers of the machine.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/kernel.hpp"
#include "labels/block.hpp"

namespace pragam {
namespace {

using std::int64_t;
using std::uint8_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int64_t part = 4096;  // examples in a call: sums are of parts, so that rounding does not grow with n

struct Examples {
    const double *base, *totals;
    const uint8_t *wrong;  // null for simplices
    int64_t n, K;
    double tau;

    Examples from(int64_t first, int64_t count) const {
        return {base + first * K, totals + first, wrong ? wrong + first * K : nullptr, count, K, tau};
    }
    const uint8_t *sides(int64_t i) const { return wrong ? wrong + i * K : nullptr; }
};

// A block, and room for the numbers that belong to it.
struct Room : Block {
    explicit Room(int64_t K) : Block(K), ds(size_t(size), 0.0), wt(size_t(size), 0.0) {}
    std::vector<double> ds, wt;
};

// x = base + tau (s + t ds), projected. `paired` is known at compile time, so that the loop of simplices is plain.
template <bool paired>
PRAGAM_INLINE void place(Block &block, const Examples &e, int64_t i, const double *s, const double *ds, double t) {
    double *PRAGAM_RESTRICT x = block.x();
    const double *PRAGAM_RESTRICT b = e.base + i * e.K, *PRAGAM_RESTRICT at = s + i * e.K;
    if (ds) {
        const double *PRAGAM_RESTRICT along = ds + i * e.K;
        for (int64_t k = 0; k < e.K; ++k) x[k] = b[k] + e.tau * (at[k] + t * along[k]);
    } else {
        for (int64_t k = 0; k < e.K; ++k) x[k] = b[k] + e.tau * at[k];
    }
    if constexpr (paired) block.project_on_pairs(e.sides(i), 1.0);
    else block.project_on_simplex(1.0);
}

template <bool paired>
PRAGAM_INLINE double beta_of(const Block &block, const uint8_t *sides, int64_t k) {
    if constexpr (paired) return block.is_empty() ? 0.0 : block.beta(k, block.theta[sides[k]]);
    else return block.beta(k, block.theta[0]);
}

// max over the block of <beta, s>.
template <bool paired>
PRAGAM_INLINE double height(const double *PRAGAM_RESTRICT s, const uint8_t *sides, int64_t K) {
    double top[2] = {-infinity, -infinity};
    for (int64_t k = 0; k < K; ++k) {
        const int side = paired ? sides[k] : 0;
        top[side] = s[k] > top[side] ? s[k] : top[side];
    }
    if constexpr (!paired) return top[0];
    return top[0] + top[1] > 0 ? top[0] + top[1] : 0.0;
}

// How far a block is from where it leaves its vertex, in units of the total; negative if it is at none. It reads x as
// `place` has left it, relative to the largest entry of each side, and the largest ones as they were.
template <bool paired>
PRAGAM_INLINE double fixedness(const double *PRAGAM_RESTRICT base, const double *PRAGAM_RESTRICT s, double tau,
                               const uint8_t *sides, int64_t K) {
    double top[2] = {-infinity, -infinity}, second[2] = {-infinity, -infinity};
    for (int64_t k = 0; k < K; ++k) {
        const int side = paired ? sides[k] : 0;
        const double v = base[k] + tau * s[k];
        const double lower = v < top[side] ? v : top[side];
        top[side] = v > top[side] ? v : top[side];
        second[side] = lower > second[side] ? lower : second[side];
    }
    const double lead = top[0] - second[0] - 1;
    if constexpr (!paired) return lead;
    const double other = top[1] - second[1] - 1, sum = top[0] + top[1];
    return std::max(std::min(std::min(lead, other), sum - 2), -sum);
}

template <bool paired>
PRAGAM_INLINE double select_loop(const Examples &e, const double *s, double band, double *beta, uint8_t *near) {
    Block block(e.K);
    double risk = 0;
    for (int64_t i = 0; i < e.n; ++i) {
        const int64_t at = i * e.K;
        if (e.totals[i] == 0) {
            std::copy(e.base + at, e.base + at + e.K, beta + at);
            near[i] = 0;
            continue;
        }
        place<paired>(block, e, i, s, nullptr, 0.0);
        for (int64_t k = 0; k < e.K; ++k) beta[at + k] = beta_of<paired>(block, e.sides(i), k);
        near[i] = near[i] != 0 || !(fixedness<paired>(e.base + at, s + at, e.tau, e.sides(i), e.K) >= band);
        risk += e.totals[i] * height<paired>(s + at, e.sides(i), e.K);
    }
    return risk;
}

PRAGAM_VECTORISED double select_simplices(Examples e, const double *s, double band, double *beta, uint8_t *near) {
    return select_loop<false>(e, s, band, beta, near);
}

double select_pairs(Examples e, const double *s, double band, double *beta, uint8_t *near) {
    return select_loop<true>(e, s, band, beta, near);
}

struct Slope {
    double value, bend;
};

// Sums over a block, one for each side.
struct Moments {
    double value = 0, square = 0, sum[2] = {0, 0}, count[2] = {0, 0};
};

PRAGAM_INLINE Moments simplex_moments(const Room &room) {
    const double *PRAGAM_RESTRICT x = const_cast<Room &>(room).x(), *PRAGAM_RESTRICT ds = room.ds.data();
    const double theta = room.theta[0];
    double value[block_lanes] = {}, square[block_lanes] = {}, sum[block_lanes] = {}, count[block_lanes] = {};
    for (int64_t k = 0; k < room.size; k += block_lanes)
        for (int64_t j = 0; j < block_lanes; ++j) {
            const bool in = x[k + j] > theta;
            const double d = in ? ds[k + j] : 0.0;
            value[j] += (in ? x[k + j] - theta : 0.0) * d;
            square[j] += d * d;
            sum[j] += d;
            count[j] += in ? 1.0 : 0.0;
        }
    for (int64_t half = block_lanes / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; ++j) {
            value[j] += value[j + half];
            square[j] += square[j + half];
            sum[j] += sum[j + half];
            count[j] += count[j + half];
        }
    return {value[0], square[0], {sum[0], 0}, {count[0], 0}};
}

inline Moments pair_moments(const Room &room, const uint8_t *sides) {
    Moments m;
    if (room.is_empty()) return m;
    for (int64_t k = 0; k < room.K; ++k) {
        const double beta = room.beta(k, room.theta[sides[k]]), d = room.ds[size_t(k)];
        if (!(beta > 0)) continue;
        const int side = room.face == by_side ? sides[k] : 0;
        const double along = room.face == by_side || sides[k] ? d : -d;
        m.value += beta * d;
        m.square += d * d;
        m.sum[side] += along;
        m.count[side] += 1;
    }
    return m;
}

template <bool paired>
PRAGAM_INLINE Slope slope_loop(const Examples &e, const double *s, const double *ds, double t) {
    Room room(e.K);
    Slope sums{0, 0};
    for (int64_t i = 0; i < e.n; ++i) {
        place<paired>(room, e, i, s, ds, t);
        for (int64_t k = 0; k < e.K; ++k) room.ds[size_t(k)] = ds[i * e.K + k];
        Moments m;
        if constexpr (paired) m = pair_moments(room, e.sides(i));
        else m = simplex_moments(room);
        double bend = m.square;
        for (int side = 0; side < 2; ++side)
            if (m.count[side] > 0) bend -= m.sum[side] * m.sum[side] / m.count[side];
        sums.value += e.totals[i] * m.value;
        sums.bend += e.totals[i] * (bend > 0 ? bend : 0.0);
    }
    sums.bend *= e.tau;
    return sums;
}

PRAGAM_VECTORISED Slope simplices_slope(Examples e, const double *s, const double *ds, double t) {
    return slope_loop<false>(e, s, ds, t);
}

Slope pairs_slope(Examples e, const double *s, const double *ds, double t) { return slope_loop<true>(e, s, ds, t); }

struct Sums {
    double proximal, risk, linear, moved;
};

template <bool paired>
PRAGAM_INLINE Sums move_loop(const Examples &e, const double *c, double t, double *s, const double *ds, double *beta,
                             double *change) {
    Block block(e.K);
    Sums sums{0, 0, 0, 0};
    for (int64_t i = 0; i < e.n; ++i) {
        const int64_t at = i * e.K;
        for (int64_t k = 0; k < e.K; ++k) s[at + k] += t * ds[at + k];
        if (e.totals[i] == 0) {
            for (int64_t k = 0; k < e.K; ++k) {
                beta[at + k] = e.base[at + k];
                change[at + k] = 0;
            }
            continue;
        }
        place<paired>(block, e, i, s, nullptr, 0.0);
        double proximal = 0, linear = 0, moved = 0;
        for (int64_t k = 0; k < e.K; ++k) {
            const double here = beta_of<paired>(block, e.sides(i), k), off = here - e.base[at + k];
            const double difference = here - beta[at + k];
            proximal += off * off;
            linear += here * c[at + k];
            moved += difference != 0 ? 1 : 0;
            change[at + k] = e.totals[i] * difference;
            beta[at + k] = here;
        }
        sums.proximal += e.totals[i] * proximal;
        sums.linear += e.totals[i] * linear;
        sums.risk += e.totals[i] * height<paired>(s + at, e.sides(i), e.K);
        sums.moved += moved > 0 ? 1 : 0;
    }
    return sums;
}

PRAGAM_VECTORISED Sums move_simplices(Examples e, const double *c, double t, double *s, const double *ds, double *beta,
                                      double *change) {
    return move_loop<false>(e, c, t, s, ds, beta, change);
}

Sums move_pairs(Examples e, const double *c, double t, double *s, const double *ds, double *beta, double *change) {
    return move_loop<true>(e, c, t, s, ds, beta, change);
}

template <bool paired>
PRAGAM_INLINE void weights_loop(const Examples &e, const double *s, double blur, double *weights, uint8_t *by_sides) {
    Block block(e.K);
    const double scale = blur > 0 ? 2 / blur : 0.0;
    for (int64_t i = 0; i < e.n; ++i) {
        const int64_t at = i * e.K;
        place<paired>(block, e, i, s, nullptr, 0.0);
        by_sides[i] = block.face == by_side;
        const bool moves = !block.is_empty() && e.totals[i] > 0;
        const double *PRAGAM_RESTRICT x = block.x();
        for (int64_t k = 0; k < e.K; ++k) {
            const double depth = block.theta[paired ? e.sides(i)[k] : 0] - x[k], outside = depth * scale;
            const double near = depth < 2 * blur ? 1 / (1 + outside * outside) : 0.0;
            weights[at + k] = !moves ? 0.0 : depth < 0 ? 1.0 : near;
        }
    }
}

PRAGAM_VECTORISED void simplices_weights(Examples e, const double *s, double blur, double *weights, uint8_t *by_sides) {
    weights_loop<false>(e, s, blur, weights, by_sides);
}

void pairs_weights(Examples e, const double *s, double blur, double *weights, uint8_t *by_sides) {
    weights_loop<true>(e, s, blur, weights, by_sides);
}

// The entries of totals P' of one example: calls entry(k, l, value) for k <= l.
template <class Entry>
void entries_of(const Examples &e, int64_t i, const double *weights, bool apart, std::vector<int64_t> &support,
                const Entry &entry) {
    const uint8_t *sides = e.sides(i);
    for (int side = 0; side < (apart ? 2 : 1); ++side) {
        support.clear();
        double mass = 0;
        for (int64_t k = 0; k < e.K; ++k)
            if (weights[k] > 0 && (!apart || sides[k] == side)) {
                support.push_back(k);
                mass += weights[k];
            }
        if (support.size() < 2) continue;
        for (size_t p = 0; p < support.size(); ++p) {
            const double m = weights[support[p]];
            entry(support[p], support[p], e.totals[i] * (m - m * m / mass));
            for (size_t q = p + 1; q < support.size(); ++q)
                entry(support[p], support[q], -e.totals[i] * (m * weights[support[q]] / mass));
        }
    }
}

using BlocksIn = std::tuple<In<double>, In<double>, In<uint8_t>, int64_t>;  // base, totals, wrong, K

Examples examples_of(const BlocksIn &blocks, double tau) {
    const auto &[base, totals, wrong, K] = blocks;
    const size_t n = totals.size(), size = n * size_t(K);
    require(K > 0 && base.size() == size, "blocks: base must have K entries an example");
    require(wrong.size() == 0 || wrong.size() == size, "blocks: wrong must have K entries an example, or none");
    for (size_t j = 0; j < wrong.size(); ++j) require(wrong.data()[j] < 2, "blocks: wrong must hold zeros and ones");
    return {base.data(), totals.data(), wrong.size() ? wrong.data() : nullptr, int64_t(n), K, tau};
}

template <class... Arrays>
void require_entries(const Examples &e, const Arrays &...arrays) {
    const size_t size = size_t(e.n * e.K);
    require(((arrays.size() == size) && ...), "blocks: every array must have K entries an example");
}

// Calls body(first, examples) for parts of them.
template <class Body>
void by_parts(const Examples &e, const Body &body) {
    Pulse pulse;
    for (int64_t first = 0; first < e.n; first += part) {
        const int64_t count = std::min(part, e.n - first);
        body(first, e.from(first, count));
        pulse.beat(size_t(count * e.K));
    }
}

double block_select(const BlocksIn &blocks, In<double> s, double tau, double band, Out<double> beta, Out<uint8_t> near) {
    const Examples e = examples_of(blocks, tau);
    require_entries(e, s, beta);
    require(near.size() == size_t(e.n), "block_select: near must have an entry for each example");
    nb::gil_scoped_release release;
    double risk = 0;
    by_parts(e, [&](int64_t first, const Examples &some) {
        const int64_t at = first * e.K;
        const auto select = e.wrong ? select_pairs : select_simplices;
        risk += select(some, s.data() + at, band, beta.data() + at, near.data() + first);
    });
    return risk;
}

Slope slope_at(const Examples &e, const double *s, const double *ds, double t) {
    Slope sums{0, 0};
    by_parts(e, [&](int64_t first, const Examples &some) {
        const int64_t at = first * e.K;
        const Slope slope = (e.wrong ? pairs_slope : simplices_slope)(some, s + at, ds + at, t);
        sums.value += slope.value;
        sums.bend += slope.bend;
    });
    return sums;
}

using LineIn = std::tuple<double, double, double, int64_t>;  // linear, quadratic, tol, evaluations

double block_line_search(const BlocksIn &blocks, In<double> s, In<double> ds, double tau, const LineIn &line) {
    const Examples e = examples_of(blocks, tau);
    require_entries(e, s, ds);
    const auto &[linear, quadratic, tol, evaluations] = line;
    nb::gil_scoped_release release;
    double low = 0, high = infinity, t = 1;
    for (int64_t round = 0; round < evaluations; ++round) {
        const Slope slope = slope_at(e, s.data(), ds.data(), t);
        const double value = linear + quadratic * t + slope.value, bend = quadratic + slope.bend;
        if (value < 0) low = t;
        else high = t;
        double following = bend > 0 ? t - value / bend : low;
        if (std::abs(following - t) <= tol * t) return std::min(std::max(following, low), high);
        if (!(low < following && following < high)) following = std::isinf(high) ? 2 * t : 0.5 * (low + high);
        if (value == 0 || !(following > 0)) break;
        t = following;
    }
    return t;
}

using SumsOut = std::tuple<double, double, double, double>;  // proximal, risk, linear, moved

SumsOut block_move(const BlocksIn &blocks, In<double> c, double t, Out<double> s, In<double> ds, double tau,
                   Out<double> beta, Out<double> change) {
    const Examples e = examples_of(blocks, tau);
    require_entries(e, c, s, ds, beta, change);
    nb::gil_scoped_release release;
    Sums sums{0, 0, 0, 0};
    by_parts(e, [&](int64_t first, const Examples &some) {
        const int64_t at = first * e.K;
        const auto move = e.wrong ? move_pairs : move_simplices;
        const Sums more = move(some, c.data() + at, t, s.data() + at, ds.data() + at, beta.data() + at, change.data() + at);
        sums.proximal += more.proximal;
        sums.risk += more.risk;
        sums.linear += more.linear;
        sums.moved += more.moved;
    });
    return {sums.proximal, sums.risk, sums.linear, sums.moved};
}

void block_weights(const BlocksIn &blocks, In<double> s, double tau, double blur, Out<double> weights,
                   Out<uint8_t> by_sides) {
    const Examples e = examples_of(blocks, tau);
    require_entries(e, s, weights);
    require(by_sides.size() == size_t(e.n), "block_weights: by_side must have an entry for each example");
    nb::gil_scoped_release release;
    by_parts(e, [&](int64_t first, const Examples &some) {
        const auto weigh = e.wrong ? pairs_weights : simplices_weights;
        weigh(some, s.data() + first * e.K, blur, weights.data() + first * e.K, by_sides.data() + first);
    });
}

int64_t block_pairs(const BlocksIn &blocks, In<double> weights, In<uint8_t> by_sides, Out<int64_t> first,
                    Out<int64_t> examples, Out<double> values) {
    const Examples e = examples_of(blocks, 1.0);
    require_entries(e, weights);
    const int64_t K = e.K, pairs = K * (K + 1) / 2;
    require(by_sides.size() == size_t(e.n), "block_pairs: by_side must have an entry for each example");
    require(first.size() == size_t(pairs + 1), "block_pairs: first must have an entry more than there are pairs");
    require(examples.size() == values.size(), "block_pairs: examples and values must have the same length");
    nb::gil_scoped_release release;
    const auto number = [K](int64_t k, int64_t l) { return k * K - k * (k - 1) / 2 + l - k; };
    std::vector<int64_t> next(size_t(pairs + 1), 0), support;
    const auto each = [&](const auto &entry) {
        for (int64_t i = 0; i < e.n; ++i)
            entries_of(e, i, weights.data() + i * K, e.wrong && by_sides.data()[i], support,
                       [&](int64_t k, int64_t l, double value) { entry(i, number(k, l), value); });
    };
    each([&](int64_t, int64_t pair, double value) { next[size_t(pair + 1)] += value != 0; });
    for (int64_t p = 0; p < pairs; ++p) next[size_t(p + 1)] += next[size_t(p)];
    std::copy(next.begin(), next.end(), first.data());
    const int64_t count = next[size_t(pairs)];
    if (examples.size() == 0) return count;
    if (int64_t(examples.size()) != count) {
        nb::gil_scoped_acquire gil;
        throw nb::value_error("block_pairs: examples and values must have an entry for each that there is");
    }
    each([&](int64_t i, int64_t pair, double value) {
        if (value == 0) return;
        const int64_t at = next[size_t(pair)]++;
        examples.data()[at] = i;
        values.data()[at] = value;
    });
    return count;
}

}  // namespace

void bind_labels_blocks(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("block_select", &block_select, a("blocks"), a("s"), nb::arg("tau"), nb::arg("band"), a("beta"), a("near"));
    m.def("block_line_search", &block_line_search, a("blocks"), a("s"), a("ds"), nb::arg("tau"), nb::arg("line"));
    m.def("block_move", &block_move, a("blocks"), a("c"), nb::arg("t"), a("s"), a("ds"), nb::arg("tau"), a("beta"),
          a("change"));
    m.def("block_weights", &block_weights, a("blocks"), a("s"), nb::arg("tau"), nb::arg("blur"), a("weights"),
          a("by_side"));
    m.def("block_pairs", &block_pairs, a("blocks"), a("weights"), a("by_side"), a("first"), a("examples"), a("values"));
}

}  // namespace pragam
