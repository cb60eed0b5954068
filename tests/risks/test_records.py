"""The record of a risk: the problems that it means, JSON both ways, plain terms for the judge, refusals in one line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pragam
from pragam import risks
from pragam.certificate import exact
from pragam.models.kinds import RISKS
from pragam.risks.record import risk_of
from pragam.samples import Rows
from pragam.structured.chains.record import ChainHinge
from pragam.structured.gp.record import GPSequences
from pragam.structured.graphs.record import GraphHinge

COST = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
RECORDS = [
    risks.Hinge(lam=0.1, bias=False),
    risks.SquaredHinge(lam=0.1, class_weight="balanced"),
    risks.SmoothedHinge(lam=0.1, gamma=0.25),
    risks.EpsilonInsensitive(lam=0.1, epsilon=0.0),
    risks.Quantile(lam=0.1, q=0.2),
    risks.MulticlassHinge(lam=0.1, cost=COST, bias=True, class_weight={0: 2.0, 1: 1, 2: 0.5}),
    risks.MultilabelHinge(lam=0.1, bias=True),
    risks.OrdinalHinge(lam=0.1, thresholds="immediate"),
    risks.OrdinalHinge(lam=0.1, order=[2, 0, 1]),
    risks.OneVsRest(each=risks.SmoothedHinge(lam=0.1), class_weight={0: 2.0, 1: 1, 2: 3}),
    risks.Each(risks=[risks.Quantile(lam=0.1, q=q) for q in (0.1, 0.9)]),
    risks.Unstated(),
    ChainHinge(lam=0.1, loss=[[0, 1], [1, 0]], transitions=[[True, False], [True, True]]),
    GraphHinge(lam=0.1),
    GPSequences(lam=0.1, basis="factor", transitions="iob"),
]
OF_ROWS = [record for record in RECORDS if record.form == "rows" and record.name != "unstated"]


def samples_for(record, n=24, seed=0):
    rng = np.random.default_rng(seed)
    X, code = rng.standard_normal((n, 3)), rng.permutation(np.arange(n) % 3)
    if not record.has_labels:
        y = X @ [1.0, -2.0, 0.5] + rng.standard_normal(n)
    elif record.name == "multilabel_hinge":
        y = (rng.random((n, 4)) < 0.5).astype(int)
    else:
        y = code % 2 if record.target == risks.Hinge.target else code
    return Rows.of(X, y, rng.random(n) + 0.1)


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_json_gives_the_same_record_again(record):
    again = risk_of(json.loads(json.dumps(record.to_json(), allow_nan=False)), RISKS)
    assert again == record and type(again) is type(record) and hash(again) == hash(record)
    if hasattr(record, "lam"):
        assert record.at(0.3).lam == 0.3 and record.at(0.3).at(record.lam) == record


@pytest.mark.parametrize("record", OF_ROWS, ids=str)
def test_the_shape_is_that_of_the_problems(record):
    samples = samples_for(record)
    labels = record.learn(samples)
    problems, shapes = record.pose(samples, labels), record.shape(labels)
    assert len(problems) == len(shapes) == len(record.parts(labels))
    for problem, shape in zip(problems, shapes, strict=True):
        assert (problem.n_weights, problem.n_biases) == (shape.rows * 3, shape.biases)
    assert len(record.outputs(labels)) == sum(shape.outputs for shape in shapes)


@pytest.mark.parametrize("record", OF_ROWS, ids=str)
def test_the_judge_is_told_the_same_problems(record):
    """J and D that the judge computes from plain terms are those of the problems, as far as float64 can tell."""
    samples, rng = samples_for(record), np.random.default_rng(1)
    labels = record.learn(samples)
    for problem, stated in zip(record.pose(samples, labels), record.stated(samples, labels), strict=True):
        w, b = rng.standard_normal(problem.n_weights), rng.standard_normal(problem.n_biases)
        alpha = pragam.solve(problem, tol=1e-2).alpha
        judged = exact.judge(stated.risk, samples.X.rows()[1][0], stated.y, w, b, alpha, stated.weights)
        assert float(judged.primal) == pytest.approx(problem.primal(w, b), rel=1e-12)
        assert float(judged.dual) == pytest.approx(problem.dual(alpha), rel=1e-9)


def test_a_class_that_the_data_lack_keeps_its_output():
    """So folds of a data set are models of the same shape."""
    record = risks.MulticlassHinge(lam=0.1)
    samples = samples_for(record)
    some = samples.take(np.flatnonzero(samples.y != 2))
    assert record.pose(some, np.arange(3))[0].n_weights == record.pose(samples, np.arange(3))[0].n_weights


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (None, "it names no risk"),
        ({"name": []}, "it names no risk"),
        ({"name": "logistic"}, "its risk is 'logistic', and this pragam knows chain_hinge"),
        ({"name": "hinge", "lam": 0.1}, "its risk 'hinge' must have bias, class_weight, lam, not lam"),
        ({**risks.Hinge().to_json(), "lam": -1.0}, "lam must be a finite number > 0, not -1.0"),
        ({**risks.Hinge().to_json(), "lam": True}, "lam must be a finite number > 0, not True"),
        ({**risks.Hinge().to_json(), "bias": 1}, "bias must be True or False, not 1"),
        ({**risks.Hinge().to_json(), "class_weight": "heavy"}, "class_weight must be None, 'balanced' or a dict"),
        ({**risks.Quantile().to_json(), "q": 1.0}, "q must be a number between 0 and 1, not 1.0"),
        (
            {**risks.OneVsRest().to_json(), "each": risks.Quantile().to_json()},
            "its risk is 'quantile', and this pragam",
        ),
        ({**risks.Each().to_json(), "risks": []}, "risks must be regressions with one lam, at least one"),
        ({**risks.MulticlassHinge().to_json(), "cost": [[0, float("nan")], [1, 0]]}, "cost must be a matrix of finite"),
        ({**risks.OrdinalHinge().to_json(), "order": [1, 1]}, "order must hold two different labels at least"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(entry, message):
    with pytest.raises(ValueError) as caught:
        risk_of(entry, RISKS)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@pytest.mark.parametrize("record", OF_ROWS, ids=str)
def test_what_is_proven_holds_for_all_scores_between(record):
    """A proven prediction is the one of every score in the interval; the floor says that some are proven."""
    rng = np.random.default_rng(3)
    labels = record.learn(samples_for(record))
    outputs = sum(shape.outputs for shape in record.shape(labels))
    middle = rng.standard_normal((200, outputs))
    room = 0.3 * rng.random((200, outputs))
    proven = record.rule.proven(middle - room, middle + room, labels)
    said = record.rule.predict(middle, labels)
    for _ in range(20):
        inside = middle + (2 * rng.random((200, outputs)) - 1) * room
        same = (record.rule.predict(inside, labels) == said).reshape(200, -1).all(axis=1)
        assert same[proven].all()
    assert proven.sum() > 10 or not record.has_labels
