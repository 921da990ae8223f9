"""Inline code that Obsidian plugins replace: dice, and values of properties."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from kismet_build.mechanics.dice import odds, parse
from kismet_build.mechanics.dice.find import read_dice_code
from kismet_build.mechanics.dice.table_notation import FATE_DICE
from kismet_build.model.nodes import DiceRoll, Inline, Link, Text
from kismet_build.model.source import Span, file_stem
from kismet_build.parse.markdown.rules.wiki_link import wiki_target
from kismet_build.parse.markdown.state import MappedText, ParseState

# --- the plugin Dice Roller: `dice: 1d20+5|avg`, `dice: [[Note^table]]`.

CODE = re.compile(r"`+\s*dice(?:[+-]|[+-]mod)?:\s*(?P<body>[^\s`](?:.*?[^\s`])?)\s*`+", re.DOTALL)
HEADER = re.compile(r"\s*dice:\s*(?P<body>[^\s`|]+(?:\s+[^\s`|]+)*)\s*")
LIKE_DICE = re.compile(r"\d*[dw][\d%]", re.I)
"""The start of a table header that represents dice."""
TABLE = re.compile(
    r"(?P<times>[^\[\]|]*)(?:\[\[(?P<target>[^\[\]|]+)(?:\|(?P<column>[^\[\]|]*))?\]\]"
    r"|\[(?P<label>[^\[\]|]*)\]\(<?(?P<address>[^()<>|]+)>?\))"
)
"""A roll on a table that a wiki link or a Markdown link names."""
LINK = re.compile(r"\[\[(?P<target>[^\[\]|]+)(?:\|(?P<label>[^\[\]|]+))?\]\]")
BLOCK = re.compile(r"\s*#?\s*\^")
"""The mark before a block id. The plugin does not require a `#` before the mark."""

SHOWN_TEXT = re.compile(r"text\((?P<shown>.*)\)", re.DOTALL)
FLAGS = frozenset(
    (
        *("avg", "none", "roll", "form", "noform", "render", "norender", "nodice"),
        *("paren", "noparen", "round", "floor", "ceil", "noround", "signed"),
    )
)
"""Options of the plugin besides `text(…)`. Only `avg` and `noform` affect a page."""


def parse_dice_code(content: MappedText, start: int, end: int, state: ParseState) -> DiceRoll | None:
    """The roll for the inline code in a range of the content; `None` for any other code."""
    match = CODE.fullmatch(content.text, start, end)
    return None if match is None else _Reader(content, start, end, state).read(*match.span("body"))


def parse_dice_header(content: MappedText, state: ParseState) -> DiceRoll | None:
    """The dice of a lookup table, whose first header is `dice: 1d100`; `None` for any other header."""
    match = HEADER.fullmatch(content.text)
    if match is None:
        return None
    reader = _Reader(content, 0, len(content.text), state)
    roll = reader.dice(match["body"], match.start("body"), [])
    return roll or (reader.as_written() if LIKE_DICE.match(match["body"]) else None)


class _Reader:
    def __init__(self, content: MappedText, start: int, end: int, state: ParseState) -> None:
        self.content, self.start, self.end, self.state = content, start, end, state

    def read(self, start: int, end: int) -> DiceRoll:
        body = self.content.text[start:end]
        table = TABLE.match(body)
        typed_end = table.end() if table else body.find("|") % (len(body) + 1)
        options = [option.strip() for option in body[typed_end:].split("|")[1:]]
        if table is None:
            return self.dice(body[:typed_end].rstrip(), start, options) or self.as_written()
        if body[typed_end:].strip()[:1] not in ("", "|"):
            return self.as_written()
        return self.table(table, start, options) or self.as_written()

    def dice(self, typed: str, start: int, options: list[str]) -> DiceRoll | None:
        """A roll of dice; `None` if the notation or an option is invalid."""
        notation = read_dice_code(typed)
        shown, others = _split_options(options)
        if not notation or others:
            return None
        if shown is None and "avg" in options:
            mean = f"{float(odds(parse(notation)).mean):.2f}".rstrip("0").rstrip(".")
            shown = mean if "noform" in options else f"{mean} ({typed})"
        words = self.text(typed if shown is None else shown, start, start + len(typed))
        return DiceRoll(span=self.span(self.start, self.end), rolls="dice", notation=notation, children=(words,))

    def table(self, match: re.Match[str], start: int, options: list[str]) -> DiceRoll | None:
        """A roll on a table that is named by its block id. One unknown option is the column.

        `None` for any other link, for more unknown options, or if the number of rolls cannot be read.
        """
        target = _target(match["target"] or unquote(match["address"]).replace(".md", "", 1))
        shown, columns = _split_options(options)
        column = (match["column"] or "").strip()
        typed_times = match["times"].strip()
        # A table with negative results is rolled on once, with its own dice.
        is_once = typed_times in ("", "1") or FATE_DICE.fullmatch(typed_times)
        times = "" if is_once else read_dice_code(typed_times) or typed_times
        is_number = times.isdecimal() and len(times) < 4
        if "#^" not in target or len(columns) > (not column) or (times and not is_number and not read_dice_code(times)):
            return None
        column = column or "".join(columns)
        first, last = (start + offset for offset in (match.end("times"), match.end()))
        label = shown or match["label"] or column or _table_name(target)
        link = Link(
            span=self.span(first, last), target=target, wiki=True, children=(self.text(label, first + 2, last - 2),)
        )
        prefix = (self.text(f"{typed_times} ", start, first),) if times and shown is None else ()
        return DiceRoll(
            span=self.span(self.start, self.end),
            rolls="table",
            notation=times,
            column=column,
            children=(*prefix, link),
        )

    def as_written(self) -> DiceRoll:
        """The node for a code that cannot be read: its text and its links."""
        body = self.content.text[self.start : self.end]
        marks = len(body) - len(body.lstrip("`"))
        position, end = self.start + marks, self.end - marks
        children: list[Inline] = []
        for match in LINK.finditer(self.content.text, position, end):
            if target := _target(match["target"]):
                children += self.words(position, match.start())
                label = "label" if match["label"] else "target"
                words = self.words(*match.span(label))
                children.append(Link(span=self.span(*match.span()), target=target, wiki=True, children=words))
                position = match.end()
        children += self.words(position, end)
        return DiceRoll(span=self.span(self.start, self.end), rolls="nothing", children=tuple(children))

    def words(self, start: int, end: int) -> tuple[Text, ...]:
        return (self.text(self.content.text[start:end], start, end),) if start < end else ()

    def text(self, shown: str, start: int, end: int) -> Text:
        return Text(self.span(start, end), shown)

    def span(self, start: int, end: int) -> Span:
        return self.state.source.span(*self.content.source_range(start, end))


def _split_options(options: list[str]) -> tuple[str | None, list[str]]:
    """The words of `text(…)` (`None` if missing), and the options that are unknown to the plugin."""
    shown: str | None = None
    others = []
    for option in options:
        if match := SHOWN_TEXT.fullmatch(option):
            shown = match["shown"]
        elif option.casefold() not in FLAGS:
            others.append(option)
    return shown, others


def _target(typed: str) -> str:
    return wiki_target(BLOCK.sub("#^", typed, count=1)) or ""


def _table_name(target: str) -> str:
    path, _, block = target.rpartition("#^")
    return " > ".join(filter(None, (path.partition("#")[0].rpartition("/")[2], block.replace("-", " "))))


# --- the plugin Dataview: `= this.hp`, a property of the note

PROPERTY_CODE = re.compile(
    r"\s*=\s*this(?:\.(?P<path>[\w-]+(?:\.[\w-]+)*)|\[(?P<quote>[\"'])(?P<name>[^\"'\]]+)(?P=quote)\])\s*"
)
"""`= this.bird_name`, `= this.stats.str`, `= this.file.name` or `= this["Bird Name"]`.

