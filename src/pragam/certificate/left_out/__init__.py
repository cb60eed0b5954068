r"""Where a row's own score is once that row is left out: for every optimum of the problem without it.

    J_i(w, b) = J(w, b) - h_i(s_i),    s_i = 1 - y_i (<x_i, w> + b),    alpha_i = 0 in the dual

lam and the weights of the other rows stay. Two proofs need no solve: what the optima of the whole problem say
(:mod:`pragam.certificate.left_out.removal`), and a certified pair that is moved off the row
(:mod:`pragam.certificate.left_out.span`).
"""

from pragam.certificate.left_out.margins import MarginProblem, has_margins, without_row
from pragam.certificate.left_out.removal import after_removal
from pragam.certificate.left_out.span import Span

__all__ = ["MarginProblem", "Span", "after_removal", "has_margins", "without_row"]
