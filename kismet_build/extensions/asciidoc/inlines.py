"""Parse text into inlines."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape
from itertools import islice, takewhile
from operator import attrgetter, itemgetter
from typing import NamedTuple

from kismet_build.extensions.asciidoc.attributes import expand_attributes
from kismet_build.extensions.asciidoc.lines import SPACE, MappedText
from kismet_build.extensions.asciidoc.macros import InlinePiece, Macros
from kismet_build.extensions.asciidoc.passthrough import MarkerIndex, Passthrough, find_passthroughs
from kismet_build.extensions.asciidoc.quotes import MarkPair, find_marks
from kismet_build.extensions.asciidoc.state import MAX_NESTING, ParseState
from kismet_build.extensions.asciidoc.substitutions import BREAKS, MACROS, NORMAL, QUOTES, SIGNS, VALUES
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

# Typed characters and their replacements: `(C)`, `--`, `...`, `'`, arrows and entities.

MARKUP = re.compile(r"[\\\n<>&'`*_#^~+\[\](){}:$@]|--|->|=>|\.\.\.")
"""Matches something that all markup contains. Text without a match is plain."""

# --- replacements of characters

REPLACEMENTS = {
    "(C)": "©",
    "(R)": "®",
    "(TM)": "™",
    "--": "—",
    "...": "…",
    "'": "’",
    "`'": "’",
    "->": "→",
    "=>": "⇒",
    "<-": "←",
    "<=": "⇐",
}
"""Asciidoctor's replacements, except that dashes keep the spaces around them, without zero-width characters."""


def replacement(typed: str) -> str:
    """The replacement for typed characters; after a backslash, the characters themselves."""
    if typed.startswith("\\"):
        return typed[1:]
    return REPLACEMENTS.get(typed) or unescape(typed)


# --- marks

SYMBOL_MARKUP = r"""
      (?P<break>\n[ \t]*)
    | (?P<hard>(?<![ \t])[ \t]+\+(?:\n[ \t]*|\Z))
    | (?P<xref>\\?<<(?=[\w\#/.:]))
    | (?P<entry>\\?\[\[\[[^\W\d][\w:.-]*(?:,[ ]*[^\n\]]{1,200})?\]\]\])
    | (?P<anchor>\\?\[\[[^\W\d][\w:.-]*(?:,[ ]*[^\n\]]{1,200})?\]\])
    | (?P<index>\\?\(\((?=\S))
    | (?P<sign>\\?(?:\((?:C|R|TM)\)|\.\.\.|`'|->|=>|<-|<=)
        | (?<![^ \n])\\?--(?![^ \n]) | (?<=\w)\\?--(?=\w)
        | (?<=[^\W_])\\?'(?=[^\W\d_])
        | &(?:[A-Za-z][A-Za-z]+\d{0,2}|\#\d{2,6}|\#x[\da-fA-F]{2,5});)
    """
"""Markup that begins with a character other than a letter, except for formatting marks."""
NAMED_MARKUP = r"""
    | (?P<macro>(?<![^\W_])\\?(?:xref|link|mailto|image|icon|anchor|kbd|btn|menu|stem|latexmath|asciimath|indexterm2?):
        | \\?footnote(?:ref)?:)
    | (?P<address>(?<![^\W_])(?<![:/.=@-])\\?(?:https?|file|ftp|irc)://[^\s\[\]<]*[^\s.,\[\]<])
    """