Other expressions are programs, which kismet does not run.
"""

WIKI_LINK = re.compile(r"\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<label>[^\[\]\n]+))?\]\]")


def parse_property_code(code: str, span: Span, properties: Mapping[str, Any], path: str) -> tuple[Inline, ...]:
    """The value of the property in a code, as words and links; empty for other code.

    If the property has no value or is a map, the code is unchanged: the plugin would show a dash or an object. `path`:
    the path of the note; `= this.file.name` shows its file name without suffix.
    """
    match = PROPERTY_CODE.fullmatch(code)
    if match is None:
        return ()
    if match["path"] == "file.name":
        return (Text(span, file_stem(path)),)
    value: Any = properties
    for name in match["path"].split(".") if match["path"] else (match["name"],):
        value = _value(name, value) if isinstance(value, Mapping) else None
    return tuple(_inlines(value, span))


def _value(name: str, properties: Mapping[str, Any]) -> Any:
    """The value of a property. As in the plugin, case and spaces in the name are ignored."""
    if name in properties:
        return properties[name]
    return next((value for key, value in properties.items() if _folded(key) == _folded(name)), None)


def _folded(name: str) -> str:
    return "-".join(name.casefold().split())


def _inlines(value: Any, span: Span) -> Iterator[Inline]:
    match value:
        case bool() | int() | float():
            yield Text(span, str(value).lower())
        case str():
            yield from _words(value, span)
        case list() if all(isinstance(item, str | int | float) for item in value):
            for number, item in enumerate(value):
                if number:
                    yield Text(span, ", ")
                yield from _inlines(item, span)
        case _:
            pass


def _words(text: str, span: Span) -> Iterator[Inline]:
    position = 0
    for link in WIKI_LINK.finditer(text):
        target = wiki_target(link["target"])
        if target:
            if before := text[position : link.start()]:
                yield Text(span, before)
            label = link["label"] or link["target"].rpartition("/")[2]
            yield Link(span=span, target=target, wiki=True, children=(Text(span, label),))
            position = link.end()
    if rest := text[position:]:
        yield Text(span, rest)
