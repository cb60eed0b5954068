"""Draws the figures of sequences.md: transitions, margins of tokens, and a learning curve.

The data are scikit-learn's images of handwritten digits, made noisy and put into sequences in which each digit is one
or two more than the one before it, modulo 10.

    python docs/make_sequences.py [--folder docs/figures]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from sklearn.datasets import load_digits

from pragam import ChainSVC

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LENGTH, NOISE, LAM = 8, 4.0, 1e-3
SIZES = (5, 10, 20, 40, 80)
TEST = 150


def sequences(n: int, seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """n sequences of noisy images (8, 64), and the digits that they show."""
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    own = [np.flatnonzero(digits == digit) for digit in range(10)]
    labels = [(rng.integers(10) + np.cumsum(rng.integers(1, 3, LENGTH))) % 10 for _ in range(n)]
    rows = [np.array([rng.choice(own[digit]) for digit in part]) for part in labels]
    return [(images[part] + NOISE * rng.standard_normal((LENGTH, 64))) / 16 for part in rows], labels


def transitions(model: ChainSVC, path: Path) -> None:
    """The weight of each pair of neighbours, of starts and of ends."""
    figure, ax = plt.subplots(figsize=(4.6, 4.0), layout="constrained")
    model.plot("transitions", ax=ax)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def margins(model: ChainSVC, X: list[np.ndarray], y: list[np.ndarray], path: Path) -> None:
    """The images of a sequence, what is read in them, and how certain that is. The sequence has the smallest margin."""
    at = int(np.argmin([part.min() for part in model.token_margins(X)]))
    labels, own = model.predict([X[at]])[0], model.token_margins([X[at]])[0]
    figure, axes = plt.subplots(2, LENGTH, figsize=(8.0, 2.9), layout="constrained", sharey="row")
    for t in range(LENGTH):
        axes[0, t].imshow(X[at][t].reshape(8, 8), cmap="gray_r")
        axes[0, t].set_axis_off()
        is_right = labels[t] == y[at][t]
        axes[0, t].set_title(f"{labels[t]}" if is_right else f"{labels[t]} (is {y[at][t]})", fontsize=10)
        axes[1, t].bar(0, own[t], color="#4477aa" if is_right else "#ee6677")
        axes[1, t].set(xlim=(-0.6, 0.6), xticks=[], xlabel=f"{own[t]:.2g}")
        axes[1, t].spines[["top", "right", "left"] if t else ["top", "right"]].set_visible(False)
        axes[1, t].tick_params(left=t == 0)
    axes[1, 0].set_ylabel("margin")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def learning_curve(path: Path) -> None:
    """Wrong digits against the number of training sequences, with transitions and each digit for itself."""
    X, y = sequences(TEST, seed=1)
    kinds: dict[str, Any] = {"sequences": (lambda part: [part], "-o"), "each digit for itself": (list_of_rows, "--s")}
    figure, ax = plt.subplots(figsize=(5.4, 3.6), layout="constrained")
    for name, (split, style) in kinds.items():
        errors = []
        for n in SIZES:
            train = sequences(n, seed=0)
            model = ChainSVC(LAM).fit(*([piece for part in one for piece in split(part)] for one in train))
            test = ([piece for part in one for piece in split(part)] for one in (X, y))
            errors.append(100 * (1 - model.score(*test)))
        ax.plot(SIZES, errors, style, label=name)
        print(name, [f"{error:.1f}" for error in errors])
    ax.set(xscale="log", xticks=SIZES, xticklabels=SIZES, xlabel="training sequences of 8 digits", ylim=(0, None))
    ax.set(ylabel="digits read wrongly, %")
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def list_of_rows(part: np.ndarray) -> list[np.ndarray]:
    """Each token as a sequence of its own."""
    return [part[t : t + 1] for t in range(len(part))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent / "figures")
    folder = parser.parse_args().folder
    folder.mkdir(exist_ok=True)
    model = ChainSVC(LAM).fit(*sequences(SIZES[-1], seed=0))
    print(f"relative gap {model.certificate_.relative_gap:.1e}, {model.status_}")
    transitions(model, folder / "sequences-transitions.png")
    margins(model, *sequences(TEST, seed=1), folder / "sequences-margins.png")
    learning_curve(folder / "sequences-learning.png")


if __name__ == "__main__":
    main()