"""Markup that begins with a name and a colon."""
EMAIL_MARKUP = r"| (?P<email>(?<![^\W_])(?<![.%+@/:-])[^\W_][\w.%+-]*@[^\W_][\w.-]*\.[A-Za-z]{2,5}\b)"
MARKUP_PATTERNS = {
    # Most texts contain neither a colon nor an at sign. The pattern for them omits markup that needs one: it is faster.
    (False, False): re.compile(rf"(?=[\n \t\\<\[(.`=&'-])(?:{SYMBOL_MARKUP})", re.VERBOSE),
    (True, False): re.compile(SYMBOL_MARKUP + NAMED_MARKUP, re.VERBOSE),
    (False, True): re.compile(SYMBOL_MARKUP + EMAIL_MARKUP, re.VERBOSE),
    (True, True): re.compile(SYMBOL_MARKUP + NAMED_MARKUP + EMAIL_MARKUP, re.VERBOSE),
}
"""Patterns of all markup, by whether the text contains a colon and an at sign."""
SUBSTITUTION_OF = {"hard": BREAKS, "sign": SIGNS}
"""The substitution that each kind of markup belongs to. All other markup belongs to the substitution of macros."""

APOSTROPHE = "’"
"""The replacement for `` `' ``. The backtick may still be a formatting mark: marks take precedence."""
MARK = re.compile(r"[*_`#^~]")
FIGURE = re.compile(r"(?:^|[^\w])(?:\d*d)?\d+\+?$")
"""A number or dice before a plus."""
DIE_FIRST = re.compile(r"\d*d\d+\b")
FIGURE_FIRST = re.compile(r"(?:\d*d)?\d+\b")
MAX_FIGURE_LENGTH = 12
"""Number of characters searched for a number or dice on each side of a plus."""

CONTAINERS: dict[str, Callable[[Span, tuple[Inline, ...]], Inline]] = {"strong": Strong, "emphasis": Emphasis}
QUOTATION_MARKS = {"double": ("“", "”"), "single": ("‘", "’")}
HTML_TAGS = {"super": "sup", "sub": "sub"}
ID_IN_ROLE = re.compile(r"#([\w:-]+)")
VISUAL_ROLES = frozenset(("big", "small", "underline", "overline", "nowrap", "nobreak", "pre-wrap"))
"""Roles with only a visual effect, which are ignored."""


class ParsedInlines(NamedTuple):
    """A parsed text: its inlines, and the ids of its anchors."""

    inlines: tuple[Inline, ...]
    ids: tuple[str, ...] = ()
    """The ids of the anchors in the text."""


def parse_inlines(content: MappedText, state: ParseState, substituted: frozenset[str] = NORMAL) -> ParsedInlines:
    """Parse a text. `substituted`: the names of the substitutions to apply; marks of all others are plain text."""
    content, value_ranges = expand_attributes(content, state) if VALUES in substituted else (content, ())
    parser = _Parser(content, value_ranges, state, substituted)
    inlines = parser.parse(0, len(content.text), allow_links=True)
    return ParsedInlines(strip_inlines(inlines), tuple(parser.macros.ids))


