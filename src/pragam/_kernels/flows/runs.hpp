// The runs of tokens along which a flow moves, and how much D bends along each.
#pragma once

#include "flows/tokens.hpp"

namespace pragam {

// Tokens s .. e of a sequence, counted from its first, where two labellings differ; and |Phi(plus) - Phi(minus)|^2.
struct Run {
    int64_t s, e;
    bool is_piece;  // of a longer run, which follows
    double bend;
};

// A move that was found: mass goes from the labels `minus` to `plus`. Both have an entry for each token from `begin` to
// `end`, and one more for the token that follows if there is one: there they agree.
struct Direction {
    int64_t sequence, begin, end;  // tokens, counted from the first of the sequence
    std::vector<uint16_t> plus, minus, edge;  // edge: the place in its token's list of the edge that minus takes
    double gap;
    std::vector<Run> runs;
};

// Both labellings along a run: the flow goes from minus to plus inside it, and they are the same outside. Its edges reach to
// the token after e, if there is one.
template <class F>
class RunPaths {
  public:
    RunPaths(const Chains<F> &chains, const Flow &flow, const Direction &along, int64_t s, int64_t e)
        : flow_(flow), along_(along), first_(chains.first[along.sequence]), sequence(along.sequence), s(s), e(e), length(chains.length(along.sequence)),
          last(std::min(e + 1, length - 1)) {}

    // The edges of both labellings into a token. Before the run they are where the edge of minus comes from.
    struct Edges {
        int64_t up_before, up, down_before, down;
    };

    int64_t token(int64_t t) const { return first_ + t; }
    int64_t up(int64_t t) const { return (t <= e ? along_.plus : along_.minus)[place(t)]; }
    int64_t down(int64_t t) const { return along_.minus[place(t)]; }
    int64_t edge(int64_t t) const { return along_.edge[place(t)]; }

    Edges edges(int64_t t) const {
        if (t > s) return {up(t - 1), up(t), down(t - 1), down(t)};
        const int64_t before = flow_.edges(token(t))[edge(t)].before;
        return {before, up(t), before, down(t)};
    }

  private:
    std::size_t place(int64_t t) const { return std::size_t(t - along_.begin); }

    const Flow &flow_;
    const Direction &along_;
    int64_t first_;

  public:
    const int64_t sequence, s, e, length, last;
};

// Finds the runs of a direction. Only its own memory changes.
template <class F>
class RunFinder {
  public:
    RunFinder(const Tokens<F> &tokens, const Chains<F> &chains, int64_t columns, const Flow &flow)
        : tokens_(tokens), chains_(chains), flow_(flow), sums_(std::size_t(columns)),
          pair_sums_(std::size_t(chains.n_pair_features * chains.K * chains.stride)), heads_(std::size_t(chains.K), -1),
          counts_(std::size_t(chains.K * chains.stride)) {}

    // A long run is also cut into pieces, with a token left between two of them: one step for very many tokens is short.
    void find(Direction &along) {
        along.runs.clear();
        for (int64_t s = along.begin; s < along.end; ++s) {
            if (along.plus[std::size_t(s - along.begin)] == along.minus[std::size_t(s - along.begin)]) continue;
            int64_t e = s;
            while (e + 1 < along.end && along.plus[std::size_t(e + 1 - along.begin)] != along.minus[std::size_t(e + 1 - along.begin)]) ++e;
            for (int64_t begin = s; begin <= e && e - s >= longest_run; begin += longest_run + 1)
                add(along, begin, std::min(begin + longest_run - 1, e), true);
            add(along, s, e, false);
            s = e;
        }
    }

  private:
    static constexpr int64_t longest_run = 8;
    using Paths = RunPaths<F>;

    void add(Direction &along, int64_t s, int64_t e, bool is_piece) {
        along.runs.push_back({s, e, is_piece, bend_of(Paths(chains_, flow_, along, s, e))});
    }

    // |Phi(plus) - Phi(minus)|^2 over the run.
    double bend_of(const Paths &run) {
        const double sum = nodes_bend(run) + (run.s == 0 ? 2 : 0) + (run.e + 1 == run.length ? 2 : 0);
        if (chains_.n_pair_features) return sum + links_bend(run) + pairs_bend(run);
        return sum + (run.s == run.e ? links_bend_of_one(run) : links_bend(run));
    }

    // The part of the features of pairs.
    double pairs_bend(const Paths &run) {
        const int64_t from = std::max<int64_t>(run.s, 1), stride = chains_.stride, size = chains_.K * stride;
        const auto each = [&](const auto &f) {
            for (int64_t t = from; t <= run.last; ++t) {
                const typename Paths::Edges edge = run.edges(t);
                each_entry(chains_.pairs, chains_.pair(run.sequence, t), [&](int64_t feature, F value) {
                    F *sums = pair_sums_.data() + feature * size;
                    f(sums[edge.up_before * stride + edge.up], value);
                    f(sums[edge.down_before * stride + edge.down], -value);
                });
            }
        };
        double sum = 0;
        each([](F &entry, F value) { entry += value; });
        each([&](F &entry, F) { sum += double(entry) * double(entry), entry = 0; });
        return sum;
    }

    // The part of the links for a run of one token: those to it and from it, which may be of the same pair of labels.
    double links_bend_of_one(const Paths &run) const {
        const bool has_before = run.s > 0, has_after = run.last > run.s;
        if (!has_before || !has_after) return has_before || has_after ? 2 : 0;
        const typename Paths::Edges to = run.edges(run.s);
        const int64_t before = to.up_before, after = run.down(run.last);
        const int64_t alike = (before == to.up && to.up == after) + (before == to.down && to.down == after);
        const int64_t opposite = (before == to.down && to.up == after) + (before == to.up && to.down == after);
        return 4 + 2 * double(alike) - 2 * double(opposite);
    }

    double links_bend(const Paths &run) {
        double sum = 0;
        const int64_t from = std::max<int64_t>(run.s, 1), stride = chains_.stride;
        for (int64_t t = from; t <= run.last; ++t) {
            const typename Paths::Edges edge = run.edges(t);
            ++counts_[std::size_t(edge.up_before * stride + edge.up)];
            --counts_[std::size_t(edge.down_before * stride + edge.down)];
        }
        for (int64_t t = from; t <= run.last; ++t) {
            const typename Paths::Edges edge = run.edges(t);
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
    double nodes_bend(const Paths &run) {
        if (run.s == run.e) return 2 * double(chains_.norms[run.token(run.s)]);
        const auto label = [&](int64_t member) {
            const int64_t t = run.s + member / 2;
            return std::size_t(member % 2 ? run.down(t) : run.up(t));
        };
        links_.resize(2 * std::size_t(run.e - run.s + 1));
        const int64_t members = int64_t(links_.size()), first = run.token(run.s);
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
            tokens_.add(first + m / 2, m % 2 == 1, sums_.data());
        }
        for (int64_t m = head; m >= 0; m = links_[std::size_t(m)])
            sum = tokens_.take_squares(first + m / 2, sums_.data(), sum);
        return sum;
    }

    const Tokens<F> &tokens_;
    const Chains<F> &chains_;
    const Flow &flow_;
    std::vector<F> sums_;                 // over the rows of the table
    std::vector<F> pair_sums_;            // over the features of pairs and the links
    std::vector<int64_t> heads_, links_;  // lists of the members of each label
    std::vector<std::int32_t> counts_;    // of transitions
};

}  // namespace pragam
