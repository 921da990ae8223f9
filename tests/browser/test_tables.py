"""Tables of kinds are filtered, sorted and shown as cards by URL parameters; all tables can be exported."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import Site, strict_context
from tests.browser.test_budgets import axe as axe  # This is a fixture.
from tests.browser.test_budgets import violations

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SKILLS = "kismet/skill/index.html"
WEAPONS = "kiss/weapon/index.html"


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with strict_context(browser, **PHONE) as context:
        yield context.new_page()


def names(page: Page) -> list[str]:
    """The names in the visible rows, from top to bottom."""
    names: list[str] = page.locator(".listing tbody tr").evaluate_all(
        "rows => rows.filter(row => row.checkVisibility()).map(row => row.querySelector('th a').textContent)"
    )
    return names


def column(page: Page, place: int) -> list[str]:
    """The texts in a column, from top to bottom."""
    cells: list[str] = page.locator(f".listing tbody tr > :nth-child({place + 1})").evaluate_all(
        "cells => cells.filter(cell => cell.checkVisibility()).map(cell => cell.textContent)"
    )
    return cells


def count(page: Page) -> Locator:
    return page.locator(".filter-count")


def header(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name, exact=True)


def choose(page: Page, field: str, *names: str) -> None:
    """Press buttons in the list of values of a field, such as `social` or `not social`, and close it."""
    page.locator("details.values summary", has=page.get_by_text(field, exact=True)).click()
    values = page.get_by_role("group", name=field, exact=True)
    for name in names:
        values.get_by_role("button", name=name, exact=True).click()
    page.keyboard.press("Escape")
    expect(values).to_be_hidden()


def active(page: Page) -> list[str]:
    """The active filters of the table, as worded on the buttons above it."""
    return page.locator(".filter-chip").all_inner_texts()


def copied(page: Page, button: str) -> str:
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { globalThis.copiedText = text } }")
    menu = page.locator("details.take").first
    menu.locator("summary").click()
    menu.get_by_role("button", name=button).click()
    expect(menu.locator("summary")).to_have_text(button.replace("Copy", "Copied"))
    text: str = page.evaluate("globalThis.copiedText")
    return text


# --- filters


def test_several_filters_are_combined_and_stored_in_the_url(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    expect(count(page)).to_have_text("22 Skills")
    choose(page, "Type", "social")
    choose(page, "Opposed by", "Social")
    page.get_by_label("Filter by name: Skills").fill("LYING")
    expect(count(page)).to_have_text("1 of 22 Skills")
    assert names(page) == ["Bluff"]
    assert page.url == root + SKILLS + "?find=LYING&type=social&opposed_by=Social"


VALUES_OF_TABLES = {"kismet/skill": ("type", "granted_by", "opposed_by"), "kiss/weapon": ("open_ended",)}
"""Tables, with their fields that are filtered by values."""


@pytest.mark.parametrize("table", VALUES_OF_TABLES)
def test_a_row_has_a_value_of_each_field_with_choices_and_no_excluded_one(page: Page, site: Site, table: str) -> None:
    game, _, kind = table.partition("/")
    by_kind = json.loads((site.folder / f"data/{game}/pack.json").read_bytes())["entities"]
    name_of = {entity["id"]: entity["name"] for entities in by_kind.values() for entity in entities}
    entities = by_kind[kind]

    def values(entity: dict[str, Any], field: str) -> set[str]:
        value = entity["fields"][field]
        items: list[str] = value if isinstance(value, list) else [value]
        return {name_of.get(item, item) for item in items} or {"none"}

    def expected(chosen: dict[tuple[str, str], bool]) -> list[str]:
        def is_shown(entity: dict[str, Any]) -> bool:
            for field in VALUES_OF_TABLES[table]:
                asked = {value for (key, value), is_asked in chosen.items() if key == field and is_asked}
                excluded = {value for (key, value), is_asked in chosen.items() if key == field and not is_asked}
                found = values(entity, field)
                if found & excluded or (asked and not found & asked):
                    return False
            return True

        return [entity["name"] for entity in entities if is_shown(entity)]

    offered = [
        (field, value)
        for field in VALUES_OF_TABLES[table]
        for value in sorted({value for entity in entities for value in values(entity, field)})
    ]
    random = Random(39)
    for _ in range(15):
        picked = random.sample(offered, k=random.randint(1, min(6, len(offered))))
        chosen = {pick: random.random() < 0.6 for pick in picked}
        # A value that no row has is ignored, whether it is wanted or excluded.
        parameters = [(field if is_asked else f"{field}!", value) for (field, value), is_asked in chosen.items()]
        parameters += [(f"{VALUES_OF_TABLES[table][0]}{end}", "nonsense") for end in ("", "!")]
        page.goto(f"{site.served}{table}/index.html?{urlencode(parameters)}")
        assert names(page) == expected(chosen), page.url
        expect(count(page)).to_contain_text(f"{len(expected(chosen))} of {len(entities)}")
        before = active(page)
        # Sorting writes the address again, with the same content.
        page.get_by_label("Sort by").evaluate("select => select.dispatchEvent(new Event('input', { bubbles: true }))")
        assert "nonsense" not in page.url
        page.reload()
        assert (names(page), active(page)) == (expected(chosen), before), page.url


def test_values_are_chosen_excluded_and_taken_back(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    choose(page, "Type", "mental", "social")
    choose(page, "Opposed by", "not Social")
    assert active(page) == ["Type: mental or social", "Opposed by: not Social"]
    assert page.url == root + SKILLS + "?type=mental&type=social&opposed_by!=Social"
    # A value is either wanted or excluded, and a second press undoes the choice.
    choose(page, "Type", "not mental", "social")
    assert active(page) == ["Type: not mental", "Opposed by: not Social"]
    page.go_back()
    assert active(page) == ["Type: social", "Type: not mental", "Opposed by: not Social"]
    page.get_by_role("button", name="Remove Type: not mental").click()
    expect(page.get_by_role("button", name="Remove Opposed by: not Social")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove Type: social").click()
    expect(count(page)).to_have_text("22 Skills")
    expect(count(page)).to_be_focused()
    assert page.url == root + SKILLS


def test_values_are_chosen_by_keyboard(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    summary = page.locator("details.values summary").first
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    pressed = page.get_by_role("button", name="physical", exact=True)
    expect(pressed).to_be_focused()
    expect(pressed).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="not physical", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(pressed).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("not physical")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_open_values_have_no_accessibility_violations(browser: Browser, site: Site, axe: str, theme: str) -> None:
    with strict_context(browser, **PHONE, color_scheme=theme, bypass_csp=True, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(site.served + SKILLS + "?type=social&opposed_by!=Social&compare=bluff,acrobatics")
        page.get_by_role("button", name="Filter (2)").tap()
        page.locator("details.values summary").last.tap()
        expect(page.get_by_role("button", name="not Social", exact=True)).to_be_visible()
        assert violations(page, axe) == []


def test_url_restores_filter_sort_order_and_view(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?opposed_by=Social&sort=-name&view=table")
    assert names(page) == [
        *("Taunt", "Persuasion", "Leadership", "Intimidation", "Handle Animal", "Haggle", "Bluff"),
    ]
    assert active(page) == ["Opposed by: Social"]
    expect(header(page, "Name")).to_have_attribute("aria-sort", "descending")


def test_unknown_url_parameters_are_ignored_and_preserved(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?utm=x&type=nonsense&sort=-nothing&view=upside-down&colour=")
    expect(count(page)).to_have_text("22 Skills")
    choose(page, "Type", "mental")
    assert "utm=x" in page.url
    assert "type=mental" in page.url


def test_back_and_forward_undo_and_redo_single_changes(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    choose(page, "Type", "mental")
    page.get_by_label("Filter by name: Skills").press_sequentially("no")
    total = count(page).inner_text()
    page.go_back()
    expect(page.get_by_label("Filter by name: Skills")).to_have_value("")
    assert active(page) == ["Type: mental"]
    page.go_back()
    expect(count(page)).to_have_text("22 Skills")
    page.go_forward()
    page.go_forward()
    expect(count(page)).to_have_text(total)
    expect(page.get_by_label("Filter by name: Skills")).to_have_value("no")


def test_going_back_from_an_entity_restores_the_filter(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?type=social")
    social = names(page)
    page.get_by_role("link", name="Taunt").click()
    page.go_back()
    expect(count(page)).to_have_text(f"{len(social)} of 22 Skills")
    assert names(page) == social


def test_all_filters_are_cleared_with_one_button(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    book = names(page)
    clear = page.get_by_role("button", name="Clear all")
    expect(clear).to_be_hidden()
    page.goto(root + SKILLS + "?type=social&opposed_by!=Social&sort=name&view=cards")
    clear.click()
    assert names(page) == book
    assert page.url == root + SKILLS + "?view=cards"
    expect(clear).to_be_hidden()


def test_numbers_and_ranges_are_filtered_by_minimum_and_maximum(page: Page, root: str) -> None:
    page.goto(root + "kismet/tier/index.html?levels=4..6")
    assert column(page, 2) == ["3–4", "5–6"]
    page.goto(root + "kiss/armor/index.html?steps=..-2")
    assert set(column(page, 4)) <= {"−2", "−3"}
    page.goto(root + "kiss/armor/index.html")
    page.get_by_label("Load: at least").fill("4")
    assert {int(load.split()[0]) for load in column(page, 1)} == {4, 5}
    assert page.url.endswith("?load=4..")
    assert active(page) == ["Load: at least 4"]


def test_dice_are_filtered_by_their_mean(page: Page, root: str) -> None:
    page.goto(root + WEAPONS + "?close=4..")
    assert set(column(page, 2)) == {"d6+", "d8", "d10", "d10+"}
    assert active(page) == ["Close, on average: at least 4"]


def test_entities_are_filtered_by_their_effects(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/index.html?effects=Penalty+Die")
    assert names(page) == ["Blind", "Frightened", "Poisoned", "Prone", "Restrained"]
    expect(count(page)).to_have_text("5 of 16 Conditions")
    # The filter offers the titles of effects, not parts of the prose around them.
    page.goto(root + "kiss/trait/index.html")
    page.locator("details.values summary", has_text="Effects").click()
    offered = page.get_by_role("group", name="Effects").locator("button:first-child").all_inner_texts()
    titles = page.locator("td .chip-head").evaluate_all(
        "heads => heads.map(head => head.dataset.head ?? head.textContent.trim())"
    )
    assert set(offered) == {*titles, "none"}


def test_lists_are_filtered_by_member_and_by_none(page: Page, root: str) -> None:
    page.goto(root + WEAPONS + "?open_ended=far")
    assert all("far" in words for words in column(page, 5))
    page.goto(root + WEAPONS + "?open_ended=none")
    assert set(column(page, 5)) == {"—"}


def test_row_count_is_announced_in_a_live_region(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    expect(page.get_by_role("status").filter(has_text="22 Skills")).to_be_visible()


# --- sorting


def test_column_is_sorted_ascending_descending_and_unsorted_by_keyboard(page: Page, root: str) -> None:
    page.goto(root + WEAPONS)
    book = names(page)
    header(page, "Load").get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(header(page, "Load")).to_have_attribute("aria-sort", "ascending")
    loads = [int(load.split()[0]) for load in column(page, 1)]
    assert loads == sorted(loads)
    page.keyboard.press("Enter")
    expect(header(page, "Load")).to_have_attribute("aria-sort", "descending")
    assert [int(load.split()[0]) for load in column(page, 1)] == sorted(loads, reverse=True)
    page.keyboard.press("Enter")
    expect(page.locator("[aria-sort]")).to_have_count(0)
    assert names(page) == book


def test_dice_are_sorted_by_faces_and_empty_cells_are_last(page: Page, root: str) -> None:
    page.goto(root + WEAPONS + "?sort=close")
    order = ["1", "d4", "d4+", "d6", "d6+", "d8", "d8+", "d10", "d10+"]
    shown = [die for die in column(page, 2) if die != "—"]
    assert shown == sorted(shown, key=order.index)
    assert set(column(page, 2)[len(shown) :]) <= {"—"}
    page.goto(root + WEAPONS + "?sort=-near")
    assert column(page, 3)[-1] == "—"


def test_names_are_sorted_by_the_numbers_in_them(page: Page, root: str) -> None:
    page.goto(root + "legend/base-attack/index.html?sort=-name")
    assert names(page)[:3] == ["Level 30", "Level 29", "Level 28"]
    page.goto(root + "legend/base-attack/index.html")
    header(page, "Level").get_by_role("button").click()
    assert column(page, 1)[:3] == ["1", "2", "3"]


def test_columns_of_a_nested_field_can_be_sorted(page: Page, root: str) -> None:
    page.goto(root + "legend/base-attack/index.html?sort=-poor.bonus")
    assert column(page, 5)[0] == "23"


# --- views


def test_card_view_shows_the_same_rows_as_the_table_view(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?type=social")
    social = names(page)
    page.get_by_role("radio", name="Cards").check()
    assert page.url.endswith("?type=social&view=cards")
    assert names(page) == social
    assert page.locator(".listing thead").is_hidden()
    page.get_by_label("Sort by").select_option("-name")
    assert names(page) == sorted(social, reverse=True)
    page.get_by_role("radio", name="Table").check()
    expect(header(page, "Name")).to_be_visible()


def test_table_is_complete_and_unfiltered_without_scripts(browser: Browser, site: Site) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.served + SKILLS + "?type=social&sort=-name")
        expect(page.locator(".listing tbody tr")).to_have_count(22)
        expect(page.locator("form.filter")).to_be_hidden()


def test_filters_collapse_to_a_button_on_a_phone(phone: Page, root: str) -> None:
    phone.goto(root + "marchen/skill/index.html")
    expect(phone.get_by_text("Aspect", exact=True).first).to_be_hidden()
    button = phone.get_by_role("button", name="Filter", exact=True)
    button.tap()
    expect(button).to_have_attribute("aria-expanded", "true")
    choose(phone, "Aspect", "Mental")
    expect(phone.get_by_role("button", name="Filter (1)")).to_be_visible()
    assert "of 36" in count(phone).inner_text()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_empty_cells_are_hidden_on_a_phone(phone: Page, root: str) -> None:
    phone.goto(root + "kismet/downloads/index.html")
    expect(phone.get_by_role("rowheader").get_by_role("link", name="kismet/pack.json")).to_be_visible()
    empty = phone.locator(".long td:empty")
    assert empty.count() > 0
    assert not any(cell.is_visible() for cell in empty.all())


def test_table_view_scrolls_inside_its_container_on_a_phone(phone: Page, root: str) -> None:
    phone.goto(root + "marchen/skill/index.html")
    expect(phone.get_by_role("radio", name="Cards")).to_be_checked()
    phone.goto(root + "marchen/skill/index.html?view=table")
    expect(phone.locator(".listing thead")).to_be_visible()
    expect(phone.locator(".listing")).to_have_attribute("tabindex", "0")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_rolled_row_is_shown_even_if_filtered_out(page: Page, root: str) -> None:
    page.goto(root + "kismet/wound/index.html?find=nothing-has-this")
    assert names(page) == []
    page.locator(".roll-line .roll").click()
    expect(page.locator(".listing tr.hit")).to_be_visible()


def test_filter_script_causes_no_layout_shift(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    page.wait_for_timeout(300)
    moved = page.evaluate(
        """() => new Promise((done) => new PerformanceObserver((list) =>
             done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0)))
             .observe({type: 'layout-shift', buffered: true}) || setTimeout(done, 300, 0))"""
    )
    assert moved < 0.01


# --- export


def test_table_is_copied_as_csv(page: Page, root: str) -> None:
    page.goto(root + "kiss/armor/index.html?find=shield&sort=-load")
    text = copied(page, "Copy as CSV")
    assert text.startswith("Name,Load,Stress,Hit,Steps,Counts as,In short,Mentioned in\r\n")
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    table = list(csv.reader(StringIO(text, newline="")))
    assert [row[0] for row in table[1:]] == names(page)
    # Minus signs are typographic, gaps are empty, and values with a comma are quoted.
    assert not any("−" in cell or cell == "—" for row in table for cell in row)


def test_csv_cells_with_commas_are_quoted(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?find=acrobatics&type=physical")
    text = copied(page, "Copy as CSV")
    assert '\r\nAcrobatics,physical,"Acrobat, Skilled",,' in text


def test_table_is_copied_as_markdown(page: Page, root: str) -> None:
    page.goto(root + "kismet/tier/index.html?levels=..4")
    assert copied(page, "Copy as Markdown") == (
        "| Name | Tier | Levels |\n"
        "| --- | --: | --: |\n"
        "| Tier 1 | 1 | 1–2 |\n"
        "| Tier 2 | 2 | 3–4 |\n"
    )  # fmt: skip


def test_chapter_tables_are_copied_as_csv(page: Page, root: str) -> None:
    page.goto(root + "kismet/core-rules/print/index.html")
    tables = page.locator(".text .table > table:not(.calculators *)").count()
    assert page.locator(".text details.take").count() == tables > 3
    text = copied(page, "Copy as CSV")
    frame = page.locator("details.take").first.locator("xpath=preceding-sibling::*[1]")
    heads = frame.locator("thead th").all_inner_texts()
    rows = list(csv.reader(StringIO(text, newline="")))
    assert rows[0] == heads
    assert len(rows) == frame.locator("tbody tr").count() + 1


def test_chapter_table_is_downloaded_as_json(page: Page, site: Site, tmp_path: Path) -> None:
    page.goto(site.served + "kismet/core-rules/print/index.html")
    menu = page.locator("details.take").first
    menu.locator("summary").click()
    with page.expect_download() as waiting:
        menu.get_by_role("link", name="Download as JSON").click()
    waiting.value.save_as(tmp_path / "table.json")
    data = json.loads((tmp_path / "table.json").read_bytes())
    published = json.loads((site.folder / "data/kismet/pack.json").read_bytes())["tables"]
    table_data = next(table for table in published if table["columns"] == data["columns"])
    # The page shows the heading in title case; the data has it as printed.
    assert (data["caption"].upper(), data["rows"]) == (table_data["caption"], table_data["rows"])


def test_kind_table_is_downloaded_as_its_json_data(page: Page, site: Site) -> None:
    page.goto(site.served + SKILLS)
    menu = page.locator("details.take")
    menu.locator("summary").click()
    with page.expect_download() as waiting:
        menu.get_by_role("link", name="Download as JSON").click()
    assert waiting.value.url.endswith("data/kismet/skill.json")


def test_export_menu_works_by_keyboard_and_announces_the_copy(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?type=mental")
    summary = page.locator("details.take > summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Copy as Markdown")).to_be_focused()
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    expect(page.locator("details.take[open]")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    rows = len(names(page))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").last).to_have_text(f"Copied as Markdown: {rows} rows")
    expect(summary).to_be_focused()


def test_copy_event_is_the_fallback_without_clipboard_access(context: BrowserContext, root: str) -> None:
    page = context.new_page()
    page.goto(root + "kismet/tier/index.html")
    page.evaluate(
        """() => {
          navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
          addEventListener("copy", (event) => { globalThis.copiedText = event.clipboardData.getData("text/plain") });
        }"""
    )
    page.locator("details.take > summary").click()
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator("details.take > summary")).to_have_text("Copied as CSV")
    assert page.evaluate("globalThis.copiedText").startswith("Name,Tier,Levels\r\n")


# --- backlinks


def test_field_backlinks_link_to_a_filtered_table(page: Page, root: str) -> None:
    page.goto(root + "kismet/defense/social/index.html")
    section = page.locator(".references")
    expect(section.locator("dt", has_text="Opposed by this")).to_be_visible()
    section.get_by_role("link", name="All 7 as a table").click()
    expect(count(page)).to_have_text("7 of 22 Skills")


# --- comparing


def test_two_to_four_entries_stand_side_by_side_at_an_address_to_share(page: Page, root: str) -> None:
    page.goto(f"{root}kiss/armor/index.html")
    page.get_by_role("button", name="Compare").click()
    side = page.get_by_role("region", name="Compare")
    expect(side).to_have_text("Choose two to four entries in the table.")
    for name in ("Leather", "Hide Armor"):
        page.get_by_role("checkbox", name=f"Compare {name}", exact=True).check()
    assert page.url.endswith("?compare=leather,hide-armor")
    for _ in range(2):
        expect(side.get_by_role("columnheader")).to_have_text(["Leather", "Hide Armor"])
        expect(side.get_by_role("row", name="Load")).to_have_text("Load1 load point2 load points")
        expect(side.get_by_role("row", name="Counts as")).to_have_class("same")
        page.reload()
    for name in ("Hardened Leather", "Unarmored"):
        page.get_by_role("checkbox", name=f"Compare {name}", exact=True).check()
    expect(page.get_by_role("checkbox", name="Compare Breastplate")).to_be_disabled()
    page.get_by_role("button", name="Compare").click()
    expect(side).to_be_hidden()
    assert "compare" not in page.url


def test_an_entry_that_is_filtered_out_stays_in_the_comparison(page: Page, root: str) -> None:
    page.goto(f"{root}kiss/armor/index.html?load=..1&compare=leather,hide-armor")
    side = page.get_by_role("region", name="Compare")
    expect(side.get_by_role("columnheader")).to_have_text(["Leather", "Hide Armor"])
    assert "Hide Armor" not in names(page)
    page.get_by_label("Load: at most", exact=True).fill("2")
    assert page.url.endswith("?compare=leather,hide-armor&load=..2")
    page.get_by_label("Load: at most", exact=True).fill("1")
    side.get_by_role("button", name="Remove Hide Armor").click()
    expect(side).to_have_text("Choose two to four entries in the table.")
    expect(side).to_be_focused()
    assert page.url.endswith("?load=..1&compare=leather")


def test_an_unknown_entry_in_the_address_is_not_compared(page: Page, root: str) -> None:
    page.goto(f"{root}kiss/armor/index.html?compare=leather,crown,__proto__")
    expect(page.get_by_role("region", name="Compare")).to_have_text("Choose two to four entries in the table.")
    expect(page.get_by_role("checkbox", name="Compare Leather", exact=True)).to_be_checked()
