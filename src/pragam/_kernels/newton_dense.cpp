// The semismooth Newton method on a small dense matrix, with stages and steps in one call. The specification, with the
// formulas, is twins/newton_dense.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common.hpp"
#include "newton.hpp"
#include "small_matrices.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Vector = std::vector<double>;

constexpr double shrink = 0.25, grow = 16.0, least_delta = 1e-6;
constexpr double inner = 1.0, resolved = 1e-17;
constexpr int64_t patience = 40, few = 10;
constexpr double line_tol = 1e-3;
constexpr int64_t evaluations = 60;
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
    int64_t n, d;
    const double *rows, *c, *width, *sigma, *offset;
    double lam, level, constant;
};

class Loop {
  public:
    Loop(const Data &data, double *w, double *base, double *beta, double bias, double delta)
        : bias(bias), delta(delta), p_(data), w_(w), base_(base), beta_(beta), s_(size_t(data.n)), ds_(s_), change_(s_),
          weights_(s_), adjoint_(size_t(data.d)), mean_(adjoint_), dw_(adjoint_), factored_(size_t(data.d * data.d)),
          matrix_(factored_) {
        double mass = 0, norm2 = 0, largest = 0;
        for (int64_t i = 0; i < p_.n; ++i) {
            double square = 0;
            for (int64_t j = 0; j < p_.d; ++j) square += p_.rows[i * p_.d + j] * p_.rows[i * p_.d + j];
            mass += p_.width[i];
            norm2 = std::max(norm2, square);
            largest = std::max(largest, std::abs(p_.c[i]));
            steepness_ += p_.width[i] * p_.sigma[i] * p_.sigma[i];
        }
        least_unit_ = std::min(1.0, p_.lam * largest / std::max(mass * norm2, tiny));
    }

    double bias, delta;
    int64_t read = 0;  // rows

    // Recompute s, beta and A' alpha at (w, bias), with the centre base.
    void begin_stage() {
        const double largest = p_.n > 0 ? *std::max_element(base_, base_ + p_.n) : 0.0;
        unit_ = std::clamp(2 * largest, least_unit_, 1.0);
        blur_ = 1.0;
        small_product(p_.n, p_.d, p_.rows, w_, s_.data());
        for (int64_t i = 0; i < p_.n; ++i) s_[size_t(i)] += p_.c[i] - bias * p_.sigma[i];
        move(0.0);
        for (int64_t i = 0; i < p_.n; ++i) change_[size_t(i)] = p_.width[i] * beta_[i];
        std::copy(p_.offset, p_.offset + p_.d, adjoint_.begin());
        small_adjoint(p_.n, p_.d, p_.rows, change_.data(), adjoint_.data());
        read += 2 * p_.n;
    }

    // One Newton step. False if the numbers do not allow one.
    bool step() {
        const double db = direction();
        small_product(p_.n, p_.d, p_.rows, dw_.data(), ds_.data());
        for (int64_t i = 0; i < p_.n; ++i) ds_[size_t(i)] -= db * p_.sigma[i];
        const double slope = p_.lam * dot(dw_, w_) + dot(dw_, p_.offset) + db * p_.level;
        const double t = box_line_search(p_.n, s_.data(), ds_.data(), base_, p_.width, factor(), slope,
                                         p_.lam * dot(dw_, dw_.data()), line_tol, evaluations);
        if (!std::isfinite(t * slope)) return false;
        for (int64_t j = 0; j < p_.d; ++j) w_[j] += t * dw_[size_t(j)];
        bias += t * db;
        move(t);
        small_adjoint(p_.n, p_.d, p_.rows, change_.data(), adjoint_.data());
        read += p_.n + int64_t(sums_.moved);
        if (t > 0.5) blur_ *= blur_shrink;
        return true;
    }

    bool is_inner_optimal() const {
        double error = 0.5 / factor() * off_plane() * off_plane() / std::max(steepness_, tiny);
        for (int64_t j = 0; j < p_.d; ++j) {
            const double gradient = p_.lam * w_[j] + adjoint_[size_t(j)] + off_plane() * mean_[size_t(j)];
            error += gradient * gradient / (2 * p_.lam);
        }
        return error <= std::max(inner * proximal(), resolved * std::abs(primal()));
    }

    // Whether a stage, at the least delta, can gain nothing more.
    bool is_at_rest() const { return delta <= least_delta && proximal() <= resolved * std::abs(primal()); }

