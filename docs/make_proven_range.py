"""Draws figures/proven-range.png: no lambda of [2^-20, 1] has a lower validation error, on adult9 (``PRAGAM_DATA``).

python docs/make_proven_range.py [SET] [--eps 0]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "benchmarks"))

import pragam  # noqa: E402
from _common import one_thread  # noqa: E402  (beside the benchmarks)
from proven_predictions import fifth  # noqa: E402
from proven_range import HIGH, LOW, filled  # noqa: E402


def main() -> None:
    """Prove, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="a9a", metavar="SET")
    parser.add_argument("--eps", type=float, default=0.0)
    options = parser.parse_args()
    X, y, V, t = fifth(*filled(options.name))
    with one_thread():
        found = pragam.tune(X, y, (LOW, HIGH), validation=(V, t), prove=options.eps)
    print(found.remark)
    found.plot()[0].figure.savefig(DOCS / "figures" / "proven-range.png", dpi=110)


if __name__ == "__main__":
    main()
