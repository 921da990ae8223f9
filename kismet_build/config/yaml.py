"""Parse YAML 1.2 (core schema) and record the span of every value, for diagnostics; write values as YAML."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import yaml

from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.model.source import Source, Span

CORE_SCALARS = (
    # YAML 1.2.2, section 10.3.2. PyYAML implements YAML 1.1: `yes` is true, `1:30` is 90 and `0777` is 511.
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
"""The default tags."""

MAX_LEVELS = 200
"""Maximum nesting depth of lists and maps. At tens of thousands of levels, the C parser overflows its stack."""
TOO_DEEP = f"it has more than {MAX_LEVELS} levels of lists and maps"
MAX_REPEATED_VALUES = 10_000
"""By how much the number of values may exceed the number of characters, which takes repeated aliases.
docs/decisions/0022-bounds-of-input.md lists limits on input.
"""
MAX_REPEATED_CHARACTERS = 1_000_000
"""By how much the characters in all values may exceed the length of the text, which takes repeated aliases."""

MAX_COMPOSED_FILES = 1_000
"""Maximum number of files whose root nodes are cached. A full cache is emptied."""
_composed: dict[str, tuple[str, yaml.Node | None]] = {}
"""The last text of each file and its root node, by the path that messages show."""

PLAIN_STRING = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Strings that need no quotes unless they are `RESERVED_WORDS`."""
RESERVED_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""Words without quotes that at least one YAML parser does not read as strings."""

QUOTE_HINT = "quote a value that begins with a special character, or contains a colon or #"
"""The hint for syntax errors without a more precise one."""

OnDuplicateKey = Callable[[str, Span, Span], None]
"""Called for a duplicate key with the key, its span, and the span of the first such key, whose value is used."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The C loader if PyYAML has one, otherwise the Python loader, with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    level = 0
    """Nesting depth of the current value, from 1 for the root."""

    # PyYAML calls these methods for every value. Its own versions support tags that depend on a value's path.

    def resolve(self, kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str:
        if kind is yaml.ScalarNode and implicit[0]:
            for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                if pattern.match(value):
                    return tag
        return TAGS[kind]

    def descend_resolver(self, parent: yaml.Node | None, _index: object) -> None:
        self.level += 1
        if self.level > MAX_LEVELS:
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=parent.start_mark if parent else None)

    def ascend_resolver(self) -> None:
        self.level -= 1


for _tag, _pattern, _first in CORE_SCALARS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})\\Z"), list(_first))
_Loader.yaml_implicit_resolvers.setdefault("", []).append(("tag:yaml.org,2002:null", re.compile(r"\Z")))


@dataclass(frozen=True, slots=True)
class Data:
    """The data of a YAML text, with the spans of its values."""

    value: Any
    """Plain dicts, lists, strings, numbers, booleans and `None`."""
    whole: Span
    """The span of the entire text."""
    node: yaml.Node | None
    """The root node, from which spans are computed on demand."""

    def scalar_text(self, key: str) -> str | None:
        """The text of a top-level scalar as written; `None` if it is missing, null or not a scalar."""
        _, node = _child(self.node, key)
        has_text = isinstance(node, yaml.ScalarNode) and not node.tag.endswith(":null")
        return str(node.value) if has_text and node is not None else None

    def span_of(self, *path: str | int) -> Span:
        """The span of a value and its key. If the path does not exist, the span of the nearest enclosing value."""
        node = self.node
        ends: tuple[yaml.Node, yaml.Node] | None = None
        for part in path:
            key, node = _child(node, part)
            if node is None:
                break
            first = key or node
            # The node of an alias is at its anchor, which may be before the key.
            last = node if node.end_mark.index >= first.end_mark.index else first
            ends = (first, last)
        if ends is None:
            return self.whole
        first, last = ends
        return self.whole.source.span(_offset(self.whole, first.start_mark), _offset(self.whole, last.end_mark))


def parse(
    source: Source,
    report: Report,
    code: str,
    start: int = 0,
    end: int | None = None,
    on_duplicate: OnDuplicateKey | None = None,
    *,
    merges: bool = False,
) -> Data | None:
    """Parse a part of a source as YAML. A syntax error is reported with the given code, and the result is `None`.

    A duplicate key is a syntax error unless `on_duplicate` is given. `merges`: whether the last of several equal keys
    counts, and `<<` adds the keys of another map, as in YAML 1.1, which most site generators read.
    """
    text = source.text[start:end]
    whole = source.span(start, start + len(text))
    try:
        node = _compose_file(source) if text == source.text and on_duplicate is None else _compose(text)
        node = _merged(node) if merges and node is not None else node
        return Data(None if node is None else _Reader(whole, on_duplicate).value(node), whole, node)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        offset, reason, hint = _explanation(problem, whole)
        span = source.span(offset, min(offset + 1, len(source.text)))
        # PyYAML notices a bracket that is never closed only on a later line.
        begin = problem.context_mark
        related: tuple[Related, ...] = ()
        place = _offset(whole, begin) if begin else offset
        if mark and begin and begin.line < mark.line and not (begin.line == begin.column == 0) and place != offset:
            related = (Related(source.span(place, min(place + 1, len(source.text))), "it starts here"),)
        report(error(code, span, f"this is not valid YAML: {reason}", hint, related))
    except yaml.reader.ReaderError as problem:
        offset = min(whole.start + _forbidden_character_offset(whole.text, problem), whole.end)
        shown = f"U+{problem.character:04X}" if isinstance(problem.character, int) else str(problem.character)
        message = f"this is not valid YAML: it has the control character {shown}"
        hint = "remove it; if there are many, the file may be UTF-16: save it as UTF-8"
        report(error(code, source.span(offset, min(offset + 1, whole.end)), message, hint))
    except (yaml.YAMLError, RecursionError) as problem:
        report(error(code, source.span(start, start), f"this is not valid YAML: {str(problem).splitlines()[0]}"))
    return None


