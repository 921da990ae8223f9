"""Find literals in the object that a JavaScript or TypeScript module exports, without running anything.

Only what leads to the wanted values must be plain: `{key: {key: [...]}}`. Everything else may hold any code.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kismet_build.model.source import Source

TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<template>`(?:[^`\\]|\\.)*`)
    | (?P<name>[\w$]+)
    | (?P<sign>\.\.\.|=>|[^\w\s])
    """,
    re.VERBOSE | re.DOTALL,
)
PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
"""A regular expression, which may contain quotation marks."""
BEFORE_PATTERN = frozenset("(,=:[!&|?{};>")
"""Signs after which a slash begins a regular expression."""
CLOSING = {"(": ")", "[": "]", "{": "}"}


class NotPlain(Exception):
    """What leads to a wanted value is no plain literal."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset


class Token(NamedTuple):
    """A part of the code: a text, a name, a sign, a template or a pattern."""

    kind: str
    text: str
    offset: int


class Value(NamedTuple):
    """The tokens of an expression."""

    tokens: Sequence[Token]
    offset: int


def exported_object(source: Source) -> Value:
    """The object literal that a module exports by default, directly or as a constant. Raises `NotPlain`."""
    tokens = [*_tokens(source.text)]
    words = [token.text for token in tokens]
    places = [place for place in range(len(words) - 2) if words[place : place + 2] == ["export", "default"]]
    if len(places) != 1:
        raise NotPlain(0, "no object is exported as the default")
    start = places[0] + 2
    if tokens[start].kind == "name":
        name = words[start]
        uses = [place for place, word in enumerate(words) if word == name and place != start]
        if len(uses) != 1 or words[uses[0] - 1] != "const":
            raise NotPlain(tokens[start].offset, f'"{name}" is not assigned once and used nowhere else')
        start = next((place + 1 for place in range(uses[0], len(words)) if words[place] == "="), len(words))
    if start >= len(tokens) or tokens[start].text != "{":
        raise NotPlain(tokens[places[0]].offset, "the exported value is not an object")
    end = _end(tokens, start)
    behind = tokens[end + 1] if end + 1 < len(tokens) else None
    is_statement = behind is None or "\n" in source.text[tokens[end].offset : behind.offset]
    if behind and behind.text not in (";", "as", "satisfies") and not (is_statement and behind.kind == "name"):
        raise NotPlain(behind.offset, "the exported value is not a plain object")
    return Value(tokens[start : end + 1], tokens[start].offset)


def member(of: Value, key: str) -> Value | None:
    """The value of a key in an object literal; `None` without this key. Raises `NotPlain`."""
    found: Value | None = None
    for name, value in _members(of):
        if name == key:
            if found is not None:
                raise NotPlain(value.offset, f'"{key}" is set twice')
            found = value
    return found


def texts(of: Value) -> list[str]:
    """The strings in a list literal. Raises `NotPlain` for anything else."""
    return [text(item) for item in items(of)]


def text(of: Value) -> str:
    """A string literal. Raises `NotPlain` for anything else."""
    if len(of.tokens) != 1 or of.tokens[0].kind != "text" or "\\" in of.tokens[0].text:
        raise NotPlain(of.offset, "this is not a plain text")
    return of.tokens[0].text[1:-1]


def items(of: Value) -> list[Value]:
    """The items of a list literal. Raises `NotPlain` for anything else."""
    if not of.tokens or of.tokens[0].text != "[" or _end(of.tokens, 0) != len(of.tokens) - 1:
        raise NotPlain(of.offset, "this is not a plain list")
    found, at = [], 1
    while at < len(of.tokens) - 1:
        item = _value(of.tokens, at, len(of.tokens) - 1)
        found.append(item)
        at += len(item.tokens) + 1
    return found


def _members(of: Value) -> Iterator[tuple[str, Value]]:
    end = _end(of.tokens, 0) if of.tokens and of.tokens[0].text == "{" else -1
    behind = [token.text for token in of.tokens[end + 1 :]]
    if end < 0 or (behind and behind[0] not in ("as", "satisfies")):
        raise NotPlain(of.offset, "this is not a plain object")
    at = 1
    while at < end:
        token = of.tokens[at]
        if token.kind not in ("name", "text") or "\\" in token.text:
            raise NotPlain(token.offset, "this is not a plain key")
        value = _value(of.tokens, at + 1, end)
        if value.tokens and value.tokens[0].text == ":":
            yield token.text.strip("\"'"), Value(value.tokens[1:], token.offset)
        elif not value.tokens or value.tokens[0].text == "(":
            yield token.text.strip("\"'"), Value((), token.offset)  # a variable with this name, or a method
        else:
            raise NotPlain(token.offset, "this is not a plain key")  # `get name()`
        at += len(value.tokens) + 2


def _value(tokens: Sequence[Token], start: int, end: int) -> Value:
    """The expression from a token up to the next comma or semicolon outside of brackets."""
    at = start
    while at < end and tokens[at].text not in (",", ";"):
        at = _end(tokens, at) + 1
    return Value(tokens[start:at], tokens[min(start, len(tokens) - 1)].offset)


def _end(tokens: Sequence[Token], start: int) -> int:
    """The place of the bracket that closes the one at a place, or the place itself."""
    expected: list[str] = []
    for at in range(start, len(tokens)):
        word = tokens[at].text if tokens[at].kind == "sign" else ""
        if word in CLOSING:
            expected.append(CLOSING[word])
        elif word in CLOSING.values() and (not expected or expected.pop() != word):
            break
        if not expected:
            return at
    raise NotPlain(tokens[start].offset, "a bracket is never closed")


def _tokens(text: str) -> Iterator[Token]:
    at, last = 0, ";"
    while at < len(text):
        pattern = PATTERN.match(text, at) if last in BEFORE_PATTERN else None
        found = TOKEN.match(text, at) if pattern is None or text.startswith(("//", "/*"), at) else None
        if found is None and pattern is not None:
            yield Token("pattern", pattern[0], at)
            at, last = pattern.end(), ")"
        elif found is None:
            raise NotPlain(at, "this cannot be read")
        else:
            if found.lastgroup != "space":
                yield Token(str(found.lastgroup), found[0], at)
                last = found[0]
            at = found.end()


def call_name(of: Value) -> str:
    """The name of the function in a call without arguments, such as `Plugin.RemoveDrafts()`. Raises `NotPlain`."""
    words = [token.text for token in of.tokens]
    if words[-2:] != ["(", ")"] or not all(token.kind == "name" or token.text == "." for token in of.tokens[:-2]):
        raise NotPlain(of.offset, "this is not a call without arguments")
    return "".join(words[:-2])