    // Move back onto the plane along the rows inside their boxes, which changes nothing at the optimum.
    void settle() {
        double mass = 0;
        for (int64_t i = 0; i < p_.n; ++i)
            if (beta_[i] > 0 && beta_[i] < 1) mass += p_.width[i] * p_.sigma[i] * p_.sigma[i];
        if (!(mass > 0)) return;
        const double shift = off_plane() / mass;
        for (int64_t i = 0; i < p_.n; ++i) {
            const bool inside = beta_[i] > 0 && beta_[i] < 1;
            const double moved = inside ? std::clamp(beta_[i] + shift * p_.sigma[i], 0.0, 1.0) : beta_[i];
            change_[size_t(i)] = p_.width[i] * (moved - beta_[i]);
            sums_.plane += p_.sigma[i] * change_[size_t(i)];
            sums_.linear += p_.c[i] * change_[size_t(i)];
            beta_[i] = moved;
        }
        small_adjoint(p_.n, p_.d, p_.rows, change_.data(), adjoint_.data());
    }

    // The relative gap between J(w, bias) and D(beta).
    double estimate() const {
        const double upper = primal(), penalty = (1 + std::abs(bias)) * std::abs(off_plane());
        const double square = dot(adjoint_, adjoint_.data()) / (2 * p_.lam);
        const double lower = p_.constant + sums_.linear - square - penalty;
        return (upper - lower) / std::max({std::abs(upper), std::abs(lower), tiny});
    }

    void end_stage(bool optimal) {
        std::copy(beta_, beta_ + p_.n, base_);
        delta = optimal ? std::max(shrink * delta, least_delta) : grow * delta;
    }

  private:
    double factor() const { return unit_ / delta; }

    double proximal() const { return 0.5 / factor() * sums_.proximal; }

    double off_plane() const { return p_.level - sums_.plane; }

    double primal() const {
        double value = p_.constant + bias * p_.level + sums_.hinge;
        for (int64_t j = 0; j < p_.d; ++j) value += w_[j] * (0.5 * p_.lam * w_[j] + p_.offset[j]);
        return value;
    }

    void move(double t) {
        sums_ = box_move(t, p_.n, s_.data(), ds_.data(), base_, p_.width, p_.c, p_.sigma, factor(), beta_,
                         change_.data());
    }

    // Writes the direction of w, and the mean of the rows that eliminates the bias. Returns the direction of the bias.
    double direction() {
        const double blur = blur_ >= least_blur ? blur_ * unit_ : 0.0;
        box_weights(p_.n, s_.data(), base_, p_.width, factor(), blur, weights_.data());
        double total = 0;
        for (int64_t i = 0; i < p_.n; ++i) {
            weights_[size_t(i)] *= factor();
            change_[size_t(i)] = weights_[size_t(i)] * p_.sigma[i];
            total += change_[size_t(i)] * p_.sigma[i];
        }
        total = std::max({total, flat * factor() * steepness_, tiny});
        std::fill(mean_.begin(), mean_.end(), 0.0);
        if (steepness_ > 0) small_adjoint(p_.n, p_.d, p_.rows, change_.data(), mean_.data());
        for (double &m : mean_) m /= total;
        factorise(total);
        for (int64_t j = 0; j < p_.d; ++j)
            dw_[size_t(j)] = -(p_.lam * w_[j] + adjoint_[size_t(j)] + off_plane() * mean_[size_t(j)]);
        small_substitute(p_.d, factored_.data(), dw_.data());
        return steepness_ > 0 ? dot(mean_, dw_.data()) - off_plane() / total : 0.0;
    }

    // lam I + sum of weights a a' - total mean mean'. If rounding has left it indefinite, its diagonal is increased until
    // it is definite.
    void factorise(double total) {
        const size_t d = size_t(p_.d);
        std::fill(matrix_.begin(), matrix_.end(), 0.0);
        read += small_gram(p_.n, p_.d, p_.rows, weights_.data(), matrix_.data());
        double largest = 0;
        for (size_t i = 0; i < d; ++i) {
            largest = std::max(largest, matrix_[i * d + i]);
            const double m = total * mean_[i];
            for (size_t j = i; j < d; ++j) matrix_[i * d + j] -= m * mean_[j];
            matrix_[i * d + i] += p_.lam;
        }
        for (double more = eps * largest;; more *= 4) {
            factored_ = matrix_;
            if (small_cholesky(p_.d, factored_.data()) || !(more > 0 && more < infinity)) return;
            for (size_t i = 0; i < d; ++i) matrix_[i * d + i] += more;
        }
    }

