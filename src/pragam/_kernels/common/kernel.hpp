// What every kernel shares: array types, the interrupt pulse, and the binding entry points.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "common/arithmetic.hpp"

namespace pragam {

namespace nb = nanobind;

// One-dimensional contiguous views. A const element type also accepts read-only memory (a memory map).
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// A dense matrix with any strides: C order, Fortran order or a slice of either, without a copy.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// The values of a matrix of zeros and ones, of which only the pattern is stored: indices in 16 bits, and indptr.
struct Ones {
    double operator[](std::int64_t) const { return 1.0; }
    Ones operator+(std::int64_t) const { return {}; }
};
using PatternIndices = In<std::uint16_t>;

// Handles Ctrl-C while the GIL is released. A kernel calls `beat(work)` with the number of entries that it has read or
// written. About every 0.1 s pending Python signals are handled, and a handler that raises (KeyboardInterrupt) leaves
// the kernel as nb::python_error. So does pragam.runtime.interrupts.check, for threads that receive no signals. Call `beat` only
// where the arrays are consistent. A helper thread's pulse does not call Python, and ends the thread once `stop` is set.
class Pulse {
  public:
    struct Stopped {};

    explicit Pulse(const std::atomic<bool> *stop = nullptr) : stop_(stop) {}

    void beat(std::size_t work) {
        done_ += work;
        if (done_ >= next_) check();
    }

  private:
    using Clock = std::chrono::steady_clock;

    void check() {
        next_ = done_ + stride;
        if (stop_) {
            if (*stop_) throw Stopped{};
            return;
        }
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::module_::import_("pragam.runtime.interrupts").attr("check")();
    }

    static constexpr std::size_t stride = std::size_t(1) << 20;  // a few ms of work
    const std::atomic<bool> *stop_;
    std::size_t done_ = 0;
    std::size_t next_ = stride;
    Clock::time_point last_ = Clock::now();
};

// Raises ValueError in Python.
inline void require(bool condition, const char *message) {
    if (!condition) throw nb::value_error(message);
}

void bind_products_sparse(nb::module_ &m);
void bind_products_dense(nb::module_ &m);
void bind_products_sums(nb::module_ &m);
void bind_products_outer(nb::module_ &m);
void bind_products_selection(nb::module_ &m);
void bind_rounding_columns(nb::module_ &m);
void bind_rounding_running(nb::module_ &m);
void bind_rounding_twofold(nb::module_ &m);
void bind_projections_box_plane(nb::module_ &m);
void bind_coordinate_sweep(nb::module_ &m);
void bind_coordinate_momentum(nb::module_ &m);
void bind_coordinate_compact(nb::module_ &m);
void bind_coordinate_single_rows(nb::module_ &m);
void bind_coordinate_cached_labellings(nb::module_ &m);
void bind_blocks_sweep(nb::module_ &m);
void bind_blocks_momentum(nb::module_ &m);
void bind_subgradient_pegasos(nb::module_ &m);
void bind_newton_boxes(nb::module_ &m);
void bind_newton_dense(nb::module_ &m);
void bind_labels_projections(nb::module_ &m);
void bind_labels_blocks(nb::module_ &m);
void bind_labels_hessian(nb::module_ &m);
void bind_chains_decoding(nb::module_ &m);
void bind_chains_values(nb::module_ &m);
void bind_chains_forward_backward(nb::module_ &m);
void bind_chains_projection(nb::module_ &m);
void bind_chains_ascent(nb::module_ &m);
void bind_flows_visits(nb::module_ &m);
void bind_flows_tables(nb::module_ &m);
void bind_graphs_messages(nb::module_ &m);
void bind_graphs_forests(nb::module_ &m);
void bind_packing_columns(nb::module_ &m);
void bind_packing_narrowing(nb::module_ &m);
void bind_packing_order(nb::module_ &m);
void bind_text_svmlight(nb::module_ &m);

}  // namespace pragam
