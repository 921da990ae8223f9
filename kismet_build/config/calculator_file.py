"""Read calculators from the files of a game: their structure, and what their values must be."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import InvalidData, read_entries, shipped_schema
from kismet_build.config.kind import Kind, names
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Agreement, Citation, Example, Input, Result, fits, shown, wanted
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.model.source import Source, Span

KEYS = {
    "integer": ("min", "max", "default"),
    "number": ("min", "max", "default"),
    "boolean": ("default",),
    "choice": ("options", "default"),
    "entity": ("pick", "default"),
}
"""What an input of each type must say, beside its label."""

MAY = {"integer": ("unit", "step"), "number": ("unit", "step"), "boolean": (), "choice": (), "entity": ("many",)}
"""What it may say as well."""

ENVELOPE = frozenset(("id", "slug", "name"))
"""What an entity has beside the fields of its kind, and tables may be compared by."""

TAKEN = frozenset(("result", "if", "then", "else", "and", "or", "not", "in", "true", "false", "none"))
"""Names with a meaning of their own, in formulas or in sentences."""


class _Refused(Exception):
    """What is wrong with a calculator, and where."""

    def __init__(self, message: str, *path: str | int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A calculator as its file has it, sound in its structure, its formulas not read yet."""

    id: str
    """The local one."""
    written: Mapping[str, Any]
    source: Source
    data: Data
    group: str
    inputs: tuple[Input, ...]
    result: Result
    citation: Citation
    examples: tuple[Example, ...]
    agreements: tuple[Agreement, ...]

    def place(self, *path: str | int) -> Span:
        """Where a part of it stands."""
        return self.data.place(self.id, *path)


def read_drafts(folder: Path, kinds: Mapping[str, Kind], report: Report) -> tuple[list[Draft], dict[str, list[str]]]:
    """The calculators of a folder, file by file, and the inputs of all that have any, broken or not."""
    drafts: dict[str, Draft] = {}
    inputs: dict[str, list[str]] = {}
    first: dict[str, Span] = {}
    for file in sorted(folder.glob("*.yaml")):
        if file.name.startswith(".") or not file.is_file():
            continue
        path = f"{folder.name}/{file.name}"
        try:
            source, data, sound = read_entries(file, path, "invalid-calculator", "calculator", report)
        except InvalidData:
            continue
        for local, written in data.value.items():
            span = data.place(local)
            if local in first:
                others = (Related(first[local], "the other one"),)
                message = f'two calculators have the id "{local}"'
                report(error("invalid-calculator", _head(span), message, "rename one of them", others))
                continue
            first[local] = _head(span)
            listed = written.get("inputs") if isinstance(written, dict) else None
            inputs[local] = list(listed) if isinstance(listed, dict) else []
            if local in sound and (draft := _draft(local, written, file.stem, source, data, kinds, report)):
                drafts[local] = draft
    return list(drafts.values()), inputs


def read_citation(data: Data, *path: str | int) -> Citation:
    """The citation at a place of a data file."""
    written: Any = data.value
    for part in path:
        written = written[part]
    span = data.place(*path, "quote")
    return Citation(document=written["document"], heading=written["heading"], quotes=names(written["quote"]), span=span)


def _head(span: Span) -> Span:
    """The line that a span begins in."""
    end = span.source.text.find("\n", span.start, span.end)
    return span.source.span(span.start, span.end if end < 0 else end)


def _draft(
    local: str, written: Any, group: str, source: Source, data: Data, kinds: Mapping[str, Kind], report: Report
) -> Draft | None:
    """A calculator, or `None` when something in it cannot be, which is reported."""
    try:
        inputs = tuple(_inputs(local, written, data, kinds))
        by_name = {one.name: one for one in inputs}
        _check_names(written, by_name)
        for name, step in written.get("steps", {}).items():
            _unit(step, "steps", name)
        return Draft(
            id=local,
            written=written,
            source=source,
            data=data,
            group=group,
            inputs=inputs,
            result=_result(written),
            citation=read_citation(data, local, "citation"),
            examples=tuple(_examples(local, written, data, by_name)),
            agreements=tuple(_agreements(local, written, data, by_name, kinds)),
        )
    except _Refused as refused:
        where = ".".join(map(str, refused.path))
        message = f'at "{local}.{where}": {refused.message}'
        report(error("invalid-calculator", data.place(local, *refused.path), message, refused.hint))
        return None


def _inputs(local: str, written: Any, data: Data, kinds: Mapping[str, Kind]) -> Iterator[Input]:
    for name, one in written.get("inputs", {}).items():
        path = ("inputs", name)
        sort = one["type"]
        many = "many" in one
        for key in KEYS[sort]:
            if key not in one and not (key == "default" and many):
                raise _Refused(f'the key "{key}" is missing', *path)
        for key in one:
            if key not in ("label", "group", "type", *KEYS[sort], *MAY[sort]):
                fitting = [other for other in KEYS if key in KEYS[other] + MAY[other]]
                raise _Refused(f'"{key}" is for inputs of the type {" or ".join(fitting)}', *path, key)
        picked = names(one.get("pick"))
        for kind in picked:
            if kind not in kinds:
                raise _Refused(f'there is no kind "{kind}"', *path, "pick", hint=_known_kinds(kinds))
        number = sort in ("integer", "number")
        read = Input(
            name=name,
            label=one["label"],
            group=one.get("group", ""),
            type=sort,
            unit=_unit(one, *path),
            low=one.get("min"),
            high=one.get("max"),
            step=one.get("step", 1) if number else None,
            default=tuple(names(one.get("default"))) if many else one["default"],
            options=tuple(one.get("options", ())),
            kinds=picked,
            many=many,
            span=data.place(local, *path),
        )
        if number and one["min"] > one["max"]:
            raise _Refused(f"min is more than max: {one['min']} > {one['max']}", *path, "min")
        for key in ("min", "max", "step") if sort == "integer" else ():
            if key in one and one[key] != int(one[key]):
                raise _Refused(f"{one[key]} is not a whole number", *path, key)
        _check_value(read, read.default, *path, "default")
        yield read


