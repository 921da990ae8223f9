"""Scripts with the data of a game, so that calculators and dice need no further request."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.mechanics.calculator.calculation import needed
from kismet_build.pack import Pack
from kismet_build.render.html.dice_buttons import dice_trees

LOADED = (
    "((globalThis.kismet ??= {}).games ??= {}, "
    "kismet.load ??= (data) => Object.assign((kismet.games[data.game] ??= {}), data))"
)
"""What keeps the data, whichever of the scripts comes first."""

EMPTY: tuple[Any, ...] = (None, "", ())
"""What a script reads as well where it is not said."""


def script_data(pack: Pack, rolled: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """What the scripts of a game know of it: all calculators, what each sheet takes of them, and dice; file by file.

    `rolled` are the notations of the dice on its pages.
    """
    game = pack.game
    calculators = tuple(game.calculators.values())
    if calculators:
        yield f"assets/{game.id}-data.js", _loaded(pack, _computed(pack, calculators))
    for one in calculators:
        # A sheet computes at once, and most of what the other calculators know is not asked for on it.
        if one.sheet:
            yield f"assets/{game.id}/sheet-{one.slug}.js", _loaded(pack, _computed(pack, (one,)))
    if dice := dice_trees(rolled):
        yield f"assets/{game.id}-dice.js", _loaded(pack, {"dice": dice})


def _loaded(pack: Pack, known: dict[str, Any]) -> bytes:
    """A script that keeps what is known of a game."""
    return f"{LOADED};\nkismet.load(".encode() + orjson.dumps({"game": pack.game.id, **known}) + b");\n"


def _computed(pack: Pack, calculators: Sequence[Calculator]) -> dict[str, Any]:
    """What some calculators need to run."""
    game = pack.game
    kinds = {kind for calculator in calculators for one in calculator.inputs for kind in one.kinds}
    return {
        "version": game.version,
        "kinds": {kind: game.kinds[kind].plural for kind in game.kinds if kind in kinds},
        "calculators": {calculator.slug: _calculator(calculator) for calculator in calculators},
        "library": _without_places(needed(pack.records, calculators)),
    }


def _without_places(known: Any) -> Any:
    """What is known without the places of nodes in their formulas, which only those who write formulas ask for."""
    match known:
        case dict():
            is_node = "node" in known
            return {name: _without_places(one) for name, one in known.items() if not (is_node and name == "at")}
        case list() | tuple():
            return [_without_places(one) for one in known]
        case _:
            return known


def _calculator(calculator: Calculator) -> dict[str, Any]:
    """What the library does not say already: how inputs are read and results are said."""
    odds = calculator.odds
    result = calculator.result
    return {
        "inputs": [_input(one) for one in calculator.inputs],
        "steps": [_said({"name": step.name, "type": step.type, "unit": step.unit}) for step in calculator.steps],
        "result": _said({"type": result.type, "unit": result.unit, "sentence": result.sentence}),
        "odds": odds and {"dice": odds.dice, "add": odds.add, "target": odds.target},
        "readings": [{"ast": reading.tree} for reading in calculator.readings],
    }


def _input(one: Input) -> dict[str, Any]:
    return _said(
        {
            "name": one.name,
            "label": one.label,
            "type": one.type,
            "unit": one.unit,
            "min": one.low,
            "max": one.high,
            "default": one.default,
            "options": one.options,
            "kinds": one.kinds,
            "many": one.many or None,
        }
    )


def _said(record: dict[str, Any]) -> dict[str, Any]:
    """What says something."""
    return {name: value for name, value in record.items() if name == "default" or value not in EMPTY}
