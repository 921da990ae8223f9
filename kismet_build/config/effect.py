"""Load `effects.yaml`: the effects of entities, with keys from `schemas/effects.schema.json` and the words of a game.
docs/decisions/0014-effects.md says why an effect is a flat record, and what each game defines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kismet_build.config.calculator_definition import read_citation
from kismet_build.config.data_file import InvalidData, read_entries, shipped_schema
from kismet_build.config.data_reader import DataReader
from kismet_build.config.kind import Kind
from kismet_build.config.roll import EffectWords, effect_keys
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Citation, Input
from kismet_build.mechanics.inputs import describe_input
from kismet_build.model.diagnostic import Diagnostic, Report, error
from kismet_build.model.source import Span
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list
from kismet_build.model.text_normalization import slug

EFFECTS_FILE = "effects"
"""Name of an optional file in the folder of `game.yaml`, without suffix."""
GIVEN = "given"
"""Stands for a number that the rules leave to whoever uses the effect."""
STATISTIC_KEYS = ("changes", "sets", "multiplies", "times", "paid_in")
"""Keys whose words are statistics."""
WORD_KEYS = ("of", "as", "unit", "loses", "immune", "vulnerable", "counts_as", "allows", "at")
"""Keys whose words are not statistics."""
CIRCUMSTANCE_KEYS = ("how", "when", "against", "except")
"""Keys that list circumstances of the game, entities, or free text for anything else."""
DURATION_KEYS = ("within", "per", "lasts")
"""Keys whose `unit` is a word of the game."""
AMOUNT_KEYS = ("by", "to")
"""Keys whose value is a number, the name of a field or `GIVEN`."""
LOCAL_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
LIKE_AN_ID = re.compile(r"[a-z0-9/_-]+")
"""A single word like this is a misspelled circumstance or entity rather than free text."""
TARGET_KEY = "dl"
"""The key for the number that a roll must reach, which is a number or the name of a field."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effect:
    """One effect of an entity."""

    subject: str
    """The local id of the entity: `kind/slug`."""
    operation: str
    """The key that says what the effect does, such as `causes`."""
    payload: Mapping[str, Any]
    """The published form of the effect: `operation`, then its keys in the order of the schema, with default values and
    full ids. A value that may be a list always is one.
    """
    citation: Citation
    names: tuple[tuple[str, Span], ...]
    """The local ids of all entities that the effect names, beginning with its subject, each with its span."""
    span: Span


@dataclass(frozen=True, slots=True)
class EffectContext:
    """The names that the effects of a game may use."""

    game_id: str
    kinds: Mapping[str, Kind]
    words: EffectWords


