"""The calculators of the content agree with the restated text and, where it is available, the original."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kismet_build.config.language.catalog import catalog
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.mechanics.calculator import Calculator, Input, called_calculators, formula_nodes
from kismet_build.mechanics.calculator.calculation import (
    CalculationError,
    available_calculators,
    calculate,
    equals_expected,
    needed_library,
    parse_inputs,
    resolve_inputs,
)
from kismet_build.mechanics.formula import evaluate
from kismet_build.mechanics.formula.types import read_unit
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError
from kismet_build.model.diagnostic import Severity, to_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import interpolate
from tests.broken_yaml import BROKEN_YAML
from tests.command import CONTENT, GAME_FILE, ORIGINALS, kismet, skip_without_originals, write_files
from tests.conftest import BuiltTree
from tests.executed_lines import executed_lines
from tests.sample import examples
from tests.small_library import CALCULATORS, write_library

CODES = {
    "invalid-calculator",
    "invalid-formula",
    "calculator-cycle",
    "wrong-example",
    "table-disagrees",
    "stale-citation",
}
MIN_CALCULATORS = 80
"""Minimum number of calculators of Kismet."""


def compiled(path: Path) -> Pack:
    return compile_game(load_library(path, GAME_FILE, lambda _: None).games[0], lambda _: None)


@pytest.fixture(scope="module")
def restated() -> Pack:
    return compiled(CONTENT / "kismet")


@pytest.fixture(scope="module", params=["restated", "original"])
def pack(request: pytest.FixtureRequest) -> Pack:
    if request.param == "original" and not ORIGINALS.is_dir():
        skip_without_originals()
    return compiled(ORIGINALS) if request.param == "original" else request.getfixturevalue("restated")


def all_calculators(pack: Pack) -> Iterator[Calculator]:
    yield from pack.game.calculators.values()


# --- completeness and agreement with the text


def test_every_chapter_has_calculators(restated: Pack) -> None:
    numbers = Counter(calculator.citation.document for calculator in all_calculators(restated))
    assert numbers.total() >= MIN_CALCULATORS
    assert set(numbers) == {chapter.source.path.removesuffix(".md") for chapter in restated.book.chapters}


def test_every_calculator_of_the_files_is_loaded(restated: Pack) -> None:
    written = sum(
        not line.startswith((" ", "#", "-")) and line.endswith(":")
        for file in (CONTENT / "kismet/calculators").glob("*.yaml")
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    assert len(restated.game.calculators) == written


def test_examples_tables_and_citations_agree_with_the_text(pack: Pack) -> None:
    messages = [(diagnostic.code, diagnostic.message) for diagnostic in pack.diagnostics if diagnostic.code in CODES]
    assert messages == []
    assert sum(len(calculator.examples) for calculator in all_calculators(pack)) >= 37
    assert sum(len(calculator.agreements) for calculator in all_calculators(pack)) >= 5


def test_every_quote_has_the_span_of_its_text(pack: Pack) -> None:
    for calculator in all_calculators(pack):
        for citation in calculator.citations():
            cited = pack.cited[citation.span]
            assert normalize(citation.heading) in {normalize(anchor.title) for anchor in cited.section.headings}
            letters = [letter for letter in normalize(cited.quote) if letter != " "]
            shown = [letter for letter in normalize(cited.span.text) if letter != " "]
            assert (shown[0], shown[-1]) == (letters[0], letters[-1]), (cited.quote, cited.span.text)
            # The characters between those of the quote are markup.
            rest = iter(shown)
            assert all(letter in rest for letter in letters), (cited.quote, cited.span.text)


def test_a_step_is_cited_for_what_it_always_uses(tmp_path: Path) -> None:
    """A step without a citation has that of the calculator that it calls, unless only one branch calls it."""
    steps = {
        "always": "share(2)",
        "asked": "if share(2) > 3 then 1 else 2",
        "branch": "if cold then share(2) else 2",
    }
    added = "".join(f"    {name}: {{label: {name}, formula: '{formula}'}}\n" for name, formula in steps.items())
    calculators = CALCULATORS.replace("  formula: >-\n    half", f"{added}  formula: >-\n    half")
    folder = write_files(write_library(tmp_path), {"calculators/court.yaml": calculators})
    (game,) = load_library(folder, None, lambda _: None).games
    found = game.calculators["far-jump"]
    quotes = {step.name: step.citation and step.citation.quotes for step in found.steps}
    assert quotes == {"half": ("You bend",), "always": ("no more",), "asked": ("no more",), "branch": None}


def test_original_text_has_two_wrong_figures_and_restated_text_has_none(pack: Pack, restated: Pack) -> None:
    wrong_figures = [diagnostic for diagnostic in pack.diagnostics if diagnostic.code == "wrong-figure"]
    assert all(diagnostic.severity is Severity.WARNING for diagnostic in wrong_figures)
    assert len(wrong_figures) == (0 if pack is restated else 2)


def edited(folder: Path, pack: Pack, place: Span, text: str) -> Pack:
    for chapter in pack.book.chapters:
        source = chapter.source
        words = source.text[: place.start] + text + source.text[place.end :] if source is place.source else source.text
        (folder / source.path).write_text(words, encoding="utf-8")
    return compiled(folder)


def test_edited_sentence_reports_calculators_with_stale_citations(tmp_path: Path, restated: Pack) -> None:
    calculator = restated.game.calculators["tier-of-power"]
    place = restated.cited[calculator.citation.span].span
    pack = edited(tmp_path, restated, place, "a third of your Level, rounded up")
    (stale,) = (
        diagnostic
        for diagnostic in pack.diagnostics
        if diagnostic.code == "stale-citation" and '"tier-of-power"' in diagnostic.message
    )
    assert "a third of your Level" in stale.hint


def test_edited_table_is_reported_as_disagreeing(tmp_path: Path, restated: Pack) -> None:
    (entity,) = (tier for tier in restated.entities["tier"] if tier.slug == "tier-2")
    pack = edited(tmp_path, restated, entity.span, entity.span.text.replace("3-4", "3-5"))
    disagreements = [diagnostic for diagnostic in pack.diagnostics if diagnostic.code == "table-disagrees"]
    assert any("for level 5" in diagnostic.message for diagnostic in disagreements), disagreements


# --- calculation


def test_every_calculator_runs_with_its_default_inputs(pack: Pack) -> None:
    for calculator in all_calculators(pack):
        calculation = calculate(pack.records, calculator, parse_inputs(pack.records, calculator, {}))
        filled_values = {name: (value, "", "") for name, value in calculation.scope.items()}
        filled_values["result"] = (calculation.result, calculator.result.type, calculator.result.unit)
        sentence = interpolate(calculator.result.sentence, filled_values, catalog("en"))
        assert "{" not in sentence, calculator.id
        assert is_of(calculation.result, calculator.result.type), (calculator.id, to_plain_value(calculation.result))


def is_of(value: Any, sort: str) -> bool:
    match sort:
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "chance":
            return is_of(value, "number") and bool(-1e-12 <= value <= 1 + 1e-12)
        case "boolean":
            return isinstance(value, bool)
        case "text":
            return isinstance(value, str)
        case "entity":
            return isinstance(value, Mapping) and isinstance(value.get("id"), str)
        case "dice":
            return isinstance(value, Mapping) and value.get("node") == "dice"
        case _:
            return bool(abs(sum(chance for _, chance in value) - 1) < 1e-9)


def test_every_calculator_runs_at_range_limits_or_reports_an_error(pack: Pack) -> None:
    failed = 0
    tried = 0
    for calculator in all_calculators(pack):
        usual = resolve_inputs(pack.records, calculator, {})
        for field in calculator.inputs:
            for value in ends(pack, field):
                tried += 1
                try:
                    result = calculate(pack.records, calculator, {**usual, field.name: value}).result
                except CalculationError as problem:
                    failed += bool(problem.message)
                else:
                    assert is_of(result, calculator.result.type), (calculator.id, field.name, to_plain_value(value))
    assert tried > 500
    assert failed < tried / 50, f"{failed} of {tried} have no result"


def ends(pack: Pack, field: Input) -> list[Any]:
    single = replace(field, many=False)
    if field.many and field.type != "entity":
        return [[], ends(pack, single), [value for value in ends(pack, single) for _ in range(2)]]
    match field.type:
        case "integer" | "number":
            return [field.low, field.high]
        case "boolean":
            return [True, False]
        case "choice":
            return list(field.options)
        case _:
            records = [record for kind in field.kinds for record in pack.records.entities[kind]]
            return [[], records] if field.many else records


def test_both_editions_compute_the_same_results(pack: Pack, restated: Pack) -> None:
    for calculator in all_calculators(pack):
        here = calculate(pack.records, calculator, resolve_inputs(pack.records, calculator, {})).result
        there = calculate(restated.records, calculator, resolve_inputs(restated.records, calculator, {})).result
        assert equals_expected(here, to_plain_value(there)), calculator.id


def test_examples_hold_for_typed_inputs(restated: Pack) -> None:
    """Inputs are parsed from typed names and slugs, and from values of a data file."""
    checked = 0
    for calculator in all_calculators(restated):
        for example in calculator.examples:
            typed = {
                name: ",".join(value) if isinstance(value, list) else str(value)
                for name, value in example.inputs.items()
            }
            calculation = calculate(restated.records, calculator, parse_inputs(restated.records, calculator, typed))
            assert equals_expected(calculation.result, example.result), calculator.id
            checked += 1
    assert checked >= 37


# --- required records


def test_script_library_has_all_required_records_and_no_others(restated: Pack) -> None:
    whole = restated.records.formula_library
    for calculator in all_calculators(restated):
        part = needed_library(restated.records, [calculator])
        values = resolve_inputs(restated.records, calculator, {})
        here, there = (
            evaluate(calculator.tree, run(calculator, values, records), records) for records in (whole, part)
        )
        assert to_plain_value(here) == to_plain_value(there), calculator.id
        assert set(part["entities"]) <= {*kinds_of(calculator, restated)}


def run(calculator: Calculator, values: Mapping[str, Any], records: Mapping[str, Any]) -> dict[str, Any]:
    scope = dict(values)
    for step in calculator.steps:
        scope[step.name] = evaluate(step.tree, scope, records)
    return scope


def kinds_of(calculator: Calculator, pack: Pack) -> Iterator[str]:
    waiting, seen = [calculator], {calculator.slug}
    while waiting:
        current = waiting.pop()
        yield from (kind for field in current.inputs for kind in field.kinds)
        yield from (node["kind"] for node in formula_nodes(*current.trees()) if node["node"] == "lookup")
        for other in set(called_calculators(*current.trees())) - seen:
            seen.add(other)
            waiting.append(pack.game.calculators[other])


def test_kismet_uses_only_units_listed_in_the_schema() -> None:
    from kismet_build.config.data_file import shipped_schema

    units = set(shipped_schema("calculator")["$defs"]["unit"]["examples"])
    for calculator in compiled(CONTENT / "kismet").game.calculators.values():
        for unit in (*(step.unit for step in calculator.steps), calculator.result.unit):
            assert {name for name, _ in read_unit(unit)} <= units


def test_calculators_without_required_entities_are_unavailable(restated: Pack) -> None:
    available = set(available_calculators(restated.game.calculators, set(restated.entities)))
    assert available
    assert available < set(restated.game.calculators)
    assert all(not set(kinds_of(restated.game.calculators[local], restated)) for local in available)


# --- published data


def test_pack_has_every_calculator_and_its_urls_exist(built: BuiltTree, restated: Pack) -> None:
    data = json.loads((built.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    listed = json.loads((built.folder / "data/kismet/calculators.json").read_text(encoding="utf-8"))
    assert data["calculators"] == listed["calculators"]
    assert {calculator["id"] for calculator in listed["calculators"]} == {
        calculator.id for calculator in all_calculators(restated)
    }
    for calculator in listed["calculators"]:
        slug = calculator["id"].rpartition("/")[2]
        assert f' name="{slug}">' in (built.folder / calculator["url"] / "index.html").read_text(encoding="utf-8")
        url = calculator["citation"]["url"].partition("#")
        assert f'id="{url[2]}"' in (built.folder / url[0] / "index.html").read_text(encoding="utf-8")


def test_published_pack_alone_is_enough_to_calculate(built: BuiltTree, restated: Pack) -> None:
    """Trees and entities of pack.json are enough to give the same results as the calculators."""
    data = json.loads((built.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    entities = {
        kind: [
            {
                **entity["fields"],
                **{key: entity[key] for key in ("id", "name", "kind", "effects")},
                "slug": slug_of(entity),
            }
            for entity in records
        ]
        for kind, records in data["entities"].items()
    }
    calculators = {
        slug_of(definition): {
            "inputs": [field["name"] for field in definition["inputs"]],
            "steps": [[step["name"], step["ast"]] for step in definition["steps"]],
            "ast": definition["ast"],
        }
        for definition in data["calculators"]
    }
    published = {"entities": entities, "calculators": calculators}
    for calculator in all_calculators(restated):
        values = resolve_inputs(restated.records, calculator, {})
        result = evaluate(calculators[calculator.slug]["ast"], run(calculator, values, published), published)
        assert to_plain_value(result) == to_plain_value(calculate(restated.records, calculator, values).result), (
            calculator.id
        )


def slug_of(record: Mapping[str, Any]) -> str:
    return str(record["id"]).rsplit("/", 1)[1]


@pytest.mark.parametrize("named", ["kismet/tier-of-power", "kismet/calculator/tier-of-power", "tier-of-power"])
def test_calc_command_prints_the_result_of_the_calculator(restated: Pack, named: str) -> None:
    answer = json.loads(kismet("calc", named, "level=4", "--json").out)
    calculator = restated.game.calculators["tier-of-power"]
    assert answer["id"] == calculator.id
    assert answer["inputs"] == {"level": 4}
    assert answer["result"] == to_plain_value(calculate(restated.records, calculator, {"level": 4}).result) == 2
    assert answer["citation"]["document"] == "2 CORE RULES"


# --- rejected input


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("31", "a whole number from 0 to 10"),
        ("2.5", "a whole number from 0 to 10"),
        ("nan", "a whole number from 0 to 10"),
        ("1e999", "a whole number from 0 to 10"),
        ("9007199254740993", "a whole number from 0 to 10"),
        ("١", "a whole number from 0 to 10"),
        ("", "a whole number from 0 to 10"),
    ],
)
def test_invalid_input_value_is_rejected(restated: Pack, typed: str, wanted: str) -> None:
    with pytest.raises(InputError, match=f"level cannot be .*: Level takes {wanted}"):
        parse_inputs(restated.records, restated.game.calculators["tier-of-power"], {"level": typed})


WITH_MISTAKES = """\
leap:
  title: Leap
  lable: x
  inputs:
    speed: {label: Speed, type: integer, min: 1, max: 9, default: 12, unit: tile}
    wind: {label: Wind, type: choice, options: [none, strong], default: strog}
    grace: {label: Grace, type: entity, pick: gracee, default: bow}
    luck: {label: Luck, type: integer, min: 1, max: 2}
  steps:
    half: {label: Half, formula: 'sped / 2 + lucky'}
    more: {label: More, formula: 'half + luck + ('}
  formula: 'half + more + (if speed then 1 else "a") + grac'
  result: {sentence: 'You leap {reslt}', unit: tils}
  citation: {document: 1 Cort, heading: Bow, quote: You bend}
  examples:
    - {inputs: {speed: 99}, result: 1, citation: {document: 1 Court, heading: Bow, quote: You bent}}
    - {inputs: {speed: 9}, result: 1}