YAML_KEY = r"^[ \t]*(?:- )?[\w-][\w -]*:"
UNCLOSED_VALUE = re.compile(
    rf"{YAML_KEY}[ \t]+(?P<quote>[\"'])(?![^\n]*(?P=quote)[ \t]*(?:\#[^\n]*)?$)[^\n]*\n(?={YAML_KEY}\s)", re.MULTILINE
)
"""A value that begins with a quotation mark but does not end with one, followed by a line with another key."""


def _forbidden_character_offset(text: str, problem: yaml.reader.ReaderError) -> int:
    """The offset of a character that YAML forbids.

    The text is searched for the character, because the C parser gives its offset in bytes, or not at all.
    """
    character = problem.character
    found = text.find(chr(character)) if isinstance(character, int) else -1
    return max(found, 0)


def _explanation(problem: yaml.MarkedYAMLError, whole: Span) -> tuple[int, str, str]:
    """The offset of a syntax error, the reason and a hint, in words for authors who do not know the grammar of YAML."""
    mark, begin = problem.problem_mark or problem.context_mark, problem.context_mark
    offset = _offset(whole, mark) if mark else whole.start
    start = _offset(whole, begin) if begin else offset
    source = whole.source
    line = source.line(source.line_and_column(offset)[0])
    character = source.text[offset : offset + 1]
    reason = str(problem.problem)
    if character == "\t":
        return offset, "there is a tab", "use spaces"
    # A string that is never closed extends to the next quotation mark, where the parser fails.
    for unclosed in UNCLOSED_VALUE.finditer(source.text, whole.start, offset):
        return unclosed.start("quote"), "a quotation mark is never closed", "close it at the end of the value"
    if "cannot start any token" in reason:
        value = source.text[offset:].partition("\n")[0].strip()
        return offset, f'a value cannot begin with "{character}"', f"put it in quotes: {_quoted(value)}"
    if "while scanning an alias" in str(problem.context):
        value = re.split(r"[\n,}\]]", source.text[start:], maxsplit=1)[0].strip()
        return start, "a value cannot begin with *", f"put it in quotes: {_quoted(value)}"
    if "mapping values are not allowed" in reason:
        number = source.line_and_column(offset)[0]
        above = source.line(number - 1) if number > 1 else ""
        if joined := re.match(r"\s*(?:- )?([\w-]+):(?=[^\s:/])", above):
            cure = f"{joined[1]}: {above[joined.end() :].strip()}"
            place = source.line_starts[number - 2] + joined.end() - 1
            return place, "there is no space after this colon", f"write a space: {cure}"
        key, _, value = line.partition(":")
        if len(line[: line.find(":", len(key) + 1)].strip()) and ":" in value:
            return (
                offset,
                "there is a second colon on this line",
                f"put the value in quotes: {key.strip()}: {_quoted(value.strip())}",
            )
        return (
            offset,
            "this line is indented more than the one above",
            "start it in the same column as the other keys",
        )
    if "undefined alias" in reason:
        value = source.text[offset:].partition("\n")[0].strip()
        hint = f"put it in quotes: {_quoted(value)}"
        return offset, f'"{value}" is an alias, but no value above is named with & like this', hint
    if "quoted scalar" in str(problem.context):
        return start, "a quotation mark is never closed", "close it at the end of the value"
    if "could not find expected ':'" in reason:
        return start, 'this line is not a "key: value"', "write a space after the colon"
    if problem.context in ("while parsing a flow sequence", "while parsing a flow mapping"):
        opening = source.text[start : start + 1]
        closing = {"[": "]", "{": "}"}.get(opening, "")
        hint = f"close it with {closing} before this, or quote the value if the bracket is part of it"
        return offset, f'"{opening}" is never closed', hint
    if "expected a single document" in str(problem.context):
        return offset, "a second document begins here", "remove the line with ---"
    is_first_in_line = not line[: source.line_and_column(offset)[1] - 1].strip()
    is_indented = problem.context == "while parsing a block mapping" and is_first_in_line
    if is_indented or "expected <block end>" in reason or "block collection" in str(problem.context):
        return (
            offset,
            "this line does not fit the lines above",
            "start each key and each - in the same column as the others of its list or map",
        )
    if "occurs twice" in reason:
        return offset, reason, "keep one of them"
    if "that YAML does not know" in reason:
        return offset, reason, f"put it in quotes: {_quoted(source.text[offset:].partition(chr(10))[0].strip())}"
    if "not a plain word" in reason:
        return offset, reason, "put it in quotes"
    return offset, " ".join(filter(None, (problem.context, problem.problem))), QUOTE_HINT


