"""The page as a document: structure, no addresses, and nothing that a name can break."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

import pragam.report.page as page_module
from pragam.report import Picture, Section, Table, write_page
from report import experiments

pytest.importorskip("vl_convert", reason="the extra report is not installed")

#: A section that somebody hands over.
GIVEN = Section("more", "More of it", [Table("T", ["name", "holds"], [["a < b", "yes"]], answer=1)])
VOID = {"meta", "img", "link", "input", "br", "hr"}


class Document(HTMLParser):
    """Elements with their attributes and text, and whether all are closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[SimpleNamespace] = []
        self._open: list[SimpleNamespace] = []
        self.feed(source)
        self.close()
        assert not self._open, f"not closed: {[one.tag for one in self._open]}"

    def handle_starttag(self, tag, attributes):
        element = SimpleNamespace(
            tag=tag, text="", parents=[one.tag for one in self._open], attributes=dict(attributes)
        )
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self._open.pop().tag == tag

    def handle_data(self, data):
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[SimpleNamespace]:
        """The elements with these attributes; class_ is class, http_equiv is http-equiv."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [one for one in self.elements if one.tag == tag and wanted.items() <= one.attributes.items()]


@pytest.fixture
def light(monkeypatch):
    """Without Vega's own script, which takes seconds to bundle and is not ours to test."""
    monkeypatch.setattr(page_module, "_bundle", lambda: "")


def written(experiment, folder, **more) -> tuple[str, Document]:
    path = folder / "page.html"
    write_page(experiment, path, **more)
    source = path.read_text(encoding="utf-8")
    return source, Document(source)


@pytest.mark.parametrize("name", experiments.ALL)
def test_every_difficulty_is_a_sound_document(name, tmp_path, light):
    experiment = experiments.ALL[name]()
    _, document = written(experiment, tmp_path)
    ids = Counter(one.attributes["id"] for one in document.elements if "id" in one.attributes)
    assert max(ids.values()) == 1
    links = {one.attributes["href"] for one in document.all("a")}
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    named = {one.attributes["aria-labelledby"] for one in document.elements if "aria-labelledby" in one.attributes}
    assert named <= set(ids)
    assert len(document.all("div", class_="plot")) == 4 * len(experiment.data) + len(experiment.tuning)
    for script in document.all("script", type="application/json"):
        json.loads(script.text)


def test_landmarks_headings_and_labels(tmp_path, light):
    _, document = written(experiments.tuned(), tmp_path)
    assert [len(document.all(tag)) for tag in ("header", "nav", "main", "h1")] == [1, 1, 1, 1]
    assert document.all("html")[0].attributes["lang"] == "en" and document.all("title")[0].text
    headings = [one.tag for one in document.elements if one.tag in ("h1", "h2", "h3")]
    assert headings[0] == "h1" and set(headings[1:]) == {"h2"}
    buttons = document.all("button")
    assert all(one.text.strip() for one in buttons)
    solvers = [one for one in buttons if one.attributes.get("class") == "solver"]
    assert [one.text.split()[0] for one in solvers] == experiments.tuned().solvers
    assert all(one.attributes["aria-pressed"] == "true" for one in solvers)
    for plot in document.all("div", class_="plot"):
        assert plot.attributes["role"] == "img" and plot.attributes["tabindex"] == "0" and plot.attributes["aria-label"]
    for region in document.all("div", role="region"):
        assert region.attributes["aria-label"] and region.attributes["tabindex"] == "0"


def test_tables_have_captions_and_scopes(tmp_path, light):
    _, document = written(experiments.small(), tmp_path, sections=[GIVEN])
    assert len(document.all("table")) == len(document.all("caption")) >= 8
    assert all(one.attributes.get("scope") in ("row", "col") and one.text for one in document.all("th"))
    assert document.all("td", class_="yes")


