"""Audit any model: how good is the LinearSVC, the SVC or the SGDClassifier at hand?

Each of them claims to minimise an objective. ``pragam.audit`` says which one, proves between which bounds the distance
to its minimum lies, and counts the predictions that the exact optimum would make too, or would not. The models are
scikit-learn's own, neither changed nor trained again. The data are breast-cancer, 569 x 30, at a poor scale and
standardised.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import pragam

X, y = pragam.datasets.load_example()
raw = 100 * X  # a poor scale, as data often have
models = {
    "LinearSVC(loss='hinge')": LinearSVC(loss="hinge", random_state=0),
    "StandardScaler, LinearSVC(loss='hinge')": make_pipeline(StandardScaler(), LinearSVC(loss="hinge", random_state=0)),
    "LinearSVC(dual=False)": LinearSVC(dual=False),
    "StandardScaler, SVC(kernel='linear')": make_pipeline(StandardScaler(), SVC(kernel="linear")),
    "StandardScaler, SGDClassifier()": make_pipeline(StandardScaler(), SGDClassifier(random_state=0)),
}

print(f"{'':42}{'above the minimum by':>22}{'same prediction':>17}{'another':>9}{'open':>6}")
for name, model in models.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(raw, y)
    audit = pragam.audit(model, raw, y)
    agree, differ, undecided = audit.predictions
    print(f"{name:42}{audit.relative.upper:>22.2e}{agree:>17}{differ:>9}{undecided:>6}")
print(f"\n{audit!r}")
