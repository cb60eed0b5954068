"""Ordinal levels from strings, and sets of labels. From docs/estimators.md."""

from __future__ import annotations

import numpy as np

from printed import needs_docs, run_python, taken

DATA = """\
import numpy as np
import pragam
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 4))
"""
LEVELS = """\
score = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.standard_normal(200)
y = np.digitize(score, [-1, 1])  # three classes
levels = np.array(["low", "middle", "high"])[y]
ordinal = pragam.OrdinalSVC(order=["low", "middle", "high"]).fit(X, levels)
print(ordinal.thresholds_, ordinal.score(X, levels))
"""
LABEL_SETS = """\
names = [[name for name, x in zip(("art", "law", "sport"), row) if x > 0] for row in X]
named = pragam.MultilabelSVC(C=1.0).fit(X, names)
print(named.classes_, named.predict_sets(X[:3]))
"""


@needs_docs
def test_levels_keep_their_order():
    """A level is predicted for the scores between two thresholds, which rise in the order that was given."""
    names = run_python(taken(DATA + LEVELS, "estimators.md"))
    ordinal, X, levels = names["ordinal"], names["X"], names["levels"]
    assert ordinal.classes_.tolist() == ["low", "middle", "high"] and (np.diff(ordinal.thresholds_) > 0).all()
    at = np.searchsorted(ordinal.thresholds_, X @ ordinal.coef_.ravel())
    assert (ordinal.predict(X) == ordinal.classes_[at]).all()
    assert ordinal.score(X, levels) > max(np.mean(levels == level) for level in ordinal.classes_)


@needs_docs
def test_label_sets_come_back_as_sets():
    names = run_python(taken(DATA + LABEL_SETS, "estimators.md"))
    named, X, given = names["named"], names["X"], names["names"]
    assert named.classes_.tolist() == ["art", "law", "sport"]
    sets = named.predict_sets(X)
    above = named.decision_function(X) > named.cut_
    assert [set(own) for own in sets] == [set(named.classes_[row]) for row in above]
    assert np.mean([(label in own) == (label in true) for own, true in zip(sets, given, strict=True)
                    for label in named.classes_]) > 0.75  # fmt: skip
