// Pegasos with one random example per iteration, many iterations in one call.
//
//   w <- (1 - 1/t) w - n v a_i / (lam t),  v = upper_i if c_i + <a_i, w> > 0 else lower_i,  then |w| <= radius
//
// w is kept as factor * direction, so that an iteration costs one row, and the sum of all iterates as
// weight * direction - late, where weight sums the factors and late corrects for entries that changed later. With a
// small factor only rounding would be left of that difference, so both are then converted back to plain vectors. The
// ball alone can divide the factor by 10 in each of the first 1/sqrt(lam) iterations.
// Specification: pegasos_epoch in pegasos.py.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "common/random.hpp"
#include "common/storages.hpp"

namespace pragam {
namespace {

class Iterates {
  public:
    Iterates(Out<double> w, Out<double> sum) : w_(w.data()), sum_(sum.data()), d_(w.size()), late_(w.size()) {
        settle();
    }

    template <class R>
    double dot(const R &rows, std::int64_t i) const { return factor_ * rows.dot(i, w_); }

    // w <- shrink * w + step * x_i, given <x_i, w> and |x_i|^2, scaled back into the ball.
    template <class R>
    void advance(const R &rows, std::int64_t i, double shrink, double step, double product, double length2,
                 double radius) {
        factor_ *= shrink;
        norm2_ = shrink * shrink * norm2_ + 2 * shrink * step * product + step * (step * length2);  // no overflow
        if (step != 0) {
            rows.add_to(i, step / factor_, w_);
            rows.add_to(i, weight_ * step / factor_, late_.data());
        }
        if (norm2_ > radius * radius) {
            factor_ *= radius / std::sqrt(norm2_);
            norm2_ = radius * radius;
        }
        weight_ += factor_;
        if (factor_ < smallest_factor) settle();
    }

    // Also runs when a signal ends the loop early.
    ~Iterates() { settle(); }

  private:
    static constexpr double smallest_factor = 1e-4;

    // Back to plain vectors.
    void settle() {
        norm2_ = 0;
        for (std::size_t j = 0; j < d_; ++j) {
            sum_[j] += weight_ * w_[j] - late_[j];
            late_[j] = 0;
            w_[j] *= factor_;
            norm2_ += w_[j] * w_[j];
        }
        factor_ = 1;
        weight_ = 0;
    }

    double *w_, *sum_;
    std::size_t d_;
    std::vector<double> late_;
    double factor_ = 1, weight_ = 0, norm2_ = 0;
};

// The records of records.py, as Python passes them.
using Examples = std::tuple<In<double>, In<double>, In<double>, In<double>, In<double>>;
using IteratesRecord = std::tuple<Out<double>, Out<double>, Out<double>, Out<double>, Out<double>>;
using Rule = std::tuple<double, double, std::int64_t, std::uint64_t>;

template <class Rows>
void run(const Rows &rows, const Examples &examples, const IteratesRecord &record, const Rule &rule) {
    const auto &[scale, c, lower, upper, length2] = examples;
    const auto &[clock, w, sum, hits, visits] = record;
    const auto &[lam, radius, steps, seed] = rule;
    const std::int64_t n = std::int64_t(hits.size());
    nb::gil_scoped_release release;
    SplitMix64 random{seed};
    Pulse pulse;
    Iterates iterates(w, sum);
    double &t = *clock.data();
    for (std::int64_t k = 0; k < steps; ++k) {
        t += 1;
        const std::int64_t i = random.below(n);
        const double product = iterates.dot(rows, i);
        const double s = c.data()[i] + scale.data()[i] * product;
        const double v = s > 0 ? upper.data()[i] : lower.data()[i];
        const double step = -double(n) * v * scale.data()[i] / (lam * t);
        iterates.advance(rows, i, t > 1 ? 1 - 1 / t : 1, step, product, length2.data()[i], radius);
        hits.data()[i] += v;
        visits.data()[i] += 1;
        pulse.beat(rows.length(i));
    }
}

template <class... Raw>
struct Epoch {
    static void call(Raw... raw, const Examples &examples, const IteratesRecord &record, const Rule &rule) {
        const auto &[scale, c, lower, upper, length2] = examples;
        const auto &[clock, w, sum, hits, visits] = record;
        const std::int64_t n = std::int64_t(hits.size());
        require(std::size_t(n) == scale.size() && c.size() == scale.size() && lower.size() == scale.size() &&
                    upper.size() == scale.size() && length2.size() == scale.size() &&
                    visits.size() == scale.size() && w.size() == sum.size() && clock.size() == 1 &&
                    n < (std::int64_t(1) << 32),
                "pegasos_epoch: arrays of unequal length");
        with_rows(hits.size(), w.size(), [&](const auto &rows) { run(rows, examples, record, rule); }, raw...);
    }
};

}  // namespace

void bind_subgradient_pegasos(nb::module_ &m) {
    bind_storages<Epoch>(m, "pegasos_epoch_csr", "pegasos_epoch_dense", array("examples"),
                         array("iterates"), nb::arg("rule"));
}

}  // namespace pragam
