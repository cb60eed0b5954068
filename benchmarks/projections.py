"""How many bare write passes does a projection on box and plane cost?

The dual of a biased hinge: alpha in [0, 1/n]^n, sum y_i alpha_i = 0, from a point whose rows lie inside and
outside the box. Printed: best time of each method over the best time of np.copyto, on the same vector.

    python benchmarks/projections.py [n ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from pragam.polytopes import project_box_plane


def best_seconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def ratios(n: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    m = rng.normal(0.4, 1.0, n) / n
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)

    def project(method: str, start: float | None = None) -> tuple[np.ndarray, float]:
        return project_box_plane(m, 0.0, 1.0 / n, y, 0.0, method=method, start=start, return_multiplier=True)

    out = np.empty(n)
    bare = best_seconds(lambda: np.copyto(out, m), 20)
    near = project("newton")[1] * (1 + 1e-3)
    calls = {
        "newton, cold": (lambda: project("newton"), 7),
        "newton, warm": (lambda: project("newton", near), 7),
        "median": (lambda: project("median"), 1 if n > 10**6 else 3),
        "sort": (lambda: project("sort"), 1 if n > 10**6 else 3),
    }
    return {name: best_seconds(call, repeats) / bare for name, (call, repeats) in calls.items()}


def main(sizes: list[int]) -> None:
    for i, n in enumerate(sizes):
        row = ratios(n)
        if i == 0:
            print("n".rjust(10), *(name.rjust(14) for name in row))
        print(str(n).rjust(10), *(f"{ratio:.1f}".rjust(14) for ratio in row.values()), flush=True)


if __name__ == "__main__":
    main([int(float(arg)) for arg in sys.argv[1:]] or [10**5, 10**6, 10**7])
