"""Compute how the states of both sides change a roll, by the effects of a game.

`site/assets/situation.js` sorts effects in the same way; a test compares both with a count of all throws.
docs/decisions/0014-effects.md says which effects count.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SIDES = ("on", "target")
"""The one who rolls, and the other side."""
GIVEN = "given"
"""The value of an effect if the rules leave the number to whoever uses the effect."""
CONDITION_KEYS = ("of", "when", "against", "except")
"""Keys that restrict an effect by a condition that the players judge, unless a chosen state answers it."""
Data = Mapping[str, Any]


class Influence(NamedTuple):
    """An effect of a state, and what it does to a roll."""

    key: str
    """The key of the effect in answers: `on/kismet/condition/prone/2` is the third effect of a state of the roller."""
    effect: Data
    """The effect, as in the data of its entity."""
    input: str | None
    """The name of the calculator's input that takes the value of the effect; `None` if no input does."""
    asks: Sequence[str]
    """The conditions that no chosen state answers, and `given` if whoever uses the effect must give its value."""
    values: Sequence[Any]
    """The values that the effect gives to the input."""


class Influences(NamedTuple):
    """The effects of chosen states on a roll."""

    applied: Sequence[Influence]
    """Effects that count."""
    asked: Sequence[Influence]
    """Effects that need an answer."""
    left: Sequence[Influence]
    """Effects that no input takes, and effects that another one replaces."""


def influences(
    rolls: Mapping[str, Data],
    roll: str,
    many: frozenset[str],
    states: Mapping[str, Sequence[Data]],
    answers: Mapping[str, Any],
    circumstances: Mapping[str, Data],
) -> Influences:
    """Sort the effects of the states of each side.

    `many` are the inputs of the roll's calculator that take several values. `answers` has, by the key of an influence,
    `True` if its condition or exception applies, or a value or list of values, which implies that its condition
    applies. `circumstances` has the titles of the game's circumstances.
    """
    applied, asked, left = [], [], []
    for line, is_exception, is_excepted in _lines(rolls, roll, states, circumstances):
        answer = answers.get(line.key)
        is_value = answer is not None and not isinstance(answer, bool)
        holds = not line.asks or (answer is True or is_excepted) != is_exception or (is_value and not is_exception)
        values = line.values
        if values == [GIVEN]:
            values = [*(answer if isinstance(answer, list) else [answer])] if is_value else []
            line = line._replace(asks=[*line.asks, GIVEN], values=values)
        if line.input is None or values[:1] == [None]:
            left.append(line)
        elif not holds or not values:
            asked.append(line)
        else:
            applied.append(line)
    # An input with a single value takes the last one.
    last = {line.input: line.values[-1] for line in applied if line.input not in many}
    counts = [line.input in many or line.values[-1] == last[line.input] for line in applied]
    left += [line for line, is_counted in zip(applied, counts, strict=True) if not is_counted]
    return Influences([line for line, is_counted in zip(applied, counts, strict=True) if is_counted], asked, left)


def _lines(
    rolls: Mapping[str, Data],
    roll: str,
    states: Mapping[str, Sequence[Data]],
    circumstances: Mapping[str, Data],
) -> Iterator[tuple[Influence, bool, bool]]:
    """The effects that concern this roll or no roll at all.

    Each comes with whether its only condition is an exception, and whether a state is that exception.
    """
    ids = {side: {entity["id"] for entity in states.get(side, ())} for side in SIDES}
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        for entity in states.get(side, ()):
            for place, effect in enumerate(entity["effects"]):
                is_roller = (effect["whose"] == "own") == (side == SIDES[0])
                against = rolls[roll]["against"] or {"roll": None, "inputs": {}}
                name, inputs = (roll, rolls[roll]["inputs"]) if is_roller else (against["roll"], against["inputs"])
                only = _restriction(rolls, name, effect.get("roll", ()))
                # Ends of states, and effects on other rolls, do not change this roll.
                if effect["operation"] == "ends" or (effect.get("roll") and only is None):
                    continue
                asks = [*_asks(effect, circumstances, ids[side], ids[other])]
                input_ = None if only is None else inputs.get(effect["operation"])
                line = Influence(
                    key=f"{side}/{entity['id']}/{place}",
                    effect=effect,
                    input=input_,
                    asks=[*((input_ and only) or ()), *asks],
                    values=[field_value(entity["fields"], effect.get(effect["operation"]))],
                )
                is_exception = not only and [key for key in CONDITION_KEYS if effect.get(key)] == ["except"]
                yield line, is_exception, is_exception and not ids[side].isdisjoint(effect["except"])


def _restriction(rolls: Mapping[str, Data], roll: str | None, named: Sequence[str]) -> list[str] | None:
    """The titles of the narrower rolls to which an effect on the rolls `named` is restricted.

    Empty if the effect applies to all of this roll, `None` if it does not apply.
    """
    if roll is None:
        return None
    if not {*_with_enclosing(rolls, roll)}.isdisjoint(named):
        return []
    narrower = [other["title"] for id, other in rolls.items() if id in named and roll in _with_enclosing(rolls, id)]
    return narrower or None


def _with_enclosing(rolls: Mapping[str, Data], roll: str | None) -> Iterator[str]:
    while roll:
        yield roll
        roll = rolls[roll]["within"] if roll in rolls else None


def field_value(fields: Data, value: Any) -> Any:
    """The value of the field that a string names, such as `cost` or `roll.max`.

    Any other value is returned unchanged.
    """
    if not isinstance(value, str):
        return value
    found: Any = fields
    for name in value.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return value
        found = found[name]
    return found


def _asks(effect: Data, circumstances: Mapping[str, Data], own: set[str], others: set[str]) -> Iterator[str]:
    """The conditions of an effect that no state answers.

    `own` and `others` are the ids of the states on either side.
    """

    def said(key: str, items: Sequence[str]) -> str:
        return f"{key}: {', '.join(circumstances[item]['title'] if item in circumstances else item for item in items)}"

    if effect.get("of"):
        yield said("of", effect["of"])
    yield from (said("when", [item]) for item in effect.get("when", ()) if item not in own)
    if effect.get("against") and others.isdisjoint(effect["against"]):
        yield said("against", effect["against"])
    if effect.get("except"):
        yield said("except", effect["except"])
