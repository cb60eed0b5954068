// Steps of the flow: mass from one labelling to another, run by run of the tokens where they differ.
#pragma once

#include "flows/paths.hpp"

namespace pragam {

struct Gains {
    double gain = 0;
    int64_t moves = 0;
};

// Takes exact steps along directions and keeps the weights up to date.
template <class R, class F>
class Stepper {
  public:
    Stepper(const R &rows, const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow, double relax)
        : rows_(rows), chains_(chains), table_(table), flow_(flow), relax_(relax) {}

    // Each run gets the step that raises D most, at the weights as they are then; a run with pieces only if none of these
    // has moved. False, with nothing done for the runs that are left, if the pool has no room for their edges.
    bool take(const Direction &along, F clock, Gains &gains) const {
        int64_t before = gains.moves;
        for (const Run &run : along.runs) {
            if (run.is_piece || gains.moves == before)
                if (!step(along, run, clock, gains)) return false;
            if (!run.is_piece) before = gains.moves;
        }
        return true;
    }

    // Loads what the steps along a direction will read, which may be in another processor's cache.
    void fetch(const Direction &along) const {
        for (const Run &run : along.runs)
            for (int64_t t = run.s; t <= std::min(run.e, run.s + 3); ++t) {
                const std::size_t at = std::size_t(t - along.begin);
                each_entry(rows_, chains_.first[along.sequence] + t, [&](int64_t column, auto) {
                    const F *row = table_.nodes + column * chains_.stride;
                    prefetch_line(row + along.plus[at]);
                    prefetch_line(row + along.minus[at]);
                });
            }
    }

  private:
    using Paths = RunPaths<F>;

    bool step(const Direction &along, const Run &run, F clock, Gains &gains) const {
        const Paths paths(chains_, flow_, along, run.s, run.e);
        const double slope = slope_of(paths);
        if (!(slope > 0)) return true;
        uint32_t most = whole_mass;
        int64_t growth = 0;
        for (int64_t t = run.s; t <= paths.last; ++t) {
            const int64_t x = paths.token(t);
            most = std::min(most, flow_.edges(x)[paths.edge(t)].mass);
            const typename Paths::Edges edge = paths.edges(t);
            if (flow_.find(x, edge.up_before, edge.up) >= 0) continue;
            if (flow_.is_full(x)) return true;
            growth += flow_.growth(x);
        }
        const double rate = chains_.rates[along.sequence], bend = rate * run.bend;
        const double wanted = relax_ * slope / bend * double(whole_mass);
        const uint32_t mass = wanted < double(most) ? uint32_t(wanted + 0.5) : most;
        if (mass == 0) return true;
        if (*flow_.used + growth > flow_.room) return false;
        const double share = double(mass) * mass_unit;
        gains.gain += chains_.totals[along.sequence] * share * (slope - 0.5 * share * bend);
        gains.moves += 1;
        move_edges(paths, mass, F(rate * share), clock);
        for (int64_t t = run.s; t <= run.e; ++t) move_nodes(paths, t, F(rate * share), clock);
        return true;
    }

    // How much more plus is worth than minus.
    double slope_of(const Paths &run) const {
        const int64_t stride = chains_.stride;
        double sum = 0;
        for (int64_t t = run.s; t <= run.e; ++t) sum += node_slope(run, t);
        for (int64_t t = std::max<int64_t>(run.s, 1); t <= run.last; ++t) {
            const typename Paths::Edges edge = run.edges(t);
            sum += double(table_.transitions[edge.up_before * stride + edge.up]) -
                   double(table_.transitions[edge.down_before * stride + edge.down]);
            each_pair_feature(run, t, [&](int64_t feature, F value) {
                const F *links = table_.pair_links(feature);
                sum += double(value) * (double(links[edge.up_before * stride + edge.up]) -
                                        double(links[edge.down_before * stride + edge.down]));
            });
        }
        return sum;
    }

    template <class Each>
    void each_pair_feature(const Paths &run, int64_t t, const Each &f) const {
        if (chains_.n_pair_features) each_entry(chains_.pairs, chains_.pair(run.sequence, t), f);
    }

    double node_slope(const Paths &run, int64_t t) const {
        const int64_t up = run.up(t), down = run.down(t), x = run.token(t), truth = chains_.truth[x], stride = chains_.stride;
        const F *cost = chains_.cost + truth * stride;
        double sum = double(chains_.scale[x]) * (double(cost[up]) - double(cost[down]));
        each_feature(rows_, chains_, x, [&](int64_t column, F value) {
            const F *row = table_.nodes + column * stride;
            sum += double(value) * (double(row[up]) - double(row[down]));
        });
        if (chains_.own[x] != 0)
            sum += chains_.rates[run.sequence] * double(chains_.own[x]) *
                   (double((up == truth) - (down == truth)) - flow_.mass(x, up) + flow_.mass(x, down));
        if (t == 0) sum += double(table_.starts[up]) - double(table_.starts[down]);
        if (t + 1 == run.length) sum += double(table_.ends[up]) - double(table_.ends[down]);
        return sum;
    }

    void move_edges(const Paths &run, uint32_t mass, F change, F clock) const {
        for (int64_t t = run.s; t <= run.last; ++t) {
            const typename Paths::Edges edge = run.edges(t);
            const int64_t x = run.token(t), found = flow_.find(x, edge.up_before, edge.up);
            if (found >= 0)
                flow_.edges(x)[found].mass += mass;
            else
                flow_.insert(x, {uint16_t(edge.up_before), uint16_t(edge.up), mass});
            flow_.take(x, run.edge(t), mass);
            if (t == 0) continue;
            table_.add_transition(edge.up_before, edge.up, -change, clock);
            table_.add_transition(edge.down_before, edge.down, change, clock);
            each_pair_feature(run, t, [&](int64_t feature, F value) {
                table_.add_pair(feature, edge.up_before, edge.up, -change * value, clock);
                table_.add_pair(feature, edge.down_before, edge.down, change * value, clock);
            });
        }
    }

    void move_nodes(const Paths &run, int64_t t, F change, F clock) const {
        const int64_t up = run.up(t), down = run.down(t), stride = chains_.stride;
        const auto shift = [&](F *row, F by) {
            table_.add(row + up, -by, clock);
            table_.add(row + down, by, clock);
        };
        each_feature(rows_, chains_, run.token(t),
                     [&](int64_t column, F value) { shift(table_.nodes + column * stride, change * value); });
        if (t == 0) shift(table_.starts, change);
        if (t + 1 == run.length) shift(table_.ends, change);
    }

    const R &rows_;
    const Chains<F> &chains_;
    const WeightTable<F> &table_;
    const Flow &flow_;
    double relax_;
};

}  // namespace pragam
