r"""Where every optimum is, at every lambda between two that are solved: bounds of scores for a whole range.

Certified pairs (w_1, alpha_1) at lam_1 and (w_2, alpha_2) at lam_2 stay feasible while they move, w and b linearly in
1/lam and alpha linearly in lam (:mod:`.segment`). So there is a pair for every lam between them, a *knot*, whose scores
cost no product (:mod:`.knot`). Between two knots, in a *cell*, what the pair leaves of the gap is at most a parabola in
1/lam (:mod:`.cell`, :mod:`.parabola`), and its largest value is the radius of a sphere for all lams of the cell. The
anchors of the bias (:mod:`.mean`, :mod:`.order`) and the combinations of kinks (:mod:`.combinations`) do the rest, as
in :mod:`pragam.certificate.region` for a single lam.

    moving = Moving(problem, held)                           # held: the rows whose scores matter
    first, last = moving.pair(..), moving.pair(..)           # of two certified solves
    cell = moving.cell(first, moving.between(first, last, lam))
    cell.ends(), cell.finer(rows, ends)                      # least and greatest scores, at any lam of the cell

All holds in exact arithmetic for the floats as stored; docs/certificates.md has the theorem.
"""

from pragam.certificate.moving.cell import Cell
from pragam.certificate.moving.knot import Knot
from pragam.certificate.moving.moving import Moving
from pragam.certificate.moving.pair import Pair

__all__ = ["Cell", "Knot", "Moving", "Pair"]
