"""Turn the tokens of some words into inlines."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it.token import Token

from kismet_build.model.nodes import (
    Code,
    Embed,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    HardBreak,
    Highlight,
    Image,
    Inline,
    Link,
    Paragraph,
    RawInline,
    SoftBreak,
    Strikethrough,
    Strong,
    Text,
    is_address,
)
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.odd_space import fold_spaces, tell_odd_space
from kismet_build.parse.markdown.split import cut
from kismet_build.parse.markdown.state import Content, Reading

PAIRS: dict[str, Callable[[Span, tuple[Inline, ...]], Inline]] = {
    "em": Emphasis,
    "strong": Strong,
    "s": Strikethrough,
    "mark": Highlight,
}
"""What stands between two marks, by the name in its tokens."""

LETTERS = ("text", "text_special")
"""The tokens of words themselves."""

DEEPEST = 30
"""How many marks may stand inside each other; the signs of more are shown as they are."""

SIZED = re.compile(r"(?:(?P<words>.*)\|)?\s*(?P<width>\d{1,5})(?:x(?P<height>\d{1,5}))?\s*", re.DOTALL)
"""The words for a picture that hold its size; what has no bar is a size only if it is nothing else."""


class NamePlace(NamedTuple):
    """A name, and where it stands."""

    name: str
    span: Span


class Words(NamedTuple):
    """What some words are."""

    inlines: tuple[Inline, ...]
    name: NamePlace | None = None
    """What they end with to name their block."""
    notes: tuple[FootnoteDefinition, ...] = ()
    """The footnotes that stand inside them."""


class _Inlines:
    """The inlines of one block, and those inside others that are still open."""

    def __init__(self, reading: Reading, content: Content) -> None:
        self.reading = reading
        self.content = content
        self.found: list[Inline] = []
        self.open: list[tuple[Token, list[Inline]]] = []
        self.too_deep = 0
        self.notes: list[FootnoteDefinition] = []
        self.letters: list[str] = []
        self.start = self.end = 0

    def span(self, start: int, end: int) -> Span:
        """The place of a part of the words."""
        return self.reading.source.span(*self.content.ends(start, end))

    def add(self, inline: Inline) -> None:
        """Add an inline after the letters before it."""
        self.flush()
        self.found.append(inline)

    def write(self, letters: str, start: int, end: int) -> None:
        """Add letters, to those before them if nothing was left out between."""
        if start != self.end:
            self.flush()
        if not self.letters:
            self.start = start
        self.letters.append(letters)
        self.end = end

    def flush(self) -> None:
        """End a run of letters."""
        if self.letters:
            self.found.append(Text(self.span(self.start, self.end), "".join(self.letters)))
            self.letters = []


def convert(tokens: list[Token], content: Content, reading: Reading) -> Words:
    """The inlines of some words."""
    words = _Inlines(reading, content)
    name: NamePlace | None = None
    for token in tokens:
        start, end = token.map or (0, 0)
        if token.type in LETTERS:
            if token.content:
                words.write(token.content, start, end)
        elif token.type == "block_id":
            name = NamePlace(token.content, words.span(start, start + len(token.content) + 1))
        elif token.nesting == 0:
            words.add(_single(token, start, end, words))
        elif _is_too_deep(token, words):
            sign = 1 if token.type.startswith("strong") else 0
            start, end = (start - sign, end) if token.nesting == 1 else (start, end + sign)
            words.too_deep += token.nesting
            words.write(content.text[start:end], start, end)
        elif token.nesting == 1:
            words.flush()
            words.open.append((token, words.found))
            words.found = []
        else:
            words.flush()
            inside = tuple(words.found)
            opened, words.found = words.open.pop()
            words.add(_closed(opened, token, inside, words))
    words.flush()
    return Words(tuple(words.found), name, tuple(words.notes))


def _single(token: Token, start: int, end: int, words: _Inlines) -> Inline:
    """What a token stands for that neither opens nor closes anything."""
    match token.type:
        case "softbreak":
            whole_line = words.reading.options["strict_line_breaks"]
            return (SoftBreak if whole_line else HardBreak)(words.span(start, start + 1))
        case "hardbreak":
            return HardBreak(words.span(start, start + (2 if words.content.text[start] == "\\" else 1)))
        case "code_inline":
            return Code(words.span(start, end), token.content)
        case "html_inline":
            return RawInline(words.span(start, end), "html", token.content)
        case "image":
            return _image(token, words)
        case "embed":
            return Embed(words.span(start, end), token.meta["target"], token.meta["label"])
        case "footnote_reference":
            return FootnoteReference(words.span(start, end), token.meta["label"])
        case _:
            raise AssertionError(f"no token is called {token.type}")


def _is_too_deep(token: Token, words: _Inlines) -> bool:
    is_mark = token.type.partition("_")[0] in PAIRS
    return is_mark and (words.too_deep > 0 if token.nesting == -1 else len(words.open) >= DEEPEST)


def _closed(opened: Token, closed: Token, inside: tuple[Inline, ...], words: _Inlines) -> Inline:
    """What stands between two tokens."""
    assert opened.map is not None
    assert closed.map is not None
    name = opened.type.removesuffix("_open")
    if name == "link":
        return _link(opened, inside, words)
    if name == "inline_footnote":
        return _note(opened, inside, words)
    # Of the two characters of strong emphasis the parser keeps the inner one.
    beyond = 1 if name == "strong" else 0
    return PAIRS[name](words.span(opened.map[0] - beyond, closed.map[1] + beyond), inside)


def _link(token: Token, inside: tuple[Inline, ...], words: _Inlines) -> Link:
    assert token.map
    start, end = token.map
    span = words.span(start, end)
    if token.info == "auto" and words.content.text[start] == "<":
        inside = tuple(Text(words.span(start + 1, end - 1), node.value) for node in inside if isinstance(node, Text))
    if not token.meta:
        tell_odd_space(words.reading, _after_label(span, inside), "the target of a link")
    return Link(
        span=span,
        target=token.meta["target"] if token.meta else target(str(token.attrs["href"]), words.reading),
        children=_unlinked(inside),
        title=str(token.attrs.get("title", "")),
        wiki=bool(token.meta),
    )


def _unlinked(inlines: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Words without links, which may not stand in the words of another."""
    found: list[Inline] = []
    for inline in inlines:
        match inline:
            case Text():
                found.append(inline)
            case Link(children=children):
                found += children
            case Emphasis() | Strong() | Strikethrough() | Highlight():
                found.append(replace(inline, children=_unlinked(inline.children)))
            case _:
                found.append(inline)
    return tuple(found)