double:
  title: Double
  inputs:
    speed: {label: Speed, type: integer, min: 1, max: 9, default: 3}
  formula: speed * 2
  result: {sentence: 'You leap {result} {spd}'}
  citation: {document: 1 Court, heading: Bow, quote: You bend}
  examples:
    - {inputs: {speed: 4}, result: 9, citation: {document: 1 Court, heading: Bow, quote: You bend}}
calling:
  title: Calling
  formula: double(speed=1)
  result: {sentence: '{result}'}
  citation: {document: 1 Court, heading: Bow, quote: You bend}
"""
MISTAKES = [
    *("lable", "default: 12", "unit: tile", "default: strog", "pick: gracee", "luck: {", "sped", "lucky", "("),
    *(
        "speed",
        '"',
        "grac",
        "sentence: 'You leap {reslt}",
        "unit: tils",
        "quote: You bend",
        "speed: 99",
        "quote: You bent",
    ),
    *("{inputs: {speed: 9}", "sentence: 'You leap {result} {spd}'", "{inputs: {speed: 4}"),
]
"""The start of each mistake, in the order of the file."""


def test_all_mistakes_of_new_calculators_are_said_in_one_run(tmp_path: Path) -> None:
    folder = write_files(write_library(tmp_path), {"calculators/moving.yaml": WITH_MISTAKES})
    game = load_library(folder, None, lambda _: None).games[0]
    assert game.calculators == {}
    found = [*game.faults, *compile_game(game, lambda _: None).diagnostics]
    spans = sorted({one.span for one in found if one.code in CODES}, key=lambda span: span.start)
    starts = [span.text[: len(mistake)] for span, mistake in zip(spans, MISTAKES, strict=False)]
    assert (starts, len(spans)) == (MISTAKES, len(MISTAKES))


TOO_LARGE = {
    "a megabyte": ("1+" * 500_000 + "1", "a formula has at most 2,000 characters"),
    "brackets": ("(" * 900 + "1" + ")" * 900, "brackets"),
    "dice": ('dice("999999999d999999999")', "999,999,999 dice"),
    "a large number": ("9007199254740993", "is more than"),
    "a name that is not there": ("there_is_no_such_name", '"there_is_no_such_name"'),
}


MAX_LINES = 100_000
"""Maximum executed lines to load a library with one calculator and reject its formula."""


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_formula_is_rejected_quickly(tmp_path: Path, name: str) -> None:
    formula, expected = TOO_LARGE[name]
    folder = write_library(tmp_path) / "calculators"
    folder.mkdir()
    (folder / "moving.yaml").write_text(CALCULATORS.replace("formula: 12 / guests", f"formula: '{formula}'"), "utf-8")
    load_library(tmp_path, None, lambda _: None)  # imports modules that are loaded on first use
    assert executed_lines(lambda: load_library(tmp_path, None, lambda _: None)) < MAX_LINES
    (fault,) = load_library(tmp_path, None, lambda _: None).games[0].faults
    assert fault.code == "invalid-formula"
    assert expected in fault.message
    assert len(fault.message) < 200
    assert fault.span.source.path == "calculators/moving.yaml"


STEPS = {
    "speed / 2": ("number", "tiles"),
    "2[feet/tiles] * speed": ("number", "feet"),
    "speed / 2[feet]": ("number", "tiles/feet"),
    "speed > 2[tiles]": ("boolean", ""),
    '"far"': ("text", ""),
    "if cold then none else grace": ("entity", ""),
    "others": ("list", ""),
    "others.cost": ("list", ""),
    "[[1, 0.5], [2, 0.5]]": ("outcomes", ""),
    'dice("1d6")': ("dice", ""),
    "none": ("text", ""),
}


def test_step_has_type_and_unit_of_its_formula(tmp_path: Path) -> None:
    folder = write_library(tmp_path) / "calculators"
    folder.mkdir()
    lines = [
        f"    step_{place}: {{label: A step, formula: {json.dumps(formula)}}}" for place, formula in enumerate(STEPS)
    ]
    text = CALCULATORS.replace("  steps:\n", "\n".join(["  steps:", *lines, ""]), 1)
    (folder / "moving.yaml").write_text(text, encoding="utf-8")
    pack = compile_game(load_library(tmp_path, None, lambda _: None).games[0], lambda _: None)
    assert pack.diagnostics == ()
    steps = pack.game.calculators["far-jump"].steps[: len(STEPS)]
    assert [(step.type, step.unit) for step in steps] == list(STEPS.values())
    assert list(render_library([pack])), "the pack satisfies its schema"


def test_game_without_calculators_has_no_calculators(tmp_path: Path) -> None:
    game = load_library(write_library(tmp_path), None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    assert (pack.game.calculators, pack.cited) == ({}, {})


MUTATIONS = [
    *(*BROKEN_YAML, '"', "true", "99999999999999999999"),
    *(
        "{result}",
        "{x}",
        "(",
        ")",
        " / 0",
        "jump(",
        "share(guests)",
        "far_jump",
        "1[feet]",
        'dice("1d10")',
        'dice("9d9d")',
    ),
    *("lookup(grace, 1)", ".cost", "**", "😀", "\x00", "\u2028", "many: true, ", "odds: {dice: 1}\n  "),
]


@settings(max_examples=examples(300, 3), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 2000), length=st.integers(0, 12), new=st.text(max_size=10) | st.sampled_from(MUTATIONS))
def test_mutated_calculator_definition_does_not_raise(tmp_path: Path, cut: int, length: int, new: str) -> None:
    folder = write_library(tmp_path) / "calculators"
    folder.mkdir(exist_ok=True)
    place = cut % len(CALCULATORS)
    text = CALCULATORS[:place] + new + CALCULATORS[place + length :]
    (folder / "moving.yaml").write_text(text, encoding="utf-8")
    game = load_library(tmp_path, None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    for diagnostic in pack.diagnostics:
        assert to_text(diagnostic)
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            assert 0 <= span.start <= span.end <= len(span.source.text)
    if not any(diagnostic.severity is Severity.ERROR for diagnostic in pack.diagnostics):
        assert list(render_library([pack]))
