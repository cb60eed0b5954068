// Momentum for coordinate ascent. After a sweep, it steps to the maximum over the plane of the last two steps.
//
// F is the function that the sweeps maximise (sweep.cpp), H = -F'' and s = F'. A point, or a difference of two
// points, is one array: alpha (n), w (d), then the residuals of the planes and the moment, if there are planes. The
// specification, with the formulas, is momentum.py.
#include <algorithm>
#include <functional>
#include <vector>

#include "common/plane_of_steps.hpp"
#include "coordinate/variables.hpp"

namespace pragam {
namespace {

// `rest` is the number of residuals and moments.
struct Sizes {
    std::int64_t n, d, rest;

    std::int64_t length() const { return n + d + rest; }
};

// The planes' part of two differences: <u, H v> is lam <u_w, v_w> + sum own_i u_i v_i less this.
double across(const Planes &planes, double lam, const double *u, const double *v) {
    if (!planes.count) return 0;
    double sum_u = 0, sum_v = 0, same = 0, inner = 0;
    for (std::int64_t k = 0; k < planes.count; ++k) {
        sum_u += u[k], sum_v += v[k];
        same += u[k] * v[k];
        inner += (planes.rho + planes.centre2 / lam) * u[k] * v[k];
    }
    const double moments = sum_u * v[planes.count] + sum_v * u[planes.count];
    return moments - (inner + planes.centre2 / lam * (sum_u * sum_v - same));
}

// p = now - before in all its parts, and the products <p, H p>, <p, H h>, <h, H h>.
Products take_step(Sizes size, const Row *table, const Planes &planes, double lam, const double *w,
                   const double *before, const double *h, double *p) {
    Products diagonal;
    const std::int64_t n = size.n, d = size.d;
    const Products all = subtract(d, w, before + n, h + n, p + n);
    for (std::int64_t i = 0; i < n; ++i) {
        p[i] = table[i].alpha - before[i];
        const double own = table[i].own, weighted = own * p[i];
        diagonal.add({weighted * p[i], weighted * h[i], own * h[i] * h[i]});
    }
    double *rest = p + n + d;
    const double *past = h + n + d;
    for (std::int64_t k = 0; k < size.rest; ++k) rest[k] = planes.running[k] - before[n + d + k];
    return {lam * all.pp + diagonal.pp - across(planes, lam, rest, rest),
            lam * all.ph + diagonal.ph - across(planes, lam, rest, past),
            lam * all.hh + diagonal.hh - across(planes, lam, past, past)};
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

// Put variable i back into its box, which moves both the point and h by e along it. `past` has the residuals and the
// moment of h. Computes the exact change of F and of <s, h>.
template <class R>
Change put_back(const R &rows, std::int64_t i, Sizes size, const Variables &variables, Planes &planes, Planes &past,
                double lam, double *w, double *h) {
    Row &row = variables.table[i];
    const std::int64_t data_row = variables.row_of(i);
    double s = row.c + row.scale * rows.dot(data_row, w) - row.own * row.alpha;
    double minus_Hh = row.scale * rows.dot(data_row, h + size.n) - row.own * h[i];
    if (planes.count) s = planes.slope(i, s, lam), minus_Hh = past.slope(i, minus_Hh, lam);
    const double back = std::min(std::max(row.alpha, row.lower), row.upper), e = back - row.alpha;
    row.alpha = back;
    h[i] += e;
    rows.add_to(data_row, -e * row.scale / lam, w);
    rows.add_to(data_row, -e * row.scale / lam, h + size.n);
    if (planes.count) planes.move(i, e, lam), past.move(i, e, lam);
    return {e * (s - 0.5 * row.q * e), e * (s + minus_Hh - row.q * e)};
}

// Put these variables back. What a loop reads again and again is copied, so that it can stay in registers.
template <class R>
void put_all_back(R rows, const std::vector<std::int64_t> &out, Sizes size, Variables variables, Planes &planes,
                  Planes &past, double lam, double *w, double *h, Change &total) {
    Planes now = planes, then = past;
    Change sum = total;
    for (const std::int64_t i : out) {
        const Change change = put_back(rows, i, size, variables, now, then, lam, w, h);
        sum.gain += change.gain, sum.slope += change.slope;
    }
    planes = now, past = then, total = sum;
}

// Undo the step: back to before + p.
void retreat(Sizes size, Row *table, const Planes &planes, const double *before, const double *p, double *w) {
    const std::int64_t n = size.n, d = size.d;
    for (std::int64_t i = 0; i < n; ++i)
        table[i].alpha = std::min(std::max(before[i] + p[i], table[i].lower), table[i].upper);
    for (std::int64_t j = 0; j < d; ++j) w[j] = before[n + j] + p[n + j];
    for (std::int64_t k = 0; k < size.rest; ++k) planes.running[k] = before[n + d + k] + p[n + d + k];
}

// Puts these variables back, and adds up the changes. It is compiled for each storage of the rows, the rest once.
using PutBack =
    std::function<void(const std::vector<std::int64_t> &out, Planes &planes, Planes &past, Change &total)>;

Pushed push(const PutBack &back, Sizes size, const Variables &variables, Planes planes, double lam, double *w,
            const Points &points, const Ascent &ascent, const Limits &limits) {
    double *p = points.step, *h = points.history;
    if (!ascent.has_history) std::fill(h, h + size.length(), 0.0);
    const Products H = take_step(size, variables.table, planes, lam, w, points.before, h, p);
    const double g_p = ascent.gain - 0.5 * H.pp, g_h = ascent.slope - H.ph;
    const Step t = ascent.has_history ? highest(H, g_p, g_h, limits) : Step{0, 0};
    if (t.p == 0 && t.h == 0) {
        std::copy(p, p + size.length(), h);
        return {0.0, g_p, true};
    }
    Change total = over_plane(H, g_p, g_h, t);
    const std::vector<std::int64_t> out = advance_rows(size, variables.table, t, p, h);
    advance(size.d, t, p + size.n, w, h + size.n);
    advance(size.rest, t, p + size.n + size.d, planes.running, h + size.n + size.d);
    Planes past{planes.terms, planes.group, h + size.n + size.d, nullptr, planes.rho, planes.centre2, planes.count};
    planes.refresh(), past.refresh();
    back(out, planes, past, total);
    if (!(total.gain > 0)) {
        retreat(size, variables.table, planes, points.before, p, w);
        std::copy(p, p + size.length(), h);
        return {0.0, g_p, true};
    }
    return {total.gain, total.slope, double(out.size()) <= limits.clipped * double(size.n)};
}

template <class... Raw>
struct Push {
    static Pushed call(Raw... raw, const VariablesRecord &variables_record, const PlanesRecord &planes_record,
                       double lam, Out<double> w, const PointsRecord &points, const AscentRecord &ascent,
                       const LimitsRecord &limits) {
        const Variables variables = variables_of(variables_record);
        const Planes planes = planes_of(planes_record, variables.n);
        const Sizes size{variables.n, std::int64_t(w.size()), planes.count ? planes.count + 1 : 0};
        const auto &[before, step, history] = points;
        const auto &[gain, slope, has_history] = ascent;
        const auto &[ridge, longest, clipped] = limits;
        const std::size_t length = std::size_t(size.length());
        require(before.size() == length && step.size() == length && history.size() == length,
                "momentum_push: a point must have an entry for each variable, each weight and all that is running");
        const Points points_of_plane{before.data(), step.data(), history.data()};
        const Ascent ascent_so_far{gain, slope, has_history};
        const Limits limits_of_step{ridge, longest, clipped};
        const auto run = [&](const auto &rows) {
            nb::gil_scoped_release release;
            const auto back = [&](const std::vector<std::int64_t> &out, Planes &now, Planes &past, Change &total) {
                put_all_back(rows, out, size, variables, now, past, lam, w.data(), points_of_plane.history, total);
            };
            return push(back, size, variables, planes, lam, w.data(), points_of_plane, ascent_so_far, limits_of_step);
        };
        return with_copies(rows_to_read(variables, raw...), w.size(), run, raw...);
    }
};

}  // namespace

void bind_coordinate_momentum(nb::module_ &m) {
    const auto bind = [&m](auto... args) {
        bind_all<Push>(m, "momentum_push_csr", "momentum_push_dense", "momentum_push_pattern", args...);
        bind_single<Push>(m, "momentum_push_single", args...);
    };
    bind(array("variables"), array("planes"), nb::arg("lam"), array("w"), array("points"), nb::arg("ascent"),
         nb::arg("limits"));
}

}  // namespace pragam
