r"""What the column d of the paper's table of data sets holds.

Problem:    The table gives n, d ("number of features") and the density s, in percent, of nine data sets.
Algorithm:  Arithmetic on the printed numbers and the real numbers of features.
Guarantee:  For covertype, news20, real-sim, reuters-c11, reuters-ccat and web8, d / (n * features) is the
            printed density to one unit of its last digit. So d is the number of non-zeros. For covertype
            d = 12 n exactly.
Source:     Saha, Zhang and Vishwanathan, Table 1, corrected.
Tight:      Yes, up to the digits printed.
Corrected:  The features are 54, 1,355,191, 20,958, 47,236, 47,236 and 300.
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.paper.theory._check import Check, worst_case

REFERENCE = "Saha, Zhang and Vishwanathan, Table 1 (corrected)"

#: name: (n, column d, density in percent, the last digit's unit, the real number of features)
ROWS = {
    "covertype": (522_911, 6_274_932, 22.22, 0.01, 54),
    "news20": (15_960, 7_264_867, 0.033, 0.001, 1_355_191),
    "real-sim": (57_763, 2_969_737, 0.25, 0.01, 20_958),
    "reuters-c11": (23_149, 1_757_801, 0.16, 0.01, 47_236),
    "reuters-ccat": (23_149, 1_757_801, 0.16, 0.01, 47_236),
    "web8": (45_546, 579_586, 4.24, 0.01, 300),
}


def check() -> Iterator[Check]:
    errors = [abs(100 * d / (n * features) - s) / unit for n, d, s, unit, features in ROWS.values()]
    yield worst_case(
        "dataset_table.density",
        "Column d over n times the real features is the printed density, to one unit of its last digit.",
        ((error, 1.0) for error in errors),
        "<=",
        0.0,
        REFERENCE,
    )
    n, d, *_ = ROWS["covertype"]
    yield Check(
        "dataset_table.covertype",
        "covertype has 12 stored entries in every row.",
        d / n,
        12.0,
        "==",
        0.0,
        REFERENCE,
    )
