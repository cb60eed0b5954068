// Steps of the flow: mass from one labelling to another, run by run of the tokens where they differ.
#pragma once

#include "flow_paths.hpp"

namespace pragam {

struct Gains {
    double gain = 0;
    int64_t moves = 0;
};

// Takes exact steps along directions and keeps the weights up to date.
template <class R>
class Stepper {
  public:
    Stepper(const R &rows, const Chains &chains, const WeightTable &table, const Flow &flow, double relax)
        : rows_(rows), chains_(chains), table_(table), flow_(flow), relax_(relax),
          sums_(std::size_t(table_rows(table))), heads_(std::size_t(chains.K), -1),
          counts_(std::size_t(chains.K * chains.stride)) {}

    // Each run of tokens where plus and minus differ gets the step that raises D most, at the weights as they are then.
    // False, with nothing done for the runs that are left, if the pool has no room for their edges.
    bool take(const Direction &along, float clock, Gains &gains) {
        for (int64_t s = along.begin; s < along.end; ++s) {
            if (same(along, s)) continue;
            int64_t e = s;
            while (e + 1 < along.end && !same(along, e + 1)) ++e;
            if (!run(along, s, e, clock, gains)) return false;
            s = e;
        }
        return true;
    }

  private:
    // The run of tokens s .. e. Its edges reach to the token after e, if there is one.
    bool run(const Direction &along, int64_t s, int64_t e, float clock, Gains &gains) {
        const int64_t i = along.sequence, o = chains_.first[i], last = std::min(e + 1, chains_.length(i) - 1);
        const double slope = slope_of(along, s, e, last);
        if (!(slope > 0)) return true;
        uint32_t most = whole_mass;
        int64_t growth = 0;
        for (int64_t t = s; t <= last; ++t) {
            most = std::min(most, flow_.edges(o + t)[edge(along, t)].mass);
            if (flow_.find(o + t, before(along, t, s, along.plus), label(along.plus, along, t)) >= 0) continue;
            if (flow_.is_full(o + t)) return true;
            growth += flow_.growth(o + t);
        }
        const double rate = chains_.rates[i], bend = rate * bend_of(along, s, e, last);
        const double wanted = relax_ * slope / bend * double(whole_mass);
        const uint32_t mass = wanted < double(most) ? uint32_t(wanted) : most;
        if (mass == 0) return true;
        if (*flow_.used + growth > flow_.room) return false;
        const double share = double(mass) * mass_unit;
        gains.gain += chains_.totals[i] * share * (slope - 0.5 * share * bend);
        gains.moves += 1;
        move_edges(along, s, last, mass, float(rate * share), clock);
        for (int64_t t = s; t <= e; ++t) move_nodes(along, t, float(rate * share), clock);
        return true;
    }

    // How much more plus is worth than minus.
    double slope_of(const Direction &along, int64_t s, int64_t e, int64_t last) const {
        const int64_t i = along.sequence, o = chains_.first[i], stride = chains_.stride;
        double sum = 0;
        for (int64_t t = s; t <= e; ++t) {
            const int64_t up = label(along.plus, along, t), down = label(along.minus, along, t), token = o + t;
            const float *cost = chains_.cost + chains_.truth[token] * stride;
            sum += double(chains_.scale[token]) * (double(cost[up]) - double(cost[down]));
            each_entry(rows_, token, [&](int64_t column, float value) {
                const float *row = table_.nodes + column * stride;
                sum += double(value) * (double(row[up]) - double(row[down]));
            });
            if (chains_.own[token] != 0) {
                const double truth = (up == chains_.truth[token]) - (down == chains_.truth[token]);
                sum += chains_.rates[i] * double(chains_.own[token]) * (truth - flow_.mass(token, up) + flow_.mass(token, down));
            }
            if (t == 0) sum += double(table_.starts[up]) - double(table_.starts[down]);
            if (t + 1 == chains_.length(i)) sum += double(table_.ends[up]) - double(table_.ends[down]);
        }
        for (int64_t t = std::max<int64_t>(s, 1); t <= last; ++t)
            sum += double(table_.transitions[key(along, t, s, along.plus)]) - double(table_.transitions[key(along, t, s, along.minus)]);
        return sum;
    }

    // |Phi(plus) - Phi(minus)|^2 over the run.
    double bend_of(const Direction &along, int64_t s, int64_t e, int64_t last) {
        double sum = nodes_bend(along, s, e) + (s == 0 ? 2 : 0) + (e + 1 == chains_.length(along.sequence) ? 2 : 0);
        const int64_t from = std::max<int64_t>(s, 1);
        for (int64_t t = from; t <= last; ++t) {
            ++counts_[std::size_t(key(along, t, s, along.plus))];
            --counts_[std::size_t(key(along, t, s, along.minus))];
        }
        for (int64_t t = from; t <= last; ++t)
            for (const auto *path : {&along.plus, &along.minus}) {
                int32_t &count = counts_[std::size_t(key(along, t, s, *path))];
                sum += double(count) * double(count);
                count = 0;
            }
        return sum;
    }

