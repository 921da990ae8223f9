"""YAML 1.2 core data with the place of every value, so that a mistake in a data file has a line."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, ClassVar

import yaml

from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Source, Span

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

TEXT = "tag:yaml.org,2002:str"
TAGS = {
    yaml.ScalarNode: TEXT,
    yaml.SequenceNode: "tag:yaml.org,2002:seq",
    yaml.MappingNode: "tag:yaml.org,2002:map",
}
"""Of what has no other."""

Doubled = Callable[[str, Span, Span], None]
"""Told of a key that stands twice, its place and that of the first; the first one counts then."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The fast loader where PyYAML has it, with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    # PyYAML asks these for every value, and is prepared for tags that depend on the path to it; we have none.

    def resolve(self, kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str:
        """The tag of a value that has none."""
        if kind is yaml.ScalarNode and implicit[0]:
            for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                if pattern.match(value):
                    return tag
        return TAGS[kind]

    def descend_resolver(self, _parent: yaml.Node | None, _index: object) -> None:
        """Nothing depends on where a value stands."""

    def ascend_resolver(self) -> None:
        """Nothing depends on where a value stands."""


for _tag, _pattern, _first in CORE_SCALARS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})\\Z"), list(_first))
_Loader.yaml_implicit_resolvers.setdefault("", []).append(("tag:yaml.org,2002:null", re.compile(r"\Z")))


@dataclass(frozen=True, slots=True)
class Data:
    """What a YAML text says, and where."""

    value: Any
    """Plain dicts, lists, strings, numbers, booleans and `None`."""
    whole: Span
    node: yaml.Node | None
    """What was read; places are looked up in it when somebody asks, which is seldom."""

    def words(self, key: str) -> str | None:
        """The value of a key as it is written, if it is a single one and says something."""
        _, node = _child(self.node, key)
        said = isinstance(node, yaml.ScalarNode) and not node.tag.endswith(":null")
        return str(node.value) if said and node is not None else None

    def place(self, *path: str | int) -> Span:
        """Where a value stands, from its key if it has one, or the nearest value around it that stands anywhere."""
        node = self.node
        found: tuple[yaml.Node, yaml.Node] | None = None
        for part in path:
            key, node = _child(node, part)
            if node is None:
                break
            begin = key or node
            # What an alias stands for ends elsewhere, maybe before it.
            last = node if node.end_mark.index >= begin.end_mark.index else begin
            found = (begin, last)
        if found is None:
            return self.whole
        begin, last = found
        return self.whole.source.span(_offset(self.whole, begin.start_mark), _offset(self.whole, last.end_mark))


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
    whole = source.span(start, start + len(text))
    try:
        node = _composed(text)
        return Data(None if node is None else _value(node, whole, doubled), whole, node)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = _offset(whole, mark) if mark else start
        words = " ".join(filter(None, (problem.context, problem.problem)))
        report(error(code, source.span(at, min(at + 1, len(source.text))), f"this is not valid YAML: {words}"))
    except (yaml.YAMLError, RecursionError) as problem:
        report(error(code, source.span(start, start), f"this is not valid YAML: {str(problem).splitlines()[0]}"))
    return None


@lru_cache(maxsize=256)
def _composed(text: str) -> yaml.Node | None:
    """The nodes of a text, which nobody changes. Who serves a library reads the same files after each edit."""
    node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    return node


def _offset(whole: Span, mark: yaml.Mark) -> int:
    """The offset in the source of a mark in the part of it that was read."""
    source = whole.source
    before = source.place(whole.start)[0] - 1 if whole.start else 0
    line = min(before + mark.line, len(source.line_starts) - 1)
    return min(source.line_starts[line] + mark.column, len(source.text))


def _child(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node | None, yaml.Node | None]:
    """The key and the value at one step of a path; the first of several keys counts, and an item has none."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return None, node.value[part]
    return None, None


def _value(node: yaml.Node, whole: Span, doubled: Doubled | None) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.tag == TEXT else _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, whole, doubled) for item in node.value]
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key is not a plain word", problem_mark=key_node.start_mark)
        key = key_node.value
        if key not in found:
            found[key] = _value(value_node, whole, doubled)
        elif doubled is not None:
            first = next(one for one, _ in node.value if one.value == key)
            doubled(key, _span(whole, key_node), _span(whole, first))
        else:
            raise yaml.MarkedYAMLError(problem=f'the key "{key}" stands here twice', problem_mark=key_node.start_mark)
    return found


def _span(whole: Span, node: yaml.Node) -> Span:
    return whole.source.span(_offset(whole, node.start_mark), _offset(whole, node.end_mark))


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
            number = float(re.sub(r"\.(inf|nan)", r"\1", text.casefold()))
            if not isfinite(number):
                raise ValueError  # what JSON cannot say is not published
            return number
        case _:
            return text
