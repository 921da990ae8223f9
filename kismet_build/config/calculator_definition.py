"""Read calculators from their data files and check inputs, names and values; formulas are not parsed here."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import InvalidData, read_entries, schema_validator, shipped_schema
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


class _Checks:
    """Reports the mistakes of one calculator. Reading goes on after each, so that all are found."""

    def __init__(self, local: str, data: Data, report: Report) -> None:
        self.local = local
        self.data = data
        self.written: Mapping[str, Any] = data.value[local]
        """The calculator as in the file, with its mistakes."""
        self.refused: list[tuple[str | int, ...]] = []
        """The paths of the mistakes."""
        self._report = report

    def refuse(self, message: str, *path: str | int, hint: str = "") -> None:
        """Report a mistake at a path inside the calculator."""
        self.refused.append(path)
        where = ".".join(map(str, path))
        span = self.data.span_of(self.local, *path)
        self._report(error("invalid-calculator", span, f'at "{self.local}.{where}": {message}', hint))


def _names_written(entry: Mapping[str, Any], section: str) -> list[str]:
    """The names of all inputs or steps of a calculator in a file."""
    names_in_file = entry.get(section)
    return [*map(str, names_in_file)] if isinstance(names_in_file, dict) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorDefinition:
    """A calculator from a data file, before its formulas are parsed. Parts with mistakes, which are reported, are left
    out.
    """

    id: str
    """The local id."""
    entry: Mapping[str, Any]
    """The data of the calculator as in the file."""
    source: Source
    data: Data
    """The data of the entire file."""
    group: str
    """The name of the file without suffix."""
    is_sound: bool
    """Whether no part has a mistake."""
    has_sound_inputs: bool
    inputs: tuple[Input, ...]
    result: Result | None
    citation: Citation | None
    examples: tuple[Example, ...]
    agreements: tuple[Agreement, ...]

    def span_of(self, *path: str | int) -> Span:
        """The span of a value, by its path inside the calculator."""
        return self.data.span_of(self.id, *path)

    @property
    def can_run(self) -> bool:
        """Whether no part is left out that a result needs."""
        has_all = all(len(self.written(section)) == len(self.entry.get(section, ())) for section in ("inputs", "steps"))
        return self.has_sound_inputs and has_all and self.entry.keys() >= {"title", "formula", "result", "citation"}

    def written(self, section: str) -> list[str]:
        """The names of all inputs or steps, also of those that are left out."""
        return _names_written(self.data.value[self.id], section)

    def citations(self) -> Iterator[Citation]:
        """All citations of the calculator and its parts; the calculator's own comes first."""
        if self.citation is not None:
            yield self.citation
        for name, step in self.entry.get("steps", {}).items():
            if "citation" in step:
                yield read_citation(self.data, self.id, "steps", name, "citation")
        for section in ("readings", "examples"):
            for index, part in enumerate(self.entry.get(section, ())):
                if part is not None:
                    yield read_citation(self.data, self.id, section, index, "citation")


def read_definitions(
    files: Iterable[Path], kinds: Mapping[str, Kind], report: Report
) -> tuple[list[CalculatorDefinition], dict[str, list[str]]]:
    """The calculators of the files in order, and the input names of each by id."""
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
            if isinstance(entry, dict):
                checks = _Checks(local, data, report)
                sound = entry if local in valid else _sound_parts(entry)
                definition = _definition(sound, file.stem, source, kinds, checks)
                definitions[local] = definition if local in valid else replace(definition, is_sound=False)
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


