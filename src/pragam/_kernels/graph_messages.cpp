// Messages between the nodes and edges of graphs with cycles. Specification: twins/graph_messages.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common.hpp"

namespace pragam {
namespace {

using std::int64_t;

// What is below this in an exponent adds less than rounding to the sum, which is at least 1.
constexpr double kNothing = -40.0;

// tau log sum exp(x / tau) of n numbers, `step` apart.
double soft_max(const double *x, int64_t n, int64_t step, double tau) {
    double most = x[0];
    for (int64_t i = 1; i < n; ++i) most = std::max(most, x[i * step]);
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double z = (x[i * step] - most) / tau;
        if (z > kNothing) sum += std::exp(z);
    }
    return most + tau * std::log(sum);
}

struct Graphs {
    int64_t K;
    const int64_t *first, *half;
    double *nodes, *tables, *messages;

    // The best messages into one node, for its tau: it and its edges then have the same smoothed marginals.
    void update(int64_t v, double tau, std::vector<double> &seen, std::vector<double> &level) const {
        const int64_t begin = first[v], end = first[v + 1];
        std::copy_n(nodes + v * K, K, level.begin());
        for (int64_t h = begin; h < end; ++h) {
            const int64_t into = half[h] % 2;
            const double *table = tables + half[h] / 2 * K * K;
            double *own = seen.data() + (h - begin) * K;
            for (int64_t k = 0; k < K; ++k) {
                own[k] = into ? soft_max(table + k, K, K, tau) : soft_max(table + k * K, K, 1, tau);
                level[size_t(k)] += own[k];
            }
        }
        for (int64_t k = 0; k < K; ++k) nodes[v * K + k] = level[size_t(k)] /= double(end - begin + 1);
        for (int64_t h = begin; h < end; ++h) {
            const int64_t into = half[h] % 2;
            double *table = tables + half[h] / 2 * K * K, *message = messages + half[h] * K;
            for (int64_t k = 0; k < K; ++k) {
                const double change = seen[size_t((h - begin) * K + k)] - level[size_t(k)];
                message[k] += change;
                double *x = into ? table + k : table + k * K;
                for (int64_t j = 0; j < K; ++j) x[into ? j * K : j] -= change;
            }
        }
    }
};

void graph_messages(In<int64_t> order, In<int64_t> colours, In<int64_t> first, In<int64_t> half, In<double> tau,
                    In<double> shares, int64_t K, Out<double> nodes, Out<double> tables, Out<double> messages) {
    const int64_t n = int64_t(first.size()) - 1;
    require(K >= 1 && n >= 0 && int64_t(nodes.size()) == n * K && int64_t(order.size()) == n &&
                int64_t(tau.size()) == n && colours.size() >= 1,
            "nodes, order and tau must fit first");
    require(int64_t(messages.size()) == int64_t(half.size()) * K &&
                2 * int64_t(tables.size()) == int64_t(half.size()) * K * K,
            "tables and messages must fit half");
    int64_t widest = 0;
    require(first.data()[0] == 0 && first.data()[n] == int64_t(half.size()), "first must lead to the end of half");
    for (int64_t v = 0; v < n; ++v) {
        require(first.data()[v] <= first.data()[v + 1], "first must not decrease");
        require(0 <= order.data()[v] && order.data()[v] < n, "order must hold nodes");
        widest = std::max(widest, first.data()[v + 1] - first.data()[v]);
    }
    for (size_t h = 0; h < half.size(); ++h)
        require(0 <= half.data()[h] && half.data()[h] < int64_t(half.size()), "half must hold ends of edges");
    nb::gil_scoped_release free;
    Pulse pulse;
    const Graphs graphs{K, first.data(), half.data(), nodes.data(), tables.data(), messages.data()};
    std::vector<double> seen(size_t(widest * K)), level(static_cast<size_t>(K));
    for (size_t sweep = 0; sweep < shares.size(); ++sweep)
        for (int64_t i = 0; i < n; ++i) {
            const int64_t v = order.data()[i];
            graphs.update(v, shares.data()[sweep] * tau.data()[v], seen, level);
            pulse.beat(size_t(8 * K * K * (first.data()[v + 1] - first.data()[v] + 1)));
        }
}

}  // namespace

void bind_graph_messages(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("graph_messages", &graph_messages, a("order"), a("colours"), a("first"), a("half"), a("tau"), a("shares"),
          nb::arg("K"), a("nodes"), a("tables"), a("messages"));
}

}  // namespace pragam
