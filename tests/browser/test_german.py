"""A game in German: every word that its pages and scripts show is from the game or from `site/strings/de.yaml`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from string import Formatter

import pytest
from playwright.sync_api import Browser, Page, expect

from kismet_build.config.language.strings import read_strings
from tests.browser.conftest import strict_context
from tests.browser.host import serve_folder
from tests.browser.test_reading import HORIZONTAL_OVERFLOW
from tests.browser.test_service_worker import wait_until_cached
from tests.command import CONTENT, ROOT, kismet
from tests.german_library import write_german_library
from tests.sample import sample

WORD = re.compile(r"[^\W\d_]{2,}")
FILE_NAME = re.compile(r"[\w/-]+\.(?:schema\.)?js(?:on)?\b")
SHOWN = """() => {
  const texts = [document.title, document.querySelector("meta[name=description]")?.content ?? ""];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    const parent = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (parent.closest("script, style, code, pre, title, .source, template")) continue;
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    else {
      for (const name of ["alt", "aria-label", "data-label", "data-place", "label", "placeholder", "title"])
        texts.push(node.getAttribute(name) ?? "");
      for (const part of ["::before", "::after"]) {
        const { content } = getComputedStyle(node, part);
        if (content.startsWith('"')) texts.push(content);
      }
    }
  }
  return texts;
}"""
"""All words of a page that a reader sees or hears, including those that are hidden now."""
SAME_IN_ENGLISH = frozenset(
    ("kb", "csv", "markdown", "json", "html", "md", "npm", "python", "javascript", "sqlite", "pl", "curl", "aa")
)
"""Names of formats and programs."""
PAGES = (
    *("index.html", "glossary/index.html", "offline.html", "404.html"),
    *(
        f"glutsaal/{path}index.html"
        for path in (
            *("", "am-hof/", "duelle/", "gabe/", "gabe/ather/", "gabe/zorn/", "zustand/", "zustand/verwirrt/", "rule/"),
            *(
                "situation/",
                "table/",
                "boards/spieltisch/",
                "calculators/",
                "calculators/anteil/",
                "sheets/duell/",
                "glossary/",
                "questions/",
                "tags/",
                "tags/hof/",
            ),
            *("print/", "print/cards/", "downloads/"),
        )
    ),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("german")
    run = kismet("build", write_german_library(tmp_path / "library"), "--out", tmp_path / "public", "--no-cache")
    assert run.status == 0, run.output
    return tmp_path / "public"


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[str]:
    with serve_folder(folder) as address:
        yield address


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The words of the game's files and of the catalog."""
    library = write_german_library(tmp_path_factory.mktemp("words"))
    texts = [file.read_text(encoding="utf-8") for file in library.rglob("*.*")]
    for sentences in read_strings("de").values():
        for sentence in sentences.values():
            texts += [sentence] if isinstance(sentence, str) else sentence.values()
    return frozenset(words_of(re.sub(r"\{\w+\}", "", "\n".join(texts)))) | SAME_IN_ENGLISH


