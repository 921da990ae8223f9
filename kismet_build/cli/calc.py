"""The command `kismet calc`: list calculators, say what one needs, run it and tell where every number comes from."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kismet_build.build.pipeline import compile_game
from kismet_build.config.data_file import SHIPPED
from kismet_build.config.game import Game, Library, load_library
from kismet_build.mechanics.calculator import Calculator, Citation, Input, shown, wanted
from kismet_build.mechanics.calculator.calculation import (
    Calculation,
    CalculationError,
    InputError,
    calculate,
    plain,
    read_otherwise,
    read_values,
)
from kismet_build.mechanics.formula import FormulaError
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.text_normalization import natural_order, normalize
from kismet_build.pack import Pack
from kismet_build.render.components.value_text import format_value, interpolate
from kismet_build.render.data.calculator_json import citation_data

USUAL = Path("content")


class Refused(Exception):
    """The command cannot do what it was asked; the message says why."""


class GameLoadError(Refused):
    """It cannot because of mistakes in the data files of the game."""

    def __init__(self, message: str, faults: Sequence[Diagnostic]) -> None:
        super().__init__(message)
        self.faults = faults


def run(named: str | None, given: Sequence[str], library: Path | None, as_json: bool) -> str:
    """What the command prints; with the id of a game alone, its calculators.

    Raises `Refused`, and `UsageError` when there is no such library.
    """
    shelf = _library(library)
    games = shelf.games
    listed = games if named is None else [game for game in games if game.id == named and not given]
    if named is None or listed:
        return _list_json(listed) if as_json else "\n".join(_list(listed))
    for broken in shelf.broken:
        if named.partition("/")[0] == broken.id:
            raise Refused(broken.reason)
    game, local = _find(games, named)
    pack = compile_game(game, lambda _: None)
    calculator = pack.game.calculators.get(local)
    if calculator is None:
        kinds = ", ".join(kind.plural for kind in game.kinds.values() if not pack.entities[kind.id])
        raise Refused(f'"{local}" cannot run on this text, which has no {kinds}')
    if not given and not as_json and calculator.inputs:
        return "\n".join(_needs(pack, calculator))
    texts = _values(given)
    try:
        calculation = calculate(pack.records, calculator, read_values(pack.records, calculator, texts))
    except InputError as problem:
        raise Refused(problem.message) from problem
    except CalculationError as problem:
        raise Refused(f'"{calculator.slug}" has no result for these values: {problem.message}') from problem
    if as_json:
        return json.dumps(_json(pack, calculator, calculation), ensure_ascii=False)
    return "\n".join(_told(pack, calculator, calculation, texts))


def _library(path: Path | None) -> Library:
    """The games at a path; without one those in the usual folder, or else those that ship with this program."""
    if path is None:
        path = USUAL if USUAL.is_dir() else SHIPPED / "content"
    return load_library(path, None, lambda _: None)


def _find(games: Sequence[Game], named: str) -> tuple[Game, str]:
    """The game and the local id of a calculator: `game/slug`, `game/calculator/slug`, or a slug that one game has."""
    game_id, _, local = named.strip("/").rpartition("/")
    game_id = game_id.removesuffix("/calculator")
    here = [game for game in games if game_id in ("", game.id)]
    found = [game for game in here if local in game.calculators]
    if len(found) == 1:
        return found[0], local
    if found:
        ids = " or ".join(f"{game.id}/{local}" for game in found)
        raise Refused(f'several games have a calculator "{local}": say {ids}')
    for game in here:
        if game.faults and any(re.search(rf"^{re.escape(local)}:", text, re.MULTILINE) for text in _texts(game)):
            raise GameLoadError(f'"{named}" cannot be used, or asks one that cannot', game.faults)
    known = {f"{game.id}/{one}" if game_id else one: None for game in games for one in game.calculators}
    titles = {normalize(one.title): one.slug for game in games for one in game.calculators.values()}
    close = get_close_matches(f"{game_id}/{local}" if game_id else local, list(known), n=1)
    close = close or [titles[title] for title in get_close_matches(normalize(local), list(titles), n=1)]
    cure = f'did you mean "{close[0]}"?' if close else "kismet calc lists them all"
    raise Refused(f'there is no calculator "{named}": {cure}')


def _texts(game: Game) -> set[str]:
    """The files of the calculators of a game, as far as any is sound or has a mistake that was reported."""
    sources = [one.source for one in game.calculators.values()] + [fault.span.source for fault in game.faults]
    return {source.text for source in sources}


def _values(given: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals:
            raise Refused(f'"{one}" gives no input a value: write name=value')
        if name in texts:
            raise Refused(f'"{name}" has two values')
        texts[name] = text
    return texts


# --- listing


def _by_document(game: Game) -> dict[str, list[Calculator]]:
    found: dict[str, list[Calculator]] = {}
    for calculator in game.calculators.values():
        found.setdefault(calculator.citation.document, []).append(calculator)
    return dict(sorted(found.items(), key=lambda item: natural_order(item[0])))


def _list(games: Sequence[Game]) -> Iterator[str]:
    width = max((len(one.slug) for game in games for one in game.calculators.values()), default=0)
    first = True
    for game in games:
        for document, calculators in _by_document(game).items():
            yield from () if first else ("",)
            first = False
            yield f"{game.title}: {document}"
            for one in calculators:
                yield f"  {game.id}/{one.slug:{width}}  {one.title}"
    if first:
        yield "there are no calculators here"


def _list_json(games: Sequence[Game]) -> str:
    listed = [
        {"id": one.id, "title": one.title, "document": one.citation.document, "heading": one.citation.heading}
        for game in games
        for one in game.calculators.values()
    ]
    return json.dumps(listed, ensure_ascii=False)


# --- what one needs


def _needs(pack: Pack, calculator: Calculator) -> Iterator[str]:
    yield f"{calculator.title} ({calculator.id})"
    yield from _source(pack, calculator.citation, "")
    yield ""
    width = max(len(one.name) for one in calculator.inputs)
    for one in calculator.inputs:
        yield f"  {one.name:{width}}  {one.label}: {_range(pack, one)}; {_default(one)} if not given"
    first = calculator.inputs[0]
    yield ""
    example = f"{first.name}={_typed(first.default)}"
    yield f"run it with values, such as: kismet calc {pack.game.id}/{calculator.slug} {example}"


def _range(pack: Pack, one: Input) -> str:
    if one.type != "entity":
        return wanted(one)
    kinds = [pack.game.kinds[kind] for kind in one.kinds]
    titles = " or ".join(kind.plural if one.many else kind.title for kind in kinds)
    slugs = [entity.slug for kind in one.kinds for entity in pack.entities[kind]]
    listed = ", ".join(slugs[:12]) + (f" and {len(slugs) - 12} more" if len(slugs) > 12 else "")
    return f"{'any' if one.many else 'a'} {titles} ({listed})"


def _default(one: Input) -> str:
    return _typed(one.default) or "none"


def _typed(value: Any) -> str:
    """A value as it is typed on the command line."""
    match value:
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ",".join(map(_typed, value))
        case str():
            return value
        case _:
            return shown(value)


# --- what one gives


def _told(pack: Pack, calculator: Calculator, calculation: Calculation, given: Mapping[str, str]) -> Iterator[str]:
    result = calculator.result
    said = {one.name: (calculation.inputs[one.name], "", one.unit) for one in calculator.inputs}
    said |= {step.name: (value, step.type, step.unit) for step, value in calculation.steps}
    said["result"] = (calculation.result, result.type, result.unit)
    yield interpolate(result.sentence, said)
    yield ""
    yield f"{result.label}: {format_value(*said['result'])}"
    yield from _source(pack, calculator.citation, "  ")
    if calculator.inputs:
        yield ""
    for one in calculator.inputs:
        usual = "" if one.name in given else " (the default)"
        yield f"  {one.label}: {format_value(*said[one.name])}{usual}"
    for step, value in calculation.steps:
        yield ""
        yield f"  {step.label}: {format_value(value, step.type, step.unit)}"
        if step.says:
            yield f"    {step.says}"
        if step.citation is not None:
            yield from _source(pack, step.citation, "    ")
    yield from _otherwise(pack, calculator, calculation)


def _otherwise(pack: Pack, calculator: Calculator, calculation: Calculation) -> Iterator[str]:
    """What the other readings of the text give, and why they were not chosen."""
    result = calculator.result
    for reading in calculator.readings:
        try:
            value = format_value(read_otherwise(pack.records, calculation, reading.tree), result.type, result.unit)
        except FormulaError as problem:
            value = f"no result ({problem.message})"
        yield ""
        yield f"Another reading: {reading.title}: {value}"
        yield from _source(pack, reading.citation, "  ")
    if calculator.reason:
        yield f"  {calculator.reason}"


def _source(pack: Pack, citation: Citation, indent: str) -> Iterator[str]:
    cited = pack.cited.get(citation.span)
    if cited is None:
        yield f'{indent}{citation.document} › {citation.heading}: "{citation.quotes[0]}" (not in the text any more)'
        return
    line = cited.span.lines[0]
    yield f'{indent}{citation.document} › {citation.heading}: "{cited.quote}" ({cited.span.source.path}:{line})'


def _json(pack: Pack, calculator: Calculator, calculation: Calculation) -> dict[str, Any]:
    return {
        "id": calculator.id,
        "inputs": plain(calculation.inputs),
        "result": plain(calculation.result),
        "unit": calculator.result.unit,
        "steps": [
            {
                "name": step.name,
                "value": plain(value),
                "citation": None if step.citation is None else citation_data(pack, step.citation),
            }
            for step, value in calculation.steps
        ],
        "citation": citation_data(pack, calculator.citation),
    }
