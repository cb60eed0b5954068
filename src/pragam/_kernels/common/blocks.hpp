// Sums over long columns, a block of rows at a time: accurate, vectorised, and the same on every machine.
//
// A sum goes through at most 16 additions in a lane, 6 in the tree of a block, and one compensated sum over the blocks,
// so its error is below 24 u times the sum of the sizes of its terms, however long the column (numerics/rounding.py, LANES).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "common/kernel.hpp"
#include "common/vectorised.hpp"

namespace pragam {

constexpr std::size_t block = 1024;  // rows between two flushes of a sum; the twins sample by it too
constexpr std::size_t lanes = 64;    // independent partial sums, so that the loops vectorise
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// A column of the problem: one number per row, or a single number that applies to every row.
class Column {
  public:
    Column(const In<double> &values, std::size_t n) : data_(values.data()), single_(values.size() == 1) {
        require(single_ || values.size() == n, "a column must have length 1 or the length of the first");
        if (single_) std::fill(fill_, fill_ + block, data_[0]);
    }
    const double *from(std::size_t first) const { return single_ ? fill_ : data_ + first; }
    bool is(double value) const { return single_ && data_[0] == value; }

  private:
    const double *data_;
    bool single_;
    double fill_[block];
};

// A running sum that keeps the rounding errors, by Knuth's two-sum, which needs no branch.
struct Sum {
    double value = 0, error = 0;
    void add(double x) {
        const double next = value + x;
        const double added = next - value;
        error += (value - (next - added)) + (x - added);
        value = next;
    }
    // Once the sum is infinite, the compensation is NaN and meaningless.
    double total() const { return std::isfinite(value) ? value + error : value; }
};

// Partial sums of one block: at most block / lanes terms in each, then a tree, then the compensated sum.
// They are local to a block's function, so that the compiler knows that nothing else points to them.
struct Lanes {
    double part[lanes] = {};
    void flush(Sum &sum) {
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
        sum.add(part[0]);
    }
};

using Block = const double *PRAGAM_RESTRICT;

// Calls rows(first, count) for every `every`-th block and returns the number of rows seen.
template <class Rows>
std::size_t for_blocks(std::size_t n, std::size_t every, Rows rows) {
    Pulse pulse;
    std::size_t seen = 0;
    for (std::size_t first = 0; first < n; first += block * every) {
        const std::size_t count = std::min(block, n - first);
        rows(first, count);
        pulse.beat(count);
        seen += count;
    }
    return seen;
}

}  // namespace pragam
