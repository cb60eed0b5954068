// The arrays around pairwise ascent on flows: a packed copy of X, the weights that belong to a flow, and a flow as lists.
#include <functional>

#include "common/parallel.hpp"
#include "flows/flow.hpp"

namespace pragam {
namespace {

// How many entries other than zero each column has; returns whether all of them are one.
template <class... Raw>
struct Count {
    static bool call(Raw... raw, int64_t tokens, Out<std::int32_t> counts) {
        return with_rows(std::size_t(tokens), counts.size(), [&](const auto &rows) {
            nb::gil_scoped_release release;
            bool ones = true;
            Pulse pulse;
            for (int64_t t = 0; t < tokens; ++t) {
                each_entry(rows, t, [&](int64_t column, auto value) {
                    counts.data()[column] += value != 0;
                    ones &= value == 0 || value == 1;
                });
                pulse.beat(rows.length(t));
            }
            return ones;
        }, raw...);
    }
};

// The entries of X in the rows that `place` gives to their columns; those of columns without one (-1) go to the list of
// lone entries, whose number is returned. An indptr of length 0: nothing is copied, and only the norms are computed.
template <class F, class R>
int64_t pack(const R &rows, const In<std::int32_t> &place, const Out<int64_t> &indptr, const Out<std::int32_t> &indices,
             const Out<F> &values, const Out<uint32_t> &lone, const Out<F> &lone_values, const Out<F> &norms,
             const Out<F> &own) {
    const int64_t tokens = int64_t(norms.size());
    nb::gil_scoped_release release;
    std::vector<F> sums(place.size());
    Pulse pulse;
    int64_t kept = 0, left = 0;
    for (int64_t t = 0; t < tokens; ++t) {
        double norm = 0, alone = 0;
        each_entry(rows, t, [&](int64_t column, auto value) { sums[std::size_t(column)] += F(value); });
        each_entry(rows, t, [&](int64_t column, auto value) { norm += double(sums[std::size_t(column)]) * double(F(value)); });
        each_entry(rows, t, [&](int64_t column, auto value) {
            sums[std::size_t(column)] = 0;
            if (!indptr.size() || value == 0) return;
            if (place.data()[column] < 0) {
                alone += double(F(value)) * double(F(value));
                lone.data()[2 * left] = uint32_t(t), lone.data()[2 * left + 1] = uint32_t(column);
                lone_values.data()[left++] = F(value);
                return;
            }
            if (values.size()) values.data()[kept] = F(value);
            indices.data()[kept++] = place.data()[column];
        });
        norms.data()[t] = F(norm);
        own.data()[t] = F(alone);
        if (indptr.size()) indptr.data()[t + 1] = kept;
        pulse.beat(3 * rows.length(t));
    }
    return left;
}

template <class... Raw>
struct Pack {
    static int64_t call(Raw... raw, In<std::int32_t> place, Out<int64_t> indptr, Out<std::int32_t> indices, AnyOut values,
                        Out<uint32_t> lone, AnyOut lone_values, AnyOut norms, AnyOut own) {
        return with_type<float, double>(norms, [&](const auto *norm) {
            using F = std::decay_t<decltype(*norm)>;
            const Out<F> to = output<F>(values), alone = output<F>(lone_values), squares = output<F>(norms);
            const auto run = [&](const auto &rows) {
                return pack<F>(rows, place, indptr, indices, to, lone, alone, squares, output<F>(own));
            };
            return with_rows(norms.size(), place.size(), run, raw...);
        });
    }
};

// Adds a change to the weights of the features of a token at a label; returns how many those are.
template <class F>
using AddFeatures = std::function<std::size_t(int64_t token, int64_t label, F change)>;

// The weights of the flow, computed anew. Returns the mean loss of the flow and |w|^2, with the part of lone features.
template <class F>
std::tuple<double, double> renewed(const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow, const AddFeatures<F> &add) {
    const int64_t K = chains.K, stride = chains.stride;
    const std::size_t labels = std::size_t(K);
    std::vector<double> transitions(labels * labels), starts(labels), ends(labels), change(labels);
    std::fill(table.nodes, table.transitions, F(0));
    const auto add_pairs = [&](int64_t i, int64_t t, int64_t a, int64_t b, double change) {
        if (!chains.n_pair_features) return;
        each_entry(chains.pairs, chains.pair(i, t), [&](int64_t feature, F value) {
            table.pair_links(feature)[a * stride + b] += F(change) * value;
            table.pair_transposed(feature)[b * stride + a] += F(change) * value;
        });
    };
    double loss = 0, norm2 = 0;
    Pulse pulse;
    for (int64_t i = 0; i < chains.n; ++i)
        for (int64_t t = chains.first[i], first = t, end = chains.first[i + 1]; t < end; ++t) {
            const double rate = chains.rates[i];
            std::size_t touched = std::size_t(K);
            const int64_t truth = chains.truth[t];
            const FlowEdge *list = flow.edges(t);
            std::fill(change.begin(), change.end(), 0.0);
            change[std::size_t(truth)] = rate;
            if (t > first) {
                transitions[std::size_t(chains.truth[t - 1] * K + truth)] += rate;
                add_pairs(i, t - first, chains.truth[t - 1], truth, rate);
            }
            for (int64_t k = 0; k < flow.count[t]; ++k) {
                const double share = double(list[k].mass) * mass_unit;
                loss += chains.totals[i] * share * double(chains.scale[t]) * double(chains.cost[truth * stride + list[k].label]);
                change[list[k].label] -= rate * share;
                if (t > first) {
                    transitions[std::size_t(list[k].before * K + list[k].label)] -= rate * share;
                    add_pairs(i, t - first, list[k].before, list[k].label, -rate * share);
                }
            }
            for (int64_t b = 0; b < K; ++b) {
                const double own = change[std::size_t(b)];
                if (own == 0) continue;
                if (t == first) starts[std::size_t(b)] += own;
                if (t + 1 == end) ends[std::size_t(b)] += own;
                norm2 += own * own * double(chains.own[t]);
                touched += add(t, b, F(own));
            }
            pulse.beat(touched);
        }
    const auto keep = [&](F &entry, double value) {
        if (entry == -std::numeric_limits<F>::infinity()) return;
        entry = F(value);
        norm2 += value * value;
    };
    for (int64_t a = 0; a < K; ++a) {
        keep(table.starts[a], starts[std::size_t(a)]);
        keep(table.ends[a], ends[std::size_t(a)]);
        for (int64_t b = 0; b < K; ++b) {
            keep(table.transitions[a * stride + b], transitions[std::size_t(a * K + b)]);
            table.transposed[b * stride + a] = table.transitions[a * stride + b];
        }
    }
    const auto add_squares = [&](const F *begin, const F *end) {
        for (const F *entry = begin; entry < end; ++entry) norm2 += double(*entry) * double(*entry);
    };
    add_squares(table.nodes, table.pairs);
    for (int64_t f = 0; f < chains.n_pair_features; ++f) add_squares(table.pair_links(f), table.pair_transposed(f));
    return {loss, norm2};
}

template <class... Raw>
struct Renew {
    static std::tuple<double, double> call(Raw... raw, const ChainsRecord &chains_record, const TableRecord &table_record,
                                           const FlowRecord &flow_record) {
        return with_weights(chains_record, [&](auto zero) {
            using F = decltype(zero);
            const Chains<F> chains = chains_of<F>(chains_record);
            const WeightTable<F> table = table_of<F>(table_record, chains);
            const Flow flow = flow_of(flow_record, chains);
            AddFeatures<F> add;
            with_token_rows(chains, table, [&](const auto &rows) {
                add = [rows, &chains, &table](int64_t token, int64_t label, F change) {
                    each_feature(rows, chains, token, [&](int64_t column, auto value) {
                        table.nodes[column * chains.stride + label] += change * F(value);
                    });
                    return rows.length(token);
                };
            }, raw...);
            nb::gil_scoped_release release;
            return renewed<F>(chains, table, flow, add);
        });
    }
};

// The weights as the model has them: nodes (K, d), one after the other. w = table - share late; lone features get the
// weights that the flow gives them.
template <class F>
void weights_of(const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow, double share,
                const In<std::int32_t> &place, const In<uint32_t> &lone, const In<F> &lone_values, const Out<double> &nodes) {
    const int64_t d = int64_t(place.size()), K = chains.K, stride = chains.stride;
    require(nodes.size() == std::size_t(K * d), "flow_weights: nodes must have K times d entries");
    nb::gil_scoped_release release;
    const F *late = table.late;
    constexpr int64_t tile = 64;  // columns whose rows of the table stay in the first cache
    for (int64_t from = 0; from < d; from += tile)
        for (int64_t b = 0; b < K; ++b)
            for (int64_t j = from; j < std::min(from + tile, d); ++j) {
                const int64_t at = place.data()[j] * stride + b;
                if (place.data()[j] < 0)
                    nodes.data()[b * d + j] = 0;
                else
                    nodes.data()[b * d + j] = double(table.nodes[at]) - (late ? share * double(late[at]) : 0.0);
            }
    int64_t i = 0;
    for (std::size_t k = 0; k < lone_values.size(); ++k) {  // in the order of their tokens
        const int64_t t = lone.data()[2 * k], column = lone.data()[2 * k + 1];
        while (chains.first[i + 1] <= t) ++i;
        const double size = chains.rates[i] * double(lone_values.data()[k]);
        const FlowEdge *list = flow.edges(t);
        for (int64_t e = 0; e < flow.count[t]; ++e) nodes.data()[list[e].label * d + column] -= size * (double(list[e].mass) * mass_unit);
        nodes.data()[int64_t(chains.truth[t]) * d + column] += size;
    }
}

void flow_weights(const ChainsRecord &chains_record, const TableRecord &table_record, const FlowRecord &flow_record,
                  double share, In<std::int32_t> place, In<uint32_t> lone, AnyVector lone_values, Out<double> nodes) {
    with_weights(chains_record, [&](auto zero) {
        using F = decltype(zero);
        const Chains<F> chains = chains_of<F>(chains_record);
        weights_of<F>(chains, table_of<F>(table_record, chains), flow_of(flow_record, chains), share, place, lone,
                      input<F>(lone_values), nodes);
    });
}

// The edges of all tokens, one after the other.
template <class F>
void edges_of(const Chains<F> &chains, const Flow &flow, const In<int64_t> &first, const Out<uint16_t> &before,
              const Out<uint16_t> &label, const Out<uint32_t> &mass) {
    require(first.size() == std::size_t(chains.tokens) + 1 && before.size() == std::size_t(first.data()[chains.tokens]) &&
                label.size() == before.size() && mass.size() == before.size(),
            "flow_edges: arrays of unequal length");
    for (int64_t t = 0; t < chains.tokens; ++t)
        for (int64_t k = 0; k < flow.count[t]; ++k) {
            const FlowEdge &edge = flow.edges(t)[k];
            const int64_t at = first.data()[t] + k;
            before.data()[at] = edge.before, label.data()[at] = edge.label, mass.data()[at] = edge.mass;
        }
}

void flow_edges(const ChainsRecord &record, const FlowRecord &flow, In<int64_t> first, Out<uint16_t> before,
                Out<uint16_t> label, Out<uint32_t> mass) {
    with_weights(record, [&](auto zero) {
        const auto chains = chains_of<decltype(zero)>(record);
        edges_of(chains, flow_of(flow, chains), first, before, label, mass);
    });
}

}  // namespace

void bind_flows_tables(nb::module_ &m) {
    bind_storages<Count>(m, "flow_count_csr", "flow_count_dense", nb::arg("tokens"), array("counts"));
    bind_storages<Pack>(m, "flow_pack_csr", "flow_pack_dense", array("place"), array("indptr"), array("indices"),
                        array("values"), array("lone"), array("lone_values"), array("norms"), array("own"));
    bind_flow_rows<Renew>(m, "flow_renew", array("chains"), array("table"), array("flow"));
    m.def("flow_weights", &flow_weights, array("chains"), array("table"), array("flow"), nb::arg("share"),
          array("place"), array("lone"), array("lone_values"), array("nodes"));
    m.def("flow_edges", &flow_edges, array("chains"), array("flow"), array("first"), array("before"), array("label"),
          array("mass"));
}

}  // namespace pragam
