"""Read the literals in a JavaScript file: objects, lists, strings and numbers. No code runs."""

import re
from typing import Any

from kismet_build.model.source import Source, Span

MAX_LEVELS = 100
"""Maximum depth of nested lists and objects."""
# A comment or string that is never closed extends to the end: searching again from each quotation mark would take too
# long.
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
SPACE = re.compile(rf"(?:\s+|{COMMENT})*", re.DOTALL)
QUOTED = r"""(?P<quote>["'`])(?P<text>(?>(?:(?!(?P=quote))[^\\]|\\.)*))(?:(?P=quote)|\Z)"""
TEXT = re.compile(QUOTED, re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])")
WORD = re.compile(r"(?:true|false|null|undefined)(?![\w$.(\[])")
KEY = re.compile(r"[A-Za-z_$][\w$]*")
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None, "undefined": None}
BRACKETS = {"(": ")", "[": "]", "{": "}"}
SKIPPED = re.compile(rf"{COMMENT}|{QUOTED}|[()\[\]{{}},]", re.DOTALL)


class Unread:
    """The value of an expression that is not a literal."""


UNREAD = Unread()


class LiteralReader:
    """Reads the literals of a file. `unread` has the spans of the expressions that are not literals."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.unread: list[Span] = []
        self._text = source.text
        self._at = 0

    def object_after(self, pattern: re.Pattern[str]) -> dict[str, Any]:
        """The first object literal that directly follows a match of a pattern; otherwise an empty dictionary."""
        for match in pattern.finditer(self._text):
            self._at = match.end()
            self._skip_space()
            if self._text.startswith("{", self._at):
                return self._object(0)
        return {}

    def literal(self) -> tuple[Any, int]:
        """The literal at the start of the file, or `UNREAD` for anything else, and where it ends."""
        return self._literal(0), self._at

    def _skip_space(self) -> None:
        match = SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _value(self, level: int) -> Any:
        self._skip_space()
        start = self._at
        value = self._literal(level)
        self._skip_space()
        if value is UNREAD or self._text[self._at : self._at + 1] not in (",", "]", "}", ";", ")", ""):
            # The object in `{...} as const` is read although the expression goes on. `"a" + b` and calls are not read.
            if not isinstance(value, dict | list) or not self._text.startswith(("as ", "satisfies "), self._at):
                self.unread.append(self.source.span(start, min(start + 1, len(self._text))))
                value = UNREAD
            self._skip_expression()
        return value

    def _literal(self, level: int) -> Any:
        start = self._at
        value: Any = UNREAD
        if level < MAX_LEVELS and self._text.startswith("{", start):
            value = self._object(level)
        elif level < MAX_LEVELS and self._text.startswith("[", start):
            value = self._list(level)
        elif level < MAX_LEVELS and self._text.startswith("(", start):
            value = self._in_parentheses(level)
        elif (match := TEXT.match(self._text, start)) is not None:
            self._at = match.end()
            is_plain = match["quote"] != "`" or "${" not in match["text"]
            value = ESCAPE.sub(lambda found: ESCAPED.get(found[1], found[1]), match["text"]) if is_plain else UNREAD
        elif (match := NUMBER.match(self._text, start)) is not None:
            self._at = match.end()
            value = float(match[0]) if "." in match[0] else int(match[0])
        elif (match := WORD.match(self._text, start)) is not None:
            self._at = match.end()
            value = WORDS[match[0]]
        return value

    def _in_parentheses(self, level: int) -> Any:
        """The object in parentheses, which a comment on its type needs; nothing else in them is a literal here."""
        start = self._at
        self._at += 1
        self._skip_space()
        value = self._object(level) if self._text.startswith("{", self._at) else UNREAD
        self._skip_space()
        is_whole = value is not UNREAD and self._text.startswith(")", self._at)
        self._at = self._at + 1 if is_whole else start
        return value if is_whole else UNREAD

    def _object(self, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._at += 1
        while not self._has_ended():
            key = self._key()
            self._skip_space()
            if key is not None and self._text.startswith(":", self._at):
                self._at += 1
                value = self._value(level + 1)
                if value is not UNREAD:
                    found[key] = value
            else:
                self.unread.append(self.source.span(self._at, min(self._at + 1, len(self._text))))
                self._skip_expression()
            self._skip_comma()
        return found

    def _key(self) -> str | None:
        if (match := TEXT.match(self._text, self._at)) is not None:
            self._at = match.end()
            return match["text"]
        if (match := KEY.match(self._text, self._at)) is not None:
            self._at = match.end()
            return match[0]
        return None

    def _list(self, level: int) -> list[Any]:
        found: list[Any] = []
        self._at += 1
        while not self._has_ended():
            value = self._value(level + 1)
            if value is not UNREAD:
                found.append(value)
            self._skip_comma()
        return found

    def _has_ended(self) -> bool:
        """Whether the current object or list ends here; its closing bracket is skipped."""
        self._skip_space()
        has_ended = self._at >= len(self._text) or self._text[self._at] in "}])"
        self._at += has_ended
        return has_ended

    def _skip_comma(self) -> None:
        self._skip_space()
        if self._text.startswith(",", self._at):
            self._at += 1

    def _skip_expression(self) -> None:
        open_brackets: list[str] = []
        for match in SKIPPED.finditer(self._text, self._at):
            mark = match[0]
            if mark in BRACKETS:
                open_brackets.append(BRACKETS[mark])
            elif open_brackets and mark == open_brackets[-1]:
                open_brackets.pop()
            elif not open_brackets and mark in ",)]}":
                self._at = match.start()
                return
        self._at = len(self._text)