class _Unknown(Exception):
    def __init__(self, message: str, hint: str, *path: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path


def load_effects(file: Path, context: EffectContext, report: Report) -> dict[str, tuple[Effect, ...]]:
    """The effects of a game by the local id of their entity. Invalid entries are reported and left out."""
    if not file.is_file():
        return {}
    problems: list[Diagnostic] = []
    try:
        _, data, valid = read_entries(file, file.name, "invalid-effects", "effects", problems.append)
    except InvalidData:
        for problem in problems:
            report(problem)
        return {}
    # A misspelled operation would also be reported as a missing one.
    misspelled = dict(_misspelled_operations(context.words, data, frozenset(data.value) - valid))
    for problem in (*misspelled.values(), *(problem for problem in problems if problem.span not in misspelled)):
        report(problem)
    by_subject = {}
    for subject, entries in data.value.items():
        if subject in valid:
            effects = [_effect(context, subject, index, data, report) for index in range(len(entries))]
            by_subject[subject] = tuple(effect for effect in effects if effect is not None)
    return by_subject


def _misspelled_operations(words: EffectWords, data: Data, invalid: Iterable[str]) -> Iterator[tuple[Span, Diagnostic]]:
    for subject in sorted(invalid):
        entries = data.value[subject]
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if not isinstance(entry, dict):
                continue
            try:
                for operation in _operations_of(words, entry):
                    if operation in words.operations and "roll" not in entry:
                        raise _no_roll(words, operation)
            except _Unknown as problem:
                yield data.span_of(subject, index), _to_error(problem, data, subject, index)


def _no_roll(words: EffectWords, operation: str) -> _Unknown:
    return _Unknown(f'"{operation}" also needs "roll"', f"the rolls are: {', '.join(words.rolls)}", operation)


def _to_error(problem: _Unknown, data: Data, subject: str, index: int) -> Diagnostic:
    message = f'at "{subject}.{index}": {problem.message}'
    return error("unknown-effect-word", data.span_of(subject, index, *problem.path), message, problem.hint)


def operations() -> tuple[str, ...]:
    """The operations that all games share; the rolls of a game add others. Each effect has exactly one operation."""
    alternatives = shipped_schema("effects")["$defs"]["effect"]["anyOf"]
    return tuple(alternative["required"][0] for alternative in alternatives if alternative["required"] != ["roll"])


def _effect(context: EffectContext, subject: str, index: int, data: Data, report: Report) -> Effect | None:
    entry = data.value[subject][index]
    try:
        used = _operations_of(context.words, entry)
        for problem in _unknown_words(context, subject, entry, used):
            raise problem
    except _Unknown as problem:
        report(_to_error(problem, data, subject, index))
        return None
    if len(used) != 1:
        message, place, hint = 'this effect only names a "roll", but does nothing to it', "roll", ""
        if used:
            message = f'an effect can have "{used[0]}" or "{used[1]}", not both'
            place, hint = used[1], "write them as two effects"
        elif context.words.operations:
            hint = f"add one of the operations of this roll: {', '.join(context.words.rolls[entry['roll']].inputs)}"
        DataReader(data, "invalid-effects", report).refuse((subject, index, place), message, hint)
        return None
    operation = used[0]
    payload: dict[str, Any] = {"operation": operation}
    ids = [(subject, data.span_of(subject))]
    for key, schema in _keys(operation):
        if key == "citation" or (key not in entry and "default" not in schema):
            continue
        value = entry.get(key, schema.get("default"))
        if key == operation or key in _reference_keys():
            ids.extend(_local_ids(value, data, subject, index, key))
            value = _with_full_ids(value, context.game_id)
        payload[key] = [value] if key in _list_keys() and not isinstance(value, list) else value
    return Effect(
        subject=subject,
        operation=operation,
        payload=payload,
        citation=read_citation(data, subject, index, "citation"),
        names=tuple(ids),
        span=data.span_of(subject, index),
    )


def _keys(operation: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The keys of an effect in order, with their schemas. An operation of a roll follows the keys that restrict it."""
    for key, schema in effect_keys().items():
        yield key, schema
        if key == "of" and operation not in effect_keys():
            yield operation, {}


def _operations_of(words: EffectWords, entry: Mapping[str, Any]) -> list[str]:
    """Raises `_Unknown` for a key that is neither an operation nor another known key."""
    for key in entry:
        if key not in effect_keys() and key not in words.operations:
            message = f'"{key}" is neither a key of effects nor an operation of a roll in game.yaml'
            raise _Unknown(message, did_you_mean_or_list(key, (*words.operations, *effect_keys())), key)
    return [key for key in (*operations(), *words.operations) if key in entry]


def _unknown_words(
    context: EffectContext, subject: str, entry: Mapping[str, Any], used: Iterable[str]
) -> Iterator[_Unknown]:
    words = context.words
    rolls = entry.get("roll", [])
    for index, roll in enumerate([rolls] if isinstance(rolls, str) else rolls):
        path = ("roll",) if isinstance(rolls, str) else ("roll", index)
        if roll not in words.rolls:
            yield _Unknown(f'game.yaml has no roll "{roll}"', did_you_mean_or_list(roll, words.rolls), *path)
            continue
        for operation in used:
            if operation not in words.operations:
                continue
            if operation not in words.rolls[roll].inputs:
                hint = did_you_mean_or_list(operation, words.rolls[roll].inputs)
                yield _Unknown(f'the roll "{roll}" has no operation "{operation}"', hint, operation)
            elif (input_ := words.inputs.get((roll, operation))) is not None:
                yield from _unfit_value(context, subject, operation, entry[operation], input_)
    for operation in used:
        if operation in words.operations and "roll" not in entry:
            yield _no_roll(words, operation)
    for key in (*STATISTIC_KEYS, *WORD_KEYS):
        known = words.statistics if key in STATISTIC_KEYS else words.words
        value = entry.get(key, [])
        for index, word in enumerate([value] if isinstance(value, str) else value):
            if not _is_id(word) and word not in known:
                path = (key,) if isinstance(value, str) else (key, index)
                sort = "statistics" if key in STATISTIC_KEYS else "words"
                message = f'"{word}" is neither an entity nor listed under "{sort}" in game.yaml'
                hint = f'name an entity as kind/slug, or add a line {slug(word)}: ... to "{sort}" in game.yaml'
                yield _Unknown(message, did_you_mean(word, known, hint), *path)
    for key in CIRCUMSTANCE_KEYS:
        value = entry.get(key, [])
        for index, item in enumerate([value] if isinstance(value, str) else value):
            if LIKE_AN_ID.fullmatch(item) and not (_is_id(item) or item in words.circumstances):
                message = f'"{item}" is neither an entity nor listed under "circumstances" in game.yaml'
                hint = f'name an entity as kind/slug, or add {slug(item)} to "circumstances" in game.yaml'
                path = (key,) if isinstance(value, str) else (key, index)
                yield _Unknown(message, did_you_mean(item, words.circumstances, hint), *path)
    for key in DURATION_KEYS:
        if key in entry and (unit := entry[key]["unit"]) not in words.words:
            message = f'"{unit}" is not listed under "words" in game.yaml'
            yield _Unknown(message, did_you_mean_or_list(unit, words.words), key, "unit")
    for key in (*AMOUNT_KEYS, TARGET_KEY):
        if isinstance(name := entry.get(key), str) and not (key in AMOUNT_KEYS and name == GIVEN):
            yield from _missing_field(context, subject, name, key)


def _unfit_value(context: EffectContext, subject: str, operation: str, value: Any, input_: Input) -> Iterator[_Unknown]:
    match input_.type:
        case "boolean":
            is_fit = value is True
        case "choice":
            is_fit = value in input_.options
        case "integer" | "number":
            is_fit = isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            is_fit = isinstance(value, str) and _is_id(value)
    if is_fit or (value == GIVEN and input_.type != "boolean"):
        return
    if isinstance(value, str) and input_.type != "boolean" and (kind := context.kinds.get(subject.partition("/")[0])):
        if has_field(kind, value):
            return
        known = (*input_.options, GIVEN, *kind.rules)
        message = f'"{value}" is neither a value of "{operation}" nor a field of {kind.title}'
        yield _Unknown(message, did_you_mean_or_list(value, known), operation)
        return
    wanted = "true" if input_.type == "boolean" else describe_input(input_)
    yield _Unknown(f'"{operation}" takes {wanted}', "", operation)


def _missing_field(context: EffectContext, subject: str, name: str, key: str) -> Iterator[_Unknown]:
    kind = context.kinds.get(subject.partition("/")[0])
    if kind is not None and not has_field(kind, name):
        yield _Unknown(f'{kind.title} has no field "{name}"', did_you_mean_or_list(name, kind.rules), key)


def has_field(kind: Kind, path: str) -> bool:
    """Whether the entities of a kind have a field; `good.bonus` is the part `bonus` of the field `good`."""
    schema: Any = kind.schema
    for name in path.split("."):
        schema = schema.get("properties", {}).get(name) if isinstance(schema, Mapping) else None
    return schema is not None


def _local_ids(value: Any, data: Data, *path: str | int) -> Iterator[tuple[str, Span]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _local_ids(item, data, *path, index)
    elif _is_id(value):
        yield value, data.span_of(*path)


def _with_full_ids(value: Any, game_id: str) -> Any:
    if isinstance(value, list):
        return [_with_full_ids(item, game_id) for item in value]
    return f"{game_id}/{value}" if _is_id(value) else value


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and LOCAL_ID.fullmatch(value) is not None


@cache
def _reference_keys() -> frozenset[str]:
    """The keys whose values may be ids."""
    return frozenset(
        key
        for key, schema in effect_keys().items()
        if any(_contains(schema, f"#/$defs/{name}") for name in ("id", "named", "circumstances"))
    )


@cache
def _list_keys() -> frozenset[str]:
    """The keys whose values may be lists; they are published as lists."""
    return frozenset(
        key
        for key, schema in effect_keys().items()
        if any(option.get("type") == "array" for option in (schema, *schema.get("anyOf", ())))
        or schema.get("$ref") == "#/$defs/circumstances"
    )


def _contains(schema: Any, reference: str) -> bool:
    match schema:
        case dict():
            return any(_contains(part, reference) for part in schema.values())
        case list():
            return any(_contains(part, reference) for part in schema)
        case _:
            return bool(schema == reference)
