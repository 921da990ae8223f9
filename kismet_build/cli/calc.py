"""The command `kismet calc`: list calculators, describe their inputs, and run them with citations."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import SHIPPED
from kismet_build.config.discovery import NoTexts, default_library
from kismet_build.config.game import Game, Library
from kismet_build.config.language.catalog import catalog
from kismet_build.config.load_library import load_library, shipped_game
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator import Calculator, Citation, Input
from kismet_build.mechanics.calculator.calculation import (
    Calculation,
    CalculationError,
    calculate,
    evaluate_reading,
    parse_inputs,
)
from kismet_build.mechanics.formula import FormulaError
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError, describe_input, format_literal
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.text_normalization import natural_sort_key, normalize
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import format_value, interpolate
from kismet_build.render.data.calculator_json import citation_data

ENGLISH = catalog("en")
"""The words in which commands answer."""
DEFAULT_LIBRARY = Path("content")
"""The library in the working directory."""
MAX_LISTED = 12
"""Maximum number of entities listed as allowed values of an input."""


class CalcError(Exception):
    """The calculation failed, for example because of invalid arguments. The message says why."""


class InvalidGame(CalcError):
    """The calculator cannot run because of errors in the data files of its game."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


def run(
    name: str | None, arguments: Sequence[str], library_path: Path | None, game_file: Path | None, as_json: bool
) -> str:
    """The output of the command: without a name, a list of all calculators; with the id of a game, a list of the game's
    calculators; with only the name of a calculator, a description of its inputs; otherwise the result. With `as_json`,
    and for a calculator without inputs, the result replaces the description. Raises `CalcError`, and `UsageError`
    without a library.
    """
    library = _load(library_path, game_file)
    game_id = (name or "").partition("/")[0]
    is_other = library_path is None and game_file is None and all(game.id != game_id for game in library.games)
    if is_other and shipped_game(game_id):
        library = load_library(SHIPPED / "content", None, lambda _: None)
    games = library.games
    listed = games if name is None else [game for game in games if game.id == name and not arguments]
    if name is None or listed:
        return _list_json(listed) if as_json else "\n".join(_list(listed))
    for failure in library.broken:
        if name.partition("/")[0] == failure.id:
            raise CalcError(failure.reason)
    game, slug = _find(games, name)
    pack = compile_game(game, lambda _: None)
    calculator = pack.game.calculators.get(slug)
    if calculator is None:
        kinds = ", ".join(kind.plural for kind in game.kinds.values() if not pack.entities[kind.id])
        raise CalcError(f'"{slug}" cannot run on this text, which has no {kinds}')
    if not arguments and not as_json and calculator.inputs:
        return "\n".join(_describe_inputs(pack, calculator))
    values = _split_arguments(arguments)
    try:
        calculation = calculate(pack.records, calculator, parse_inputs(pack.records, calculator, values))
    except InputError as problem:
        raise CalcError(str(problem)) from problem
    except CalculationError as problem:
        raise CalcError(f'"{calculator.slug}" has no result for these values: {problem.message}') from problem
    if as_json:
        return json.dumps(_result_json(pack, calculator, calculation), ensure_ascii=False)
    return "\n".join(_result_text(pack, calculator, calculation, values))


def _load(path: Path | None, game_file: Path | None) -> Library:
    try:
        path = path or default_library(DEFAULT_LIBRARY)
    except NoTexts:
        if game_file is not None:
            raise
        path = SHIPPED / "content"
    return load_library(path, game_file, lambda _: None)


def _find(games: Sequence[Game], name: str) -> tuple[Game, str]:
    """Game and slug of a calculator named `game/slug`, `game/calculator/slug`, or `slug` if one game has it."""
    game_id, _, slug = name.strip("/").rpartition("/")
    game_id = game_id.removesuffix("/calculator")
    candidates = [game for game in games if game_id in ("", game.id)]
    having = [game for game in candidates if slug in game.calculators]
    if len(having) == 1:
        return having[0], slug
    if having:
        ids = " or ".join(f"{game.id}/{slug}" for game in having)
        raise CalcError(f'several games have a calculator "{slug}": write {ids}')
    for game in candidates:
        # A calculator with a mistake is not loaded, but its key is in one of the files.
        if game.faults and any(re.search(rf"^{re.escape(slug)}:", text, re.MULTILINE) for text in _file_texts(game)):
            raise InvalidGame(f'"{name}" has an error, or depends on a calculator with an error', game.faults)
    names = [f"{game.id}/{key}" if game_id else key for game in candidates for key in game.calculators]
    slugs_by_title = {
        normalize(calculator.title): calculator.slug for game in candidates for calculator in game.calculators.values()
    }
    close = get_close_matches(f"{game_id}/{slug}" if game_id else slug, list(dict.fromkeys(names)), n=1)
    close = close or [slugs_by_title[title] for title in get_close_matches(normalize(slug), list(slugs_by_title), n=1)]
    hint = f'did you mean "{close[0]}"?' if close else "kismet calc lists them all"
    raise CalcError(f'there is no calculator "{name}": {hint}')


def _file_texts(game: Game) -> set[str]:
    """The texts of the files with a valid calculator or a reported fault."""
    sources = [calculator.source for calculator in game.calculators.values()]
    sources += [fault.span.source for fault in game.faults]
    return {source.text for source in sources}


