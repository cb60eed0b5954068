// Unit flows on the trellises of chains, and the weights that belong to them. Specification: visits.py. F is the type
// of weights and scores.
//
// The flow of a sequence gives each token a list of edges (label before, label, mass), masses in units of 2^-30. Those
// of a token sum to 2^30, and what leaves a label is what came to it: all in whole numbers, hence exact.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "chains/scores.hpp"

namespace pragam {

using std::int64_t;
using std::uint16_t;
using std::uint32_t;

constexpr uint32_t whole_mass = uint32_t(1) << 30;
constexpr double mass_unit = 1.0 / double(whole_mass);

struct FlowEdge {
    uint16_t before, label;
    uint32_t mass;
};
static_assert(sizeof(FlowEdge) == 8);

// What does not change: sequences, labels, costs, and how far the weights move with the flow.
template <class F>
struct Chains {
    const int64_t *first;   // the first token of each sequence, and the number of tokens
    const uint16_t *truth;  // the true label of each token
    const F *scale, *cost;  // token t pays scale_t cost[truth_t, k] for label k
    const F *norms, *own;   // |x_t|^2, and that of the features that no other token has, kept out of the table
    const double *rates, *totals;  // of each sequence: weight / (n lam) and weight / n
    int64_t n, tokens, K, stride;
    int64_t constant;  // the row of the table for a feature that is one at every token; -1: there is none
    CsrRows<const F *, std::int32_t> pairs;  // the features of each pair of neighbours, in order
    int64_t n_pair_features;

    // The number of the pair of token t of sequence i, counted from its first, and the one before.
    int64_t pair(int64_t i, int64_t t) const { return first[i] - i + t - 1; }
    int64_t length(int64_t i) const { return first[i + 1] - first[i]; }
};

// The rows of nodes; for each feature of pairs those of transitions by the label before and by the label after; these of
// the transitions themselves, then starts and ends. -inf forbids.
// `late` sums each change times the clock at which it was made, so that w - late / clock is the mean since clock 0.
template <class F>
struct WeightTable {
    F *nodes, *pairs, *transitions, *transposed, *starts, *ends;
    F *late;  // null: no mean is wanted
    int64_t stride, K;

    // The weights of a feature of pairs by the label before and by the label after.
    F *pair_links(int64_t feature) const { return pairs + 2 * feature * K * stride; }
    F *pair_transposed(int64_t feature) const { return pair_links(feature) + K * stride; }

    void add(F *entry, F change, F clock) const {
        *entry += change;
        if (late) late[entry - nodes] += change * clock;
    }

    // Less for the entry of `up`, and more for that of `down`.
    void shift(F *row, int64_t up, int64_t down, F change, F clock) const {
        add(row + up, -change, clock);
        add(row + down, change, clock);
    }

    void add_transition(int64_t a, int64_t b, F change, F clock) const {
        add(transitions + a * stride + b, change, clock);
        add(transposed + b * stride + a, change, clock);
    }

    void add_pair(int64_t feature, int64_t a, int64_t b, F change, F clock) const {
        add(pair_links(feature) + a * stride + b, change, clock);
        add(pair_transposed(feature) + b * stride + a, change, clock);
    }
};

// The edges of token t are pool[first_t .. first_t + count_t); it has room for capacity_t of them.
struct Flow {
    uint32_t *first;
    uint16_t *count, *capacity;
    FlowEdge *pool;
    int64_t *used;
    int64_t room;

    FlowEdge *edges(int64_t t) const { return pool + first[t]; }

    int64_t find(int64_t t, int64_t before, int64_t label) const {
        const FlowEdge *list = edges(t);
        for (int64_t k = 0; k < count[t]; ++k)
            if (list[k].label == label && list[k].before == before) return k;
        return -1;
    }

    double mass(int64_t t, int64_t label) const {
        const FlowEdge *list = edges(t);
        int64_t sum = 0;
        for (int64_t k = 0; k < count[t]; ++k) sum += list[k].label == label ? list[k].mass : 0;
        return double(sum) * mass_unit;
    }

    // Whether the token has two labels or more.
    bool is_split(int64_t t) const {
        const FlowEdge *list = edges(t);
        for (int64_t k = 1; k < count[t]; ++k)
            if (list[k].label != list[0].label) return true;
        return false;
    }

    // Whether the token can have no more edges, however large the pool is.
    bool is_full(int64_t t) const { return count[t] == most_edges; }

    // How much of the pool one more edge takes.
    int64_t growth(int64_t t) const { return count[t] < capacity[t] ? 0 : larger(t); }

    void insert(int64_t t, FlowEdge edge) const {
        if (count[t] == capacity[t]) {
            const int64_t moved = *used, wider = larger(t);
            std::copy_n(edges(t), count[t], pool + moved);
            *used += wider;
            first[t] = uint32_t(moved);
            capacity[t] = uint16_t(wider);
        }
        edges(t)[count[t]++] = edge;
    }

    void take(int64_t t, int64_t k, uint32_t mass) const {
        FlowEdge *list = edges(t);
        list[k].mass -= mass;
        if (!list[k].mass) list[k] = list[--count[t]];
    }

  private:
    static constexpr int64_t most_edges = 65535;

