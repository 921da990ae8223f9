"""Reading settings (theme, font, size) and the position in the text, with and without scripts."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from kismet_build.config.design import bar_colours
from tests.browser.conftest import NEXT_FRAME, Site, strict_context
from tests.command import CONTENT, GAMES
from tests.sample import sample

CHAPTER = "kismet/core-rules/proficiency/index.html"
LONG = "kismet/questions/index.html"
ENTITY = "kismet/condition/blind/index.html"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(251, 248, 241)", "rgb(21, 19, 27)"
LAYOUT_SHIFTS = """new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().map((entry) =>
    [entry.value, entry.sources.map(({node}) => node?.outerHTML?.slice(0, 80) ?? node?.data)])))
  .observe({type: "layout-shift", buffered: true}) ?? setTimeout(() => resolve([]), 200))"""
HORIZONTAL_OVERFLOW = """Math.max(...[document.documentElement, document.querySelector("main")].map((element) =>
    element ? element.scrollWidth - element.clientWidth : 0))"""
"""Pixels by which a page is too wide. Content that is too wide is cut off and lost."""


def test_question_mark_lists_the_keys_except_in_a_text_field(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/index.html")
    keys = page.get_by_role("dialog", name="Keys")
    field = page.get_by_role("main").get_by_role("searchbox")
    field.press("?")
    expect(field).to_have_value("?")
    expect(keys).not_to_be_visible()
    field.blur()
    page.keyboard.press("?")
    expect(keys.get_by_role("term")).to_have_text(
        ["Search", "Choose a result", "Pin what you read", "Preview the link", "Close", "Keys"]
    )
    page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()


def settings(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Settings")


def open_settings(page: Page) -> Locator:
    page.get_by_role("button", name="Settings").click()
    expect(settings(page)).to_be_visible()
    return settings(page)


def choose(page: Page, name: str) -> None:
    settings(page).get_by_role("radio", name=name, exact=True).first.check()


def store_settings(context: BrowserContext, chosen: str) -> None:
    # The script runs on every page: it must not overwrite stored settings, and some pages have no local storage.
    context.add_init_script(f"try {{ localStorage['kismet-settings'] ??= '{chosen}' }} catch {{}}")


def pages_of_each_type(site: Site) -> list[str]:
    """Pages of each type of each game, and the pages of the library."""
    pages = ["index.html", "glossary/index.html"]
    for home in sorted(site.folder.glob("*/index.html")):
        game = home.parent
        if game.name == "glossary":
            continue
        pages.append(f"{game.name}/index.html")
        for below in sorted(path for path in game.iterdir() if (path / "index.html").is_file()):
            pages.append(f"{game.name}/{below.name}/index.html")
            deeper = sorted(below.glob("*/index.html"))
            pages += [path.relative_to(site.folder).as_posix() for path in deeper[:2]]
        pages += [path.relative_to(site.folder).as_posix() for path in sorted(game.glob("sheets/*/index.html"))]
        pages += [
            path.relative_to(site.folder).as_posix() for path in sorted(game.glob("calculators/*/index.html"))[:1]
        ]
    # Redirects from old addresses are left out.
    return [path for path in pages if 'http-equiv="refresh"' not in (site.folder / path).read_text()]


# --- settings


@pytest.mark.parametrize(
    ("theme", "background"),
    [("Light", LIGHT), ("Dark", DARK), ("Contrast", "rgb(255, 255, 255)"), ("Automatic", LIGHT)],
)
def test_theme_is_preserved_across_pages_and_games(page: Page, root: str, theme: str, background: str) -> None:
    page.goto(root + CHAPTER)
    open_settings(page)
    choose(page, "Dark")
    choose(page, theme)
    assert page.evaluate(BACKGROUND) == background
    for path in (ENTITY, "index.html", LONG):
        page.goto(root + path)
        assert page.evaluate(BACKGROUND) == background


def test_all_settings_are_preserved_and_shown_as_checked(page: Page, root: str) -> None:
    page.goto(root + CHAPTER)
    open_settings(page)
    for name in ("Dark", "Easy to read", "Largest", "Off"):
        choose(page, name)
    page.goto(root + ENTITY)
    chosen = page.evaluate("({...document.documentElement.dataset})")
    assert {name: chosen.get(name) for name in ("theme", "face", "size", "cards")} == {
        "theme": "dark",
        "face": "easy",
        "size": "largest",
        "cards": "off",
    }
    open_settings(page)
    for name in ("Dark", "Easy to read", "Largest", "Off"):
        expect(settings(page).get_by_role("radio", name=name, exact=True).first).to_be_checked()


def test_another_tab_applies_a_changed_setting(context: BrowserContext, site: Site) -> None:
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto(site.served + CHAPTER)
    open_settings(first)
    choose(first, "Dark")
    expect(second.locator("html")).to_have_attribute("data-theme", "dark")
    assert second.evaluate(BACKGROUND) == DARK


def test_settings_dialog_works_by_keyboard_and_restores_focus(page: Page, root: str) -> None:
    page.goto(root + CHAPTER)
    button = page.get_by_role("button", name="Settings")
    button.focus()
    page.keyboard.press("Enter")
    expect(settings(page)).to_be_visible()
    expect(settings(page).get_by_role("radio", name="Automatic")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    expect(settings(page)).to_be_hidden()
    expect(button).to_be_focused()


def test_settings_apply_without_local_storage(page: Page, site: Site) -> None:
    page.add_init_script(
        "Object.defineProperty(globalThis, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }})"
    )
    page.goto(site.local + CHAPTER)
    open_settings(page)
    choose(page, "Dark")
    assert page.evaluate(BACKGROUND) == DARK


@pytest.mark.parametrize("stored", ["", "null", "3", "[]", '{"theme": 1, "size": "huge"}', '{"theme": "__proto__"}'])
def test_invalid_stored_settings_are_ignored(context: BrowserContext, site: Site, stored: str) -> None:
    store_settings(context, stored)
    page = context.new_page()
    page.goto(site.served + CHAPTER)
    assert page.evaluate(BACKGROUND) == LIGHT
    open_settings(page)
    choose(page, "Dark")
    assert page.evaluate(BACKGROUND) == DARK


@pytest.mark.parametrize(("system", "theme", "background"), [("dark", "light", LIGHT), ("light", "dark", DARK)])
def test_stored_theme_overrides_the_system_before_the_first_paint(
    browser: Browser, site: Site, system: str, theme: str, background: str
) -> None:
    with strict_context(browser, color_scheme=system) as context:
        store_settings(context, f'{{"theme": "{theme}"}}')
        page = context.new_page()
        page.add_init_script(f"addEventListener('load', () => (globalThis.background = {BACKGROUND}))")
        page.goto(site.served + LONG)
        assert page.evaluate("background") == background
        # The script is requested before the style sheet, and runs before the first paint without stopping the parser.
        script = page.locator("script[src$='settings.js']")
        assert script.get_attribute("async") is not None
        assert script.get_attribute("blocking") == "render"
        assert script.evaluate(
            "(script) => !!(script.compareDocumentPosition(document.querySelector('[rel=stylesheet]')) & 4)"
        )


def test_theme_color_and_color_scheme_follow_the_theme(page: Page, site: Site) -> None:
    page.goto(site.served + CHAPTER)
    own = page.locator("meta[name=theme-color]").evaluate_all("(all) => all.map((tag) => tag.content)")
    accent = yaml.safe_load((CONTENT / "kismet" / "game.yaml").read_text(encoding="utf-8"))["accent"]
    assert tuple(own) == bar_colours([accent["light"], accent["dark"]])
    bar = page.evaluate("getComputedStyle(document.querySelector('.bar')).backgroundColor")
    assert bar == "rgb({}, {}, {})".format(*bytes.fromhex(own[0][1:]))
    open_settings(page)
    choose(page, "Dark")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert page.locator("meta[name=color-scheme]").get_attribute("content") == "dark"
    assert len(set(page.locator("meta[name=theme-color]").evaluate_all("(all) => all.map((tag) => tag.content)"))) == 1
    choose(page, "Automatic")
    assert page.locator("meta[name=theme-color]").evaluate_all("(all) => all.map((tag) => tag.content)") == own


def test_accent_colour_of_a_game_follows_the_theme(page: Page, site: Site) -> None:
    colour = "getComputedStyle(document.querySelector('main a')).color"
    page.goto(site.served + "marchen/index.html")
    light = page.evaluate(colour)
    open_settings(page)
    choose(page, "Dark")
    dark = page.evaluate(colour)
    choose(page, "Contrast")
    assert len({light, dark, page.evaluate(colour)}) == 3


# --- position in the text


def current(page: Page) -> Locator:
    return page.locator(".contents a[aria-current]")


def test_table_of_contents_marks_the_current_section_and_scrolls_to_it(page: Page, root: str) -> None:
    page.goto(root + LONG)
    seen = []
    for share in (0.2, 0.4, 0.6, 0.8):
        page.evaluate(f"scrollTo(0, {share} * document.documentElement.scrollHeight)")
        page.evaluate(NEXT_FRAME)
        expect(current(page)).to_have_count(1)
        expect(current(page)).to_be_in_viewport()
        seen.append(current(page).text_content())
        # The marked section is the one at the top of the window.
        top = current(page).evaluate(
            "(link) => document.getElementById(decodeURIComponent(link.hash.slice(1))).getBoundingClientRect().top"
        )
        assert top < 120
    assert len(set(seen)) == 4


def test_clicked_entry_of_the_table_of_contents_is_marked(page: Page, root: str) -> None:
    page.goto(root + CHAPTER)
    link = page.locator(".contents").get_by_role("link", name="Speed", exact=True)
    link.click()
    expect(link).to_have_attribute("aria-current", "location")
    expect(current(page)).to_have_count(1)


def test_long_table_of_contents_is_expanded_at_the_current_section_only(page: Page, site: Site) -> None:
    page.goto(site.served + LONG)
    total = page.locator(".contents li").count()
    assert total > 40
    shown = page.locator(".contents li:visible")
    assert shown.count() <= 30
    page.evaluate("scrollTo(0, 0.6 * document.documentElement.scrollHeight)")
    expect(current(page)).to_be_in_viewport()
    assert shown.count() < total
    button = page.locator(".contents button[aria-expanded=false]:visible").first
    before = shown.count()
    button.click()
    assert shown.count() > before


def test_table_of_contents_does_not_change_the_width_of_the_text(page: Page, site: Site) -> None:
    page.goto(site.served + LONG)
    width = "document.querySelector('main').getBoundingClientRect().width"
    before = page.evaluate(width)
    page.evaluate("scrollTo(0, 20000)")
    expect(current(page)).to_have_count(1)
    assert page.evaluate(width) == before


def test_heading_link_copies_its_url(browser: Browser, site: Site) -> None:
    with strict_context(browser, permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(site.served + CHAPTER)
        page.get_by_role("link", name="Copy link to this rule: Speed", exact=True).click()
        expect(page.get_by_role("status").last).to_have_text("Address copied")
        assert page.evaluate("navigator.clipboard.readText()") == page.url
        assert page.url.endswith("#speed")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (CHAPTER, "2 CORE RULES.md, lines "),
        ("kismet/condition/index.html", "10 COMBAT RULES.md, lines "),
        (ENTITY, "10 COMBAT RULES.md, line"),
    ],
)
def test_page_has_its_source_lines_and_data_behind_one_link(page: Page, site: Site, path: str, source: str) -> None:
    page.goto(site.served + path)
    place = page.locator("main details.source")
    expect(place.locator("dl")).to_be_hidden()
    place.get_by_text("Source and data").click()
    expect(place.locator("dl")).to_contain_text(source)
    data = place.get_by_role("link", name="JSON").get_attribute("href")
    assert data is not None
    assert page.request.get(page.evaluate("(href) => new URL(href, location.href).href", data)).ok


def test_breadcrumbs_link_to_library_game_and_kind(page: Page, root: str) -> None:
    page.goto(root + ENTITY)
    crumbs = page.get_by_role("navigation", name="Breadcrumbs")
    assert crumbs.get_by_role("link").all_text_contents() == ["All games", "Kismet", "Conditions"]
    crumbs.get_by_role("link", name="All games").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tabletop Rules")


# --- on a phone


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with strict_context(browser, **PHONE) as context:
        yield context.new_page()


def test_bottom_bar_has_four_large_buttons_on_a_phone(phone: Page, site: Site) -> None:
    phone.goto(site.served + CHAPTER)
    bar = phone.get_by_role("navigation", name="Shortcuts")
    shown = bar.locator(":scope > *:visible")
    assert [words.strip() for words in shown.all_inner_texts()] == ["Search", "Contents", "My table", "Dice"]
    for button in shown.all():
        box = button.bounding_box()
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 44


def test_table_of_contents_on_a_phone_shows_the_current_section(phone: Page, root: str) -> None:
    phone.goto(root + LONG)
    phone.evaluate("scrollTo(0, 20000)")
    phone.evaluate(NEXT_FRAME)
    phone.get_by_role("navigation", name="Shortcuts").get_by_role("link", name="Contents").click()
    expect(current(phone)).to_be_in_viewport()
    phone.keyboard.press("Escape")
    expect(phone.locator("#_contents")).to_be_hidden()


def test_dice_can_be_entered_and_rolled_on_any_page(phone: Page, root: str) -> None:
    phone.goto(root + ENTITY)
    phone.get_by_role("button", name="Dice").locator("visible=true").click()
    rolls = phone.get_by_role("complementary", name="Rolls")
    field = rolls.get_by_label("Dice to roll")
    for name in ("d6", "d6", "Increase"):
        rolls.get_by_role("button", name=name, exact=True).click()
    expect(field).to_have_value("2d6 + 1")
    expect(rolls).to_contain_text("mean 8, 3 to 13")
    rolls.get_by_role("button", name="Roll", exact=True).click()
    expect(rolls.locator(".roll-latest")).to_contain_text("2d6 + 1: ")
    field.fill("two dice")
    rolls.get_by_role("button", name="Roll", exact=True).click()
    expect(rolls).to_contain_text("Dice and numbers, such as")
    expect(field).to_have_attribute("aria-invalid", "true")


def test_back_to_top_link_appears_after_scrolling(phone: Page, site: Site) -> None:
    phone.goto(site.served + LONG)
    top = phone.get_by_role("link", name="Back to top")
    expect(top).to_be_hidden()
    phone.evaluate("scrollTo(0, 9000)")
    top.click()
    expect(top).to_be_hidden()
    assert phone.evaluate("scrollY") == 0


# --- every kind of page


LARGEST = "document.documentElement.dataset.size = 'largest'"


def test_no_page_type_overflows_a_small_phone_at_any_text_size(browser: Browser, site: Site) -> None:
    with strict_context(browser, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True) as context:
        page = context.new_page()
        wide = []
        for path in sample(pages_of_each_type(site), 4):
            page.goto(site.served + path, wait_until="domcontentloaded")
            for step in ("0", LARGEST):
                page.evaluate(step)
                if page.evaluate(HORIZONTAL_OVERFLOW) > 0:
                    wide.append((path, step))
        assert wide == []


MAX_LINE_HEIGHT = 30
"""A height in pixels that is more than one line of the bar's text, and less than two."""


