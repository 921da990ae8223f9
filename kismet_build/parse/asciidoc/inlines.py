"""Turn the words of a block into inlines."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from kismet_build.model.diagnostic import info, warning
from kismet_build.model.nodes import (
    Code,
    Emphasis,
    HardBreak,
    Highlight,
    Inline,
    RawInline,
    SoftBreak,
    Strikethrough,
    Strong,
    Text,
)
from kismet_build.model.source import Span
from kismet_build.parse.asciidoc.attributes import with_values
from kismet_build.parse.asciidoc.lines import SPACE, Passage
from kismet_build.parse.asciidoc.macros import Macros, Piece
from kismet_build.parse.asciidoc.marker_index import Places
from kismet_build.parse.asciidoc.passthrough import Literal, literals
from kismet_build.parse.asciidoc.quotes import Pair, marks
from kismet_build.parse.asciidoc.replacements import SPECIAL, sign
from kismet_build.parse.asciidoc.state import DEEPEST, ParseState

SIGNS = r"""
      (?P<break>\n[ \t]*)
    | (?P<hard>(?<![ \t])[ \t]+\+(?:\n[ \t]*|\Z))
    | (?P<xref>\\?<<(?=[\w\#/.:]))
    | (?P<anchor>\\?\[\[[^\W\d][\w:.-]*(?:,[ ]*[^\n\]]{1,200})?\]\])
    | (?P<index>\\?\(\((?=\S))
    | (?P<sign>\\?(?:\((?:C|R|TM)\)|\.\.\.|`'|->|=>|<-|<=)
        | (?<![^ \n])\\?--(?![^ \n]) | (?<=\w)\\?--(?=\w)
        | (?<=[^\W_])\\?'(?=[^\W\d_])
        | &(?:[A-Za-z][A-Za-z]+\d{0,2}|\#\d{2,6}|\#x[\da-fA-F]{2,5});)
    """
"""What is more than a letter and begins with a sign, apart from the marks around words."""
NAMED = r"""
    | (?P<macro>(?<![^\W_])\\?(?:xref|link|mailto|image|icon|anchor|kbd|btn|menu|stem|latexmath|asciimath|indexterm2?):
        | \\?footnote(?:ref)?:)
    | (?P<address>(?<![^\W_])(?<![:/.=@-])\\?(?:https?|file|ftp|irc)://[^\s\[\]<]*[^\s.,\[\]<])
    """
"""What begins with a name and a colon."""
EMAIL = r"| (?P<email>(?<![^\W_])(?<![.%+@/:-])[^\W_][\w.%+-]*@[^\W_][\w.-]*\.[A-Za-z]{2,5}\b)"
ATOMS = {
    # Only what the letters at hand can make is looked for: most words hold neither sign.
    (False, False): re.compile(rf"(?=[\n \t\\<\[(.`=&'-])(?:{SIGNS})", re.VERBOSE),
    (True, False): re.compile(SIGNS + NAMED, re.VERBOSE),
    (False, True): re.compile(SIGNS + EMAIL, re.VERBOSE),
    (True, True): re.compile(SIGNS + NAMED + EMAIL, re.VERBOSE),
}
"""By whether there is a colon, and an at-sign."""

APOSTROPHE = "’"
"""What is typed with a mark in it: the marks around words go first."""
MARK = re.compile(r"[*_`#^~]")
DIE = re.compile(r"(?:^|[^\w])\d*d\d+\+?$")
FIGURE = re.compile(r"(?:^|[^\w])(?:\d*d)?\d+\+?$")
DIE_FIRST = re.compile(r"\d*d\d+\b")
FIGURE_FIRST = re.compile(r"(?:\d*d)?\d+\b")
LONGEST_FIGURE = 12

WRAPPED: dict[str, Callable[[Span, tuple[Inline, ...]], Inline]] = {"strong": Strong, "emphasis": Emphasis}
TYPOGRAPHIC = {"double": ("“", "”"), "single": ("‘", "’")}
RAISED = {"super": "sup", "sub": "sub"}
PLAIN_ROLES = frozenset(("big", "small", "underline", "overline", "nowrap", "nobreak", "pre-wrap"))
"""Roles that say how words look and nothing else."""


class Words(NamedTuple):
    """What some words are."""

    inlines: tuple[Inline, ...]
    ids: tuple[str, ...] = ()
    """The anchors that stand in them."""


def words_of(passage: Passage, state: ParseState) -> Words:
    """The inlines of some words, and the anchors in them."""
    passage, values = with_values(passage, state)
    reader = _Words(passage, values, state)
    found = reader.parse(0, len(passage.text), links=True)
    return Words(trimmed(found), tuple(reader.macros.ids))


def plain(passage: Passage) -> tuple[Inline, ...]:
    """Words in which nothing is read but the ends of lines."""
    return _lines(passage, 0, len(passage.text))


class _Words:
    """Some words while they are read."""

    def __init__(self, passage: Passage, values: tuple[tuple[int, int], ...], state: ParseState) -> None:
        self.passage = passage
        self.text = passage.text
        self.values = values
        self.atoms = ATOMS[":" in self.text, "@" in self.text]
        self.state = state
        places = Places(self.text)
        self.literals = literals(self.text, places)
        self.macros = Macros(passage, places, state, self.parse)

    def parse(self, start: int, end: int, links: bool) -> tuple[Inline, ...]:
        """The inlines between two places; in what is a link already nothing else is one."""
        if not SPECIAL.search(self.text, start, end):
            return (Text(self.passage.span(start, end), self.text[start:end]),) if end > start else ()
        if self.state.depth >= DEEPEST:
            return _lines(self.passage, start, end)
        self.state.depth += 1
        pieces = self.pieces(start, end, links)
        pairs: list[Pair] = []
        if MARK.search(self.text, start, end):
            held = self.held(pieces, start, end)
            found = marks(self.text, start, end, lambda place: not held[place - start])
            pairs = found.pairs
            dropped = (Piece(place, place + 1, "") for place in found.dropped)
            pieces = sorted((*pieces, *dropped), key=lambda piece: piece.start)
        self.state.depth -= 1
        return _Builder(self.passage, pieces, pairs, self.state).build(start, end)

    def held(self, pieces: list[Piece], start: int, end: int) -> bytearray:
        """For each character whether it belongs to something already, and is no mark."""
        held = bytearray(end - start)
        places = [(piece.start, piece.end) for piece in pieces if piece.value != APOSTROPHE]
        for first, last in (*places, *self.values):
            first, last = max(first, start), min(last, end)
            if last > first:
                held[first - start : last - start] = b"\1" * (last - first)
        return held

    def pieces(self, start: int, end: int, links: bool) -> list[Piece]:
        """Everything between two places that is not plain letters or marks, in order."""
        found: list[Piece] = []
        waiting = [one for one in self.literals if start <= one.start and one.end <= end]
        at = start
        number = 0
        atom = self.atoms.search(self.text, at, end)
        while at < end:
            if atom is not None and atom.start() < at:
                atom = self.atoms.search(self.text, at, end)
            while number < len(waiting) and waiting[number].start < at:
                number += 1
            if number < len(waiting) and (atom is None or waiting[number].start <= atom.start()):
                piece = self.literal(waiting[number])
                if piece is None:  # the pluses of dice: letters like others
                    piece = self.atom(atom, links) if atom and atom.start() == waiting[number].start else None
                    number += 1
                    if piece is None:
                        continue
            elif atom is None:
                break
            else:
                piece = self.atom(atom, links)
                if piece is None:
                    at = atom.end() if atom.end() > atom.start() else atom.end() + 1
                    continue
            found.append(piece)
            at = max(piece.end, at)
        return found

    def literal(self, found: Literal) -> Piece | None:
        """Words that are kept as they are."""
        start, inside, close, end, sort = found
        if sort == "trap":
            span = self.passage.span(start, start + 1)
            hint = "write {plus} or \\+ for the one before them"
            message = "this plus and the next one would make the words between them literal, and both would be lost"
            self.state.report(warning("eaten-plus", span, message, hint))
            return None
        if sort == "escaped":
            return Piece(start, start + 1, "")
        if sort == "code":
            return Piece(
                start, end, None, (Code(self.passage.span(start, end), self.text[inside:close].replace("\n", " ")),)
            )
        if sort == "words":
            return Piece(start, end, None, self.parse(inside, close, links=True))
        words = self.text[inside:close]
        if sort == "raw" and ("<" in words or "&" in words):
            return Piece(start, end, None, (RawInline(self.passage.span(start, end), "html", words),))
        if "\n" in words:
            return Piece(start, end, None, _lines(self.passage, inside, close))
        return Piece(start, end, words)

    def atom(self, found: re.Match[str], links: bool) -> Piece | None:
        """What a match of `ATOMS` is; `None` where it is nothing but letters."""
        sort = found.lastgroup
        start, end = found.span()
        if sort == "break":
            return Piece(start, end, None, (SoftBreak(self.place(start, end)),))
        if sort == "hard":
            return self.hard(start, end)
        if sort == "sign":
            return Piece(start, end, sign(found[0]))
        assert sort is not None
        return self.macros.read(sort, found, links)

    def place(self, start: int, end: int) -> Span:
        """The place of a line end: up to the first letter after it."""
        first = self.passage.before(start)
        last = self.passage.before(end) if end < len(self.text) else self.passage.after(end)
        return self.passage.source.span(first, max(first, last))

    def hard(self, start: int, end: int) -> Piece | None:
        """` +` at the end of a line, which stays one; but not where it is the plus between two dice."""
        if end == len(self.text) and self.text[end - 1] == "+":
            return Piece(start, end, "")  # the last line ends anyway
        if "\n" not in self.text[start:end]:
            return None
        before = self.text[max(0, start - LONGEST_FIGURE) : start]
        after = self.text[end : end + LONGEST_FIGURE]
        if (FIGURE.search(before) and FIGURE_FIRST.match(after)) or (DIE_FIRST.match(after) and before[-1:].isalnum()):
            plus = self.text.index("+", start)
            span = self.passage.span(plus, plus + 1)
            terms = " + ".join(part.strip(".,;:!?()") for part in (before.split()[-1], after.split()[0]))
            message = f'a plus at the end of a line ends the line there, and "{terms}" loses it'
            hint = "write the words before and after the plus on one line, or {plus} for it"
            self.state.report(warning("eaten-plus", span, message, hint))
            line_end = self.text.index("\n", plus)
            return Piece(plus, end, None, (Text(span, "+"), SoftBreak(self.place(line_end, end))))
        return Piece(start, end, None, (HardBreak(self.place(start, end)),))


@dataclass(slots=True)
class _Builder:
    """Pieces and pairs, and how far they are put together."""

    passage: Passage
    pieces: list[Piece]
    pairs: list[Pair]
    state: ParseState
    next_piece: int = 0
    next_pair: int = 0

    def build(self, start: int, end: int) -> tuple[Inline, ...]:
        """The inlines between two places, which are those of the whole or the inside of a pair."""
        nodes: list[Inline] = []
        texts: list[str] = []
        first = at = start

        def flush(place: int) -> None:
            """Make one text of the letters up to a place."""
            value = "".join(texts)
            texts.clear()
            if value:
                nodes.append(Text(self.passage.span(first, place), value))

        while True:
            piece = self.pieces[self.next_piece] if self.next_piece < len(self.pieces) else None
            pair = self.pairs[self.next_pair] if self.next_pair < len(self.pairs) else None
            if piece is not None and piece.start >= end:
                piece = None
            if pair is not None and pair.start >= end:
                pair = None
            if pair is not None and (piece is None or pair.start <= piece.start):
                self.next_pair += 1
                if pair.start > at:
                    texts.append(self.passage.text[at : pair.start])
                flush(pair.start)
                nodes += self.wrapped(pair, self.build(pair.inside, pair.close))
                first = at = pair.end
            elif piece is not None:
                self.next_piece += 1
                if piece.start < at:
                    continue
                if piece.start > at:
                    texts.append(self.passage.text[at : piece.start])
                if piece.value is None:
                    flush(piece.start)
                    nodes += piece.nodes
                    first = piece.end
                else:
                    texts.append(piece.value)
                at = piece.end
            else:
                texts.append(self.passage.text[at:end])
                flush(end)
                return merged(nodes)

    def wrapped(self, pair: Pair, children: tuple[Inline, ...]) -> tuple[Inline, ...]:
        """What two marks make of the words between them."""
        span = self.passage.span(pair.start, pair.end)
        opening, closing = self.passage.span(pair.start, pair.inside), self.passage.span(pair.close, pair.end)
        if not children:
            return ()
        if pair.name in WRAPPED:
            around: Inline = WRAPPED[pair.name](span, children)
            return (around,)
        if pair.name == "code":
            return as_code(span, children)
        if pair.name in TYPOGRAPHIC:
            first, last = TYPOGRAPHIC[pair.name]
            return (Text(opening, first), *children, Text(closing, last))
        if pair.name in RAISED:
            tag = RAISED[pair.name]
            return (RawInline(opening, "html", f"<{tag}>"), *children, RawInline(closing, "html", f"</{tag}>"))
        roles = [role for role in re.split(r"[.\s]+", pair.role) if role]
        if not roles:
            return (Highlight(span, children),)
        if "line-through" in roles:
            return (Strikethrough(span, children),)
        if not PLAIN_ROLES.issuperset(roles):
            message = f'nothing here knows the role "{roles[0]}": its words are shown like others'
            self.state.report(info("unknown-markup", opening, message))
        return children


def as_code(span: Span, children: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Words in a fixed pitch; what is more than words keeps what it is, and its words are in that pitch."""
    if all(isinstance(one, Text | SoftBreak) for one in children):
        return (Code(span, "".join(one.value if isinstance(one, Text) else " " for one in children)),)
    return tuple(_in_code(one) for one in children)


def _in_code(node: Inline) -> Inline:
    match node:
        case Text(span=span, value=value):
            return Code(span, value)
        case Emphasis() | Strong() | Strikethrough() | Highlight():
            return replace(node, children=tuple(_in_code(child) for child in node.children))
        case _:
            return node


def trimmed(nodes: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Nodes without white space and line ends around them, which an anchor leaves behind."""
    found = list(nodes)
    while found and (isinstance(found[0], SoftBreak) or (isinstance(found[0], Text) and found[0].value.isspace())):
        found.pop(0)
    while found and (isinstance(found[-1], SoftBreak) or (isinstance(found[-1], Text) and found[-1].value.isspace())):
        found.pop()
    if found and isinstance(first := found[0], Text) and first.value[0] in SPACE:
        count = len(first.value) - len(first.value.lstrip(SPACE))
        found[0] = Text(first.span.source.span(first.span.start + count, first.span.end), first.value[count:])
    if found and isinstance(last := found[-1], Text) and last.value[-1] in SPACE:
        value = last.value.rstrip(SPACE)
        found[-1] = Text(last.span.source.span(last.span.start, last.span.end - len(last.value) + len(value)), value)
    return tuple(found)


def merged(nodes: list[Inline]) -> tuple[Inline, ...]:
    """Nodes with texts that touch made one."""
    found: list[Inline] = []
    for node in nodes:
        last = found[-1] if found else None
        if isinstance(node, Text) and isinstance(last, Text) and last.span.end == node.span.start:
            found[-1] = Text(last.span.source.span(last.span.start, node.span.end), last.value + node.value)
        else:
            found.append(node)
    return tuple(found)


def _lines(passage: Passage, start: int, end: int) -> tuple[Inline, ...]:
    """The lines between two places, nothing else read in them."""
    found: list[Inline] = []
    while start < end:
        stop = passage.text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop > start:
            found.append(Text(passage.span(start, stop), passage.text[start:stop]))
        if stop < end:
            found.append(SoftBreak(passage.span(stop, stop + 1)))
        start = stop + 1
    return tuple(found)
