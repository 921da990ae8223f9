"""Inline macros: links, cross-references, footnotes, images and anchors."""

import re
from collections.abc import Callable
from typing import NamedTuple

from kismet_build.extensions.asciidoc.attributes import Attributes
from kismet_build.extensions.asciidoc.lines import MappedText
from kismet_build.extensions.asciidoc.passthrough import MarkerIndex
from kismet_build.extensions.asciidoc.references import make_link
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.nodes import (
    FootnoteDefinition,
    FootnoteReference,
    Image,
    Inline,
    Link,
    Math,
    Paragraph,
    RawInline,
    Strong,
    Text,
)
from kismet_build.parse import nested_link
from kismet_build.parse.markdown.rules.math import to_mathml

ANCHOR = re.compile(r"\[\[([^\W\d][\w:.-]*)(?:,[ ]*(.+))?\]\]")
TEXT_WITH_ATTRIBUTES = re.compile(r'\s*(?:"(?P<quoted>.*?)"|(?P<bare>[^,"=]*?))\s*(?:,\s*[\w-]+\s*=.*)', re.DOTALL)
"""The text of a link that also has attributes."""
ESCAPED_TARGET = re.compile(r"\+\+(.*)\+\+", re.DOTALL)
"""A link target between pluses, in which other marks have no meaning."""
FOOTNOTE_ID = re.compile(r"[\w-]*\Z")
KEY = re.compile(r"(?P<key>[^\s+,\]](?:[^+,\]]*[^\s+,\]])?|[+,](?=\s*(?:[+,]|\Z)))(?:\s*[+,])?")
"""A key of `kbd:[Ctrl+T]`, with the plus or comma after it. A plus or comma may itself be a key."""
MENU_ENTRY = re.compile(r"[^\s>,\]](?:[^>,\]]*[^\s>,\]])?")
MAX_TARGET_LENGTH = 200
"""Maximum length of a target with spaces, in characters."""


class InlinePiece(NamedTuple):
    """A part of a text that other text or nodes replace."""

    start: int
    end: int
    value: str | None
    """The replacement text; `None` if `nodes` replace it."""
    nodes: tuple[Inline, ...] = ()


Parse = Callable[[int, int, bool], tuple[Inline, ...]]
"""Parses a range of a text into inlines. The arguments are `start`, `end` and `allow_links`."""


