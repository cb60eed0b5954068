"""What a notebook shows of a fitted estimator: scikit-learn's diagram, and below it the certificate."""

from __future__ import annotations

from html import escape
from typing import Any

from pragam.estimators.advice import asked


class CertificateHTML:
    """A mixin before ``BaseEstimator``. ``sklearn.set_config(display="text")`` turns all HTML off, as for others.

    Both methods exist since scikit-learn 1.6 at least; notebooks ask for the second, other viewers for the first.
    """

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + certificate_table(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += certificate_table(self)
        return bundle


def certificate_table(model: Any) -> str:
    """The certificate of a fitted model as an HTML table; empty before fit."""
    if not hasattr(model, "certificate_"):
        return ""
    proof, n = model.certificate_, len(model.certificates_)
    rows = [
        ("Relative gap", f"{proof.relative_gap:.2e} ({asked(model)})"),
        ("J, the objective", f"{proof.primal:.10g}"),
        ("D, a bound from below", f"{proof.dual:.10g}"),
        ("Status", str(model.status_)),
    ]
    title = "Certificate" if n == 1 else f"Certificate of the sum of {n} problems"
    cell = "style='text-align:left;padding:0.1em 0.8em 0.1em 0'"
    body = "".join(
        f"<tr><th scope='row' {cell}>{escape(name)}</th><td {cell}>{escape(value)}</td></tr>" for name, value in rows
    )
    caption = f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>"
    return f"<table class='pragam-certificate'>{caption}<tbody>{body}</tbody></table>"
