"""Link preview cards by mouse, keyboard and touch: opening, chaining, pinning and closing."""

import gzip
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from kismet_build.model.downloads import minify
from kismet_build.render.html.templates import SITE
from tests.browser.conftest import NEXT_FRAME, Site, strict_context
from tests.sample import sample

SKILL = "kismet/skill/bluff/index.html"
CHAPTER = "kismet/core-rules/proficiency/index.html"
MAX_SCRIPT_BYTES = 3_584
"""Maximum compressed bytes of the script."""
MAX_FILE_BYTES = 15_000
"""Maximum compressed bytes of a file of cards."""
MAX_TASKS = 3
"""Maximum number of tasks of a page until a card is shown whose data is already loaded, without waiting for a timer or
file."""

COVERS = """([card, link]) => {
  const there = card.getBoundingClientRect();
  return [...link.getClientRects()].some((line) => line.left < there.right - 1 && there.left < line.right - 1
    && line.top < there.bottom - 1 && there.top < line.bottom - 1);
}"""
LEAVES_VIEWPORT = """(card) => {
  const { left, top, right, bottom } = card.getBoundingClientRect();
  return left < 0 || top < 0 || right > document.documentElement.clientWidth || bottom > innerHeight;
}"""
LAYOUT_SHIFTS = """() => new Promise((done) => new PerformanceObserver((list, observer) => {
    observer.disconnect();
    done(list.getEntries().reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(done, 300, 0))"""


def card(page: Page, name: str = "") -> Locator:
    return page.locator(f'.link-card[aria-label^="{name}"]' if name else ".link-card")


def link(page: Page, name: str = "Social Defense") -> Locator:
    return page.locator("article .text").get_by_role("link", name=name, exact=True).first


def away(page: Page) -> None:
    """Move the mouse away from all links."""
    page.mouse.move(600, 3)


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    options = {"viewport": {"width": 390, "height": 700}, "has_touch": True, "is_mobile": True}
    with strict_context(browser, **options) as context:
        yield context


@pytest.fixture
def skill(page: Page, root: str) -> Page:
    page.goto(root + SKILL)
    return page


# --- by mouse


def test_hovering_a_link_shows_the_card_of_its_target(skill: Page) -> None:
    link(skill).hover()
    shown = card(skill)
    expect(shown).to_have_attribute("aria-label", "Social, Defense")
    expect(shown).to_have_attribute("role", "dialog")
    expect(shown.locator(".card-kind")).to_have_text("Defense")
    expect(shown.locator(".ornament")).to_have_count(1)
    expect(shown).to_contain_text("flattery")
    assert not shown.evaluate("(card) => card.contains(document.activeElement)"), "hovering does not move the focus"


def test_card_shows_fields_and_effects(page: Page, site: Site) -> None:
    page.goto(site.served + "kismet/skill/index.html")
    page.locator("article td a, article th a").get_by_text("Bluff", exact=True).hover()
    expect(card(page, "Bluff").locator(".plates")).to_contain_text("Opposed by")
    page.goto(site.served + "kismet/condition/index.html")
    page.locator("article").get_by_role("link", name="Prone", exact=True).first.hover()
    expect(card(page, "Prone").locator(".effect")).not_to_have_count(0)


def test_section_card_shows_parent_chapter_and_first_text(page: Page, site: Site) -> None:
    page.goto(site.served + SKILL)
    page.locator(".stands-in a").nth(1).hover()
    shown = card(page)
    expect(shown.locator(".card-kind")).to_have_text("Section")
    expect(shown.locator(".card-also")).to_contain_text("Core Rules")
    page.locator(".stands-in a").first.hover()
    expect(card(page, "Core Rules, Chapter").locator(".card-below a")).not_to_have_count(0)
    expect(shown).to_have_count(1)


def test_link_to_an_entity_heading_shows_the_entity_card(page: Page, site: Site) -> None:
    page.goto(site.served + "kismet/defense/social/index.html")
    link(page, "Taunt").hover()
    expect(card(page, "Taunt, Skill")).to_be_visible()


def test_card_stays_open_while_hovered_and_closes_afterwards(skill: Page) -> None:
    link(skill).hover()
    card(skill).locator(".emblem").hover()
    skill.wait_for_timeout(600)
    expect(card(skill)).to_have_count(1)
    away(skill)
    expect(card(skill)).to_have_count(0)


def test_passing_over_a_link_with_the_mouse_shows_no_card(skill: Page) -> None:
    link(skill).hover()
    away(skill)
    skill.wait_for_timeout(400)
    expect(card(skill)).to_have_count(0)


