// The compiled kernels: plain functions on flat arrays. Each has a twin of the same name in the Python file beside its
// own, which is its specification.
#include "common/kernel.hpp"

NB_MODULE(_compiled, m) {
    pragam::bind_products_sparse(m);
    pragam::bind_products_dense(m);
    pragam::bind_products_sums(m);
    pragam::bind_products_outer(m);
    pragam::bind_products_selection(m);
    pragam::bind_rounding_columns(m);
    pragam::bind_rounding_running(m);
    pragam::bind_rounding_twofold(m);
    pragam::bind_projections_box_plane(m);
    pragam::bind_coordinate_sweep(m);
    pragam::bind_coordinate_momentum(m);
    pragam::bind_coordinate_compact(m);
    pragam::bind_coordinate_single_rows(m);
    pragam::bind_coordinate_cached_labellings(m);
    pragam::bind_blocks_sweep(m);
    pragam::bind_blocks_momentum(m);
    pragam::bind_subgradient_pegasos(m);
    pragam::bind_newton_boxes(m);
    pragam::bind_newton_dense(m);
    pragam::bind_labels_projections(m);
    pragam::bind_labels_blocks(m);
    pragam::bind_labels_hessian(m);
    pragam::bind_chains_decoding(m);
    pragam::bind_chains_values(m);
    pragam::bind_chains_forward_backward(m);
    pragam::bind_chains_projection(m);
    pragam::bind_chains_ascent(m);
    pragam::bind_flows_visits(m);
    pragam::bind_flows_tables(m);
    pragam::bind_graphs_messages(m);
    pragam::bind_graphs_forests(m);
    pragam::bind_packing_columns(m);
    pragam::bind_packing_narrowing(m);
    pragam::bind_packing_order(m);
    pragam::bind_text_svmlight(m);
}
