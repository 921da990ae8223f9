"""Say which scripts a page runs, and write what they know of a game, so that they ask for nothing more."""

from collections.abc import Sequence
from typing import Any

import orjson

from kismet_build.calculator import Calculator, Input
from kismet_build.calculator.calculation import needed
from kismet_build.emitters.page import Page
from kismet_build.emitters.rolls import dice_trees, has_rolls
from kismet_build.entity import Pack

LOADED = "((globalThis.kismet ??= {}).games ??= {}, kismet.load ??= (data) => (kismet.games[data.game] = data))"
"""What keeps the data, whichever of the scripts comes first."""


EMPTY: tuple[Any, ...] = (None, "", ())
"""What a script reads as well where it is not said."""


def scripts(game: str, article: str) -> tuple[str, ...]:
    """The scripts of a page in the order in which they run; none for a page that has nothing to run."""
    computes, rolls = "<kismet-calculator" in article, has_rolls(article)
    return (
        *(("formula.js",) if computes else ()),
        *(("odds.js",) if rolls else ()),
        *((f"{game}-data.js",) if computes or rolls else ()),
        *(("chart.js", "calculator.js") if computes else ()),
        *(("roll.js",) if rolls else ()),
    )


def script_data(pack: Pack, pages: Sequence[Page]) -> bytes:
    """The file of data for the scripts of a game."""
    game = pack.game
    calculators = game.calculators.values()
    kinds = {kind for calculator in calculators for one in calculator.inputs for kind in one.kinds}
    data = {
        "game": game.id,
        "version": game.version,
        "kinds": {kind: game.kinds[kind].plural for kind in game.kinds if kind in kinds},
        "calculators": {calculator.slug: _calculator(calculator) for calculator in calculators},
        "library": needed(pack, calculators),
        "dice": dice_trees(page.article for page in pages),
    }
    return f"{LOADED};\nkismet.load(".encode() + orjson.dumps(data) + b");\n"


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
