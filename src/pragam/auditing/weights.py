"""Plain weights, and what they claim to minimise: the form that every foreign model is brought into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from pragam.numerics.arguments import check_flag, check_number, float_of, real_array
from pragam.numerics.vector import Vector

LOSSES = ("hinge", "squared_hinge", "epsilon_insensitive", "quantile", "ordinal_hinge")
#: The losses of numbers.
REGRESSIONS = ("epsilon_insensitive", "quantile")
SCHEMES = ("ovr", "ovo", "crammer_singer")


@dataclass(frozen=True, eq=False, kw_only=True)
class Weights:
    r"""Linear models and the problem that they are meant to solve, in scikit-learn's terms.

    ::

        1/2 |w|^2 + C sum_i weight_i loss(y_i, <x_i, w> + b),       C = 1/(n lam)

    Parameters
    ----------
    coef : (d,) or (n_outputs, d) numbers
        One output for two classes and for regression; else one for each class, or for each pair i < j ("ovo").
    intercept : number or (n_outputs,) numbers, optional
        None stands for a model without an intercept, whose problem has none either. Of the ordinal hinge one number
        for each threshold between neighbouring levels, minus the threshold.
    C, lam : float > 0
        One of the two: the weight of the summed loss, or of the regulariser beside the mean loss. lam = 0 is a model
        that minimises the loss alone.
    loss : "hinge", "squared_hinge", "epsilon_insensitive", "quantile" or "ordinal_hinge"
        Of a regression the tube has the half width ``epsilon``, and ``q`` is the quantile. The last one counts every
        threshold (:func:`pragam.ordinal_hinge`).
    penalised : bool
        Whether the intercept is the weight of a column of ``intercept_scaling`` and penalised like every other weight,
        as in LIBLINEAR; if not, it costs nothing, as in LIBSVM.
    classes : labels, optional
        In the order of the outputs: of two classes the second is the positive one. By default those of y, sorted.
    multi_class : "ovr", "ovo" or "crammer_singer"
        What is done with several classes: each against the rest, each pair, or all in one problem.
    class_weight : dict, "balanced" or None
        As in scikit-learn. Against the rest, the weight of a class scales its own rows alone.
    name : str
        What the audit calls the model.
    """

    coef: Any
    intercept: Any = None
    C: float | None = None
    lam: float | None = None
    loss: str = "hinge"
    penalised: bool = False
    intercept_scaling: float = 1.0
    classes: ArrayLike | None = None
    multi_class: str = "ovr"
    class_weight: Any = None
    epsilon: float = 0.0
    q: float = 0.5
    name: str = "weights"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "coef", _matrix("coef", self.coef))
        if self.intercept is not None:
            size = np.size(self.intercept) if self.loss == "ordinal_hinge" else len(self.coef)
            set_(self, "intercept", _vector("intercept", self.intercept, size))
        if (self.C is None) == (self.lam is None):
            raise ValueError("give either C or lam: the weights alone do not say what they minimise")
        if self.C is not None:
            set_(self, "C", check_number("C", self.C, above=0))
        if self.lam is not None:
            set_(self, "lam", check_number("lam", self.lam, least=0))
        set_(self, "intercept_scaling", check_number("intercept_scaling", self.intercept_scaling, above=0))
        set_(self, "epsilon", check_number("epsilon", self.epsilon, least=0))
        if not 0 < float_of(self.q) < 1:
            raise ValueError(f"q must be a number between 0 and 1, not {self.q!r:.60}")
        check_flag("penalised", self.penalised)
        for name, value, allowed in (("loss", self.loss, LOSSES), ("multi_class", self.multi_class, SCHEMES)):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r:.60}")
        if self.multi_class == "crammer_singer" and self.loss != "hinge":
            raise ValueError(f"multi_class='crammer_singer' has the loss 'hinge', not {self.loss!r}")
        if self.lam == 0 and self.has_column:
            raise ValueError("penalised must be False where lam = 0, which penalises nothing")
        if self.loss == "ordinal_hinge" and (self.penalised or self.intercept is None):
            raise ValueError("penalised must be False for loss='ordinal_hinge', which has free intercepts")

    @property
    def is_unpenalised(self) -> bool:
        """Whether the loss alone is minimised."""
        return self.lam == 0

    @property
    def has_column(self) -> bool:
        """Whether the intercept is the weight of a column."""
        return self.intercept is not None and self.penalised

    @property
    def has_bias(self) -> bool:
        """Whether the intercept is free."""
        return self.intercept is not None and not self.penalised

    @property
    def points(self) -> Vector:
        """(n_outputs, columns): the weights, with that of the column behind them where there is one.

        That is intercept / intercept_scaling, to the nearest float: exact for a scaling by a power of two, such as 1.
        """
        if not self.has_column:
            return self.coef
        return np.column_stack([self.coef, self.intercept / self.intercept_scaling])


def _matrix(name: str, values: Any) -> Vector:
    is_sparse: bool = sparse.issparse(values)
    plain = values.toarray() if is_sparse else values
    matrix = np.array(real_array(name, plain), dtype=np.float64, ndmin=2, order="C")
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"{name} must be a vector or a matrix, not of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return matrix


def _vector(name: str, values: Any, size: int) -> Vector:
    vector = np.array(real_array(name, values), dtype=np.float64).reshape(-1)
    if vector.size == 1:
        vector = np.repeat(vector, size)
    if vector.size != size or not np.isfinite(vector).all():
        raise ValueError(f"{name} must be {size} finite numbers, one for each row of coef, not {vector.size}")
    return vector
