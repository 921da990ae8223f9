"""Search by keyboard: exact names first, in one game or in all, from a server and from disk."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import TIMEOUT, Site, strict_context

CHAPTER = "kismet/core-rules/index.html"
PRONE = "kismet/condition/prone/index.html"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def box(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search")


def field(page: Page) -> Locator:
    return box(page).get_by_role("combobox")


def results(page: Page, group: str = "") -> Locator:
    within = box(page).get_by_role("group", name=group) if group else box(page)
    return within.get_by_role("option")


def chosen(page: Page) -> Locator:
    """The result that Enter opens; the search field must refer to it."""
    expect(results(page).and_(page.locator("[aria-selected=true]"))).to_have_count(1)
    active = field(page).get_attribute("aria-activedescendant")
    return page.locator(f"#{active}[aria-selected=true]")


def counted(page: Page) -> Locator:
    """The announced number of results, once the search has finished."""
    return box(page).get_by_role("status")


def search(page: Page, words: str) -> None:
    field(page).fill(words)
    expect(counted(page)).to_contain_text("result", timeout=TIMEOUT)


@pytest.fixture
def chapter(page: Page, site: Site) -> Page:
    page.goto(site.served + CHAPTER)
    return page


# --- opened and closed


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_key_opens_the_search_box_and_escape_restores_focus(chapter: Page, key: str) -> None:
    link = chapter.get_by_role("main").get_by_role("link").nth(3)
    link.focus()
    chapter.keyboard.press(key)
    expect(field(chapter)).to_be_focused()
    expect(field(chapter)).to_have_value("")
    chapter.keyboard.press("Escape")
    expect(box(chapter)).to_have_count(0)
    expect(link).to_be_focused()


def test_slash_can_be_typed_into_the_search_field(chapter: Page) -> None:
    chapter.keyboard.press("/")
    expect(field(chapter)).to_be_focused()
    chapter.keyboard.type("1/2")
    expect(field(chapter)).to_have_value("1/2")


def test_letters_typed_while_the_search_box_loads_are_not_lost(chapter: Page) -> None:
    def late(route: Route) -> None:
        chapter.wait_for_timeout(300)
        route.continue_()

    chapter.route("**/search-box.js", late)
    chapter.keyboard.type("/prone", delay=20)
    expect(field(chapter)).to_have_value("prone")
    expect(results(chapter).first).to_contain_text("Prone")


def test_search_button_opens_the_box_by_mouse_and_keyboard(chapter: Page) -> None:
    button = chapter.get_by_role("banner").get_by_role("button", name="Search")
    button.click()
    expect(field(chapter)).to_be_focused()
    box(chapter).get_by_role("button", name="Close").click()
    expect(button).to_be_focused()
    chapter.keyboard.press("Enter")
    expect(field(chapter)).to_be_focused()


def test_click_outside_closes_the_search_box(chapter: Page) -> None:
    chapter.keyboard.press("/")
    expect(field(chapter)).to_be_focused()
    chapter.mouse.click(5, 5)
    expect(box(chapter)).to_have_count(0)


def test_search_scripts_are_loaded_when_the_box_is_opened(page: Page, site: Site) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.rpartition("/")[2].partition("?")[0]))
    page.goto(site.served + CHAPTER, wait_until="networkidle")
    assert [name for name in requests if "search" in name or "names" in name or "pagefind" in name] == ["search.js"]
    page.keyboard.press("/")
    expect(field(page)).to_be_focused()
    assert {"search-box.js", "search-rank.js", "kismet-search.js"} <= set(requests)
    search(page, "prone")
    assert not [name for name in requests if "pagefind" in name], "the index has the whole text"


# --- results


def test_exact_name_is_the_first_result_and_enter_opens_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    expect(chosen(chapter)).to_contain_text("Prone")
    expect(chosen(chapter)).to_contain_text("Condition")
    expect(chosen(chapter).locator("mark").first).to_have_text("Prone")
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/" + PRONE)


def test_arrows_home_and_end_select_results_and_wrap_around(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "attack")
    rows = results(chapter)
    last = rows.count() - 1
    assert last > 3
    for key, place in (
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("End", last),
        ("ArrowDown", 0),
        ("ArrowUp", last),
        ("Home", 0),
    ):
        chapter.keyboard.press(key)
        expect(rows.nth(place)).to_have_attribute("aria-selected", "true")
        assert chosen(chapter).get_attribute("id") == rows.nth(place).get_attribute("id")
        expect(rows.nth(place)).to_be_in_viewport(ratio=1)
    expect(field(chapter)).to_be_focused()


def test_home_and_end_move_the_cursor_until_a_result_is_selected(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "rone")
    chapter.keyboard.press("Home")
    chapter.keyboard.type("p")
    expect(field(chapter)).to_have_value("prone")


def test_answer_is_the_sentence_that_has_the_words_and_a_click_leads_to_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "does standing up cost speed")
    answer = results(chapter, "Answer").first
    expect(answer.locator(".found-line")).to_contain_text("Standing up from Prone costs half your full Speed")
    assert {"Standing", "up", "costs", "Speed"} <= {*answer.locator("mark").all_inner_texts()}
    answer.click()
    expect(chapter.get_by_role("main").get_by_text("Standing up from Prone costs half").first).to_be_in_viewport()


def test_an_answer_is_followed_by_the_calculator_beside_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    expect(results(chapter, "Answer").nth(0)).to_contain_text("The Creature lies on the ground")
    expect(results(chapter, "Answer").nth(1).locator(".found-kind")).to_have_text("Calculator")


def test_results_have_no_duplicate_urls(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    addresses = results(chapter).evaluate_all("rows => rows.map((row) => row.href)")
    assert len(addresses) > 4
    assert len(addresses) == len(set(addresses))


def test_every_result_leads_to_an_existing_page_and_anchor(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "damage")
    addresses = results(chapter).evaluate_all("rows => rows.map((row) => row.href)")
    assert any("#" in address for address in addresses)
    for address in addresses:
        chapter.goto(address)
        assert chapter.evaluate(
            "!location.hash || !!document.getElementById(decodeURIComponent(location.hash.slice(1)))"
        ), address


def test_search_tolerates_typos_accents_and_umlauts(chapter: Page) -> None:
    chapter.keyboard.press("/")
    for typed, name in (("prnoe", "Prone"), ("próne", "Prone")):
        search(chapter, typed)
        expect(results(chapter).first).to_contain_text(name)
    box(chapter).get_by_role("radio", name="All games").check()
    search(chapter, "marchen eng")
    expect(results(chapter).first).to_contain_text("Engine")


def test_search_without_results_shows_a_message(chapter: Page) -> None:
    chapter.keyboard.press("/")
    field(chapter).fill("qqqzzz")
    expect(counted(chapter)).to_have_text("No results", timeout=TIMEOUT)
    expect(box(chapter)).to_contain_text("No results for “qqqzzz” in Kismet.")
    expect(field(chapter)).to_have_attribute("aria-expanded", "false")
    chapter.keyboard.press("Enter")
    expect(field(chapter)).to_be_focused()


def test_result_on_the_same_page_closes_the_box_and_scrolls_to_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "difficulty tier table")
    chapter.keyboard.press("Enter")
    expect(box(chapter)).to_have_count(0)
    expect(chapter.locator("#difficulty-tier-table")).to_be_in_viewport()


# --- one game or all games


def test_search_is_limited_to_the_game_and_all_games_choice_is_remembered(chapter: Page, site: Site) -> None:
    chapter.keyboard.press("/")
    search(chapter, "initiative")
    assert results(chapter).filter(has_text="Märchen Engine").count() == 0
    box(chapter).get_by_role("radio", name="All games").check()
    expect(results(chapter).filter(has_text="Märchen Engine").first).to_be_visible(timeout=TIMEOUT)
    expect(field(chapter)).to_be_focused()
    chapter.goto(site.served + "kiss/index.html")
    chapter.keyboard.press("/")
    expect(box(chapter).get_by_role("radio", name="All games")).to_be_checked()
    expect(box(chapter).get_by_role("radio", name="KISS")).not_to_be_checked()


def test_library_home_page_searches_all_games(page: Page, site: Site) -> None:
    page.goto(site.served + "index.html")
    page.keyboard.press("/")
    expect(box(page).get_by_role("radio")).to_have_count(0)
    search(page, "initiative")
    games = set(results(page).locator(".found-kind").all_inner_texts())
    assert len({kind.rpartition(" · ")[2] for kind in games}) > 1


# --- other environments


def test_search_from_disk_finds_every_sentence(page: Page, site: Site) -> None:
    page.goto(site.local + CHAPTER)
    page.keyboard.press("/")
    search(page, "thrown and land prone")
    expect(results(page).first).to_contain_text("On a failure you are thrown and land Prone")
    search(page, "prone")
    page.keyboard.press("Enter")
    page.wait_for_url("**/" + PRONE)


def test_search_from_disk_finds_names_of_all_games(page: Page, site: Site) -> None:
    page.goto(site.local + "index.html")
    page.keyboard.press("/")
    search(page, "level 1")
    games = set(results(page).locator(".found-kind").all_inner_texts())
    assert len({kind.rpartition(" · ")[2] for kind in games}) > 1


def test_glossary_link_replaces_search_without_scripts(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.served + CHAPTER)
        button = page.get_by_role("banner").get_by_role("link", name="Glossary")
        button.click()
        page.wait_for_url("**/kismet/glossary/index.html")


@pytest.fixture(params=["light", "dark"])
def phone(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    with strict_context(browser, color_scheme=request.param, **PHONE) as context:
        yield context


def test_search_box_fills_the_screen_of_a_phone_without_overflow(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + CHAPTER)
    page.get_by_role("navigation", name="Shortcuts").get_by_role("button", name="Search").tap()
    search(page, "damage")
    area = box(page).bounding_box()
    assert area is not None
    assert (area["x"], area["y"], area["width"], area["height"]) == (0, 0, 390, 844)
    wide = (
        box(page)
        .locator("*")
        # The row of kinds scrolls inside of the box.
        .evaluate_all(
            "all => all.filter((element) => !element.parentElement.closest('.search-kinds')"
            " && element.getBoundingClientRect().right > 391).length"
        )
    )
    assert wide == 0
    for target in (*results(page).all()[:5], box(page).get_by_role("button", name="Close")):
        size = target.bounding_box()
        assert size is not None
        assert size["height"] >= 44
    results(page).first.tap()
    expect(box(page)).to_have_count(0)


def test_search_box_text_has_sufficient_contrast(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + CHAPTER)
    page.get_by_role("navigation", name="Shortcuts").get_by_role("button", name="Search").tap()
    search(page, "prone")
    measured = page.evaluate(
        """() => {
        const light = (colour) => {
          const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255)
            .map((part) => (part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4));
          return .2126 * r + .7152 * g + .0722 * b;
        };
        const ground = (element) => {
          const colour = getComputedStyle(element).backgroundColor;
          return /, 0\\)$/.test(colour) ? ground(element.parentElement) : colour;
        };
        const words = ".found-name, .found-kind, .found-line, .found-group, mark, label span";
        return [...document.querySelectorAll(`.search :is(${words})`)]
          .filter((element) => element.textContent && element.checkVisibility())
          .map((element) => {
            const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
            return [element.className || element.tagName, (a + .05) / (b + .05)];
          });
        }"""
    )
    assert len(measured) > 10
    assert [measurement for measurement in measured if measurement[1] < 4.5] == []


# --- questions


def test_result_shows_kind_answering_line_and_chapter(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "dl 9")
    first = results(chapter).first
    expect(first.locator(".found-kind")).to_have_text("Difficulty")
    expect(first.locator(".found-line")).to_contain_text("DL: 9")
    expect(first.locator(".found-line mark").first).to_have_text("DL")
    expect(first.locator(".found-trail")).to_contain_text("Core Rules")


def test_misspelt_words_are_found_and_the_right_ones_offered(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "initative")
    expect(results(chapter).first).to_contain_text("Initiative")
    meant = box(chapter).get_by_role("button", name="initiative")
    meant.click()
    expect(field(chapter)).to_have_value("initiative")
    expect(meant).to_be_hidden()


def test_search_of_all_games_corrects_no_word_that_one_of_them_has(page: Page, site: Site) -> None:
    page.goto(site.served + "index.html")
    page.keyboard.press("/")
    search(page, "What does prone do?")
    expect(results(page).first).to_contain_text("Prone")
    expect(box(page).get_by_text("Did you mean")).to_be_hidden()
    search(page, "initative")
    expect(box(page).get_by_text("Did you mean")).to_be_visible()


def test_arrow_key_filters_the_results_by_kind(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "attack")
    every = box(chapter).get_by_role("group", name="Kind").get_by_role("radio")
    expect(every.first).to_be_checked()
    chapter.keyboard.press("ArrowRight")
    expect(every.nth(1)).to_be_checked()
    kind = every.nth(1).get_attribute("value")
    expect(counted(chapter)).to_contain_text("result")
    assert set(results(chapter).locator(".found-kind").all_inner_texts()) == {kind}
    chapter.keyboard.press("ArrowLeft")
    expect(every.first).to_be_checked()
    expect(field(chapter)).to_be_focused()


def test_missing_words_lead_to_other_games_and_unwritten_chapters(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "kleptomaniac")
    expect(results(chapter, "In other games").first).to_contain_text("Kleptomaniac")
    expect(results(chapter, "In other games").first).to_contain_text("KISS")
    search(chapter, "greatsword")
    expect(results(chapter).first).to_contain_text("Not written yet")
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/kismet/index.html#unwritten-equipment-gear-economy")
    expect(chapter.locator("#unwritten-equipment-gear-economy")).to_be_visible()


def test_opened_searches_are_offered_again(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/" + PRONE)
    chapter.keyboard.press("/")
    box(chapter).get_by_role("button", name="prone", exact=True).click()
    expect(results(chapter).first).to_contain_text("Prone")
    expect(field(chapter)).to_be_focused()
