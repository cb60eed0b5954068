r"""max of <s, t> - 1/2 t' K t  over a box, on planes N t = 0: the small problem of a merge, to rounding.

Active-set method: climb to the maximum over the face of the t between their bounds
(:func:`pragam.solvers.face.maximise_on_face`), then let in the t at a bound that the slope pulls off most, until none
is. The multipliers b of the planes come with it: at the maximum s - K t + N' b is 0 between the bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.solvers.face import maximise_on_face

#: This share of its curvature is added to each direction: two in nearly one direction would magnify their noise.
_RIDGE = 1e-10
#: A slope this small against the largest one is 0 between the bounds, as far as the rounding of the system tells.
_FLAT = 1e-9
#: The same at a bound, where it only has a sign.
_NOISE = 1e-13


class Maximum(NamedTuple):
    t: Vector
    b: Vector


def maximise_over_box(K: Vector, s: Vector, box: tuple[Vector, Vector], N: Vector, b: Vector) -> Maximum:
    """The maximum, from t = 0, which is in the box, and multipliers near the best.

    Directions along which nothing bends, as of rows of zeros, need a finite box.
    """
    t, lengths, width = np.zeros(len(s)), np.sqrt(np.maximum(K.diagonal(), 0.0)), box[1] - box[0]
    is_flat, meets = lengths == 0, N.any(axis=0)
    along = is_flat & ~meets & (s > 0) & np.isfinite(box[1])
    t[along] = box[1][along]
    used = np.flatnonzero((width > 0) & (~is_flat | (meets & np.isfinite(width))))
    if not used.size:
        return Maximum(t, b)
    unit = np.where(is_flat, 1.0 / np.where(width > 0, width, 1.0), lengths)[used]
    own, slopes = K[np.ix_(used, used)] / np.outer(unit, unit), s[used] / unit
    own[np.diag_indices(len(used))] += _RIDGE * np.where(is_flat[used], float(np.abs(slopes).max()), 1.0)
    scaled = _climb(own, slopes, (box[0][used] * unit, box[1][used] * unit), N[:, used] / unit, b)
    t[used] = scaled.t / unit
    return Maximum(t, scaled.b)


def _climb(K: Vector, s: Vector, box: tuple[Vector, Vector], N: Vector, b: Vector) -> Maximum:
    t, size = np.zeros(len(s)), float(np.abs(s).max())
    for _ in range(10 * len(s) + 10):
        slopes = s - K @ t + b @ N
        at_low, at_high = t <= box[0], t >= box[1]
        face = np.flatnonzero(~(at_low | at_high))
        if not (np.abs(slopes[face]) > _FLAT * size).any():
            pulled = np.where((at_low & (slopes > 0)) | (at_high & (slopes < 0)), np.abs(slopes), 0.0)
            entering = int(np.argmax(pulled))
            if pulled[entering] <= _NOISE * size:
                break
            face = np.append(face, entering)
        found = maximise_on_face(
            K[np.ix_(face, face)], slopes[face], t[face], box[0][face], box[1][face], N[:, face], np.zeros(len(N))
        )
        moved = t.copy()
        moved[face] = found.alpha
        b = b + found.shift
        if _value(K, s, moved) < _value(K, s, t):
            break
        t = moved
    return Maximum(t, b)


def _value(K: Vector, s: Vector, t: Vector) -> float:
    return float(s @ t - 0.5 * t @ (K @ t))
