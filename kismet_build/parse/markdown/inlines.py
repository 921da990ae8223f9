"""Convert inline tokens to inlines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it.token import Token

from kismet_build.model import nodes
from kismet_build.model.nodes import is_url, walk
from kismet_build.model.source import Span
from kismet_build.parse import nested_link
from kismet_build.parse.markdown.codes import parse_dice_code, parse_property_code
from kismet_build.parse.markdown.repairs import fold_spaces, report_odd_space
from kismet_build.parse.markdown.shortcodes import without_escapes
from kismet_build.parse.markdown.split_text import parts_of_text, split_text
from kismet_build.parse.markdown.state import Abbreviations, MappedText, ParseState

CONTAINERS: dict[str, Callable[[Span, tuple[nodes.Inline, ...]], nodes.Inline]] = {
    "em": nodes.Emphasis,
    "strong": nodes.Strong,
    "s": nodes.Strikethrough,
    "mark": nodes.Highlight,
}
"""Types of inlines between a pair of marks, by the name in their tokens."""

CODE_LANGUAGE = re.compile(r"\A(?::{3,}|#!)[\w#.+-]*\s+")
"""The language of inline code in `pymdownx.inlinehilite`: `#!py 1 + 1`."""
TEXT_TOKENS = ("text", "text_special")

MAX_OPEN_MARKS = 30
"""Maximum depth of nested marks. Deeper marks are shown as typed."""

THEME = re.compile(r"#(?:(?:only|gh)-light|(?P<is_dark>(?:only|gh)-dark))(?:-mode-only)?$")
"""The end of the address of an image that Material for MkDocs shows only with light or only with dark colours."""

IMAGE_SIZE = re.compile(r"(?:(?P<words>.*)\|)?\s*(?P<width>\d{1,5})(?:x(?P<height>\d{1,5}))?\s*", re.DOTALL)
"""The label of an image with its size in pixels: `label|width`, `label|widthxheight`, or the size alone."""


class BlockId(NamedTuple):
    """A block id as written, without `^`."""

    name: str
    span: Span


class ParsedInlines(NamedTuple):
    """The inline content of one block."""

    inlines: tuple[nodes.Inline, ...]
    block_id: BlockId | None = None
    """The last block id at the end of a line in the content."""
    footnotes: tuple[nodes.FootnoteDefinition, ...] = ()
    """Definitions of the inline footnotes."""


class _Builder:
    """Collects the inlines of one block. `open` contains the inlines around the current position."""

    def __init__(self, state: ParseState, content: MappedText) -> None:
        self.state = state
        self.content = content
        self.inlines: list[nodes.Inline] = []
        self.open: list[tuple[Token, list[nodes.Inline]]] = []
        """Opening tokens, each with the inlines before it."""
        self.too_deep = 0
        """Marks beyond `MAX_OPEN_MARKS` that are not closed yet."""
        self.footnotes: list[nodes.FootnoteDefinition] = []
        self.pending: list[str] = []
        """The parts of the pending text."""
        self.start = self.end = 0
        """Range of the pending text in the content."""

    def span(self, start: int, end: int) -> Span:
        return self.state.source.span(*self.content.source_range(start, end))

    def add(self, inline: nodes.Inline) -> None:
        self.flush()
        self.inlines.append(inline)

    def add_text(self, text: str, start: int, end: int) -> None:
        """Add text, which is joined to the pending text if their ranges are adjacent."""
        if start != self.end:
            self.flush()
        if not self.pending:
            self.start = start
        self.pending.append(text)
        self.end = end

    def flush(self) -> None:
        if self.pending:
            text = nodes.Text(self.span(self.start, self.end), "".join(self.pending))
            self.inlines += _with_meanings(text, self.state.abbreviations) if self.state.abbreviations else (text,)
            self.pending = []


def convert(tokens: list[Token], content: MappedText, state: ParseState) -> ParsedInlines:
    """Convert the tokens of one block into inlines."""
    builder = _Builder(state, content)
    block_id: BlockId | None = None
    for token in tokens:
        start, end = token.map or (0, 0)
        if token.type in TEXT_TOKENS:
            if token.content:
                builder.add_text(token.content, start, end)
        elif token.type == "block_id":
            block_id = BlockId(token.content, builder.span(start, start + len(token.content) + 1))
        elif token.type == "code_inline":
            for inline in _code(token.content, start, end, builder):
                builder.add(inline)
        elif token.nesting == 0:
            builder.add(_leaf(token, start, end, builder))
        elif _is_too_deep(token, builder):
            extra = 1 if token.type.startswith("strong") else 0
            start, end = (start - extra, end) if token.nesting == 1 else (start, end + extra)
            builder.too_deep += token.nesting
            builder.add_text(content.text[start:end], start, end)
        elif token.nesting == 1:
            builder.flush()
            builder.open.append((token, builder.inlines))
            builder.inlines = []
        else:
            builder.flush()
            children = tuple(builder.inlines)
            opened, builder.inlines = builder.open.pop()
            if token.type == "element_close":
                builder.inlines += _element(opened, token, children, builder)
            else:
                builder.add(_container(opened, token, children, builder))
    builder.flush()
    return ParsedInlines(tuple(builder.inlines), block_id, tuple(builder.footnotes))


def _code(code: str, start: int, end: int, builder: _Builder) -> tuple[nodes.Inline, ...]:
    """The inlines for inline code. Two plugins for Obsidian use inline code for dice and properties."""
    state, span = builder.state, builder.span(start, end)
    if state.options.get("code_shortcodes"):
        code = without_escapes(code)
    if state.options.get("code_languages"):
        code = CODE_LANGUAGE.sub("", code)
    if state.options.get("dice_codes") and (roll := parse_dice_code(builder.content, start, end, state)):
        return (roll,)
    if not state.options.get("property_codes"):
        return (nodes.Code(span, code),)
    return parse_property_code(code, span, state.properties, state.source.path) or (nodes.Code(span, code),)


def _leaf(token: Token, start: int, end: int, builder: _Builder) -> nodes.Inline:
    match token.type:
        case "softbreak":
            is_strict = builder.state.options["strict_line_breaks"]
            return (nodes.SoftBreak if is_strict else nodes.HardBreak)(builder.span(start, start + 1))
        case "hardbreak":
            return nodes.HardBreak(builder.span(start, start + (2 if builder.content.text[start] == "\\" else 1)))
        case "math":
            return nodes.Math(builder.span(start, end), token.content, token.meta["mathml"])
        case "tag":
            return nodes.Tag(builder.span(start, end), token.content)
        case "html_inline":
            return nodes.RawInline(builder.span(start, end), "html", token.content)
        case "replaced":
            return nodes.Text(builder.span(start, end), token.content)
        case "foreign":
            return nodes.RawInline(builder.span(start, end), token.info, "")
        case "figure":
            words = token.meta["words"]
            span = builder.span(start, end)
            label = (nodes.Text(builder.span(start, start), words),) if words else ()
            return nodes.Image(span=span, target=_target(token.meta["target"], builder.state), children=label)
        case "image":
            return _image(token, builder)
        case "embed":
            return nodes.Embed(builder.span(start, end), token.meta["target"], token.meta["label"])
        case "footnote_reference":
            return nodes.FootnoteReference(builder.span(start, end), token.meta["label"])
        case _:
            raise AssertionError(f"no token is called {token.type}")


def _is_too_deep(token: Token, builder: _Builder) -> bool:
    name = token.type.partition("_")[0]
    is_mark = name in CONTAINERS or name == "element"
    return is_mark and (builder.too_deep > 0 if token.nesting == -1 else len(builder.open) >= MAX_OPEN_MARKS)


def _element(
    opened: Token, closed: Token, children: tuple[nodes.Inline, ...], builder: _Builder
) -> tuple[nodes.Inline, ...]:
    """The inlines for an HTML element: its start tag, its content and its end tag."""
    assert opened.map is not None
    assert closed.map is not None
    start = nodes.RawInline(builder.span(*opened.map), "html", f"<{opened.tag}>")
    return start, *children, nodes.RawInline(builder.span(*closed.map), "html", f"</{opened.tag}>")


def _with_meanings(text: nodes.Text, abbreviations: Abbreviations) -> Iterator[nodes.Inline]:
    ends = [end for place in abbreviations.places(text.value) for end in place]
    for number, part in enumerate(parts_of_text(text, ends)):
        if number % 2 == 0:
            if part.value:
                yield part
            continue
        source, start, end = part.span
        title = escape(abbreviations.meanings[part.value])
        yield nodes.RawInline(source.span(start, start), "html", f'<abbr title="{title}">')
        yield part
        yield nodes.RawInline(source.span(end, end), "html", "</abbr>")


def _container(opened: Token, closed: Token, children: tuple[nodes.Inline, ...], builder: _Builder) -> nodes.Inline:
    assert opened.map is not None
    assert closed.map is not None
    name = opened.type.removesuffix("_open")
    if name == "link":
        return _link(opened, children, builder)
    if name == "inline_footnote":
        return _inline_footnote(opened, children, builder)
    span = builder.span(opened.map[0], closed.map[1])
    if name == "inline_field":
        key, shows_key = opened.meta["key"], opened.meta["shows_key"]
        start = children[0].span.start if children else span.end
        label = (nodes.Text(span.source.span(span.start, start), f"{key}: "),) if shows_key else ()
        return nodes.InlineField(span, key, (*label, *children), shows_key)
    # markdown-it maps a token of strong emphasis to the inner one of the two characters of the mark.
    extra = 1 if name == "strong" else 0
    return CONTAINERS[name](builder.span(opened.map[0] - extra, closed.map[1] + extra), children)


def _link(token: Token, children: tuple[nodes.Inline, ...], builder: _Builder) -> nodes.Link | nodes.RawInline:
    """A link. Wikilink tokens have their target in `meta`."""
    assert token.map
    start, end = token.map
    span = builder.span(start, end)
    if token.info == "auto" and builder.content.text[start] == "<":
        children = tuple(
            nodes.Text(builder.span(start + 1, end - 1), child.value)
            for child in children
            if isinstance(child, nodes.Text)
        )
    if token.meta:
        _report_nested_links(children, builder)
    else:
        report_odd_space(builder.state, _after_label(span, children), "the target of a link")
    title = str(token.attrs.get("title", ""))
    # If the label has only an icon, which is left out, the link would have no words.
    shows_title = bool(builder.state.options.get("html_ids")) and not children
    if shows_title:
        if not token.meta and not token.attrs["href"]:
            return nodes.RawInline(span, "html", "")  # `[]()` shows nothing
        if is_url(address := str(token.attrs["href"])):
            children = (nodes.Text(builder.span(end, end), title or address),)
    return nodes.Link(
        span=span,
        target=token.meta["target"] if token.meta else _target(str(token.attrs["href"]), builder.state),
        children=_without_links(children),
        title=title,
        wiki=bool(token.meta),
        shows_title=shows_title,
    )


def _report_nested_links(label: tuple[nodes.Inline, ...], builder: _Builder) -> None:
    """Report links in the label of a wiki link whose words do not show their target."""
    for node in walk(*label):
        if isinstance(node, nodes.Link) and node.span.text.startswith("["):
            builder.state.report(nested_link(node.span, node.target))


def _without_links(inlines: tuple[nodes.Inline, ...]) -> tuple[nodes.Inline, ...]:
    """Inlines in which links are replaced by their children, since links cannot be nested."""
    result: list[nodes.Inline] = []
    for inline in inlines:
        match inline:
            case nodes.Link(children=children):
                result += children
            case nodes.Emphasis() | nodes.Strong() | nodes.Strikethrough() | nodes.Highlight() | nodes.InlineField():
                result.append(replace(inline, children=_without_links(inline.children)))
            case nodes.DiceRoll(rolls="table"):
                result.append(replace(inline, rolls="nothing", children=_without_links(inline.children)))
            case _:
                result.append(inline)
    return tuple(result)


def _after_label(span: Span, label: tuple[nodes.Inline, ...]) -> Span:
    return span.source.span(label[-1].span.end if label else span.start, span.end)


def _inline_footnote(token: Token, children: tuple[nodes.Inline, ...], builder: _Builder) -> nodes.FootnoteReference:
    """The reference of an inline footnote. The definition of the footnote is added to `builder.footnotes`."""
    assert token.map
    start, end = token.map
    span = builder.span(start, end)
    # An author's label cannot contain a bracket, so this label is unique.
    label = f"[{span.start}]"
    body = nodes.Paragraph(span=builder.span(start + len("^["), end - 1), children=children)
    builder.footnotes.append(nodes.FootnoteDefinition(span=span, label=label, children=(body,)))
    return nodes.FootnoteReference(span, label)


def _image(token: Token, builder: _Builder) -> nodes.Image | nodes.Embed | nodes.RawInline:
    """An image. Embedded images in wikilink form have all their fields in `meta`.

    With wiki links enabled, an image of a text is an embed: Obsidian uses this form if its wiki links are turned off.
    """
    assert token.map
    span = builder.span(*token.map)
    if token.meta:
        return nodes.Image(span=span, wiki=True, **token.meta["image"])
    address = str(token.attrs["src"])
    path, _, part = address.partition("#")
    is_text = not is_url(address) and (path.casefold().endswith(".md") or (part and not path))
    if is_text and "wiki_links" in builder.state.options:
        return nodes.Embed(span, _target(address, builder.state), " ".join(token.content.split()), wiki=False)
    if builder.state.options.get("theme_images") and (theme := THEME.search(address)):
        if theme["is_dark"]:
            return nodes.RawInline(span, "html", "")
        address = address[: theme.start()]
    label = builder.content.part(token.map[0] + len("!["), token.map[1])
    parsed = convert(token.children or [], label, builder.state)
    builder.footnotes += parsed.footnotes
    # A tag in the words of an image is not a tag.
    children: tuple[nodes.Inline, ...] = tuple(
        nodes.Text(child.span) if isinstance(child, nodes.Tag) else child for child in parsed.inlines
    )
    width: int | None = _size(token, "width")
    height: int | None = _size(token, "height")
    if builder.state.options.get("picture_sizes"):
        children, width, height = _split_size(children)
    return nodes.Image(
        span=span,
        target=_target(address, builder.state),
        children=children,
        title=str(token.attrs.get("title", "")),
        width=width,
        height=height,
    )


def _size(token: Token, name: str) -> int | None:
    """The width or height of an image in its attribute list, in pixels."""
    size = token.attrs.get(name)
    return size if isinstance(size, int) else None


def _split_size(label: tuple[nodes.Inline, ...]) -> tuple[tuple[nodes.Inline, ...], int | None, int | None]:
    """The label of an image without its size, and its width and height in pixels."""
    last = label[-1] if label else None
    size = IMAGE_SIZE.fullmatch(last.value) if isinstance(last, nodes.Text) else None
    if size is None or not isinstance(last, nodes.Text) or (size["words"] is None and len(label) > 1):
        return label, None, None
    rest = (split_text(last, len(size["words"]))[0],) if size["words"] else ()
    return (*label[:-1], *rest), int(size["width"]), int(size["height"]) if size["height"] else None


def _target(address: str, state: ParseState) -> str:
    """The link target of an address: decoded, and without the suffix of source files."""
    if is_url(address):
        return address
    path, hash_sign, fragment = (_percent_decoded(part) for part in address.partition("#"))
    target = path.removesuffix(state.options.get("document_suffix", "")) + hash_sign + fragment
    return fold_spaces(target) if state.repairs else target


def _percent_decoded(part: str) -> str:
    """A part of an address, decoded except for `%23`, as an encoded `#` belongs to the name of a file."""
    if "%" not in part:
        return part
    try:
        return "%23".join(unquote(piece, errors="strict") for piece in part.split("%23"))
    except UnicodeDecodeError:
        return part
