// What links between neighbouring labels are worth: the same everywhere, or by the features of each pair of tokens.
#pragma once

#include "flows/flow.hpp"

namespace pragam {

// Only its own memory changes.
template <class F>
class Links {
  public:
    Links(const Chains<F> &chains, const WeightTable<F> &table)
        : chains_(chains), table_(table), links_(size(chains.K)), into_(size(1)) {}

    // The links into token t of sequence i, which is not its first: rows by the label before.
    const F *at(int64_t i, int64_t t) {
        if (!chains_.n_pair_features) return table_.transitions;
        const int64_t stride = chains_.stride, size = chains_.K * stride;
        std::copy_n(table_.transitions, size, links_.data());
        each_entry(chains_.pairs, chains_.pair(i, t),
                   [&](int64_t feature, F value) { add_scaled(table_.pair_links(feature), value, size, links_.data()); });
        return links_.data();
    }

    // Those into one of its labels, by the label before.
    const F *into(int64_t i, int64_t t, int64_t label) {
        const int64_t stride = chains_.stride;
        const F *row = table_.transposed + label * stride;
        if (!chains_.n_pair_features) return row;
        std::copy_n(row, stride, into_.data());
        each_entry(chains_.pairs, chains_.pair(i, t), [&](int64_t feature, F value) {
            add_scaled(table_.pair_transposed(feature) + label * stride, value, stride, into_.data());
        });
        return into_.data();
    }

  private:
    std::size_t size(int64_t rows) const { return std::size_t(chains_.n_pair_features ? rows * chains_.stride : 0); }

    const Chains<F> &chains_;
    const WeightTable<F> &table_;
    std::vector<F> links_, into_;
};

}  // namespace pragam
