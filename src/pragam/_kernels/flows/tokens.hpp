// The features of tokens and their weights, behind one interface: what a flow asks of the rows of X is compiled for each
// storage of them, and the search for directions and the steps once. A call is of a token, some hundred operations.
#pragma once

#include <type_traits>

#include "common/prefetch.hpp"
#include "flows/flow.hpp"

namespace pragam {

template <class F>
class Tokens {
  public:
    virtual ~Tokens() = default;

    // out = what each label of the token is worth by its features.
    virtual void score(int64_t token, F *out) const = 0;
    // sum + what label `up` is worth more than `down`.
    virtual double slope(int64_t token, int64_t up, int64_t down, double sum) const = 0;
    // Less weight for the features of the token at label `up`, and more at `down`.
    virtual void shift(int64_t token, int64_t up, int64_t down, F change, F clock) const = 0;
    // sums +- the features of the token, by the rows of the table.
    virtual void add(int64_t token, bool is_minus, F *sums) const = 0;
    // sum + the squares of the sums at the features of the token, which become zero.
    virtual double take_squares(int64_t token, F *sums, double sum) const = 0;

    // Tokens are met in random order, so what leads to their weights is loaded beforehand: where the row is, the row, the
    // rows of the table, two labels of these.
    virtual void fetch_place(int64_t token) const = 0;
    virtual void fetch_row(int64_t token) const = 0;
    virtual void fetch_weights(int64_t token) const = 0;
    virtual void fetch_weights(int64_t token, int64_t up, int64_t down) const = 0;
};

template <class R, class F>
class TokensIn final : public Tokens<F> {
  public:
    TokensIn(const R &rows, const Chains<F> &chains, const WeightTable<F> &table) : rows_(rows), chains_(chains), table_(table) {}

    void score(int64_t token, F *out) const override {
        const int64_t stride = chains_.stride;
        each_tile(stride, [&](int64_t at, auto width) {
            sum_rows<decltype(width)::value>(rows_, token, table_.nodes + at, stride, out + at);
        });
        if (chains_.constant >= 0) add_scaled(table_.nodes + chains_.constant * stride, F(1), stride, out);
    }

    double slope(int64_t token, int64_t up, int64_t down, double sum) const override {
        each_feature(rows_, chains_, token, [&](int64_t column, F value) {
            const F *row = row_of(column);
            sum += double(value) * (double(row[up]) - double(row[down]));
        });
        return sum;
    }

    void shift(int64_t token, int64_t up, int64_t down, F change, F clock) const override {
        each_feature(rows_, chains_, token,
                     [&](int64_t column, F value) { table_.shift(row_of(column), up, down, change * value, clock); });
    }

    void add(int64_t token, bool is_minus, F *sums) const override {
        each_feature(rows_, chains_, token, [&](int64_t column, F value) { sums[column] += is_minus ? -value : value; });
    }

    double take_squares(int64_t token, F *sums, double sum) const override {
        each_feature(rows_, chains_, token, [&](int64_t column, auto) {
            sum += double(sums[column]) * double(sums[column]);
            sums[column] = 0;
        });
        return sum;
    }

    void fetch_place(int64_t token) const override {
        if constexpr (!std::is_same_v<R, DenseRows<float>> && !std::is_same_v<R, DenseRows<double>>)
            prefetch_line(rows_.indptr + token);
    }

    void fetch_row(int64_t token) const override { rows_.prefetch(token); }

    void fetch_weights(int64_t token) const override {
        each_entry(rows_, token, [&](int64_t column, auto) {
            constexpr int64_t line = int64_t(64 / sizeof(F));
            prefetch_line(row_of(column));
            if (chains_.stride > line) prefetch_line(row_of(column) + line);
        });
    }

    void fetch_weights(int64_t token, int64_t up, int64_t down) const override {
        each_entry(rows_, token, [&](int64_t column, auto) {
            prefetch_line(row_of(column) + up);
            prefetch_line(row_of(column) + down);
        });
    }

  private:
    F *row_of(int64_t column) const { return table_.nodes + column * chains_.stride; }

    const R rows_;
    const Chains<F> &chains_;
    const WeightTable<F> &table_;
};

}  // namespace pragam
