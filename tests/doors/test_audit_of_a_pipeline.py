"""An audit of a Pipeline: its last step is judged on what the steps before make of X. From docs/auditing.md."""

from __future__ import annotations

import pragam
from printed import needs_docs, run_python, taken

SCRIPT = """\
import pragam
from sklearn.svm import LinearSVC
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

texts = ["a red apple", "a green apple", "the red car", "a green car", "apple pie", "the old car"]
fruit = [1, 1, 0, 0, 1, 0]
pipeline = make_pipeline(TfidfVectorizer(), LinearSVC(dual=False)).fit(texts, fruit)
assert pragam.audit(pipeline, texts, fruit, tol=1e-3).within
"""


@needs_docs
def test_the_audit_of_a_pipeline_is_that_of_its_last_step():
    names = run_python(taken(SCRIPT, "auditing.md"))
    pipeline, texts, fruit = (names[name] for name in ("pipeline", "texts", "fruit"))
    whole = pragam.audit(pipeline, texts, fruit, tol=1e-3)
    last = pragam.audit(pipeline[-1], pipeline[:-1].transform(texts), fruit, tol=1e-3)
    assert whole.relative == last.relative and whole.relative.upper <= 1e-3
    assert whole.predictions.agree == last.predictions.agree
