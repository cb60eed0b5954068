"""Bad input is one ValueError that names the argument: at the function, at the record and at the estimator."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.risks import (
    Each,
    EpsilonInsensitive,
    Hinge,
    MulticlassHinge,
    MultilabelHinge,
    OneVsRest,
    OrdinalHinge,
    Quantile,
)
from pragam.samples import Rows

X = np.arange(12.0).reshape(6, 2) ** 1.5
TWO, THREE, NUMBERS = np.array([0, 1] * 3), np.array([0, 1, 2] * 2), np.arange(6.0)
SETS = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]])
COST, OTHER = np.ones((3, 3)) - np.eye(3), {7: 2.0}


def posed(record, y, weights=None, **parameters):
    samples = Rows.of(X, y, weights)
    risk = record(**parameters)
    return risk.pose(samples, risk.learn(samples))


def spoilt(array, value):
    return np.r_[array[:1], value, array[2:]]


NOT_ALL = spoilt(NUMBERS, np.nan)

#: What is wrong: the sentence, and the calls that say it.
BAD = {
    "one class": ("y must have", [
        lambda: pragam.hinge(X, np.zeros(6)), lambda: pragam.multiclass_hinge(X, np.zeros(6)),
        lambda: posed(OneVsRest, np.zeros(6)), lambda: posed(MulticlassHinge, np.zeros(6)),
        *(lambda cls=cls: cls().fit(X, np.zeros(6))
          for cls in (pragam.LinearSVC, pragam.MulticlassSVC, pragam.MultilabelSVC, pragam.OrdinalSVC)),
    ]),
    "more classes than a binary risk has": (r"y must have (exactly )?two classes", [
        lambda: pragam.hinge(X, THREE), lambda: posed(Hinge, THREE),
    ]),
    "a weight of a class that does not occur": (r"class_weight has labels that are not in y: \[7\]", [
        lambda: pragam.hinge(X, TWO, class_weight=OTHER), lambda: pragam.multiclass_hinge(X, TWO, class_weight=OTHER),
        lambda: posed(OneVsRest, TWO, class_weight=OTHER), lambda: posed(MulticlassHinge, TWO, class_weight=OTHER),
        lambda: pragam.LinearSVC(class_weight=OTHER).fit(X, TWO),
        lambda: pragam.MulticlassSVC(class_weight=OTHER).fit(X, TWO),
    ]),
    "weights of classes that are all zero": ("class_weight must not be zero for every class", [
        lambda: pragam.hinge(X, TWO, class_weight={0: 0, 1: 0}),
        lambda: posed(OneVsRest, TWO, class_weight={0: 0, 1: 0}),
        lambda: pragam.LinearSVC(class_weight={0: 0, 1: 0}).fit(X, TWO),
    ]),
    "rows without a right and a wrong label": ("Y must have a row with both a right and a wrong label", [
        lambda: pragam.multilabel_hinge(X, np.ones((6, 2))), lambda: posed(MultilabelHinge, np.zeros((6, 2), int)),
        lambda: pragam.MultilabelSVC().fit(X, np.ones((6, 2), int)),
        lambda: pragam.MultilabelSVC().fit(X, [{"a", "b"}] * 6),
    ]),
    "levels without an order": ("y holds labels without an order .* pass order", [
        lambda: pragam.ordinal_hinge(X, list("abcabc")), lambda: posed(OrdinalHinge, np.array(list("abcabc"))),
        lambda: pragam.OrdinalSVC().fit(X, list("abcabc")),
    ]),
    "a share outside of (0, 1)": (r"(q|quantile).* must .*(between 0 and 1|\(0.0, 1.0\))", [
        lambda: pragam.quantile(X, NUMBERS, q=1.0), lambda: Quantile(q=1.0),
        lambda: pragam.QuantileRegressor(quantile=1.0).fit(X, NUMBERS),
        lambda: pragam.QuantileRegressor(quantile=[0.5, 1.0]).fit(X, NUMBERS),
        lambda: pragam.QuantileRegressor(quantile=[]).fit(X, NUMBERS),
        lambda: pragam.QuantileRegressor(quantile=["a"]).fit(X, NUMBERS),
    ]),
    "costs on the diagonal": ("cost must be 0 on its diagonal", [
        lambda: pragam.multiclass_hinge(X, THREE, cost=np.ones((3, 3))),
        lambda: posed(MulticlassHinge, THREE, cost=np.ones((3, 3))),
        lambda: pragam.MulticlassSVC(cost=np.ones((3, 3))).fit(X, THREE),
    ]),
    "costs of other classes": (r"cost must be a \(2, 2\) matrix", [
        lambda: pragam.multiclass_hinge(X, TWO, cost=COST), lambda: posed(MulticlassHinge, TWO, cost=COST),
        lambda: pragam.MulticlassSVC(cost=COST).fit(X, TWO),
    ]),
    "targets that are no numbers": ("y contains NaN", [
        lambda: pragam.quantile(X, NOT_ALL), lambda: pragam.epsilon_insensitive(X, NOT_ALL),
        lambda: posed(EpsilonInsensitive, NOT_ALL), lambda: posed(Each, NOT_ALL),
        lambda: pragam.LinearSVR().fit(X, NOT_ALL),
        lambda: pragam.QuantileRegressor().fit(X, NOT_ALL),
        lambda: pragam.LinearSVC().fit(X, spoilt(1.0 * TWO, np.nan)),
    ]),
    "a tube of negative width": ("epsilon.* must be a", [
        lambda: pragam.epsilon_insensitive(X, NUMBERS, epsilon=-0.1), lambda: EpsilonInsensitive(epsilon=-0.1),
        lambda: pragam.LinearSVR(epsilon=-0.1).fit(X, NUMBERS),
    ]),
    "weights that are all zero": ("sample_weight must not be zero in every row", [
        lambda: pragam.hinge(X, TWO, sample_weight=np.zeros(6)), lambda: posed(OneVsRest, TWO, np.zeros(6)),
        lambda: pragam.multilabel_hinge(X, SETS, sample_weight=np.zeros(6)), lambda: posed(Each, NUMBERS, np.zeros(6)),
        *(lambda cls=cls, y=y: cls().fit(X, y, np.zeros(6))
          for cls, y in ((pragam.LinearSVC, TWO), (pragam.LinearSVR, NUMBERS), (pragam.QuantileRegressor, NUMBERS),
                         (pragam.OrdinalSVC, THREE), (pragam.MulticlassSVC, THREE), (pragam.MultilabelSVC, SETS))),
    ]),
    "weights of other rows": ("sample_weight must hold 6 numbers", [
        lambda: pragam.hinge(X, TWO, sample_weight=np.ones(5)), lambda: posed(OneVsRest, TWO, np.ones(5)),
        lambda: pragam.LinearSVC().fit(X, TWO, np.ones(5)), lambda: pragam.LinearSVR().fit(X, NUMBERS, np.ones(5)),
    ]),
    "labels of other rows": ("y must hold one label for each of the 6 rows of X", [
        lambda: pragam.hinge(X, TWO[:4]), lambda: pragam.multiclass_hinge(X, THREE[:5]),
        *(lambda risk=risk: posed(risk, THREE[:5]) for risk in (OneVsRest, MulticlassHinge, OrdinalHinge)),
        *(lambda cls=cls: cls().fit(X, THREE[:5])
          for cls in (pragam.LinearSVC, pragam.MulticlassSVC, pragam.OrdinalSVC, pragam.MultilabelSVC)),
    ]),
    "numbers of other rows": ("y must hold one number for each of the 6 rows of X", [
        lambda: pragam.quantile(X, NUMBERS[:5]), lambda: posed(Quantile, NUMBERS[:5]), lambda: posed(Each, NUMBERS[:5]),
        lambda: pragam.LinearSVR().fit(X, NUMBERS[:5]), lambda: pragam.QuantileRegressor().fit(X, NUMBERS[:5]),
    ]),
    "label sets of other rows": ("Y must have a row for each of the 6 rows of X", [
        lambda: pragam.multilabel_hinge(X, SETS[:5]), lambda: posed(MultilabelHinge, SETS[:5]),
        lambda: pragam.MultilabelSVC().fit(X, SETS[:5]), lambda: pragam.MultilabelSVC().fit(X, [{"a"}, {"b"}]),
    ]),
    "strings among numbers": ("y must hold labels of one kind", [
        lambda: pragam.hinge(X, [1, "a"] * 3), lambda: pragam.multiclass_hinge(X, [1, "a"] * 3),
        lambda: posed(OneVsRest, [1, "a"] * 3),
        *(lambda cls=cls: cls().fit(X, [1, "a"] * 3)
          for cls in (pragam.LinearSVC, pragam.MulticlassSVC, pragam.OrdinalSVC, pragam.MultilabelSVC)),
    ]),
    "label sets of two kinds": ("Y must hold labels of one kind", [
        lambda: pragam.MultilabelSVC().fit(X, [{1, "a"}] * 6),
    ]),
    "an L1 norm": ("penalty='l1' is not solved here.*penalty='l2'", [
        lambda: pragam.LinearSVC(penalty="l1").fit(X, TWO),
    ]),
    "a loss that Crammer and Singer do not have": ("multi_class='crammer_singer' has loss='hinge' alone", [
        lambda: pragam.LinearSVC(multi_class="crammer_singer", loss="squared_hinge").fit(X, TWO),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("what", "call"), [(what, k) for what, (_, calls) in BAD.items() for k in range(len(calls))])
def test_one_sentence_names_the_argument(what, call):
    sentence, calls = BAD[what]
    with pytest.raises(ValueError, match=sentence) as error:
        calls[call]()
    assert "\n" not in str(error.value)


def test_rows_without_a_right_or_a_wrong_label_cost_nothing():
    with_them = pragam.MultilabelSVC(1.0, tol=1e-8).fit(X, SETS)
    rows = SETS.sum(axis=1) == 1
    without = pragam.MultilabelSVC(1.0, tol=1e-8).fit(X[rows], SETS[rows])
    assert 6 * with_them.certificate_.primal == pytest.approx(4 * without.certificate_.primal, rel=1e-7)


def test_a_weight_for_every_class_may_name_more():
    """As in a fold of a search, where a class may be missing."""
    model = pragam.LinearSVC(class_weight={0: 1.0, 1: 2.0, 7: 3.0}).fit(X, TWO)
    same = pragam.LinearSVC(class_weight={0: 1.0, 1: 2.0}).fit(X, TWO)
    assert np.array_equal(model.coef_, same.coef_)


def test_the_l1_weight_of_scikit_learn_is_answered():
    with pytest.raises(TypeError, match="alpha weighs the L1 norm in scikit-learn"):
        pragam.QuantileRegressor(alpha=0.1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'beta'"):
        pragam.QuantileRegressor(beta=0.1)
