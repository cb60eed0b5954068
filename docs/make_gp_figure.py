"""Draws figures/gp-reliability.png: are the marginal probabilities of GPSequenceClassifier true?

Trains on fold 0 of the OCR letters (``PRAGAM_DATA``) and compares, on words of the other folds, the probability of the
predicted letter with how often it is right; as trained, and with a temperature from held-out words.

    python docs/make_gp_figure.py [--words 1500]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from pragam import GPSequenceClassifier

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "benchmarks"))

from gp_sequences import GAMMA, TAU, Words, calibration_error, words  # noqa: E402  (beside the benchmarks)

BINS = 10


def reliability(P: Any, y: Any) -> tuple[Any, Any]:
    """The mean confidence and the share right in each bin of confidence."""
    confidence, right = P.max(axis=1), P.argmax(axis=1) == y
    which = np.minimum((BINS * confidence).astype(int), BINS - 1)
    filled = [k for k in range(BINS) if (which == k).sum() >= 20]
    pairs = [(confidence[which == k].mean(), right[which == k].mean()) for k in filled]
    return tuple(np.array(pairs).T)


def draw(curves: dict[str, tuple[Any, Any]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="true probabilities")
    for (name, (confidence, right)), marker in zip(curves.items(), "os^", strict=False):
        axes.plot(confidence, right, marker=marker, label=name)
    axes.set(xlabel="probability of the predicted letter", ylabel="share of letters right", xlim=(0, 1), ylim=(0, 1))
    axes.legend(loc="lower right", frameon=False, fontsize="small")
    axes.set_title("OCR letters, trained on fold 0")
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=1500, help="test words")
    args = parser.parse_args()
    train, test = words(True, None)
    ends = np.cumsum(test.lengths)
    test = Words(test.X[: ends[args.words - 1]], test.y[: ends[args.words - 1]], test.lengths[: args.words])
    curves = {}
    for lam, share in ((3e-5, 0.0), (3e-5, 0.2), (1e-5, 0.0)):
        model = GPSequenceClassifier(
            RBF(np.sqrt(0.5 / GAMMA)), lam=lam, transition_scale=TAU, tol=1e-3, calibrate=share
        ).fit(*train)
        P = model.predict_proba(test.X, test.lengths)
        error = calibration_error(P, test.y)
        letters = model.score(test.X, test.y, test.lengths)
        name = f"lam {lam:g}" + (f", temperature {model.temperature_:.2f}" if share else "")
        print(f"{name}: calibration error {error:.3f}, letters {letters:.3f}")
        curves[f"{name}: error {error:.3f}"] = reliability(P, test.y)
    draw(curves, DOCS / "figures" / "gp-reliability.png")


if __name__ == "__main__":
    main()
