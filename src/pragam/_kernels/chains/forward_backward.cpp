// Marginals of many sequences, from node and transition scores or from Markov chains. Specification:
// forward_backward.py.
#include "chains/posterior.hpp"
#include "common/kernel.hpp"
#include "common/parallel.hpp"

namespace pragam {
namespace {

using std::int64_t;
using Doubles = std::vector<double>;

constexpr int64_t most_chunks = 16;

std::vector<int64_t> first_tokens(const In<int64_t> &lengths) {
    std::vector<int64_t> first(lengths.size() + 1, 0);
    for (size_t i = 0; i < lengths.size(); ++i) {
        require(lengths.data()[i] >= 1, "a sequence has at least one token");
        first[i + 1] = first[i] + lengths.data()[i];
    }
    return first;
}

// Node marginals (tokens, K), edge marginals summed over all edges (K, K), and log Z of every sequence. Returns how many
// sequences were done with logarithms.
int64_t chain_marginals(In<double> F, In<double> T, In<int64_t> lengths, int64_t K, Out<double> nodes,
                        Out<double> edges, Out<double> log_z, int64_t threads) {
    const auto first = first_tokens(lengths);
    const int64_t n = int64_t(lengths.size()), tokens = first.back();
    require(K >= 1 && F.size() == size_t(tokens * K) && T.size() == size_t(K * K) && nodes.size() == F.size() &&
                edges.size() == T.size() && log_z.size() == lengths.size(),
            "chain_marginals: the arrays do not fit the lengths");
    nb::gil_scoped_release release;
    const Transitions transitions(K, T.data());
    const int64_t chunks = std::max<int64_t>(1, std::min({most_chunks, n, tokens / std::max<int64_t>(K, 16)}));
    std::vector<Doubles> plain(static_cast<size_t>(chunks)), direct(static_cast<size_t>(chunks));
    std::atomic<int64_t> in_logarithms{0};
    parallel_for(chunks, worthwhile(threads, 4 * tokens * K * K), [&](int64_t chunk, Pulse &pulse) {
        plain[size_t(chunk)].assign(size_t(K * K), 0.0);
        direct[size_t(chunk)].assign(size_t(K * K), 0.0);
        ChainPosterior posterior(transitions);
        for (int64_t i = chunk * n / chunks; i < (chunk + 1) * n / chunks; ++i) {
            const int64_t at = first[size_t(i)] * K, length = lengths.data()[i];
            posterior.run(length, F.data() + at, nodes.data() + at);
            posterior.add_edges(plain[size_t(chunk)].data(), direct[size_t(chunk)].data());
            log_z.data()[i] = posterior.log_z;
            in_logarithms += posterior.in_logarithms;
            pulse.beat(size_t(4 * length * K * K));
        }
    });
    for (int64_t k = 0; k < K * K; ++k) {
        double sum = 0;
        for (int64_t chunk = 0; chunk < chunks; ++chunk)
            sum += plain[size_t(chunk)][size_t(k)] * transitions.gain[size_t(k)] + direct[size_t(chunk)][size_t(k)];
        edges.data()[k] = sum;
    }
    return in_logarithms;
}

// Of Markov chains given by their tables, (tokens, K, K), that of the tokens t and t + 1 at row t: node marginals, summed
// edge marginals and the entropy of every sequence. What counts of a table are its conditionals p(b | a), so that the
// marginals belong to some distribution whatever the rounding of the tables. `starts` (n, K) are the first tokens' own.
void table_marginals(In<double> tables, In<double> starts, In<int64_t> lengths, int64_t K, Out<double> nodes,
                     Out<double> edges, Out<double> entropy, int64_t threads) {
    const auto first = first_tokens(lengths);
    const int64_t n = int64_t(lengths.size()), tokens = first.back();
    require(K >= 1 && tables.size() == size_t(tokens * K * K) && starts.size() == size_t(n * K) &&
                nodes.size() == size_t(tokens * K) && edges.size() == size_t(K * K) && entropy.size() == size_t(n),
            "table_marginals: the arrays do not fit the lengths");
    nb::gil_scoped_release release;
    const int64_t chunks = std::max<int64_t>(1, std::min({most_chunks, n, tokens / std::max<int64_t>(K, 16)}));
    std::vector<Doubles> sums(static_cast<size_t>(chunks));
    const auto bits = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
    parallel_for(chunks, worthwhile(threads, 16 * tokens * K * K), [&](int64_t chunk, Pulse &pulse) {
        Doubles &sum = sums[size_t(chunk)];
        sum.assign(size_t(K * K), 0.0);
        for (int64_t i = chunk * n / chunks; i < (chunk + 1) * n / chunks; ++i) {
            const int64_t L = lengths.data()[i];
            double *P = nodes.data() + first[size_t(i)] * K, H = 0, mass = 0;
            for (int64_t a = 0; a < K; ++a) mass += starts.data()[i * K + a];
            for (int64_t a = 0; a < K; ++a) H += bits(P[a] = starts.data()[i * K + a] / mass);
            for (int64_t t = 0; t + 1 < L; ++t) {
                std::fill(P + (t + 1) * K, P + (t + 2) * K, 0.0);
                for (int64_t a = 0; a < K; ++a) {
                    const double *row = tables.data() + ((first[size_t(i)] + t) * K + a) * K, p = P[t * K + a];
                    double whole = 0, own = 0;
                    for (int64_t b = 0; b < K; ++b) whole += row[b];
                    if (!(p > 0) || !(whole > 0)) {  // nothing is known of what follows: the label stays
                        P[(t + 1) * K + a] += p;
                        sum[size_t(a * K + a)] += p;
                        continue;
                    }
                    for (int64_t b = 0; b < K; ++b) {
                        const double share = row[b] / whole;
                        P[(t + 1) * K + b] += p * share;
                        sum[size_t(a * K + b)] += p * share;
                        own += bits(share);
                    }
                    H += p * own;
                }
            }
            entropy.data()[i] = H;
            pulse.beat(size_t(16 * L * K * K));
        }
    });
    for (int64_t k = 0; k < K * K; ++k) {
        double sum = 0;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += sums[size_t(chunk)][size_t(k)];
        edges.data()[k] = sum;
    }
}

}  // namespace

void bind_chains_forward_backward(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("chain_marginals", &chain_marginals, a("F"), a("T"), a("lengths"), nb::arg("K"), a("nodes"), a("edges"),
          a("log_z"), nb::arg("threads") = 1);
    m.def("table_marginals", &table_marginals, a("tables"), a("starts"), a("lengths"), nb::arg("K"), a("nodes"),
          a("edges"), a("entropy"), nb::arg("threads") = 1);
}

}  // namespace pragam
