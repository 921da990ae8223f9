"""Read calculators from their data files and check inputs, names and values; formulas are not parsed here."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import InvalidData, read_entries, shipped_schema
from kismet_build.config.data_reader import DataReader
from kismet_build.config.kind import Kind, names
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Agreement, Citation, Example, Input, Result
from kismet_build.mechanics.inputs import describe_input, format_literal, is_valid_input
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.model.source import Source, Span
from kismet_build.model.suggestion import did_you_mean, did_you_mean_or_list

REQUIRED_KEYS = {
    "integer": ("min", "max", "default"),
    "number": ("min", "max", "default"),
    "boolean": ("default",),
    "choice": ("options", "default"),
    "entity": ("pick", "default"),
}
"""Required keys of an input, by the type of the input; `label` is always required, and `many` makes `default` optional.
"""

OPTIONAL_KEYS = {
    "integer": ("unit", "step", "many"),
    "number": ("unit", "step", "many"),
    "boolean": (),
    "choice": ("many",),
    "entity": ("many",),
}
"""Optional keys of an input besides `group`, by the type of the input."""

COMMON_FIELDS = frozenset(("id", "slug", "name"))
"""Fields that every entity has in addition to those of its kind."""

RESERVED_NAMES = frozenset(("result", "if", "then", "else", "and", "or", "not", "in", "true", "false", "none"))
"""Names with a fixed meaning in formulas or result sentences."""


class _InvalidCalculator(Exception):
    def __init__(self, message: str, *path: str | int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorDefinition:
    """A calculator from a data file with a valid structure, before its formulas are parsed."""

    id: str
    """The local id."""
    entry: Mapping[str, Any]
    """The data of the calculator as in the file."""
    source: Source
    data: Data
    """The data of the entire file."""
    group: str
    """The name of the file without suffix."""
    inputs: tuple[Input, ...]
    result: Result
    citation: Citation
    examples: tuple[Example, ...]
    agreements: tuple[Agreement, ...]

    def span_of(self, *path: str | int) -> Span:
        """The span of a value, by its path inside the calculator."""
        return self.data.span_of(self.id, *path)


def read_definitions(
    files: Iterable[Path], kinds: Mapping[str, Kind], report: Report
) -> tuple[list[CalculatorDefinition], dict[str, list[str]]]:
    """The valid calculators of the files in order, and the input names by id, also those of invalid calculators."""
    definitions: dict[str, CalculatorDefinition] = {}
    inputs: dict[str, list[str]] = {}
    first: dict[str, Span] = {}
    for file in files:
        path = f"{file.parent.name}/{file.name}"
        try:
            source, data, valid = read_entries(file, path, "invalid-calculator", "calculator", report)
        except InvalidData:
            continue
        for local, entry in data.value.items():
            span = data.span_of(local)
            if local in first:
                others = (Related(first[local], "the other one"),)
                message = f'two calculators have the id "{local}"'
                report(error("invalid-calculator", _first_line(span), message, "rename one of them", others))
                continue
            first[local] = _first_line(span)
            entry_inputs = entry.get("inputs") if isinstance(entry, dict) else None
            inputs[local] = list(entry_inputs) if isinstance(entry_inputs, dict) else []
            if local in valid and (definition := _definition(local, entry, file.stem, source, data, kinds, report)):
                definitions[local] = definition
    return list(definitions.values()), inputs


def read_citation(data: Data, *path: str | int) -> Citation:
    """The citation at this path of a data file."""
    entry: Any = data.value
    for part in path:
        entry = entry[part]
    span = data.span_of(*path, "quote")
    return Citation(document=entry["document"], heading=entry["heading"], quotes=names(entry["quote"]), span=span)


def _first_line(span: Span) -> Span:
    end = span.source.text.find("\n", span.start, span.end)
    return span.source.span(span.start, span.end if end < 0 else end)


def _definition(
    local: str, entry: Any, group: str, source: Source, data: Data, kinds: Mapping[str, Kind], report: Report
) -> CalculatorDefinition | None:
    try:
        inputs = tuple(_inputs(local, entry, data, kinds))
        by_name = {input_.name: input_ for input_ in inputs}
        _check_names(entry, by_name)
        for name, step in entry.get("steps", {}).items():
            _unit(step, "steps", name)
        return CalculatorDefinition(
            id=local,
            entry=entry,
            source=source,
            data=data,
            group=group,
            inputs=inputs,
            result=_result(entry),
            citation=read_citation(data, local, "citation"),
            examples=tuple(_examples(local, entry, data, by_name)),
            agreements=tuple(_agreements(local, entry, data, by_name, kinds)),
        )
    except _InvalidCalculator as problem:
        where = ".".join(map(str, problem.path))
        message = f'at "{local}.{where}": {problem.message}'
        DataReader(data, "invalid-calculator", report).refuse((local, *problem.path), message, problem.hint)
        return None


def _inputs(local: str, entry: Any, data: Data, kinds: Mapping[str, Kind]) -> Iterator[Input]:
    for name, declared in entry.get("inputs", {}).items():
        path = ("inputs", name)
        type_ = declared["type"]
        many = "many" in declared
        for key in REQUIRED_KEYS[type_]:
            if key not in declared and not (key == "default" and many):
                what = shipped_schema("calculator")["$defs"]["input"]["properties"][key]["description"]
                hint = f"add {key}: ...; it is {what}"
                raise _InvalidCalculator(f'the key "{key}" is missing', *path, hint=hint)
        for key in declared:
            if key not in ("label", "group", "type", *REQUIRED_KEYS[type_], *OPTIONAL_KEYS[type_]):
                types = [other for other in REQUIRED_KEYS if key in REQUIRED_KEYS[other] + OPTIONAL_KEYS[other]]
                raise _InvalidCalculator(f'"{key}" is only for inputs of type {" or ".join(types)}', *path, key)
        picked_kinds = names(declared.get("pick"))
        for kind in picked_kinds:
            if kind not in kinds:
                raise _InvalidCalculator(
                    f'there is no kind "{kind}"', *path, "pick", hint=did_you_mean(kind, kinds, _known_kinds(kinds))
                )
        is_number = type_ in ("integer", "number")
        input_ = Input(
            name=name,
            label=declared["label"],
            group=declared.get("group", ""),
            type=type_,
            unit=_unit(declared, *path),
            low=declared.get("min"),
            high=declared.get("max"),
            step=declared.get("step", 1 if type_ == "integer" else None),
            default=_list(declared.get("default")) if many else declared["default"],
            options=tuple(declared.get("options", ())),
            kinds=picked_kinds,
            many=many,
            span=data.span_of(local, *path),
        )
        if is_number and declared["min"] > declared["max"]:
            raise _InvalidCalculator(f"min is more than max: {declared['min']} > {declared['max']}", *path, "min")
        for key in ("min", "max", "step") if type_ == "integer" else ():
            if key in declared and declared[key] != int(declared[key]):
                raise _InvalidCalculator(f"{declared[key]} is not a whole number", *path, key)
        _check_value(input_, input_.default, *path, "default")
        yield input_


def _list(value: Any) -> tuple[Any, ...]:
    return () if value is None else tuple(value) if isinstance(value, list) else (value,)


def _check_names(entry: Any, inputs: Mapping[str, Input]) -> None:
    steps = entry.get("steps", {})
    for section, declared in (("inputs", inputs), ("steps", steps)):
        for name in declared:
            if name in RESERVED_NAMES:
                raise _InvalidCalculator(f'"{name}" is a reserved name', section, name, hint="choose another name")
            if section == "steps" and name in inputs:
                raise _InvalidCalculator(f'"{name}" is already an input', section, name, hint="choose another name")
    for name in re.findall(r"\{([^{}]*)\}", entry["result"]["sentence"]):
        if name not in inputs and name not in steps and name != "result":
            hint = did_you_mean_or_list(name, [*inputs, *steps, "result"], "use one of")
            raise _InvalidCalculator(f'the sentence uses an unknown name "{name}"', "result", "sentence", hint=hint)


def _result(entry: Any) -> Result:
    result = entry["result"]
    return Result(
        type=result.get("type", "number"),
        unit=_unit(result, "result"),
        label=result.get("label", entry["title"]),
        sentence=result["sentence"],
    )


def _unit(declared: Mapping[str, Any], *path: str | int) -> str:
    """The unit of an input, a step or a result. Raises `_InvalidCalculator` for a misspelled common unit."""
    unit: str = declared.get("unit", "")
    common: list[str] = shipped_schema("calculator")["$defs"]["unit"]["examples"]
    if not unit or unit in common:
        return unit
    intended = next((usual for usual in common if unit.lower() in (usual, *_misspellings(usual))), None)
    if intended is not None:
        hint = f'did you mean "{intended}"?'
        raise _InvalidCalculator(f'"{unit}" looks like a misspelled unit', *path, "unit", hint=hint)
    return unit


def _misspellings(word: str) -> Iterator[str]:
    """Wrong forms of a unit, and the word with one letter omitted, doubled or swapped with the next."""
    yield from {"feet": ("foot",), "dice": ("die", "dices"), "percent": ("percents", "per cent")}.get(word, ())
    for index in range(len(word)):
        yield word[:index] + word[index + 1 :]
        yield word[: index + 1] + word[index:]
        yield word[:index] + word[index + 1 : index + 2] + word[index] + word[index + 2 :]


def _examples(local: str, entry: Any, data: Data, inputs: Mapping[str, Input]) -> Iterator[Example]:
    for index, example in enumerate(entry.get("examples", ())):
        _check_values(inputs, example["inputs"], "examples", index, "inputs")
        yield Example(
            inputs=example["inputs"],
            result=example["result"],
            printed=example.get("printed"),
            citation=read_citation(data, local, "examples", index, "citation"),
            span=data.span_of(local, "examples", index),
        )


def _agreements(
    local: str, entry: Any, data: Data, inputs: Mapping[str, Input], kinds: Mapping[str, Kind]
) -> Iterator[Agreement]:
    for index, agreement in enumerate(entry.get("agrees", ())):
        path = ("agrees", index)
        if agreement["kind"] not in kinds:
            message = f'there is no kind "{agreement["kind"]}"'
            raise _InvalidCalculator(message, *path, "kind", hint=_known_kinds(kinds))
        kind = kinds[agreement["kind"]]
        for key, field in agreement["inputs"].items():
            _known_input(key, inputs, *path, "inputs", key)
            _check_field(field, kind, *path, "inputs", key)
        _check_field(agreement["result"], kind, *path, "result")
        _check_values(inputs, agreement.get("given", {}), *path, "given")
        yield Agreement(
            kind=agreement["kind"],
            inputs=agreement["inputs"],
            given=agreement.get("given", {}),
            result=agreement["result"],
            span=data.span_of(local, *path),
        )


def _known_kinds(kinds: Mapping[str, Kind]) -> str:
    return "known kinds: " + ", ".join(kinds) if kinds else "this game has no kinds"


def _check_field(field: str, kind: Kind, *path: str | int) -> None:
    """Raise `_InvalidCalculator` unless the kind has this field or part of a field, such as `good.bonus`."""
    fields: dict[str, Any] = {
        **{name: {} for name in COMMON_FIELDS},
        **{name: rule.schema for name, rule in kind.rules.items()},
    }
    first, _, rest = field.partition(".")
    while first in fields and rest:
        schema = fields[first]
        fields = {}
        for option in (schema, *schema.get("anyOf", ())):  # an optional object is `anyOf` the object and null
            fields |= option.get("properties", {})
        first, _, rest = rest.partition(".")
    if first not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise _InvalidCalculator(f'this kind has no field "{field}"', *path, hint=f"known fields: {known}")


def _known_input(name: str, inputs: Mapping[str, Input], *path: str | int) -> Input:
    if name not in inputs:
        raise _InvalidCalculator(
            f'there is no input "{name}"', *path, hint="known inputs: " + (", ".join(inputs) or "none")
        )
    return inputs[name]


def _check_values(inputs: Mapping[str, Input], values: Mapping[str, Any], *path: str | int) -> None:
    for name, value in values.items():
        _check_value(_known_input(name, inputs, *path, name), value, *path, name)


def _check_value(input_: Input, value: Any, *path: str | int) -> None:
    """Raise `_InvalidCalculator` for a value that the input does not allow. Ids of entities are checked later."""
    if not is_valid_input(input_, value):
        hint = did_you_mean(str(value), input_.options, "change the value, or the input")
        raise _InvalidCalculator(f"{format_literal(value)} is not {describe_input(input_)}", *path, hint=hint)
