"""YAML 1.2 core data with the place of every value, so that a mistake in a data file has a line."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import yaml

from kismet_build.diagnostic import Report, error
from kismet_build.source import Source, Span

CORE_SCALARS = (
    # YAML 1.2.2, section 10.3.2: in 1.1, which PyYAML reads, `yes`, `1:30` and `0777` are not strings.
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("merge", r"<<", "<"),
)

Path = tuple[str | int, ...]

Doubled = Callable[[str, Span, Span], None]
"""Told of a key that stands twice, its place and that of the first; the first one counts then."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The fast loader where PyYAML has it, with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


for _tag, _pattern, _first in CORE_SCALARS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})\\Z"), list(_first))
_Loader.yaml_implicit_resolvers.setdefault("", []).append(("tag:yaml.org,2002:null", re.compile(r"\Z")))


@dataclass(frozen=True, slots=True)
class Data:
    """What a YAML text says, and where."""

    value: Any
    """Plain dicts, lists, strings, numbers, booleans and `None`."""
    places: Mapping[Path, Span]
    """For each value by its keys from the top; the place of a mapping's value starts at its key."""

    def place(self, *path: str | int) -> Span:
        """Where a value stands, or the nearest value around it that stands anywhere."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path]


def parse(
    source: Source,
    report: Report,
    code: str,
    start: int = 0,
    end: int | None = None,
    doubled: Doubled | None = None,
) -> Data | None:
    """Read a part of a source as YAML; what is wrong is reported under a code, and nothing is returned then.

    A key that stands twice is wrong too, unless `doubled` takes care of it.
    """
    text = source.text[start:end]
    first_line = source.place(start)[0] - 1

    def offset(mark: yaml.Mark) -> int:
        line = min(first_line + mark.line, len(source.line_starts) - 1)
        return min(source.line_starts[line] + mark.column, len(source.text))

    try:
        node = yaml.compose(text, Loader=_Loader)
        places: dict[Path, Span] = {(): source.span(start, start + len(text))}
        value = None if node is None else _value(node, (), places, source, offset, doubled)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = offset(mark) if mark else start
        words = " ".join(filter(None, (problem.context, problem.problem)))
        report(error(code, source.span(at, min(at + 1, len(source.text))), f"this is not valid YAML: {words}"))
        return None
    except (yaml.YAMLError, RecursionError) as problem:
        report(error(code, source.span(start, start), f"this is not valid YAML: {str(problem).splitlines()[0]}"))
        return None
    return Data(value, places)


def _value(
    node: yaml.Node, path: Path, places: dict[Path, Span], source: Source, offset: Any, doubled: Doubled | None
) -> Any:
    places.setdefault(path, source.span(offset(node.start_mark), offset(node.end_mark)))
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key is not a plain word", problem_mark=key_node.start_mark)
            key = key_node.value
            if key in found and doubled is not None:
                here = source.span(offset(key_node.start_mark), offset(key_node.end_mark))
                first = places[(*path, key)].start
                doubled(key, here, source.span(first, first + here.end - here.start))
                continue
            if key in found:
                raise yaml.MarkedYAMLError(
                    problem=f'the key "{key}" stands here twice', problem_mark=key_node.start_mark
                )
            places[(*path, key)] = source.span(offset(key_node.start_mark), offset(value_node.end_mark))
            found[key] = _value(value_node, (*path, key), places, source, offset, doubled)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, place), places, source, offset, doubled) for place, item in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
    """The value of a plain word; one that its tag does not fit (`!!int many`) stays a word, for a schema to refuse."""
    try:
        return _tagged(node)
    except ValueError:
        return node.value


def _tagged(node: yaml.Node) -> Any:
    text = node.value
    match node.tag.rsplit(":", 1)[-1]:
        case "null":
            return None
        case "bool":
            return text.casefold() == "true"
        case "int":
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        case "float":
            return float(re.sub(r"\.(inf|nan)", r"\1", text.casefold()))
        case _:
            return text
