"""Search by keyboard: exact names first, in one game or in all, from a server and from disk."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from kismet_build.output.search_index import pagefind_program
from tests.browser.conftest import TIMEOUT, Site, strict_context

CHAPTER = "kismet/core-rules/index.html"
PRONE = "kismet/condition/prone/index.html"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
full_text = pytest.mark.skipif(pagefind_program() is None, reason="there is no Pagefind for this machine")


def box(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search")


def field(page: Page) -> Locator:
    return box(page).get_by_role("combobox")


def results(page: Page, group: str = "") -> Locator:
    """The results, or those of one group."""
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
    """Type words into the open search box and wait for all results."""
    field(page).fill(words)
    expect(counted(page)).to_contain_text("result", timeout=TIMEOUT)


@pytest.fixture
def chapter(page: Page, site: Site) -> Page:
    """A chapter on a server."""
    page.goto(site.served + CHAPTER)
    return page


# --- opened and closed


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_a_key_opens_it_with_the_cursor_in_the_field_and_escape_gives_the_focus_back(chapter: Page, key: str) -> None:
    link = chapter.get_by_role("main").get_by_role("link").nth(3)
    link.focus()
    chapter.keyboard.press(key)
    expect(field(chapter)).to_be_focused()
    expect(field(chapter)).to_have_value("")
    chapter.keyboard.press("Escape")
    expect(box(chapter)).to_have_count(0)
    expect(link).to_be_focused()


def test_a_slash_that_is_typed_into_a_field_stays_there(chapter: Page) -> None:
    chapter.keyboard.press("/")
    expect(field(chapter)).to_be_focused()
    chapter.keyboard.type("1/2")
    expect(field(chapter)).to_have_value("1/2")


def test_letters_typed_while_it_is_loaded_are_not_lost(chapter: Page) -> None:
    def late(route: Route) -> None:
        chapter.wait_for_timeout(300)
        route.continue_()

    chapter.route("**/search-box.js", late)
    chapter.keyboard.type("/prone", delay=20)
    expect(field(chapter)).to_have_value("prone")
    expect(results(chapter).first).to_contain_text("Prone")


def test_its_button_opens_it_by_pointer_and_by_keyboard(chapter: Page) -> None:
    door = chapter.get_by_role("banner").get_by_role("button", name="Search")
    door.click()
    expect(field(chapter)).to_be_focused()
    box(chapter).get_by_role("button", name="Close").click()
    expect(door).to_be_focused()
    chapter.keyboard.press("Enter")
    expect(field(chapter)).to_be_focused()


def test_a_press_beside_it_closes_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    expect(field(chapter)).to_be_focused()
    chapter.mouse.click(5, 5)
    expect(box(chapter)).to_have_count(0)


def test_nothing_of_it_but_its_opener_is_loaded_before_it_is_asked_for(page: Page, site: Site) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.rpartition("/")[2].partition("?")[0]))
    page.goto(site.served + CHAPTER, wait_until="networkidle")
    assert [name for name in requests if "search" in name or "names" in name or "pagefind" in name] == ["search.js"]
    page.keyboard.press("/")
    expect(field(page)).to_be_focused()
    assert {"search-box.js", "search-names.js", "kismet-names.js"} <= set(requests)
    assert not [name for name in requests if "pagefind" in name], "the engine waits for the first letter"


# --- found


def test_an_exact_name_is_first_and_enter_opens_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    expect(chosen(chapter)).to_contain_text("Prone")
    expect(chosen(chapter)).to_contain_text("Condition")
    expect(chosen(chapter).locator("mark")).to_have_text("Prone")
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/" + PRONE)


def test_arrows_home_and_end_walk_through_all_results_and_around(chapter: Page) -> None:
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


def test_home_and_end_move_in_the_words_until_a_result_was_chosen(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "rone")
    chapter.keyboard.press("Home")
    chapter.keyboard.type("p")
    expect(field(chapter)).to_have_value("prone")


@full_text
def test_the_text_is_found_with_the_line_that_matched(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "stands up")
    line = results(chapter, "In the text").and_(chapter.locator(f'[href$="{PRONE}"]'))
    expect(line).to_contain_text("Condition")
    expect(line.locator(".found-line")).to_contain_text("Speed")
    assert {words.strip(" .,").casefold() for words in line.locator("mark").all_inner_texts()} >= {"stands", "up"}


@full_text
def test_a_place_that_is_listed_by_its_name_is_not_listed_again(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "prone")
    addresses = results(chapter).evaluate_all("rows => rows.map((row) => row.href)")
    assert len(addresses) > 4
    assert len(addresses) == len(set(addresses))


@full_text
def test_every_result_leads_to_a_page_and_a_place_on_it(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "damage")
    addresses = results(chapter).evaluate_all("rows => rows.map((row) => row.href)")
    assert any("#" in address for address in addresses)
    for address in addresses:
        chapter.goto(address)
        assert chapter.evaluate(
            "!location.hash || !!document.getElementById(decodeURIComponent(location.hash.slice(1)))"
        ), address


def test_a_wrong_letter_an_accent_and_an_umlaut_are_forgiven(chapter: Page) -> None:
    chapter.keyboard.press("/")
    for typed, name in (("prnoe", "Prone"), ("próne", "Prone")):
        search(chapter, typed)
        expect(results(chapter).first).to_contain_text(name)
    box(chapter).get_by_role("radio", name="All games").check()
    search(chapter, "marchen eng")
    expect(results(chapter).first).to_contain_text("Engine")


def test_what_nobody_says_is_said_to_be_missing(chapter: Page) -> None:
    chapter.keyboard.press("/")
    field(chapter).fill("qqqzzz")
    expect(counted(chapter)).to_have_text("No results", timeout=TIMEOUT)
    expect(box(chapter)).to_contain_text("Nothing in Kismet says “qqqzzz”.")
    expect(field(chapter)).to_have_attribute("aria-expanded", "false")
    chapter.keyboard.press("Enter")
    expect(field(chapter)).to_be_focused()


def test_a_result_on_this_very_page_closes_the_box_and_goes_there(chapter: Page) -> None:
    chapter.keyboard.press("/")
    search(chapter, "difficulty tier table")
    chapter.keyboard.press("Enter")
    expect(box(chapter)).to_have_count(0)
    expect(chapter.locator("#difficulty-tier-table")).to_be_in_viewport()


# --- where


def test_a_game_is_searched_alone_until_all_are_asked_for_which_is_remembered(chapter: Page, site: Site) -> None:
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


def test_the_home_of_the_library_searches_all_games(page: Page, site: Site) -> None:
    page.goto(site.served + "index.html")
    page.keyboard.press("/")
    expect(box(page).get_by_role("radio")).to_have_count(0)
    search(page, "initiative")
    games = set(results(page).locator(".found-kind").all_inner_texts())
    assert len({kind.rpartition(" · ")[2] for kind in games}) > 1


# --- everywhere


def test_from_a_folder_names_are_found_and_a_quiet_line_says_what_is_not(page: Page, site: Site) -> None:
    page.goto(site.local + CHAPTER)
    page.keyboard.press("/")
    search(page, "prone")
    expect(results(page).first).to_contain_text("Condition")
    expect(box(page)).to_contain_text("the text of the pages needs a server")
    page.keyboard.press("Enter")
    page.wait_for_url("**/" + PRONE)


def test_from_a_folder_all_games_are_searched_as_well(page: Page, site: Site) -> None:
    page.goto(site.local + "index.html")
    page.keyboard.press("/")
    search(page, "level 1")
    games = set(results(page).locator(".found-kind").all_inner_texts())
    assert len({kind.rpartition(" · ")[2] for kind in games}) > 1


def test_a_site_without_an_index_of_its_text_still_finds_names(browser: Browser, site: Site) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/pagefind/**", lambda route: route.abort())
    page.goto(site.served + CHAPTER)
    page.keyboard.press("/")
    search(page, "prone")
    expect(results(page).first).to_contain_text("Prone")
    expect(box(page)).to_contain_text("Only names and headings can be searched here.")
    context.close()


def test_without_scripts_the_glossary_stands_in_its_place(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.served + CHAPTER)
        door = page.get_by_role("banner").get_by_role("link", name="Glossary")
        door.click()
        page.wait_for_url("**/kismet/glossary/index.html")


@pytest.fixture(params=["light", "dark"])
def phone(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    with strict_context(browser, color_scheme=request.param, **PHONE) as context:
        yield context


def test_on_a_phone_it_fills_the_screen_and_fits_it(phone: BrowserContext, site: Site) -> None:
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
        .evaluate_all("all => all.filter((element) => element.getBoundingClientRect().right > 391).length")
    )
    assert wide == 0
    for target in (*results(page).all()[:5], box(page).get_by_role("button", name="Close")):
        size = target.bounding_box()
        assert size is not None
        assert size["height"] >= 44
    results(page).first.tap()
    expect(box(page)).to_have_count(0)


def test_its_words_stand_out_from_the_ground(phone: BrowserContext, site: Site) -> None:
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