def test_long_title_leaves_the_search_on_a_phone_its_word(browser: Browser, site: Site) -> None:
    with strict_context(browser, **PHONE) as context:
        page = context.new_page()
        page.goto(site.served + ENTITY)
        page.evaluate("document.querySelector('.bar-game').textContent = 'Wanderers of the Long and Winding River'")
        word = page.locator(".tool-search > .scripted")
        assert word.evaluate("word => word.scrollWidth - word.clientWidth") == 0
        assert word.evaluate("word => word.clientHeight") < MAX_LINE_HEIGHT
        assert page.evaluate(HORIZONTAL_OVERFLOW) == 0


@pytest.mark.parametrize("width", [1280, 360])
def test_large_text_causes_no_overflow_and_no_cut_off_text(browser: Browser, site: Site, width: int) -> None:
    with strict_context(browser, viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        for path in (
            "kismet/index.html",
            CHAPTER,
            ENTITY,
            "kismet/condition/index.html",
            "kismet/calculators/index.html",
            "kismet/calculators/attack-odds/index.html",
        ):
            page.goto(site.served + path)
            page.evaluate("document.documentElement.style.fontSize = '225%'")
            assert page.evaluate(HORIZONTAL_OVERFLOW) == 0, path
            # Text is lost if its box hides what does not fit.
            cut = page.evaluate(
                """[...document.querySelectorAll("main *, .navigation *, .bar *")].filter((box) =>
                  box.clientWidth && box.checkVisibility() && !box.matches(".heard, .card-sections, svg *") &&
                  getComputedStyle(box).overflowX === "hidden" && box.scrollWidth > box.clientWidth + 1)
                  .map((box) => box.outerHTML.slice(0, 80))"""
            )
            assert cut == [], path


SHEET = "kismet/sheets/encounter/index.html"


@pytest.mark.parametrize(
    "path", sample(["index.html", "kismet/index.html", CHAPTER, LONG, ENTITY, "kiss/weapon/index.html", SHEET], 3)
)
def test_delayed_scripts_cause_no_layout_shift(browser: Browser, site: Site, path: str) -> None:
    def late(route: Route) -> None:
        time.sleep(0.1)
        route.continue_()

    for options in ({}, PHONE):
        with strict_context(browser, **options) as context:
            page = context.new_page()
            page.route("**/*.js", late)
            page.goto(site.served + path)
            page.wait_for_timeout(300)
            moved = page.evaluate(LAYOUT_SHIFTS)
            assert sum(value for value, _ in moved) < 0.01, moved


@pytest.mark.parametrize("path", ["kismet/index.html", CHAPTER, LONG, ENTITY, "kismet/condition/index.html"])
def test_page_is_complete_and_navigable_without_scripts(browser: Browser, site: Site, path: str) -> None:
    with strict_context(browser, **PHONE, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.local + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("button", name="Settings")).to_be_hidden()
        expect(page.get_by_role("button", name="Dice")).to_have_count(0)
        expect(page.get_by_role("link", name="Back to top")).to_be_visible()
        bar = page.get_by_role("navigation", name="Shortcuts")
        assert bar.locator(":scope > *:visible").count() == 4
        bar.get_by_role("link", name="Contents").click()
        drawer = page.locator("#_contents, #_navigation").locator("visible=true").first
        expect(drawer).to_be_visible()
        assert drawer.locator("li:visible").count() == drawer.locator("li:not(.scripted)").count()
        drawer.locator("li a").first.click()
        expect(page.locator("#_contents:target, #_navigation:target")).to_have_count(0)


def test_every_focused_element_has_a_visible_outline(page: Page, site: Site) -> None:
    page.goto(site.served + "kiss/kiss/index.html")
    for _ in range(60):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement);
              const { tagName, className } = document.activeElement;
              return [outlineStyle, outlineWidth, outlineOffset, `${tagName}.${className}`];
            }"""
        )
        assert seen[:3] == ["solid", "2px", "2px"], seen


def test_no_animation_with_reduced_motion(browser: Browser, site: Site) -> None:
    with strict_context(browser, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(site.served + CHAPTER)
        moving = page.evaluate(
            """[...document.querySelectorAll("*")].filter((element) => {
              const { transitionDuration, animationDuration } = getComputedStyle(element);
              return parseFloat(transitionDuration) || parseFloat(animationDuration);
            }).length"""
        )
        assert moving == 0


def test_pages_have_no_inline_styles_and_at_most_two_style_sheets(site: Site) -> None:
    for path in pages_of_each_type(site):
        html = (site.folder / path).read_text()
        assert " style=" not in html, path
        assert "<style" not in html, path
        assert 1 <= html.count('rel="stylesheet"') <= 2, path


def test_each_game_has_its_accent_colour(site: Site, context: BrowserContext) -> None:
    page = context.new_page()
    colours = {}
    for game in ("kiss", "legend", "marchen"):
        page.goto(site.local + f"{game}/index.html")
        colours[game] = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--light').trim()")
    texts = {game: (CONTENT / game / "game.yaml").read_text(encoding="utf-8") for game in colours}
    assert all(colour and colour in texts[game] for game, colour in colours.items()), colours


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_rules_are_two_to_twelve_screens_high(page: Page, site: Site, game: str) -> None:
    page.set_viewport_size(PHONE["viewport"])
    heights = {}
    for file in sorted((site.folder / game).rglob("index.html")):
        path = file.relative_to(site.folder).as_posix()
        if 'class="chapter' in file.read_text(encoding="utf-8") and "/print/" not in path:
            page.goto(site.local + path)
            heights[path] = page.evaluate("document.documentElement.scrollHeight") / PHONE["viewport"]["height"]
    assert heights
    assert not {path: height for path, height in heights.items() if not 2 <= height <= 12}
