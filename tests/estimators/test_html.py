"""The HTML of a fitted estimator shows its certificate, escaped, and only if scikit-learn shows HTML at all."""

from __future__ import annotations

import re
from html import unescape

import pytest
from sklearn import config_context
from svc_data import make_data

from pragam import LinearSVC
from pragam.estimators.html import certificate_table


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_certificate_is_below_the_diagram(n_classes):
    X, y, _, C = make_data(0, n_classes)
    model = LinearSVC(C).fit(X, y)
    html = model._repr_mimebundle_()["text/html"]
    assert html.count("pragam-certificate") == 1 and "pragam-certificate" in model._repr_html_()
    cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", certificate_table(model))]
    proof = model.certificate_
    assert cells[0] == f"{proof.relative_gap:.2e} (tol=0.0001)"
    assert float(cells[1]) == pytest.approx(proof.primal, rel=1e-9)
    assert float(cells[2]) == pytest.approx(proof.dual, rel=1e-9)
    assert cells[3] == str(model.status_)
    assert html.endswith(certificate_table(model))


def test_there_is_none_before_fit_and_none_as_text():
    X, y, _, _ = make_data(0)
    assert "pragam-certificate" not in LinearSVC()._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        model = LinearSVC().fit(X, y)
        assert set(model._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(model, "_repr_html_")


def test_what_is_shown_is_escaped():
    X, y, _, _ = make_data(0)
    model = LinearSVC().fit(X, y)
    model.status_ = "<script>alert('&')</script>"
    assert "<script>" not in certificate_table(model) and "&lt;script&gt;" in certificate_table(model)
