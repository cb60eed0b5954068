// Steps of the flow: mass from one labelling to another, run by run of the tokens where they differ.
#pragma once

#include "flow_paths.hpp"

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
        : rows_(rows), chains_(chains), table_(table), flow_(flow), relax_(relax),
          sums_(std::size_t(table_rows(table))), heads_(std::size_t(chains.K), -1),
          counts_(std::size_t(chains.K * chains.stride)) {}

    // Each run of tokens where plus and minus differ gets the step that raises D most, at the weights as they are then.
    // A long run is cut into pieces, with a token left between two of them, and taken as a whole only if no piece moves:
    // one step for very many tokens is a short one. False, with nothing done for the runs that are left, if the pool
    // has no room for their edges.
    bool take(const Direction &along, F clock, Gains &gains) {
        for (int64_t s = along.begin; s < along.end; ++s) {
            if (along.plus[at(along, s)] == along.minus[at(along, s)]) continue;
            int64_t e = s;
            while (e + 1 < along.end && along.plus[at(along, e + 1)] != along.minus[at(along, e + 1)]) ++e;
            const int64_t before = gains.moves;
            for (int64_t begin = s; begin <= e && e - s >= longest_run; begin += longest_run + 1)
                if (!step({along, begin, std::min(begin + longest_run - 1, e)}, clock, gains)) return false;
            if (gains.moves == before && !step({along, s, e}, clock, gains)) return false;
            s = e;
        }
        return true;
    }

  private:
    static constexpr int64_t longest_run = 8;

    // Tokens s .. e, where the flow goes from minus to plus. Its edges reach to the token after e, if there is one.
    struct Run {
        const Direction &along;
        int64_t s, e;

        int64_t up(int64_t t) const { return (t <= e ? along.plus : along.minus)[at(along, t)]; }
        int64_t down(int64_t t) const { return along.minus[at(along, t)]; }
    };

    static std::size_t at(const Direction &along, int64_t t) { return std::size_t(t - along.begin); }

    // The edges of both paths into token t. Before the run they are where the edge of minus comes from.
    struct Edges {
        int64_t up_before, up, down_before, down;
    };

    Edges edges(const Run &run, int64_t t) const {
        if (t > run.s) return {run.up(t - 1), run.up(t), run.down(t - 1), run.down(t)};
        const int64_t before = flow_.edges(token(run, t))[run.along.edge[at(run.along, t)]].before;
        return {before, run.up(t), before, run.down(t)};
    }

    int64_t token(const Run &run, int64_t t) const { return chains_.first[run.along.sequence] + t; }
    int64_t length(const Run &run) const { return chains_.length(run.along.sequence); }
    int64_t last(const Run &run) const { return std::min(run.e + 1, length(run) - 1); }

    bool step(const Run &run, F clock, Gains &gains) {
        const double slope = slope_of(run);
        if (!(slope > 0)) return true;
        uint32_t most = whole_mass;
        int64_t growth = 0;
        for (int64_t t = run.s; t <= last(run); ++t) {
            most = std::min(most, flow_.edges(token(run, t))[run.along.edge[at(run.along, t)]].mass);
            const Edges edge = edges(run, t);
            if (flow_.find(token(run, t), edge.up_before, edge.up) >= 0) continue;
            if (flow_.is_full(token(run, t))) return true;
            growth += flow_.growth(token(run, t));
        }
        const double rate = chains_.rates[run.along.sequence], bend = rate * bend_of(run);
        const double wanted = relax_ * slope / bend * double(whole_mass);
        const uint32_t mass = wanted < double(most) ? uint32_t(wanted + 0.5) : most;
        if (mass == 0) return true;
        if (*flow_.used + growth > flow_.room) return false;
        const double share = double(mass) * mass_unit;
        gains.gain += chains_.totals[run.along.sequence] * share * (slope - 0.5 * share * bend);
        gains.moves += 1;
        move_edges(run, mass, F(rate * share), clock);
        for (int64_t t = run.s; t <= run.e; ++t) move_nodes(run, t, F(rate * share), clock);
        return true;
    }

    // How much more plus is worth than minus.
    double slope_of(const Run &run) const {
        const int64_t stride = chains_.stride;
        double sum = 0;
        for (int64_t t = run.s; t <= run.e; ++t) sum += node_slope(run, t);
        for (int64_t t = std::max<int64_t>(run.s, 1); t <= last(run); ++t) {
            const Edges edge = edges(run, t);
            sum += double(table_.transitions[edge.up_before * stride + edge.up]) -
                   double(table_.transitions[edge.down_before * stride + edge.down]);
        }
        return sum;
    }

    double node_slope(const Run &run, int64_t t) const {
        const int64_t up = run.up(t), down = run.down(t), x = token(run, t), truth = chains_.truth[x], stride = chains_.stride;
        const F *cost = chains_.cost + truth * stride;
        double sum = double(chains_.scale[x]) * (double(cost[up]) - double(cost[down]));
        each_feature(rows_, chains_, x, [&](int64_t column, F value) {
            const F *row = table_.nodes + column * stride;
            sum += double(value) * (double(row[up]) - double(row[down]));
        });
        if (chains_.own[x] != 0)
            sum += chains_.rates[run.along.sequence] * double(chains_.own[x]) *
                   (double((up == truth) - (down == truth)) - flow_.mass(x, up) + flow_.mass(x, down));
        if (t == 0) sum += double(table_.starts[up]) - double(table_.starts[down]);
        if (t + 1 == length(run)) sum += double(table_.ends[up]) - double(table_.ends[down]);
        return sum;
    }

    // |Phi(plus) - Phi(minus)|^2 over the run.
    double bend_of(const Run &run) {
        double sum = nodes_bend(run) + (run.s == 0 ? 2 : 0) + (run.e + 1 == length(run) ? 2 : 0);
        const int64_t from = std::max<int64_t>(run.s, 1), stride = chains_.stride;
        for (int64_t t = from; t <= last(run); ++t) {
            const Edges edge = edges(run, t);
            ++counts_[std::size_t(edge.up_before * stride + edge.up)];
            --counts_[std::size_t(edge.down_before * stride + edge.down)];
        }
        for (int64_t t = from; t <= last(run); ++t) {
            const Edges edge = edges(run, t);
            for (const int64_t key : {edge.up_before * stride + edge.up, edge.down_before * stride + edge.down}) {
                std::int32_t &count = counts_[std::size_t(key)];
                sum += double(count) * double(count);
                count = 0;
            }
        }
        return sum;
    }

    // The part of the nodes: for each label the square of the sum of its tokens, those of minus counted negatively.
    // Members of a label's list are numbered: plus and minus of each token of the run in turn.
    double nodes_bend(const Run &run) {
        if (run.s == run.e) return 2 * double(chains_.norms[token(run, run.s)]);
        const auto label = [&](int64_t member) {
            const int64_t t = run.s + member / 2;
            return std::size_t(member % 2 ? run.down(t) : run.up(t));
        };
        links_.resize(2 * std::size_t(run.e - run.s + 1));
        const int64_t members = int64_t(links_.size()), first = token(run, run.s);
        for (int64_t member = 0; member < members; ++member) {
            links_[std::size_t(member)] = heads_[label(member)];
            heads_[label(member)] = member;
        }
        double sum = 0;
        for (int64_t member = 0; member < members; ++member) {
            int64_t &head = heads_[label(member)];
            if (head >= 0) sum += links_[std::size_t(head)] < 0 ? double(chains_.norms[first + head / 2]) : square(first, head);
            head = -1;
        }
        return sum;
    }

    // |sum of the tokens of one label|^2, over the list that starts with `head`.
    double square(int64_t first, int64_t head) {
        double sum = 0;
        for (int64_t m = head; m >= 0; m = links_[std::size_t(m)]) {
            sum += double(chains_.own[first + m / 2]);
            each_feature(rows_, chains_, first + m / 2,
                       [&](int64_t column, F value) { sums_[std::size_t(column)] += m % 2 ? -value : value; });
        }
        for (int64_t m = head; m >= 0; m = links_[std::size_t(m)])
            each_feature(rows_, chains_, first + m / 2, [&](int64_t column, auto) {
                F &entry = sums_[std::size_t(column)];
                sum += double(entry) * double(entry);
                entry = 0;
            });
        return sum;
    }

    void move_edges(const Run &run, uint32_t mass, F change, F clock) {
        for (int64_t t = run.s; t <= last(run); ++t) {
            const Edges edge = edges(run, t);
            const int64_t x = token(run, t), found = flow_.find(x, edge.up_before, edge.up);
            if (found >= 0)
                flow_.edges(x)[found].mass += mass;
            else
                flow_.insert(x, {uint16_t(edge.up_before), uint16_t(edge.up), mass});
            flow_.take(x, run.along.edge[at(run.along, t)], mass);
            if (t == 0) continue;
            table_.add_transition(edge.up_before, edge.up, -change, clock);
            table_.add_transition(edge.down_before, edge.down, change, clock);
        }
    }

    void move_nodes(const Run &run, int64_t t, F change, F clock) {
        const int64_t up = run.up(t), down = run.down(t), stride = chains_.stride;
        const auto shift = [&](F *row, F by) {
            table_.add(row + up, -by, clock);
            table_.add(row + down, by, clock);
        };
        each_feature(rows_, chains_, token(run, t),
                   [&](int64_t column, F value) { shift(table_.nodes + column * stride, change * value); });
        if (t == 0) shift(table_.starts, change);
        if (t + 1 == length(run)) shift(table_.ends, change);
    }

    const R &rows_;
    const Chains<F> &chains_;
    const WeightTable<F> &table_;
    const Flow &flow_;
    double relax_;
    std::vector<F> sums_;         // over the columns of the table
    std::vector<int64_t> heads_, links_;  // lists of the members of each label
    std::vector<std::int32_t> counts_;    // of transitions
};

}  // namespace pragam
