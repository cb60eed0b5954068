// Dual ascent over a block of sequences of a Gaussian-process problem. Specification: ascent.py.
//
// A sequence moves towards its distribution at the present scores: alpha += step (posterior - alpha), the step by Newton's
// method on the dual function along that line, which is concave,
//   D(step) = H(alpha + step d) + step <scores, d> - step^2 |d|^2 / 2.
#include <tuple>

#include <nanobind/stl/tuple.h>

#include "chains/posterior.hpp"
#include "common/kernel.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Doubles = std::vector<double>;

constexpr int64_t line_steps = 4;
constexpr double line_tol = 0.1;  // a line search ends with a step of this size, relative to its length
constexpr double floor_of_log = 1e-40;

struct Ascent {
    int64_t K, L = 0;
    double *nodes = nullptr, *tables = nullptr;  // alpha: (L, K) and (L, K, K), the last table unused
    Doubles P, to_node, to_edge, edges;          // the posterior, the direction, and its edges summed

    explicit Ascent(int64_t labels) : K(labels), edges(size_t(labels * labels)) {}

    // The direction from alpha to the posterior.
    void aim(const ChainPosterior &posterior) {
        to_node.resize(size_t(L * K));
        to_edge.resize(size_t(L * K * K));
        std::fill(edges.begin(), edges.end(), 0.0);
        for (int64_t k = 0; k < L * K; ++k) to_node[size_t(k)] = P[size_t(k)] - nodes[k];
        for (int64_t t = 0; t + 1 < L; ++t)
            for (int64_t a = 0; a < K; ++a)
                for (int64_t b = 0; b < K; ++b) {
                    const size_t k = size_t((t * K + a) * K + b);
                    to_edge[k] = posterior.edge(t, a, b) - tables[k];
                    edges[size_t(a * K + b)] += to_edge[k];
                }
    }

    // How often the entropy of token t counts: H = sum of those of the edges, less those of the inner nodes.
    double share(int64_t t) const { return L == 1 ? 1.0 : t > 0 && t + 1 < L ? -1.0 : 0.0; }

    double entropy() const {
        const auto bits = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
        double H = 0;
        for (int64_t k = 0; k < (L - 1) * K * K; ++k) H += bits(tables[k]);
        for (int64_t t = 0; t < L; ++t)
            for (int64_t a = 0; share(t) != 0 && a < K; ++a) H += share(t) * bits(nodes[t * K + a]);
        return H;
    }

    double line_search(double slope, double bend, double step) const {
        double low = 0, high = 1;
        for (int64_t k = 0; k < line_steps; ++k) {
            double first = slope - step * bend, second = -bend;
            const auto add = [&](double share, double x, double d) {
                const double at = x + step * d + floor_of_log;
                first -= share * d * std::log(at);
                second -= share * d * d / at;
            };
            for (int64_t j = 0; j < (L - 1) * K * K; ++j) add(1.0, tables[j], to_edge[size_t(j)]);
            for (int64_t t = 0; t < L; ++t)
                for (int64_t a = 0; share(t) != 0 && a < K; ++a)
                    add(share(t), nodes[t * K + a], to_node[size_t(t * K + a)]);
            (first > 0 ? low : high) = step;
            double next = second < 0 ? step - first / second : step;
            if (!(next > low && next < high)) next = 0.5 * (low + high);
            const bool is_near = std::abs(next - step) <= line_tol * step;
            step = next;
            if (is_near) break;
        }
        return step;
    }

    void move(double step) {
        for (int64_t k = 0; k < L * K; ++k) nodes[k] += step * to_node[size_t(k)];
        for (int64_t k = 0; k < (L - 1) * K * K; ++k) tables[k] += step * to_edge[size_t(k)];
    }
};

double inner(int64_t size, const double *x, const double *y) {
    double sum = 0;
    for (int64_t k = 0; k < size; ++k) sum += x[k] * y[k];
    return sum;
}

// The records of records.py, as Python passes them.
using BlockRecord = std::tuple<In<double>, In<int64_t>, In<int64_t>, int64_t, double, double>;
using IterateRecord = std::tuple<Out<double>, Out<double>, Out<double>, Out<double>, Out<double>, Out<double>>;