def test_a_section_of_the_callers_is_shown_and_linked(tmp_path, light):
    _, document = written(experiments.small(), tmp_path, sections=[GIVEN])
    (shown,) = document.all("section", id="more")
    assert "More of it" in shown.text and "a < b" in shown.text
    assert [one.text for one in document.all("a", href="#more")] == ["More of it"]
    headings = [one.text for one in document.all("h2")]
    assert headings.index("Certificates") + 1 == headings.index("More of it") == headings.index("Failures") - 1


def test_the_controls_stay_with_their_charts(tmp_path, light):
    """What is sticky stays in view as long as its parent: the tables about all sets are outside."""
    source, document = written(experiments.small(), tmp_path)
    (measured,) = document.all("div", class_="measured")
    assert "Curves and axis" in measured.text and "Distance to the optimum" in measured.text
    assert "Reference optima" not in measured.text and source.index('id="controls"') < source.index('id="charts"')


def test_the_text_alternative_says_where_each_curve_ends(tmp_path, light):
    _, document = written(experiments.small(), tmp_path)
    said = document.all("div", class_="plot")[0].attributes["aria-label"]
    assert said.startswith("Distance to the optimum on one. dcd ends at ") and "after 200 iterations and 210 ms" in said
    assert "liblinear" in said and "snapml" not in said


def test_hostile_names_are_text(tmp_path, light):
    source, document = written(experiments.hostile(), tmp_path)
    assert "<script>alert" not in source and "alert(1)</script>" not in source
    assert Counter(one.tag for one in document.elements)["style"] == 1
    inside = [one for one in document.all("script") if "type" not in one.attributes]
    assert len(inside) == 2  # Vega's and ours
    assert any(one.text == experiments.HOSTILE for one in document.all("h2"))
    content = json.loads(document.all("script", id="content")[0].text)
    assert content["solvers"][0] == experiments.HOSTILE


def test_nothing_points_outside(tmp_path):
    """With Vega's script, in which addresses are text; the browser test sees that none is asked for."""
    source, document = written(experiments.small(), tmp_path)
    for element in document.elements:
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            assert element.attributes.get(name, "#").startswith(("#", "data:"))
    assert not document.all("link") and not document.all("iframe")
    style = document.all("style")[0].text
    assert "url(" not in style and "@import" not in style
    policy = document.all("meta", http_equiv="Content-Security-Policy")[0].attributes["content"]
    assert policy.startswith("default-src 'none';")
    ours = [one.text for one in document.all("script") if "vegaEmbed=" not in one.text.replace(" ", "")]
    assert all("http" not in text for text in ours)
    assert len(source) < 3_000_000


def test_times_are_in_the_page_with_and_without_the_charts(tmp_path, light):
    _, document = written(experiments.small(), tmp_path)
    captions = [one.text for one in document.all("caption")]
    assert any(caption.startswith("one: time to a relative error") for caption in captions)
    assert "JavaScript" in document.all("noscript")[0].text


def test_nine_sets_of_ten_solvers_are_thinned_for_the_screen(tmp_path, light):
    source, document = written(experiments.nine_by_ten(400), tmp_path)
    assert len(document.all("script", class_="columns")) == 36
    for script in document.all("script", class_="columns"):
        assert all(len(curve["value"]) <= 300 for curve in json.loads(script.text)["curves"])
    assert len(source) < 8_000_000


def test_pictures_are_inlined(tmp_path, light):
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(1, 1))
    _, document = written(
        experiments.EMPTY, tmp_path, sections=[Section("p", "P", pictures=[Picture("A <b> picture", figure)])]
    )
    (image,) = document.all("img")
    assert image.attributes["alt"] == "A <b> picture" and image.attributes["src"].startswith("data:image/png;base64,")


def test_a_page_that_fails_leaves_the_old_one(tmp_path, light, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("old")
    monkeypatch.setattr(page_module, "specifications", lambda experiment: {"bad": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        write_page(experiments.small(), path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
