"""Choose lambda by validation: a path of certified models, the best one, and the simplest one that is as good."""

import numpy as np

import pragam
from pragam.selection import tune

X, y = pragam.datasets.load_example()

# The paper's grid, 2^-20 to 2^0. A fifth of the rows of each class is left out to validate on.
found = tune(X, y, share=0.2, seed=0)
print("      lam   accuracy         gap")
for k in range(0, len(found.lam), 4):
    print(f"{found.lam[k]:9.2e}   {100 * found.accuracy[k]:.1f} +- {100 * found.error[k]:.1f}   {found.gap[k]:.0e}")
print(f"best lam {found.best:g}; the largest lam within one standard error of it {found.simplest:g}")
assert found.converged  # every model of the path has its proof

# The path itself: from the largest lam to the smallest, each from its neighbour's solution, in the order asked for.
lams = [1e-4, 1e-2, 1.0]
results = pragam.path(pragam.hinge(X, y), lams, tol=1e-8)
lengths = [float(np.linalg.norm(result.w)) for result in results]
print("|w| at", lams, "is", [round(length, 3) for length in lengths])
assert lengths == sorted(lengths, reverse=True)  # a larger lam means shorter weights

# On all rows at the lam chosen. C = 1/(n lam) depends on the number of rows, lam does not.
model = pragam.LinearSVC(C=1 / (len(y) * found.best)).fit(X, y)
print(f"relative gap {model.certificate_.relative_gap:.1e}, {model.support_.size} support vectors")
