// Pairwise dual ascent on the unit flows of chains: sweeps over whole sequences, and over zones of split tokens.
//
// Directions are searched for a block of sequences (or zones) at the weights before it, by all threads; the steps along
// them are taken one after the other, each exact at the weights as they are then. So the result depends on the block and
// not on the threads.
#include <functional>
#include <memory>

#include "common/parallel.hpp"
#include "flows/moves.hpp"

namespace pragam {
namespace {

// Visits made, their gaps, what D has gained, steps, tokens scored, and the clock. Fewer visits than asked for: the pool
// is full.
using Answer = std::tuple<int64_t, double, double, int64_t, int64_t, double>;

using Rule = std::tuple<double, int64_t, int64_t>;  // relax, block, threads

// Finds what the k-th visit does.
template <class F>
using Find = std::function<void(Search<F> &search, int64_t k, Direction &direction, Pulse &pulse)>;

template <class F>
Answer visits(const Tokens<F> &features, const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow, int64_t n,
              const Rule &rule, double clock, const Find<F> &find) {
    const auto &[relax, block, threads] = rule;
    Team team(std::min({threads, block / 2, n / 2}));
    std::vector<Search<F>> searches(std::size_t(team.size()), Search<F>(features, chains, table, flow));
    std::vector<Direction> found(static_cast<std::size_t>(block));
    const Stepper<F> stepper(features, chains, table, flow, relax);
    Pulse pulse;
    Gains gains;
    double gap = 0;
    int64_t tokens = 0;
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t size = std::min(block, n - begin);
        std::atomic<int64_t> next{0};  // who searches does not matter: a direction depends on the weights before the block
        team.run(pulse, [&](int64_t worker, Pulse &own) {
            for (int64_t k = next++; k < size; k = next++)
                find(searches[std::size_t(worker)], begin + k, found[std::size_t(k)], own);
        });
        for (int64_t k = 0; k < size; ++k) {
            const Direction &along = found[std::size_t(k)];
            if (team.size() > 1 && k + 1 < size) stepper.fetch(found[std::size_t(k + 1)]);
            if (!stepper.take(along, F(clock), gains)) return {begin + k, gap, gains.gain, gains.moves, tokens, clock};
            gap += chains.totals[along.sequence] * std::max(along.gap, 0.0);
            clock += double(along.end - along.begin);
            tokens += along.end - along.begin;
            pulse.beat(std::size_t((along.end - along.begin) * chains.stride * 16));
        }
    }
    return {n, gap, gains.gain, gains.moves, tokens, clock};
}

template <class F>
Answer sequences(const Tokens<F> &features, const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow,
                 const In<int64_t> &order, const Rule &rule, double clock) {
    const int64_t n = int64_t(order.size());
    nb::gil_scoped_release release;
    return visits<F>(features, chains, table, flow, n, rule, clock, [&](Search<F> &search, int64_t k, Direction &out, Pulse &pulse) {
        search.whole(order.data()[k], order.data()[std::min(k + 1, n - 1)], out, pulse);
    });
}

// `zones` has the sequence, the first token and the one after the last of each; the tokens as they are counted in all.
template <class F>
Answer visit_zones(const Tokens<F> &features, const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow,
                   const In<uint32_t> &zones, const In<int64_t> &order, const Rule &rule, double clock) {
    const int64_t n = int64_t(order.size());
    nb::gil_scoped_release release;
    return visits<F>(features, chains, table, flow, n, rule, clock, [&](Search<F> &search, int64_t k, Direction &out, Pulse &) {
        const auto zone_at = [&](int64_t j) { return zones.data() + 3 * order.data()[std::min(j, n - 1)]; };
        prefetch_line(zone_at(k + 16));
        search.fetch_lists(zone_at(k + 12)[1]);
        search.fetch_entries(zone_at(k + 8)[1]);
        const uint32_t *zone = zone_at(k), *next = zone_at(k + 4);
        for (int64_t t = next[1]; t < std::min(next[2], next[1] + 4); ++t) search.fetch(t);
        const int64_t o = chains.first[zone[0]];
        search.zone(zone[0], zone[1] - o, zone[2] - o, out);
    });
}

// Calls visit(features, chains, table, flow) for the rows that Python passes.
template <class Visit, class... Raw>
Answer on_rows(const ChainsRecord &chains_record, const TableRecord &table_record, const FlowRecord &flow_record,
               const Visit &visit, const Raw &...raw) {
    return with_weights(chains_record, [&](auto zero) {
        using F = decltype(zero);
        const Chains<F> chains = chains_of<F>(chains_record);
        const WeightTable<F> table = table_of<F>(table_record, chains);
        const Flow flow = flow_of(flow_record, chains);
        std::unique_ptr<const Tokens<F>> features;
        with_token_rows(chains, table, [&](const auto &rows) {
            features = std::make_unique<TokensIn<std::decay_t<decltype(rows)>, F>>(rows, chains, table);
        }, raw...);
        return visit(*features, chains, table, flow);
    });
}

template <class... Raw>
struct Sequences {
    static Answer call(Raw... raw, const ChainsRecord &chains, const TableRecord &table, const FlowRecord &flow,
                       In<int64_t> order, const Rule &rule, double clock) {
        const auto visit = [&](const auto &...parts) { return sequences(parts..., order, rule, clock); };
        return on_rows(chains, table, flow, visit, raw...);
    }
};

template <class... Raw>
struct Zones {
    static Answer call(Raw... raw, const ChainsRecord &chains, const TableRecord &table, const FlowRecord &flow,
                       In<uint32_t> zones, In<int64_t> order, const Rule &rule, double clock) {
        const auto visit = [&](const auto &...parts) { return visit_zones(parts..., zones, order, rule, clock); };
        return on_rows(chains, table, flow, visit, raw...);
    }
};

// The zones of the flow: maximal runs of tokens with two labels or more. Returns their number; writes as many as fit.
template <class F>
int64_t zones_of(const Chains<F> &chains, const Flow &flow, Out<uint32_t> zones) {
    const int64_t room = int64_t(zones.size() / 3);
    nb::gil_scoped_release release;
    int64_t n = 0;
    for (int64_t i = 0; i < chains.n; ++i)
        for (int64_t t = chains.first[i], end = chains.first[i + 1]; t < end; ++t) {
            if (!flow.is_split(t)) continue;
            const int64_t begin = t;
            while (t + 1 < end && flow.is_split(t + 1)) ++t;
            if (n < room) {
                uint32_t *zone = zones.data() + 3 * n;
                zone[0] = uint32_t(i), zone[1] = uint32_t(begin), zone[2] = uint32_t(t + 1);
            }
            ++n;
        }
    return n;
}

int64_t flow_zones(const ChainsRecord &record, const FlowRecord &flow, Out<uint32_t> zones) {
    return with_weights(record, [&](auto zero) {
        const auto chains = chains_of<decltype(zero)>(record);
        return zones_of(chains, flow_of(flow, chains), zones);
    });
}

}  // namespace

void bind_flows_visits(nb::module_ &m) {
    bind_flow_rows<Sequences>(m, "flow_sequences", array("chains"), array("table"), array("flow"), array("order"),
                              nb::arg("rule"), nb::arg("clock"));
    bind_flow_rows<Zones>(m, "flow_visit_zones", array("chains"), array("table"), array("flow"), array("zones"),
                          array("order"), nb::arg("rule"), nb::arg("clock"));
    m.def("flow_zones", &flow_zones, array("chains"), array("flow"), array("zones"));
}

}  // namespace pragam
