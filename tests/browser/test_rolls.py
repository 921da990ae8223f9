"""Dice and tables are rolled by keyboard, mouse and touch; each roll is shown, announced and recorded."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from kismet_build.mechanics.dice import to_tree
from tests.browser.conftest import Site, strict_context
from tests.command import kismet
from tests.small_library import write_library
from tests.stages.mechanics.test_dice import ICEPOOL, REFUSED
from tests.stages.mechanics.test_odds_js import as_doubles, in_python, understood

CHART = "kismet/combat-rules/wounds/index.html#wounds-chart"
CHAPTER = "kismet/combat-rules/print/index.html"
"""The whole chapter, in which a roll on the chart leads on to another table."""
EXAMPLE = "kismet/core-rules/bonus-penalty-dice/index.html#bonus-penalty-dice"
PAGES_WITH_DICE = ("kismet/combat-rules/turn/index.html", "kismet/core-rules/rerolling-dice/index.html")
LISTED = "kismet/wound/index.html"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def draw(page: Page, *faces: int) -> None:
    """Make the next dice show these faces on all pages opened from now on, and count the random numbers."""
    page.add_init_script(
        f"""{{
        const faces = {list(faces)}, real = crypto.getRandomValues.bind(crypto);
        globalThis.drawn = 0;
        crypto.getRandomValues = (into) => {{
          globalThis.drawn++;
          return faces.length ? (into[0] = faces.shift() - 1, into) : real(into);
        }};
        }}"""
    )


def chart(page: Page) -> Locator:
    return page.locator(".table", has=page.locator("table[data-roll]"))


def status(page: Page) -> Locator:
    return page.get_by_role("status").last


def rolls(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Rolls")


# --- tables


def test_chained_roll_tables_work_by_keyboard(page: Page, root: str) -> None:
    draw(page, 3)
    page.goto(root + CHAPTER)
    button = page.get_by_role("button", name="Roll 1d10", exact=True).and_(page.locator(".roll"))
    button.focus()
    page.keyboard.press("Enter")
    expect(status(page)).to_have_text("Wounds Chart, 1d10: 3; Damage Type Specific Wound")
    hit = chart(page).locator("tr[aria-current=true]")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text("1-5")
    expect(hit).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(chart(page).locator(".pin")).to_be_focused()
    page.keyboard.press("Tab")
    select = chart(page).get_by_label("Damage Type")
    expect(select).to_be_focused()
    page.keyboard.type("Slicing")
    expect(status(page)).to_have_text("Wounds Chart, 1d10: 3; Damage Type Specific Wound; Slicing: Bleeding")
    shown = chart(page).locator("dl.roll-row")
    expect(shown).to_contain_text("Bleeding")
    expect(shown).to_contain_text("True Slicing Damage")
    expect(page.locator("tr[aria-current=true]", has_text="Slicing")).to_have_count(1)
    expect(rolls(page)).to_contain_text("Slicing: Bleeding")


def test_second_choice_replaces_the_first(page: Page, site: Site) -> None:
    draw(page, 1)
    page.goto(site.local + CHAPTER)
    chart(page).locator(".roll").click()
    select = chart(page).get_by_label("Damage Type")
    select.select_option("Slicing")
    select.select_option("Fire")
    expect(status(page)).to_have_text("Wounds Chart, 1d10: 1; Damage Type Specific Wound; Fire: Ignite")
    expect(chart(page).locator("dl.roll-row")).to_have_count(1)
    select.select_option("choose")
    expect(chart(page).locator("dl.roll-row")).to_have_count(0)


def test_row_without_a_further_table_ends_the_roll(page: Page, site: Site) -> None:
    draw(page, 10, 6)
    page.goto(site.local + CHART)
    chart(page).locator(".roll").click()
    expect(status(page)).to_have_text("Wounds Chart, 1d10: 10; Fatal Blow")
    expect(chart(page).locator("select")).to_have_count(0)
    expect(chart(page).locator("tr[aria-current=true]")).to_be_in_viewport()
    chart(page).locator(".roll").click()
    expect(chart(page).locator("tr[aria-current=true]")).to_contain_text("Horrific Scar")


def test_kind_table_with_a_roll_field_can_be_rolled_on(page: Page, site: Site) -> None:
    draw(page, 6)
    page.goto(site.local + LISTED)
    chart(page).locator(".roll").click()
    expect(status(page)).to_have_text("Wounds, 1d10: 6; Horrific Scar")


TABLES = """\
# Doors