def words_of(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def foreign(page: Page, german: frozenset[str]) -> list[str]:
    """The texts of a page with a word that is neither in the game nor in the catalog."""
    return [
        f"{' '.join(text.split())[:80]} ({page.url})"
        for text in page.evaluate(SHOWN)
        if words_of(FILE_NAME.sub("", text)) - german
    ]


def test_pages_show_german_words_only(browser: Browser, served: str, german: frozenset[str]) -> None:
    found = []
    with strict_context(browser) as context:
        page = context.new_page()
        for path in sample(PAGES, 3):
            page.goto(served + path)
            assert page.evaluate("document.documentElement.lang") == "de"
            found += foreign(page, german)
    assert found == [], "\n".join(found)


def test_scripts_show_german_words_only(browser: Browser, served: str, german: frozenset[str]) -> None:
    found: list[str] = []
    with strict_context(browser, permissions=["clipboard-write"]) as context:
        page = context.new_page()

        def check() -> None:
            found.extend(foreign(page, german))

        page.goto(served + "glutsaal/am-hof/index.html")
        page.keyboard.press("/")
        field = page.get_by_role("dialog", name="Suchen").get_by_role("combobox")
        for words in ("", "verwirrt", "verwirtr", "licht", "kosten 2", "xyzzy", "gunst", "ansehen"):
            field.fill(words)
            if words == "verwirrt":
                expect(page.get_by_role("option", name="Verwirrt").first).to_be_visible()
            page.wait_for_timeout(400)
            german |= words_of(words)
            check()
        page.keyboard.press("Escape")

        page.get_by_role("button", name="Einstellungen").click()
        expect(page.get_by_role("dialog", name="Einstellungen")).to_be_visible()
        check()
        page.get_by_role("button", name="Fertig").click()

        page.locator("article .text a", has_text="Verwirrt").first.focus()
        page.keyboard.press("Space")
        expect(page.locator(".link-card").first).to_be_visible()
        check()
        page.get_by_role("button", name="Schließen").first.click()
        page.locator("a.permalink").first.click()
        check()

        page.locator("button.dice").first.hover()
        expect(page.locator(".odds-card")).to_contain_text("im Mittel 10, 5 bis 15")
        check()
        page.locator("button.dice").first.click()
        page.get_by_role("button", name="Würfel", exact=True).click()
        page.get_by_label("Was wird gewürfelt?").fill("4W6!")
        expect(page.locator(".roller-odds")).to_contain_text("oder mehr")
        page.get_by_role("button", name="Würfeln", exact=True).click()
        page.get_by_label("Was wird gewürfelt?").fill("viel")
        page.get_by_role("button", name="Würfeln", exact=True).click()
        german |= words_of("viel 4W6")
        check()

        page.goto(served + "glutsaal/duelle/index.html")
        page.get_by_label("W6 würfeln").click()
        page.get_by_text("Kopieren", exact=True).first.click()
        check()
        page.get_by_role("button", name="Als CSV kopieren").click()
        check()
        page.goto(served + "glutsaal/gabe/index.html")
        page.get_by_label("Nach Namen filtern").fill("Z")
        expect(page.locator(".filter-count")).to_have_text("4 Gaben, davon 2")
        check()

        page.goto(
            served + "glutsaal/calculators/gunst/index.html?calculator=gunst&laune=wild&fremd=1&version=0.9#gunst"
        )
        german |= words_of("wild fremd")
        expect(page.get_by_text("Laune: eins von gut, schlecht, nicht wild").first).to_be_visible()
        check()
        page.goto(served + "glutsaal/calculators/anteil/index.html")
        page.get_by_label("Rang", exact=True).last.fill("0")
        expect(page.get_by_text("Hier würde durch null geteilt").first).to_be_visible()
        check()
        page.goto(served + "glutsaal/sheets/duell/index.html")
        expect(page.locator(".sentence").first).to_have_text(re.compile(r"Rang \d gewinnt \d+,\d\u00a0% der Duelle"))
        page.get_by_role("button", name="Erhöhen").first.click()
        check()
    assert found == [], "\n".join(found)


def test_english_word_on_a_page_is_found(browser: Browser, served: str, german: frozenset[str]) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto(served + "glutsaal/index.html")
        page.evaluate("document.querySelector('h1').setAttribute('aria-label', 'Choose one')")
        assert [text.split(" (")[0] for text in foreign(page, german)] == ["Choose one"]


def test_home_page_names_dice_as_german_players_do(browser: Browser, served: str) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto(served)
        expect(page.locator(".game-dice")).to_have_text("Würfelt W6, W10, W8")


def test_scripts_name_dice_as_german_players_do(browser: Browser, served: str) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto(served + "glutsaal/duelle/index.html")
        button = page.locator(".roll-line .roll")
        expect(button).to_have_text("W6 würfeln")
        button.hover()
        expect(page.locator(".odds-card b")).to_have_text("W6")
        button.click()
        expect(page.locator(".roll-latest .roll-title")).to_contain_text("W6")
        page.get_by_role("button", name="Würfel", exact=True).click()
        field = page.get_by_label("Was wird gewürfelt?")
        for name in ("W8", "W8", "W20"):
            page.locator(".roller").get_by_role("button", name=name, exact=True).click()
        expect(field).to_have_value("2W8 + 1W20")
        expect(page.locator(".roller-odds b")).to_have_text("2W8 + 1W20")
        page.get_by_role("button", name="Würfeln", exact=True).click()
        expect(page.locator(".roll-latest .roll-title")).to_have_text("2W8 + 1W20: ")
        expect(field).to_have_attribute("placeholder", "2W6 + 3")
        assert page.locator("table[data-roll]").get_attribute("data-roll") == "d6", "the data are unchanged"


def test_names_stand_in_the_order_of_the_language(browser: Browser, served: str) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto(served + "glutsaal/gabe/index.html")
        page.get_by_role("button", name="Name").click()
        assert page.locator("tbody th a").all_inner_texts() == ["Apfelregen", "Äther", "Azurblick", "Zorn"]
        page.goto(served + "glutsaal/glossary/index.html")
        names = page.locator("article li a").all_inner_texts()
        assert [name for name in names if name[0] in "AÄZ"][:3] == ["Apfelregen", "Äther", "Azurblick"]


def test_page_that_is_not_saved_offline_is_german(browser: Browser, folder: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        with serve_folder(folder) as address:
            page.goto(address)
            wait_until_cached(page, f"{address}offline.html")
        page.goto(f"{address}anderswo/index.html")
        assert page.evaluate("document.documentElement.lang") == "de"
        expect(page.get_by_role("heading", level=1)).to_have_text("Nicht gespeichert")
        expect(page.get_by_role("link", name="Noch einmal versuchen")).to_be_visible()


def test_no_page_in_german_overflows_a_small_phone(browser: Browser, served: str) -> None:
    wide = []
    with strict_context(browser, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True) as context:
        page = context.new_page()
        for path in sample(PAGES, 3):
            page.goto(served + path)
            if page.evaluate(HORIZONTAL_OVERFLOW) > 0:
                wide.append(path)
    assert wide == []


@pytest.fixture(scope="module")
def german_kismet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of Kismet, whose texts are English, with the words of a German website."""
    folder = tmp_path_factory.mktemp("german-kismet")
    copytree(CONTENT / "kismet", folder / "content" / "kismet")
    copytree(ROOT / "schemas" / "kismet", folder / "schemas" / "kismet")
    game_file = folder / "content" / "kismet" / "game.yaml"
    text = game_file.read_text(encoding="utf-8")
    game_file.write_text(text.replace("language: en\n", "language: de\n"), encoding="utf-8")
    run = kismet("build", folder / "content", "--out", folder / "public", "--no-search", "--no-cache")
    assert run.status == 0, run.output
    return folder / "public"


def english_sentences() -> list[re.Pattern[str]]:
    """Patterns of the English words of the website that differ in German.

    A sentence with an argument must have at least two other words. With only one, it would match words of a book.
    """
    german, english = (all_forms(language) for language in ("de", "en"))
    parts = ([*Formatter().parse(form)] for form in sorted(english - german))
    return [
        re.compile("".join(re.escape(literal) + (".+" if name else "") for literal, name, _, _ in sentence))
        for sentence in parts
        if len(WORD.findall(" ".join(literal for literal, *_ in sentence))) > any(name for _, name, *_ in sentence)
    ]


def all_forms(language: str) -> set[str]:
    """The words of the website in a language, in all their plural forms."""
    sentences = [sentence for part in read_strings(language).values() for sentence in part.values()]
    return {form for words in sentences for form in ([words] if isinstance(words, str) else words.values())}


@pytest.mark.parametrize("path", ["", "core-rules/"])
def test_kismet_has_the_words_of_a_german_website(browser: Browser, german_kismet: Path, path: str) -> None:
    book = "\n".join(file.read_text(encoding="utf-8") for file in (CONTENT / "kismet").glob("*.*"))
    kinds = json.loads((german_kismet / "data" / "kismet" / "pack.json").read_text(encoding="utf-8"))["kinds"]
    names = {name for kind in kinds.values() for name in (kind["title"], kind["plural"])}
    english = english_sentences()
    with serve_folder(german_kismet) as address, strict_context(browser) as context:
        page = context.new_page()
        page.goto(f"{address}kismet/{path}index.html")
        assert page.evaluate("document.documentElement.lang") == "de"
        texts = {" ".join(text.strip('"').split()) for text in page.evaluate(SHOWN)}
    assert {"Suchen", "Mein Spieltisch", "Inhalt"} <= texts
    of_the_website = sorted(text for text in texts - names if text not in book)
    assert [text for text in of_the_website if any(sentence.fullmatch(text) for sentence in english)] == []
