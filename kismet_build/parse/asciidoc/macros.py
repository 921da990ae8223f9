"""Links, references, footnotes, pictures and anchors amid words."""

import re
from collections.abc import Callable
from typing import NamedTuple

from kismet_build.model.nodes import (
    FootnoteDefinition,
    FootnoteReference,
    Image,
    Inline,
    Link,
    Paragraph,
    Text,
)
from kismet_build.parse.asciidoc.attributes import Attributes
from kismet_build.parse.asciidoc.lines import Passage
from kismet_build.parse.asciidoc.marker_index import Places
from kismet_build.parse.asciidoc.references import reference
from kismet_build.parse.asciidoc.state import ParseState

ANCHOR = re.compile(r"\[\[([^\W\d][\w:.-]*)(?:,[ ]*(.+))?\]\]")
NAMED = re.compile(r'\s*(?:"(?P<quoted>.*?)"|(?P<bare>[^,"=]*?))\s*(?:,\s*[\w-]+\s*=.*)', re.DOTALL)
"""The words of a link that has attributes as well."""
ADMITTED = re.compile(r"[\w-]*\Z")


class Piece(NamedTuple):
    """A part of some words that is more than its letters."""

    start: int
    end: int
    value: str | None
    """The letters that it stands for; `None` where it is nodes."""
    nodes: tuple[Inline, ...] = ()


Parse = Callable[[int, int, bool], tuple[Inline, ...]]
"""Reads the words between two places; the last says whether there may be links in them."""


