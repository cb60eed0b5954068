"""A fitted model: weights by name, the record of what they minimise, and the dual points that prove how well.

    model.predict(samples)      what it says
    model.certify(samples)      the proof, computed anew from the samples and the model alone

A kind of model (linear, chain, graph, gp) is a table of tensors with their shapes, how the solutions (w, b) become
these tensors and back, and what they predict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate, certify
from pragam.certificate.totals import total_certificate
from pragam.driver.result import Result, Status
from pragam.driver.totals import worst_status
from pragam.models.features import Features
from pragam.models.probabilities import Probabilities
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.risks import Risk

#: Problems and their results.
Solves = Sequence[tuple[AnyProblem, Result]]
#: The symbolic shapes of tensors by name; a letter has one size throughout.
Shapes = dict[str, tuple[str, ...]]
#: Values of the same numbers, stored in another way, differ by less, as a share.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Proof:
    """Of one problem: the certificate, the dual point that gives it (None if it was not kept), how the solve ended."""

    certificate: Certificate
    dual: Any
    status: Status
    n_iter: int = 0
    solver: str = ""


@dataclass(frozen=True, eq=False)
class Model:
    """The base of all kinds.

    Attributes
    ----------
    risk : the record of what was minimised
    labels : (K,) classes, levels or labels, in the order of the outputs; empty for numbers
    tensors : the weights, by name, in the shapes of ``shapes``
    proofs : one for each problem; none for a stranger's model
    features : how samples become those that the weights belong to
    given : weights of the training samples, by name; a certificate needs them again
    calibration : what the rule of prediction took from the training scores
    fingerprint : of the training samples, or their size alone; empty if unknown
    settings : how it was solved, for people; JSON can hold it
    probabilities : what makes probabilities of decision values; None if nothing was fitted for that
    """

    risk: Risk
    labels: NDArray[Any]
    tensors: dict[str, Vector]
    proofs: tuple[Proof, ...] = ()
    features: Features = field(default_factory=Features)
    given: dict[str, Vector] = field(default_factory=dict)
    calibration: dict[str, float] = field(default_factory=dict)
    fingerprint: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    probabilities: Probabilities | None = None

    kind: ClassVar[str]
    shapes: ClassVar[Shapes]
    #: Tensors that may be infinite: bounds.
    open_ended: ClassVar[tuple[str, ...]] = ()

    # What a kind says of itself.

    @classmethod
    def tensors_of(cls, risk: Risk, labels: NDArray[Any], solves: Solves) -> dict[str, Vector]:
        """The solutions of the problems as tensors."""
        raise NotImplementedError

    @classmethod
    def sizes(cls, risk: Risk, labels: NDArray[Any]) -> dict[str, int]:
        """The letters of shapes that the record determines."""
        return {"K": len(labels)}

    @classmethod
    def calibrations(cls, risk: Risk) -> tuple[str, ...]:
        """What a fit may take from the training scores."""
        return ()

    def points(self) -> list[tuple[Vector, Vector]]:
        """The tensors as the solutions (w, biases) of the problems."""
        raise NotImplementedError

    def predicted(self, own: Any) -> Any:
        """One prediction for each row, token or node, of samples in the model's own features."""
        raise NotImplementedError

    def column_weights(self) -> Vector | None:
        """A row of weights for each output, in the columns of X; None if weights are of something else."""
        return None

    def n_support(self, problems: Sequence[AnyProblem]) -> int:
        """How many rows of X support the model; 0 for kinds that know no rows."""
        return 0

    def calibrated(self, own: Any) -> Model:
        """The model with what its rule takes from the training scores."""
        return self

    def checked(self) -> Model:
        """The model, if its parts fit together, as they may not in a file that was changed."""
        return self

    # What all kinds share.

    def predict(self, samples: Any) -> Any:
        """In the form of the samples."""
        return samples.answer(self.predictions(samples))

    def predictions(self, samples: Any) -> Any:
        """One for each row, token or node."""
        return self.predicted(self.features.of(samples))

    def worth(self, samples: Any) -> Vector:
        """What the predictions are worth, one number each (``risk.worth``); the mean is the score."""
        return self.risk.worth(samples.y, self.predictions(samples))

    def pose(self, samples: Any) -> list[AnyProblem]:
        """The problems that the model solves on these samples."""
        return self.risk.pose(self.features.of(samples.weighted(self.given)), self.labels)

    def certify(self, samples: Any) -> list[Certificate]:
        """One for each problem. ValueError if the samples cannot be those of the training."""
        if not self.proofs or any(proof.dual is None for proof in self.proofs):
            raise ValueError("the model holds no dual point, so nothing can be verified")
        self.check_samples(samples)
        parts = list(zip(self.pose(samples), self.points(), self.proofs, strict=True))
        for problem, (w, _), _ in parts:
            if len(w) != problem.n_weights:
                raise ValueError(f"the samples make {problem.n_weights} weights, and the model has {len(w)}")
        return [certify(problem, w, proof.dual, biases) for problem, (w, biases), proof in parts]

    def check_samples(self, samples: Any) -> None:
        """Refuse samples that are not those of the training: other numbers, other labels, other classes."""
        numbers = self.features.numbers(samples)
        stored = self.fingerprint
        found = numbers.fingerprint() if "sha256" in stored else numbers.size()
        shared = sorted(stored.keys() & found.keys())
        if any(stored[key] != found[key] for key in shared):
            other, these = (", ".join(f"{key} {each[key]!s:.12}" for key in shared) for each in (stored, found))
            raise ValueError(f"the certificate belongs to other data ({other}), not to these ({these})")
        learnt = self.risk.learn(numbers)
        known, lacking = set(self.labels.tolist()), len(learnt) < len(self.labels)
        if not set(learnt.tolist()) <= known or (lacking and not self.risk.may_lack):
            raise ValueError(f"y has the labels {learnt[:5].tolist()}, and the model {self.labels[:5].tolist()}")

    def check_trained_on(self, samples: Any) -> None:
        """The same, also where the model knows the size of its data alone: then its certificates are made anew.

        Of other rows, of rows in another order, or of other labels, w and the dual point have other values.
        """
        for name, values in samples.given().items():
            if not np.array_equal(values, self.given.get(name, np.ones(len(values)))):
                raise ValueError(f"sample {name} differ from those that the model was trained with: leave them out")
        self.check_samples(samples)
        if "sha256" in self.fingerprint or not self.proofs or any(proof.dual is None for proof in self.proofs):
            return
        try:
            found = self.certify(samples)
        except ValueError as error:
            raise ValueError(f"X and y are not those that the model was trained on: {error}") from None
        for now, proof in zip(found, self.proofs, strict=True):
            then = proof.certificate
            room = now.slack + then.slack + _ROUNDING * max(abs(then.primal), abs(then.dual))
            pairs = (now.primal, then.primal), (now.dual, then.dual)
            if any(np.isfinite(each).all() and abs(each[0] - each[1]) > room for each in pairs):
                raise ValueError(
                    f"X and y are not those that the model was trained on: there w and its dual point have the values "
                    f"{then.primal:.6g} and {then.dual:.6g}, and here {now.primal:.6g} and {now.dual:.6g}"
                )

    def __str__(self) -> str:
        """What was minimised, with all that the problem depends on: weights of samples, and maps in front."""
        said = [str(self.risk)]
        for name, values in self.given.items():
            said.append(f"{name.replace('_', ' ')} of samples from {values.min():.6g} to {values.max():.6g}")
        said += [f"features: {each.title}" for each in self.features.maps]
        return "; ".join(said)

    @property
    def certificate(self) -> Certificate:
        """That of the sum of the problems."""
        return total_certificate([proof.certificate for proof in self.proofs])

    @property
    def status(self) -> Status:
        """The worst of the problems."""
        return worst_status([proof.status for proof in self.proofs])

    @property
    def n_features(self) -> int:
        """The columns that samples need, before the model's own features."""
        return self.features.n_columns or int(self.tensors["coef"].shape[-1])


def check_finite(name: str, array: NDArray[Any], is_open: bool) -> None:
    """Refuse numbers that are none. Bounds may be infinite."""
    if (np.isnan(array) if is_open else ~np.isfinite(array)).any():
        raise ValueError(f"{name} contains NaN or infinity")
