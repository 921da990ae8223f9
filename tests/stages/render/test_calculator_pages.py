"""Calculator pages without scripts (forms, tables, charts, reasons), and the data that scripts receive."""

import gzip
import json
import random
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from kismet_build.config.language.catalog import catalog
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator.calculation import calculate, needed_library, resolve_inputs
from kismet_build.mechanics.formula import parse
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.components.calculator_table import NO_RESULT, ResultTable, result_table
from kismet_build.render.components.odds_chart import dice_outcomes, draw
from kismet_build.render.components.value_text import format_value, interpolate, without_usual
from kismet_build.render.pages.layout import common_scripts, scripts
from kismet_build.render.site.outputs import pages
from kismet_build.render.site.scripts import script_files
from tests.calculator_game import CALCULATORS, TEXT, write_calculator_game
from tests.command import CONTENT, GAMES
from tests.conftest import BuiltTree
from tests.laws.test_site import pages_of, resolve
from tests.node import ASSETS, run_scripts

ENGLISH = catalog("en")


def compiled(folder: Path) -> Pack:
    diagnostics: list[Diagnostic] = []
    [game] = load_library(folder, None, diagnostics.append).games
    return compile_game(game, diagnostics.append)


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    return compiled(write_calculator_game(tmp_path_factory.mktemp("court")))


@pytest.fixture(scope="module")
def articles(court: Pack) -> dict[str, str]:
    return {page.address.removeprefix("ember-court/"): page.article for page in pages(court)}


def table(pack: Pack, name: str) -> ResultTable:
    result = result_table(pack, pack.game.calculators[name], "")
    assert result is not None
    return result


# --- the table of results


def test_table_merges_rows_of_neighbouring_values_with_the_same_result(court: Pack) -> None:
    assert [(heading, *cells) for heading, cells in table(court, "seats").rows] == [
        ("1 to 3", "0"),
        ("4 to 7", "1"),
        ("8 to 11", "2"),
        ("12", "3"),
    ]


def test_table_of_a_long_range_has_round_numbers_and_both_ends(court: Pack) -> None:
    favor = table(court, "favor")
    assert [heading for heading, _ in favor.rows] == ["−3", "0", "5", "10", "15", "20"]
    assert [cells for _, cells in favor.rows] == [("2",), ("5",), ("10",), ("15",), ("20",), ("25",)]


def test_table_has_two_most_influential_inputs_as_rows_and_columns(court: Pack) -> None:
    garden = table(court, "garden")
    assert (garden.down, garden.across, garden.columns) == ("Rank", "Mood", ("fair", "foul"))
    assert garden.rows[0] == ("0", ("6", "4"))
    assert garden.fixed == (("Masked", "no"),)


def test_table_of_an_entity_input_has_a_row_for_each_entity(court: Pack) -> None:
    assert table(court, "cost").rows == (("Bow", ("2",)), ("Whisper", ("3",)))


def test_table_cell_without_result_has_a_dash(court: Pack) -> None:
    share = table(court, "share")
    place = [heading for heading, _ in share.rows].index("0") if share.down == "Rank" else share.columns.index("0")
    cells = share.rows[place][1] if share.down == "Rank" else tuple(cells[place] for _, cells in share.rows)
    assert set(cells) == {NO_RESULT}


@pytest.mark.parametrize("game", GAMES)
def test_every_table_cell_equals_the_result_of_the_calculator(game: str) -> None:
    pack = compiled(CONTENT / game)
    checked = 0
    for calculator in pack.game.calculators.values():
        computed = result_table(pack, calculator, "")
        if computed is None:
            continue
        labels = {f"{field.label} ({field.unit})": field for field in calculator.inputs} | {
            field.label: field for field in calculator.inputs
        }
        down = labels[computed.down]
        if down.type not in ("integer", "number") or computed.across:
            continue
        for heading, cells in computed.rows:
            for value in heading.replace("−", "-").split(" to "):
                values = resolve_inputs(pack.records, calculator, {down.name: float(value)})
                result = calculate(pack.records, calculator, values).result
                assert re.sub("<[^>]+>", "", cells[0]) == format_value(
                    result, calculator.result.type, calculator.result.unit, ENGLISH
                )
                checked += 1
    assert checked > 20, game