class Macros:
    """What is written as a name and brackets, in one piece of text."""

    def __init__(self, passage: Passage, places: Places, state: ParseState, parse: Parse) -> None:
        self.passage = passage
        self.text = passage.text
        self.places = places
        self.state = state
        self.parse = parse
        self.ids: list[str] = []
        self.limit = len(self.text)
        """How far the words at hand go: nothing that begins in them ends behind it."""

    def read(self, sort: str, found: re.Match[str], links: bool) -> Piece | None:
        """What begins at a match of this sort, or `None` where that is only letters."""
        start, end = found.span()
        escaped = found[0].startswith("\\")
        self.limit = found.endpos
        if escaped and self.means(sort, start + 1, end):
            # A backslash takes the meaning of what would have one, and is not seen.
            return Piece(start, end, self.text[start + 1 : end])
        if escaped:
            return None
        match sort:
            case "xref":
                return self.angled(start, end, links)
            case "anchor":
                return self.anchor(start, end)
            case "index":
                return self.index(start, end)
            case "address":
                return self.address(start, end, links)
            case "email":
                return self.link(start, end, f"mailto:{found[0]}", (end, end), links)
            case _:
                return self.named(start, end, links)

    def means(self, sort: str, start: int, end: int) -> bool:
        """Whether what begins at a place is closed, and so more than letters."""
        match sort:
            case "xref" | "index":
                return 0 <= self.places.next(">>" if sort == "xref" else "))", end) < self.limit - 1
            case "anchor" | "address" | "email":
                return True
            case _:
                return self.bracket(self.text[start : end - 1], end) is not None

    def angled(self, start: int, inside: int, links: bool) -> Piece | None:
        """`<<id>>` and `<<id,words>>`."""
        close = self.places.next(">>", inside)
        if close < 0 or close + len(">>") > self.limit:
            return None
        comma = self.text.find(",", inside, close)
        target = self.text[inside : comma if comma >= 0 else close]
        words = (comma + 1, close) if comma >= 0 else (close, close)
        return self.reference(start, close + 2, target, words, (inside, close), links)

    def reference(
        self, start: int, end: int, target: str, words: tuple[int, int], typed: tuple[int, int], links: bool
    ) -> Piece:
        """A link to a place of this document or of another one, with its own words or those of the place."""
        first, last = self.trimmed(*words)
        children = self.parse(first, last, False) if last > first else ()
        target = " ".join(target.split())
        if not links:
            shown = children or (Text(self.passage.span(*typed), target),)
            return Piece(start, end, None, shown)
        link = reference(self.passage.span(start, end), self.passage.span(*typed), target, children, self.state)
        return Piece(start, end, None, (link,))

    def anchor(self, start: int, end: int) -> Piece:
        """`[[id]]`: nothing is shown, but the place has a name."""
        found = ANCHOR.fullmatch(self.text, start, end)
        if found is not None and self.state.name(found[1], found[2] or "", self.passage.span(start, end)):
            self.ids.append(found[1])
        return Piece(start, end, None)

    def index(self, start: int, inside: int) -> Piece | None:
        """`((term))`, which is shown, and `(((a, b)))`, which is only for an index."""
        close = self.places.next("))", inside)
        if close < 0 or close + len("))") > self.limit:
            return None
        if self.text.startswith("(", inside) and self.text.startswith(")", close + 2, self.limit):
            return Piece(start, close + 3, None)
        return Piece(start, close + 2, None, self.parse(inside, close, True))

    def address(self, start: int, end: int, links: bool) -> Piece | None:
        """A bare address, with words in brackets behind it or without."""
        target = self.text[start:end]
        first = start
        if start and self.text[start - 1] == "<" and ">" in target:
            end = start + target.index(">")
            return self.link(start - 1, end + 1, self.text[start:end], (start, end), links)
        if end < self.limit and self.text[end] == "[":
            close = self.places.closing(end)
            if 0 <= close < self.limit:
                return self.link(first, close + 1, target, (end + 1, close), links)
        if start and self.text[start - 1] in "\"'":
            return None
        target = target.rstrip(").;:*_`#")
        if target.endswith("//") or "://" not in target:
            return None
        end = start + len(target)
        return self.link(first, end, target, (start, end), links)

    def link(self, start: int, end: int, target: str, words: tuple[int, int], links: bool) -> Piece:
        """A link with an address; without words it shows its address."""
        first, last = self.trimmed(*words)
        if (named := NAMED.fullmatch(self.text, first, last)) is not None:
            first, last = self.trimmed(*named.span("quoted" if named["quoted"] is not None else "bare"))
        if last > first and self.text[last - 1] == "^":
            last -= 1
        if self.text[first:last] == target or last <= first:
            shown = target.removeprefix("mailto:")
            place = self.text.find(shown, start, end)
            span = self.passage.span(place, place + len(shown)) if place >= 0 else self.passage.span(start, end)
            children: tuple[Inline, ...] = (Text(span, shown),)
        else:
            children = self.parse(first, last, False)
        if not links:
            return Piece(start, end, None, children)
        return Piece(start, end, None, (Link(span=self.passage.span(start, end), target=target, children=children),))

    def named(self, start: int, end: int, links: bool) -> Piece | None:
        """`name:target[words]`."""
        name = self.text[start : end - 1]
        brackets = self.bracket(name, end)
        if brackets is None:
            return None
        bracket, close = brackets
        target, inside = self.text[end:bracket], (bracket + 1, close)
        match name:
            case "xref" if target:
                return self.reference(start, close + 1, target, inside, (end, bracket), links)
            case "link" | "mailto":
                address = f"mailto:{target}" if name == "mailto" else target
                return self.link(start, close + 1, inner(address), inside, links)
            case "image" if target:
                return self.image(start, close + 1, target, inside)
            case "footnote" | "footnoteref":
                return self.footnote(start, close + 1, name, target, inside)
            case "anchor" if target:
                if self.state.name(target, self.text[bracket + 1 : close], self.passage.span(start, close + 1)):
                    self.ids.append(target)
                return Piece(start, close + 1, None)
            case "indexterm":
                return Piece(start, close + 1, None)
            case "indexterm2":
                return Piece(start, close + 1, None, self.parse(*inside, True))
            case "xref" | "image" | "anchor":
                return None
            case _:
                self.state.unknown(self.passage.span(start, close + 1), f'"{name}:"')
                return Piece(start, close + 1, self.text[start : close + 1])

    def bracket(self, name: str, at: int) -> tuple[int, int] | None:
        """The brackets behind the target of a name, which begins at a place."""
        bracket = self.places.stop(at)
        if bracket < 0 or self.text[bracket] != "[":
            bracket = self.spaced(at) if name in ("xref", "image") else -1
        if bracket < 0 or self.text.startswith(":", at):
            return None
        close = self.places.closing(bracket)
        return (bracket, close) if 0 <= close < self.limit else None

    def spaced(self, at: int) -> int:
        """The opening bracket after a target that has spaces in it, on the same line; -1 where there is none."""
        bracket = self.places.next("[", at)
        line_end = self.places.next("\n", at)
        if bracket < 0 or 0 <= line_end < bracket or bracket == at or self.text[bracket - 1].isspace():
            return -1
        return bracket if bracket - at < 200 and not self.text[at].isspace() else -1

    def image(self, start: int, end: int, target: str, inside: tuple[int, int]) -> Piece:
        """`image:target[words, width, height]`."""
        return Piece(start, end, None, (image(self.passage, (start, end), target, inside),))

    def footnote(self, start: int, end: int, name: str, target: str, inside: tuple[int, int]) -> Piece | None:
        """`footnote:[words]`, `footnote:id[words]`, and `footnote:id[]` for one that was before."""
        if name == "footnoteref":
            comma = self.text.find(",", *inside)
            target = self.text[inside[0] : comma if comma >= 0 else inside[1]]
            inside = (comma + 1, inside[1]) if comma >= 0 else (inside[1], inside[1])
        if not ADMITTED.match(target):
            return None
        span = self.passage.span(start, end)
        first, last = self.trimmed(*inside)
        label = target
        if not target:
            self.state.numbered += 1
            label = str(self.state.numbered)
        if last > first:
            notes, self.state.notes = self.state.notes, []
            children = self.parse(first, last, True)
            words = Paragraph(span=self.passage.span(first, last), children=children)
            notes.append(FootnoteDefinition(span=span, label=label, children=(words,)))
            self.state.notes = [*notes, *self.state.notes]
        return Piece(start, end, None, (FootnoteReference(span, label),))

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """The place of some words without the white space around them."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end


def inner(target: str) -> str:
    """The target of a link without the suffix of a text of ours."""
    return re.sub(r"\.(?:adoc|asciidoc|md)(?=#|$)", "", target) if "://" not in target else target


def image(passage: Passage, whole: tuple[int, int], target: str, inside: tuple[int, int]) -> Inline:
    """A picture; the first words in its brackets stand for it, then come width and height."""
    found = Attributes()
    found.add(passage.text[slice(*inside)])
    positional = [found.typed, *found.positional]
    words = found.named.get("alt") or positional[0]
    width, height = (
        found.named.get(name) or _nth(positional, place) for place, name in enumerate(("width", "height"), 1)
    )
    span = passage.span(*whole)
    place = passage.text.find(words, *inside) if words else -1
    shown = passage.span(place, place + len(words)) if place >= 0 else span
    alternative = words or re.sub(r"[_-]+", " ", target.rpartition("/")[2].rpartition(".")[0])
    picture = Image(
        span=span,
        target=target,
        children=(Text(shown, alternative),) if alternative else (),
        title=found.named.get("title", ""),
        width=int(width) if width and width.isdecimal() else None,
        height=int(height) if height and height.isdecimal() else None,
    )
    address = found.named.get("link")
    return Link(span=span, target=inner(address), children=(picture,)) if address else picture


def _nth(values: list[str], place: int) -> str:
    return values[place].strip() if place < len(values) else ""