def _split_arguments(arguments: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise CalcError(f'"{argument}" does not name an input: write name=value')
        if name in values:
            raise CalcError(f'"{name}" has two values')
        values[name] = value
    return values


# --- list of calculators


def _by_document(game: Game) -> dict[str, list[Calculator]]:
    documents: dict[str, list[Calculator]] = {}
    for calculator in game.calculators.values():
        documents.setdefault(calculator.citation.document, []).append(calculator)
    return dict(sorted(documents.items(), key=lambda item: natural_sort_key(item[0])))


def _list(games: Sequence[Game]) -> Iterator[str]:
    width = max((len(calculator.slug) for game in games for calculator in game.calculators.values()), default=0)
    is_first = True
    for game in games:
        for document, calculators in _by_document(game).items():
            if not is_first:
                yield ""
            is_first = False
            yield f"{game.title}: {document}"
            for calculator in calculators:
                yield f"  {game.id}/{calculator.slug:{width}}  {calculator.title}"
    if is_first:
        yield "there are no calculators here"


def _list_json(games: Sequence[Game]) -> str:
    calculators = [
        {
            "id": calculator.id,
            "title": calculator.title,
            "document": calculator.citation.document,
            "heading": calculator.citation.heading,
        }
        for game in games
        for calculator in game.calculators.values()
    ]
    return json.dumps(calculators, ensure_ascii=False)


# --- inputs of a calculator


def _describe_inputs(pack: Pack, calculator: Calculator) -> Iterator[str]:
    yield f"{calculator.title} ({calculator.id})"
    yield from _citation(pack, calculator.citation, "")
    yield ""
    width = max(len(given.name) for given in calculator.inputs)
    for given in calculator.inputs:
        yield f"  {given.name:{width}}  {given.label}: {_allowed(pack, given)}; {_default(given)} if not given"
    first = calculator.inputs[0]
    yield ""
    example = f"{first.name}={_as_argument(first.default)}"
    yield f"run it with values, such as: kismet calc {pack.game.id}/{calculator.slug} {example}"


def _allowed(pack: Pack, given: Input) -> str:
    if given.type != "entity":
        return describe_input(given)
    kinds = [pack.game.kinds[kind] for kind in given.kinds]
    titles = " or ".join(kind.plural if given.many else kind.title for kind in kinds)
    slugs = [entity.slug for kind in given.kinds for entity in pack.entities[kind]]
    listed = ", ".join(slugs[:MAX_LISTED]) + (f" and {len(slugs) - MAX_LISTED} more" if len(slugs) > MAX_LISTED else "")
    return f"{'any' if given.many else 'a'} {titles} ({listed})"


def _default(given: Input) -> str:
    return _as_argument(given.default) or "none"


def _as_argument(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ",".join(map(_as_argument, value))
        case str():
            return value
        case _:
            return format_literal(value)


# --- result of a calculation


def _result_text(
    pack: Pack, calculator: Calculator, calculation: Calculation, given: Mapping[str, str]
) -> Iterator[str]:
    result = calculator.result
    values = {variable.name: (calculation.inputs[variable.name], "", variable.unit) for variable in calculator.inputs}
    values |= {step.name: (value, step.type, step.unit) for step, value in calculation.steps}
    values["result"] = (calculation.result, result.type, result.unit)
    yield interpolate(result.sentence, values, ENGLISH)
    yield ""
    yield f"{result.label}: {format_value(*values['result'], ENGLISH)}"
    yield from _citation(pack, calculator.citation, "  ")
    if calculator.inputs:
        yield ""
    for variable in calculator.inputs:
        note = "" if variable.name in given else " (the default)"
        yield f"  {variable.label}: {format_value(*values[variable.name], ENGLISH)}{note}"
    for step, value in calculation.steps:
        yield ""
        yield f"  {step.label}: {format_value(value, step.type, step.unit, ENGLISH)}"
        if step.says:
            yield f"    {step.says}"
        if step.citation is not None:
            yield from _citation(pack, step.citation, "    ")
    yield from _other_readings(pack, calculator, calculation)


def _other_readings(pack: Pack, calculator: Calculator, calculation: Calculation) -> Iterator[str]:
    result = calculator.result
    for reading in calculator.readings:
        try:
            value = format_value(
                evaluate_reading(pack.records, calculation, reading.tree), result.type, result.unit, ENGLISH
            )
        except FormulaError as problem:
            value = f"no result ({problem.message})"
        yield ""
        yield f"Another reading: {reading.title}: {value}"
        yield from _citation(pack, reading.citation, "  ")
    if calculator.reason:
        yield f"  {calculator.reason}"


def _citation(pack: Pack, citation: Citation, indent: str) -> Iterator[str]:
    cited = pack.cited.get(citation.span)
    if cited is None:
        yield f'{indent}{citation.document} › {citation.heading}: "{citation.quotes[0]}" (no longer in the text)'
        return
    place = cited.span.original
    line = place.line_range[0]
    yield f'{indent}{citation.document} › {citation.heading}: "{cited.quote}" ({place.source.path}:{line})'


def _result_json(pack: Pack, calculator: Calculator, calculation: Calculation) -> dict[str, Any]:
    return {
        "id": calculator.id,
        "inputs": to_plain_value(calculation.inputs),
        "result": to_plain_value(calculation.result),
        "unit": calculator.result.unit,
        "steps": [
            {
                "name": step.name,
                "value": to_plain_value(value),
                "citation": None if step.citation is None else citation_data(pack, step.citation),
            }
            for step, value in calculation.steps
        ],
        "citation": citation_data(pack, calculator.citation),
    }