# --- the chart


def test_chart_bars_are_adjacent_and_target_line_is_before_the_first_success() -> None:
    dice = parse('dice("1d10")')
    svg = str(draw(dice_outcomes(dice, 3), 9, ENGLISH).drawing)
    bars = re.findall(r'<rect class="(\w+)"[^>]* x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg)
    assert [sort for sort, *_ in bars] == ["missed"] * 5 + ["made"] * 5
    assert [(int(x), int(y), int(width), int(height)) for _, x, y, width, height in bars] == [
        (place * 320, 180, 306, 820) for place in range(10)
    ]
    assert '<path class="target" d="M1600 0V1000"/>' in svg
    assert "<title>4: 10.0%</title>" in svg


def test_success_is_distinguished_by_more_than_colour() -> None:
    svg = str(draw(dice_outcomes(parse('dice("1d10")')), 6, ENGLISH).drawing)
    assert 'class="made" fill="currentColor"' in svg
    assert 'class="missed" x=' in svg  # Not filled, as is the default for the drawing.
    assert ">6 or more</text>" in svg


@pytest.mark.parametrize("divisor", [1, 2])
def test_chart_groups_many_results_and_no_bar_spans_the_target(divisor: int) -> None:
    outcomes = [(total / divisor, chance) for total, chance in dice_outcomes(parse('dice("10d20")'))]
    target = 111 / divisor
    drawn = draw(outcomes, target, ENGLISH)
    titles = re.findall(r'<rect class="(\w+)".*?<title>([\d.]+)(?: to ([\d.]+))?: ([\d.]+)%', str(drawn.drawing))
    assert 20 < len(titles) <= 41
    assert all(float(low) >= target for sort, low, *_ in titles if sort == "made")
    assert all(float(high or low) < target for sort, low, high, _ in titles if sort == "missed")
    assert sum(float(chance) for *_, chance in titles) == pytest.approx(100, abs=1)


def test_chart_has_a_caption() -> None:
    assert draw([(0, 0.25), (4, 0.75)], None, ENGLISH).caption == "0 to 4, mean 3"
    assert draw([(0, 0.25), (4, 0.75)], 1, ENGLISH).caption == "75.0% reach 1 or more"
    assert draw([(0, 1 - 1e-16), (4, 1e-16)], None, ENGLISH).caption == "0, mean 0"


# --- formatted values


@pytest.mark.parametrize(
    ("value", "sort", "unit", "expected"),
    [
        (7.0, "number", "", "7"),
        (-2.5, "number", "", "−2.5"),
        (2.005, "number", "", "2.01"),
        (1, "number", "feet", "1 foot"),
        (2, "number", "tiles", "2 tiles"),
        (1, "number", "successes", "1 success"),
        (1, "number", "penalties", "1 penalty"),
        (1, "number", "stress", "1 stress"),
        (1, "number", "attacks", "1 attack"),
        (1, "number", "karma", "1 karma"),
        (50, "number", "percent", "50%"),
        (0.125, "chance", "", "12.5%"),
        (0.0004, "chance", "", "< 0.1%"),
        (0.99999, "chance", "", "> 99.9%"),
        (0.9999999999999999, "chance", "", "100.0%"),
        (5.6e-17, "chance", "", "0.0%"),
        (True, "boolean", "", "yes"),
        (None, "number", "tiles", "none"),
        ([], "entity", "", "none"),
        ({"id": "a/b/c", "name": "Bow"}, "entity", "", "Bow"),
        ([[0, 0.5], [4, 0.5]], "outcomes", "rounds", "0 to 4 rounds, mean 2"),
        (parse('dice("2d6+1")'), "dice", "", "2d6+1"),
        (parse('dice("crit(1d10, 10, +5)")'), "dice", "", "1d10 (10: +5)"),
        (parse('dice("penalty(crit(crit(1d10, 10, +5), 1, -5))")'), "dice", "", "1d10 − 1d10 (10: +5, 1: −5)"),
    ],
)
def test_value_is_formatted_with_its_unit(value: Any, sort: str, unit: str, expected: str) -> None:
    assert format_value(value, sort, unit, ENGLISH) == expected


def test_sentence_repeats_no_unit_and_no_sign() -> None:
    values = {"far": (3, "number", "tiles"), "bonus": (-2, "number", ""), "breit": (4, "number", "Füße")}
    assert (
        interpolate("{far} away, {far} tiles in all, with +{bonus}", values, ENGLISH)
        == "3 tiles away, 3 tiles in all, with −2"
    )
    assert interpolate("{breit}, also {breit} Füße", values, catalog("de")) == "4 Füße, also 4 Füße"


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_script_draws_the_same_charts_captions_and_sentences(tmp_path: Path, language: str) -> None:
    words = catalog(language)
    luck = random.Random(7)
    cases: list[dict[str, Any]] = []
    for _ in range(400):
        step = luck.choice([1, 1, 1, 0.5])
        values = luck.sample(range(-30, 200), luck.randint(1, luck.choice([3, 20, 150])))
        weights = [luck.random() ** 4 for _ in values]
        outcomes = [[value * step, weight / sum(weights)] for value, weight in zip(values, weights, strict=True)]
        target = luck.choice([None, luck.randint(-40, 220), luck.randint(0, 100) / 4])
        number = luck.choice([luck.uniform(-1000, 1000), luck.randint(-99, 99), luck.random(), 1.0, 0.0005, -0.001])
        unit = luck.choice(
            ["", "tiles", "feet", "dice", "percent", "successes", "gold pieces", "karma", "stress", "boxes", "Füße"]
        )
        cases.append({"outcomes": outcomes, "target": target, "number": number, "unit": unit})
    sentence = "{number} gold pieces, +{number}: {chance}, {outcomes}, {nothing}"

    def expected(case: dict[str, Any]) -> list[str]:
        values = {
            "number": (case["number"], "number", case["unit"]),
            "chance": (abs(case["number"]) % 1, "chance", ""),
            "outcomes": (case["outcomes"], "outcomes", case["unit"]),
            "nothing": (None, "text", ""),
        }
        chart = draw(case["outcomes"], case["target"], words)
        inside = re.sub("^<svg[^>]*>|</svg>$", "", str(chart.drawing))
        return [inside, chart.caption, interpolate(sentence, values, words)]

    answer = tmp_path / "answer.js"
    answer.write_text(
        """globalThis.answer = ({ cases, sentence }) => cases.map(({ outcomes, target, number, unit }) => [
          kismet.draw(outcomes, target),
          kismet.caption(outcomes, target),
          kismet.filled(sentence, (name) => ({
            number: [number, "number", unit],
            chance: [Math.abs(number) % 1, "chance", ""],
            outcomes: [outcomes, "outcomes", unit],
            nothing: [null, "text", ""],
          })[name]),
        ]);""",
        encoding="utf-8",
    )
    answers = run_scripts([ASSETS / "chart.js", answer], {"cases": cases, "sentence": sentence}, tmp_path, language)
    for case, actual in zip(cases, answers, strict=True):
        assert actual == expected(case), case


USUAL = [
    ("A roll of {a} (extra die: {die}; every hit: {all}) is {result}", {"die", "all"}, "A roll of {a} is {result}"),
    (
        "A roll of {a} (extra die: {die}; every hit: {all}) is {result}",
        {"die"},
        "A roll of {a} (every hit: {all}) is {result}",
    ),
    ("Ties ({tie}) are rolled again", {"tie"}, "Ties are rolled again"),
    ("Earns {result} (10 at most)", set(), "Earns {result} (10 at most)"),
    ("From level (or size) {level} ({a} of {b})", {"a"}, "From level (or size) {level} ({a} of {b})"),
]


def test_sentence_names_in_brackets_only_what_is_not_usual(tmp_path: Path) -> None:
    assert [without_usual(sentence, usual) for sentence, usual, _ in USUAL] == [short for *_, short in USUAL]
    answer = tmp_path / "answer.js"
    answer.write_text(
        """globalThis.answer = ({ cases }) => cases.map(([sentence, usual]) =>
          kismet.withoutUsual(sentence, (name) => usual.includes(name)));""",
        encoding="utf-8",
    )
    cases = [[sentence, sorted(usual)] for sentence, usual, _ in USUAL]
    answers = run_scripts([ASSETS / "chart.js", answer], {"cases": cases}, tmp_path, "en")
    assert answers == [short for *_, short in USUAL]


# --- the pages


class Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.fields: list[dict[str, str | None]] = []
        self.labels: set[str | None] = set()
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("input", "select") and "aria-label" not in attributes:
            self.fields.append(attributes)
        if tag == "label":
            self.labels.add(attributes.get("for"))


def test_every_form_field_has_a_label(articles: dict[str, str]) -> None:
    number = 0
    for address in (address for address in articles if address.startswith("calculators/")):
        form = Form()
        form.feed(articles[address])
        number += len(form.fields)
        assert {field.get("id") for field in form.fields} == form.labels
    assert number > 8


def test_form_is_hidden_without_script_and_result_and_table_are_shown(articles: dict[str, str]) -> None:
    for address in ("calculators/favor/", "sheets/evening/", "court/"):
        assert articles[address].count("<form hidden") == articles[address].count("<form") > 0
    assert re.search(r'<b data-is="result">8</b>', articles["calculators/favor/"])
    assert '<tr><th scope="row">4 to 7</th><td>1</td></tr>' in articles["calculators/seats/"]


def test_chapter_has_each_calculator_once_after_the_block_that_it_cites(articles: dict[str, str]) -> None:
    chapter = articles["court/"]
    assert re.findall(r' id="calculator-([a-z]+)"', chapter) == [
        *("evening", "favor", "garden", "seats", "duel", "toasts", "share", "cost")
    ]
    # A calculator is not placed inside a list, table or callout, nor between a list and its introduction.
    assert re.search(r"</ul>\s*<aside[^>]*>\s*<details[^>]*calculator-garden", chapter)
    assert re.search(r"</table></div>\s*<aside[^>]*>\s*<details[^>]*calculator-seats", chapter)
    assert re.search(r"</aside>\s*<aside[^>]*>\s*<details[^>]*calculator-cost", chapter)
    assert 'href="../../ember-court/calculators/favor/index.html"' in chapter


def test_list_of_calculators_says_what_each_answers(articles: dict[str, str]) -> None:
    """A line has the question, or the sentence of the result with the default values."""
    listed = articles["calculators/"]
    assert re.findall(r'<span>Favor <span class="answers">(.*?)</span>', listed) == ["Rank +3 makes a favor of 8"]
    assert 'class="answers"' not in articles["court/"]


def test_list_of_calculators_links_to_each_at_its_old_fragment(articles: dict[str, str], court: Pack) -> None:
    links = re.findall(r'<li class="calculator" id="([a-z]+)"><a href="([^"]+)">', articles["calculators/"])
    assert len(links) == len(court.game.calculators)
    assert ("favor", "../../ember-court/calculators/favor/index.html") in links
    assert ("evening", "../../ember-court/sheets/evening/index.html") in links
    assert "kismet-calculator" not in articles["calculators/"]


def test_calculators_are_listed_by_their_file(tmp_path: Path) -> None:
    """Calculators of a single file are listed by chapter."""
    folder = write_calculator_game(tmp_path)
    other = CALCULATORS[: CALCULATORS.index("\ngarden:")].replace("favor:", "other:", 1)
    for groups in (["Court"], ["Late hours", "Court"]):
        [page] = [page for page in pages(compiled(folder)) if page.role == "calculators"]
        assert [entry.title for entry in page.contents] == groups
        (folder / "calculators/2-late-hours.yaml").write_text(other, encoding="utf-8")


def test_calculator_is_beside_the_block_that_it_cites(articles: dict[str, str]) -> None:
    notes = re.findall(r'<div class="noted">\n(.*?)</aside>\n</div>', articles["court/"], re.DOTALL)
    assert len(notes) == articles["court/"].count('<aside class="calculators"') > 1
    several = [note for note in notes if note.count('<details class="calculator"') > 1]
    assert all('<details class="several">' in note for note in several)


def test_entity_page_has_the_calculators_that_cite_its_text(articles: dict[str, str]) -> None:
    assert 'id="calculator-evening"' in articles["grace/bow/"]
    assert "kismet-calculator" not in articles["grace/whisper/"]


SHOWN_CALCULATOR = re.compile(r' class="calculator" id="calculator-([a-z0-9-]+)"')


def test_entity_page_has_at_most_one_calculator_beside_its_text(content: BuiltTree) -> None:
    number = after_text = 0
    for file in content.folder.glob("*/*/*/index.html"):
        page = file.read_text(encoding="utf-8")
        if '<body class="entity' not in page:
            continue
        shown = SHOWN_CALCULATOR.findall(page)
        backlinks = page.partition('<section class="references"')[2].partition("</section>")[0]
        mentioned = re.findall(r'href="[^"]*(?:calculators|sheets)/([a-z0-9-]+)/', backlinks)
        assert len({*shown, *mentioned}) == len(shown) + len(mentioned), file
        notes = re.findall(r'<div class="noted">\n.*?</aside>\n</div>', page, re.DOTALL)
        assert len(shown) <= 1, file
        number += len(shown)
        after_text += len(shown) - sum(len(SHOWN_CALCULATOR.findall(note)) for note in notes)
    assert number > 5
    # The page does not repeat the sentence that is on its card.
    assert after_text <= 3


def test_sheet_has_a_page_that_other_pages_link_to(articles: dict[str, str]) -> None:
    sheet = articles["sheets/evening/"]
    assert "<legend>You</legend>" in sheet
    assert sheet.count("<svg") == 1  # The guests have a distribution as their value.
    for address in ("", "calculators/", "court/"):
        assert "sheets/evening/index.html" in articles[address]


def test_stale_citation_is_not_linked(tmp_path: Path) -> None:
    stale = compiled(write_calculator_game(tmp_path, text=TEXT.replace("their rank plus", "their rank and")))
    by_address = {page.address: page for page in pages(stale)}
    assert "No longer in the text" in by_address["ember-court/calculators/"].article
    page = by_address["ember-court/calculators/favor/"]
    assert '<p class="from">Favor, 1 Court: “rank plus &#34;5&#34;”</p>' in page.article
    assert "the text has changed" in by_address["ember-court/calculators/garden/"].article


def test_text_fragments_of_citation_links_exist_on_their_target_pages(built: BuiltTree) -> None:
    pages = pages_of(built.folder)
    texts = {path: normalize(page.article) for path, page in pages.items()}
    checked = 0
    for path, page in pages.items():
        for tag, address in page.addresses:
            if tag == "a" and ":~:text=" in address:
                target = resolve(path, address)
                assert target is not None
                assert normalize(unquote(address.partition(":~:text=")[2])) in texts[target[0]], f"{path}: {address}"
                checked += 1
    assert checked > 200


# --- data for scripts


def test_page_loads_only_the_scripts_that_it_needs(built: BuiltTree) -> None:
    # The offline page is shown at any address, so its links are not relative.
    for file in (file for file in built.folder.rglob("*.html") if file.name != "offline.html"):
        html = file.read_text(encoding="utf-8")
        loaded = re.findall(r'<script (?:defer|async)[^>]* src="[./]*assets/([^"]+)"', html)
        # The only other script is the metadata of the page, which does not run.
        assert len(loaded) + html.count('<script type="application/ld+json">') == html.count("<script"), file
        computing = [
            name
            for name in loaded
            if name in ("formula.js", "inputs.js", "chart.js", "calculator.js") or "/calculator-" in name
        ]
        if '<body class="sheet' in html or '<body class="calculator-page' in html:
            # Each script uses the scripts before it.
            data = f"{file.relative_to(built.folder).parts[0]}/calculator-{file.parent.name}.js"
            assert computing == ["formula.js", "inputs.js", data, "chart.js", "calculator.js"], file
        else:
            # The scripts that compute are loaded when a calculator is opened.
            assert computing == [], file
            has_calculators = "<kismet-calculator" in html and file.parent.name != "situation"
            assert ("compute.js" in loaded) is has_calculators, file
        assert ("roll.js" in loaded) is ('data-dice="' in html or 'data-roll="' in html), file
        assert not any(name.endswith("-data.js") for name in loaded), file
    assert scripts("game", "en", "<p>Nothing to run.</p>") == (*common_scripts("en"), "pin.js")


def scripts_of(pack: Pack) -> dict[str, bytes]:
    return {path: make() for path, make in script_files(pack)}


def placeless(known: Any) -> Any:
    """Records and calculators as JSON, without positions of formula nodes."""
    return json.loads(
        json.dumps(known), object_hook=lambda node: {k: v for k, v in node.items() if k != "at" or "node" not in node}
    )


def test_script_data_equals_the_data_of_the_calculators(court: Pack, tmp_path: Path) -> None:
    written = scripts_of(court)
    data, dice, answer = tmp_path / "data.js", tmp_path / "dice.js", tmp_path / "answer.js"
    data.write_bytes(written["assets/ember-court-data.js"])
    dice.write_bytes(written["assets/ember-court-dice.js"])
    answer.write_text("globalThis.answer = () => kismet.games", encoding="utf-8")
    # The two scripts work in any order.
    for order in ([data, ASSETS / "formula.js", dice, answer], [ASSETS / "formula.js", dice, data, answer]):
        game_data = run_scripts(order, None, tmp_path)["ember-court"]
        assert game_data["version"] == "1.0.0"
        assert list(game_data["calculators"]) == list(court.game.calculators)
        assert game_data["library"] == placeless(needed_library(court.records, court.game.calculators.values()))
        assert list(game_data["dice"]) == ["1d10"]


def test_script_of_a_calculator_has_only_the_data_that_it_uses(court: Pack, tmp_path: Path) -> None:
    data, answer = tmp_path / "data.js", tmp_path / "answer.js"
    data.write_bytes(scripts_of(court)["assets/ember-court/calculator-evening.js"])
    answer.write_text("globalThis.answer = () => kismet.games", encoding="utf-8")
    game_data = run_scripts([data, answer], None, tmp_path)["ember-court"]
    assert list(game_data["calculators"]) == ["evening"]
    assert game_data["library"] == placeless(needed_library(court.records, [court.game.calculators["evening"]]))


def test_game_without_calculators_and_dice_has_no_script_data(tmp_path: Path) -> None:
    text = TEXT.replace("1d10", "a die").replace("| Rank | Seats |", "| Guest | Seats |")
    bare = compiled(write_calculator_game(tmp_path, calculators="{}\n", text=text))
    loaded = {name for page in pages(bare) for name in scripts("ember-court", "en", page.article)}
    assert loaded.isdisjoint(("compute.js", "ember-court-dice.js", "roll.js"))
    assert scripts_of(bare) == {}


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("kismet/calculators/index.html", 8_000),
        ("kismet/calculators/wound-rolled/index.html", 8_000),
        ("kismet/core-rules/proficiency/index.html", 60_000),
        ("kismet/combat-rules/print/index.html", 60_000),
        ("assets/kismet-data.js", 40_000),
        ("assets/calculator.js", 5_000),
        ("assets/chart.js", 3_000),
    ],
)
def test_compressed_size_of_pages_and_scripts_is_limited(content: BuiltTree, path: str, most: int) -> None:
    assert len(gzip.compress((content.folder / path).read_bytes(), 9)) <= most
