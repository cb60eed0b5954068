"""Which tests are slow, need real data or send signals: by file, or by function."""

from __future__ import annotations

MARKS = {
    "slow": (),
    "data": (
        "test_conll.py",
        "test_registry.py::test_empty_rows_of_w8a_and_labels_of_many_classes",
        "test_registry.py::test_real_sizes",
        "test_registry.py::test_sets_of_the_paper",
        "test_registry.py::test_splits_of_real_data",
    ),
    "signals": (
        "test_cli_chain.py::test_a_signal_during_training_gives_a_certified_model",
        "test_cli_signals.py",
        "test_cli_tune.py::test_a_signal_keeps_the_points_done_and_writes_the_model",
        "test_cli_tune_chain.py::test_a_signal_keeps_the_points_done_and_writes_the_model",
        "test_docs.py::test_examples_run",
        "test_flow_ascent.py::test_ctrl_c_leaves_a_certified_flow",
        "test_graph_svc.py::test_sigint_returns_a_certified_model",
        "test_interrupt.py",
        "test_killed.py",
        "test_linear_svc_interrupt.py",
        "test_path.py::test_ctrl_c_keeps_the_points_done_and_certifies_the_others_where_they_start",
        "test_threads.py::test_a_signal_ends_a_loop_on_several_threads",
    ),
}
_BY_PLACE = {place: [name for name in MARKS if place in MARKS[name]] for places in MARKS.values() for place in places}


def marks_of(nodeid: str) -> list[str]:
    """The marks of ``folder/file.py::function[case]``."""
    function = nodeid.partition("[")[0].rpartition("/")[2]
    file = function.partition("::")[0]
    return _BY_PLACE.get(file, []) + _BY_PLACE.get(function, [])