def _sound_parts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a calculator that satisfy their schemas. Lists keep their length, with `None` for other parts."""
    schema = shipped_schema("calculator")
    parts = schema["$defs"]["calculator"]["properties"]
    is_sound = {
        key: schema_validator({**part, "$defs": schema["$defs"]})
        for key, part in (
            *parts.items(),
            *((f"{key}.*", parts[key]["additionalProperties"]) for key in ("inputs", "steps")),
            *((f"{key}.*", parts[key]["items"]) for key in ("examples", "agrees", "readings")),
        )
    }

    def sound(key: str, value: Any) -> Any:
        match value:
            case dict() if key in ("inputs", "steps"):
                named = {name: part for name, part in value.items() if isinstance(name, str)}
                return {name: part for name, part in named.items() if is_sound[f"{key}.*"](part)}
            case list() if f"{key}.*" in is_sound:
                return [part if is_sound[f"{key}.*"](part) else None for part in value]
            case _:
                return value if is_sound[key](value) else None

    kept = {key: sound(key, value) for key, value in entry.items() if key in parts}
    return {key: value for key, value in kept.items() if value is not None}


def _definition(
    entry: Mapping[str, Any], group: str, source: Source, kinds: Mapping[str, Kind], checks: _Checks
) -> CalculatorDefinition:
    inputs = tuple(_inputs(entry, kinds, checks))
    by_name = {input_.name: input_ for input_ in inputs}
    _check_names(entry, checks)
    for name, step in entry.get("steps", {}).items():
        _unit(step, checks, "steps", name)
    local, data = checks.local, checks.data
    result = _result(entry, checks) if "result" in entry else None
    examples = tuple(_examples(entry, by_name, checks))
    agreements = tuple(_agreements(entry, by_name, kinds, checks))
    return CalculatorDefinition(
        id=local,
        entry=entry,
        source=source,
        data=data,
        group=group,
        is_sound=not checks.refused,
        has_sound_inputs=not any(path[0] == "inputs" for path in checks.refused),
        inputs=inputs,
        result=result,
        citation=read_citation(data, local, "citation") if "citation" in entry else None,
        examples=examples,
        agreements=agreements,
    )


def _inputs(entry: Mapping[str, Any], kinds: Mapping[str, Kind], checks: _Checks) -> Iterator[Input]:
    for name, declared in entry.get("inputs", {}).items():
        path = ("inputs", name)
        type_ = declared["type"]
        many = "many" in declared
        missing = [key for key in REQUIRED_KEYS[type_] if key not in declared and not (key == "default" and many)]
        for key in missing:
            what = shipped_schema("calculator")["$defs"]["input"]["properties"][key]["description"]
            checks.refuse(f'the key "{key}" is missing', *path, hint=f"add {key}: ...; it is {what}")
        for key in declared:
            if key not in ("label", "group", "type", *REQUIRED_KEYS[type_], *OPTIONAL_KEYS[type_]):
                types = [other for other in REQUIRED_KEYS if key in REQUIRED_KEYS[other] + OPTIONAL_KEYS[other]]
                checks.refuse(f'"{key}" is only for inputs of type {" or ".join(types)}', *path, key)
        picked_kinds = names(declared.get("pick"))
        unknown_kinds = [kind for kind in picked_kinds if kind not in kinds]
        for kind in unknown_kinds:
            hint = did_you_mean(kind, kinds, _known_kinds(kinds))
            checks.refuse(f'there is no kind "{kind}"', *path, "pick", hint=hint)
        low, high = declared.get("min"), declared.get("max")
        if type_ in ("integer", "number") and None not in (low, high) and low > high:
            checks.refuse(f"min is more than max: {low} > {high}", *path, "min")
        for key in ("min", "max", "step") if type_ == "integer" else ():
            if key in declared and declared[key] != int(declared[key]):
                checks.refuse(f"{declared[key]} is not a whole number", *path, key)
        unit = _unit(declared, checks, *path)
        if missing or unknown_kinds:
            continue
        input_ = Input(
            name=name,
            label=declared["label"],
            group=declared.get("group", ""),
            type=type_,
            unit=unit,
            low=low,
            high=high,
            step=declared.get("step", 1 if type_ == "integer" else None),
            default=_list(declared.get("default")) if many else declared["default"],
            options=tuple(declared.get("options", ())),
            kinds=picked_kinds,
            many=many,
            span=checks.data.span_of(checks.local, *path),
        )
        if not any(refused[:2] == path and refused[-1] in ("min", "max", "step") for refused in checks.refused):
            _check_value(input_, input_.default, checks, *path, "default")
        yield input_


def _list(value: Any) -> tuple[Any, ...]:
    return () if value is None else tuple(value) if isinstance(value, list) else (value,)


def _check_names(entry: Mapping[str, Any], checks: _Checks) -> None:
    inputs, steps = (_names_written(checks.written, section) for section in ("inputs", "steps"))
    for section, declared in (("inputs", inputs), ("steps", steps)):
        for name in declared:
            if name in RESERVED_NAMES:
                checks.refuse(f'"{name}" is a reserved name', section, name, hint="choose another name")
            if section == "steps" and name in inputs:
                checks.refuse(f'"{name}" is already an input', section, name, hint="choose another name")
    for name in re.findall(r"\{([^{}]*)\}", entry["result"]["sentence"] if "result" in entry else ""):
        if name not in inputs and name not in steps and name != "result":
            hint = did_you_mean_or_list(name, [*inputs, *steps, "result"], "use one of")
            checks.refuse(f'the sentence uses an unknown name "{name}"', "result", "sentence", hint=hint)


def _result(entry: Mapping[str, Any], checks: _Checks) -> Result:
    result = entry["result"]
    return Result(
        type=result.get("type", "number"),
        unit=_unit(result, checks, "result"),
        label=result.get("label", entry.get("title", "")),
        sentence=result["sentence"],
    )


def _unit(declared: Mapping[str, Any], checks: _Checks, *path: str | int) -> str:
    """The unit of an input, a step or a result. A misspelled common unit is reported, and corrected."""
    unit: str = declared.get("unit", "")
    common: list[str] = shipped_schema("calculator")["$defs"]["unit"]["examples"]
    if not unit or unit in common:
        return unit
    intended = next((usual for usual in common if unit.lower() in (usual, *_misspellings(usual))), None)
    if intended is None:
        return unit
    checks.refuse(f'"{unit}" looks like a misspelled unit', *path, "unit", hint=f'did you mean "{intended}"?')
    return intended


def _misspellings(word: str) -> Iterator[str]:
    """Wrong forms of a unit, and the word with one letter omitted, doubled or swapped with the next."""
    yield from {"feet": ("foot",), "dice": ("die", "dices"), "percent": ("percents", "per cent")}.get(word, ())
    for index in range(len(word)):
        yield word[:index] + word[index + 1 :]
        yield word[: index + 1] + word[index:]
        yield word[:index] + word[index + 1 : index + 2] + word[index] + word[index + 2 :]


def _examples(entry: Mapping[str, Any], inputs: Mapping[str, Input], checks: _Checks) -> Iterator[Example]:
    for index, example in enumerate(entry.get("examples", ())):
        if example is not None and _check_values(inputs, example["inputs"], checks, "examples", index, "inputs"):
            yield Example(
                inputs=example["inputs"],
                result=example["result"],
                printed=example.get("printed"),
                citation=read_citation(checks.data, checks.local, "examples", index, "citation"),
                span=checks.data.span_of(checks.local, "examples", index),
            )


def _agreements(
    entry: Mapping[str, Any], inputs: Mapping[str, Input], kinds: Mapping[str, Kind], checks: _Checks
) -> Iterator[Agreement]:
    for index, agreement in enumerate(entry.get("agrees", ())):
        if agreement is None:
            continue
        path = ("agrees", index)
        if agreement["kind"] not in kinds:
            message = f'there is no kind "{agreement["kind"]}"'
            checks.refuse(message, *path, "kind", hint=_known_kinds(kinds))
            continue
        kind = kinds[agreement["kind"]]
        for key, field in agreement["inputs"].items():
            _is_known_input(key, inputs, checks, *path, "inputs", key)
            _check_field(field, kind, checks, *path, "inputs", key)
        _check_field(agreement["result"], kind, checks, *path, "result")
        _check_values(inputs, agreement.get("given", {}), checks, *path, "given")
        yield Agreement(
            kind=agreement["kind"],
            inputs=agreement["inputs"],
            given=agreement.get("given", {}),
            result=agreement["result"],
            span=checks.data.span_of(checks.local, *path),
        )


def _known_kinds(kinds: Mapping[str, Kind]) -> str:
    return "known kinds: " + ", ".join(kinds) if kinds else "this game has no kinds"


def _check_field(field: str, kind: Kind, checks: _Checks, *path: str | int) -> None:
    """Report a field or part of a field, such as `good.bonus`, that the kind does not have."""
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
        checks.refuse(f'this kind has no field "{field}"', *path, hint=f"known fields: {known}")


def _is_known_input(name: str, inputs: Mapping[str, Input], checks: _Checks, *path: str | int) -> bool:
    """Whether an input can be used. Report a name that no input has."""
    if name not in inputs and name not in _names_written(checks.written, "inputs"):
        checks.refuse(f'there is no input "{name}"', *path, hint="known inputs: " + (", ".join(inputs) or "none"))
    return name in inputs


def _check_values(inputs: Mapping[str, Input], values: Mapping[str, Any], checks: _Checks, *path: str | int) -> bool:
    """Whether the values can be used. Report values that their inputs do not allow."""
    known = [name for name in values if _is_known_input(name, inputs, checks, *path, name)]
    allowed = [name for name in known if _check_value(inputs[name], values[name], checks, *path, name)]
    return len(allowed) == len(values)


def _check_value(input_: Input, value: Any, checks: _Checks, *path: str | int) -> bool:
    """Whether the input allows a value; report it otherwise. Ids of entities are checked later."""
    if is_valid_input(input_, value):
        return True
    hint = did_you_mean(str(value), input_.options, "change the value, or the input")
    checks.refuse(f"{format_literal(value)} is not {describe_input(input_)}", *path, hint=hint)
    return False
