"""Read the rolls of a game file: for each, the calculator for its chance, and the inputs that effects set."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.data_reader import DataReader
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Calculator, Input
from kismet_build.model.diagnostic import Report
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """A roll of the game that effects can change."""

    id: str
    title: str
    calculator: str
    """The local id of the calculator for the chance of the roll."""
    inputs: Mapping[str, str]
    """By operation, the input of the calculator that takes the value of the effect."""
    within: str
    """Another roll, whose effects also apply to this one, or an empty string."""
    against: str = ""
    """The roll of the other side, whose effects set the inputs in `opposing`, or an empty string."""
    opposing: Mapping[str, str] = field(default_factory=dict)
    """By operation on the roll of the other side, the input that takes the value of the effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """A circumstance on which effects depend."""

    title: str
    """The words that follow "when", "against" or "except"."""
    about: str
    """What the circumstance is about: a constant in `schemas/game.schema.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectWords:
    """The words that effects of a game can use, apart from entities and fields."""

    rolls: Mapping[str, Roll]
    inputs: Mapping[tuple[str, str], Input]
    """The input that each roll and operation sets; inputs of an invalid calculator are missing."""
    statistics: Mapping[str, str]
    """The titles of the statistics that are not entities."""
    words: Mapping[str, str]
    """The titles of all other words."""
    circumstances: Mapping[str, Circumstance]

    @property
    def titles(self) -> dict[str, str]:
        return {**self.statistics, **self.words}

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of all rolls, without duplicates."""
        return tuple(dict.fromkeys(operation for roll in self.rolls.values() for operation in roll.inputs))


NO_WORDS = EffectWords(rolls={}, inputs={}, statistics={}, words={}, circumstances={})


def operations_of_rolls(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The operations in the `rolls` of a game file, before the rolls are checked."""
    rolls = value.get("rolls", {}).values()
    return tuple(dict.fromkeys(operation for roll in rolls for operation in roll.get("inputs", ())))


def read_effect_words(
    data: Data, calculators: Mapping[str, Calculator], report: Report, invalid: Collection[str] = ()
) -> EffectWords:
    """The rolls, statistics, words and circumstances of a game file. Errors in a roll are reported.

    `invalid`: ids of invalid calculators; their errors are reported elsewhere.
    """
    value = data.value
    reader = DataReader(data, "invalid-game", report, "rolls")
    rolls: dict[str, Roll] = {}
    inputs: dict[tuple[str, str], Input] = {}
    for id_, entry in value.get("rolls", {}).items():
        outer = rolls.get(within := entry.get("within", ""))
        if within and outer is None:
            hint = did_you_mean_or_list(within, rolls)
            reader.refuse((id_, "within"), f'there is no roll "{within}" above this one', hint)
        elif outer is None and "calculator" not in entry:
            reader.refuse((id_,), 'the key "calculator" is missing')
        rolls[id_] = roll = Roll(
            id=id_,
            title=entry["title"],
            calculator=entry.get("calculator", outer.calculator if outer else ""),
            inputs=entry.get("inputs", outer.inputs if outer else {}),
            within=within,
            against=entry.get("against", {}).get("roll", outer.against if outer else ""),
            opposing=entry.get("against", {}).get("inputs", outer.opposing if outer else {}),
        )
        if roll.against and roll.against not in value["rolls"]:
            hint = did_you_mean_or_list(roll.against, value["rolls"])
            reader.refuse((id_, "against", "roll"), f'there is no roll "{roll.against}"', hint)
        if roll.calculator not in calculators and roll.calculator not in invalid and "calculator" in entry:
            otherwise = "define it in a file in the folder calculators next to this file"
            hint = did_you_mean(roll.calculator, calculators, otherwise)
            reader.refuse((id_, "calculator"), f'there is no calculator "{roll.calculator}"', hint)
        calculator = calculators.get(roll.calculator)
        by_name = {input_.name: input_ for input_ in calculator.inputs} if calculator else {}
        for operation, name in roll.inputs.items():
            if name in by_name:
                inputs[id_, operation] = by_name[name]
            elif calculator and "inputs" in entry:
                message = f'the calculator "{roll.calculator}" has no input "{name}"'
                reader.refuse((id_, "inputs", operation), message, did_you_mean_or_list(name, by_name))
            if operation in effect_keys() and "inputs" in entry:
                message = f'an operation of a roll cannot be called "{operation}", because that is a key of all effects'
                reader.refuse((id_, "inputs", operation), message, "choose another name")
        for operation, name in roll.opposing.items():
            if calculator and name not in by_name and "against" in entry:
                message = f'the calculator "{roll.calculator}" has no input "{name}"'
                reader.refuse((id_, "against", "inputs", operation), message, did_you_mean_or_list(name, by_name))
    return EffectWords(
        rolls=rolls,
        inputs=inputs,
        statistics=value.get("statistics", {}),
        words=value.get("words", {}),
        circumstances={
            id_: Circumstance(title=entry["title"], about=entry["about"])
            for id_, entry in value.get("circumstances", {}).items()
        },
    )


def effect_keys() -> Mapping[str, Any]:
    """The keys that effects of all games may have, with their schemas."""
    properties: Mapping[str, Any] = shipped_schema("effects")["$defs"]["effect"]["properties"]
    return properties
