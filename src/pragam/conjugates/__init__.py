"""The conjugate term g of a risk: what the maximum over Q pays for alpha.

::

    R(w) = max over alpha in Q of <alpha, A w + c> - g(alpha)

A conjugate knows which of Q's oracles is its own, so that neither asks for the other's class. Piecewise linear risks
have none (:class:`Zero`), smoothed ones a quadratic (:class:`Quadratic`).
"""

from pragam.conjugates.base import Conjugate
from pragam.conjugates.quadratic import Quadratic
from pragam.conjugates.zero import Zero

__all__ = ["Conjugate", "Quadratic", "Zero"]