    int64_t larger(int64_t t) const { return std::min(most_edges, 2 * int64_t(capacity[t])); }
};

// The records of records.py, as Python passes them. What has no type here has that of the weights.
using ChainsRecord =
    std::tuple<In<int64_t>, In<uint16_t>, AnyVector, AnyVector, AnyVector, AnyVector, In<double>, In<double>, int64_t,
               int64_t, std::tuple<AnyVector, In<std::int32_t>, In<int64_t>, int64_t>>;
using TableRecord = std::tuple<AnyOut, AnyOut>;
using FlowRecord = std::tuple<Out<uint32_t>, Out<uint16_t>, Out<uint16_t>, Out<uint32_t>, Out<int64_t>>;

template <class F>
Chains<F> chains_of(const ChainsRecord &record) {
    const auto &[first, truth, any_scale, any_cost, any_norms, any_own, rates, totals, K, constant, pairs] = record;
    const auto &[any_values, pair_indices, pair_indptr, pair_features] = pairs;
    const In<F> scale = input<F>(any_scale), cost = input<F>(any_cost), norms = input<F>(any_norms);
    const In<F> own = input<F>(any_own), pair_values = input<F>(any_values);
    const std::size_t tokens = truth.size(), n = rates.size();
    require(K >= 1 && K <= 65535 && cost.size() % std::size_t(K) == 0 && cost.size() >= std::size_t(K * K) &&
                (cost.size() / std::size_t(K)) % lane_count == 0,
            "flows: the costs must have a row of whole lanes for each label");
    require(first.size() == n + 1 && totals.size() == n && scale.size() == tokens && norms.size() == tokens &&
                own.size() == tokens && first.data()[n] == int64_t(tokens),
            "flows: arrays of unequal length");
    require(pair_features == 0 || pair_indptr.size() == tokens - n + 1, "flows: pairs must have a row for each link");
    return {first.data(), truth.data(), scale.data(), cost.data(), norms.data(), own.data(), rates.data(),
            totals.data(), int64_t(n), int64_t(tokens), K, int64_t(cost.size()) / K, constant,
            {pair_values.data(), pair_indices.data(), pair_indptr.data()}, pair_features};
}

template <class F>
WeightTable<F> table_of(const TableRecord &record, const Chains<F> &chains) {
    const Out<F> weights = output<F>(std::get<0>(record)), late = output<F>(std::get<1>(record));
    const int64_t stride = chains.stride, K = chains.K, of_pairs = 2 * K * chains.n_pair_features;
    const int64_t rows = int64_t(weights.size()) / stride - of_pairs - 2 * K - 2;
    require(rows > chains.constant && weights.size() % std::size_t(stride) == 0, "flows: the table has too few rows");
    require(late.size() == 0 || late.size() == weights.size(), "flows: late must be as large as the table");
    F *nodes = weights.data(), *pairs = nodes + rows * stride, *transitions = pairs + of_pairs * stride;
    F *transposed = transitions + K * stride, *starts = transposed + K * stride;
    return {nodes, pairs, transitions, transposed, starts, starts + stride, late.size() ? late.data() : nullptr, stride, K};
}

template <class F>
Flow flow_of(const FlowRecord &record, const Chains<F> &chains) {
    const auto &[first, count, capacity, pool, used] = record;
    const std::size_t tokens = std::size_t(chains.tokens);
    require(first.size() == tokens && count.size() == tokens && capacity.size() == tokens && used.size() == 1 &&
                pool.size() % 2 == 0 && pool.size() / 2 < (std::size_t(1) << 32),
            "flows: arrays of unequal length");
    return {first.data(), count.data(), capacity.data(), reinterpret_cast<FlowEdge *>(pool.data()), used.data(),
            int64_t(pool.size() / 2)};
}

// For every storage of X and every packed copy of it, as NAME_csr, NAME_dense and NAME_pattern.
template <template <class...> class Kernel, class... Args>
void bind_flow_rows(nb::module_ &m, const std::string &name, Args... args) {
    bind_storages<Kernel>(m, (name + "_csr").c_str(), (name + "_dense").c_str(), args...);
    bind_storage<Kernel, AnyVector, Indptr>(m, (name + "_pattern").c_str(), args...);
}

template <class F>
int64_t table_rows(const WeightTable<F> &table) { return (table.pairs - table.nodes) / table.stride; }

// use(rows) for X or a packed copy of it: that has 16-bit indices too, and no values if all are one.
template <class Use>
auto with_tokens(std::size_t n, std::size_t, const Use &use, const AnyVector &data, const AnyVector &indices,
                 const Indptr &indptr) {
    return with_csr<std::int32_t, std::int64_t, uint16_t>(n, use, data, indices, indptr);
}

template <class Use>
auto with_tokens(std::size_t n, std::size_t, const Use &use, const AnyVector &indices, const Indptr &indptr) {
    return with_pattern<std::int32_t, uint16_t>(n, use, indices, indptr);
}

template <class Use>
auto with_tokens(std::size_t n, std::size_t d, const Use &use, const AnyMatrix &X) {
    return with_rows(n, d, use, X);
}

// use(F{}) for the type of the weights, which is that of the costs.
template <class Use>
auto with_weights(const ChainsRecord &record, const Use &use) {
    return with_type<float, double>(std::get<3>(record), [&](const auto *cost) { return use(std::decay_t<decltype(*cost)>{}); });
}

template <class F, class Use, class... Raw>
auto with_token_rows(const Chains<F> &chains, const WeightTable<F> &table, const Use &use, const Raw &...raw) {
    return with_tokens(std::size_t(chains.tokens), std::size_t(table_rows(table) - (chains.constant >= 0)), use, raw...);
}

// The features of token t, one by one: f(row of the table, value).
template <class R, class F, class Each>
PRAGAM_INLINE void each_feature(const R &rows, const Chains<F> &chains, int64_t t, const Each &f) {
    each_entry(rows, t, f);
    if (chains.constant >= 0) f(chains.constant, F(1));
}

}  // namespace pragam