def _compose_file(source: Source) -> yaml.Node | None:
    """The root node of an entire text; do not change it.

    The node is cached for `serve`, which parses the same files after each edit. Only the last text of each file is
    kept.
    """
    known = _composed.get(source.display_path)
    if known is None or known[0] != source.text:
        if len(_composed) >= MAX_COMPOSED_FILES:
            _composed.clear()
        known = _composed[source.display_path] = (source.text, _compose(source.text))
    return known[1]


def _compose(text: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    return node


def _merged(node: yaml.Node, done: dict[int, yaml.Node] | None = None, level: int = 0) -> yaml.Node:
    """A copy of a node in which each map has its last keys, after those that it merges.

    `done`: the copies by the `id` of the original, because aliases repeat nodes.
    """
    done = {} if done is None else done
    if isinstance(node, yaml.ScalarNode) or id(node) in done:
        return done.get(id(node), node)
    if level >= MAX_LEVELS:
        raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=node.start_mark)
    value: list[Any]
    if isinstance(node, yaml.SequenceNode):
        value = [_merged(item, done, level + 1) for item in node.value]
    else:
        own = {str(key.value): (key, _merged(item, done, level + 1)) for key, item in node.value}
        key, merged = own.pop("<<", (None, None))
        maps = merged.value if isinstance(merged, yaml.SequenceNode) else [merged] if merged else []
        if key is not None and not all(isinstance(of, yaml.MappingNode) for of in maps):
            raise yaml.MarkedYAMLError(problem="<< does not name a map", problem_mark=key.start_mark)
        value = [*{**{str(pair[0].value): pair for of in reversed(maps) for pair in of.value}, **own}.values()]
    done[id(node)] = type(node)(node.tag, value, node.start_mark, node.end_mark)
    return done[id(node)]


def _offset(whole: Span, mark: yaml.Mark) -> int:
    """The offset in the source of a PyYAML mark, which counts characters from the start of `whole`.

    The mark's line numbers are of no use: for PyYAML, U+2028 and other characters also end a line.
    """
    return min(whole.start + int(mark.index), whole.end)


def _child(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node | None, yaml.Node | None]:
    """The key and value nodes for one part of a path. A list item has no key. Of duplicate keys, the first is used."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return None, node.value[part]
    return None, None


class _Reader:
    def __init__(self, whole: Span, on_duplicate: OnDuplicateKey | None) -> None:
        self.whole = whole
        self.on_duplicate = on_duplicate
        self.values_left = MAX_REPEATED_VALUES + whole.end - whole.start
        self.characters_left = MAX_REPEATED_CHARACTERS + whole.end - whole.start

    def value(self, node: yaml.Node, level: int = 0) -> Any:
        """The data of a node that is inside `level` lists and maps. An alias may be deeper than its anchor."""
        if level >= MAX_LEVELS:
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=node.start_mark)
        self.values_left -= 1
        if self.values_left < 0:
            problem = f"its aliases repeat more than {MAX_REPEATED_VALUES} values"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            self.characters_left -= len(node.value)
            if self.characters_left < 0:
                problem = f"its aliases repeat more than {MAX_REPEATED_CHARACTERS} characters"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, level + 1) for item in node.value]
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key is not a plain word", problem_mark=key_node.start_mark)
            key = key_node.value
            if key not in mapping:
                mapping[key] = self.value(value_node, level + 1)
            elif self.on_duplicate is not None:
                first = next(first_key for first_key, _ in node.value if first_key.value == key)
                self.on_duplicate(key, _span(self.whole, key_node), _span(self.whole, first))
            else:
                raise yaml.MarkedYAMLError(problem=f'the key "{key}" occurs twice', problem_mark=key_node.start_mark)
        return mapping


def _span(whole: Span, node: yaml.Node) -> Span:
    return whole.source.span(_offset(whole, node.start_mark), _offset(whole, node.end_mark))


def _scalar(node: yaml.ScalarNode) -> Any:
    """The value of a scalar. If it does not fit its tag (`!!int many`), it stays a string, for a schema to reject."""
    try:
        return node.value if node.tag == TEXT else _convert(node)
    except ValueError:
        return node.value


def _convert(node: yaml.Node) -> Any:
    text = node.value
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise yaml.MarkedYAMLError(
            problem=f'"{node.tag}" is a type that YAML does not know', problem_mark=node.start_mark
        )
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
                raise ValueError  # JSON has no such number
            return number
        case _:
            return text


def flow(value: Any) -> str:
    """A value in flow style, on one line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(flow, value)) + "]"
        case str() if PLAIN_STRING.fullmatch(value) and value.casefold() not in RESERVED_WORDS:
            return value
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
