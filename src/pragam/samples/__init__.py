"""What problems are posed on: rows, sequences and graphs, with the labels and weights that belong to them.

Every form has ``n`` (how many), ``n_features``, ``y``, ``weights``, ``take(index)``, ``size()`` and ``fingerprint()``,
``given()`` and ``weighted(given)`` (the arrays of weights, by name), and ``answer(values)``, which brings one value for
each row, token or node into the user's form.
"""

from pragam.samples.base import Samples
from pragam.samples.chains import Chains
from pragam.samples.graphs import Graphs
from pragam.samples.rows import Rows

__all__ = ["Chains", "Graphs", "Rows", "Samples"]
