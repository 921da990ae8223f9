"""Pages use the fonts of the site, without layout shift."""

import time
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from tests.browser.conftest import Site, strict_context
from tests.browser.host import CompressingHandler, serve_folder
from tests.command import skip_without
from tests.sample import sample

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
CHAPTER = "kismet/core-rules/proficiency/index.html"
PAGES = (
    "index.html",
    "glossary/index.html",
    CHAPTER,
    "kismet/condition/prone/index.html",
    "kismet/boards/weavers-screen/index.html",
    "kismet/print/cards/index.html",
)
FONT_DELAY = 0.6
"""Seconds that a slow host takes to send a font, which is longer than a page waits."""

SHOWN = "document.documentElement.dataset.fonts !== 'loading'"
SHOW_LOADED_FONTS = "document.documentElement.dataset.fonts = 'ready', document.fonts.ready.then(() => true)"
"""Shows a page in the fonts of the site, even if a busy machine loaded them late."""
LAYOUT_SHIFTS = """() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().map(({value, sources}) =>
        [value, sources.map(({node}) => (node?.outerHTML ?? node?.data ?? "").slice(0, 80))])))
      .observe({type: "layout-shift", buffered: true});
    setTimeout(done, 300, []);
  })"""
WIDTH = """async ([family, weight, style]) => {
    const line = document.createElement("p");
    line.style = "position: absolute; white-space: nowrap; font-kerning: normal";
    Object.assign(line.style, {fontFamily: family, fontWeight: weight, fontStyle: style, fontSize: "200px"});
    line.textContent = [...document.querySelectorAll(".text p")].slice(3, 60).map((node) => node.textContent).join(" ");
    document.body.append(line);
    line.getBoundingClientRect();
    await document.fonts.ready;
    const {width} = line.getBoundingClientRect();
    line.remove();
    return width;
  }"""


class Slow(CompressingHandler):
    def do_GET(self) -> None:  # noqa: N802 -- the name that http.server calls
        if self.path.endswith(".woff2"):
            time.sleep(FONT_DELAY)
        super().do_GET()


@pytest.fixture(scope="module")
def slow(site: Site) -> Iterator[str]:
    with serve_folder(site.folder, host=Slow) as address:
        yield address


def faces(page: Page, selector: str) -> set[str]:
    """Families of the fonts that the browser used for the text of an element."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    assert all(font["isCustomFont"] for font in fonts), fonts
    return {font["familyName"] for font in fonts}


@pytest.mark.parametrize("path", PAGES)
def test_page_uses_the_fonts_of_the_site(page: Page, root: str, path: str) -> None:
    page.goto(root + path)
    assert page.evaluate(SHOW_LOADED_FONTS)
    assert faces(page, "h1") == {"Almanac Sans"}
    loaded = page.evaluate("[...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family)")
    assert {"Almanac Text", "Almanac Sans"} <= set(loaded)


def test_text_and_labels_have_different_fonts_and_easy_to_read_has_one(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/prone/index.html")
    assert page.evaluate(SHOW_LOADED_FONTS)
    assert faces(page, ".text p") == {"Almanac Text"}
    assert faces(page, ".card-kind") == {"Almanac Sans"}
    page.evaluate("kismet.choose('face', 'easy')")
    assert page.evaluate(SHOW_LOADED_FONTS)
    assert faces(page, ".text p") == {"Almanac Sans"}


@pytest.mark.parametrize(
    "path", ["kismet/boards/weavers-screen/", "kismet/print/cards/", "kismet/condition/prone/", "legend/print/"]
)
def test_printed_page_uses_the_fonts_of_the_site(page: Page, root: str, path: str) -> None:
    page.goto(root + path + "index.html")
    page.emulate_media(media="print")
    page.evaluate("document.documentElement.getBoundingClientRect(), document.fonts.ready.then(() => 0)")
    used = set()
    for sheet in PdfReader(BytesIO(page.pdf())).pages:
        resources: Any = sheet["/Resources"]
        used |= {font.get_object()["/BaseFont"].partition("+")[2] for font in resources["/Font"].values()}
    assert {"AlmanacSans-Regular", "AlmanacSans-SemiBold", "AlmanacText-Regular"} <= used
    # Symbols and code use system fonts.
    assert not {name for name in used if "Serif" in name}


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desk"])
@pytest.mark.parametrize("path", sample(PAGES, 3))
def test_delayed_fonts_cause_no_layout_shift(
    browser: Browser, slow: str, path: str, options: dict[str, object]
) -> None:
    with strict_context(browser, **options) as context:
        page = context.new_page()
        page.goto(slow + path)
        page.evaluate("document.fonts.ready.then(() => 0)")
        page.wait_for_timeout(100)
        moved = page.evaluate(LAYOUT_SHIFTS)
        assert sum(value for value, _ in moved) < 0.001, moved
        assert page.evaluate("document.documentElement.dataset.fonts") is None


def test_next_page_uses_the_cached_fonts_after_a_delayed_load(page: Page, slow: str) -> None:
    page.goto(slow + CHAPTER)
    page.evaluate("document.fonts.ready.then(() => 0)")
    page.goto(slow + "kismet/condition/prone/index.html")
    page.wait_for_function(SHOWN)
    assert page.evaluate("document.documentElement.dataset.fonts") == "ready"
    assert faces(page, "h1") == {"Almanac Sans"}


def test_page_is_shown_if_its_fonts_are_missing(browser: Browser, site: Site) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/*.woff2", lambda route: route.abort())
    page.goto(site.served + CHAPTER)
    page.wait_for_function(SHOWN)
    assert page.locator("h1").is_visible()
    context.close()


def test_page_uses_the_fonts_without_scripts(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.local + "kismet/condition/prone/index.html")
        page.wait_for_timeout(300)
        assert faces(page, ".text p") == {"Almanac Text"}


@pytest.mark.parametrize(("weight", "style"), [(400, "normal"), (400, "italic"), (700, "normal")])
@pytest.mark.parametrize("family", ["Almanac Text", "Almanac Sans"])
def test_fallback_fonts_have_the_width_of_the_site_fonts(
    page: Page, site: Site, family: str, weight: int, style: str
) -> None:
    page.goto(site.served + CHAPTER)
    ours = page.evaluate(WIDTH, [f"'{family}'", weight, style])
    name = "--text-fallback" if family == "Almanac Text" else "--fallback"
    families = page.evaluate("name => getComputedStyle(document.documentElement).getPropertyValue(name)", name)
    adjusted = ", ".join(family for family in families.split(",") if " by " in family)
    last = page.evaluate(WIDTH, ["monospace", weight, style])
    if page.evaluate(WIDTH, [f"{adjusted}, monospace", weight, style]) == last:
        skip_without(f"a font that {name} adjusts")
    theirs = page.evaluate(WIDTH, [f"var({name})", weight, style])
    assert theirs != ours
    assert theirs == pytest.approx(ours, rel=0.02)
