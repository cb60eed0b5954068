// The best labelling of forests: max-product from the leaves to the roots, and back. Specification: forests.py.
#include <algorithm>
#include <vector>

#include "common/kernel.hpp"

namespace pragam {
namespace {

using std::int64_t;

struct Forest {
    int64_t K;
    const int64_t *parent, *edge;
    const double *tables;
    double *best;
    int64_t *labels;

    // The score of the label a of a node and b of its parent.
    double link(int64_t v, int64_t a, int64_t b) const {
        const double *table = tables + edge[v] / 2 * K * K;
        return edge[v] % 2 ? table[b * K + a] : table[a * K + b];
    }

    // What the best labels below and at a node add to each label of its parent.
    void lift(int64_t v, int64_t *choice) const {
        for (int64_t b = 0; b < K; ++b) {
            int64_t from = 0;
            double most = best[v * K] + link(v, 0, b);
            for (int64_t a = 1; a < K; ++a) {
                const double x = best[v * K + a] + link(v, a, b);
                if (x > most) most = x, from = a;
            }
            choice[b] = from;
            best[parent[v] * K + b] += most;
        }
    }
};

void forest_best(In<int64_t> order, In<int64_t> parent, In<int64_t> edge, In<double> tables, int64_t K,
                 Out<double> best, Out<int64_t> labels) {
    const int64_t N = int64_t(order.size());
    require(K >= 1 && int64_t(parent.size()) == N && int64_t(edge.size()) == N && int64_t(labels.size()) == N &&
                int64_t(best.size()) == N * K && tables.size() % size_t(K * K) == 0,
            "parent, edge, labels, best and tables must fit order");
    const int64_t ends = 2 * int64_t(tables.size()) / (K * K);
    std::vector<char> is_placed(static_cast<size_t>(N), 0);
    for (int64_t i = 0; i < N; ++i) {
        const int64_t v = order.data()[i];
        require(0 <= v && v < N && !is_placed[size_t(v)], "order must hold every node once");
        const int64_t above = parent.data()[v];
        require(above < N && (above < 0 || is_placed[size_t(above)]), "a parent must come before its children");
        require(above < 0 || (0 <= edge.data()[v] && edge.data()[v] < ends), "edge must hold ends of edges");
        is_placed[size_t(v)] = 1;
    }
    nb::gil_scoped_release free;
    Pulse pulse;
    const Forest forest{K, parent.data(), edge.data(), tables.data(), best.data(), labels.data()};
    std::vector<int64_t> choices(static_cast<size_t>(N * K));
    for (int64_t i = N - 1; i >= 0; --i) {
        const int64_t v = order.data()[i];
        if (parent.data()[v] >= 0) forest.lift(v, choices.data() + v * K);
        pulse.beat(size_t(K * K));
    }
    for (int64_t i = 0; i < N; ++i) {
        const int64_t v = order.data()[i], above = parent.data()[v];
        const double *own = best.data() + v * K;
        labels.data()[v] = above < 0 ? std::max_element(own, own + K) - own : choices[size_t(v * K + labels.data()[above])];
    }
}

}  // namespace

void bind_graphs_forests(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("forest_best", &forest_best, a("order"), a("parent"), a("edge"), a("tables"), nb::arg("K"), a("best"),
          a("labels"));
}

}  // namespace pragam
