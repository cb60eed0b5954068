// The semismooth Newton method on a small dense matrix, with stages and steps in one call. The specification, with the
// formulas, is dense.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/kernel.hpp"
#include "common/small_matrices.hpp"
#include "newton/boxes.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Vector = std::vector<double>;

constexpr double shrink = 0.25, grow = 16.0, least_delta = 1e-6;
constexpr double smooth = 5.0, negligible = 1e-6;
constexpr double inner = 1.0, resolved = 1e-17;
constexpr int64_t patience = 40, few = 10;
constexpr double line_tol = 1e-3;
constexpr int64_t evaluations = 60;
constexpr int64_t rounds = 4;
constexpr double blur_shrink = 0.25, least_blur = 0.01;
constexpr double flat = 1e-10;
constexpr double eps = std::numeric_limits<double>::epsilon(), tiny = std::numeric_limits<double>::min();
constexpr double infinity = std::numeric_limits<double>::infinity();

double dot(const Vector &x, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

struct Data {
    int64_t m, d;
    const double *rows;      // m x d
    const int64_t *number;   // the row that each dual variable reads, or null: each its own
    const double *scale;     // what it multiplies it by
    const double *c;
    Boxes boxes;
    Planes planes;
    const double *offset, *levels;
    double lam, constant;
};

class Loop {
  public:
    Loop(const Data &data, double *w, double *biases, double *base, double *beta, double delta)
        : delta(delta), p_(data), n_(data.boxes.n), K_(size_t(data.planes.count)), w_(w), biases_(biases), base_(base),
          beta_(beta), s_(size_t(n_)), ds_(s_), change_(s_), weights_(s_), adjoint_(size_t(data.d)), dw_(adjoint_),
          gradient_(adjoint_), factored_(size_t(data.d * data.d)), matrix_(factored_), of_rows_(size_t(data.m)),
          means_(K_ * size_t(data.d)), steepness_(K_), filled_(K_), totals_(K_), db_(K_), begins_(K_ + 1) {
        are_pairs_ = are_pairs();
        sort_by_plane();
        least_bend_ = p_.boxes.is_plain() ? 0.0 : infinity;
        for (int64_t i = 0; i < n_ && least_bend_ > 0; ++i)
            if (p_.boxes.size[i] > 0) least_bend_ = std::min(least_bend_, bend(i));
        if (least_bend_ == infinity) least_bend_ = 0;
        set_steepness(0.0);
    }

    double delta;
    int64_t read = 0;  // rows

    // Recompute s, beta and A' alpha at (w, biases), with the centre base.
    void begin_stage() {
        double largest = 0;
        for (int64_t i = 0; i < n_; ++i) largest = std::max(largest, std::abs(base_[i]));
        const bool is_smooth = delta <= smooth * least_bend_;
        unit_ = 2 * largest >= 1 ? 1.0 : std::max(2 * largest, least_unit());
        tau_ = std::max(unit_ / delta, is_smooth ? 1 / (negligible * least_bend_) : 0.0);
        blur_ = is_smooth ? 0.0 : 1.0;
        if (!p_.boxes.is_plain()) set_steepness(tau_);
        product(w_, s_.data());
        for (int64_t i = 0; i < n_; ++i) s_[size_t(i)] += p_.c[i];
        add_biases(biases_, s_);
        move(0.0);
        for (int64_t i = 0; i < n_; ++i) change_[size_t(i)] = p_.boxes.size[i] * beta_[i];
        std::copy(p_.offset, p_.offset + p_.d, adjoint_.begin());
        add_adjoint(change_.data(), adjoint_.data());
        read += 2 * n_;
    }

    // One Newton step. False if the numbers do not allow one.
    bool step() {
        direction();
        product(dw_.data(), ds_.data());
        add_biases(db_.data(), ds_);
        const double slope = p_.lam * dot(dw_, w_) + dot(dw_, p_.offset) - dot(db_, p_.levels);
        const Line line{slope, p_.lam * dot(dw_, dw_.data()), line_tol, evaluations};
        const double t = box_line_search(p_.boxes, s_.data(), ds_.data(), tau_, line);
        if (!std::isfinite(t * slope)) return false;
        for (int64_t j = 0; j < p_.d; ++j) w_[j] += t * dw_[size_t(j)];
        for (size_t k = 0; k < K_; ++k) biases_[k] += t * db_[k];
        move(t);
        add_adjoint(change_.data(), adjoint_.data());
        read += n_ + int64_t(sums_.moved);
        if (t > 0.5) blur_ *= blur_shrink;
        return true;
    }

    bool is_inner_optimal() {
        double error = 0;
        for (size_t k = 0; k < K_; ++k)
            error += 0.5 / tau_ * off_plane(k) * off_plane(k) / std::max(steepness_[k], tiny);
        set_gradient();
        for (const double g : gradient_) error += g * g / (2 * p_.lam);
        return error <= std::max(inner * proximal(), resolved * std::abs(primal()));
    }

    // Whether a stage, at the least delta, can gain nothing more.
    bool is_at_rest() const { return delta <= least_delta && proximal() <= resolved * std::abs(primal()); }

    // Move back onto the planes along the rows inside their boxes, which changes nothing at the optimum. Where some of
    // them come to an end of their boxes, the others make up for it.
    void settle() {
        if (K_ == 0) return;
        inside_.clear();
        for (int64_t i = 0; i < n_; ++i)
            if (is_inside(i)) inside_.push_back(i);
        std::fill(change_.begin(), change_.end(), 0.0);
        for (int64_t k = 0; k < rounds; ++k) settle_once();
        add_adjoint(change_.data(), adjoint_.data());
    }

    // The relative gap between J(w, biases) and D(beta).
    double estimate() const {
        double penalty = 0;
        for (size_t k = 0; k < K_; ++k) penalty += (1 + std::abs(biases_[k])) * std::abs(off_plane(k));
        const double upper = primal(), square = dot(adjoint_, adjoint_.data()) / (2 * p_.lam);
        const double lower = p_.constant + sums_.linear - square - penalty;
        return (upper - lower) / std::max({std::abs(upper), std::abs(lower), tiny});
    }

    void end_stage(bool optimal) {
        std::copy(beta_, beta_ + n_, base_);
        delta = optimal ? std::max(shrink * delta, least_delta) : grow * delta;
    }

  private:
    // No beta that matters is smaller: with that much of all rows, |w| is what the largest score asks for.
    double least_unit() {
        if (least_unit_ > 0) return least_unit_;
        for (int64_t r = 0; r < p_.m; ++r) {
            double square = 0;
            for (int64_t j = 0; j < p_.d; ++j) square += p_.rows[r * p_.d + j] * p_.rows[r * p_.d + j];
            of_rows_[size_t(r)] = square;
        }
        double mass = 0, norm2 = 0, largest = 0;
        for (int64_t i = 0; i < n_; ++i) {
            mass += p_.boxes.size[i];
            norm2 = std::max(norm2, scale(i) * scale(i) * of_rows_[size_t(row(i))]);
            largest = std::max(largest, std::abs(p_.c[i]));
        }
        least_unit_ = std::min(1.0, p_.lam * largest / std::max(mass * norm2, tiny));
        return least_unit_;
    }

    double low(int64_t i) const { return p_.boxes.is_plain() ? 0.0 : p_.boxes.low[i]; }

    double high(int64_t i) const { return p_.boxes.is_plain() ? 1.0 : p_.boxes.high[i]; }

    double bend(int64_t i) const { return p_.boxes.is_plain() ? 0.0 : p_.boxes.bend[i]; }

    bool is_inside(int64_t i) const { return beta_[i] > low(i) && beta_[i] < high(i); }

    size_t plane(int64_t i) const { return K_ == 1 ? 0 : size_t(p_.planes.group[i]); }

    int64_t row(int64_t i) const { return p_.number ? p_.number[i] : i; }

    double scale(int64_t i) const { return p_.number ? p_.scale[i] : 1.0; }

    double proximal() const { return 0.5 / tau_ * sums_.proximal; }

    double off_plane(size_t k) const { return p_.levels[k] - filled_[k]; }

    double primal() const {
        double value = p_.constant + sums_.risk;
        for (size_t k = 0; k < K_; ++k) value -= biases_[k] * p_.levels[k];
        for (int64_t j = 0; j < p_.d; ++j) value += w_[j] * (0.5 * p_.lam * w_[j] + p_.offset[j]);
        return value;
    }

    // out_i = scale_i <row of i, x>: one inner product for each row of the matrix.
    void product(const double *x, double *out) {
        if (!p_.number) return small_product(n_, p_.d, p_.rows, x, out);
        small_product(p_.m, p_.d, p_.rows, x, of_rows_.data());
        if (are_pairs_)
            for (int64_t i = 0; i < n_; ++i) out[i] = p_.scale[i] * of_rows_[size_t(i / 2)];
        else
            for (int64_t i = 0; i < n_; ++i) out[i] = p_.scale[i] * of_rows_[size_t(p_.number[i])];
    }

    // Sums term(i) over the dual variables that read each row of the matrix.
    template <class Term>
    const double *summed(Term term) {
        std::fill(of_rows_.begin(), of_rows_.end(), 0.0);
        if (are_pairs_)
            for (int64_t r = 0; r < p_.m; ++r) of_rows_[size_t(r)] = term(2 * r) + term(2 * r + 1);
        else
            for (int64_t i = 0; i < n_; ++i) of_rows_[size_t(p_.number[i])] += term(i);
        return of_rows_.data();
    }

    // Whether the dual variables 2 r and 2 r + 1 read row r, as those of a tube do: what is known beforehand is faster.
    bool are_pairs() const {
        bool found = p_.number && n_ == 2 * p_.m;
        for (int64_t i = 0; found && i < n_; ++i) found = p_.number[i] == i / 2;
        return found;
    }

    // out += sum over i of y_i scale_i (row of i), summed over each row of the matrix first.
    void add_adjoint(const double *y, double *out) {
        const double *of_rows = p_.number ? summed([&](int64_t i) { return p_.scale[i] * y[i]; }) : y;
        small_adjoint(p_.m, p_.d, p_.rows, of_rows, out);
    }

    // matrix += sum of weights a a': one summed weight for each row of the matrix.
    void add_gram() {
        const double *weights = weights_.data(), *scale = p_.scale;
        if (p_.number) {
            for (const double weight : weights_) read += weight != 0;
            weights = summed([&](int64_t i) { return scale[i] * weights_[size_t(i)] * scale[i]; });
        }
        const int64_t used = small_gram(p_.m, p_.d, p_.rows, weights, matrix_.data());
        if (!p_.number) read += used;
    }

    // x += B b.
    void add_biases(const double *b, Vector &x) const {
        if (K_ > 0)
            for (int64_t i = 0; i < n_; ++i) x[size_t(i)] += b[plane(i)] * p_.planes.sigma[i];
    }

    // The curvature along each bias, over tau, with all rows inside their boxes.
    void set_steepness(double tau) {
        std::fill(steepness_.begin(), steepness_.end(), 0.0);
        if (K_ == 0) return;
        for (int64_t i = 0; i < n_; ++i) {
            const double sigma = p_.planes.sigma[i];
            steepness_[plane(i)] += p_.boxes.size[i] / (1 + tau * bend(i)) * sigma * sigma;
        }
    }

    void settle_once() {
        Vector mass(K_, 0.0), shift(K_, 0.0);
        for (const int64_t i : inside_)
            if (is_inside(i)) mass[plane(i)] += p_.boxes.size[i] * p_.planes.sigma[i] * p_.planes.sigma[i];
        for (size_t k = 0; k < K_; ++k) shift[k] = mass[k] > 0 ? off_plane(k) / mass[k] : 0.0;
        for (const int64_t i : inside_) {
            if (!is_inside(i)) continue;
            const double sigma = p_.planes.sigma[i];
            const double moved = std::clamp(beta_[i] + shift[plane(i)] * sigma, low(i), high(i));
            const double change = p_.boxes.size[i] * (moved - beta_[i]);
            filled_[plane(i)] += sigma * change;
            sums_.linear += (p_.c[i] - 0.5 * bend(i) * (moved + beta_[i])) * change;
            change_[size_t(i)] += change;
            beta_[i] = moved;
        }
    }

    void move(double t) {
        sums_ = box_move(p_.boxes, p_.planes, p_.c, t, s_.data(), ds_.data(), tau_, beta_, change_.data(),
                         filled_.data());
    }

    // That of the centred rows, in which a common offset does not count.
    void set_gradient() {
        for (size_t j = 0; j < gradient_.size(); ++j) {
            gradient_[j] = p_.lam * w_[j] + adjoint_[j];
            for (size_t k = 0; k < K_; ++k) gradient_[j] += off_plane(k) * means_[k * gradient_.size() + j];
        }
    }

    // Writes the directions of w and of the biases, and the means of the rows that eliminate the biases.
    void direction() {
        const double blur = blur_ >= least_blur ? blur_ * unit_ : 0.0;
        box_weights(p_.boxes, s_.data(), tau_, blur, weights_.data());
        for (double &weight : weights_) weight *= tau_;
        for (size_t k = 0; k < K_; ++k) set_mean(k);
        factorise();
        set_gradient();
        for (size_t j = 0; j < dw_.size(); ++j) dw_[j] = -gradient_[j];
        small_substitute(p_.d, factored_.data(), dw_.data());
        for (size_t k = 0; k < K_; ++k) {
            const double along = dot(dw_, means_.data() + k * dw_.size());
            db_[k] = steepness_[k] > 0 ? off_plane(k) / totals_[k] - along : 0.0;
        }
    }

    // total = sum of weights sigma^2 over the rows of plane k, mean = sum of weights sigma a / total.
    void set_mean(size_t k) {
        double total = 0;
        const int64_t first = begins_[k], last = begins_[k + 1];
        for (int64_t q = first; q < last; ++q) {
            const size_t i = size_t(by_plane_[size_t(q)]);
            change_[i] = weights_[i] * p_.planes.sigma[i];
            total += change_[i] * p_.planes.sigma[i];
        }
        totals_[k] = std::max({total, flat * tau_ * steepness_[k], tiny});
        double *mean = means_.data() + k * dw_.size();
        std::fill(mean, mean + p_.d, 0.0);
        if (!(steepness_[k] > 0)) return;
        if (K_ == 1) {
            add_adjoint(change_.data(), mean);
        } else {
            std::fill(of_rows_.begin(), of_rows_.end(), 0.0);
            for (int64_t q = first; q < last; ++q) {
                const int64_t i = by_plane_[size_t(q)];
                of_rows_[size_t(row(i))] += scale(i) * change_[size_t(i)];
            }
            small_adjoint(p_.m, p_.d, p_.rows, of_rows_.data(), mean);
        }
        for (int64_t j = 0; j < p_.d; ++j) mean[j] /= totals_[k];
    }

    // The rows in the order of their planes, and where each plane begins.
    void sort_by_plane() {
        if (K_ == 0) return;
        for (int64_t i = 0; i < n_; ++i) ++begins_[plane(i) + 1];
        for (size_t k = 0; k < K_; ++k) begins_[k + 1] += begins_[k];
        by_plane_.resize(size_t(n_));
        std::vector<int64_t> next(begins_.begin(), begins_.end() - 1);
        for (int64_t i = 0; i < n_; ++i) by_plane_[size_t(next[plane(i)]++)] = i;
    }

    // lam I + sum of weights a a' - sum of total mean mean'. If rounding has left it indefinite, its diagonal is increased
    // until it is definite.
    void factorise() {
        const size_t d = size_t(p_.d);
        std::fill(matrix_.begin(), matrix_.end(), 0.0);
        add_gram();
        double largest = 0;
        for (size_t i = 0; i < d; ++i) {
            largest = std::max(largest, matrix_[i * d + i]);
            for (size_t k = 0; k < K_; ++k) {
                const double *mean = means_.data() + k * d, m = totals_[k] * mean[i];
                for (size_t j = i; j < d; ++j) matrix_[i * d + j] -= m * mean[j];
            }
            matrix_[i * d + i] += p_.lam;
        }
        for (double more = eps * largest;; more *= 4) {
            factored_ = matrix_;
            if (small_cholesky(p_.d, factored_.data()) || !(more > 0 && more < infinity)) return;
            for (size_t i = 0; i < d; ++i) matrix_[i * d + i] += more;
        }
    }

    const Data p_;
    const int64_t n_;
    const size_t K_;
    double *w_, *biases_, *base_, *beta_;
    Vector s_, ds_, change_, weights_, adjoint_, dw_, gradient_, factored_, matrix_;
    Vector of_rows_;  // a number for each row of the matrix
    Vector means_, steepness_, filled_, totals_, db_;  // of the planes; means_ is K x d
    std::vector<int64_t> begins_, by_plane_, inside_;
    bool are_pairs_ = false;
    double least_bend_ = 0, least_unit_ = 0, unit_ = 1, tau_ = 1, blur_ = 1;
    Sums sums_{};
};

using Iterate = std::tuple<Out<double>, Out<double>, Out<double>, Out<double>, Out<double>>;  // w, biases, base, beta, delta

// A point of the loop to return to, since steps towards the optimum that the budget cuts short may end farther away.
class Place {
  public:
    bool is_known() const { return estimate_ < infinity; }

    void keep(const Iterate &iterate, double estimate) {
        size_t k = 0;
        const auto keep_one = [&](const Out<double> &x) { kept_[k++].assign(x.data(), x.data() + x.size()); };
        std::apply([&](const auto &...x) { (keep_one(x), ...); }, iterate);
        estimate_ = estimate;
    }

    double restore(const Iterate &iterate) const {
        size_t k = 0;
        const auto restore_one = [&](const Out<double> &x) {
            std::copy(kept_[k].begin(), kept_[k].end(), x.data());
            ++k;
        };
        std::apply([&](const auto &...x) { (restore_one(x), ...); }, iterate);
        return estimate_;
    }

  private:
    std::array<Vector, 5> kept_;
    double estimate_ = infinity;
};

// rows, number, scale, c, size, low, high, bend, sigma, group, offset, levels, lam, constant
using DataIn = std::tuple<Matrix<double>, In<int64_t>, In<double>, In<double>, In<double>, In<double>, In<double>,
                          In<double>, In<double>, In<int64_t>, In<double>, In<double>, double, double>;
using GoalIn = std::tuple<double, double, int64_t, double>;  // tol, exact, steps, beyond
using Answer = std::tuple<int64_t, int64_t, double>;

Data data_of(const DataIn &problem, const Iterate &iterate) {
    const auto &[rows, number, scale, c, size, low, high, bend, sigma, group, offset, levels, lam, constant] = problem;
    const auto &[w, biases, base, beta, delta] = iterate;
    const size_t m = rows.shape(0), n = c.size(), d = rows.shape(1);
    const bool shared = number.size() + scale.size() > 0;
    require(shared ? number.size() == n && scale.size() == n : m == n,
            "dense_newton: number and scale must have an entry for each dual variable, or both none");
    for (size_t i = 0; i < number.size(); ++i)
        require(number.data()[i] >= 0 && number.data()[i] < int64_t(m), "dense_newton: number is out of range");
    require(d == 0 || (rows.stride(1) == 1 && rows.stride(0) == int64_t(d)), "dense_newton: rows must be in C order");
    for (size_t length : {size.size(), sigma.size(), group.size(), base.size(), beta.size()})
        require(length == n, "dense_newton: size, sigma, group, base and beta must have an entry for each of c");
    const bool plain = low.size() + high.size() + bend.size() == 0;
    require(plain || (low.size() == n && high.size() == n && bend.size() == n),
            "dense_newton: low, high and bend must have an entry for each row, or all of them none");
    require(offset.size() == d && w.size() == d, "dense_newton: offset and w must have an entry for each column");
    require(levels.size() == biases.size(), "dense_newton: levels and biases must have an entry for each plane");
    require(delta.size() == 1, "dense_newton: delta must have one entry");
    const Planes planes{int64_t(levels.size()), sigma.data(), group.data()};
    require(planes.is_in_range(int64_t(n)), "dense_newton: group holds the number of a plane that is not there");
    const Boxes boxes{int64_t(n),
                      base.data(),
                      size.data(),
                      plain ? nullptr : low.data(),
                      plain ? nullptr : high.data(),
                      plain ? nullptr : bend.data()};
    return {int64_t(m),     int64_t(d),    rows.data(), shared ? number.data() : nullptr, scale.data(), c.data(), boxes, planes,
            offset.data(), levels.data(), lam,         constant};
}

Answer dense_newton(const DataIn &problem, const Iterate &iterate, const GoalIn &goal) {
    const Data data = data_of(problem, iterate);
    const auto &[w, biases, base, beta, delta] = iterate;
    const auto &[tol, exact, steps, beyond] = goal;
    nb::gil_scoped_release release;
    Loop loop(data, w.data(), biases.data(), base.data(), beta.data(), delta.data()[0]);
    Pulse pulse;
    int64_t made = 0, budget = steps;
    double estimate = infinity;
    bool possible = true, idle = false;  // idle: the last stage made no step
    Place reached;  // where the tolerance was first met
    while (made < budget && possible) {
        int64_t inside = 0;  // steps of this stage
        loop.begin_stage();
        bool optimal = loop.is_inner_optimal();
        const bool at_rest = optimal && loop.is_at_rest();
        // Without a step the centre moves to beta as it is now, which may be far off the planes, and back: a cycle.
        optimal = optimal && !idle && !(loop.estimate() > estimate);
        while (!optimal && made + inside < budget && inside < patience && (possible = loop.step())) {
            ++inside;
            optimal = loop.is_inner_optimal();
        }
        idle = inside == 0;
        made += std::max(inside, int64_t(1));
        loop.settle();
        estimate = possible ? loop.estimate() : infinity;
        if (optimal || inside == patience) loop.end_stage(optimal);
        delta.data()[0] = loop.delta;
        if (estimate <= exact || at_rest) break;
        if (estimate <= tol && !reached.is_known()) {
            reached.keep(iterate, estimate);
            budget = int64_t(std::min(double(steps), beyond * double(made) + double(few)));
        }
        pulse.beat(size_t(inside + 1) * size_t(data.boxes.n + data.m * data.d));
    }
    if (reached.is_known() && !(estimate <= tol)) estimate = reached.restore(iterate);
    return {made, loop.read, estimate};
}

}  // namespace

void bind_newton_dense(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("dense_newton", &dense_newton, a("problem"), a("iterate"), nb::arg("goal"));
}

}  // namespace pragam