class _Parser:
    def __init__(
        self,
        content: MappedText,
        value_ranges: tuple[tuple[int, int], ...],
        state: ParseState,
        substituted: frozenset[str],
    ) -> None:
        self.content = content
        self.text = content.text
        self.pattern = MARKUP_PATTERNS[":" in self.text, "@" in self.text]
        self.state = state
        markers = MarkerIndex(self.text)
        self.substituted = substituted
        self.passthroughs = find_passthroughs(self.text, markers) if MACROS in substituted else []
        # Marks have a meaning in an attribute value if all of it is in a pass macro.
        parsed = {(found.start, found.end) for found in self.passthroughs if found.kind == "words"}
        self.value_ranges = tuple(places for places in value_ranges if places not in parsed)
        self.macros = Macros(content, markers, state, self.parse)

    def parse(self, start: int, end: int, allow_links: bool) -> tuple[Inline, ...]:
        """Parse a range into inlines. `allow_links` is false inside links, which cannot be nested."""
        if not MARKUP.search(self.text, start, end):
            return (Text(self.content.span(start, end), self.text[start:end]),) if end > start else ()
        if self.state.depth >= MAX_NESTING:
            return _lines(self.content, start, end)
        self.state.depth += 1
        pieces = self.pieces(start, end, allow_links)
        pairs: list[MarkPair] = []
        if QUOTES in self.substituted and MARK.search(self.text, start, end):
            is_taken = self.taken_characters(pieces, start, end)
            found_marks = find_marks(self.text, start, end, lambda position: not is_taken[position - start])
            pairs = found_marks.pairs
            self.define_ids(pairs)
            dropped = (InlinePiece(position, position + 1, "") for position in found_marks.dropped)
            pieces = sorted((*pieces, *dropped), key=lambda piece: piece.start)
        self.state.depth -= 1
        return _Builder(self.content, pieces, pairs, self.state).build(start, end)

    def define_ids(self, pairs: list[MarkPair]) -> None:
        """Define the ids of marked words, as in `[#id]*words*`."""
        for pair in pairs:
            found = ID_IN_ROLE.search(pair.role)
            if found is not None and self.state.define_id(found[1], "", self.content.span(pair.start, pair.inside)):
                self.macros.ids.append(found[1])

    def taken_characters(self, pieces: list[InlinePiece], start: int, end: int) -> bytearray:
        """A byte for each character in a range: 1 if other markup uses the character, so no formatting mark can."""
        is_taken = bytearray(end - start)
        ranges = [(piece.start, piece.end) for piece in pieces if piece.value != APOSTROPHE]
        value = bisect_right(self.value_ranges, start, key=itemgetter(1))
        values = takewhile(lambda found: found[0] < end, islice(self.value_ranges, value, None))
        for first, last in (*ranges, *values):
            first, last = max(first, start), min(last, end)
            if last > first:
                is_taken[first - start : last - start] = b"\1" * (last - first)
        return is_taken

    def pieces(self, start: int, end: int, allow_links: bool) -> list[InlinePiece]:
        pieces: list[InlinePiece] = []
        first = bisect_left(self.passthroughs, start, key=attrgetter("start"))
        passthroughs = [*takewhile(lambda found: found.end <= end, islice(self.passthroughs, first, None))]
        position = start
        index = 0
        match = self.pattern.search(self.text, position, end)
        while position < end:
            if match is not None and match.start() < position:
                match = self.pattern.search(self.text, position, end)
            while index < len(passthroughs) and passthroughs[index].start < position:
                index += 1
            if index < len(passthroughs) and (match is None or passthroughs[index].start <= match.start()):
                piece = self.passthrough(passthroughs[index])
                if piece is None:  # the plus signs of dice are text
                    piece = (
                        self.markup(match, allow_links)
                        if match and match.start() == passthroughs[index].start
                        else None
                    )
                    index += 1
                    if piece is None:
                        continue
            elif match is None:
                break
            else:
                piece = self.markup(match, allow_links)
                if piece is None:
                    position = match.end() if match.end() > match.start() else match.end() + 1
                    continue
            pieces.append(piece)
            position = max(piece.end, position)
        return pieces

    def passthrough(self, passthrough: Passthrough) -> InlinePiece | None:
        """The piece for a passthrough; `None` if its marks are plain text."""
        start, content_start, content_end, end, kind = passthrough
        if kind == "trap":
            span = self.content.span(start, start + 1)
            hint = "write {plus} or \\+ for the one before them"
            message = "this plus and the next one mark the words between them as literal, so both would disappear"
            self.state.report(warning("eaten-plus", span, message, hint))
            return None
        if kind == "escaped":
            return InlinePiece(start, start + 1, "")
        if kind == "code":
            code = self.text[content_start:content_end].replace("\n", " ")
            return InlinePiece(start, end, None, (Code(self.content.span(start, end), code),))
        if kind == "words":
            return InlinePiece(start, end, None, self.parse(content_start, content_end, allow_links=True))
        content = self.text[content_start:content_end]
        if kind == "raw" and ("<" in content or "&" in content):
            return InlinePiece(start, end, None, (RawInline(self.content.span(start, end), "html", content),))
        if "\n" in content:
            return InlinePiece(start, end, None, _lines(self.content, content_start, content_end))
        return InlinePiece(start, end, content)

    def markup(self, match: re.Match[str], allow_links: bool) -> InlinePiece | None:
        """The piece for a match of `MARKUP_PATTERNS`; `None` if it is text."""
        kind = match.lastgroup
        start, end = match.span()
        if kind == "break":
            return InlinePiece(start, end, None, (SoftBreak(self.line_end_span(start, end)),))
        assert kind is not None
        if SUBSTITUTION_OF.get(kind, MACROS) not in self.substituted:
            return None
        if kind == "hard":
            return self.hard_break(start, end)
        if kind == "sign":
            return InlinePiece(start, end, replacement(match[0]))
        return self.macros.read(kind, match, allow_links)

    def line_end_span(self, start: int, end: int) -> Span:
        first = self.content.start_offset(start)
        last = self.content.start_offset(end) if end < len(self.text) else self.content.end_offset(end)
        return self.content.source.span(first, max(first, last))

    def hard_break(self, start: int, end: int) -> InlinePiece | None:
        """The piece for ` +` at the end of a line: a hard break, or text between two dice; `None` inside a line."""
        if end == len(self.text) and self.text[end - 1] == "+":
            return InlinePiece(start, end, "")  # the last line needs no break
        if "\n" not in self.text[start:end]:
            return None
        before = self.text[max(0, start - MAX_FIGURE_LENGTH) : start]
        after = self.text[end : end + MAX_FIGURE_LENGTH]
        if (FIGURE.search(before) and FIGURE_FIRST.match(after)) or (DIE_FIRST.match(after) and before[-1:].isalnum()):
            plus = self.text.index("+", start)
            span = self.content.span(plus, plus + 1)
            terms = " + ".join(part.strip(".,;:!?()") for part in (before.split()[-1], after.split()[0]))
            message = f'a plus at the end of a line is read as a line break, so "{terms}" would lose it'
            hint = "write both sides of the plus on one line, or write {plus}"
            self.state.report(warning("eaten-plus", span, message, hint))
            line_end = self.text.index("\n", plus)
            return InlinePiece(plus, end, None, (Text(span, "+"), SoftBreak(self.line_end_span(line_end, end))))
        return InlinePiece(start, end, None, (HardBreak(self.line_end_span(start, end)),))


