"""Script files with the game data that calculators and dice need in the browser."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

import orjson

from kismet_build.mechanics.calculator import Calculator
from kismet_build.mechanics.calculator.calculation import needed_library
from kismet_build.mechanics.formula import without_offsets
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.calculator import compact, script_input, usual_words
from kismet_build.render.html.addresses import LazyFiles
from kismet_build.render.html.dice_buttons import dice_notations, dice_trees
from kismet_build.render.pages.layout import calculator_script
from kismet_build.render.pages.situation import has_situation, roll_calculators

DEFINE_STORE = (
    "((globalThis.kismet ??= {}).games ??= {__proto__: null}, "
    "kismet.load ??= (data) => Object.assign((kismet.games[data.game] ??= {}), data))"
)
"""JavaScript that defines `kismet.load`, which stores data. Each file contains it, because any may load first."""


def script_files(pack: Pack) -> LazyFiles:
    """The data of all calculators, of each calculator, of the calculators on the situation page, and of the dice."""
    game = pack.game
    calculators = tuple(game.calculators.values())
    if calculators:
        yield f"assets/{game.id}-data.js", partial(_calculators_script, pack, calculators)
    for calculator in calculators:
        # A calculator runs as soon as its page loads, so it has its own, smaller file.
        path = f"assets/{calculator_script(game.id, calculator.slug)}"
        yield path, partial(_calculators_script, pack, (calculator,))
    if has_situation(game):
        calculators = tuple(roll_calculators(pack))
        yield f"assets/{game.id}/situation-data.js", partial(_calculators_script, pack, calculators)
    if _rolled(pack):
        yield f"assets/{game.id}-dice.js", partial(_dice_script, pack)


@cached_in_pack
def _rolled(pack: Pack) -> frozenset[str]:
    return frozenset(chain.from_iterable(dice_notations(pack, path).rolled for path in pack.documents))


def _dice_script(pack: Pack) -> bytes:
    return _store_script(pack, {"dice": dice_trees(_rolled(pack))})


def _calculators_script(pack: Pack, calculators: Sequence[Calculator]) -> bytes:
    return _store_script(pack, _calculators(pack, calculators))


def _store_script(pack: Pack, data: dict[str, Any]) -> bytes:
    return f"{DEFINE_STORE};\nkismet.load(".encode() + orjson.dumps({"game": pack.game.id, **data}) + b");\n"


def _calculators(pack: Pack, calculators: Sequence[Calculator]) -> dict[str, Any]:
    game = pack.game
    kinds = {kind for calculator in calculators for input_ in calculator.inputs for kind in input_.kinds}
    return {
        "version": game.version,
        "kinds": {kind: game.kinds[kind].plural for kind in game.kinds if kind in kinds},
        "calculators": {calculator.slug: _calculator(pack, calculator) for calculator in calculators},
        "library": without_offsets(needed_library(pack.records, calculators)),
    }


def _calculator(pack: Pack, calculator: Calculator) -> dict[str, Any]:
    """The types and labels of a calculator. Its formulas are in the library of formulas."""
    odds = calculator.odds
    result = calculator.result
    return {
        "inputs": [script_input(input_) for input_ in calculator.inputs],
        "steps": [compact({"name": step.name, "type": step.type, "unit": step.unit}) for step in calculator.steps],
        "result": compact(
            {
                "type": result.type,
                "unit": result.unit,
                "sentence": result.sentence,
                "usual": usual_words(pack, calculator),
            }
        ),
        "odds": odds and {"dice": odds.dice, "add": odds.add, "target": odds.target},
        "readings": [{"ast": reading.tree} for reading in calculator.readings],
    }
