"""Sequences: scores, best labellings and dual points, against all labellings written out."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.structured import Labellings, Mixture, TrellisFlow, chain_hinge
from pragam.structured.chains import values as chain_values


def drawn(seed, constrained=True, edge_features=True):
    """A small random problem with everything: constraints, edge features, costs, weights."""
    rng = np.random.default_rng(seed)
    n, K, d = int(rng.integers(1, 6)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
    lengths = rng.integers(1, 5, n)
    N = int(lengths.sum())
    y = rng.integers(0, K, N)
    first = np.r_[0, np.cumsum(lengths)]
    allowed = rng.random((K, K)) < 0.5
    for i in range(n):
        own = y[first[i] : first[i + 1]]
        allowed[own[:-1], own[1:]] = True
    starts, ends = (np.isin(np.arange(K), y[at]) for at in (first[:-1], first[1:] - 1))
    X = rng.standard_normal((N, d)) * (rng.random((N, d)) < 0.7)
    E = rng.standard_normal((N - n, 2))
    keywords = {"transitions": allowed, "starts": starts, "ends": ends} if constrained else {}
    if edge_features:
        keywords["edge_features"] = sparse.csr_array(E) if seed % 2 else E
    cost = rng.exponential(size=(K, K)) * (1 - np.eye(K))
    return chain_hinge(
        sparse.csr_array(X) if seed % 3 else X, y, lengths, 0.1, cost, list(range(K)),
        sample_weight=rng.exponential(size=n), token_weight=rng.exponential(size=N), **keywords,
    )  # fmt: skip


def dense(storage):
    return storage.matmat(np.eye(storage.shape[1]))


def labellings(model, i):
    """(labels, features, loss) of every allowed labelling of sequence i."""
    tokens = range(model.first_token[i], model.first_token[i + 1])
    X, E = dense(model.storage), None if model.edge_features is None else dense(model.edge_features)
    for labels in product(range(model.K), repeat=len(tokens)):
        if model.rules is not None and not all(model.rules.transitions[a, b] for a, b in pairwise(labels)):
            continue
        if model.rules is not None and not (model.rules.starts[labels[0]] and model.rules.ends[labels[-1]]):
            continue
        features = np.zeros(model.n_weights)
        nodes, transitions, starts, ends = model.parts(features)
        for t, label in zip(tokens, labels, strict=True):
            nodes[label] += X[t]
        for k, (a, b) in enumerate(pairwise(labels)):
            transitions[0, a, b] += 1
            if E is not None:
                transitions[1:, a, b] += E[model.first_edge[i] + k]
        starts[labels[0]] += 1
        ends[labels[-1]] += 1
        loss = sum(
            model.token_scale[t] * model.cost[model.labels[t], k] for t, k in zip(tokens, labels, strict=True)
        )  # fmt: skip
        yield labels, features, loss


def truth_of(model, i):
    return tuple(model.labels[model.first_token[i] : model.first_token[i + 1]].tolist())


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("most", [2**20, 4])
def test_values_and_labels_are_the_best_of_all(seed, most, monkeypatch):
    monkeypatch.setattr(chain_values, "_SCORES", most)  # the second: long sequences in parts
    problem = drawn(seed)
    model, rng = problem.Q.structure, np.random.default_rng(seed)
    w = rng.standard_normal(model.n_weights)
    values, slack = model.values_bound(w)
    labels = model.decode(w).labels[0]
    for i in range(model.n):
        every = {own: (w @ features + loss) for own, features, loss in labellings(model, i)}
        truth = next(f for own, f, _ in labellings(model, i) if own == truth_of(model, i))
        best = max(every.values())
        assert values[i] == pytest.approx(best - w @ truth, abs=1e-12)
        assert 0 < slack[i] < 1e-10
        found = tuple(labels[model.first_token[i] : model.first_token[i + 1]].tolist())
        assert every[found] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(24))
def test_moments_are_the_expectations_of_every_form(seed):
    problem = drawn(seed)
    model, rng = problem.Q.structure, np.random.default_rng(seed)
    own = [list(labellings(model, i)) for i in range(model.n)]
    picks = [[rng.integers(len(each)) for each in own] for _ in range(3)]
    masses = rng.multinomial(2**30, [0.5, 0.3, 0.2], size=model.n).T
    stacked = [np.concatenate([own[i][k][0] for i, k in enumerate(pick)]) for pick in picks]
    point = Labellings(masses.astype(float), tuple(stacked))
    expected, loss = np.zeros(model.n_weights), 0.0
    for i, total in enumerate(model.totals):
        truth = next(f for labels, f, _ in own[i] if labels == truth_of(model, i))
        for mass, pick in zip(masses[:, i], picks, strict=True):
            expected += total * mass / 2**30 * (own[i][pick[i]][1] - truth)
            loss += total * mass / 2**30 * own[i][pick[i]][2]
    flow = flow_of(model, stacked, masses)
    vector = model.unfolded_point(point)
    for form in (point, flow, vector, Mixture(np.array([0.25, 0.75]), (point, flow))):
        found = model.moments(model.check(form))
        assert found.features == pytest.approx(expected, abs=1e-12) and found.loss == pytest.approx(loss, abs=1e-12)
        assert np.linalg.norm(found.features - expected) <= found.distance + 1e-14 and found.distance < 1e-11
        assert abs(found.loss - loss) <= found.loss_error + 1e-14
    proof = pragam.certify(problem, np.zeros(model.n_weights), flow)
    assert proof.rigorous and proof.dual == pytest.approx(
        loss - expected @ expected / (2 * problem.lam), abs=1e-10
    )  # fmt: skip


def flow_of(model, labels, masses):
    """The flow of labellings with whole-number masses (J, n)."""
    first, previous, label, mass = [0], [], [], []
    for i in range(model.n):
        for t in range(model.first_token[i], model.first_token[i + 1]):
            sums = {}
            for own, m in zip(labels, masses[:, i], strict=True):
                before = own[t - 1] if t > model.first_token[i] else 0
                sums[before, own[t]] = sums.get((before, own[t]), 0) + int(m)
            for (a, b), m in sums.items():
                if m:
                    previous.append(a), label.append(b), mass.append(m)
            first.append(len(mass))
    return TrellisFlow(
        np.array(first), np.array(previous, np.int32), np.array(label, np.int32), np.array(mass, np.uint32)
    )


@pytest.mark.parametrize("seed", range(16))
def test_all_solvers_agree_with_constraints_and_edge_features(seed):
    problem = drawn(seed)
    best = pragam.solve(problem, "qp-bmrm", tol=1e-8)
    if best.certificate.primal < 1e-12:  # nothing but the truth is allowed: J = 0, and no gap is small beside that
        assert best.certificate.dual == 0 and best.status is pragam.Status.ROUNDING
        return
    assert best.converged and best.certificate.rigorous and isinstance(best.alpha, Labellings)
    for solver in ("pragam", "ls-bmrm"):
        result = pragam.solve(problem, solver, tol=1e-2, max_iter=20_000)
        assert result.converged, (solver, result)
        assert result.certificate.dual <= best.certificate.primal
        assert best.certificate.dual <= result.certificate.primal
        assert pragam.certify(problem, result.w, result.alpha) == result.certificate


def test_a_solve_starts_from_any_form_of_a_dual_point():
    problem = drawn(5)
    one = pragam.solve(problem, "qp-bmrm", tol=1e-6)
    for solver in ("pragam", "qp-bmrm", "ls-bmrm", "pegasos-n"):
        begun = pragam.solve(problem, solver, tol=1e-9, start=one, max_iter=3)
        assert begun.certificate.gap <= one.certificate.gap * (1 + 1e-9)
    other = pragam.solve(problem, "pragam", tol=1e-2, max_iter=20_000)
    again = pragam.solve(problem, "qp-bmrm", tol=1e-4, start=other)
    assert again.converged


def broken(flow, **changes):
    parts = {name: getattr(flow, name).copy() for name in ("first", "previous", "label", "mass")}
    for name, change in changes.items():
        change(parts[name])
    return TrellisFlow(**parts)


def test_what_is_no_dual_point_is_refused():
    problem = chain_hinge(
        np.eye(6), [0, 1, 2, 0, 1, 2], [3, 3], transitions=np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]) > 0
    )
    model = problem.Q.structure
    flow = model.truth()
    w = np.zeros(problem.n_weights)

    def set_mass(mass):
        mass[2] -= 1

    def set_label(label):
        label[4] = 2

    def set_range(label):
        label[0] = 7

    cases = {
        "masses of token 2": broken(flow, mass=set_mass),
        "not conserved at token 4": broken(flow, label=set_label),
        "labels from 0 to 2": broken(flow, label=set_range),
        "forbidden label or transition is used at token 1": TrellisFlow.of(np.zeros(6, np.int64)),
        "an edge for each of the 6 tokens": TrellisFlow.of(np.zeros(5, np.int64)),
        "array of 6 whole numbers": Labellings.of(np.zeros(5, np.int64)),
        "weight 0 only": Labellings(np.zeros((1, 1)), (model.labels,)),
        "weights of 1 labellings": Labellings(np.ones((1, 3)), (model.labels,)),
        "alpha has 3 entries": np.zeros(3),
        "mixture of 2 points must be 2 finite numbers >= 0": Mixture(np.array([2.0, -1.0]), (flow, flow)),
        "mixture of 1 points must be": Mixture(np.array([0.5, 0.5]), (flow,)),
        "points of weight 0 only": Mixture(np.zeros(2), (flow, flow)),
        "masses of token 2 ": Mixture(np.ones(1), (broken(flow, mass=set_mass),)),
    }
    for message, point in cases.items():
        with pytest.raises(ValueError, match=message):
            pragam.certify(problem, w, point)


BAD = {
    "transitions must be a boolean matrix": {"transitions": np.ones((2, 2))},
    "sequence 0: its true labels have the transition": {"transitions": np.eye(2, dtype=bool)},
    "sequence 1: its true labels start with": {"starts": [True, False]},
    "sequence 0: its true labels end with": {"ends": [True, False]},
    "edge_features has 3 rows, and the sequences 2 pairs": {"edge_features": np.ones((3, 1))},
    "sequence 1: edge_features has the shape": {"edge_features": [np.ones((1, 1)), np.ones((2, 1))]},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    with pytest.raises(ValueError) as refused:
        chain_hinge(np.eye(4), [0, 1, 1, 1], [2, 2], **BAD[message])
    assert message in str(refused.value)


def test_a_problem_without_losses_is_refused():
    for name, weights in (("token_weight", np.zeros(4)), ("sample_weight", np.zeros(2))):
        with pytest.raises(ValueError, match=f"^{name} must not be zero everywhere"):
            chain_hinge(np.eye(4), [0, 1, 1, 0], [2, 2], lam=0.1, **{name: weights})


@pytest.mark.parametrize("scale", [1e155, 1e300])
def test_features_beyond_float64_end_with_an_answer(scale):
    X = np.random.default_rng(0).standard_normal((9, 4)) * scale
    result = pragam.solve(chain_hinge(X, [0, 1, 2] * 3, [3, 4, 2]), max_seconds=2)
    assert result.certificate.primal <= 1 + 1e-9 and result.certificate.dual >= 0
    assert "OverflowError" not in result.reason


def test_labels_without_an_order_are_refused():
    with pytest.raises(ValueError, match="y must have labels of one kind"):
        chain_hinge(np.eye(2), np.array(["a", 1], dtype=object), [2])


def test_nan_names_its_sequence():
    X = np.eye(5)
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="sequence 1: X contains NaN"):
        chain_hinge(X, [0, 1, 0, 1, 0], [2, 3])
