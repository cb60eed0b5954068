// Pairwise steps over the cached labellings of one example. Specification: cached_labellings.py.
#include <algorithm>
#include <vector>

#include "common/kernel.hpp"

namespace pragam {
namespace {

using std::int64_t;

struct Steps {
    int64_t J;
    const double *gram;
    double rate;

    double curvature(int64_t to, int64_t j) const {
        return rate * (gram[to * J + to] + gram[j * J + j] - 2 * gram[to * J + j]);
    }

    // Mass moves to the labelling of the highest score, from where D gains most, until the steepest slope is small.
    void run(double *h, double *p, double slope, int64_t most) const {
        double floor = 0.0;
        for (int64_t step = 0; step < most; ++step) {
            const int64_t to = std::max_element(h, h + J) - h;
            double steepest = 0.0, gain = 0.0, delta = 0.0;
            int64_t away = to;
            for (int64_t j = 0; j < J; ++j) {
                if (p[j] <= 0) continue;
                const double rise = h[to] - h[j], bend = curvature(to, j);
                const double move = bend > 0 ? std::min(p[j], rise / bend) : p[j];
                const double here = move * (rise - 0.5 * move * bend);
                steepest = std::max(steepest, rise);
                if (here > gain) gain = here, delta = move, away = j;
            }
            if (steepest <= floor || away == to) return;
            floor = std::max(floor, slope * steepest);
            p[to] += delta;
            p[away] -= delta;
            for (int64_t j = 0; j < J; ++j) h[j] -= delta * rate * (gram[to * J + j] - gram[away * J + j]);
        }
    }
};

double cached_steps(In<int64_t> support, In<double> rows, In<double> losses, In<double> gram, double total, double lam,
                    double slope, int64_t most, Out<double> p, Out<double> w) {
    const int64_t J = int64_t(losses.size()), d = int64_t(support.size());
    require(J >= 1 && int64_t(rows.size()) == J * d && int64_t(gram.size()) == J * J && int64_t(p.size()) == J,
            "rows, gram and p must fit losses and support");
    for (int64_t k = 0; k < d; ++k)
        require(0 <= support.data()[k] && support.data()[k] < int64_t(w.size()), "support must hold places of w");
    std::vector<double> own(static_cast<size_t>(d)), h(static_cast<size_t>(J)), before(p.data(), p.data() + J);
    for (int64_t k = 0; k < d; ++k) own[size_t(k)] = w.data()[support.data()[k]];
    double mean = 0.0;
    for (int64_t j = 0; j < J; ++j) {
        const double *row = rows.data() + j * d;
        double sum = 0.0;
        for (int64_t k = 0; k < d; ++k) sum += row[k] * own[size_t(k)];
        h[size_t(j)] = losses.data()[j] + sum;
        mean += h[size_t(j)] * p.data()[j];
    }
    const double gap = total * (*std::max_element(h.begin(), h.end()) - mean);
    if (!(gap > 0)) return gap;
    Steps{J, gram.data(), total / lam}.run(h.data(), p.data(), slope, most);
    double sum = 0.0;
    for (int64_t j = 0; j < J; ++j) sum += p.data()[j];
    for (int64_t j = 0; j < J; ++j) p.data()[j] /= sum;
    for (int64_t j = 0; j < J; ++j) {
        const double change = total / lam * (p.data()[j] - before[size_t(j)]);
        if (change == 0) continue;
        const double *row = rows.data() + j * d;
        for (int64_t k = 0; k < d; ++k) own[size_t(k)] -= change * row[k];
    }
    for (int64_t k = 0; k < d; ++k) w.data()[support.data()[k]] = own[size_t(k)];
    return gap;
}

}  // namespace

void bind_coordinate_cached_labellings(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("cached_steps", &cached_steps, a("support"), a("rows"), a("losses"), a("gram"), nb::arg("total"),
          nb::arg("lam"), nb::arg("slope"), nb::arg("most"), a("p"), a("w"));
}

}  // namespace pragam
