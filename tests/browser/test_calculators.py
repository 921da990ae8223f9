"""Calculators in a real browser: keyboard, shared addresses, invalid input, and pages without scripts."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from kismet_build.config.language.catalog import catalog
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.mechanics.calculator.calculation import calculate, resolve_inputs
from kismet_build.mechanics.formula import FormulaError, evaluate
from kismet_build.pack import Pack
from kismet_build.render.components.calculator import usual_words
from kismet_build.render.components.value_text import format_value, interpolate, without_usual
from kismet_build.render.html.addresses import calculator_address
from tests.browser.conftest import WAYS, Site, strict_context
from tests.browser.host import serve_folder
from tests.calculator_game import write_calculator_game
from tests.command import CONTENT, kismet

ENGLISH = catalog("en")
SAMPLE_COUNT = 3
"""Number of random inputs for each calculator, in addition to the defaults."""
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def pack() -> Pack:
    [game] = load_library(CONTENT / "kismet", None, lambda _: None).games
    return compile_game(game, lambda _: None)


@pytest.fixture(scope="module")
def court_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("court")
    run = kismet("build", write_calculator_game(folder / "texts"), "--out", folder / "public")
    assert run.status == 0, run.output
    with serve_folder(folder / "public") as address:
        yield Site(folder / "public", address)


@pytest.fixture(params=WAYS)
def court(request: pytest.FixtureRequest, court_site: Site) -> str:
    """The URL of the test game, with a slash at the end: once on a server, once on disk."""
    return (court_site.served if request.param == "served" else court_site.local) + "ember-court/"


def opened(page: Page, court: str, name: str, rest: str = "") -> Locator:
    """A calculator on its own page, with values from the address."""
    page.goto(f"{court}calculators/{name}/index.html?calculator={name}{rest}")
    return page.locator(f'kismet-calculator[name="{name}"]')


def result(calculator: Locator) -> Locator:
    return calculator.locator('[data-is="result"]')


def test_calculator_works_by_keyboard_without_trapping_focus(page: Page, court: str) -> None:
    page.goto(f"{court}court/index.html")
    page.locator("#calculator-favor > summary").focus()
    page.keyboard.press("Enter")
    calculator = page.locator('kismet-calculator[name="favor"]')
    expect(calculator.get_by_label("Rank")).to_be_visible()
    page.keyboard.press("Tab")
    expect(calculator.get_by_label("Rank")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(result(calculator)).to_have_text("9")
    page.keyboard.press("Control+a")
    page.keyboard.type("12")
    expect(calculator.locator(".sentence")).to_have_text("Rank +12 makes a favor of 17")
    page.keyboard.press("Enter")  # The key would submit a form.
    expect(result(calculator)).to_have_text("17")
    for _ in range(40):
        page.keyboard.press("Tab")
        if not page.evaluate("document.activeElement.closest('#calculator-favor')"):
            return
    pytest.fail("the calculator traps keyboard focus")


def test_result_is_announced_once_after_several_changes(page: Page, court: str) -> None:
    calculator = opened(page, court, "favor")
    live_region = calculator.locator("output")
    page.evaluate(
        """() => {
          globalThis.spoken = [];
          const place = document.querySelector('kismet-calculator[name="favor"] output');
          new MutationObserver(() => spoken.push(place.textContent)).observe(place, { childList: true });
        }"""
    )
    page.evaluate(
        """() => {
          const less = document.querySelector('kismet-calculator[name="favor"] [data-by="-1"]');
          for (let times = 0; times < 5; times++) less.click();
        }"""
    )
    expect(live_region).to_have_text("Rank −2 makes a favor of 3")
    assert page.evaluate("spoken") == ["Rank −2 makes a favor of 3"]
    assert live_region.get_attribute("aria-live") == "polite"


def test_calculator_buttons_are_large_enough_for_touch(page: Page, court: str) -> None:
    page.set_viewport_size(PHONE)
    calculator = opened(page, court, "favor")
    more = calculator.get_by_role("button", name="Increase")
    more.click()
    more.click()
    expect(result(calculator)).to_have_text("10")
    box = more.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    calculator.get_by_role("button", name="Reset").click()
    expect(result(calculator)).to_have_text("8")


def test_holding_the_plus_button_raises_the_value_to_its_maximum(page: Page, court: str) -> None:
    calculator = opened(page, court, "favor")
    calculator.get_by_role("button", name="Increase").hover()
    page.mouse.down()
    expect(calculator.get_by_label("Rank")).to_have_value("20")
    page.mouse.up()
    expect(result(calculator)).to_have_text("25")


def test_buttons_stop_at_the_last_step_below_the_maximum(page: Page, court: str) -> None:
    calculator = opened(page, court, "toasts")
    for value in ("10", "10"):
        calculator.get_by_role("button", name="Increase").click()
        expect(calculator.get_by_label("Guests")).to_have_value(value)
    expect(result(calculator)).to_have_text("20")
    calculator.get_by_label("Guests").fill("12")
    message = "Guests must be a whole number from 1 to 12, in steps of 3, not 12"
    expect(calculator.locator(".wrong")).to_have_text(message)


def test_url_restores_the_inputs_of_a_calculator(page: Page, court: str) -> None:
    calculator = opened(page, court, "garden")
    calculator.get_by_label("Rank").fill("5")
    calculator.get_by_label("Mood").select_option("foul")
    # Inputs with default values are omitted.
    page.wait_for_url("**calculator=garden&rank=5&mood=foul&version=1.0.0#garden")
    sentence = calculator.locator(".sentence").inner_text()
    other = page.context.new_page()
    other.goto(page.url)
    there = other.locator('kismet-calculator[name="garden"]')
    expect(there.locator(".sentence")).to_have_text(sentence)
    expect(there).to_be_in_viewport()
    expect(there.locator("[data-reading]")).to_have_text("4")
    expect(other.locator(".note")).to_have_count(0)


def test_link_to_a_result_is_copied(page: Page, court_site: Site) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    calculator = opened(page, f"{court_site.served}ember-court/", "favor", "&rank=9")
    calculator.get_by_role("button", name="Copy link").click()
    expect(calculator.get_by_role("button", name="Link copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("?calculator=favor&rank=9&version=1.0.0#favor")


def test_link_to_a_result_is_shown_without_clipboard_access(page: Page, court: str) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    calculator = opened(page, court, "favor", "&rank=9")
    calculator.get_by_role("button", name="Copy link").click()
    link = calculator.get_by_label("Link to this result")
    expect(link).to_be_focused()
    expect(link).to_have_value(re.compile("calculator=favor&rank=9"))


@pytest.mark.parametrize("typed", ["99", "-1", "1.5", ""])
def test_invalid_number_shows_an_error_at_its_field(page: Page, court: str, typed: str) -> None:
    calculator = opened(page, court, "duel")
    field = calculator.get_by_label("Number of the Queen")
    field.fill(typed)
    message = calculator.locator(".wrong")
    expect(message).to_contain_text("Number of the Queen must be a whole number from 1 to 40")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert field.get_attribute("aria-describedby") == message.get_attribute("id")
    expect(result(calculator)).to_have_text("—")
    expect(calculator.locator("figure")).to_be_hidden()
    field.fill("9")
    expect(message).to_be_hidden()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(result(calculator)).to_have_text("50.0%")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("rank=NaN", "Rank must be a whole number from 0 to 5, not NaN"),
        ("rank=1e999", "Rank must be a whole number from 0 to 5, not 1e999"),
        ("rank=-Infinity", "Rank must be a whole number from 0 to 5, not -Infinity"),
        ("rank=99999999999999999999", "Rank must be a whole number from 0 to 5"),
        ("rank=", "Rank must be a whole number from 0 to 5"),
        ("rank=0x2", "Rank must be a whole number from 0 to 5, not 0x2"),
        ("mood=<b>both</b>", "Mood must be one of fair, foul, not <b>both</b>"),
        ("masked=perhaps", "Masked must be true or false, not perhaps"),
        ("level=3", "This calculator has no input “level”"),
        ("__proto__=1&constructor=2", "This calculator has no input “__proto__, constructor”"),
        ("version=0.9", "This link was made with version 0.9 of the rules, and this is version 1.0.0"),
    ],
)
def test_invalid_input_in_the_url_shows_a_message(page: Page, court: str, query: str, message: str) -> None:
    calculator = opened(page, court, "garden", f"&{query}")
    expect(calculator).to_contain_text(message)
    calculator.get_by_role("button", name="Reset").click()
    expect(result(calculator)).to_have_text("9")
    expect(calculator.locator(".wrong:visible")).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "name", "query", "sentence"),
    [
        ("kismet", "attacker-die", "roll=Melee-Attack&target=Prone", "Bonus or Penalty Die of your Attack Roll: bonus"),
        ("kismet", "attacker-die", "roll=ranged+attack&target=kismet/condition/prone", "your Attack Roll: penalty"),
        ("kismet", "attacker-die", "roll=banana", "Attack must be one of melee attack, ranged attack, not banana"),
        ("legend", "hit-points", "class_hp=8", "You have 22 HP at level 1, 11 for each level"),
        ("legend", "hit-points", "class_hp=9", "whole number from 8 to 12, in steps of 2, not 9"),
    ],
)
def test_values_in_the_url_are_those_of_kismet_calc(
    page: Page, site: Site, game: str, name: str, query: str, sentence: str
) -> None:
    calculator = opened(page, f"{site.served}{game}/", name, f"&{query}")
    expect(calculator).to_contain_text(sentence)


def test_unknown_entity_in_the_url_shows_a_message(page: Page, court: str) -> None:
    calculator = opened(page, court, "cost", "&grace=sneeze")
    expect(calculator.locator(".wrong")).to_have_text("Grace must be one of the choices, not sneeze")
    calculator.get_by_label("Grace", exact=True).select_option("whisper")
    expect(calculator.locator(".sentence")).to_have_text("Whisper costs 3")


@pytest.mark.parametrize("path", ["calculators", "court"])
@pytest.mark.parametrize("name", ["unknown-calculator", "__proto__", "", "a%00b", "%22%5D"])
def test_unknown_calculator_in_the_url_shows_a_message(page: Page, court: str, path: str, name: str) -> None:
    page.goto(f"{court}{path}/index.html?calculator={name}")
    expect(page.locator(".note")).to_contain_text("There is no calculator")


def test_failed_calculation_shows_its_reason(page: Page, court: str) -> None:
    calculator = opened(page, court, "share", "&rank=0")
    expect(result(calculator)).to_have_text("—")
    expect(calculator.locator(".sentence")).to_have_text("This would divide by zero")


def test_steps_before_a_failed_result_are_shown(page: Page, site: Site) -> None:
    page.goto(f"{site.served}kismet/sheets/encounter/index.html?calculator=encounter&immunities=slicing")
    sheet = page.locator("kismet-calculator")
    expect(result(sheet)).to_have_text("—")
    expect(sheet.locator(".sentence")).to_have_text("No number of tries would be enough")
    expect(sheet.locator('[data-is="hit"]')).to_have_text("70.0%")


def test_url_restores_checkboxes_and_selected_entities(page: Page, court: str) -> None:
    page.goto(f"{court}sheets/evening/index.html")
    sheet = page.locator("kismet-calculator")
    expect(sheet.locator(".sentence")).to_have_text("With Whisper, 4 of your favor is left")
    sheet.get_by_label("You come late").uncheck()
    picks = sheet.get_by_role("group", name="Graces")
    picks.locator("summary").click()
    picks.get_by_label("Bow").check()
    expect(picks.locator("summary")).to_have_text("Bow, Whisper")
    expect(sheet.locator(".sentence")).to_have_text("With Bow, Whisper, 3 of your favor is left")
    page.wait_for_url("**graces=bow%2Cwhisper&late=false&version=1.0.0*")
    there = page.context.new_page()
    there.goto(page.url)
    expect(there.locator(".sentence")).to_have_text("With Bow, Whisper, 3 of your favor is left")
    expect(there.get_by_label("You come late")).not_to_be_checked()


def test_example_button_fills_in_the_inputs_of_the_example(page: Page, court: str) -> None:
    calculator = opened(page, court, "favor")
    calculator.get_by_role("button", name="Rank 4").click()
    expect(calculator.get_by_label("Rank")).to_have_value("4")
    expect(result(calculator)).to_have_text("9")


def test_odds_chart_is_redrawn_when_an_input_changes(page: Page, court: str) -> None:
    calculator = opened(page, court, "duel")
    made = calculator.locator("rect.made")
    expect(made).to_have_count(5)
    calculator.get_by_label("Number of the Queen").fill("4")
    expect(made).to_have_count(10)
    expect(calculator.locator("figcaption")).to_have_text("100.0% reach 4 or more")


def test_citation_link_leads_to_the_cited_text(page: Page, court_site: Site) -> None:
    calculator = opened(page, f"{court_site.served}ember-court/", "garden")
    calculator.get_by_role("link", name=re.compile("^why.*the Queen's mood is added”, Favor$")).click()
    page.wait_for_url("**/court/index.html#favor*")
    expect(page.get_by_text("In the garden, the Queen's mood is added").first).to_be_in_viewport()


def test_calculator_script_is_loaded_when_a_calculator_is_opened(page: Page, court: str) -> None:
    page.goto(f"{court}court/index.html", wait_until="networkidle")
    script = page.locator("script[src$='calculator.js']")
    expect(script).to_have_count(0)
    page.locator("details.calculator > summary").first.click()
    expect(page.locator("kismet-calculator form").first).to_be_visible()
    expect(script).to_have_count(1)


def test_calculator_in_a_chapter_is_below_the_text_that_it_cites(page: Page, court: str) -> None:
    page.goto(f"{court}court/index.html")
    calculator = page.locator("#calculator-favor")
    calculator.locator("summary").click()
    calculator.get_by_label("Rank").fill("4")
    expect(result(calculator)).to_have_text("9")
    before = calculator.locator("xpath=ancestor::aside/preceding-sibling::*[1]")
    expect(before).to_contain_text("their rank plus “5”")


@pytest.mark.parametrize("path", ["calculators/favor/index.html", "sheets/evening/index.html"])
def test_results_are_shown_in_tables_without_scripts(browser: Browser, court: str, path: str) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(court + path)
        calculator = page.locator("kismet-calculator").first
        expect(calculator.locator("form")).to_be_hidden()
        expect(result(calculator)).to_be_visible()
        expect(calculator.locator(".results tbody td").first).to_be_visible()


@pytest.mark.parametrize(
    "path",
    ["calculators", "calculators/attack-odds", "sheets/encounter", "core-rules/proficiency", "combat-rules/print"],
)
def test_pages_with_open_calculators_do_not_overflow_a_phone(page: Page, site: Site, path: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{site.served}kismet/{path}/index.html")
    page.evaluate("document.querySelectorAll('details').forEach((element) => (element.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


SHOW = """(calculators) => calculators.map(([name, given]) => {
  const place = document.querySelector(`kismet-calculator[name="${name}"]`);
  place.fill(new URLSearchParams(given));
  place.show();
  const texts = (part) => [...place.querySelectorAll(part)].map((element) => element.textContent);
  const wrong = texts(".wrong").filter(Boolean);
  return [texts('[data-is="result"]')[0], texts(".sentence")[0], texts(".steps [data-is]"), wrong];
})"""


def test_page_shows_the_results_that_python_computes(page: Page, site: Site, pack: Pack) -> None:
    luck = random.Random(20)
    for calculator in pack.game.calculators.values():
        cases = [{}, *(_others(pack, calculator, luck) for _ in range(SAMPLE_COUNT))]
        page.goto(f"{site.served}{calculator_address(calculator)}index.html", wait_until="load")
        expect(page.locator("kismet-calculator > form:not([hidden])")).to_be_attached()
        answers = page.evaluate(SHOW, [[calculator.slug, _query(values)] for values in cases])
        expected = [_expected_page(pack, calculator, values) for values in cases]
        assert answers == expected, (calculator.slug, cases)


# --- lists


def test_values_of_a_list_are_added_and_removed(page: Page, site: Site) -> None:
    calculator = opened(page, f"{site.served}kismet/", "net-die", "&dice=penalty,penalty")
    dice = calculator.get_by_role("group", name="Dice of the Player")
    expect(dice.get_by_role("combobox")).to_have_count(2)
    expect(calculator.locator(".result b")).to_have_text("penalty")
    dice.get_by_role("button", name="Remove").first.click()
    expect(dice.get_by_role("button", name="Add")).to_be_focused()
    dice.get_by_role("button", name="Add").click()
    expect(dice.get_by_role("combobox").last).to_be_focused()
    expect(calculator.locator(".result b")).to_have_text("neither")
    page.wait_for_url("**dice=penalty%2Cbonus&version*")
    calculator.get_by_role("button", name="Reset").click()
    expect(dice.get_by_role("combobox")).to_have_count(3)
    page.wait_for_url(re.compile(r"calculator=net-die&version=[^&]*$"))


def test_invalid_value_of_a_list_is_marked(page: Page, site: Site) -> None:
    calculator = opened(page, f"{site.served}legend/", "best-and-worst", "&values=2,no")
    expect(calculator.locator(".wrong")).to_contain_text("not no")
    fields = calculator.get_by_role("spinbutton")
    expect(fields).to_have_count(3)
    fields.nth(1).fill("5000")
    expect(fields.nth(1)).to_have_attribute("aria-invalid", "true")
    expect(calculator.locator(".wrong")).to_contain_text("not 5000")
    fields.nth(1).fill("")
    expect(calculator.locator(".result b")).to_have_text("1")
    fields.nth(0).fill("4")
    expect(calculator.locator(".result b")).to_have_text("3")


# --- the list of all calculators


@pytest.mark.parametrize("old", ["#duel", "?calculator=duel&rank=4#duel", "?calculator=duel&rank=4"])
def test_old_address_of_a_calculator_leads_to_its_page(page: Page, court: str, old: str) -> None:
    page.goto(f"{court}calculators/index.html{old}")
    page.wait_for_url("**/calculators/duel/index.html*")
    expect(page.get_by_label("Rank")).to_have_value("4" if "rank" in old else "3")


def test_name_of_one_of_several_calculators_opens_it(page: Page, court: str) -> None:
    page.goto(f"{court}court/index.html")
    page.locator(".names > span", has_text="Toasts").click()
    expect(page.locator("#calculator-toasts").get_by_label("Guests")).to_be_visible()
    expect(page.locator("#calculator-duel kismet-calculator")).to_be_hidden()


def _others(pack: Pack, calculator: Calculator, luck: random.Random) -> dict[str, Any]:
    return {field.name: _other(pack, field, luck) for field in calculator.inputs}


def _other(pack: Pack, field: Input, luck: random.Random) -> Any:
    if field.many and field.type != "entity":
        return [_other(pack, replace(field, many=False), luck) for _ in range(luck.randint(0, 3))]
    match field.type:
        case "integer" | "number":
            assert field.low is not None
            assert field.high is not None
            return luck.randint(int(field.low), int(field.high))
        case "boolean":
            return luck.random() < 0.5
        case "choice":
            return luck.choice(field.options)
    records = [record for kind in field.kinds for record in pack.records.entities[kind]]
    names = (
        [f"{record['kind']}/{record['slug']}" for record in records]
        if len(field.kinds) > 1
        else [record["slug"] for record in records]
    )
    return luck.sample(names, min(3, len(names))) if field.many else luck.choice(names)


def _query(values: dict[str, Any]) -> dict[str, str]:
    return {
        name: ",".join(map(str, value))
        if isinstance(value, list)
        else json.dumps(value)
        if isinstance(value, bool)
        else str(value)
        for name, value in values.items()
    }


def _expected_page(pack: Pack, calculator: Calculator, inputs: dict[str, Any]) -> list[Any]:
    """The expected content of a page: result, sentence, steps, and no errors."""
    try:
        calculation = calculate(pack.records, calculator, resolve_inputs(pack.records, calculator, inputs))
    except FormulaError as error:
        failures = {
            "missing": "The rules have no entry for this",
            "zero": "This would divide by zero",
            "never": "No number of tries would be enough",
            "large": "This number is too large to work with",
        }
        return ["—", failures.get(error.code, "This cannot be worked out"), _steps_until(pack, calculator, inputs), []]
    shown = {field.name: (calculation.inputs[field.name], "", field.unit) for field in calculator.inputs}
    shown |= {step.name: (value, step.type, step.unit) for step, value in calculation.steps}
    shown["result"] = (calculation.result, calculator.result.type, calculator.result.unit)
    usual = usual_words(pack, calculator)
    same = [name for name, words in usual.items() if format_value(*shown[name], ENGLISH) == words]
    sentence = interpolate(without_usual(calculator.result.sentence, same), shown, ENGLISH)
    steps = [format_value(value, step.type, step.unit, ENGLISH) for step, value in calculation.steps]
    return [format_value(*shown["result"], ENGLISH), sentence, steps, []]


def _steps_until(pack: Pack, calculator: Calculator, inputs: dict[str, Any]) -> list[str]:
    """The values of the steps before the first error, and a dash for each of the others."""
    scope = dict(resolve_inputs(pack.records, calculator, inputs))
    results: list[str] = []
    try:
        for step in calculator.steps:
            scope[step.name] = evaluate(step.tree, scope, pack.records.formula_library)
            results.append(format_value(scope[step.name], step.type, step.unit, ENGLISH))
    except FormulaError:
        pass
    return results + ["—"] * (len(calculator.steps) - len(results))
