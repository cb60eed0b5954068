"""LIBLINEAR's text model: round trips, its own predictions, and refusal of what is damaged or hostile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from model_zoo import CLASSES, make_model
from scipy import sparse

from peaks import peak_memory
from pragam.models import load, load_liblinear, save_liblinear
from pragam.samples import Rows

INTEGER = [kind for kind, classes in CLASSES.items() if all(type(label) is int for label in classes)]


@pytest.mark.parametrize("kind", INTEGER)
@pytest.mark.parametrize("bias", [True, False])
def test_round_trip(tmp_path, kind, bias):
    model = make_model(CLASSES[kind])
    if not bias:
        model = replace(model, tensors={**model.tensors, "intercept": np.zeros(len(model.tensors["intercept"]))})
    save_liblinear(tmp_path / "m", model)
    for back in (load_liblinear(tmp_path / "m"), load(tmp_path / "m")):
        for ours, theirs in zip(back.weights(), model.weights(), strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)
        assert back.labels.tolist() == model.labels.tolist() and back.proofs == ()
        assert back.settings["liblinear_bias"] == (1 if bias else -1)
        with pytest.raises(ValueError, match="holds no dual point"):
            back.certify(Rows.of(np.zeros((2, 4)), model.labels[:2]))


@pytest.mark.parametrize("kind", INTEGER)
@pytest.mark.parametrize("bias", [0.0, 0.75])
def test_liblinear_predicts_the_same_from_our_file(tmp_path, kind, bias):
    util = pytest.importorskip("liblinear.liblinearutil")
    rng = np.random.default_rng(1)
    classes = CLASSES[kind]
    outputs = 1 if len(classes) == 2 else len(classes)
    # Multiples of 1/4 are added without rounding in any order, so that ties are ties for both programs.
    X = rng.integers(-3, 4, (200, 5)) / 4.0
    weights = {
        "coef": rng.integers(-3, 4, (outputs, 5)) / 4.0,
        "intercept": np.full(outputs, bias) * rng.choice([-1, 1], outputs),
    }
    model = make_model(classes, d=5)
    model = replace(model, tensors={**model.tensors, **weights})
    save_liblinear(tmp_path / "m", model)
    theirs = util.load_model(str(tmp_path / "m"))
    labels, _, scores = util.predict([], sparse.csr_matrix(X), theirs, "-q")
    expected = model.predict(Rows.of(X))
    assert len(set(expected.tolist())) > 1
    np.testing.assert_array_equal(labels, expected)
    ours = model.scores(Rows.of(X))
    np.testing.assert_array_equal(np.array(scores)[:, : ours.shape[1]], ours)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("options", ["-s 3 -B 1 -q", "-s 3 -q", "-s 2 -B 2.5 -q", "-s 0 -q"])
def test_we_predict_the_same_from_liblinears_file(tmp_path, n_classes, options):
    util = pytest.importorskip("liblinear.liblinearutil")
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((60, 3)), rng.permutation(np.arange(60) % n_classes)
    theirs = util.train(y, sparse.csr_matrix(X), options)
    util.save_model(str(tmp_path / "m"), theirs)
    ours = load_liblinear(tmp_path / "m")
    labels, _, scores = util.predict([], sparse.csr_matrix(X), theirs, "-q")
    mine = ours.scores(Rows.of(X))
    np.testing.assert_allclose(mine, np.array(scores)[:, : mine.shape[1]], rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(ours.predict(Rows.of(X)), labels)


@pytest.mark.parametrize("classes", [[0.5, 1.5], [1.0, 2.0], ["a", "b"], [0, 2**31], [False, True]])
def test_labels_must_be_integers(tmp_path, classes):
    with pytest.raises(ValueError, match="labels that are 32-bit integers"):
        save_liblinear(tmp_path / "m", make_model(classes))
    assert not (tmp_path / "m").exists()


GOOD = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n1\n2\n3\n4\n"
FAULTS = {
    "other solver": ("L2R_L1LOSS_SVC_DUAL", "L2R_L3LOSS_SVR", "solver_type 'L2R_L3LOSS_SVR' is not one of"),
    "labels of numbers": ("L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR has nr_class 2 and no labels"),
    "joint, one column": ("L2R_L1LOSS_SVC_DUAL", "MCSVM_CS", "w must be 4 lines of 2 numbers"),
    "no rho": ("L2R_L1LOSS_SVC_DUAL", "ONECLASS_SVM", "no line 'rho'"),
    "labels of one class": (
        "L2R_L1LOSS_SVC_DUAL\n",
        "ONECLASS_SVM\nrho 1\n",
        "ONECLASS_SVM has nr_class 2 and no labels",
    ),
    "no label": ("label 1 -1\n", "", "no line 'label'"),
    "one label": ("label 1 -1", "label 1", "2 classes with 1 labels"),
    "equal labels": ("label 1 -1", "label 1 1", "two different classes"),
    "float label": ("label 1 -1", "label 1 0.5", "0.5"),
    "one class": ("nr_class 2\nlabel 1 -1", "nr_class 1\nlabel 1", "two different classes"),
    "underscores": ("nr_class 2", "nr_class 0_2", "'0_2' is not a whole number"),
    "text class": ("nr_class 2", "nr_class two", "two"),
    "huge": ("nr_feature 3", "nr_feature 999999999999999", "w must be 1000000000000000 lines"),
    "many digits": ("nr_feature 3", "nr_feature " + "9" * 5000, ""),
    "negative": ("nr_feature 3", "nr_feature -1", "-1 features"),
    "many classes": ("nr_class 2", "nr_class 999999999", "with 2 labels"),
    "nan bias": ("bias 1", "bias nan", "bias nan"),
    "short": ("4\n", "", r"4 lines of 1 numbers, not of shape \(3, 1\)"),
    "long": ("4\n", "4\n5\n", r"not of shape \(5, 1\)"),
    "ragged": ("4\n", "4 5\n", "number of columns"),
    "wide": ("1\n2\n3\n4\n", "1 1\n2 2\n3 3\n4 4\n", r"not of shape \(4, 2\)"),
    "nan": ("4\n", "nan\n", "NaN or infinity"),
    "inf": ("3\n4\n", "1e999\n4\n", "NaN or infinity"),
    "huge intercept": ("bias 1\nw\n1\n2\n3\n4\n", "bias 1e10\nw\n1\n2\n3\n1e300\n", "w times bias contains NaN"),
    "word": ("4\n", "four\n", "four"),
    "no numbers": ("1\n2\n3\n4\n", "\n \n", "no weights"),
    "no w": ("w\n1\n2\n3\n4\n", "", "no line 'w'"),
    "not ascii": ("4\n", "\u00e9\n", "ascii"),
}


def test_the_faults_start_from_a_good_file(tmp_path):
    (tmp_path / "m").write_text(GOOD)
    model = load_liblinear(tmp_path / "m")
    coef, intercept = model.weights()
    assert (coef.tolist(), intercept.tolist(), model.labels.tolist()) == ([[1, 2, 3]], [4], [-1, 1])


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named_and_allocates_nothing(tmp_path, fault):
    old, new, message = FAULTS[fault]
    assert old in GOOD
    (tmp_path / "m").write_text(GOOD.replace(old, new), encoding="utf-8")
    refused = pytest.raises(ValueError, match=f"(?s){tmp_path / 'm'}: not a usable LIBLINEAR model: .*{message}")
    with peak_memory() as peak, refused:
        load_liblinear(tmp_path / "m")
    assert peak.bytes < 10_000_000


@pytest.mark.parametrize("content", [b"", b"\x00" * 1000, b"solver_type ", b"solver_type \xff\n"])
def test_garbage_is_a_value_error(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ValueError, match="not a usable"):
        load(tmp_path / "m")
