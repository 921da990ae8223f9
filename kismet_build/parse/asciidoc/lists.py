"""Lists of every sort: with bullets, with numbers, and of terms with what they mean."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kismet_build.model.nodes import (
    Block,
    Callout,
    DefinitionItem,
    DefinitionList,
    List,
    ListItem,
    Paragraph,
    plain_text,
)
from kismet_build.parse.asciidoc.attributes import Attributes
from kismet_build.parse.asciidoc.inlines import words_of
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.patterns import ADMONITIONS, ATTRIBUTES, DELIMITER, DIRECTIVE, is_comment
from kismet_build.parse.asciidoc.state import DEEPEST, ParseState

BULLET = re.compile(r"[ \t]*(-|\*+|•)[ \t]+(\S.*)")
NUMBER = re.compile(r"[ \t]*(\.+|\d+\.|[a-zA-Z]\.|[IVXivx]+\))[ \t]+(\S.*)")
NOTED = re.compile(r"(<(?:\d+|\.)>)[ \t]+(\S.*)")
TERM = re.compile(r"(?!//[^/])[ \t]*(\S.*?)(?<!:)(:{2,4}|;;)(?:$|[ \t]+(.*)$)")
CHECKED = {"[ ] ": " ", "[x] ": "x", "[*] ": "x"}
ORDERED = (("1.", re.compile(r"\d+\.")), ("a.", re.compile(r"[a-z]\.")), ("A.", re.compile(r"[A-Z]\.")))
ROMAN = (("i)", re.compile(r"[ivx]+\)")), ("I)", re.compile(r"[IVX]+\)")))
LONGEST_GLUED_TERM = 60

NextBlocks = Callable[[Cursor, ParseState, str], list[Block]]
"""Reads the next block at a cursor; the last says that it stands in a list."""


class Mark(NamedTuple):
    """How a line begins that is an entry of a list."""

    sort: str
    """`bullet`, `number`, `noted` or `term`."""
    sign: str
    """What entries of the same list have in common."""
    text: int
    """Where its words begin in the line."""
    term: tuple[int, int] = (0, 0)
    """Where its term stands in the line."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells the lists around an entry apart."""
        return self.sort, self.sign


def mark_of(text: str) -> Mark | None:
    """How a line begins, if it is an entry of a list."""
    if (found := BULLET.fullmatch(text)) is not None:
        return Mark("bullet", found[1], found.start(2))
    if (found := NUMBER.fullmatch(text)) is not None:
        return Mark("number", _common(found[1]), found.start(2))
    if (found := NOTED.fullmatch(text)) is not None:
        return Mark("noted", "<>", found.start(2))
    if ("::" in text or ";;" in text) and (found := TERM.fullmatch(text)) is not None:
        words = found.start(3) if found[3] is not None else len(text)
        return Mark("term", found[2], words, found.span(1))
    return None


def is_item(text: str) -> bool:
    """Whether a line is an entry of a list."""
    return mark_of(text) is not None


def is_glued(held: Sequence[Line]) -> int | None:
    """Which of the lines of a paragraph begins a list that was meant as one."""
    marks = [mark_of(line.text) if place else None for place, line in enumerate(held)]
    for place, mark in enumerate(marks):
        if mark is None:
            continue
        announced = held[place - 1].text.endswith(":")
        again = place + 1 < len(marks) and marks[place + 1] is not None and marks[place + 1][:2] == mark[:2]  # type: ignore[index]
        if mark.sort == "term":
            meant = mark.term[1] - mark.term[0] <= LONGEST_GLUED_TERM
        else:
            # A wrapped line may begin with a dash or a number; one with a star does not.
            meant = mark.sign.startswith("*") or announced or (again and mark.sign not in ("a.", "A."))
        if meant:
            return place
    return None


def read_list(
    cursor: Cursor, name: str, attributes: Attributes, state: ParseState, next_blocks: NextBlocks
) -> list[Block]:
    """The list that begins here; an aside that is written as a term comes out as the aside that it is."""
    return _Lists(cursor, state, next_blocks).read((), name, attributes)