// One step for each sequence of a block. Of every sequence before its step: the entropy H(alpha), and the gap
// log Z - <scores, alpha> - H(alpha).
void chain_block_ascent(const BlockRecord &block, const IterateRecord &iterate, Out<double> entropies,
                        Out<double> gaps) {
    const auto &[gram, lengths, order, K, tau, scale] = block;
    const auto &[F, U, nodes, tables, steps, gone] = iterate;
    const int64_t n = int64_t(lengths.size());
    std::vector<int64_t> first(size_t(n + 1), 0);
    for (int64_t i = 0; i < n; ++i) first[size_t(i + 1)] = first[size_t(i)] + lengths.data()[i];
    const int64_t N = first[size_t(n)];
    require(K >= 1 && gram.size() == size_t(N * N) && F.size() == size_t(N * K) && U.size() == size_t(K * K) &&
                nodes.size() == F.size() && tables.size() == size_t(N * K * K) && gone.size() == F.size() &&
                order.size() == size_t(n) && steps.size() == size_t(n) && gaps.size() == size_t(n) &&
                entropies.size() == size_t(n),
            "chain_block_ascent: the arrays do not fit the lengths");
    nb::gil_scoped_release release;
    Pulse pulse;
    Ascent ascent(K);
    Doubles T(size_t(K * K), 0.0);
    std::fill(gone.data(), gone.data() + N * K, 0.0);
    for (int64_t turn = 0; turn < n; ++turn) {
        const int64_t i = order.data()[turn], begin = first[size_t(i)], L = lengths.data()[i];
        require(i >= 0 && i < n && L >= 1, "chain_block_ascent: no such sequence");
        for (int64_t k = 0; k < K * K; ++k) T[size_t(k)] = tau * U.data()[k];
        const Transitions transitions(K, T.data());
        ChainPosterior posterior(transitions);
        double *scores = F.data() + begin * K, *lost = gone.data() + begin * K;
        ascent.L = L;
        ascent.nodes = nodes.data() + begin * K;
        ascent.tables = tables.data() + begin * K * K;
        ascent.P.resize(size_t(L * K));
        posterior.run(L, scores, ascent.P.data());
        ascent.aim(posterior);
        double linear = inner(L * K, scores, ascent.nodes);
        for (int64_t t = 0; t + 1 < L; ++t) linear += inner(K * K, T.data(), ascent.tables + t * K * K);
        entropies.data()[i] = ascent.entropy();
        gaps.data()[i] = posterior.log_z - linear - entropies.data()[i];
        double square = tau * inner(K * K, ascent.edges.data(), ascent.edges.data());
        for (int64_t s = 0; s < L; ++s)
            for (int64_t t = 0; t < L; ++t)
                square += gram.data()[(begin + s) * N + begin + t] *
                          inner(K, &ascent.to_node[size_t(s * K)], &ascent.to_node[size_t(t * K)]);
        const double slope = inner(L * K, scores, ascent.to_node.data()) + inner(K * K, T.data(), ascent.edges.data());
        const double step = ascent.line_search(slope, square * scale, steps.data()[i]);
        steps.data()[i] = step;
        ascent.move(step);
        for (int64_t k = 0; k < K * K; ++k) U.data()[k] -= step * scale * ascent.edges[size_t(k)];
        for (int64_t k = 0; k < L * K; ++k) lost[k] += step * scale * ascent.to_node[size_t(k)];
        for (int64_t later = turn + 1; later < n; ++later)
            for (int64_t r = first[size_t(order.data()[later])]; r < first[size_t(order.data()[later] + 1)]; ++r)
                for (int64_t s = 0; s < L; ++s) {
                    const double weight = gram.data()[r * N + begin + s];
                    for (int64_t a = 0; a < K; ++a) F.data()[r * K + a] -= weight * lost[s * K + a];
                }
        pulse.beat(size_t(64 * L * K * K));
    }
}

}  // namespace

void bind_chains_ascent(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("chain_block_ascent", &chain_block_ascent, a("block"), a("iterate"), a("entropies"), a("gaps"));
}

}  // namespace pragam