def test_link_in_a_card_opens_another_card_beside_it(skill: Page) -> None:
    link(skill).hover()
    first = card(skill, "Social")
    inner = first.get_by_role("link", name="Taunt")
    inner.hover()
    second = card(skill, "Taunt")
    expect(second).to_be_visible()
    expect(first).to_be_visible()
    assert not skill.evaluate(COVERS, [second.element_handle(), inner.element_handle()])
    boxes = [locator.bounding_box() for locator in (first, second)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[1]["x"] >= boxes[0]["x"] + boxes[0]["width"] or boxes[0]["x"] >= boxes[1]["x"] + boxes[1]["width"]
    first.locator(".card-kind").hover()
    expect(second).to_have_count(0)
    expect(first).to_be_visible()


def test_link_in_a_card_to_an_open_card_opens_no_second_one(skill: Page) -> None:
    link(skill).hover()
    card(skill).locator(".card-name a").hover()
    skill.wait_for_timeout(500)
    expect(card(skill)).to_have_count(1)
    card(skill).get_by_role("link", name="Taunt").hover()
    card(skill, "Taunt").get_by_role("link", name="Social").hover()
    skill.wait_for_timeout(500)
    expect(card(skill)).to_have_count(2)


def test_pinned_cards_stay_open_and_other_cards_open_beside_them(skill: Page) -> None:
    link(skill).hover()
    first = card(skill, "Social")
    first.get_by_role("button", name="Keep open").click()
    away(skill)
    skill.wait_for_timeout(600)
    expect(first).to_be_visible()
    expect(first.get_by_role("button", name="Keep open")).to_have_attribute("aria-pressed", "true")
    first.get_by_role("link", name="Taunt").hover()
    second = card(skill, "Taunt")
    second.get_by_role("button", name="Keep open").click()
    skill.mouse.click(5, 5)
    expect(card(skill)).to_have_count(2)
    place = first.bounding_box()
    skill.mouse.wheel(0, 200)
    skill.wait_for_timeout(200)
    assert first.bounding_box() == place, "a pinned card does not scroll"
    second.get_by_role("button", name="Close").click()
    first.get_by_role("button", name="Keep open").click()
    skill.mouse.click(5, 5)
    expect(card(skill)).to_have_count(0)


def test_dragging_a_card_by_its_header_moves_and_pins_it(skill: Page) -> None:
    link(skill).hover()
    first = card(skill)
    first.locator(".emblem").hover()
    before = first.bounding_box()
    skill.mouse.down()
    skill.mouse.move(200, 100, steps=4)
    skill.mouse.up()
    after = first.bounding_box()
    assert before
    assert after
    assert (after["x"], after["y"]) != (before["x"], before["y"])
    expect(first.get_by_role("button", name="Keep open")).to_have_attribute("aria-pressed", "true")


def test_click_outside_closes_the_card_and_click_on_the_link_follows_it(skill: Page, root: str) -> None:
    link(skill).hover()
    expect(card(skill)).to_be_visible()
    skill.mouse.click(5, 5)
    expect(card(skill)).to_have_count(0)
    away(skill)
    link(skill).hover()
    expect(card(skill)).to_be_visible()
    link(skill).click()
    expect(skill).to_have_url(root + "kismet/defense/social/index.html")


def test_links_of_a_card_have_the_same_targets_as_on_a_page(skill: Page, root: str) -> None:
    link(skill).hover()
    card(skill).get_by_role("link", name="Taunt").click()
    expect(skill).to_have_url(root + "kismet/core-rules/stealth-physical-skill/index.html#taunt-social-skill")


def test_links_of_navigation_and_table_of_contents_open_no_cards(page: Page, site: Site) -> None:
    page.goto(site.served + CHAPTER)
    for place in ("#_contents a", "#_navigation a", ".permalink"):
        page.locator(place).nth(3).hover()
        page.wait_for_timeout(400)
        expect(card(page)).to_have_count(0)


# --- by keyboard


def test_focused_link_shows_its_card_and_tab_moves_on(skill: Page) -> None:
    skill.keyboard.press("Tab")
    link(skill).focus()
    expect(card(skill, "Social")).to_be_visible()
    expect(link(skill)).to_be_focused()
    skill.keyboard.press("Tab")
    expect(card(skill)).to_have_count(0)
    expect(link(skill)).not_to_be_focused()


def test_passing_a_link_by_keyboard_shows_no_card(skill: Page) -> None:
    skill.keyboard.press("Tab")
    link(skill).focus()
    skill.keyboard.press("Tab")
    skill.wait_for_timeout(300)
    expect(card(skill)).to_have_count(0)


def test_space_moves_focus_into_the_card_and_escape_returns_it(skill: Page) -> None:
    link(skill).focus()
    skill.keyboard.press("Space")
    expect(card(skill, "Social")).to_be_focused()
    skill.keyboard.press("Escape")
    expect(card(skill)).to_have_count(0)
    expect(link(skill)).to_be_focused()
    skill.wait_for_timeout(800)
    expect(card(skill)).to_have_count(0)


def test_cards_chain_by_keyboard_and_escape_closes_them_one_by_one(skill: Page) -> None:
    link(skill).focus()
    skill.keyboard.press("Space")
    first = card(skill, "Social")
    inner = first.get_by_role("link", name="Taunt")
    while not inner.evaluate("(link) => link === document.activeElement"):
        skill.keyboard.press("Tab")
    skill.keyboard.press("Space")
    expect(card(skill, "Taunt")).to_be_focused()
    skill.keyboard.press("Escape")
    expect(card(skill)).to_have_count(1)
    expect(inner).to_be_focused()
    skill.keyboard.press("Escape")
    expect(card(skill)).to_have_count(0)
    expect(link(skill)).to_be_focused()


def test_card_does_not_trap_keyboard_focus(skill: Page) -> None:
    link(skill).focus()
    skill.keyboard.press("Tab")
    behind = skill.evaluate_handle("document.activeElement")
    link(skill).focus()
    skill.keyboard.press("Space")
    expect(card(skill)).to_be_focused()
    stops = card(skill).locator("a[href], button").count()
    for _ in range(stops):
        skill.keyboard.press("Tab")
        expect(card(skill).locator(":focus")).to_have_count(1)
    skill.keyboard.press("Tab")
    assert skill.evaluate("(behind) => document.activeElement === behind", behind)
    expect(card(skill)).to_have_count(0)
    link(skill).focus()
    skill.keyboard.press("Space")
    expect(card(skill)).to_be_focused()
    skill.keyboard.press("Shift+Tab")
    expect(link(skill)).to_be_focused()


def test_escape_closes_a_pinned_card_if_no_other_is_open(skill: Page) -> None:
    link(skill).focus()
    skill.keyboard.press("Space")
    card(skill).get_by_role("button", name="Keep open").focus()
    skill.keyboard.press("Enter")
    link(skill).focus()
    expect(card(skill)).to_have_count(1)
    skill.keyboard.press("Escape")
    expect(card(skill)).to_have_count(0)


# --- by touch


def test_first_tap_shows_a_bottom_sheet_and_second_tap_follows_the_link(phone: BrowserContext, root: str) -> None:
    page = phone.new_page()
    page.goto(root + SKILL)
    link(page).tap()
    shown = card(page, "Social")
    expect(shown).to_be_visible()
    box = shown.bounding_box()
    assert box
    assert (round(box["x"]), round(box["x"] + box["width"]), round(box["y"] + box["height"])) == (0, 390, 700)
    assert not page.evaluate(COVERS, [shown.element_handle(), link(page).element_handle()])
    assert page.url == root + SKILL
    link(page).tap()
    expect(page).to_have_url(root + "kismet/defense/social/index.html")


def test_bottom_sheet_can_be_closed_and_links_to_the_page(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + SKILL)
    link(page).tap()
    card(page).get_by_role("button", name="Close").tap()
    expect(card(page)).to_have_count(0)
    link(page).tap()
    expect(card(page)).to_be_visible()
    page.touchscreen.tap(200, 20)
    expect(card(page)).to_have_count(0)
    link(page).tap()
    card(page).get_by_role("link", name="Open page").tap()
    expect(page).to_have_url(site.served + "kismet/defense/social/index.html")


def test_bottom_sheets_chain(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + SKILL)
    link(page).tap()
    card(page, "Social").get_by_role("link", name="Taunt").tap()
    expect(card(page, "Taunt")).to_be_visible()
    card(page, "Taunt").get_by_role("button", name="Close").tap()
    expect(card(page, "Taunt")).to_have_count(0)
    expect(card(page, "Social")).to_be_visible()


def test_bottom_sheet_does_not_cover_its_link_at_the_end_of_a_page(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + SKILL)
    page.evaluate("""() => {
      const line = document.createElement("article");
      line.innerHTML = '<a id="_last" href="../../defense/social/index.html">Social</a>';
      document.body.append(line);
      scrollTo(0, document.body.scrollHeight);
    }""")
    # The site's bottom bar is not tested here, and could be tapped at the end of the page.
    page.evaluate("document.querySelector('#_bar').remove()")
    page.locator("#_last").tap()
    expect(card(page)).to_be_visible()
    assert not page.evaluate(COVERS, [card(page).element_handle(), page.locator("#_last").element_handle()])


def test_tap_on_a_link_without_a_card_follows_it(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + SKILL)
    page.locator("article .card-kind a").tap()
    expect(page).to_have_url(site.served + "kismet/skill/index.html")


# --- position of a card


@pytest.mark.parametrize(("width", "height"), sample([(1280, 800), (900, 420), (390, 700), (320, 500)], 2))
def test_card_stays_in_the_viewport_and_does_not_cover_its_link(
    page: Page, site: Site, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(site.served + CHAPTER)
    # If all cards are loaded, a card opens before the next frame, or the link has no card.
    files = [f"kismet/{file.name}" for file in sorted((site.folder / "assets/kismet").glob("cards*.js"))]
    page.evaluate("(files) => kismet.need(...files)", files)
    links = page.locator("article .text p a:not(.permalink):not(.why):visible")
    seen = 0
    for place in range(0, links.count(), max(1, links.count() // 14)):
        link = links.nth(place)
        link.scroll_into_view_if_needed()
        link.focus()
        page.keyboard.press("Space")
        page.evaluate(NEXT_FRAME)
        if not card(page).count():
            continue
        handles = [card(page).element_handle(), link.element_handle()]
        assert not page.evaluate(COVERS, handles), link.inner_text()
        assert not card(page).evaluate(LEAVES_VIEWPORT), link.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
        expect(card(page)).to_have_count(0)
        seen += 1
    assert seen > 5


# --- switched off, dark, reduced motion, print


def test_cards_can_be_switched_off(skill: Page) -> None:
    skill.evaluate("kismet.choose('cards', 'off')")
    link(skill).hover()
    skill.wait_for_timeout(500)
    expect(card(skill)).to_have_count(0)
    link(skill).focus()
    skill.keyboard.press("Space")
    skill.wait_for_timeout(300)
    expect(card(skill)).to_have_count(0)
    skill.evaluate("kismet.choose('cards')")
    skill.mouse.move(5, 5)
    link(skill).hover()
    expect(card(skill)).to_be_visible()


def test_first_tap_follows_the_link_if_cards_are_off(phone: BrowserContext, site: Site) -> None:
    page = phone.new_page()
    page.goto(site.served + SKILL)
    page.evaluate("kismet.choose('cards', 'off')")
    link(page).tap()
    expect(page).to_have_url(site.served + "kismet/defense/social/index.html")


def test_card_follows_dark_theme_reduced_motion_and_print(browser: Browser, site: Site) -> None:
    with strict_context(browser, color_scheme="dark", reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(site.served + SKILL)
        link(page).hover()
        expect(card(page)).to_have_css("background-color", "rgb(31, 28, 40)")
        expect(card(page)).to_have_css("animation-name", "none")
        page.emulate_media(media="print")
        expect(card(page)).to_be_hidden()


# --- size and speed


def test_loaded_card_opens_within_100_ms_without_layout_shift(page: Page, site: Site) -> None:
    page.goto(site.served + SKILL)
    link(page).focus()
    page.keyboard.press("Space")
    expect(card(page)).to_be_visible()
    page.keyboard.press("Escape")
    tasks = page.evaluate("""async () => {
      const { port1, port2 } = new MessageChannel();
      const nextTask = () => new Promise((done) => { port2.onmessage = done; port1.postMessage(0); });
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }));
      let tasks = 0;
      for (; tasks < 1000 && !document.querySelector(".link-card"); tasks++) await nextTask();
      return tasks;
    }""")
    assert tasks <= MAX_TASKS
    assert page.evaluate(LAYOUT_SHIFTS) < 0.01


def test_size_of_card_script_and_card_files_is_limited(site: Site) -> None:
    script = minify("cards.js", (SITE / "assets/cards.js").read_bytes())
    assert len(gzip.compress(script)) <= MAX_SCRIPT_BYTES
    files = sorted((site.folder / "assets").glob("*/cards*.js"))
    assert len(files) > 8
    for file in files:
        assert len(gzip.compress(file.read_bytes())) <= MAX_FILE_BYTES, file.name


def test_card_files_are_requested_once_when_a_card_is_opened(page: Page, site: Site) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(site.served + SKILL)
    page.wait_for_load_state("networkidle")
    assert not [url for url in requests if "/kismet/cards" in url and "/assets/" in url]
    link(page).hover()
    expect(card(page)).to_be_visible()
    assert len([url for url in requests if "/assets/kismet/cards" in url]) == 2
    away(page)
    expect(card(page)).to_have_count(0)
    link(page).hover()
    expect(card(page)).to_be_visible()
    assert len([url for url in requests if "/assets/kismet/cards" in url]) == 2
