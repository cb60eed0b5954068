// Which way a flow should move: the best labelling of a sequence, and the worst of those that carry mass.
#pragma once

#include "flows/links.hpp"
#include "flows/runs.hpp"

namespace pragam {

// The worst and the best path inside the support, by one pass over its edges.
template <class F>
class SupportPaths {
  public:
    explicit SupportPaths(int64_t K) : value_(4 * std::size_t(K)), edge_(4 * std::size_t(K)), K_(K) {}

    void begin() { offsets_.assign(1, 0), from_.clear(), parity_ = 0; }

    // The next token: `node` has the score of each label, null where they do not matter; transitions are null at the
    // first token of a sequence.
    void token(const FlowEdge *list, int64_t count, const F *node, const F *transitions, int64_t stride) {
        const bool is_first = offsets_.size() == 1;
        const int64_t before = parity_ ^= 1;
        F *low = values(before ^ 1, 0), *high = values(before ^ 1, 1);
        uint16_t *low_edge = edges(before ^ 1, 0), *high_edge = edges(before ^ 1, 1);
        for (int64_t k = 0; k < count; ++k) {
            low[list[k].label] = std::numeric_limits<F>::infinity();
            high[list[k].label] = -std::numeric_limits<F>::infinity();
        }
        from_.resize(from_.size() + 2 * std::size_t(count));
        uint16_t *from = from_.data() + offsets_.back();
        for (int64_t k = 0; k < count; ++k) {
            const int64_t a = list[k].before, b = list[k].label;
            const F step = (transitions ? transitions[a * stride + b] : F(0)) + (node ? node[b] : F(0));
            const F lower = is_first ? step : values(before, 0)[a] + step;
            const F upper = is_first ? step : values(before, 1)[a] + step;
            if (!is_first) from[2 * k] = edges(before, 0)[a], from[2 * k + 1] = edges(before, 1)[a];
            if (lower < low[b]) low[b] = lower, low_edge[b] = uint16_t(k);
            if (upper > high[b]) high[b] = upper, high_edge[b] = uint16_t(k);
        }
        offsets_.push_back(int64_t(from_.size()));
    }

    // The edges of the worst (which = 0) or best (1) path to the last token, `list` its edges. Returns its value.
    F path(const FlowEdge *list, int64_t count, int which, uint16_t *out) const {
        const F *value = values(parity_ ^ 1, which), sign = which ? F(1) : -F(1);
        int64_t label = list[0].label;
        for (int64_t k = 1; k < count; ++k)
            if (sign * value[list[k].label] > sign * value[label]) label = list[k].label;
        const int64_t last = int64_t(offsets_.size()) - 2;
        out[last] = edges(parity_ ^ 1, which)[label];
        for (int64_t t = last; t > 0; --t) out[t - 1] = from_[std::size_t(offsets_[std::size_t(t)] + 2 * out[t] + which)];
        return value[label];
    }

  private:
    F *values(int64_t parity, int which) { return value_.data() + (2 * parity + which) * K_; }
    const F *values(int64_t parity, int which) const { return value_.data() + (2 * parity + which) * K_; }
    uint16_t *edges(int64_t parity, int which) { return edge_.data() + (2 * parity + which) * K_; }
    const uint16_t *edges(int64_t parity, int which) const { return edge_.data() + (2 * parity + which) * K_; }

    std::vector<F> value_;      // of the worst and best path to each label, at this token and at the one before
    std::vector<uint16_t> edge_;    // their last edges
    std::vector<int64_t> offsets_;  // of each token in from_
    std::vector<uint16_t> from_;    // of each edge, the one before it on the worst and on the best path
    int64_t K_, parity_ = 0;
};

// Looks for directions at the weights as they are. Only its own memory changes.
template <class F>
class Search {
  public:
    Search(const Tokens<F> &tokens, const Chains<F> &chains, const WeightTable<F> &table, const Flow &flow)
        : tokens_(tokens), chains_(chains), table_(table), flow_(flow), paths_(chains.K),
          links_(chains, table), runs_(tokens, chains, table_rows(table), flow), node_(std::size_t(chains.stride)) {}

