// The Hessian of a model with a weight vector for each label, from lists of examples for each pair of labels.
// Specification: hessian.py.
#include <algorithm>
#include <vector>

#include "common/kernel.hpp"
#include "common/storages.hpp"
#include "common/vectorised.hpp"

namespace pragam {
namespace {

using std::int64_t;

constexpr int64_t wide = 4;  // rows at a time, for which an entry of the block is read and written once

// block += sum over `wide` rows of weight x x': the upper triangle of a D x D matrix. The rows lie one after the other.
PRAGAM_VECTORISED void add_outer_rows(const double *PRAGAM_RESTRICT x, const double *weights, int64_t D,
                                      double *PRAGAM_RESTRICT block) {
    const double *x0 = x, *x1 = x + D, *x2 = x + 2 * D, *x3 = x + 3 * D;
    for (int64_t j = 0; j < D; ++j) {
        const double a = weights[0] * x0[j], b = weights[1] * x1[j], c = weights[2] * x2[j], e = weights[3] * x3[j];
        double *PRAGAM_RESTRICT row = block + j * D;
        for (int64_t q = j; q < D; ++q) row[q] += (a * x0[q] + b * x1[q]) + (c * x2[q] + e * x3[q]);
    }
}

// One row of X with a last entry 1 if there is a bias, written out.
template <class T>
void copy_row(const DenseRows<T> &rows, int64_t i, int64_t d, double *out) {
    for (int64_t j = 0; j < d; ++j) out[j] = double(rows.data[i * rows.row_stride + j * rows.column_stride]);
}

template <class T>
void add_list(const DenseRows<T> &rows, const int64_t *examples, const double *values, int64_t count, int64_t d, bool bias,
              std::vector<double> &room, double *block) {
    const int64_t D = d + bias;
    room.resize(size_t(wide * D));
    for (int64_t first = 0; first < count; first += wide) {
        double weights[wide] = {};
        for (int64_t k = 0; k < wide; ++k) {
            double *x = room.data() + k * D;
            if (first + k < count) {
                copy_row(rows, examples[first + k], d, x);
                if (bias) x[d] = 1.0;
                weights[k] = values[first + k];
            } else {
                std::fill(x, x + D, 0.0);
            }
        }
        add_outer_rows(room.data(), weights, D, block);
    }
}

// Entries may be unsorted, and repeated ones are added: every ordered pair of them counts.
template <class T, class I>
void add_list(const CsrRows<const T *, I> &rows, const int64_t *examples, const double *values, int64_t count, int64_t d,
              bool bias, std::vector<double> &, double *block) {
    const int64_t D = d + bias;
    for (int64_t k = 0; k < count; ++k) {
        const int64_t begin = rows.indptr[examples[k]], end = rows.indptr[examples[k] + 1];
        for (int64_t p = begin; p < end; ++p) {
            const int64_t j = rows.indices[p];
            const double v = values[k] * double(rows.data[p]);
            for (int64_t q = begin; q < end; ++q)
                if (rows.indices[q] >= j) block[j * D + rows.indices[q]] += v * double(rows.data[q]);
            if (bias) block[j * D + d] += v;
        }
        if (bias) block[d * D + d] += values[k];
    }
}

// matrix (K D, K D) += the block at (k, l), of which the upper triangle is known.
void put_block(const double *block, int64_t k, int64_t l, int64_t D, int64_t K, double *matrix) {
    for (int64_t j = 0; j < D; ++j) {
        double *row = matrix + (k * D + j) * K * D + l * D;
        for (int64_t q = 0; q < D; ++q) row[q] += q >= j ? block[j * D + q] : block[q * D + j];
    }
}

template <class... Raw>
struct BlockHessian {
    static void call(Raw... raw, In<int64_t> first, In<int64_t> examples, In<double> values, int64_t K, int64_t d, bool bias,
                     Out<double> matrix) {
        const int64_t n = int64_t(number_of_rows(raw...)), D = d + bias;
        require(K > 0 && first.size() == size_t(K * (K + 1) / 2 + 1), "block_hessian: first needs an entry more than pairs");
        require(matrix.size() == size_t(K * D * K * D), "block_hessian: matrix must have (K D)^2 entries");
        require(examples.size() == values.size(), "block_hessian: examples and values must have the same length");
        for (size_t p = 0; p + 1 < first.size(); ++p)
            require(first.data()[p] <= first.data()[p + 1], "block_hessian: first must not fall");
        require(first.data()[0] >= 0 && first.data()[first.size() - 1] <= int64_t(examples.size()),
                "block_hessian: first names entries that are not there");
        for (size_t p = 0; p < examples.size(); ++p)
            require(examples.data()[p] >= 0 && examples.data()[p] < n, "block_hessian: examples must be rows of X");
        with_rows(size_t(n), size_t(d), [&](const auto &rows) {
            nb::gil_scoped_release release;
            Pulse pulse;
            std::vector<double> room, block(size_t(D * D));
            int64_t pair = 0;
            for (int64_t k = 0; k < K; ++k)
                for (int64_t l = k; l < K; ++l, ++pair) {
                    const int64_t begin = first.data()[pair], count = first.data()[pair + 1] - begin;
                    if (count == 0) continue;
                    std::fill(block.begin(), block.end(), 0.0);
                    add_list(rows, examples.data() + begin, values.data() + begin, count, d, bias, room, block.data());
                    put_block(block.data(), k, l, D, K, matrix.data());
                    pulse.beat(size_t(count * D));
                }
        }, raw...);
    }
};

}  // namespace

void bind_labels_hessian(nb::module_ &m) {
    bind_storages<BlockHessian>(m, "block_hessian_csr", "block_hessian_dense", array("first"), array("examples"),
                                array("values"), nb::arg("K"), nb::arg("d"), nb::arg("bias"), array("matrix"));
}

}  // namespace pragam
