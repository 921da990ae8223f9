"""Limits for all pages: weight, accessibility, Lighthouse scores and valid HTML."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from kismet_build.render.pages.layout import STYLE_SHEET
from tests.browser.conftest import Site, chromium, strict_context
from tests.browser.host import CompressingHandler, serve_folder
from tests.browser.lighthouse import CATEGORIES, MIN_SCORE, scores
from tests.browser.test_reading import HORIZONTAL_OVERFLOW
from tests.browser.weight import (
    MAX_FONT_BYTES,
    MAX_SCRIPT_BYTES,
    MAX_WORDS_BYTES,
    ROLE,
    Weight,
    heaviest_pages,
    transfer_size,
    weights,
)
from tests.command import GAMES
from tests.node import node
from tests.npm import npm_package
from tests.sample import sample

BLOCKING = """performance.getEntriesByType("resource").filter((entry) => entry.renderBlockingStatus === "blocking")
    .map((entry) => entry.name)"""


# --- weight


def requested_by(page: Page, address: str) -> set[str]:
    """All addresses that a page requests until the network is idle, except that of the service worker.

    The browser starts the service worker after the page, and only some browsers report its request.
    """
    addresses: set[str] = set()
    page.on("request", lambda request: addresses.add(request.url))
    page.goto(address, wait_until="networkidle")
    return {requested for requested in addresses if not requested.endswith("/sw.js")}


def test_heaviest_pages_stay_within_limits_and_request_no_other_host(browser: Browser, site: Site) -> None:
    over = []
    of_role: dict[str, Weight] = {}
    for weight in heaviest_pages(site.folder):
        of_role[weight.role] = max(weight, of_role.get(weight.role, weight), key=lambda page: page.total)
    for weight in sample([*of_role.values()], 3):
        with strict_context(browser) as context:
            page = context.new_page()
            addresses = requested_by(page, site.served + weight.path)
            blocking = page.evaluate(BLOCKING)
        assert all(address.startswith(site.served) for address in addresses), weight.path
        # The settings script decides the theme and the fonts of the first paint
        # (docs/decisions/0001-fonts-and-first-paint.md).
        # At most one style sheet is for the type of the page.
        first, *sheets = [Path(address).name for address in blocking]
        assert first == "settings.js", weight.path
        assert STYLE_SHEET in sheets, weight.path
        assert len(sheets) <= 2, weight.path
        all_files = [site.folder / unquote(urlsplit(address).path).lstrip("/") for address in addresses]
        files = [file for file in all_files if file.suffix != ".woff2"]
        assert 0 < sum(transfer_size(file) for file in all_files if file.suffix == ".woff2") <= MAX_FONT_BYTES, (
            weight.path
        )
        total = sum(map(transfer_size, files))
        scripts = sum(
            transfer_size(file) for file in files if file.suffix == ".js" and not file.name.startswith("strings-")
        )
        # Scripts only request files that the HTML names.
        assert total >= weight.page + weight.style + weight.scripts, weight.path
        if total > weight.limit or scripts > MAX_SCRIPT_BYTES:
            over.append((weight.path, total, weight.limit, scripts))
    assert over == []


def test_every_page_stays_within_its_weight_limit(site: Site) -> None:
    pages = list(weights(site.folder))
    assert len(pages) > 500
    assert [(page.path, page.total) for page in pages if page.total > page.limit] == []
    assert [(page.path, page.scripts) for page in pages if page.scripts > MAX_SCRIPT_BYTES] == []
    assert [(page.path, page.words) for page in pages if page.words > MAX_WORDS_BYTES] == []


# --- accessibility

COLOUR_RULES = ["color-contrast", "link-in-text-block"]
"""Rules that depend on the theme. All others give the same result in both themes."""
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
KINDS = {
    **{f"chapter of {game}": ("chapter", game) for game in GAMES},
    "home": ("home", "kismet"),
    "entries of a kind": ("kind", "kismet"),
    "entry": ("entity", "kismet"),
    "entry with nested fields": ("entity", "marchen"),
    "glossary": ("glossary", "kismet"),
    "calculators": ("calculators", "legend"),
    "calculator": ("calculator-page", "kismet"),
    "sheet": ("sheet", "kismet"),
    "situation": ("situation", "kismet"),
    "board": ("board", "kismet"),
    "my table": ("pins", "kismet"),
    "print": ("print", "legend"),
    "downloads": ("downloads", "kismet"),
    "licence": ("licence", "legend"),
    "questions": ("questions", "kismet"),
    "folder": ("folder", "docs"),
}
"""The role and the game of a page of each type. The heaviest such page is tested."""
OTHER_PAGES = (
    "kismet/combat-rules/index.html",  # contents of a split chapter
    "kismet/core-rules/proficiency/index.html",  # calculators in the margin
    "kismet/core-rules/print/index.html",
    "kismet/print/cards/index.html",
)
"""Pages of types that share their role with another type."""
NOT_INDEXED = "print"
"""The role of pages with `noindex` for search engines, which Lighthouse counts as a fault."""
ROLES = [*dict.fromkeys((*(role for role, _ in KINDS.values() if role != NOT_INDEXED), "library"))]


@pytest.fixture(scope="module")
def axe() -> str:
    return (npm_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")


def pages_of_every_kind(site: Site) -> Iterator[str]:
    by_kind: dict[tuple[str, str], Weight] = {
        (weight.role, weight.game): weight for weight in heaviest_pages(site.folder)
    }
    yield from ("index.html", "glossary/index.html", "offline.html")
    yield from (by_kind[kind].path for kind in KINDS.values())
    yield from OTHER_PAGES


def test_every_role_of_a_page_is_among_the_tested_kinds(site: Site) -> None:
    assert {weight.role for weight in weights(site.folder)} == {*ROLES, NOT_INDEXED}


def violations(page: Page, axe: str, rules: list[str] | None = None) -> list[str]:
    page.evaluate(axe)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    violations = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [
        f"{page.url}: {violation['id']}: {node['target']}: {node['html'][:120]}"
        for violation in violations
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(
    ("size", "theme"), [(DESKTOP, "light"), (PHONE, "light"), (PHONE, "dark")], ids=["desk", "phone", "dark"]
)
def test_page_types_have_no_accessibility_violations(
    browser: Browser, site: Site, axe: str, size: dict[str, int], theme: str
) -> None:
    wrong = []
    with strict_context(
        browser, viewport=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce"
    ) as context:
        page = context.new_page()
        for path in sample([*pages_of_every_kind(site)], 6):
            page.goto(site.served + path)
            wrong += violations(page, axe, COLOUR_RULES if theme == "dark" else None)
    assert wrong == []


@pytest.mark.parametrize(
    ("size", "theme"), sample([(DESKTOP, "light"), (PHONE, "dark"), (DESKTOP, "dark"), (PHONE, "light")], 4)
)
def test_open_dialogs_and_cards_have_no_accessibility_violations(
    browser: Browser, site: Site, axe: str, size: dict[str, int], theme: str
) -> None:
    wrong = []
    with strict_context(
        browser, viewport=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce"
    ) as context:
        page = context.new_page()

        def check_and_open(path: str = "kismet/skill/bluff/index.html") -> None:
            nonlocal wrong
            wrong += violations(page, axe, COLOUR_RULES if theme == "dark" else None)
            page.goto(site.served + path)

        page.goto(site.served + "kismet/skill/bluff/index.html")
        page.keyboard.press("/")
        page.get_by_role("dialog", name="Search").get_by_role("combobox").fill("prone")
        expect(page.get_by_role("option").first).to_be_visible()
        check_and_open()
        page.get_by_role("button", name="Settings").click()
        expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
        check_and_open()
        page.locator("article .text a").first.focus()
        page.keyboard.press("Space")
        expect(page.locator(".link-card").first).to_be_visible()
        check_and_open("kismet/condition/index.html?view=cards")
        check_and_open("kismet/core-rules/proficiency/index.html")
        collapsed = page.locator("details.calculator")
        collapsed.first.locator("summary").first.click()
        expect(collapsed.locator("form").first).to_be_visible()
        pins = "combat-rules/grappling/%23grappling,wound/%23~1,condition/prone/,calculators/%23meet-to-beat"
        check_and_open(f"kismet/table/index.html#board=Tonight&columns=2&pins={pins}")
        page.get_by_role("button", name="Save as a board on this device").click()
        expect(page.locator(".pinned form")).to_be_visible()
        wrong += violations(page, axe, COLOUR_RULES if theme == "dark" else None)
        page.get_by_role("button", name="Arrange").click()
        check_and_open("kismet/index.html")
        expect(page.get_by_role("heading", name="My table")).to_be_visible()
        check_and_open()
    assert wrong == []


# --- Lighthouse


@pytest.mark.parametrize("role", sample(ROLES, 15))
def test_lighthouse_scores_reach_the_minimum(site: Site, role: str) -> None:
    program = npm_package("lighthouse")
    worst = max(
        (weight for weight in heaviest_pages(site.folder) if weight.role == role), key=lambda weight: weight.total
    )
    with serve_folder(site.folder, host=CompressingHandler) as address:
        points_of = scores(program, chromium(), address + worst.path)
    assert points_of.keys() == set(CATEGORIES)
    assert {name: points for name, points in points_of.items() if points < MIN_SCORE} == {}, worst.path


# --- HTML

HTML_RULES = {
    "root": True,
    "extends": ["html-validate:recommended"],
    "rules": {
        # These spellings make no difference to a browser.
        "doctype-style": "off",
        "void-style": "off",
        "valid-id": ["error", {"relaxed": True}],
        # Lists and groups may have labels.
        "aria-label-misuse": ["error", {"allowAnyNamable": True}],
        # Navigation comes before the title of a page; axe-core checks the order of headings.
        "heading-level": "off",
        # No form is submitted.
        "wcag/h32": "off",
        # The game determines the names of entities.
        "long-title": "off",
        # All files are from the same host.
        "require-sri": "off",
    },
}


def html_errors(places: Iterable[Path], folder: Path) -> Iterator[tuple[str, str]]:
    config, answer = folder / "rules.json", folder / "answer.json"
    config.write_text(json.dumps(HTML_RULES), encoding="utf-8")
    script = npm_package("html-validate") / "bin" / "html-validate.mjs"
    # The output goes to a file, because Node.js does not wait for a pipe.
    with answer.open("w") as into:
        done = subprocess.run(
            [node(), script, "--config", config, "--formatter", "json", *places], stdout=into, check=False
        )
    assert done.returncode in (0, 1)
    for file in json.loads(answer.read_text(encoding="utf-8")):
        for message in file["messages"]:
            yield message["ruleId"], f"{message['message']}: {message.get('selector')} of {file['filePath']}"


def test_every_page_is_valid_html(site: Site, tmp_path: Path) -> None:
    assert list(html_errors(sample(sorted(site.folder.rglob("*.html")), 24), tmp_path)) == []


def test_html_check_detects_invalid_html(tmp_path: Path) -> None:
    page = "<!doctype html><html lang=en><head><title>T</title></head><body><p id=a><ul id=a><p></p></ul></body></html>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert {"no-dup-id", "element-permitted-content"} <= {
        rule for rule, _ in html_errors([tmp_path / "page.html"], tmp_path)
    }


ID_REFERENCE = re.compile(r' (?:aria-(?:labelledby|describedby|controls|owns)|for|headers|list)="([^"]+)"')
ID_ATTRIBUTE = re.compile(r' id="([^"]+)"')


def test_ids_are_unique_and_id_references_exist(site: Site) -> None:
    for file in site.folder.rglob("*.html"):
        html = file.read_text(encoding="utf-8")
        ids = Counter(ID_ATTRIBUTE.findall(html))
        assert [anchor for anchor, times in ids.items() if times > 1] == [], file
        assert [
            anchor for named in ID_REFERENCE.findall(html) for anchor in named.split() if anchor not in ids
        ] == [], file


# --- width


REPLACE_PAGE = f"""([html, address]) => {{
  const given = new DOMParser().parseFromString(html, "text/html");
  for (const image of given.images) image.src = new URL(image.getAttribute("src"), address);
  for (const {{ name, value }} of given.documentElement.attributes) document.documentElement.setAttribute(name, value);
  document.body.replaceWith(document.importNode(given.body, true));
  return {HORIZONTAL_OVERFLOW};
}}"""
"""Replaces the content of the open page, which takes a tenth of the time of opening a page."""


def test_no_page_overflows_a_small_phone(browser: Browser, site: Site) -> None:
    small = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    wide = []
    # No script runs here; test_reading.py runs scripts on one page of each type. All pages share a style sheet.
    with strict_context(browser, **small, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(site.local + "kismet/action/index.html")
        for file in sample(sorted(site.folder.rglob("*.html")), 12):
            html = file.read_text(encoding="utf-8")
            if ROLE.search(html) and page.evaluate(REPLACE_PAGE, [html, file.as_uri()]) > 0:
                wide.append(file.relative_to(site.folder).as_posix())
        assert page.evaluate(REPLACE_PAGE, ["<main><p style='width: 400px'>wide", site.local]) > 0, (
            "a page that is too wide is detected"
        )
    assert wide == []
