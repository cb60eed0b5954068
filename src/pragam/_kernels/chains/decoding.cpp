// The best labelling of sequences by dynamic programming (Viterbi). Specification: decoding.py.
#include <algorithm>
#include <vector>

#include "common/kernel.hpp"
#include "common/parallel.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;

// best(j) = max over i of before(i) + table(i, j).
PRAGAM_VECTORISED void best_link(int64_t K, const double *PRAGAM_RESTRICT before, const double *PRAGAM_RESTRICT table,
                                 double *PRAGAM_RESTRICT best) {
    for (int64_t j = 0; j < K; ++j) best[j] = before[0] + table[j];
    for (int64_t i = 1; i < K; ++i) {
        const double from = before[i];
        const double *row = table + i * K;
        for (int64_t j = 0; j < K; ++j) {
            const double x = from + row[j];
            best[j] = x > best[j] ? x : best[j];
        }
    }
}

// The rows of one table, or of one for each token.
struct Tables {
    const double *data;
    int64_t step;

    const double *at(int64_t t) const { return data + t * step; }
};

Tables tables_of(const In<double> &tables, int64_t rows, int64_t K) {
    const bool is_one = int64_t(tables.size()) == K * K;
    require(is_one || int64_t(tables.size()) == rows * K * K, "tables must hold one K x K table, or one for each row");
    return {tables.data(), is_one ? 0 : K * K};
}

void check_first(const In<int64_t> &first, int64_t rows) {
    const int64_t n = int64_t(first.size()) - 1;
    require(n >= 0 && first.data()[0] == 0 && first.data()[n] == rows, "first must lead from 0 to the number of rows");
    for (int64_t b = 0; b < n; ++b) require(first.data()[b] < first.data()[b + 1], "first must increase");
}

// scores(t, j) becomes the score of the best labelling up to token t that ends with label j. Tokens first[b] ..
// first[b + 1] - 1 are sequence b; the table of token t links it to the one before.
void chain_forward(Out<double> scores, In<int64_t> first, In<double> tables, int64_t K, int64_t threads) {
    require(K >= 1 && scores.size() % size_t(K) == 0, "scores must have K columns");
    const int64_t rows = int64_t(scores.size()) / K, n = int64_t(first.size()) - 1;
    check_first(first, rows);
    const Tables link = tables_of(tables, rows, K);
    nb::gil_scoped_release free;
    constexpr int64_t chunk = 16;
    parallel_for((n + chunk - 1) / chunk, worthwhile(threads, rows * K * K), [&](int64_t c, Pulse &pulse) {
        double *S = scores.data();
        std::vector<double> best(static_cast<size_t>(K));
        for (int64_t b = c * chunk; b < std::min(n, (c + 1) * chunk); ++b)
            for (int64_t t = first.data()[b] + 1; t < first.data()[b + 1]; ++t) {
                best_link(K, S + (t - 1) * K, link.at(t), best.data());
                for (int64_t j = 0; j < K; ++j) S[t * K + j] += best[size_t(j)];
                pulse.beat(size_t(K * K));
            }
    });
}

// The labels of the best labellings from what chain_forward made. A sequence ends with the label last[b], or with its best
// one where that is negative.
void chain_backward(In<double> scores, In<int64_t> first, In<double> tables, int64_t K, In<int64_t> last,
                    Out<int64_t> labels) {
    require(K >= 1 && scores.size() % size_t(K) == 0, "scores must have K columns");
    const int64_t rows = int64_t(scores.size()) / K, n = int64_t(first.size()) - 1;
    check_first(first, rows);
    require(int64_t(labels.size()) == rows && int64_t(last.size()) == n, "labels and last must fit the sequences");
    for (int64_t b = 0; b < n; ++b) require(last.data()[b] < K, "last must hold labels");
    const Tables link = tables_of(tables, rows, K);
    nb::gil_scoped_release free;
    Pulse pulse;
    for (int64_t b = 0; b < n; ++b) {
        int64_t t = first.data()[b + 1] - 1, label = last.data()[b];
        const double *here = scores.data() + t * K;
        if (label < 0) label = std::max_element(here, here + K) - here;
        for (labels.data()[t] = label; t > first.data()[b]; --t) {
            const double *before = scores.data() + (t - 1) * K, *table = link.at(t);
            int64_t from = 0;
            double best = before[0] + table[label];
            for (int64_t i = 1; i < K; ++i) {
                const double x = before[i] + table[i * K + label];
                if (x > best) best = x, from = i;
            }
            labels.data()[t - 1] = label = from;
        }
        pulse.beat(size_t((first.data()[b + 1] - first.data()[b]) * K));
    }
}

}  // namespace

void bind_chains_decoding(nb::module_ &m) {
    const auto a = [](const char *name) { return nb::arg(name).noconvert(); };
    m.def("chain_forward", &chain_forward, a("scores"), a("first"), a("tables"), nb::arg("K"), nb::arg("threads") = 1);
    m.def("chain_backward", &chain_backward, a("scores"), a("first"), a("tables"), nb::arg("K"), a("last"), a("labels"));
}

}  // namespace pragam