    // From the worst path in the support of sequence i to the best labelling of all. `next`: the sequence to come.
    void whole(int64_t i, int64_t next, Direction &out, Pulse &pulse) {
        const int64_t L = chains_.length(i), stride = chains_.stride, o = chains_.first[i];
        const int64_t block = std::max<int64_t>(1, std::min(L, most_scores / stride));
        const int64_t blocks = (L + block - 1) / block;
        values_.resize(std::size_t(block * stride));
        saved_.resize(std::size_t(blocks * stride));
        open(out, i, 0, L);
        paths_.begin();
        double mean = 0;
        for (int64_t t = 0; t < L; ++t) {
            fetch(t + ahead < L ? o + t + ahead : chains_.first[next] + std::min(t + ahead - L, chains_.length(next) - 1));
            score(i, t, node_.data());
            const FlowEdge *list = flow_.edges(o + t);
            const F *transitions = t ? links_.at(i, t) : nullptr;
            paths_.token(list, flow_.count[o + t], node_.data(), transitions, stride);
            mean += expected(list, flow_.count[o + t], transitions);
            extend(t, block, node_.data(), transitions);
            pulse.beat(std::size_t(stride * (16 + chains_.K / 8)));  // nothing has changed yet
        }
        trace(i, block, out);
        const int64_t last = o + L - 1;
        paths_.path(flow_.edges(last), flow_.count[last], 0, out.edge.data());
        for (int64_t t = 0; t < L; ++t) out.minus[std::size_t(t)] = flow_.edges(o + t)[out.edge[std::size_t(t)]].label;
        out.gap = double(best_) - mean;
        runs_.find(out);
    }

    // From the worst to the best path in the support, over tokens begin .. end-1 of sequence i, which have several
    // labels each, while those beside them have one.
    void zone(int64_t i, int64_t begin, int64_t end, Direction &out) {
        const int64_t o = chains_.first[i], L = chains_.length(i), last = std::min(end, L - 1);
        open(out, i, begin, end);
        paths_.begin();
        for (int64_t t = begin; t <= last; ++t) {
            if (t < end) score(i, t, node_.data());
            paths_.token(flow_.edges(o + t), flow_.count[o + t], t < end ? node_.data() : nullptr,
                         t ? links_.at(i, t) : nullptr, chains_.stride);
        }
        const FlowEdge *list = flow_.edges(o + last);
        best_edge_.resize(out.edge.size());
        const F best = paths_.path(list, flow_.count[o + last], 1, best_edge_.data());
        out.gap = double(best) - double(paths_.path(list, flow_.count[o + last], 0, out.edge.data()));
        for (int64_t t = begin; t <= last; ++t) {
            const std::size_t k = std::size_t(t - begin);
            out.plus[k] = flow_.edges(o + t)[best_edge_[k]].label;
            out.minus[k] = flow_.edges(o + t)[out.edge[k]].label;
        }
        runs_.find(out);
    }

    // Zones are met in random order, so what leads to their weights is loaded beforehand too: first where the lists of a
    // token are, then the lists, then the rows of the table (fetch).
    void fetch_lists(int64_t token) const {
        prefetch_line(flow_.first + token);
        prefetch_line(flow_.count + token);
        prefetch_line(chains_.truth + token);
        prefetch_line(chains_.scale + token);
        prefetch_line(chains_.norms + token);
        prefetch_line(chains_.own + token);
        tokens_.fetch_place(token);
    }

    void fetch_entries(int64_t token) const {
        prefetch_line(flow_.edges(token));
        tokens_.fetch_row(token);
    }

    void fetch(int64_t token) const { tokens_.fetch_weights(token); }

  private:
    static constexpr int64_t most_scores = int64_t(1) << 21;  // floats kept for Viterbi's way back; 8 MB
    static constexpr int64_t ahead = 4;                       // tokens between a prefetch and its use

