r"""A second opinion in rational arithmetic: J and D of every risk of rows, with no rounding at all.

::

    judge(risk, X, y, w, biases, alpha, weights=None, progress=None, factor=None, mean=None)
        -> Judged(primal, dual, moved)

``risk`` is a dict with the name, lam and the parameters of ONE problem; one class against the rest is the caller's
loop. f_i = <x_i, w> + b, and (1/n) sum_i weight_i loss_i is added to lam/2 |w|^2:

===================  ======================  =====================  ======================================
name                 parameters              y                      loss_i
===================  ======================  =====================  ======================================
hinge                bias                    -1 or +1               [1 - y_i f_i]_+
squared_hinge        bias                    -1 or +1               [1 - y_i f_i]_+^2
smoothed_hinge       bias, gamma             -1 or +1               h(1 - y_i f_i)
epsilon_insensitive  bias, epsilon           numbers                [abs(y_i - f_i) - epsilon]_+
quantile             bias, q                 numbers                max(q r_i, (q - 1) r_i), r_i = y_i - f_i
ordinal_hinge        n_levels, thresholds    levels 0 .. K-1        sum_k [1 - t_ik f_ik]_+
multiclass_hinge     bias, n_classes, cost   classes 0 .. K-1       max_k cost[y_i, k] + f_ik - f_iy_i
multilabel_hinge     bias                    (n, K) zeros and ones  [1 + max wrong f_ik - min right f_ik]_+
===================  ======================  =====================  ======================================

X is a dense (n, d) array or the tuple (data, indices, indptr) of a CSR matrix. ``w`` has d numbers, or K d; ``biases``
is empty or has one number, K, or one for each threshold. ``alpha`` has the dual variables in the order of the rows, in
the scaling weight_i / n. ``weights`` are the sample weights, 1 unless given. ``cost`` may be None: 1 off the diagonal.
With a ``factor`` for each column, and perhaps a ``mean``, x_ij stands for (x_ij - mean_j) factor_j.

Every float is m 2^e with integers m and e, so both values are fractions; Python's integers hold them whatever their
size. Rounding may have left alpha outside its set: it is moved in integers, and D is that of the point moved. What is
no problem (lam <= 0, a negative weight, a wrong size) or no dual point (NaN, or farther outside than rounding explains)
is refused by a ValueError of one line.

The code shares nothing with the rest of the package: no kernel, operator, set or certificate. It is slow, about a
million entries of X a second, and short, so that it can be checked by reading: ``numbers``, ``rows``, ``sets``,
``form``, ``planes``, ``risks``, ``judge``.
"""

from pragam.certificate.exact.judge import Judged, judge
from pragam.certificate.exact.numbers import rounded_down, rounded_up
from pragam.certificate.exact.risks import RISKS

__all__ = ["RISKS", "Judged", "judge", "rounded_down", "rounded_up"]
