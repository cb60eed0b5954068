"""What ChainSVC is given and cannot use: one ValueError, which names the sequence or the argument."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.structured import chain_hinge

X, Y = [np.eye(2), np.eye(2)[:1]], [[0, 1], [1]]
HUGE = [2**62] * 3 + [2**62 + 12]

BAD = {
    "lengths sum to": lambda: pragam.ChainSVC().fit(np.zeros((12, 2)), np.arange(12) % 2, HUGE),
    "lengths sum to 1.84e.19": lambda: chain_hinge(np.zeros((12, 2)), np.arange(12) % 2, HUGE),
    "sequence 0: it must be a matrix": lambda: pragam.ChainSVC().fit([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [0, 1]]),
    "sequence 0: a token must be a dictionary or a list": lambda: pragam.ChainSVC().fit([[{"a": 1}, 5]], [[0, 1]]),
    "sequence 0: the feature 'a' is": lambda: pragam.ChainSVC().fit([[{"a": 10**400}, {}]], [[0, 1]]),
    "X must be two-dimensional": lambda: pragam.ChainSVC().fit(sparse.coo_array(np.ones(3)), [0, 1, 0]),
    "labels must be a list of labels": lambda: pragam.ChainSVC(labels=[[0, 1]]).fit(X, Y),
    "labels must be of one kind": lambda: pragam.ChainSVC().fit(X, [[0, "a"], ["a"]]),
    "sample_weight must not be zero everywhere": lambda: pragam.ChainSVC().fit(X, Y).score(X, Y, sample_weight=[0, 0]),
    "sample_weight must": lambda: pragam.ChainSVC().fit(X, Y).score(X, Y, sample_weight=[1, -1]),
    "start with 'I-x', which": lambda: pragam.ChainSVC(transitions="iob").fit(X, [["I-x", "O"], ["O"]]),
}


@pytest.mark.parametrize("message", BAD)
def test_one_clear_error(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


class Frame:
    """A table that goes by the names of its columns, as pandas has them."""

    def __init__(self, part):
        self.part, self.shape, self.ndim = part, part.shape, 2

    def __array__(self, dtype=None, copy=None):
        return self.part

    def __len__(self):
        return len(self.part)

    def __getitem__(self, name):
        raise KeyError(name)


def test_data_frames_are_matrices():
    frames = [Frame(part) for part in X]
    assert np.array_equal(pragam.ChainSVC().fit(frames, Y).coef_, pragam.ChainSVC().fit(X, Y).coef_)


def test_a_prediction_is_never_forbidden():
    """Labels must increase, and there are three: no sequence of four has a labelling."""
    transitions = np.triu(np.ones((3, 3), dtype=bool), 1)
    model = pragam.ChainSVC(transitions=transitions).fit([np.eye(3), np.eye(3)[:2]], [[0, 1, 2], [0, 1]])
    assert model.predict([np.eye(3)])[0].tolist() == [0, 1, 2]
    for method in (model.predict, model.token_margins):
        with pytest.raises(ValueError, match="sequence 1: every labelling of its length is forbidden"):
            method([np.eye(3), np.ones((4, 3))])
    assert model.predict_topk([np.ones((4, 3))], 3) == [[]]


def test_labels_that_a_file_cannot_hold_are_refused_before_it_is_written(tmp_path):
    model = pragam.ChainSVC().fit(X, [[b"a", b"b"], [b"b"]])
    with pytest.raises(ValueError, match="all numbers or all strings"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_max_iter_holds_at_every_point_of_a_path():
    rng = np.random.default_rng(0)
    data, y = [rng.standard_normal((5, 3)) for _ in range(20)], [rng.integers(0, 3, 5) for _ in range(20)]
    with pytest.warns(Warning, match="max_iter"):
        models = pragam.ChainSVC(tol=1e-9, max_iter=2).fit_path(data, y, [1.0, 0.01])
    assert all(model.n_iter_ <= 2 for model in models)


def test_top_k_of_few_labellings_takes_little_memory():
    model = pragam.ChainSVC().fit(X, Y)
    assert len(model.predict_topk([np.eye(2)], 10**15)[0]) == 4


def test_a_loaded_model_has_seen_no_unknown_features(tmp_path):
    pragam.ChainSVC().fit(X, Y).save(tmp_path / "model")
    assert pragam.ChainSVC.load(tmp_path / "model").n_unseen_features_ == 0


@pytest.mark.parametrize("size", [1e40, 1e150])
def test_huge_weights_of_sequences(size):
    """Too large for single precision."""
    rng = np.random.default_rng(1)
    data, y = [rng.standard_normal((5, 3)) for _ in range(6)], [rng.integers(0, 3, 5) for _ in range(6)]
    model = pragam.ChainSVC(lam=0.1 * size, tol=1e-2, max_iter=3000).fit(data, y, sample_weight=np.full(6, size))
    assert model.certificate_.relative_gap <= 1e-2
