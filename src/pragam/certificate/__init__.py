r"""The only place where a duality gap is computed, and every rounding error in it is bounded.

*Upper bound.* Any weights w and biases b bound the optimum from above by J(w, b). The scores s = A w + B b + c are
computed to within a known slack (``A.matvec_error``), and the risk is the largest one for all scores that near
(``Q.support_bound``). So the planes of the dual are not needed here.

*Lower bound.* Some exactly feasible point is within a known slack of alpha (``domain.repair``). With
u = A' (alpha - origin) computed to within e in norm (``A.rmatvec_error``), D >= <c, alpha> - g(alpha) - (|u| + e)^2 /
(2 lam) at that point.

So ``primal`` >= J(w, biases) >= min J >= ``dual`` as real numbers, for the floats as stored. ``slack`` says how much of
the gap is due to rounding. Where that is more than a tenth of the gap, and than 1e-13 of J, the products are computed
again: A' alpha with a bound that follows its partial sums (``A.running_rmatvec``), and, where that does not do, both in
twice the precision. docs/certificates.md has the theorem with its constants.
"""

from pragam.certificate.judge import RESOLVED, SHARE, certificate_of, certify
from pragam.certificate.lower import Lower
from pragam.certificate.proof import Certificate
from pragam.certificate.together import bounds_together
from pragam.certificate.upper import Upper

__all__ = ["RESOLVED", "SHARE", "Certificate", "Lower", "Upper", "bounds_together", "certificate_of", "certify"]