@dataclass(slots=True)
class _Builder:
    """Builds inlines from text, pieces and pairs of marks, starting at `next_piece` and `next_pair`."""

    content: MappedText
    pieces: list[InlinePiece]
    pairs: list[MarkPair]
    state: ParseState
    next_piece: int = 0
    next_pair: int = 0

    def build(self, start: int, end: int) -> tuple[Inline, ...]:
        nodes: list[Inline] = []
        parts: list[str] = []
        first = position = start

        def flush(end: int) -> None:
            value = "".join(parts)
            parts.clear()
            if value:
                nodes.append(Text(self.content.span(first, end), value))

        while True:
            piece = self.pieces[self.next_piece] if self.next_piece < len(self.pieces) else None
            pair = self.pairs[self.next_pair] if self.next_pair < len(self.pairs) else None
            if piece is not None and piece.start >= end:
                piece = None
            if pair is not None and pair.start >= end:
                pair = None
            if pair is not None and (piece is None or pair.start <= piece.start):
                self.next_pair += 1
                if pair.start > position:
                    parts.append(self.content.text[position : pair.start])
                flush(pair.start)
                nodes += self.pair_inlines(pair, self.build(pair.inside, pair.close))
                first = position = pair.end
            elif piece is not None:
                self.next_piece += 1
                if piece.start < position:
                    continue
                if piece.start > position:
                    parts.append(self.content.text[position : piece.start])
                if piece.value is None:
                    flush(piece.start)
                    nodes += piece.nodes
                    first = piece.end
                else:
                    parts.append(piece.value)
                position = piece.end
            else:
                parts.append(self.content.text[position:end])
                flush(end)
                return merge_texts(nodes)

    def pair_inlines(self, pair: MarkPair, children: tuple[Inline, ...]) -> tuple[Inline, ...]:
        span = self.content.span(pair.start, pair.end)
        opening, closing = self.content.span(pair.start, pair.inside), self.content.span(pair.close, pair.end)
        if not children:
            return ()
        if pair.name in CONTAINERS:
            container: Inline = CONTAINERS[pair.name](span, children)
            return (container,)
        if pair.name == "code":
            return as_code(span, children)
        if pair.name in QUOTATION_MARKS:
            first, last = QUOTATION_MARKS[pair.name]
            return (Text(opening, first), *children, Text(closing, last))
        if pair.name in HTML_TAGS:
            tag = HTML_TAGS[pair.name]
            return (RawInline(opening, "html", f"<{tag}>"), *children, RawInline(closing, "html", f"</{tag}>"))
        if not pair.role:
            return (Highlight(span, children),)
        roles = [role for role in re.split(r"[.\s]+", ID_IN_ROLE.sub("", pair.role)) if role]
        if "line-through" in roles:
            return (Strikethrough(span, children),)
        if not VISUAL_ROLES.issuperset(roles):
            message = f'the role "{roles[0]}" is unknown: its words are shown like any others'
            self.state.report(info("unknown-markup", opening, message))
        return children


