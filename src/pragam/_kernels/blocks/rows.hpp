// The rows of X and the table of weights, behind one interface: what a visit asks of them is compiled for each storage of
// X, and the visits once. A call is of an example with all its labels, some hundred operations.
#pragma once

#include <memory>

#include "blocks/table.hpp"

namespace pragam {

template <class F>
class ExampleRows {
  public:
    virtual ~ExampleRows() = default;

    virtual std::int64_t length(std::int64_t i) const = 0;
    virtual void prefetch(std::int64_t i) const = 0;
    // out (width) = the products of row i with the weights of all labels.
    virtual void products(std::int64_t i, const WeightTable<F> &table, F *out) const = 0;
    // table += x_i step', for these labels.
    virtual void move(std::int64_t i, const F *step, const std::int32_t *labels, std::int64_t count,
                      const WeightTable<F> &table) const = 0;
};

// From the raw arrays that Python passes, for n examples and a table of d rows.
template <class F>
std::unique_ptr<const ExampleRows<F>> example_rows(std::size_t n, std::size_t d, const AnyVector &data,
                                                   const AnyVector &indices, const Indptr &indptr);
template <class F>
std::unique_ptr<const ExampleRows<F>> example_rows(std::size_t n, std::size_t d, const AnyMatrix &X);

}  // namespace pragam
