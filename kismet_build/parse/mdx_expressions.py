"""Find the elements in the expressions of MDX, `{words.map(word => <b>{word}</b>)}`, and the values of constants."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kismet_build.config.project.js_literals import LiteralReader, Unread
from kismet_build.model.source import Source
from kismet_build.parse.markdown.components import BRACES

MAX_LENGTH = 4000
"""Maximum length of an expression, because each opening brace may be searched that far."""
MAX_LEVELS = 20
"""Maximum nesting depth of braces."""
BRACE = re.compile(r"[{}]")
TAG = re.compile(
    r"<(?P<closes>/)?(?:[A-Za-z][\w.-]*+)?"
    rf"""(?>(?:\s+[\w:.-]++(?>(?:=(?:"[^"]*+"|'[^']*+'|{BRACES}))?))*)\s*(?P<alone>/)?>"""
)
"""A tag of an element, or of a fragment without a name."""
REPEATED = re.compile(
    r"\s*(?:(?P<list>[\w$]+)|(?P<literal>\[[^\[\]]*\]))\s*\.map\(\s*"
    r"(?:\(?\s*(?P<item>[\w$]+)|\(\s*\{(?P<fields>[\w\s,]*)\})\s*(?:,\s*[\w$]+\s*)?\)?\s*=>"
)
"""The start of an expression that shows something for each item of a list."""


class Element(NamedTuple):
    """An element in an expression, by its range in the text, and one mapping of values for each time it is shown."""

    start: int
    end: int
    values: tuple[Mapping[str, str], ...]


def closing_brace(text: str, start: int) -> int:
    """The offset after the brace that closes the one at `start`; 0 if it is too far away or missing."""
    level = 0
    for brace in BRACE.finditer(text, start, start + MAX_LENGTH):
        level += 1 if brace[0] == "{" else -1
        if not level or level > MAX_LEVELS:
            return 0 if level else brace.end()
    return 0


def elements_in(text: str, start: int, end: int, constants: Mapping[str, Any]) -> list[Element]:
    """The elements in the expression between the braces at `start` and before `end`."""
    repeated = REPEATED.match(text, start + 1, end)
    values: tuple[Mapping[str, str], ...] = ({},)
    if repeated is not None:
        literal = repeated["literal"]
        items = literal_at(literal, 0)[0] if literal else constants.get(repeated["list"])
        name = repeated["item"] or ""
        if isinstance(items, list) and items:
            values = tuple(dict(plain_values(name, item)) for item in items)
    return [Element(*place, values) for place in _outermost(text, start + 1, end - 1)]


def literal_at(text: str, start: int) -> tuple[Any, int]:
    """The literal at an offset, or `None` for anything else, and where it ends."""
    value, length = LiteralReader(Source("", text[start : start + MAX_LENGTH])).literal()
    return None if isinstance(value, Unread) else value, start + length


def plain_values(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The words and numbers in a value, by the names that expressions use for them, such as `lamp.price`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from plain_values(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, str(value)


def _outermost(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the elements that are not in others."""
    level, first = 0, start
    for tag in TAG.finditer(text, start, end):
        if not level:
            first = tag.start()
        level += 0 if tag["alone"] else -1 if tag["closes"] else 1
        if level <= 0:
            if not tag["closes"] or level == 0:
                yield first, tag.end()
            level = 0
