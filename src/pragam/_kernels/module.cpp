// The compiled kernels: plain functions on flat arrays. Each has a twin of the same name in twins/,
// which is its specification.
#include "common.hpp"

NB_MODULE(_compiled, m) {
    pragam::bind_products(m);
    pragam::bind_csr_sums(m);
    pragam::bind_dense(m);
    pragam::bind_projections(m);
    pragam::bind_rounding(m);
    pragam::bind_running(m);
    pragam::bind_coordinate(m);
    pragam::bind_acceleration(m);
    pragam::bind_compact(m);
    pragam::bind_pegasos(m);
    pragam::bind_chains(m);
    pragam::bind_flows(m);
    pragam::bind_flow_tables(m);
    pragam::bind_decoding(m);
    pragam::bind_chain_values(m);
    pragam::bind_forward_backward(m);
    pragam::bind_chain_ascent(m);
    pragam::bind_graph_messages(m);
    pragam::bind_forests(m);
    pragam::bind_cached_labellings(m);
    pragam::bind_outer_products(m);
    pragam::bind_newton(m);
    pragam::bind_dense_newton(m);
    pragam::bind_selection(m);
    pragam::bind_svmlight(m);
}
