"""LIBLINEAR's solver types: what each minimises, and the record of ours that it is, where there is one.

==========  ======================  ==========================================================================
``-s``      ``solver_type``         loss, with |w|^2/2 unless an L1 penalty is named
==========  ======================  ==========================================================================
0, 7        L2R_LR, L2R_LR_DUAL     logistic
1, 2        L2R_L2LOSS_SVC(_DUAL)   squared hinge
3           L2R_L1LOSS_SVC_DUAL     hinge
4           MCSVM_CS                Crammer and Singer's, all classes in one problem
5, 6        L1R_L2LOSS_SVC, L1R_LR  squared hinge and logistic, with an L1 penalty
11, 12      L2R_L2LOSS_SVR(_DUAL)   squared epsilon-insensitive
13          L2R_L1LOSS_SVR_DUAL     epsilon-insensitive
21          ONECLASS_SVM            of one class
==========  ======================  ==========================================================================

(Fan et al., "LIBLINEAR", JMLR 2008, and the README of its version 2.50.)
"""

from __future__ import annotations

from typing import Any, NamedTuple


class SolverType(NamedTuple):
    """A solver type by its number; ``loss`` and ``scheme`` in the words of audits, or the risk that we do not have."""

    number: int
    loss: str = ""
    scheme: str = "ovr"
    lacking: str = ""


TYPES = {
    "L2R_LR": SolverType(0, lacking="logistic regression"),
    "L2R_L2LOSS_SVC_DUAL": SolverType(1, "squared_hinge"),
    "L2R_L2LOSS_SVC": SolverType(2, "squared_hinge"),
    "L2R_L1LOSS_SVC_DUAL": SolverType(3, "hinge"),
    "MCSVM_CS": SolverType(4, "hinge", "crammer_singer"),
    "L1R_L2LOSS_SVC": SolverType(5, lacking="the squared hinge with an L1 penalty"),
    "L1R_LR": SolverType(6, lacking="logistic regression with an L1 penalty"),
    "L2R_LR_DUAL": SolverType(7, lacking="logistic regression"),
    "L2R_L2LOSS_SVR": SolverType(11, lacking="the squared epsilon-insensitive loss"),
    "L2R_L2LOSS_SVR_DUAL": SolverType(12, lacking="the squared epsilon-insensitive loss"),
    "L2R_L1LOSS_SVR_DUAL": SolverType(13, "epsilon_insensitive"),
    "ONECLASS_SVM": SolverType(21, lacking="the one-class SVM"),
}
#: Those whose files have no labels: numbers are predicted, or whether a row belongs to the one class.
REGRESSIONS = ("L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL")
ONE_CLASS, JOINT = "ONECLASS_SVM", "MCSVM_CS"


def solver_type_of(risk: Any) -> str:
    """The solver type that minimises a record's risk. ValueError, in a sentence, if there is none.

    The squared hinge with a free bias is type 2, the only one that LIBLINEAR's ``-R`` leaves the bias free in. A file
    says nothing of that, nor of C, epsilon and weights of classes.
    """
    each = risk.each if risk.name == "one_vs_rest" else risk
    if each.name == "squared_hinge":
        return "L2R_L2LOSS_SVC" if each.bias else "L2R_L2LOSS_SVC_DUAL"
    if each.name == "multiclass_hinge" and risk.cost is not None:
        raise ValueError("LIBLINEAR's Crammer-Singer type has the cost 1 for every wrong class, and this model others")
    known = {"hinge": "L2R_L1LOSS_SVC_DUAL", "multiclass_hinge": JOINT, "epsilon_insensitive": "L2R_L1LOSS_SVR_DUAL"}
    if each.name not in known:
        raise ValueError(f"LIBLINEAR has no solver type for the risk {each.name}, so its file would claim another one")
    return known[each.name]
