// Messages between the nodes and edges of graphs with cycles. Specification: messages.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/kernel.hpp"
#include "common/parallel.hpp"

namespace pragam {
namespace {

using std::int64_t;

// What is below this in an exponent adds less than rounding to the sum, which is at least 1.
constexpr double kNothing = -40.0;

// tau log sum exp(x / tau) of n numbers, `step` apart; their maximum for tau = 0.
double soft_max(const double *x, int64_t n, int64_t step, double tau) {
    double most = x[0];
    for (int64_t i = 1; i < n; ++i) most = std::max(most, x[i * step]);
    if (tau == 0) return most;
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double z = (x[i * step] - most) / tau;
        if (z > kNothing) sum += std::exp(z);
    }
    return most + tau * std::log(sum);
}

struct Buffers {
    std::vector<double> seen, level, gains;
};

struct Graphs {
    int64_t K;
    const int64_t *order, *rank, *first, *half, *edges;
    double *nodes, *tables, *messages, *levels;
    int64_t *labels;

    // Whether the other end of an edge comes later in a sweep in this direction.
    bool is_ahead(int64_t v, int64_t end, bool up) const {
        const int64_t other = edges[end ^ 1];
        return (rank[other] > rank[v]) == up;
    }

    // The turn of one node: all its edges give it what they know of its labels, and it gives equal shares of that to the
    // edges whose other ends come later.
    void update(int64_t v, double tau, bool up, bool is_last, Buffers &own) const {
        const int64_t begin = first[v], end = first[v + 1];
        own.seen.resize(size_t((end - begin) * K));
        own.level.assign(nodes + v * K, nodes + (v + 1) * K);
        int64_t ahead = 0;
        for (int64_t h = begin; h < end; ++h) {
            const int64_t into = half[h] % 2;
            const double *table = tables + half[h] / 2 * K * K;
            ahead += is_ahead(v, half[h], up);
            for (int64_t k = 0; k < K; ++k) {
                const double x = into ? soft_max(table + k, K, K, tau) : soft_max(table + k * K, K, 1, tau);
                own.seen[size_t((h - begin) * K + k)] = x;
                own.level[size_t(k)] += x;
            }
        }
        const int64_t most = std::max(ahead, end - begin - ahead);
        const double share = 1.0 / double(std::max<int64_t>(most, 1));
        if (is_last) decide(v, up, own);
        for (int64_t k = 0; k < K; ++k) {
            levels[v * K + k] = share * own.level[size_t(k)];
            nodes[v * K + k] = own.level[size_t(k)] - double(ahead) * levels[v * K + k];
        }
        for (int64_t h = begin; h < end; ++h) {
            const int64_t into = half[h] % 2;
            const bool gives = is_ahead(v, half[h], up);
            double *table = tables + half[h] / 2 * K * K, *message = messages + half[h] * K;
            for (int64_t k = 0; k < K; ++k) {
                const double change = own.seen[size_t((h - begin) * K + k)] - (gives ? levels[v * K + k] : 0.0);
                message[k] += change;
                double *x = into ? table + k : table + k * K;
                for (int64_t j = 0; j < K; ++j) x[into ? j * K : j] -= change;
            }
        }
    }

    // The best label of a node, given those of the nodes before it.
    void decide(int64_t v, bool up, Buffers &own) const {
        own.gains = own.level;
        for (int64_t h = first[v]; h < first[v + 1]; ++h) {
            if (is_ahead(v, half[h], up)) continue;
            const int64_t into = half[h] % 2, other = labels[edges[half[h] ^ 1]];
            const double *table = tables + half[h] / 2 * K * K;
            for (int64_t k = 0; k < K; ++k)
                own.gains[size_t(k)] +=
                    table[into ? other * K + k : k * K + other] - own.seen[size_t((h - first[v]) * K + k)];
        }
        labels[v] = std::max_element(own.gains.begin(), own.gains.end()) - own.gains.begin();
    }
};

void check(const In<int64_t> &index, int64_t most, const char *message) {
    for (size_t i = 0; i < index.size(); ++i) require(0 <= index.data()[i] && index.data()[i] < most, message);
}

void graph_messages(In<int64_t> active, In<int64_t> first_node, In<int64_t> order, In<int64_t> rank, In<int64_t> first,
                    In<int64_t> half, In<int64_t> edges, In<double> tau, In<double> shares, int64_t K,
                    Out<double> nodes, Out<double> tables, Out<double> messages, Out<double> levels,
                    Out<int64_t> labels, int64_t threads) {
    const int64_t N = int64_t(order.size()), n = int64_t(tau.size());
    require(K >= 1 && int64_t(rank.size()) == N && int64_t(first.size()) == N + 1 && int64_t(labels.size()) == N &&
                int64_t(nodes.size()) == N * K && int64_t(levels.size()) == N * K,
            "rank, first, labels, nodes and levels must fit order");
    require(half.size() == edges.size() && messages.size() == half.size() * size_t(K) &&
                2 * tables.size() == half.size() * size_t(K * K),
            "edges, tables and messages must fit half");
    require(int64_t(first_node.size()) == n + 1 && first_node.data()[0] == 0 && first_node.data()[n] == N,
            "first_node must lead through all nodes");
    require(first.data()[0] == 0 && first.data()[N] == int64_t(half.size()), "first must lead to the end of half");
    for (int64_t v = 0; v < N; ++v) require(first.data()[v] <= first.data()[v + 1], "first must not decrease");
    for (int64_t g = 0; g < n; ++g)
        require(first_node.data()[g] <= first_node.data()[g + 1], "first_node must not decrease");
    check(active, n, "active must hold graphs");
    check(order, N, "order must hold nodes");
    check(rank, N, "rank must hold places");
    check(half, int64_t(half.size()), "half must hold ends of edges");
    check(edges, N, "edges must hold nodes");
    nb::gil_scoped_release free;
    const Graphs all{K,            order.data(),  rank.data(),     first.data(),  half.data(), edges.data(),
                     nodes.data(), tables.data(), messages.data(), levels.data(), labels.data()};
    const int64_t work = int64_t(tables.size()) * 8 * int64_t(shares.size());
    parallel_for(int64_t(active.size()), worthwhile(threads, work), [&](int64_t a, Pulse &pulse) {
        const int64_t g = active.data()[a], begin = first_node.data()[g], end = first_node.data()[g + 1];
        Buffers own;
        for (size_t sweep = 0; sweep < shares.size(); ++sweep) {
            const bool up = sweep % 2 == 0;
            for (int64_t i = begin; i < end; ++i) {
                const int64_t v = all.order[up ? i : begin + end - 1 - i];
                all.update(v, shares.data()[sweep] * tau.data()[g], up, sweep + 1 == shares.size(), own);
                pulse.beat(size_t(8 * K * K * (all.first[v + 1] - all.first[v] + 1)));
            }
        }
    });
}

}  // namespace

void bind_graphs_messages(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("graph_messages", &graph_messages, a("active"), a("first_node"), a("order"), a("rank"), a("first"), a("half"),
          a("edges"), a("tau"), a("shares"), nb::arg("K"), a("nodes"), a("tables"), a("messages"), a("levels"),
          a("labels"), nb::arg("threads") = 1);
}

}  // namespace pragam
