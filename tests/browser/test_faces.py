"""The search of the home page, and the look of each game: emblem, colours, border and layout."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, strict_context
from tests.browser.test_search import box, field, results, search
from tests.stages.render.test_faces import shipped_games

GAMES = shipped_games()
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
MIN_PICTURE_DISTANCE = 25
"""Mean difference of the pixels of two emblems, of 255."""
WIDTHS = (1100, 1280, 1440, 1920)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with strict_context(browser, **PHONE) as context:
        yield context.new_page()


# --- home page


def test_what_is_typed_on_the_home_page_is_searched_at_once(page: Page, root: str) -> None:
    page.goto(root + "index.html")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("prone")
    expect(field(page)).to_have_value("prone")
    expect(results(page).first).to_contain_text("Prone")
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_search_field_of_the_home_page_opens_the_search_on_a_phone(phone: Page, root: str) -> None:
    phone.goto(root + "index.html")
    phone.get_by_role("searchbox").tap()
    expect(field(phone)).to_be_focused()


def test_every_sample_question_is_answered_by_the_first_result(page: Page, root: str) -> None:
    page.goto(root + "index.html")
    page.keyboard.press("/")
    for name, game in GAMES.items():
        for question, answer in game["sample_questions"].items():
            search(page, question)
            address = results(page).first.get_attribute("href") or ""
            assert f"/{name}/{answer}/" in address, f"{question}: {address}"
            expect(box(page).get_by_text("Did you mean")).to_be_hidden()


def test_question_of_the_home_page_is_typed_into_the_search(page: Page, root: str) -> None:
    page.goto(root + "index.html")
    question = page.locator("[data-asked]").nth(1)
    words = question.inner_text()
    answer = (question.get_attribute("href") or "").partition("#")[0]
    question.click()
    expect(field(page)).to_have_value(words)
    expect(results(page).first).to_have_attribute("href", f"{root}{answer}")


def test_home_page_answers_its_questions_without_scripts(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.local + "index.html")
        expect(page.get_by_role("searchbox")).to_be_hidden()
        page.locator("[data-asked]").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Long Jump")


def test_home_page_shows_search_questions_and_the_first_game_on_a_phone(phone: Page, site: Site) -> None:
    phone.goto(site.local + "index.html")
    for part in (phone.get_by_role("searchbox"), phone.locator("[data-asked]").last, phone.locator(".game img").first):
        shown = part.bounding_box()
        assert shown is not None
        assert shown["y"] + shown["height"] <= 844
    assert phone.locator(".game").first.evaluate("(card) => card.querySelector('h2 a').matches(':link')")
    expect(box(phone)).to_have_count(0)


# --- faces

PIXELS = """
async (path) => {
  const picture = Object.assign(new Image(), { src: path });
  await picture.decode();
  const context = Object.assign(document.createElement("canvas"), { width: 32, height: 32 }).getContext("2d");
  context.drawImage(picture, 0, 0, 32, 32);
  return [...context.getImageData(0, 0, 32, 32).data];
}
"""


def test_emblems_look_different(page: Page, site: Site) -> None:
    page.goto(site.served + "index.html")
    pixels = {game: page.evaluate(PIXELS, f"assets/{game}/emblem.svg") for game in GAMES}
    # Games also differ without colours, for print and for readers who cannot tell the colours apart.
    grey = {game: [sum(data[i : i + 3]) / 3 for i in range(0, len(data), 4)] for game, data in pixels.items()}
    for first, second in combinations(GAMES, 2):
        pairs = list(zip(grey[first], grey[second], strict=True))
        assert sum(abs(left - right) for left, right in pairs) / len(pairs) > MIN_PICTURE_DISTANCE, (first, second)


def test_every_game_has_its_colours_and_border_at_the_top_of_its_pages(page: Page, root: str) -> None:
    seen: dict[str, set[str]] = {"bar": set(), "border": set(), "rule": set(), "link": set()}
    for game in GAMES:
        page.goto(f"{root}{game}/index.html")
        style = page.evaluate(
            """() => {
              const of = (path) => getComputedStyle(document.querySelector(path));
              return {
                bar: of(".bar").backgroundColor,
                border: of("main .title").backgroundImage,
                rule: of("main h2").borderBottomColor,
                link: of("main p a").color,
              };
            }"""
        )
        for part, value in style.items():
            seen[part].add(value)
        expect(page.locator(".bar img")).to_be_visible()
        assert page.locator(".bar img").evaluate("(picture) => picture.naturalWidth > 0")
    assert {part: len(values) for part, values in seen.items()} == dict.fromkeys(seen, len(GAMES))


def test_high_contrast_has_no_colours_of_games(page: Page, root: str) -> None:
    page.goto(root + "legend/index.html")
    page.evaluate("document.documentElement.dataset.theme = 'contrast'")
    assert page.evaluate("getComputedStyle(document.querySelector('.bar')).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('main h2')).borderBottomColor") == "rgb(0, 0, 0)"


# --- what looked wrong


@pytest.mark.parametrize("path", ["kismet/skill/athletics/", "kismet/core-rules/proficiency/", "kiss/weapon/"])
def test_footer_is_in_line_with_the_text(page: Page, site: Site, path: str) -> None:
    page.goto(f"{site.local}{path}index.html")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        footer, text = (
            page.evaluate("(path) => document.querySelector(path).getBoundingClientRect().left", part)
            for part in (".colophon > p", "main > article")
        )
        assert footer == text, width


def test_link_to_the_top_covers_no_text(phone: Page, site: Site) -> None:
    phone.goto(site.local + "kiss/kiss/index.html")
    phone.evaluate("scrollTo(0, 9000)")
    top = phone.get_by_role("link", name="Back to top")
    expect(top).to_be_attached()
    below = (
        "(link) => link.getBoundingClientRect().top >= document.querySelector('main').getBoundingClientRect().bottom"
    )
    expect(phone.locator(":root.afar")).to_have_count(1)
    assert top.evaluate(below)


def test_table_of_short_values_stays_a_table_on_a_phone(phone: Page, root: str) -> None:
    phone.goto(root + "kiss/weapon/index.html")
    expect(phone.get_by_role("radio", name="Table")).to_be_checked()
    frame = phone.locator(".listing")
    rows = phone.locator(".listing tbody tr")
    tops = rows.first.locator("th, td").evaluate_all("(cells) => cells.map((cell) => cell.getBoundingClientRect().top)")
    assert len(tops) == 8
    assert len(set(tops)) == 1
    name = rows.first.locator("th")
    before = name.bounding_box()
    frame.evaluate("(frame) => frame.scrollTo(1000, 0)")
    assert frame.evaluate("(frame) => frame.scrollLeft") > 0
    assert name.bounding_box() == before
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    expect(frame).to_have_attribute("tabindex", "0")
    phone.locator("label", has=phone.get_by_role("radio", name="Cards")).tap()
    expect(phone.locator(".listing thead")).to_be_hidden()