    void open(Direction &out, int64_t i, int64_t begin, int64_t end) const {
        out.sequence = i, out.begin = begin, out.end = end;
        const std::size_t size = std::size_t(std::min(end + 1, chains_.length(i)) - begin);
        out.plus.resize(size), out.minus.resize(size), out.edge.resize(size);
    }

    // What each label of token t of sequence i is worth beside its transitions, its cost included.
    void score(int64_t i, int64_t t, F *out) const {
        const int64_t stride = chains_.stride, token = chains_.first[i] + t, truth = chains_.truth[token];
        tokens_.score(token, out);
        add_scaled(chains_.cost + truth * stride, chains_.scale[token], stride, out);
        if (t == 0) add_scaled(table_.starts, F(1), stride, out);
        if (t + 1 == chains_.length(i)) add_scaled(table_.ends, F(1), stride, out);
        if (chains_.own[token] != 0) {  // features of this token alone: their weights follow from its flow
            const F size = F(chains_.rates[i]) * chains_.own[token];
            const FlowEdge *list = flow_.edges(token);
            for (int64_t k = 0; k < flow_.count[token]; ++k) out[list[k].label] -= size * (F(list[k].mass) * F(mass_unit));
            out[truth] += size;
        }
    }

    double expected(const FlowEdge *list, int64_t count, const F *transitions) const {
        double sum = 0;
        for (int64_t k = 0; k < count; ++k) {
            const int64_t a = list[k].before, b = list[k].label;
            sum += double(list[k].mass) * double(node_[std::size_t(b)] + (transitions ? transitions[a * chains_.stride + b] : F(0)));
        }
        return sum * mass_unit;
    }

    // Viterbi's recursion: the best value of each label of token t, from those of the token before. The values of one
    // block of tokens are kept, and those before each block.
    void extend(int64_t t, int64_t block, const F *node, const F *transitions) {
        const int64_t stride = chains_.stride;
        F *value = values_.data() + t % block * stride;
        const F *before = values_.data() + (t - 1) % block * stride;
        if (t && t % block == 0) {
            std::copy_n(before, stride, saved_.data() + t / block * stride);
            before = saved_.data() + t / block * stride;
        }
        std::copy_n(node, stride, value);
        if (t == 0) {
            std::fill(value + chains_.K, value + stride, -std::numeric_limits<F>::infinity());
            return;
        }
        each_tile(stride, [&](int64_t at, auto width) {
            add_best<decltype(width)::value>(before, transitions + at, chains_.K, stride, value + at);
        });
    }

    // The labels of the best path, from the last to the first. Blocks that were overwritten are computed again.
    void trace(int64_t i, int64_t block, Direction &out) {
        const int64_t L = chains_.length(i), stride = chains_.stride;
        zeros_.resize(std::size_t(stride));
        const F *step = zeros_.data();
        for (int64_t t = L - 1; t >= 0; --t) {
            if (t + 1 < L && (t + 1) % block == 0) again(i, t / block * block, block);
            const F *value = values_.data() + t % block * stride;
            const int64_t label = best_sum(value, step, stride);
            if (t == L - 1) best_ = value[label];
            out.plus[std::size_t(t)] = uint16_t(label);
            if (t) step = links_.into(i, t, label);
        }
    }

    void again(int64_t i, int64_t begin, int64_t block) {
        const int64_t stride = chains_.stride;
        for (int64_t t = begin; t < begin + block; ++t) {
            score(i, t, node_.data());
            if (t && t == begin) std::copy_n(saved_.data() + t / block * stride, stride, values_.data() + (block - 1) * stride);
            extend(t, block, node_.data(), t ? links_.at(i, t) : nullptr);
        }
    }

    const Tokens<F> &tokens_;
    const Chains<F> &chains_;
    const WeightTable<F> &table_;
    const Flow &flow_;
    SupportPaths<F> paths_;
    Links<F> links_;
    RunFinder<F> runs_;
    std::vector<F> node_, values_, saved_, zeros_;
    std::vector<uint16_t> best_edge_;
    F best_ = 0;
};

}  // namespace pragam
