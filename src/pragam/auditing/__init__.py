"""How far anybody's fitted model is from the optimum of the problem it claims to solve.

``claim`` makes of every model one of ours, with the record of what it minimises, and samples. Strangers come as plain
``weights``, which ``packages``, ``scikit_learn`` and ``files`` read and ``strangers`` understands, with the ``schemes``
of several classes that are not ours. ``judge`` solves the same problems and compares, those without a penalty by
``unpenalised``; ``verdict`` holds the bounds, ``predictions`` says what the optimum shares, ``report`` shows it. The
package is not called ``audit``: a module of that name would hide the function ``pragam.audit`` as soon as somebody
imports it.
"""

from pragam.auditing.judge import audit, audit_model
from pragam.auditing.predictions import Agreement
from pragam.auditing.report import Audit
from pragam.auditing.verdict import Bounds, Verdict
from pragam.auditing.weights import Weights

__all__ = ["Agreement", "Audit", "Bounds", "Verdict", "Weights", "audit", "audit_model"]