class Macros:
    """Parses the macros in one text."""

    def __init__(self, content: MappedText, markers: MarkerIndex, state: ParseState, parse: Parse) -> None:
        self.content = content
        self.text = content.text
        self.markers = markers
        self.state = state
        self.parse = parse
        self.ids: list[str] = []
        self.limit = len(self.text)
        """The end of the range being parsed. A macro must end before it."""

    def read(self, kind: str, match: re.Match[str], allow_links: bool) -> InlinePiece | None:
        """The piece for a macro of this kind; `None` if the match is plain text."""
        start, end = match.span()
        escaped = match[0].startswith("\\")
        self.limit = match.endpos
        if escaped and self.is_complete(kind, start + 1, end):
            # A backslash before a macro escapes it and is not shown.
            return InlinePiece(start, end, self.text[start + 1 : end])
        if escaped:
            return None
        match kind:
            case "xref":
                return self.angle_reference(start, end, allow_links)
            case "entry":
                return self.bibliography_entry(start, end)
            case "anchor":
                return self.anchor(start, end)
            case "index":
                return self.index(start, end)
            case "address":
                return self.address(start, end, allow_links)
            case "email":
                return self.link(start, end, f"mailto:{match[0]}", (end, end), allow_links)
            case _:
                return self.named(start, end, allow_links)

    def is_complete(self, kind: str, start: int, end: int) -> bool:
        """Whether the macro at this position is complete; otherwise it is plain text."""
        match kind:
            case "xref" | "index":
                return 0 <= self.markers.next(">>" if kind == "xref" else "))", end) < self.limit - 1
            case "entry" | "anchor" | "address" | "email":
                return True
            case _:
                return self.bracket(self.text[start : end - 1], end) is not None

    def angle_reference(self, start: int, target_start: int, allow_links: bool) -> InlinePiece | None:
        """A cross-reference: `<<id>>` or `<<id,text>>`."""
        close = self.markers.next(">>", target_start)
        if close < 0 or close + len(">>") > self.limit:
            return None
        comma = self.text.find(",", target_start, close)
        target = self.text[target_start : comma if comma >= 0 else close]
        text_range = (comma + 1, close) if comma >= 0 else (close, close)
        return self.reference(start, close + 2, target, text_range, (target_start, close), allow_links)

    def reference(
        self,
        start: int,
        end: int,
        target: str,
        text_range: tuple[int, int],
        target_range: tuple[int, int],
        allow_links: bool,
    ) -> InlinePiece:
        """A cross-reference with the text in the macro, or else with the default text of the target."""
        text_start, text_end = self.stripped(*text_range)
        children = self.parse(text_start, text_end, False) if text_end > text_start else ()
        target = " ".join(target.split())
        if not allow_links:
            if children:
                self.state.report(nested_link(self.content.span(start, end), target))
            shown = children or (Text(self.content.span(*target_range), target),)
            return InlinePiece(start, end, None, shown)
        link = make_link(self.content.span(start, end), self.content.span(*target_range), target, children, self.state)
        return InlinePiece(start, end, None, (link,))

    def anchor(self, start: int, end: int) -> InlinePiece:
        """`[[id]]`: an anchor, which shows nothing."""
        match = ANCHOR.fullmatch(self.text, start, end)
        if match is not None and self.state.define_id(match[1], match[2] or "", self.content.span(start, end)):
            self.ids.append(match[1])
        return InlinePiece(start, end, None)

    def bibliography_entry(self, start: int, end: int) -> InlinePiece:
        """`[[[id]]]` or `[[[id, label]]]`: an id for an entry of a bibliography, shown with its label."""
        match = ANCHOR.fullmatch(self.text, start + 1, end - 1)
        assert match is not None
        label = f"[{match[2] or match[1]}]"
        if self.state.define_id(match[1], label, self.content.span(start, end)):
            self.ids.append(match[1])
        return InlinePiece(start, end, label)

    def index(self, start: int, text_start: int) -> InlinePiece | None:
        """`((term))`, whose text is shown, or `(((a, b)))`, which only concerns an index."""
        close = self.markers.next("))", text_start)
        if close < 0 or close + len("))") > self.limit:
            return None
        if self.text.startswith("(", text_start) and self.text.startswith(")", close + 2, self.limit):
            return InlinePiece(start, close + 3, None)
        return InlinePiece(start, close + 2, None, self.parse(text_start, close, True))

    def address(self, start: int, end: int, allow_links: bool) -> InlinePiece | None:
        """A bare address, with or without link text in brackets."""
        target = self.text[start:end]
        link_start = start
        if start and self.text[start - 1] == "<" and ">" in target:
            end = start + target.index(">")
            return self.link(start - 1, end + 1, self.text[start:end], (start, end), allow_links)
        if end < self.limit and self.text[end] == "[":
            close = self.markers.closing(end)
            if 0 <= close < self.limit:
                return self.link(link_start, close + 1, target, (end + 1, close), allow_links)
        if start and self.text[start - 1] in "\"'":
            return None
        target = target.rstrip(").;:*_`#")
        if target.endswith("//") or "://" not in target:
            return None
        end = start + len(target)
        return self.link(link_start, end, target, (start, end), allow_links)

    def link(self, start: int, end: int, target: str, text_range: tuple[int, int], allow_links: bool) -> InlinePiece:
        """A link to an address. A link without text shows the address."""
        text_start, text_end = self.without_attributes(*text_range)
        if text_end > text_start and self.text[text_end - 1] == "^":
            text_end -= 1
        is_bare = self.text[text_start:text_end] == target or text_end <= text_start
        if is_bare:
            address = target.removeprefix("mailto:")
            if "hide-uri-scheme" in self.state.attributes:
                address = address.partition("://")[2] or address
            position = self.text.find(address, start, end)
            span = (
                self.content.span(position, position + len(address)) if position >= 0 else self.content.span(start, end)
            )
            children: tuple[Inline, ...] = (Text(span, address),)
        else:
            children = self.parse(text_start, text_end, False)
        if not allow_links:
            if not is_bare:
                self.state.report(nested_link(self.content.span(start, end), target))
            return InlinePiece(start, end, None, children)
        return InlinePiece(
            start, end, None, (Link(span=self.content.span(start, end), target=target, children=children),)
        )

    def named(self, start: int, end: int, allow_links: bool) -> InlinePiece | None:
        """A macro with a name: `name:target[text]`."""
        name = self.text[start : end - 1]
        brackets = self.bracket(name, end)
        if brackets is None:
            return None
        bracket, close = brackets
        target, content_range = self.text[end:bracket], (bracket + 1, close)
        match name:
            case "xref" if target:
                text_range = self.without_attributes(*content_range)
                return self.reference(start, close + 1, target, text_range, (end, bracket), allow_links)
            case "link" | "mailto":
                target = found[1] if (found := ESCAPED_TARGET.fullmatch(target)) else target
                address = f"mailto:{target}" if name == "mailto" else target
                return self.link(start, close + 1, without_source_suffix(address), content_range, allow_links)
            case "image" if target:
                picture = read_image(self.content, (start, close + 1), target, content_range)
                return InlinePiece(start, close + 1, None, (picture,))
            case "footnote" | "footnoteref":
                return self.footnote(start, close + 1, name, target, content_range)
            case "anchor" if target:
                if self.state.define_id(target, self.text[bracket + 1 : close], self.content.span(start, close + 1)):
                    self.ids.append(target)
                return InlinePiece(start, close + 1, None)
            case "kbd" | "btn" | "menu" if "experimental" in self.state.attributes:
                return InlinePiece(start, close + 1, None, self.control(name, (end, bracket), content_range))
            case "icon" if target:
                # An icon shows no text if the attribute `icons` is set, or else its name.
                return InlinePiece(start, close + 1, "" if "icons" in self.state.attributes else f"[{target}]")
            case "latexmath" | "stem" if is_latex(name, self.state):
                return self.formula(start, close + 1, content_range)
            case "indexterm":
                return InlinePiece(start, close + 1, None)
            case "indexterm2":
                return InlinePiece(start, close + 1, None, self.parse(*content_range, True))
            case "xref" | "image" | "anchor":
                return None
            case _:
                self.state.report_unknown(self.content.span(start, close + 1), f'"{name}:"')
                # A formula is shown without its mark, as between block delimiters.
                is_formula = name in ("asciimath", "latexmath", "stem")
                words = slice(*content_range) if is_formula else slice(start, close + 1)
                return InlinePiece(start, close + 1, self.text[words])

    def bracket(self, name: str, target_start: int) -> tuple[int, int] | None:
        """The positions of the brackets after a macro's target, which begins at `target_start`, or `None`."""
        bracket = self.markers.stop(target_start)
        if bracket < 0 or self.text[bracket] != "[":
            bracket = self.bracket_after_spaces(target_start) if name in ("xref", "image") else -1
        if bracket < 0 or self.text.startswith(":", target_start):
            return None
        close = self.markers.closing(bracket)
        return (bracket, close) if 0 <= close < self.limit else None

    def bracket_after_spaces(self, target_start: int) -> int:
        """The position of the opening bracket after a target with spaces, on the same line, or -1."""
        bracket = self.markers.next("[", target_start)
        line_end = self.markers.next("\n", target_start)
        if bracket < 0 or 0 <= line_end < bracket or bracket == target_start or self.text[bracket - 1].isspace():
            return -1
        return bracket if bracket - target_start < MAX_TARGET_LENGTH and not self.text[target_start].isspace() else -1

    def control(self, name: str, target_range: tuple[int, int], words_range: tuple[int, int]) -> tuple[Inline, ...]:
        if name == "menu":
            places = [target_range, *(found.span() for found in MENU_ENTRY.finditer(self.text, *words_range))]
        elif name == "kbd":
            places = [found.span("key") for found in KEY.finditer(self.text, *words_range)]
        else:
            places = [self.stripped(*words_range)]
        inlines: list[Inline] = []
        for start, end in places:
            word = Text(self.content.span(start, end), self.text[start:end])
            between = self.content.span(start, start)
            if inlines:
                inlines.append(Text(between, "+" if name == "kbd" else " › "))
            if name == "kbd":
                after = self.content.span(end, end)
                inlines += (RawInline(between, "html", "<kbd>"), word, RawInline(after, "html", "</kbd>"))
            else:
                inlines.append(Strong(word.span, (word,)))
        return tuple(inlines)

    def formula(self, start: int, end: int, content_range: tuple[int, int]) -> InlinePiece:
        latex, span = self.text[slice(*content_range)].replace("\\]", "]").strip(), self.content.span(start, end)
        mathml = to_mathml(latex, "inline")
        if not mathml:
            self.state.report_unknown(span, "this formula")
            return InlinePiece(start, end, self.text[start:end])
        return InlinePiece(start, end, None, (Math(span, latex, mathml),))

    def footnote(
        self, start: int, end: int, name: str, target: str, content_range: tuple[int, int]
    ) -> InlinePiece | None:
        """`footnote:[text]`, `footnote:id[text]`, or `footnote:id[]` for an earlier footnote."""
        if name == "footnoteref":
            comma = self.text.find(",", *content_range)
            target = self.text[content_range[0] : comma if comma >= 0 else content_range[1]]
            content_range = (comma + 1, content_range[1]) if comma >= 0 else (content_range[1], content_range[1])
        if not FOOTNOTE_ID.match(target):
            return None
        span = self.content.span(start, end)
        text_start, text_end = self.stripped(*content_range)
        label = target
        if not target:
            self.state.footnote_count += 1
            label = str(self.state.footnote_count)
        if text_end > text_start:
            earlier_footnotes, self.state.footnotes = self.state.footnotes, []
            children = self.parse(text_start, text_end, True)
            paragraph = Paragraph(span=self.content.span(text_start, text_end), children=children)
            earlier_footnotes.append(FootnoteDefinition(span=span, label=label, children=(paragraph,)))
            self.state.footnotes = [*earlier_footnotes, *self.state.footnotes]
        return InlinePiece(start, end, None, (FootnoteReference(span, label),))

    def without_attributes(self, start: int, end: int) -> tuple[int, int]:
        """The range of a link's text, without attributes after the text, such as `window=_blank`."""
        start, end = self.stripped(start, end)
        match = TEXT_WITH_ATTRIBUTES.fullmatch(self.text, start, end)
        if match is None:
            return start, end
        return self.stripped(*match.span("quoted" if match["quoted"] is not None else "bare"))

    def stripped(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end


def without_source_suffix(target: str) -> str:
    """A link target without a suffix such as `.adoc`. A URL does not change."""
    return re.sub(r"\.(?:adoc|asciidoc|md)(?=#|$)", "", target) if "://" not in target else target


def is_latex(name: str, state: ParseState) -> bool:
    """Whether a formula with this macro or style is in LaTeX."""
    return name == "latexmath" or (name == "stem" and state.attributes.get("stem") == "latexmath")


def read_image(
    content: MappedText, image_range: tuple[int, int], target: str, content_range: tuple[int, int]
) -> Inline:
    """An image, within a link if it has the attribute `link`.

    The positional attributes are alternative text, width and height.
    """
    attributes = Attributes()
    attributes.add(content.text[slice(*content_range)])
    positional = [attributes.typed, *attributes.positional]
    text = attributes.named.get("alt") or positional[0]
    width, height = (
        attributes.named.get(name) or _nth(positional, index) for index, name in enumerate(("width", "height"), 1)
    )
    span = content.span(*image_range)
    position = content.text.find(text, *content_range) if text else -1
    text_span = content.span(position, position + len(text)) if position >= 0 else span
    alternative_text = text or re.sub(r"[_-]+", " ", target.rpartition("/")[2].rpartition(".")[0])
    picture = Image(
        span=span,
        target=target,
        children=(Text(text_span, alternative_text),) if alternative_text else (),
        title=attributes.named.get("title", ""),
        width=int(width) if width and width.isdecimal() else None,
        height=int(height) if height and height.isdecimal() else None,
    )
    address = attributes.named.get("link")
    return Link(span=span, target=without_source_suffix(address), children=(picture,)) if address else picture


def _nth(values: list[str], index: int) -> str:
    return values[index].strip() if index < len(values) else ""