class _Lists:
    """A list and those in it, while they are read."""

    def __init__(self, cursor: Cursor, state: ParseState, next_blocks: NextBlocks) -> None:
        self.cursor = cursor
        self.state = state
        self.next_blocks = next_blocks

    def read(self, outer: tuple[tuple[str, str], ...], name: str, attributes: Attributes) -> list[Block]:
        """The entries of one list, up to a line that belongs to none of them."""
        mark = mark_of(self.cursor.text or "")
        assert mark is not None
        around = (*outer, mark.key)
        first = self.cursor.at
        items: list[ListItem] = []
        terms: list[DefinitionItem | Callout] = []
        following: Mark | None = mark
        while following is not None:
            if mark.sort == "term":
                terms.append(self.term(following, around))
            else:
                items.append(self.item(following, around))
            before = self.cursor.at
            self.cursor.skip_blank()
            following = mark_of(self.cursor.text or "")
            if following is not None and following.key != mark.key:
                deep = len(around) >= DEEPEST and following.key not in outer and following.sort != "term" != mark.sort
                following = following if deep else None
            if following is None:
                self.cursor.at = before
        if terms:
            return _definitions(terms, name)
        span = self.state.source.span(items[0].span.start, items[-1].span.end)
        tight = not any(sum(isinstance(child, Paragraph) for child in item.children) > 1 for item in items)
        start = _start(mark, self.cursor.lines[first].text, attributes)
        return [List(span=span, items=tuple(items), start=start, tight=tight, block_id=name)]

    def item(self, mark: Mark, around: tuple[tuple[str, str], ...]) -> ListItem:
        """One entry with all that is attached to it."""
        line = self.cursor.line()
        words = line.cut(mark.text)
        checked = CHECKED.get(words.text[:4]) if mark.sort == "bullet" else None
        held = [words.cut(4) if checked is not None else words, *self.more()]
        children, name = self.paragraph(held)
        children += self.attached(around, children)
        span = self.state.source.span(line.first, max([line.end, *(child.span.end for child in children)]))
        return ListItem(span=span, children=tuple(children), checked=checked, block_id=name)

    def term(self, mark: Mark, around: tuple[tuple[str, str], ...]) -> DefinitionItem | Callout:
        """One term with what it means."""
        line = self.cursor.line()
        typed = Line(line.cut(mark.term[0]).text[: mark.term[1] - mark.term[0]], line.cut(mark.term[0]).start)
        term = words_of(passage(self.state.source, (typed,)), self.state)
        name = term.ids[0] if term.ids else ""
        if name and typed.text.startswith("[["):
            self.state.names[name] = self.state.names[name] or plain_text(*term.inlines)
        for other in term.ids[1:]:
            self.state.same.setdefault(other, name)
        held = [line.cut(mark.text)] if mark.text < len(line.text) else []
        held += self.more()
        children, inner = self.paragraph(held)
        if inner and name:
            self.state.same.setdefault(inner, name)
        children += self.attached(around, children)
        span = self.state.source.span(line.first, max([line.end, *(child.span.end for child in children)]))
        if (kind := plain_text(*term.inlines)) in ADMONITIONS:
            return Callout(span=span, kind=kind.lower(), title=(), children=tuple(children), block_id=name or inner)
        return DefinitionItem(span=span, term=term.inlines, children=tuple(children), block_id=name or inner)

    def more(self) -> list[Line]:
        """The lines that go on with the words of an entry."""
        found: list[Line] = []
        while text := self.cursor.text:
            if text == "+" or is_item(text) or any(one.fullmatch(text) for one in (DELIMITER, ATTRIBUTES, DIRECTIVE)):
                break
            line = self.cursor.line()
            if not is_comment(text):
                found.append(line.cut(line.indent))
        return found

    def paragraph(self, held: list[Line]) -> tuple[list[Block], str]:
        """The words of an entry, and the name that stands in them."""
        if not held:
            return [], ""
        words = words_of(passage(self.state.source, held), self.state)
        if not words.inlines:
            return [], words.ids[0] if words.ids else ""
        name, *others = words.ids or ("",)
        for other in others:
            self.state.same.setdefault(other, name)
        span = self.state.source.span(held[0].start, held[-1].end)
        return [Paragraph(span=span, children=words.inlines)], name

    def attached(self, around: tuple[tuple[str, str], ...], children: list[Block]) -> list[Block]:
        """The lists and other blocks that belong to an entry."""
        found: list[Block] = []
        cursor = self.cursor
        while True:
            before = cursor.at
            blank = cursor.skip_blank()
            text = cursor.text
            mark = mark_of(text) if text else None
            if text is None:
                pass
            elif text == "+":
                if blank and len(around) > 1:
                    cursor.at = before + 1  # each blank line before the plus leads one list up
                    return found
                cursor.line()
                cursor.skip_blank()
                following = mark_of(cursor.text or "")
                if following is None or following.key not in around:
                    found += self.next_blocks(cursor, self.state, "list")
                continue
            elif mark is not None:
                if mark.key not in around and len(around) < DEEPEST:
                    found += self.read((*around,), "", Attributes())
                    continue
            elif not blank and ATTRIBUTES.fullmatch(text):
                if self.nested_below(around):
                    found += self.next_blocks_as_list(around)
                    continue
            elif DELIMITER.fullmatch(text) or is_comment(text):
                pass
            elif around[-1][0] == "term" and not children and not found:
                held = self.more()
                words, name = self.paragraph(held)
                if name:
                    self.state.same.setdefault(name, name)
                found += words
                if words:
                    continue
            elif (blank and text[0] in " \t") or (not blank and found):
                found += self.next_blocks(cursor, self.state, "list")
                continue
            cursor.at = before
            return found

    def nested_below(self, around: tuple[tuple[str, str], ...]) -> bool:
        """Whether lines of attributes stand above a list that is nested here."""
        place = self.cursor.at
        while place < self.cursor.end and ATTRIBUTES.fullmatch(self.cursor.lines[place].text):
            place += 1
        mark = mark_of(self.cursor.lines[place].text) if place < self.cursor.end else None
        return mark is not None and mark.key not in around and len(around) < DEEPEST

    def next_blocks_as_list(self, around: tuple[tuple[str, str], ...]) -> list[Block]:
        """A nested list with its attributes, of which only its first number matters."""
        attributes = Attributes()
        while (found := ATTRIBUTES.fullmatch(self.cursor.text or "")) is not None:
            attributes.add(found[1])
            self.cursor.line()
        if attributes.id:
            line = self.cursor.lines[self.cursor.at]
            self.state.name(attributes.id, attributes.reftext, self.state.source.span(line.first, line.end))
        return self.read(around, attributes.id, attributes)


def _common(sign: str) -> str:
    """What the numbers of one list have in common."""
    return next((name for name, pattern in (*ORDERED, *ROMAN) if pattern.fullmatch(sign)), sign)


def _start(mark: Mark, text: str, attributes: Attributes) -> int | None:
    """The first number of a list; `None` for bullets."""
    if mark.sort == "bullet":
        return None
    given = attributes.named.get("start", "")
    typed = re.match(r"\s*(\d+)\.", text)
    number = given if given.isdecimal() else typed[1] if typed else "1"
    return int(number[:9])


def _definitions(items: Sequence[DefinitionItem | Callout], name: str) -> list[Block]:
    """Terms as lists, with asides between them where an aside was written as a term."""
    found: list[Block] = []
    run: list[DefinitionItem] = []

    def close() -> None:
        nonlocal name
        if run:
            span = run[0].span.source.span(run[0].span.start, run[-1].span.end)
            found.append(DefinitionList(span=span, items=tuple(run), block_id=name))
            run.clear()
            name = ""

    for item in items:
        if isinstance(item, Callout):
            close()
            found.append(item)
        else:
            run.append(item)
    close()
    return found