def _check_names(written: Any, inputs: Mapping[str, Input]) -> None:
    """A name means one thing, and a sentence uses none that means nothing."""
    steps = written.get("steps", {})
    for section, listed in (("inputs", inputs), ("steps", steps)):
        for name in listed:
            if name in TAKEN:
                raise _Refused(f'"{name}" has a meaning of its own', section, name, hint="take another name")
            if section == "steps" and name in inputs:
                raise _Refused(f'"{name}" is an input already', section, name, hint="take another name")
    for name in re.findall(r"\{([^{}]*)\}", written["result"]["sentence"]):
        if name not in inputs and name not in steps and name != "result":
            known = ", ".join([*inputs, *steps, "result"])
            raise _Refused(f'the sentence names "{name}"', "result", "sentence", hint=f"it can name: {known}")


def _result(written: Any) -> Result:
    result = written["result"]
    return Result(
        type=result.get("type", "number"),
        unit=_unit(result, "result"),
        label=result.get("label", written["title"]),
        sentence=result["sentence"],
    )


def _unit(written: Mapping[str, Any], *path: str | int) -> str:
    """The unit of an input, a step or a result; refused where it is a usual one with a slip of the finger."""
    unit: str = written.get("unit", "")
    usual: list[str] = shipped_schema("calculator")["$defs"]["unit"]["examples"]
    if not unit or unit in usual:
        return unit
    meant = next((one for one in usual if unit in _slips(one)), None)
    if meant is not None:
        raise _Refused(f'"{unit}" is nearly a usual unit', *path, "unit", hint=f'did you mean "{meant}"?')
    return unit


def _slips(word: str) -> Iterator[str]:
    """A word with a letter left out, typed twice or swapped with the next: slips that seldom make another word."""
    yield from {"feet": ("foot",), "dice": ("die", "dices"), "percent": ("percents", "per cent")}.get(word, ())
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        yield word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


def _examples(local: str, written: Any, data: Data, inputs: Mapping[str, Input]) -> Iterator[Example]:
    for place, one in enumerate(written.get("examples", ())):
        _check_values(inputs, one["inputs"], "examples", place, "inputs")
        yield Example(
            inputs=one["inputs"],
            result=one["result"],
            printed=one.get("printed"),
            citation=read_citation(data, local, "examples", place, "citation"),
            span=data.place(local, "examples", place),
        )


def _agreements(
    local: str, written: Any, data: Data, inputs: Mapping[str, Input], kinds: Mapping[str, Kind]
) -> Iterator[Agreement]:
    for place, one in enumerate(written.get("agrees", ())):
        path = ("agrees", place)
        if one["kind"] not in kinds:
            raise _Refused(f'there is no kind "{one["kind"]}"', *path, "kind", hint=_known_kinds(kinds))
        kind = kinds[one["kind"]]
        for key, field in one["inputs"].items():
            _known(key, inputs, *path, "inputs", key)
            _check_field(field, kind, *path, "inputs", key)
        _check_field(one["result"], kind, *path, "result")
        _check_values(inputs, one.get("given", {}), *path, "given")
        yield Agreement(
            kind=one["kind"],
            inputs=one["inputs"],
            given=one.get("given", {}),
            result=one["result"],
            span=data.place(local, *path),
        )


def _known_kinds(kinds: Mapping[str, Kind]) -> str:
    return "known kinds: " + ", ".join(kinds) if kinds else "this game has no kinds"


def _check_field(field: str, kind: Kind, *path: str | int) -> None:
    """Refuse a field that the kind does not have, or a part of it, as in `good.bonus`, that the field does not have."""
    fields: dict[str, Any] = {
        **{name: {} for name in ENVELOPE},
        **{one: rule.schema for one, rule in kind.rules.items()},
    }
    first, _, rest = field.partition(".")
    while first in fields and rest:
        schema = fields[first]
        fields = {}
        for option in (schema, *schema.get("anyOf", ())):  # it may be null instead
            fields |= option.get("properties", {})
        first, _, rest = rest.partition(".")
    if first not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise _Refused(f'this kind has no field "{field}"', *path, hint=f"known fields: {known}")


def _known(name: str, inputs: Mapping[str, Input], *path: str | int) -> Input:
    if name not in inputs:
        raise _Refused(f'there is no input "{name}"', *path, hint="known inputs: " + (", ".join(inputs) or "none"))
    return inputs[name]


def _check_values(inputs: Mapping[str, Input], values: Mapping[str, Any], *path: str | int) -> None:
    for name, value in values.items():
        _check_value(_known(name, inputs, *path, name), value, *path, name)


def _check_value(one: Input, value: Any, *path: str | int) -> None:
    """Refuse a value that an input cannot have; whether an entity is there is known only with the text."""
    if not fits(one, value):
        raise _Refused(f"{shown(value)} is not {wanted(one)}", *path)
