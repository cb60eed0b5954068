"""An intercept that is not penalised: three linear SVMs, on the data as given and on the data moved by 100.

Suppose that a constant is added to every column of X. The intercept can undo the effect on every margin. So the weights
of a linear SVM should stay the same, and only its intercept should change. LinearSVC appends a column of ones and
penalises its weight, so for LinearSVC the moved data are another problem. SVC(kernel="linear") solves the right
problem, in time quadratic in n.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import pragam

C = 0.1
X, y = pragam.datasets.load_example()


def objective(model, X: np.ndarray) -> float:
    """1/2 |w|^2 + C sum_i [1 - y_i (<x_i, w> + b)]_+ with the model's own w and b."""
    w, b = np.asarray(model.coef_).ravel(), float(np.ravel(model.intercept_)[0])
    return 0.5 * w @ w + C * np.maximum(0, 1 - y * (X @ w + b)).sum()


models = {
    "scikit-learn LinearSVC": LinearSVC(loss="hinge", C=C, max_iter=20_000, random_state=0),
    'scikit-learn SVC(kernel="linear")': SVC(kernel="linear", C=C, tol=1e-6),
    "pragam LinearSVC": pragam.LinearSVC(C=C, tol=1e-8),
}
print(f"{'':36}{'objective, data as given':>26}{'moved by 100':>16}{'change of w':>14}")
for name, model in models.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        values, weights = [], []
        for data in (X, X + 100):
            model.fit(data, y)
            values.append(objective(model, data))
            weights.append(np.array(model.coef_).ravel())
    change = np.linalg.norm(weights[1] - weights[0]) / np.linalg.norm(weights[0])
    print(f"{name:36}{values[0]:>26.6f}{values[1]:>16.6f}{change:>14.1e}")

certificate = models["pragam LinearSVC"].certificate_
print(f"\npragam's certified relative gap on the moved data: {certificate.relative_gap:.1e}")