## Which door

| d4 | Door | Behind it |
| --- | --- | --- |
| 1-3 | Oak | Nothing. |
| 4 | Iron | See [[#What waits]]. |

## What waits

| 2d6 | Guest |
| --- | --- |
| 2-6 | A crow |
| 7-12 | The queen |

A shield stops 1d6, a wall 2d6+.
"""


def built_chapter(folder: Path, text: str) -> str:
    write_library(folder / "texts", text=text)
    run = kismet("build", folder / "texts", "--out", folder / "public")
    assert run.status == 0, run.output
    return (folder / "public").as_uri() + "/ember-court/court/index.html"


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library with one table that links to another table to roll on."""
    return built_chapter(tmp_path_factory.mktemp("doors"), TABLES)


def test_row_links_to_another_roll_table(page: Page, doors: str) -> None:
    draw(page, 4, 3, 4)
    page.goto(doors)
    page.get_by_role("button", name="Roll d4", exact=True).and_(page.locator(".roll")).click()
    expect(status(page)).to_have_text("Which door, d4: 4; Iron")
    page.get_by_role("button", name="Roll 2d6: What waits").click()
    expect(status(page)).to_have_text("What waits, 2d6: 3 + 4 = 7; The queen")


CODES = """\
# Hall

Take `dice: [[#^loot]]` and `dice: 1d2[[^loot|Coins]]`.

| d6  | Loot | Coins | d6  | Loot | Coins |
| --- | ---- | ----- | --- | ---- | ----- |
| 1-2 | Rope | one   | 4   | Hat  | four  |
| 3   | Cup  | three | 5   | Gem  | five  |

^loot
"""


@pytest.fixture(scope="module")
def loot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with dice codes for a table without a row for 6."""
    return built_chapter(tmp_path_factory.mktemp("loot"), CODES)


def test_dice_code_rolls_on_a_table(page: Page, loot: str) -> None:
    draw(page, 4)
    page.goto(loot)
    page.get_by_role("button", name="Roll loot").click()
    expect(status(page)).to_have_text("loot: 4; Hat · four")
    expect(page.locator(".table-rolled").first).to_have_text("Hat · four")


def test_dice_code_rolls_several_times_and_shows_one_column(page: Page, loot: str) -> None:
    draw(page, 2, 1, 4)
    page.goto(loot)
    page.get_by_role("button", name="Roll 1d2 Coins").click()
    expect(status(page)).to_have_text("1d2 Coins: 2; one; four")


def test_result_without_a_row_is_rolled_again(page: Page, loot: str) -> None:
    draw(page, 6, 6, 5)
    page.goto(loot)
    chart(page).locator(".roll").click()
    expect(status(page)).to_have_text("Hall, d6: 5; Gem")
    expect(chart(page).locator("tr[aria-current=true]")).to_contain_text("Cup")


GUESTS = """\
# Guests

Take `dice: [[#^guests|d6, late]]`.

| d6  | d6, late | Guest |
| --- | -------- | ----- |
| 1-4 | 1        | Crow  |
| 5-6 | 2-5      | Wolf  |
| —   | 6        | Queen |

^guests
"""


def test_columns_side_by_side_have_a_button_each(page: Page, tmp_path: Path) -> None:
    draw(page, 5, 6, 2)
    page.goto(built_chapter(tmp_path, GUESTS))
    page.get_by_role("button", name="Roll d6: column 1").click()
    expect(status(page)).to_have_text("Guests, column 1, d6: 5; Wolf")
    page.get_by_role("button", name="Roll d6: d6, late").first.click()
    expect(status(page)).to_have_text("Guests, d6, late, d6: 6; Queen")
    page.get_by_role("button", name="Roll d6, late", exact=True).click()
    expect(status(page)).to_have_text("d6, late: 2; Wolf")


# --- dice


def test_click_rolls_dice_and_the_log_shows_every_die(page: Page, root: str) -> None:
    draw(page, 7, 2, 9)
    page.goto(root + EXAMPLE)
    page.get_by_role("button", name="Roll 1d10+1").first.click()
    expect(status(page)).to_have_text("1d10+1: 7 + 1 = 8")
    expect(rolls(page)).to_contain_text("8 or more: 40%")
    page.get_by_role("button", name="Roll 2d10+1").click()
    expect(rolls(page).locator(".roll-latest")).to_contain_text("2d10+1: 2 + 9 + 1 = 12")
    expect(rolls(page).locator("li")).to_contain_text("1d10+1: 7 + 1 = 8")
    expect(rolls(page).locator(".roll-latest .die")).to_have_text(["2", "9"])


def test_hover_focus_and_other_keys_roll_no_dice(page: Page, root: str) -> None:
    draw(page)
    page.goto(root + EXAMPLE)
    page.get_by_role("button", name="Roll 2d10+1").hover()
    page.get_by_role("button", name="Roll 2d10+1").focus()
    for key in ("Tab", "Escape", "ArrowDown"):
        page.keyboard.press(key)
    assert page.evaluate("drawn") == 0
    expect(rolls(page)).to_be_hidden()


def test_odds_tooltip_opens_on_hover_and_focus_and_closes(page: Page, root: str) -> None:
    page.goto(root + EXAMPLE)
    die = page.get_by_role("button", name="Roll 2d10+1")
    card = page.get_by_role("tooltip")
    die.hover()
    expect(card).to_contain_text("mean 12, 3 to 21")
    assert card.locator("rect").count() == 19
    card.hover()
    expect(card).to_be_visible()
    # Move away from the die and from its card, which may cover the heading of a short page.
    page.mouse.move(1, 1)
    expect(card).to_be_hidden()
    page.get_by_role("button", name="Roll 1d10+1").first.focus()
    page.keyboard.press("Tab")
    expect(die).to_be_focused()
    expect(card).to_be_visible()
    expect(die).to_have_accessible_description("2d10+1 mean 12, 3 to 21")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_roll_is_copied_to_the_clipboard(context: BrowserContext, site: Site) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    draw(page, 7)
    page.goto(site.served + EXAMPLE)
    page.get_by_role("button", name="Roll 1d10+1").first.click()
    page.get_by_role("button", name="Copy 1d10+1: 7 + 1 = 8").click()
    expect(status(page)).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "1d10+1: 7 + 1 = 8"


def test_announcement_replaces_a_pending_one(context: BrowserContext, site: Site) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site.served + EXAMPLE)
    die = page.get_by_role("button", name="Roll 1d10+1").first
    die.evaluate("(die) => { die.click(); document.querySelector('.rolls .copy').click(); }")
    expect(status(page)).to_have_text("Copied")
    page.wait_for_timeout(100)
    expect(status(page)).to_have_text("Copied")


def test_roll_is_copied_without_the_clipboard_api(page: Page, site: Site) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    draw(page, 7)
    page.goto(site.local + EXAMPLE)
    page.get_by_role("button", name="Roll 1d10+1").first.click()
    page.evaluate("document.addEventListener('copy', () => (globalThis.copied = String(getSelection())))")
    page.get_by_role("button", name="Copy 1d10+1: 7 + 1 = 8").click()
    expect(page.get_by_role("button", name="Copy 1d10+1: 7 + 1 = 8")).to_be_focused()
    assert page.evaluate("copied") == "1d10+1: 7 + 1 = 8"


def test_session_keeps_the_newest_twenty_rolls(page: Page, root: str) -> None:
    page.goto(root + EXAMPLE)
    page.get_by_role("button", name="Roll 2d10+1").evaluate("(die) => { for (let n = 0; n < 22; n++) die.click(); }")
    expect(page.locator(".rolls li")).to_have_count(19)
    page.goto(root + CHART)
    expect(rolls(page)).to_be_hidden()
    page.get_by_role("button", name="Rolls: 20").click()
    expect(rolls(page).locator(".roll-latest")).to_contain_text("2d10+1: ")
    rolls(page).get_by_role("button", name="Clear").click()
    expect(rolls(page)).to_be_hidden()
    expect(page.locator(".rolls-tab")).to_be_hidden()
    page.reload()
    expect(page.locator(".rolls-tab")).to_be_hidden()


def test_escape_closes_the_roll_log_and_restores_focus(page: Page, site: Site) -> None:
    page.goto(site.local + EXAMPLE)
    die = page.get_by_role("button", name="Roll 2d10+1")
    die.click()
    rolls(page).get_by_role("button", name="Clear").focus()
    page.keyboard.press("Escape")
    expect(rolls(page)).to_be_hidden()
    expect(die).to_be_focused()


def test_dice_roll_without_session_storage(page: Page, site: Site) -> None:
    page.add_init_script(
        "Object.defineProperty(globalThis, 'sessionStorage', {get() { throw new DOMException('', 'SecurityError'); }})"
    )
    draw(page, 2)
    page.goto(site.local + EXAMPLE)
    page.get_by_role("button", name="Roll 1d10+1").first.click()
    expect(status(page)).to_have_text("1d10+1: 2 + 1 = 3")


def test_invalid_session_storage_is_ignored(page: Page, site: Site) -> None:
    page.add_init_script("sessionStorage.setItem('kismet-rolls', '[null, 3, {\"shown\": 1}, {}]')")
    page.goto(site.served + EXAMPLE)
    page.get_by_role("button", name="Roll 2d10+1").click()
    expect(rolls(page)).to_be_visible()
    expect(rolls(page).locator("li")).to_have_count(0)


# --- on a phone and without scripts


def test_dice_are_large_touch_targets_and_cover_no_link(browser: Browser, site: Site) -> None:
    with strict_context(browser, **PHONE) as context:
        page = context.new_page()
        page.goto(site.local + EXAMPLE)
        for die in page.locator("button.dice").all():
            die.scroll_into_view_if_needed()
            # 20 pixels above and below the middle, unless a link is there.
            visible = die.evaluate(
                """(die) => {
                  const {left, width, top, height} = die.getBoundingClientRect();
                  const at = (x, y) => document.elementFromPoint(x, y)?.closest("button, a");
                  const near = [-20, 20].map((far) => at(left + width / 2, top + height / 2 + far));
                  return [at(left + width / 2, top + height / 2) === die, near.every((hit) => hit !== null)];
                }"""
            )
            assert visible == [True, True], die.text_content()
        covered = page.evaluate(
            """() => [...document.querySelectorAll(":is(p, li, td):has(> button.dice) a")].filter((link) => {
              link.scrollIntoView({block: "center"});
              const {left, width, top, height} = link.getClientRects()[0];
              return document.elementFromPoint(left + width / 2, top + height / 2)?.closest("a") !== link;
            }).map((link) => link.textContent)"""
        )
        assert covered == []


# Measure at the beginning of each page, because a jump to a section moves the text of a page that is not complete yet.
@pytest.mark.parametrize("path", [*PAGES_WITH_DICE, LISTED])
def test_dice_cause_no_layout_shift_and_no_overflow_on_a_phone(browser: Browser, site: Site, path: str) -> None:
    with strict_context(browser, **PHONE) as context:
        page = context.new_page()
        page.goto(site.served + path)
        page.wait_for_timeout(300)
        moved = page.evaluate(
            """new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().map((entry) =>
                [entry.value, entry.sources.map(({node, previousRect, currentRect}) =>
                  [node?.outerHTML?.slice(0, 80) ?? node?.data, previousRect.y, currentRect.y])])))
              .observe({type: "layout-shift", buffered: true}) ?? setTimeout(() => resolve([]), 200))"""
        )
        # The score of Cumulative Layout Shift, where 0.1 is good. A busy machine may paint a page in parts, which
        # causes an invisible shift.
        assert sum(value for value, _ in moved) < 0.01, moved
        page.locator("button[data-dice]").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(rolls(page)).to_be_in_viewport(ratio=1)


def test_dice_are_plain_text_without_scripts(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.local + CHART)
        expect(page.locator("#wounds-chart + p")).to_have_text("Roll 1d10.")
        assert page.locator("button[data-dice]").count() == 0


# --- the same odds as in Python


ODDS = "(trees) => trees.map((tree) => { try { return kismet.odds(tree); } catch ({message}) { return message; } })"


def test_odds_in_the_browser_equal_those_of_python(page: Page, site: Site) -> None:
    page.goto(site.local + EXAMPLE)
    page.evaluate("kismet.need('odds.js')")
    expressions = {text: expression for text in (*ICEPOOL, *REFUSED) if (expression := understood(text)) is not None}
    answers = page.evaluate(ODDS, [to_tree(expression) for expression in expressions.values()])
    for (text, expression), answer in zip(expressions.items(), answers, strict=True):
        expected = in_python(expression)
        assert (answer if isinstance(expected, str) else answer["outcomes"]) == (
            expected if isinstance(expected, str) else as_doubles(expected)
        ), text