    // The part of the nodes: for each label the square of the sum of its tokens, those of minus counted negatively.
    double nodes_bend(const Direction &along, int64_t s, int64_t e) {
        const int64_t o = chains_.first[along.sequence];
        if (s == e) return 2 * double(chains_.norms[o + s]);
        links_.resize(2 * std::size_t(e - s + 1));
        for (int64_t member = 0; member < int64_t(links_.size()); ++member) {
            int64_t &head = heads_[std::size_t(label_of(along, s, member))];
            links_[std::size_t(member)] = head;
            head = member;
        }
        double sum = 0;
        for (int64_t member = 0; member < int64_t(links_.size()); ++member) {
            int64_t &head = heads_[std::size_t(label_of(along, s, member))];
            if (head >= 0) sum += links_[std::size_t(head)] < 0 ? double(chains_.norms[o + s + head / 2]) : square(o + s, head);
            head = -1;
        }
        return sum;
    }

    // |sum of the tokens of one label|^2, over the list that starts with `head`.
    double square(int64_t first, int64_t head) {
        double sum = 0;
        for (int64_t m = head; m >= 0; m = links_[std::size_t(m)]) {
            sum += double(chains_.own[first + m / 2]);
            each_entry(rows_, first + m / 2, [&](int64_t column, float value) { sums_[std::size_t(column)] += m % 2 ? -value : value; });
        }
        for (int64_t m = head; m >= 0; m = links_[std::size_t(m)])
            each_entry(rows_, first + m / 2, [&](int64_t column, float) {
                float &entry = sums_[std::size_t(column)];
                sum += double(entry) * double(entry);
                entry = 0;
            });
        return sum;
    }

    void move_edges(const Direction &along, int64_t s, int64_t last, uint32_t mass, float change, float clock) {
        const int64_t o = chains_.first[along.sequence];
        for (int64_t t = s; t <= last; ++t) {
            const int64_t a = before(along, t, s, along.plus), b = label(along.plus, along, t);
            const int64_t found = flow_.find(o + t, a, b);
            if (found >= 0)
                flow_.edges(o + t)[found].mass += mass;
            else
                flow_.insert(o + t, {uint16_t(a), uint16_t(b), mass});
            if (t) {
                table_.add_transition(a, b, -change, clock);
                table_.add_transition(before(along, t, s, along.minus), label(along.minus, along, t), change, clock);
            }
            flow_.take(o + t, edge(along, t), mass);
        }
    }

    void move_nodes(const Direction &along, int64_t t, float change, float clock) {
        const int64_t up = label(along.plus, along, t), down = label(along.minus, along, t), stride = chains_.stride;
        each_entry(rows_, chains_.first[along.sequence] + t, [&](int64_t column, float value) {
            float *row = table_.nodes + column * stride;
            table_.add(row + up, -change * value, clock);
            table_.add(row + down, change * value, clock);
        });
        if (t == 0) table_.add(table_.starts + up, -change, clock), table_.add(table_.starts + down, change, clock);
        if (t + 1 == chains_.length(along.sequence)) table_.add(table_.ends + up, -change, clock), table_.add(table_.ends + down, change, clock);
    }

    using Path = std::vector<uint16_t>;

    static bool same(const Direction &along, int64_t t) { return label(along.plus, along, t) == label(along.minus, along, t); }
    static int64_t label(const Path &path, const Direction &along, int64_t t) { return path[std::size_t(t - along.begin)]; }
    static int64_t edge(const Direction &along, int64_t t) { return along.edge[std::size_t(t - along.begin)]; }

    // The label before token t on a path; before the run both are where the edge of minus comes from.
    int64_t before(const Direction &along, int64_t t, int64_t s, const Path &path) const {
        if (t > s) return path[std::size_t(t - 1 - along.begin)];
        return flow_.edges(chains_.first[along.sequence] + t)[edge(along, t)].before;
    }

    int64_t key(const Direction &along, int64_t t, int64_t s, const Path &path) const {
        return before(along, t, s, path) * chains_.stride + label(path, along, t);
    }

    // Members of the lists of nodes_bend: plus and minus of each token of the run in turn.
    static int64_t label_of(const Direction &along, int64_t s, int64_t member) {
        return label(member % 2 ? along.minus : along.plus, along, s + member / 2);
    }

    const R &rows_;
    const Chains &chains_;
    const WeightTable &table_;
    const Flow &flow_;
    double relax_;
    std::vector<float> sums_;         // over the columns of the table
    std::vector<int64_t> heads_, links_;  // lists of the members of each label
    std::vector<int32_t> counts_;     // of transitions
};

}  // namespace pragam