def _after_label(span: Span, inside: tuple[Inline, ...]) -> Span:
    """The part of a link behind its words."""
    return span.source.span(inside[-1].span.end if inside else span.start, span.end)


def _note(token: Token, inside: tuple[Inline, ...], words: _Inlines) -> FootnoteReference:
    """The mark of a footnote that stands here, whose words go to the end of the document."""
    assert token.map
    start, end = token.map
    span = words.span(start, end)
    # No label that is typed holds a bracket, so this one is free.
    label = f"[{span.start}]"
    body = Paragraph(span=words.span(start + len("^["), end - 1), children=inside)
    words.notes.append(FootnoteDefinition(span=span, label=label, children=(body,)))
    return FootnoteReference(span, label)


def _image(token: Token, words: _Inlines) -> Image:
    assert token.map
    if token.meta:
        return Image(span=words.span(*token.map), wiki=True, **token.meta["image"])
    label = words.content.part(token.map[0] + len("!["))
    children, width, height = convert(token.children or [], label, words.reading).inlines, None, None
    if words.reading.options.get("picture_sizes"):
        children, width, height = _sized(children)
    return Image(
        span=words.span(*token.map),
        target=target(str(token.attrs["src"]), words.reading),
        children=children,
        title=str(token.attrs.get("title", "")),
        width=width,
        height=height,
    )


def _sized(words: tuple[Inline, ...]) -> tuple[tuple[Inline, ...], int | None, int | None]:
    """The words for a picture, and the size that they end with behind a bar, or that they are."""
    last = words[-1] if words else None
    found = SIZED.fullmatch(last.value) if isinstance(last, Text) else None
    if found is None or not isinstance(last, Text) or (found["words"] is None and len(words) > 1):
        return words, None, None
    left = (cut(last, len(found["words"]))[0],) if found["words"] else ()
    return (*words[:-1], *left), int(found["width"]), int(found["height"]) if found["height"] else None


def target(address: str, reading: Reading) -> str:
    """A typed address as a link in the model names it."""
    if is_address(address):
        return address
    path, mark, below = (_decoded(part) for part in address.partition("#"))
    path = path.removesuffix(reading.options.get("document_suffix", ""))
    return fold_spaces(path + mark + below) if reading.repairs else path + mark + below


def _decoded(part: str) -> str:
    """A part of an address without its percent signs, but for an encoded `#`, which is a letter of the name."""
    if "%" not in part:
        return part
    try:
        return "%23".join(unquote(piece, errors="strict") for piece in part.split("%23"))
    except UnicodeDecodeError:
        return part
