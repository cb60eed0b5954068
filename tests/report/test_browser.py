"""The page in a real Chromium: what the reader clicks, sees and hears. Needs playwright and a browser.

The browser is that of the environment variable PRAGAM_CHROMIUM, else one on the PATH.
"""

from __future__ import annotations

import os
import shutil

import pytest

from pragam.report import write_page
from report import experiments

pytest.importorskip("vl_convert", reason="the extra report is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell")
BROWSER = os.environ.get("PRAGAM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium: set PRAGAM_CHROMIUM to one")

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 320, "height": 700}
#: Milliseconds from a click until the frame after it is painted.
CLICK = """(selector) => new Promise((done) => {
    const begin = performance.now();
    document.querySelector(selector).click();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
})"""
CURVES = "(k) => [...document.querySelectorAll(`.s${k}_marks`)].map((one) => getComputedStyle(one).display)"
#: Whether a chart has been drawn against iterations.
SWITCHED = "[...document.querySelectorAll('.role-axis-title')].some((one) => one.textContent === 'iterations')"
#: The least contrast of the text of all elements with the background that it stands on.
CONTRAST = """() => {
    const part = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
    const behind = (one) => {
        for (; one; one = one.parentElement) {
            const c = rgb(getComputedStyle(one).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c;
        }
        return [255, 255, 255];
    };
    const words = [...document.querySelectorAll("body *")].filter((one) =>
        [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && one.getClientRects().length
        && !one.closest("script, style, .hidden, .skip"));
    return words.map((one) => {
        const style = getComputedStyle(one), ink = one.closest("svg") ? style.fill : style.color;
        const [low, high] = [light(rgb(ink)), light(behind(one))].sort((a, b) => a - b);
        return { contrast: (high + 0.05) / (low + 0.05), tag: one.tagName, text: one.textContent.slice(0, 30) };
    }).reduce((a, b) => (b.contrast < a.contrast ? b : a));
}"""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The page of the two small sets."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_page(experiments.tuned(), path)
    return path.as_uri()


@pytest.fixture
def opened(browser):
    """Opens a page and, at the end, finds neither an error nor a request."""
    contexts, trouble = [], []

    def open_(address, **how):
        context = browser.new_context(**{"viewport": WIDE} | how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url) if request.url != address else None)
        page.goto(address)
        page.wait_for_selector(".plot svg")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def render_all(page, count):
    """Scroll through the page, so that all charts are drawn."""
    for k in range(count):
        page.locator(".plot").nth(k).scroll_into_view_if_needed()
        page.locator(".plot").nth(k).locator("svg").wait_for()


def labels(page):
    """The numbers on the axes of the first chart."""
    return page.locator(".plot").first.locator(".role-axis-label text").all_text_contents()


def titles(page):
    return set(page.locator(".plot .role-axis-title text").all_text_contents())


def test_a_toggle_hides_and_shows_a_solver_in_all_charts(opened, address):
    page = opened(address)
    render_all(page, 9)
    button = page.locator('.solver[data-solver="0"]')
    assert page.evaluate(CURVES, 0) == ["inline"] * 8
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.evaluate(CURVES, 0) == ["none"] * 8 and page.evaluate(CURVES, 1) == ["inline"] * 8
    button.click()
    assert button.get_attribute("aria-pressed") == "true" and page.evaluate(CURVES, 0) == ["inline"] * 8
    page.locator("#none").click()
    assert page.evaluate(CURVES, 2) == ["none"] * 8
    assert page.locator('.solver[aria-pressed="true"]').count() == 0
    page.locator("#all").click()
    assert page.evaluate(CURVES, 2) == ["inline"] * 8


def test_a_chart_that_is_drawn_later_obeys_the_toggles(opened, address):
    page = opened(address)
    page.locator('.solver[data-solver="0"]').click()
    render_all(page, 9)
    assert page.evaluate(CURVES, 0) == ["none"] * 8


def test_the_switch_changes_the_axis_of_all_charts(opened, address):
    page = opened(address)
    before = labels(page)
    assert "seconds" in titles(page)
    page.locator('button[data-axis="iterations"]').click()
    page.wait_for_function(SWITCHED)
    render_all(page, 9)
    assert "iterations" in titles(page) and "seconds" not in titles(page)
    assert page.locator('button[data-axis="seconds"]').get_attribute("aria-pressed") == "false"
    assert labels(page) != before


def test_values_under_the_pointer(opened, address):
    page = opened(address)
    page.locator(".plot").first.hover(position={"x": 250, "y": 80})
    reading = page.locator("#reading")
    assert reading.is_visible() and "dcd" in reading.inner_text() and " s" in reading.inner_text()
    page.locator('.solver[data-solver="0"]').evaluate("(one) => one.click()")
    page.locator(".plot").first.hover(position={"x": 260, "y": 80})
    assert "dcd" not in reading.inner_text()
    page.mouse.move(2, 2)
    assert not reading.is_visible()