    const Data p_;
    double *w_, *base_, *beta_;
    Vector s_, ds_, change_, weights_, adjoint_, mean_, dw_, factored_, matrix_;
    double steepness_ = 0, least_unit_ = 0, unit_ = 1, blur_ = 1;
    Sums sums_{};
};

// A point of the loop to return to, since steps towards the optimum that the budget cuts short may end farther away.
class Place {
  public:
    bool is_known() const { return estimate_ < infinity; }

    void keep(const Out<double> &w, const Out<double> &base, const Out<double> &beta, const Out<double> &place,
              double estimate) {
        const Out<double> *vectors[] = {&w, &base, &beta, &place};
        for (size_t k = 0; k < kept_.size(); ++k)
            kept_[k].assign(vectors[k]->data(), vectors[k]->data() + vectors[k]->size());
        estimate_ = estimate;
    }

    double restore(Out<double> &w, Out<double> &base, Out<double> &beta, Out<double> &place) const {
        Out<double> *vectors[] = {&w, &base, &beta, &place};
        for (size_t k = 0; k < kept_.size(); ++k) std::copy(kept_[k].begin(), kept_[k].end(), vectors[k]->data());
        return estimate_;
    }

  private:
    std::array<Vector, 4> kept_;
    double estimate_ = infinity;
};

using Answer = std::tuple<int64_t, int64_t, double>;

Answer dense_newton(Matrix<double> rows, In<double> c, In<double> width, In<double> sigma, In<double> offset,
                    double lam, double level, double constant, Out<double> w, Out<double> base, Out<double> beta,
                    Out<double> place, double tol, double exact, int64_t steps) {
    const size_t n = rows.shape(0), d = rows.shape(1);
    require(d == 0 || (rows.stride(1) == 1 && rows.stride(0) == int64_t(d)), "dense_newton: rows must be in C order");
    require(c.size() == n && width.size() == n && sigma.size() == n && base.size() == n && beta.size() == n,
            "dense_newton: c, width, sigma, base and beta must have an entry for each row");
    require(offset.size() == d && w.size() == d, "dense_newton: offset and w must have an entry for each column");
    require(place.size() == 2, "dense_newton: place must hold the bias and delta");
    const Data data{int64_t(n), int64_t(d),    rows.data(), c.data(), width.data(), sigma.data(), offset.data(), lam,
                    level,      constant};
    nb::gil_scoped_release release;
    Loop loop(data, w.data(), base.data(), beta.data(), place.data()[0], place.data()[1]);
    Pulse pulse;
    int64_t made = 0, budget = steps;
    double estimate = infinity;
    bool possible = true;
    Place reached;  // where the tolerance was first met
    while (made < budget && possible) {
        int64_t inside = 0;  // steps of this stage
        loop.begin_stage();
        bool optimal = loop.is_inner_optimal();
        const bool at_rest = optimal && loop.is_at_rest();
        while (!optimal && made + inside < budget && inside < patience && (possible = loop.step())) {
            ++inside;
            optimal = loop.is_inner_optimal();
        }
        made += std::max(inside, int64_t(1));
        loop.settle();
        estimate = possible ? loop.estimate() : infinity;
        if (optimal || inside == patience) loop.end_stage(optimal);
        place.data()[0] = loop.bias;
        place.data()[1] = loop.delta;
        if (estimate <= exact || at_rest) break;
        if (estimate <= tol && !reached.is_known()) {
            reached.keep(w, base, beta, place, estimate);
            budget = std::min(steps, 2 * made + few);
        }
        pulse.beat(size_t(inside + 1) * n * d);
    }
    if (reached.is_known() && !(estimate <= tol)) estimate = reached.restore(w, base, beta, place);
    return {made, loop.read, estimate};
}

}  // namespace

void bind_dense_newton(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("dense_newton", &dense_newton, a("rows"), a("c"), a("width"), a("sigma"), a("offset"), nb::arg("lam"),
          nb::arg("level"), nb::arg("constant"), a("w"), a("base"), a("beta"), a("place"), nb::arg("tol"),
          nb::arg("exact"), nb::arg("steps"));
}

}  // namespace pragam
