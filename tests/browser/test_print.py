"""Printing: boards on one sheet, nine cards to a page, and no screen-only parts."""

import json
import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from typing import Any
from unicodedata import normalize

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PageObject, PdfReader

from tests.browser.conftest import Site, strict_context
from tests.command import GAMES
from tests.conftest import BuiltTree

BOARDS = (
    "kismet/boards/weavers-screen/",
    "kiss/boards/table-sheet/",
    "legend/boards/table-sheet/",
    "marchen/boards/referees-sheet/",
)
PRINT_PAGES = ("kismet/print/", "kiss/print/", "legend/print/", "marchen/print/")
INDEX = "index.html"
DESKTOP = {"width": 1280, "height": 800}


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Page]:
    with strict_context(browser, viewport=DESKTOP) as context:
        yield context.new_page()


def printed(page: Page, size: str = "A4") -> PdfReader:
    return PdfReader(BytesIO(page.pdf(format=size, prefer_css_page_size=False)))


def words(*sheets: PageObject) -> str:
    # Ligatures are separate characters in a PDF.
    return " ".join(normalize("NFKC", " ".join(sheet.extract_text() for sheet in sheets)).split())


def links(pdf: PdfReader) -> list[Any]:
    return [
        note.get_object() for page in pdf.pages for note in page.get("/Annots", ()) if "/Subtype" in note.get_object()
    ]


# --- boards


@pytest.mark.parametrize("size", ["A4", "Letter"])
@pytest.mark.parametrize("board", BOARDS)
def test_board_is_printed_on_one_landscape_sheet(page: Page, root: str, board: str, size: str) -> None:
    page.goto(root + board + INDEX)
    titles = page.locator(".panel > h2 > a").all_inner_texts()
    pdf = printed(page, size)
    assert len(pdf.pages) == 1
    assert pdf.pages[0].mediabox.width > pdf.pages[0].mediabox.height
    # Text extraction may insert a space between kerned letters.
    text = words(*pdf.pages).casefold().replace(" ", "")
    for title in titles:
        assert title.casefold().replace(" ", "") in text


@pytest.mark.parametrize("board", BOARDS)
def test_board_fits_a_desktop_screen_with_readable_text(desktop: Page, site: Site, board: str) -> None:
    desktop.goto(site.served + board + INDEX)
    end = desktop.evaluate(
        "Math.max(...[...document.querySelectorAll('.panel')].map((p) => p.getBoundingClientRect().bottom))"
    )
    assert end <= DESKTOP["height"]
    size = desktop.evaluate("parseFloat(getComputedStyle(document.querySelector('.board-parts')).fontSize)")
    assert size >= 12
    assert desktop.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]


@pytest.mark.parametrize("board", BOARDS)
def test_tables_of_a_board_do_not_overflow_their_panels(desktop: Page, site: Site, board: str) -> None:
    desktop.goto(site.served + board + INDEX)
    wide = desktop.evaluate(
        """() => [...document.querySelectorAll(".panel table")].filter((table) =>
             table.getBoundingClientRect().width > table.parentNode.getBoundingClientRect().width + 1).length"""
    )
    assert wide == 0


def test_links_of_a_board_open_cards_and_lead_to_entities(page: Page, root: str) -> None:
    page.goto(root + BOARDS[0] + INDEX)
    prone = page.locator(".board-parts").get_by_role("link", name="Prone", exact=True).first
    prone.hover()
    page.locator(".link-card", has_text="Prone").wait_for()
    prone.click()
    expect(page).to_have_url(root + "kismet/condition/prone/index.html")


def test_home_page_and_navigation_link_to_the_board(page: Page, root: str) -> None:
    page.goto(root + "kismet/index.html")
    page.locator("main").get_by_role("link", name="Weaver’s Screen").click()
    expect(page).to_have_url(root + BOARDS[0] + INDEX)
    page.goto(root + "kismet/condition/prone/index.html")
    page.locator(".navigation").get_by_role("link", name="Weaver’s Screen").click()
    expect(page).to_have_url(root + BOARDS[0] + INDEX)


def test_board_on_a_phone_has_one_column_and_a_link_on_my_table(browser: Browser, site: Site) -> None:
    with strict_context(browser, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True) as context:
        phone = context.new_page()
        phone.goto(site.served + "kismet/core-rules/index.html")
        phone.locator(".bottom").get_by_role("link", name="My table").tap()
        phone.get_by_role("main").get_by_role("link", name="Weaver’s Screen").tap()
        phone.wait_for_url("**/" + BOARDS[0] + INDEX)
        lefts = phone.evaluate(
            "[...new Set([...document.querySelectorAll('.panel')].map((p) => p.getBoundingClientRect().left))]"
        )
        assert len(lefts) == 1
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360


