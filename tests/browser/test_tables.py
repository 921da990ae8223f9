"""Tables of kinds are filtered, sorted and shown as cards by URL parameters; all tables can be exported."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import Site, strict_context

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SKILLS = "kismet/skill/index.html"
WEAPONS = "kiss/weapon/index.html"


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """An empty page on a phone."""
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


def copied(page: Page, button: str) -> str:
    """The text that a button in the menu of the first table copies."""
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
    page.get_by_label("Type", exact=True).select_option("social")
    page.get_by_label("Opposed by", exact=True).select_option("Social")
    page.get_by_label("Filter by name: Skills").fill("LYING")
    expect(count(page)).to_have_text("1 of 22 Skills")
    assert names(page) == ["Bluff"]
    assert page.url == root + SKILLS + "?find=LYING&type=social&opposed_by=Social"


def test_url_restores_filter_sort_order_and_view(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?opposed_by=Social&sort=-name&view=table")
    assert names(page) == [
        *("Taunt", "Persuasion", "Leadership", "Intimidation", "Handle Animal", "Haggle", "Bluff"),
    ]
    expect(page.get_by_label("Opposed by", exact=True)).to_have_value("Social")
    expect(header(page, "Name")).to_have_attribute("aria-sort", "descending")


def test_unknown_url_parameters_are_ignored_and_preserved(page: Page, root: str) -> None:
    page.goto(root + SKILLS + "?utm=x&type=nonsense&sort=-nothing&view=upside-down&colour=")
    expect(count(page)).to_have_text("22 Skills")
    page.get_by_label("Type", exact=True).select_option("mental")
    assert "utm=x" in page.url
    assert "type=mental" in page.url


def test_back_and_forward_undo_and_redo_single_changes(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    page.get_by_label("Type", exact=True).select_option("mental")
    page.get_by_label("Filter by name: Skills").press_sequentially("no")
    total = count(page).inner_text()
    page.go_back()
    expect(page.get_by_label("Filter by name: Skills")).to_have_value("")
    expect(page.get_by_label("Type", exact=True)).to_have_value("mental")
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


def test_reset_shows_all_rows_in_book_order(page: Page, root: str) -> None:
    page.goto(root + SKILLS)
    book = names(page)
    reset = page.get_by_role("button", name="Reset")
    expect(reset).to_be_disabled()
    page.goto(root + SKILLS + "?type=social&sort=name&view=cards")
    reset.click()
    assert names(page) == book
    assert page.url == root + SKILLS + "?view=cards"
    expect(reset).to_be_disabled()


def test_numbers_and_ranges_are_filtered_by_minimum_and_maximum(page: Page, root: str) -> None:
    page.goto(root + "kismet/tier/index.html?levels=4..6")
    assert column(page, 2) == ["3–4", "5–6"]
    page.goto(root + "kiss/armor/index.html?steps=..-2")
    assert set(column(page, 4)) <= {"−2", "−3"}
    page.goto(root + "kiss/armor/index.html")
    page.get_by_label("Load: at least").fill("4")
    assert {int(load) for load in column(page, 1)} == {4, 5}
    assert page.url.endswith("?load=4..")


def test_dice_are_filtered_by_their_mean(page: Page, root: str) -> None:
    page.goto(root + WEAPONS + "?close=4..")
    assert set(column(page, 2)) == {"d6+", "d8", "d10", "d10+"}


def test_entities_are_filtered_by_their_effects(page: Page, root: str) -> None:
    page.goto(root + "kismet/condition/index.html?effects=Penalty+Die")
    assert names(page) == ["Blind", "Frightened", "Poisoned", "Prone", "Restrained"]
    expect(count(page)).to_have_text("5 of 16 Conditions")


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
    loads = [int(load) for load in column(page, 1)]
    assert loads == sorted(loads)
    page.keyboard.press("Enter")
    expect(header(page, "Load")).to_have_attribute("aria-sort", "descending")
    assert [int(load) for load in column(page, 1)] == sorted(loads, reverse=True)
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
    fields = phone.get_by_label("Aspect", exact=True)
    expect(fields).to_be_hidden()
    button = phone.get_by_role("button", name="Filter", exact=True)
    button.tap()
    expect(button).to_have_attribute("aria-expanded", "true")
    fields.select_option("Mental")
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
        expect(side.get_by_role("row", name="Load")).to_have_text("Load12")
        expect(side.get_by_role("row", name="Counts as")).to_have_class("same")
        page.reload()
    for name in ("Hardened Leather", "Unarmored"):
        page.get_by_role("checkbox", name=f"Compare {name}", exact=True).check()
    expect(page.get_by_role("checkbox", name="Compare Breastplate")).to_be_disabled()
    page.get_by_role("button", name="Compare").click()
    expect(side).to_be_hidden()
    assert "compare" not in page.url


def test_an_unknown_entry_in_the_address_is_not_compared(page: Page, root: str) -> None:
    page.goto(f"{root}kiss/armor/index.html?compare=leather,crown,__proto__")
    expect(page.get_by_role("region", name="Compare")).to_have_text("Choose two to four entries in the table.")
    expect(page.get_by_role("checkbox", name="Compare Leather", exact=True)).to_be_checked()
