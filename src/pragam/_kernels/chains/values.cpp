// What the best labelling of each sequence is worth. Specification: values.py.
//
// Scores are made token by token and go into Viterbi's recursion at once: nothing has the size of all tokens times
// labels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "chains/scores.hpp"
#include "common/parallel.hpp"

namespace pragam {
namespace {

using std::int64_t;
using std::size_t;

// Weights in rows of numbers, one for each label. Those of features have K numbers in a row, with room for eight more
// behind the last; the others, and costs, `stride`: K rounded up to whole lanes.
struct ChainScores {
    const double *features;       // null: all are zero
    const double *constant;       // of a feature that is one at every token; null: there is none
    const double *links;          // to label k from label a: links[a stride + k], -inf where that is forbidden
    bool has_links;               // whether any is not 0
    const double *starts, *ends;  // -inf where that is forbidden
    const double *cost;           // of label k for the true label a
    int64_t K, stride;
    double largest_link;
};

struct Worth {
    double value, size;
};

template <class R>
class Sequence {
  public:
    Sequence(const R &rows, const ChainScores &scores)
        : rows_(rows), scores_(scores), node_(size_t(scores.stride)), best_(size_t(scores.stride)) {}

    // Tokens first .. last - 1 with their true labels, and the factor of their costs.
    Worth worth(int64_t first, int64_t last, const int64_t *labels, const double *scale, Pulse &pulse) {
        double truth = 0, size = 0;
        for (int64_t t = first; t < last; ++t) {
            size += score(t, labels[t], scale[t]);
            if (t == first) add_scaled(scores_.starts, 1.0, scores_.stride, node_.data());
            if (t + 1 == last) add_scaled(scores_.ends, 1.0, scores_.stride, node_.data());
            truth += node_[size_t(labels[t])];
            if (t > first) {
                truth += scores_.links[labels[t - 1] * scores_.stride + labels[t]];
                size += scores_.largest_link;
                follow();
            }
            best_.swap(node_);
            pulse.beat(rows_.length(t) * size_t(scores_.stride / lane_count) + size_t(scores_.K * scores_.stride / 4));
        }
        // Comparisons forget NaN, so what has overflowed on the way, which shows in the size, is not left to them.
        if (!std::isfinite(size) || !std::isfinite(truth)) return {infinity, infinity};
        return {*std::max_element(best_.begin(), best_.begin() + scores_.K) - truth, size};
    }

  private:
    // The best values of the labels before go on to those of this token.
    void follow() {
        if (!scores_.has_links) {  // as with weights that are all 0
            const double best = *std::max_element(best_.begin(), best_.begin() + scores_.K);
            for (double &node : node_) node += best;
            return;
        }
        each_tile(scores_.stride, [&](int64_t at, auto width) {
            add_best<decltype(width)::value>(best_.data(), scores_.links + at, scores_.K, scores_.stride,
                                             node_.data() + at);
        });
    }

    static constexpr double infinity = std::numeric_limits<double>::infinity();

    // The scores of a token's labels beside its links and the ends, with their costs. Returns the largest size of one,
    // or NaN or infinity if one is not finite.
    double score(int64_t t, int64_t truth, double scale) {
        const int64_t K = scores_.K;
        double *node = node_.data();
        if (scores_.features)
            each_tile(scores_.stride, [&](int64_t at, auto width) {
                sum_rows<decltype(width)::value>(rows_, t, scores_.features + at, K, node + at);
            });
        if (scores_.constant)
            for (int64_t k = 0; k < K; ++k) node[k] += scores_.constant[k];
        std::fill(node + (scores_.features ? K : 0), node + scores_.stride, 0.0);
        add_scaled(scores_.cost + truth * scores_.stride, scale, scores_.stride, node);
        double size = 0, check = 0;
        for (int64_t k = 0; k < K; ++k) size = std::max(size, std::abs(node[k])), check += 0 * node[k];
        return size + check;
    }

    const R &rows_;
    const ChainScores &scores_;
    std::vector<double> node_, best_;
};

// The records of records.py, as Python passes them.
using ScoresRecord = std::tuple<In<double>, int64_t, bool, In<double>, In<double>, In<double>, double>;
using TruthRecord = std::tuple<In<int64_t>, In<double>, In<double>, In<int64_t>>;

template <class... Raw>
struct Values {
    static void call(Raw... raw, const ScoresRecord &weights, const TruthRecord &truth, Out<double> values,
                     Out<double> sizes, int64_t threads) {
        const auto &[features, n_features, has_constant, links, starts, ends, largest_link] = weights;
        const auto &[labels, scale, cost, first] = truth;
        const size_t n = values.size(), tokens = labels.size(), stride = starts.size();
        const size_t K = links.size() / std::max<size_t>(stride, 1);
        require(K >= 1 && stride % lane_count == 0 && stride >= K && stride < K + lane_count && links.size() == K * stride &&
                    cost.size() == K * stride && ends.size() == stride,
                "chain_values: links and costs must have K rows of whole lanes");
        const bool has_weights = features.size() > 0;
        require(!has_weights || features.size() == size_t(n_features + has_constant) * K + lane_count,
                "chain_values: features must have a row for each column of X, and room for eight more numbers");
        require(sizes.size() == n && first.size() == n + 1 && scale.size() == tokens && first.data()[n] == int64_t(tokens),
                "chain_values: arrays of unequal length");
        const bool has_links = std::any_of(links.data(), links.data() + links.size(), [](double x) { return x != 0; });
        const ChainScores scores{has_weights ? features.data() : nullptr,
                                 has_weights && has_constant ? features.data() + n_features * int64_t(K) : nullptr,
                                 links.data(), has_links, starts.data(), ends.data(), cost.data(), int64_t(K), int64_t(stride), largest_link};
        const int64_t *at = first.data(), *label = labels.data();
        const double *pay = scale.data();
        with_rows(tokens, size_t(n_features), [&](const auto &rows) {
            nb::gil_scoped_release release;
            constexpr int64_t chunk = 16;
            const int64_t chunks = (int64_t(n) + chunk - 1) / chunk;
            parallel_for(chunks, std::min(threads, chunks), [&](int64_t c, Pulse &pulse) {
                Sequence<std::decay_t<decltype(rows)>> sequence(rows, scores);
                for (int64_t i = c * chunk; i < std::min(int64_t(n), (c + 1) * chunk); ++i) {
                    const Worth found = sequence.worth(at[i], at[i + 1], label, pay, pulse);
                    values.data()[i] = found.value;
                    sizes.data()[i] = found.size;
                }
            });
        }, raw...);
    }
};

}  // namespace

void bind_chains_values(nb::module_ &m) {
    bind_storages<Values>(m, "chain_values_csr", "chain_values_dense", array("weights"), array("truth"),
                          array("values"), array("sizes"), nb::arg("threads"));
}

}  // namespace pragam
