// Momentum for coordinate ascent. After a sweep, it steps to the maximum over the plane of the last two steps.
//
// F is the function that the sweeps maximise (coordinate.cpp), H = -F'' and s = F'. A point, or a difference of two
// points, is one array: alpha (n), w (d), r and moment. The specification, with the formulas, is twins/acceleration.py.
#include <algorithm>
#include <cmath>
#include <vector>
#include <nanobind/stl/tuple.h>

#include "coordinate.hpp"
#include "vectorised.hpp"

namespace pragam {
namespace {

using Answer = std::tuple<double, double, bool>;
constexpr std::int64_t lanes = 8;     // partial sums, so that the loop vectorises
constexpr std::int64_t block = 2048;  // short sums, so that rounding does not grow with d

struct Sizes {
    std::int64_t n, d;
};

struct Settings {
    double ridge, longest, clipped;
};

struct Products {
    double pp, ph, hh;

    void add(const Products &more) { pp += more.pp, ph += more.ph, hh += more.hh; }
};

// p = now - before, and its products with itself and h, over one block.
PRAGAM_VECTORISED Products subtract_block(std::int64_t count, const double *PRAGAM_RESTRICT now,
                                          const double *PRAGAM_RESTRICT before, const double *PRAGAM_RESTRICT h,
                                          double *PRAGAM_RESTRICT p) {
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

// w += v and h = p + v, with v = t_p p + t_h h.
PRAGAM_VECTORISED void advance(std::int64_t count, double t_p, double t_h, const double *PRAGAM_RESTRICT p,
                               double *PRAGAM_RESTRICT w, double *PRAGAM_RESTRICT h) {
    for (std::int64_t j = 0; j < count; ++j) {
        const double v = t_p * p[j] + t_h * h[j];
        w[j] += v;
        h[j] = p[j] + v;
    }
}

// The step's part of the plane of the equality: <u, H v> is lam <u_w, v_w> + sum delta u_i v_i less this.
double across(const Plane &plane, double lam, const double *u, const double *v) {
    return u[0] * v[1] + v[0] * u[1] - (plane.rho + plane.centre2 / lam) * u[0] * v[0];
}

// p = now - before in all its parts, and the products <p, H p>, <p, H h>, <h, H h>.
Products take_step(Sizes size, const Row *table, const Plane &plane, double lam, const double *w, const double *before,
                   const double *h, double *p) {
    Products all{0, 0, 0}, diagonal{0, 0, 0};
    const std::int64_t n = size.n, d = size.d;
    for (std::int64_t j = 0; j < d; j += block)
        all.add(subtract_block(std::min(block, d - j), w + j, before + n + j, h + n + j, p + n + j));
    for (std::int64_t i = 0; i < n; ++i) {
        p[i] = table[i].alpha - before[i];
        const double delta = table[i].delta, weighted = delta * p[i];
        diagonal.add({weighted * p[i], weighted * h[i], delta * h[i] * h[i]});
    }
    double *rest = p + n + d;
    const double *past = h + n + d;
    for (int k = 0; k < 2; ++k) rest[k] = plane.running[k] - before[n + d + k];
    return {lam * all.pp + diagonal.pp - across(plane, lam, rest, rest),
            lam * all.ph + diagonal.ph - across(plane, lam, rest, past),
            lam * all.hh + diagonal.hh - across(plane, lam, past, past)};
}

struct Step {
    double p, h;
};

// The highest point of the plane, with a ridge along h, or a point on the way there. 0 if there is none.
Step maximise(const Products &H, double g_p, double g_h, const Settings &set) {
    const double hh = (1 + set.ridge) * H.hh, det = H.pp * hh - H.ph * H.ph;
    if (!(det > 0)) return {0, 0};
    const Step t{(hh * g_p - H.ph * g_h) / det, (H.pp * g_h - H.ph * g_p) / det};
    const double shorter = set.longest / std::max({std::abs(t.p), std::abs(t.h), set.longest});
    return {shorter * t.p, shorter * t.h};
}

// Move alpha, and h with it. Returns the numbers of the rows that left the box.
std::vector<std::int64_t> advance_rows(Sizes size, Row *table, Step t, const double *p, double *h) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < size.n; ++i) {
        const double v = t.p * p[i] + t.h * h[i];
        Row &row = table[i];
        row.alpha += v;
        h[i] = p[i] + v;
        if (row.alpha < row.lower || row.alpha > row.upper) out.push_back(i);
    }
    return out;
}

struct Change {
    double gain, slope;
};

// Put one row back into its box, which moves both the point and h by e along this row. Computes the exact change of F
// and of <s, h>.
template <class R>
Change put_back(const R &rows, std::int64_t i, Sizes size, Row &row, const Plane &plane, double lam, double *w,
                double *h) {
    const Plane past{plane.terms, h + size.n + size.d, 0, plane.rho, plane.centre2};
    double s = row.c + row.scale * rows.dot(i, w) - row.delta * row.alpha;
    double minus_Hh = row.scale * rows.dot(i, h + size.n) - row.delta * h[i];
    if (plane.terms) s = plane.slope(i, s, lam), minus_Hh = past.slope(i, minus_Hh, lam);
    const double back = std::min(std::max(row.alpha, row.lower), row.upper), e = back - row.alpha;
    row.alpha = back;
    h[i] += e;
    rows.add_to(i, -e * row.scale / lam, w);
    rows.add_to(i, -e * row.scale / lam, h + size.n);
    if (plane.terms) plane.move(i, e, lam), past.move(i, e, lam);
    return {e * (s - 0.5 * row.q * e), e * (s + minus_Hh - row.q * e)};
}

// Undo the step: back to before + p.
void retreat(Sizes size, Row *table, const Plane &plane, const double *before, const double *p, double *w) {
    const std::int64_t n = size.n, d = size.d;
    for (std::int64_t i = 0; i < n; ++i)
        table[i].alpha = std::min(std::max(before[i] + p[i], table[i].lower), table[i].upper);
    for (std::int64_t j = 0; j < d; ++j) w[j] = before[n + j] + p[n + j];
    for (int k = 0; k < 2; ++k) plane.running[k] = before[n + d + k] + p[n + d + k];
}

template <class R>
Answer push(const R &rows, Sizes size, Row *table, const Plane &plane, double lam, double *w, const double *before,
            double *p, double *h, double gain, double slope, bool has_history, const Settings &set) {
    const std::int64_t length = size.n + size.d + 2;
    if (!has_history) std::fill(h, h + length, 0.0);
    const Products H = take_step(size, table, plane, lam, w, before, h, p);
    const double g_p = gain - 0.5 * H.pp, g_h = slope - H.ph;
    const Step t = has_history ? maximise(H, g_p, g_h, set) : Step{0, 0};
    if (t.p == 0 && t.h == 0) {
        std::copy(p, p + length, h);
        return {0.0, g_p, true};
    }
    const double left_p = g_p - H.pp * t.p - H.ph * t.h, left_h = g_h - H.ph * t.p - H.hh * t.h;
    Change total{0.5 * ((g_p + left_p) * t.p + (g_h + left_h) * t.h), left_p * (1 + t.p) + left_h * t.h};
    const std::vector<std::int64_t> out = advance_rows(size, table, t, p, h);
    advance(size.d, t.p, t.h, p + size.n, w, h + size.n);
    advance(2, t.p, t.h, p + size.n + size.d, plane.running, h + size.n + size.d);
    for (const std::int64_t i : out) {
        const Change change = put_back(rows, i, size, table[i], plane, lam, w, h);
        total.gain += change.gain, total.slope += change.slope;
    }
    if (!(total.gain > 0)) {
        retreat(size, table, plane, before, p, w);
        std::copy(p, p + length, h);
        return {0.0, g_p, true};
    }
    return {total.gain, total.slope, double(out.size()) <= set.clipped * double(size.n)};
}

template <class... Raw>
struct Push {
    static Answer call(Raw... raw, Table table, PlaneTerms terms, double lam, Out<double> w, Out<double> running,
                       double bias, double rho, double centre2, In<double> before, Out<double> step,
                       Out<double> history, double gain, double slope, bool has_history, double ridge, double longest,
                       double clipped) {
        const std::size_t n = table.shape(0), length = n + w.size() + 2;
        require((terms.shape(0) == 0 || terms.shape(0) == n) && running.size() == 2,
                "momentum_push: the plane must have as many rows as the table or none, and running two entries");
        require(before.size() == length && step.size() == length && history.size() == length,
                "momentum_push: a point must have n + d + 2 entries");
        const auto rows = rows_of(n, w.size(), raw...);
        const Plane plane{terms.shape(0) ? terms.data() : nullptr, running.data(), bias, rho, centre2};
        nb::gil_scoped_release release;
        return push(rows, {std::int64_t(n), std::int64_t(w.size())}, reinterpret_cast<Row *>(table.data()), plane, lam,
                    w.data(), before.data(), step.data(), history.data(), gain, slope, has_history,
                    {ridge, longest, clipped});
    }
};

}  // namespace

void bind_acceleration(nb::module_ &m) {
    bind_all<Push>(m, "momentum_push_csr", "momentum_push_dense", "momentum_push_pattern", array("table"),
                   array("plane"), nb::arg("lam"), array("w"), array("running"), nb::arg("bias"), nb::arg("rho"),
                   nb::arg("centre2"), array("before"), array("step"), array("history"), nb::arg("gain"),
                   nb::arg("slope"), nb::arg("has_history"), nb::arg("ridge"), nb::arg("longest"), nb::arg("clipped"));
}

}  // namespace pragam
