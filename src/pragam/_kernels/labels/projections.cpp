// Projections of rows of K numbers on simplices and on pairs of labels. Specification: projections.py.
#include "common/kernel.hpp"
#include "labels/block.hpp"

namespace pragam {
namespace {

using std::int64_t;

PRAGAM_VECTORISED void project_simplices(const double *v, const double *totals, int64_t n, int64_t K, double *out) {
    Block block(K);
    for (int64_t i = 0; i < n; ++i) {
        double *x = block.x();
        for (int64_t k = 0; k < K; ++k) x[k] = v[i * K + k];
        block.project_on_simplex(totals[i]);
        const double theta = block.theta[0];
        for (int64_t k = 0; k < K; ++k) out[i * K + k] = x[k] > theta ? x[k] - theta : 0.0;
    }
}

void project_pairs(const double *v, const double *totals, const std::uint8_t *wrong, int64_t n, int64_t K, double *out) {
    Block block(K);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = 0; k < K; ++k) block.x()[k] = v[i * K + k];
        block.project_on_pairs(wrong + i * K, totals[i]);
        for (int64_t k = 0; k < K; ++k)
            out[i * K + k] = block.is_empty() ? 0.0 : block.beta(k, block.threshold(wrong + i * K, k));
    }
}

void label_project(In<double> v, In<double> totals, In<std::uint8_t> wrong, int64_t K, Out<double> out) {
    const size_t n = totals.size(), size = n * size_t(K);
    require(K > 0 && v.size() == size && out.size() == size, "label_project: v and out must have K entries an example");
    require(wrong.size() == 0 || wrong.size() == size, "label_project: wrong must have K entries an example, or none");
    nb::gil_scoped_release release;
    Pulse pulse;
    constexpr size_t part = 1 << 14;
    for (size_t first = 0; first < n; first += part) {
        const size_t at = first * size_t(K);
        const int64_t count = int64_t(std::min(part, n - first));
        if (wrong.size()) project_pairs(v.data() + at, totals.data() + first, wrong.data() + at, count, K, out.data() + at);
        else project_simplices(v.data() + at, totals.data() + first, count, K, out.data() + at);
        pulse.beat(size_t(count * K));
    }
}

}  // namespace

void bind_labels_projections(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("label_project", &label_project, a("v"), a("totals"), a("wrong"), nb::arg("K"), a("out"));
}

}  // namespace pragam
