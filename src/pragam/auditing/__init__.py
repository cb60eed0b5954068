"""How far anybody's fitted linear SVM is from the optimum of the problem it claims to solve.

``claim`` says which problem that is and at which point the model stands, with one file for each kind of model
(``scikit_learn``, ``own``, ``files``, and ``weights`` for plain numbers). ``judge`` solves the same problem and
compares, ``verdict`` holds the bounds, ``report`` shows them. The package is not called ``audit``: a module of that
name would hide the function ``pragam.audit`` as soon as somebody imports it.
"""

from pragam.auditing.judge import audit
from pragam.auditing.predictions import Agreement
from pragam.auditing.report import Audit
from pragam.auditing.verdict import Bounds, Verdict
from pragam.auditing.weights import Weights

__all__ = ["Agreement", "Audit", "Bounds", "Verdict", "Weights", "audit"]