# --- cards


def test_cards_of_a_selected_kind_are_printed_nine_to_a_page(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/index.html")
    names = page.locator(".listing tbody th a").all_inner_texts()
    page.get_by_role("link", name="Print as cards").click()
    page.wait_for_url("**/print/cards/index.html#condition")
    cards = page.locator("#condition li h3 a").all_inner_texts()
    assert list(dict.fromkeys(cards)) == names
    for size in ("A4", "Letter"):
        pdf = printed(page, size)
        texts = [words(sheet) for sheet in pdf.pages]
        assert [text.count("Condition ") for text in texts] == [9, len(cards) - 9]
        assert all(name in texts[place // 9] for place, name in enumerate(cards))
        assert not any(word == "Wound" for text in texts for word in text.split())


def test_cards_of_all_kinds_are_printed_by_default(page: Page, root: str) -> None:
    page.goto(root + "kiss/print/cards/index.html")
    cards = page.locator(".cut-sheet > li").count()
    assert cards > 90
    for size in ("A4", "Letter"):
        assert len(printed(page, size).pages) == -(-cards // 9)


@pytest.mark.parametrize("game", GAMES)
def test_content_of_print_cards_does_not_overflow(page: Page, site: Site, game: str) -> None:
    page.goto(f"{site.served}{game}/print/cards/index.html")
    page.emulate_media(media="print")
    full = page.evaluate(
        """async () => {
             document.body.getBoundingClientRect();
             await document.fonts.ready;
             return [...document.querySelectorAll(".cut-sheet > li")]
               .filter((card) => card.scrollHeight > card.clientHeight + 1)
               .map((card) => card.querySelector("h3").textContent);
           }"""
    )
    assert full == []


def test_cards_of_an_entity_hold_its_whole_text(content: BuiltTree) -> None:
    page = (content.folder / "kismet/print/cards/index.html").read_text(encoding="utf-8")
    kind = page.partition('id="condition"')[2].partition("</section>")[0]
    printed: dict[str, str] = {}
    for name, text in re.findall(r'<h3><a[^>]*>(.*?)</a>.*?<p class="paper-words">(.*?)</p>', kind, re.DOTALL):
        printed[unescape(name)] = f"{printed.get(unescape(name), '')} {unescape(text)}".strip()
    pack = json.loads((content.folder / "data/kismet/pack.json").read_bytes())
    for entity in pack["entities"]["condition"]:
        # On one line, semicolons separate the items of a list.
        assert printed[entity["name"]].replace(";", "").split() == entity["text"].replace(";", "").split()


def test_print_cards_have_cut_marks_without_background_printing(page: Page, site: Site) -> None:
    page.goto(site.served + "kismet/print/cards/index.html#condition")
    page.emulate_media(media="print")
    card = page.locator(".cut-sheet > li").first
    style = card.evaluate(
        "(element) => { const s = getComputedStyle(element); return [s.backgroundImage, s.printColorAdjust] }"
    )
    assert style[0].count("linear-gradient") == 8
    assert style[1] == "exact"


# --- texts


@pytest.mark.parametrize(
    "address",
    [
        "kismet/core-rules/",
        "kismet/condition/prone/",
        "kismet/skill/",
        "kismet/calculators/",
        "kismet/calculators/attack-odds/",
        "kismet/sheets/encounter/",
    ],
)
def test_interactive_elements_are_not_printed(page: Page, root: str, address: str) -> None:
    page.goto(root + address + INDEX)
    page.wait_for_timeout(200)
    page.emulate_media(media="print")
    shown = page.evaluate(
        """() => [...document.querySelectorAll(
               "nav:not(.sections), form, input, select, dialog, .bar, .bottom, .permalink, .to-card, details.take")]
             .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height > 0)
             .map((element) => element.outerHTML.slice(0, 60))"""
    )
    assert shown == []
    title = page.locator("h1").inner_text()
    pdf = printed(page)
    texts = [sheet.extract_text() for sheet in pdf.pages]
    assert all(title.casefold() in text.casefold() for text in texts), "every sheet has the page title in its margin"
    assert f"1 / {len(texts)}" in texts[0]
    assert "On this page" not in texts[0]


def test_closed_calculators_and_backlinks_are_not_printed(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/prone/" + INDEX)
    text = words(*printed(page).pages)
    assert "Prone" in text
    assert not re.search("Mentioned in|more|How far|Calculators", text)
    page.locator("aside .calculator > summary").first.click()
    page.locator("aside .result").first.wait_for()
    text = words(*printed(page).pages)
    # The PDF reader puts gaps into some words.
    assert "HowfardoesaProneCreaturecrawl?" in "".join(text.split())
    assert "left of Speed" not in text


def test_every_sheet_has_the_licence_in_its_margin_and_none_has_only_that(page: Page, root: str) -> None:
    page.goto(root + "marchen/skill/" + INDEX)
    *_, last = printed(page).pages
    # Text extraction may insert a space between kerned letters.
    text = words(last).replace(" ", "")
    assert "OpenGameLicense" in text
    assert page.locator("tbody th").last.inner_text() in text


def test_source_and_data_are_not_printed(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/prone/" + INDEX)
    page.locator("details.source > summary").click()
    text = printed(page).pages[0].extract_text()
    assert "Prone" in text
    assert not re.search(r"\.md|JSON|kismet/condition", text)


def test_link_targets_in_other_chapters_are_printed_after_the_link(page: Page, root: str) -> None:
    page.goto(root + "kismet/combat-rules/print/" + INDEX)
    assert any("(Core Rules, Tiers of Power)" in words(sheet) for sheet in printed(page).pages)
    page.goto(root + "kismet/core-rules/print/" + INDEX)
    own = page.locator('.text a[href^="#"]:not([data-place], .footnote a)').first
    assert own.evaluate("(element) => getComputedStyle(element, '::after').content") == "none"


def test_dark_pages_are_printed_black_on_white(browser: Browser, site: Site) -> None:
    with strict_context(browser, color_scheme="dark") as context:
        page = context.new_page()
        page.goto(site.served + "kismet/condition/prone/" + INDEX)
        page.emulate_media(media="print")
        colours = page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor] }"
        )
    assert colours[0] in ("rgb(0, 0, 0)", "rgb(30, 26, 21)")
    assert colours[1] in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")


def test_printed_table_repeats_its_header_and_does_not_split_rows(page: Page, site: Site) -> None:
    page.goto(site.served + "marchen/activity/" + INDEX)
    page.emulate_media(media="print")
    row = page.locator(".listing tbody tr").first
    assert row.evaluate("(element) => getComputedStyle(element).breakInside") == "avoid"
    pdf = printed(page)
    heads = [sheet for sheet in pdf.pages if "Period" in words(sheet)]
    assert len(heads) >= len(pdf.pages) - 1 > 2


# --- a whole game


@pytest.mark.parametrize("print_page", PRINT_PAGES)
def test_print_page_of_a_game_has_internal_links_only(page: Page, root: str, print_page: str) -> None:
    page.goto(root + print_page + INDEX)
    dead = page.evaluate(
        """() => [...document.querySelectorAll("article a[href^='#']")]
             .filter((link) => !document.getElementById(decodeURIComponent(link.hash.slice(1))))
             .map((link) => link.hash)"""
    )
    assert dead == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))
    outgoing = page.evaluate(
        "[...document.querySelectorAll('.text a:not([href^=\"#\"], .external)')].map((element) => element.outerHTML)"
    )
    assert outgoing == []


def test_pdf_of_a_game_has_working_internal_links(page: Page, root: str) -> None:
    page.goto(root + "legend/print/" + INDEX)
    contents = page.locator(".print-contents a").count()
    pdf = printed(page)
    inside = [link for link in links(pdf) if "/Dest" in link or link.get("/A", {}).get("/S") == "/GoTo"]
    assert len(inside) >= contents > 10
    known = set(pdf.named_destinations)
    assert {str(link["/Dest"]) for link in inside if "/Dest" in link} <= known


def test_pdf_of_a_game_has_its_chapters_in_order(page: Page, root: str) -> None:
    page.goto(root + "kismet/print/" + INDEX)
    sheets = printed(page).pages
    # Extracting the text of a sheet takes long, so only the sheets up to the first title and from the last title on are
    # read.
    before_first: list[str] = []
    for sheet in sheets:
        before, title, _ = words(sheet).partition("Your Own Adventure")
        before_first.append(before)
        if title:
            break
    assert "contents" in " ".join(before_first).casefold()
    last = next(place for place in reversed(range(len(sheets))) if "Player vs Player" in words(sheets[place]))
    assert len(before_first) <= last


def test_print_page_of_a_game_is_not_indexed(site: Site) -> None:
    text = (site.folder / "kismet/print/index.html").read_text(encoding="utf-8")
    assert "data-pagefind-body" not in text
    assert '<meta name="robots" content="noindex">' in text
