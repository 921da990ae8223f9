"""The situation page in a real browser: from a card, by hand, by keyboard, by address, in print; and typed values."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.browser.conftest import Site, strict_context
from tests.browser.test_budgets import axe as axe  # This is a fixture.
from tests.browser.test_budgets import violations
from tests.browser.test_reading import HORIZONTAL_OVERFLOW
from tests.command import GAMES

PHONE: ViewportSize = {"width": 390, "height": 844}
PLAIN, WITH_BONUS = "70.0%", "92.0%"
"""Chance to hit Defense 9 with +5, without a die and with a Bonus Die.

`tests/stages/mechanics/test_situation.py` counts the throws.
"""


def result(page: Page) -> Locator:
    return page.locator("kismet-calculator:not([hidden]) .result b")


def difference(page: Page) -> Locator:
    return page.locator("kismet-calculator:not([hidden]) .situation-difference")


def side(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name)


def tick(page: Page, name: str, kind: str, state: str) -> None:
    group = side(page, name).locator("details", has=page.locator("summary", has_text=kind))
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    group.get_by_label(state, exact=True).check()


def test_card_of_a_condition_leads_to_the_odds_in_one_tap(browser: Browser, root: str) -> None:
    with strict_context(browser, viewport=PHONE, color_scheme="dark") as context:
        page = context.new_page()
        page.goto(root + "kismet/condition/blind/index.html")
        page.get_by_role("link", name="On the target").click()
        expect(result(page)).to_have_text(WITH_BONUS)
        expect(result(page)).to_be_in_viewport()
        expect(difference(page)).to_have_text(f"{PLAIN} without these · +22 points")
        expect(side(page, "On the target").get_by_role("button", name="Remove Blind")).to_be_visible()
        counted = page.locator(".situation-lines").first
        expect(counted).to_contain_text("Bonus Die on Attack Rolls against it")
        expect(counted.get_by_role("link", name="Why: “whoever attacks it has a Bonus Die”")).to_be_visible()
        assert page.evaluate(HORIZONTAL_OVERFLOW) == 0


def test_effect_that_depends_on_something_asks(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html")
    expect(result(page)).to_have_text(PLAIN)
    tick(page, "On the target", "Conditions", "Prone")
    expect(result(page)).to_have_text(PLAIN)
    expect(page.get_by_role("heading", name="Depends on")).to_be_visible()
    side(page, "On the target").get_by_role("checkbox", name="melee Attack Rolls").check()
    expect(result(page)).to_have_text(WITH_BONUS)
    # The chosen roll itself answers the question.
    page.get_by_role("radio", name="ranged Attack Rolls").check()
    expect(side(page, "On the target").get_by_role("checkbox", name="ranged Attack Rolls")).to_have_count(0)
    expect(difference(page)).to_contain_text("−")


def test_exception_counts_only_if_it_is_ticked(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=attack&target=position/cover")
    expect(difference(page)).to_have_text(f"{PLAIN} without these · −45 points")
    counted = page.locator("h2:text-is('Counted') + ul")
    expect(counted).to_contain_text("except attacks and Abilities that ignore cover")
    side(page, "On the target").get_by_role("checkbox", name="except attacks").check()
    expect(result(page)).to_have_text(PLAIN)
    expect(page.locator("h2:text-is('Depends on') + ul")).to_contain_text("Bonus Die on its Defense Rolls")


def test_effect_that_no_calculator_takes_is_not_computed(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=attack&on=condition/restrained")
    left = page.locator("h2:text-is('Not computed') + ul")
    expect(left).to_contain_text("Restrained Speed 0")
    expect(left.get_by_role("link", name="Why:").first).to_be_visible()
    page.goto(root + "kismet/situation/index.html?roll=attack&target=condition/unconscious")
    expect(left.get_by_role("listitem").filter(has_text="Dies")).to_contain_text("when it takes any Damage at all")


def test_state_that_another_brings_is_added_with_one_tap(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=melee-attack&target=condition/unconscious")
    page.get_by_role("button", name="Add Prone").click()
    expect(side(page, "On the target").get_by_role("button", name="Remove Prone")).to_be_visible()
    expect(page.get_by_role("button", name="Add Prone")).to_have_count(0)


def test_copied_address_has_all_values(page: Page, root: str) -> None:
    page.goto(root + "legend/situation/index.html")
    page.get_by_role("radio", name="attack rolls").check()
    tick(page, "On you", "Modifier Types", "Feat Bonus")
    side(page, "On you").get_by_role("checkbox", name="when its source says so").check()
    side(page, "On you").get_by_label("Value").fill("3, 2")
    page.get_by_label("Target number (DC or AC)").fill("18")
    # The better of two bonuses of the same type counts. With 3 and 4 against 18, 10 of 20 faces succeed.
    expect(result(page)).to_have_text("50.0%")
    # The address changes after half a second, and may have earlier values until then.
    page.wait_for_url(re.compile(r"value\.\w+=18&.*version="))
    with page.context.expect_page() as other:
        page.evaluate("open(location.href)")
    expect(result(other.value)).to_have_text("50.0%")
    expect(side(other.value, "On you").get_by_label("Value")).to_have_value("3, 2")


def test_value_out_of_range_is_refused_by_hand_and_in_an_address(page: Page, root: str) -> None:
    page.goto(root + "legend/situation/index.html?roll=attack&on=modifier-type/feat-bonus_0:99")
    expect(page.get_by_role("alert").first).to_contain_text("from 0 to 20")
    expect(result(page)).to_have_text("50.0%")
    side(page, "On you").get_by_label("Value").fill("1")
    expect(result(page)).to_have_text("55.0%")


def test_states_are_filtered_ticked_and_removed_by_keyboard(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html")
    find = side(page, "On the target").get_by_role("searchbox")
    find.focus()
    page.keyboard.type("blin")
    box = side(page, "On the target").get_by_role("checkbox", name="Blind")
    expect(box).to_be_visible()
    expect(side(page, "On the target").get_by_role("checkbox", name="Prone")).to_be_hidden()
    box.focus()
    page.keyboard.press("Space")
    expect(result(page)).to_have_text(WITH_BONUS)
    side(page, "On the target").get_by_role("button", name="Remove Blind").focus()
    page.keyboard.press("Enter")
    expect(result(page)).to_have_text(PLAIN)
    expect(find).to_be_focused()
    expect(box).not_to_be_checked()


def test_state_without_effect_on_the_roll_stays_and_says_so(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=attack&on=condition/blind")
    page.get_by_role("radio", name="Skill Rolls").check()
    expect(side(page, "On you")).to_contain_text("No effect on this roll")
    expect(difference(page)).to_have_text("")


def test_print_says_what_was_chosen(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=attack&on=condition/blind&target=wound/stagger")
    page.emulate_media(media="print")
    summary = page.locator(".situation-summary")
    expect(summary).to_have_text("Attack Rolls · On you: Blind · On the target: Stagger")
    expect(page.locator(".situation-form")).to_be_hidden()
    expect(result(page)).to_be_visible()


def test_typed_value_is_offered_by_all_calculators_of_the_game(page: Page, root: str) -> None:
    page.goto(root + "kismet/situation/index.html?roll=attack")
    modifier = page.locator("kismet-calculator:not([hidden])").get_by_label("Attack Modifier")
    expect(modifier).to_have_value("5")
    modifier.fill("7")
    expect(page.locator(".own:visible")).to_have_text("your value")
    page.goto(root + "kismet/situation/index.html?roll=attack&on=condition/blind")
    expect(modifier).to_have_value("7")
    # An address with values shows the same result to everybody.
    page.goto(root + "kismet/situation/index.html?roll=attack&version=1.0.0")
    expect(modifier).to_have_value("5")
    page.goto(root + "kismet/calculators/chance-to-hit/index.html?calculator=chance-to-hit")
    other = page.locator("kismet-calculator[name=chance-to-hit]").get_by_label("Attack Modifier")
    expect(other).to_have_value("5")
    page.goto(root + "kismet/calculators/chance-to-hit/index.html")
    expect(other).to_have_value("7")
    expect(page.locator("#chance-to-hit .own")).to_have_text("your value")
    page.locator("#chance-to-hit").get_by_role("button", name="Reset").click()
    expect(other).to_have_value("5")
    expect(page.locator("#chance-to-hit .own")).to_have_count(0)
    page.goto(root + "kismet/situation/index.html?roll=attack")
    expect(modifier).to_have_value("5")


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_the_page_and_computes_at_once(page: Page, root: str, game: str) -> None:
    page.goto(f"{root}{game}/index.html")
    page.get_by_role("main").get_by_role("link", name="Situation", exact=True).click()
    expect(result(page)).to_contain_text("%")
    for radio in page.get_by_role("radio").all():
        radio.check()
        expect(result(page)).to_contain_text("%")
        expect(side(page, "On you")).to_be_visible()


def test_chosen_states_have_no_accessibility_violations(browser: Browser, site: Site, axe: str) -> None:
    addresses = (
        "kismet/situation/index.html?roll=attack&on=condition/blind&target=condition/prone,condition/unconscious",
        "legend/situation/index.html?roll=attack&on=modifier-type/feat-bonus_0:99",
    )
    with strict_context(browser, viewport=PHONE, color_scheme="dark", bypass_csp=True) as context:
        page = context.new_page()
        wrong = []
        for address in addresses:
            page.goto(site.served + address)
            expect(page.locator(".situation-chip").first).to_be_visible()
            wrong += violations(page, axe)
    assert wrong == []