def as_code(span: Span, children: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Inlines as code. Markup in the inlines is kept, and the text in it becomes code."""
    if all(isinstance(child, Text | SoftBreak) for child in children):
        return (Code(span, "".join(child.value if isinstance(child, Text) else " " for child in children)),)
    return tuple(_in_code(child) for child in children)


def _in_code(node: Inline) -> Inline:
    match node:
        case Text(span=span, value=value):
            return Code(span, value)
        case Emphasis() | Strong() | Strikethrough() | Highlight():
            return replace(node, children=tuple(_in_code(child) for child in node.children))
        case _:
            return node


def strip_inlines(nodes: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Inlines without white space at both ends. White space next to an anchor may remain."""
    stripped = list(nodes)
    while stripped and (
        isinstance(stripped[0], SoftBreak) or (isinstance(stripped[0], Text) and stripped[0].value.isspace())
    ):
        stripped.pop(0)
    while stripped and (
        isinstance(stripped[-1], SoftBreak) or (isinstance(stripped[-1], Text) and stripped[-1].value.isspace())
    ):
        stripped.pop()
    if stripped and isinstance(first := stripped[0], Text) and first.value[0] in SPACE:
        count = len(first.value) - len(first.value.lstrip(SPACE))
        stripped[0] = Text(first.span.source.span(first.span.start + count, first.span.end), first.value[count:])
    if stripped and isinstance(last := stripped[-1], Text) and last.value[-1] in SPACE:
        value = last.value.rstrip(SPACE)
        stripped[-1] = Text(last.span.source.span(last.span.start, last.span.end - len(last.value) + len(value)), value)
    return tuple(stripped)


def merge_texts(nodes: list[Inline]) -> tuple[Inline, ...]:
    """Inlines with adjacent texts merged."""
    merged_nodes: list[Inline] = []
    for node in nodes:
        last = merged_nodes[-1] if merged_nodes else None
        if isinstance(node, Text) and isinstance(last, Text) and last.span.end == node.span.start:
            merged_nodes[-1] = Text(last.span.source.span(last.span.start, node.span.end), last.value + node.value)
        else:
            merged_nodes.append(node)
    return tuple(merged_nodes)


def _lines(content: MappedText, start: int, end: int) -> tuple[Inline, ...]:
    inlines: list[Inline] = []
    while start < end:
        stop = content.text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop > start:
            inlines.append(Text(content.span(start, stop), content.text[start:stop]))
        if stop < end:
            inlines.append(SoftBreak(content.span(stop, stop + 1)))
        start = stop + 1
    return tuple(inlines)
