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

template <class F>
using ChainsRecord =
    std::tuple<In<int64_t>, In<uint16_t>, In<F>, In<F>, In<F>, In<F>, In<double>, In<double>, int64_t, int64_t,
               std::tuple<In<F>, In<std::int32_t>, In<int64_t>, int64_t>>;
template <class F>
using TableRecord = std::tuple<Out<F>, Out<F>>;
using FlowRecord = std::tuple<Out<uint32_t>, Out<uint16_t>, Out<uint16_t>, Out<uint32_t>, Out<int64_t>>;

template <class F>
Chains<F> chains_of(const ChainsRecord<F> &record) {
    const auto &[first, truth, scale, cost, norms, own, rates, totals, K, constant, pairs] = record;
    const auto &[pair_values, pair_indices, pair_indptr, pair_features] = pairs;
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
WeightTable<F> table_of(const TableRecord<F> &record, const Chains<F> &chains) {
    const auto &[weights, late] = record;
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

// The rows of a packed copy of binary data, with 32-bit indices.
inline CsrRows<Ones, std::int32_t> rows_of(std::size_t n, std::size_t, const In<std::int32_t> &indices,
                                           const In<int64_t> &indptr) {
    require(indptr.size() == n + 1, "indptr must have one entry more than there are rows");
    return {{}, indices.data(), indptr.data()};
}

// For every storage of X and every packed copy of it, as NAME_csr, NAME_dense and NAME_pattern.
template <template <class...> class Kernel, class... Args>
void bind_flow_rows(nb::module_ &m, const std::string &name, Args... args) {
    using Indptr = In<int64_t>;
    bind_storages<Kernel>(m, (name + "_csr").c_str(), (name + "_dense").c_str(), args...);
    bind_storage<Kernel, In<float>, In<uint16_t>, Indptr>(m, (name + "_csr").c_str(), args...);
    bind_storage<Kernel, In<double>, In<uint16_t>, Indptr>(m, (name + "_csr").c_str(), args...);
    bind_storage<Kernel, PatternIndices, Indptr>(m, (name + "_pattern").c_str(), args...);
    bind_storage<Kernel, In<std::int32_t>, Indptr>(m, (name + "_pattern").c_str(), args...);
}

template <class F>
int64_t table_rows(const WeightTable<F> &table) { return (table.pairs - table.nodes) / table.stride; }

// The rows of X, from the raw arrays that Python passes.
template <class F, class... Raw>
auto token_rows(const Chains<F> &chains, const WeightTable<F> &table, const Raw &...raw) {
    return rows_of(std::size_t(chains.tokens), std::size_t(table_rows(table) - (chains.constant >= 0)), raw...);
}

// The features of token t, one by one: f(row of the table, value).
template <class R, class F, class Each>
PRAGAM_INLINE void each_feature(const R &rows, const Chains<F> &chains, int64_t t, const Each &f) {
    each_entry(rows, t, f);
    if (chains.constant >= 0) f(chains.constant, F(1));
}

}  // namespace pragam