def test_values_with_the_keyboard_are_spoken(opened, address):
    page = opened(address)
    page.locator(".plot").first.focus()
    page.keyboard.press("End")
    assert "dcd" in page.locator("[aria-live]").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#reading").is_visible()


def test_the_order_of_the_keyboard(opened, address):
    """Skip link, theme, contents, then the controls, then the charts; the focus is always visible."""
    page = opened(address)
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("""() => {
            const one = document.activeElement, style = getComputedStyle(one);
            return { what: one.id || one.classList[0] || one.dataset.axis || one.tagName.toLowerCase(),
                     outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
        }""")
        )
        if seen[-1]["what"] == "plot":
            break
    what = [one["what"] for one in seen]
    assert what[:3] == ["skip", "theme", "a"] and what[-1] == "plot"
    assert what.index("iterations") < what.index("solver") < what.index("all") < what.index("plot")
    assert what.count("solver") == len(experiments.tuned().solvers)
    assert all(one["outline"] for one in seen)
    page.locator(".solver").first.focus()
    page.keyboard.press("Space")
    assert page.locator(".solver").first.get_attribute("aria-pressed") == "false"


def test_the_data_table_opens_on_demand(opened, address):
    page = opened(address)
    assert page.locator(".points table").count() == 0
    page.locator(".points summary").first.click()
    table = page.locator(".points table").first
    table.wait_for()
    assert table.locator("thead th").all_inner_texts() == ["solver", "iterations", "seconds", "value"]
    assert table.locator("tbody tr").count() == 600


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(opened, address, scheme):
    page = opened(address, color_scheme=scheme)
    page.locator(".solver").first.click()
    worst = page.evaluate(CONTRAST)
    assert worst["contrast"] >= 4.5, worst


def test_the_theme_follows_the_system_until_it_is_switched(opened, address):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page = opened(address, color_scheme="dark")
    dark, line = paper(page), page.locator(".s0_marks path").first
    drawn = line.evaluate("(one) => getComputedStyle(one).stroke")
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    page.locator("#theme").click()
    assert paper(page) == "rgb(255, 255, 255)" != dark
    assert line.evaluate("(one) => getComputedStyle(one).stroke") != drawn
    page.locator("#theme").click()
    assert paper(page) == dark


def test_a_phone_has_no_sideways_scrolling(opened, address):
    page = opened(address, viewport=PHONE, has_touch=True)
    page.locator("#controls summary").click()
    render_all(page, 9)
    page.locator(".points summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    widest = page.evaluate("""Math.max(...[...document.querySelectorAll("body *")]
        .filter((one) => !one.closest(".scroller, .skip, .hidden")).map((one) => one.getBoundingClientRect().right))""")
    assert widest <= 320


def test_hostile_names_run_nothing(opened, tmp_path):
    write_page(experiments.hostile(), tmp_path / "page.html")
    page = opened((tmp_path / "page.html").as_uri())
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.locator(".plot").first.hover(position={"x": 250, "y": 80})
    page.locator(".points summary").first.click()
    assert experiments.HOSTILE in page.locator("#reading").inner_text()


@pytest.mark.parametrize(
    "name", ["single point", "at zero", "without clock", "all failed", "not proved", "without reference"]
)
def test_difficult_experiments_draw_without_complaint(name, opened, tmp_path):
    write_page(experiments.ALL[name](), tmp_path / "page.html")
    page = opened((tmp_path / "page.html").as_uri())
    page.locator('button[data-axis="iterations"]').click()
    page.wait_for_function(SWITCHED)
    if name == "not proved":
        assert page.locator(".s0i_marks path").first.get_attribute("d")


def test_nine_sets_of_ten_solvers(opened, tmp_path, capsys):
    """Measured, not judged: a busy machine is no mistake of the page."""
    path = tmp_path / "page.html"
    write_page(experiments.nine_by_ten(), path)
    page = opened(path.as_uri())
    render_all(page, 36)
    assert page.evaluate(CURVES, 3) == ["inline"] * 36
    times = sorted(page.evaluate(CLICK, '.solver[data-solver="3"]') for _ in range(9))
    assert page.evaluate(CURVES, 3) == ["none"] * 36
    switch = page.evaluate(CLICK, 'button[data-axis="iterations"]')
    size = path.stat().st_size / 1e6
    with capsys.disabled():
        print(f"\n{size:.1f} MB; toggle {times[4]:.0f} ms, at worst {times[-1]:.0f} ms; axis switch {switch:.0f} ms")
