"""What a fitted estimator has, whatever it is: its model under the names that people know, proofs, files, figures."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from pragam import models
from pragam.certificate import Certificate
from pragam.certificate.totals import total_certificate
from pragam.driver.result import History
from pragam.driver.totals import total_history
from pragam.estimators.parameters import from_json, to_json
from pragam.files.fields import fields_of
from pragam.models import Model

if TYPE_CHECKING:
    from typing_extensions import Self


class FittedModel(BaseEstimator):
    """``model_`` is all that it needs."""

    #: The names of the records that a file may hold for this estimator.
    _risks: ClassVar[tuple[str, ...]] = ()

    model_: Any
    histories_: list[History]
    _begun: list[float]

    def _keep(self, model: Model) -> None:
        """The model under the names that people know."""
        self.model_ = model
        self.certificates_ = [proof.certificate for proof in model.proofs]
        self.statuses_ = [proof.status for proof in model.proofs]
        self.n_iter_ = max((proof.n_iter for proof in model.proofs), default=0)
        if model.proofs:
            self.certificate_, self.status_ = model.certificate, model.status
        if len(model.labels):
            self.classes_ = model.labels

    @property
    def history_(self) -> History:
        """What was certified on the way; of the sum of the problems, if there are several. Empty after ``load``."""
        check_is_fitted(self)
        return total_history(self.histories_, self._begun, self.certificates_)

    def _certify(self, samples: Any) -> Certificate:
        return total_certificate(self.model_.certify(samples))

    def save(self, path: str | os.PathLike[str], proofs: bool = True) -> None:
        """Write the model, its proof and these parameters to a file (safetensors), whole or not at all.

        Parameters
        ----------
        path : str or path
        proofs : bool
            Whether the dual points are written. Without them the file is smaller, and ``certify`` cannot check it.
        """
        check_is_fitted(self)
        parameters = to_json(self.get_params(deep=False))
        parameters.pop("checkpoint", None)  # a path of this machine, where another fit is kept
        own = {"class": self._name_in_files(), "parameters": parameters}
        if hasattr(self, "feature_names_in_"):
            own["columns"] = self.feature_names_in_.tolist()
        models.save(path, replace(self.model_, settings={**self.model_.settings, "estimator": own}), proofs)

    @classmethod
    def load(cls, path: Any) -> Self:
        """The estimator of a model file, also of one that ``pragam train`` wrote. Nothing in the file is executed.

        What takes the training data to say is not in a file: ``history_`` is empty, and there are no ``support_``,
        ``n_support_`` and ``dual_coef_``.
        """
        model = models.load(path)
        if model.risk.name not in cls._risks:
            wanted = " or ".join(map(repr, cls._risks))
            raise ValueError(f"{path}: its risk is {model.risk.name!r}, and {cls.__name__} has {wanted}")
        wrote = _wrote(model.settings, path)
        known = cls._parameters(model)
        if wrote["class"] == cls._name_in_files():
            known |= wrote["parameters"]
        loaded = cls(**{name: known[name] for name in cls._get_param_names() if name in known})
        if "columns" in wrote:
            loaded.feature_names_in_ = np.array(wrote["columns"], dtype=object)
        loaded.n_features_in_ = model.n_features
        loaded._keep(model)
        loaded.histories_, loaded._begun = [History.from_rows([])] * len(model.proofs), [0.0] * len(model.proofs)
        return loaded

    def summary(self, top: int = 5) -> models.Card:
        """The card of the model: what it minimises, its training data, its certificate, the ``top`` largest weights.

        ``print`` it, or ask for ``to_dict()``.
        """
        check_is_fitted(self)
        return models.card_of(self.model_, getattr(self, "feature_names_in_", None), top)

    def plot(self, kind: str = "gap", **options: Any) -> Any:
        """A figure of the fitted model, by matplotlib (the extra ``plot``); returns its Axes.

        Parameters
        ----------
        kind : "gap", "coefficients", "certificates" or, of sequences and graphs, "transitions"
            :func:`pragam.plot.gap`, :func:`pragam.plot.coefficients`, :func:`pragam.plot.certificates` or
            :func:`pragam.plot.transitions`.
        options
            Those of that function, such as ``ax``.
        """
        from pragam.report import plot

        check_is_fitted(self)
        figures: Any = {name: getattr(plot, name) for name in ("gap", "coefficients", "certificates", "transitions")}
        if kind not in figures:
            raise ValueError(f"kind must be one of {', '.join(figures)}, not {kind!r:.40}")
        return figures[kind](self, **options)

    @classmethod
    def _name_in_files(cls) -> str:
        """Whose parameters a file holds: equal names may mean other things elsewhere."""
        return cls.__name__

    @classmethod
    def _parameters(cls, model: Model) -> dict[str, Any]:
        """The parameters that a record says, for files that were not written by such an estimator."""
        own = {name: getattr(model.risk, name) for name in cls._get_param_names() if hasattr(model.risk, name)}
        return own | {name: model.settings[name] for name in ("tol", "solver") if name in model.settings}


def _wrote(settings: dict[str, Any], path: Any) -> dict[str, Any]:
    """Which estimator wrote a file, its parameters, and the names of its columns; ValueError if they make no sense."""
    try:
        own = fields_of(settings.get("estimator", {"class": "", "parameters": {}}), {"class": str, "parameters": dict})
        columns = {"columns": fields_of(own, {"columns": list})["columns"]} if "columns" in own else {}
        return {**own, "parameters": from_json(own["parameters"]), **columns}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: not a usable model file: its estimator makes no sense: {error!r:.80}") from error
