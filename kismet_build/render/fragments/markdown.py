"""Write blocks as Markdown: CommonMark with tables, footnotes, tasks and Obsidian's callouts.

Texts of all dialects become the same Markdown. The Markdown is as safe as the page, even in programs that support only
CommonMark and render HTML: what they read as a link or as HTML is the same on the page
(`tests/laws/test_live_text.py`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from markdown_it.common.normalize_url import normalizeLink

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.markdown_text import LINE_END, escaped, escaped_text
from kismet_build.model.nodes import footnote_references, plain_text, target_words
from kismet_build.model.text_normalization import key_label
from kismet_build.render.fragments.holes import KeptFragments, no_terms, nothing
from kismet_build.render.fragments.sanitize import is_safe_image, is_safe_link, join_sanitized

if TYPE_CHECKING:
    from kismet_build.render.fragments.renderer import RenderContext

HTML_MARKUP = re.compile(r"[\\`*\[\]]|~(?=~)")
"""A character of raw HTML that Markdown would read as markup if the HTML does not begin an HTML block."""
TAG_OF_HTML = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
EMPTY_ELEMENT = re.compile(r"<(\w+)[^<>]*></\1>")
JOINER = "&#8288;"
"""An invisible word joiner. It separates two code spans, and no HTML block or link definition can begin after it."""
LINK_DEFINITION = re.compile(r"\S+(?=[ \t]*(?:\n|\Z)|\s+[\"'(])")
"""The start of a footnote that CommonMark, which has no footnotes, would read as the address of a link definition."""
MATH_WITH_MARKUP = re.compile(r"[<`]|\\\Z|\]\s*[(\[:]")
"""Part of a formula that CommonMark, which has no formulas, could take for HTML, code, an escape or a link."""
LINE_START = re.compile(
    r"""(?m)^[ ]*(?:
        (?P<html><(?=[a-zA-Z/!?]))
        |(?P<mark>\#(?=\#*(?:\s|$))|>|[+-](?=\s|$)|[=-](?=[=-]*\s*$))
        |(?P<number>\d{1,9})(?P<end>[.)])(?=\s|$)
    )""",
    re.VERBOSE,
)
"""The start of a line that Markdown would read as the start of a block."""
LINE_END_IN_CELL = re.compile(r"(?<!\s)\s*\n\s*")
SPACES = re.compile(r"(?:\s|(?<!\\)<br ?/?>)+")
ADDRESS_MARKUP = re.compile(r"[\x00-\x1f<>`]")
INFO_MARKUP = re.compile(r"[\r\n`|]")
"""A character that cannot be in the info string of a fence: it would end the fence, or turn it into a table row."""
CHARACTER_REFERENCE = re.compile(r"&(?=#?\w+;)")
EMPHASIS = {nodes.Emphasis: "*", nodes.Strong: "**", nodes.Strikethrough: "~~", nodes.Highlight: "=="}
"""The delimiter before and after styled text, by type of node."""
ALIGNMENTS = {"left": ":--", "center": ":-:", "right": "--:", "": "---"}


class Address(NamedTuple):
    """The address of a link or image."""

    node: nodes.Link | nodes.Image
    is_in_table: bool = False

    def fill(self, context: "RenderContext") -> str:
        if isinstance(self.node, nodes.Image):
            address = context.image_address(self.node)
        else:
            address = context.href(self.node).address
            address = address if is_safe_link(address) else ""
        written = _address(address)
        return written.replace("|", "\\|") if self.is_in_table else written


class TermStart(NamedTuple):
    """The start of an automatic link, or nothing in places without the link."""

    term: AutolinkRange

    def fill(self, context: "RenderContext") -> str:
        return "[" if context.term_address(self.term) else ""


class TermEnd(NamedTuple):
    """The end of an automatic link, or nothing in places without the link."""

    term: AutolinkRange

    def fill(self, context: "RenderContext") -> str:
        address = context.term_address(self.term)
        return f"]({_address(address)})" if address else ""


Hole = Address | TermStart | TermEnd
Pieces = list[str | Hole]
"""Markdown as strings and holes. An `Address` is always between two strings."""


def to_markdown(blocks: Sequence[nodes.Block], context: "RenderContext") -> str:
    """Blocks as Markdown, without a final line end. Links have the addresses given by the context."""
    fragments = (context.markdown.of(block) for block in blocks)
    return "\n\n".join(
        "".join([piece if isinstance(piece, str) else piece.fill(context) for piece in fragment])
        for fragment in fragments
        if fragment
    )


def _is_safe(link: nodes.Link) -> bool:
    return is_safe_link(normalizeLink(link.target))


def _is_shown(image: nodes.Image) -> bool:
    return is_safe_image(normalizeLink(image.target))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownFragments:
    """The Markdown fragments of a book, each made when first shown. The defaults are for text outside a book."""

    terms: Callable[[nodes.Text], tuple[AutolinkRange, ...]] = no_terms
    """Automatic links of a text node. Not called in links, headings, titles and terms."""
    is_linked: Callable[[nodes.Link], bool] = _is_safe
    """Whether a link has a safe target. If not, only its words are shown."""
    link_words: Callable[[nodes.Link], str] = nothing
    """Plain text that replaces the content of a link that shows the title of its target; empty to keep it."""
    is_shown: Callable[[nodes.Image], bool] = _is_shown
    """Whether an image has a safe address. If not, its alternative text is shown."""
    kept: KeptFragments[Pieces] = field(default_factory=KeptFragments)

    def of(self, block: nodes.Block) -> Pieces:
        return self.kept.get(block, self.block)

    def blocks(self, blocks: Sequence[nodes.Block], separator: str = "\n\n") -> Pieces:
        """Blocks with a separator between them, without empty ones."""
        if len(blocks) == 1:
            return self.of(blocks[0])
        return _joined(filter(None, map(self.of, blocks)), separator)

    def block(self, block: nodes.Block) -> Pieces:
        """One block, without a final line end; not cached."""
        match block:
            case nodes.Paragraph():
                return _escaped_lines(self.inlines(block.children))
            case nodes.Heading(level=level, number=number):
                start = f"{'#' * min(level, 6)} {number}".rstrip() + " "
                return _of(start, *self.one_line(block.children, inside=True))
            case nodes.List(items=items, start=start, tight=tight):
                marks = ["- "] * len(items) if start is None else [f"{start + n}. " for n in range(len(items))]
                written = (self.item(item, mark, tight) for item, mark in zip(items, marks, strict=True))
                return _joined(written, "\n" if tight else "\n\n")
            case nodes.ListItem():
                return self.item(block, "- ", tight=True)
            case nodes.Table():
                return self.table(block)
            case nodes.CodeBlock(text=text, info=info):
                fence, info = _fence(text, 3), INFO_MARKUP.sub(lambda match: f"&#{ord(match[0])};", info)
                return [f"{fence}{info}\n{text.rstrip()}\n{fence}" if text.strip() else f"{fence}{info}\n{fence}"]
            case nodes.BlockQuote(children=children):
                return _indented(self.blocks(children), "> ", "> ")
            case nodes.ThematicBreak():
                return ["---"]
            case nodes.Callout(kind=kind, fold=fold):
                title = self.one_line(block.title, inside=True)
                head = _of(f"[!{escaped(kind)}]{fold}", " " if title else "", *title)
                return _indented(_of(*head, "\n", *self.blocks(block.children)), "> ", "> ")
            case nodes.DefinitionList(items=items):
                return _joined(map(self.definition, items), "\n")
            case nodes.DefinitionItem():
                return self.definition(block)
            case nodes.FootnoteDefinition(label=label):
                return _indented(self.footnote(block.children), f"[^{escaped(label)}]: ", "    ")
            case nodes.RawBlock(text=text):
                return _of(_html(text.strip()))
            case nodes.Statblock(children=children):
                return _joined(map(self.definition_of, children), "\n")
            case nodes.Property():
                return self.definition_of(block)
            case nodes.Columns() | nodes.Column() | nodes.Div() | nodes.Row() | nodes.Cell():
                return self.blocks(block.children)

    def item(self, item: nodes.ListItem, mark: str, tight: bool) -> Pieces:
        checkbox = "" if item.checked is None else f"[{escaped(item.checked)}] "
        # An HTML block ends at an empty line.
        has_html = any(isinstance(child, nodes.RawBlock | nodes.Div | nodes.Columns) for child in item.children)
        content = self.blocks(item.children, "\n" if tight and not has_html else "\n\n")
        return _indented(_of(checkbox, *content), mark, " " * len(mark))

    def footnote(self, blocks: Sequence[nodes.Block]) -> Pieces:
        """The content of a footnote. CommonMark must not read it as the definition of a link."""
        text = self.blocks(blocks)
        if not blocks or not isinstance(blocks[0], nodes.Paragraph):
            return _of("\n\n", *text)  # CommonMark reads this as a code block.
        # Any letter can replace a hole here: what looks like an address has no spaces, so no hole is in it.
        words = "".join(piece if isinstance(piece, str) else "x" for piece in text)
        definition = LINK_DEFINITION.match(words)
        return _inserted(text, definition.end(), f" {JOINER}") if definition else text

    def definition(self, item: nodes.DefinitionItem) -> Pieces:
        """A term in bold and its definition, as a list item."""
        return self.labelled(self.one_line(_without_bold(item.term), inside=True), item.children)

    def definition_of(self, item: nodes.Property) -> Pieces:
        """The label of a property in bold and its value, as a list item."""
        return self.labelled(_of(escaped(key_label(item.key))), item.children)

    def labelled(self, label: Pieces, blocks: Sequence[nodes.Block]) -> Pieces:
        """A list item that starts with a label in bold."""
        head = _of("**", *label, "**")
        if blocks and isinstance(first := blocks[0], nodes.Paragraph):
            head, blocks = _escaped_lines(_of(*head, ": ", *self.inlines(first.children))), blocks[1:]
        return _indented(_joined(filter(None, (head, self.blocks(blocks))), "\n\n"), "- ", "  ")

    def table(self, table: nodes.Table) -> Pieces:
        """A table, after its caption in bold."""
        alignments = f"| {' | '.join(ALIGNMENTS.get(side, '---') for side in table.alignments)} |"
        rows = _joined((self.row(table.header), [alignments], *map(self.row, table.rows)), "\n")
        return _of("**", *self.one_line(_without_bold(table.caption)), "**\n\n", *rows) if table.caption else rows

    def row(self, row: nodes.Row) -> Pieces:
        cells = [_in_table(self.blocks(cell.children, "<br>")) for cell in row.cells]
        return _of("| ", *_joined(cells, " | "), " |")

    def one_line(self, inlines: Sequence[nodes.Inline], *, inside: bool = False) -> Pieces:
        pieces = _mapped(self.inlines(inlines, inside), lambda text: SPACES.sub(" ", text.replace("\\\n", " ")))
        return _stripped(pieces)[1]

    def inlines(self, inlines: Sequence[nodes.Inline], inside: bool = False) -> Pieces:
        """Inlines one after the other. `inside`: whether to leave out automatic links."""
        if len(inlines) == 1:  # Fast path: nearly every cell and heading.
            return self.inline(inlines[0], inside)
        pieces: Pieces = []
        for inline in inlines:
            part = self.inline(inline, inside)
            if not part:
                continue
            start = "[" if isinstance(part[0], TermStart) else part[0]
            end = pieces[-1] if pieces else ""
            if isinstance(start, str) and isinstance(end, str):
                if end.endswith("!") and start.startswith("["):
                    pieces[-1] = f"{end[:-1]}\\!"  # Otherwise the link would become an image.
                if end.endswith("`") and start.startswith("`"):
                    part = [JOINER, *part]  # Otherwise two code spans would become one.
                # CommonMark would take what follows a footnote for the address of a link.
                if end.endswith("]") and start.startswith(("(", ":")):
                    part = ["\\", *part]
            pieces += part
        return _of(*pieces)

    def inline(self, inline: nodes.Inline, inside: bool) -> Pieces:
        match inline:
            case nodes.Text():
                return self.text(inline, inside)
            case nodes.Emphasis() | nodes.Strong() | nodes.Strikethrough() | nodes.Highlight():
                return _marked(self.inlines(inline.children, inside), EMPHASIS[type(inline)])
            case nodes.InlineField():
                return self.inlines(inline.children, inside)
            case nodes.Code(value=value):
                return _of(_code(value))
            case nodes.Math(value=value):
                mark = "$$" if ' display="block"' in inline.mathml else "$"
                # GitHub's form of a formula, with backticks, keeps it from being read as HTML or a link.
                return [f"{mark}{_code(value) if MATH_WITH_MARKUP.search(value) else value}{mark}"]
            case nodes.Tag(name=name):
                return [f"#{name}"]
            case nodes.Link():
                return self.link(inline)
            case nodes.DiceRoll(children=children):
                return self.inlines(children, inside)
            case nodes.Image():
                words = escaped_text(plain_text(*inline.children))
                shown: Pieces = [f"![{words}](", Address(inline), ")"] if self.is_shown(inline) else _of(words)
                return _of(*shown, *self.inlines([*footnote_references(inline)]))
            case nodes.Embed():
                label = (nodes.Text(inline.span, inline.label or target_words(inline.target)),)
                return self.link(nodes.Link(span=inline.span, target=inline.target, children=label, wiki=True))
            case nodes.FootnoteReference(label=label):
                return [f"[^{escaped(label)}]"]
            case nodes.SoftBreak():
                return ["\n"]
            case nodes.HardBreak():
                return ["\\\n"]
            case nodes.RawInline(text=text):
                html = _html(text)
                return [] if EMPTY_ELEMENT.fullmatch(html) else _of(html)

    def text(self, text: nodes.Text, inside: bool) -> Pieces:
        value = text.value
        terms = () if inside else self.terms(text)
        if not terms:
            return [escaped(value)] if value else []
        pieces: Pieces = []
        end = 0
        for term in terms:
            _add(pieces, _of(escaped(value[end : term.start])))
            start, after = [TermStart(term)] if term.starts_link else [], [TermEnd(term)] if term.ends_link else []
            _add(pieces, [*start, escaped(value[term.start : term.end]), *after])
            end = term.end
        _add(pieces, _of(escaped(value[end:])))
        return pieces

    def link(self, link: nodes.Link) -> Pieces:
        """A link, or only its text if the target is missing or unsafe."""
        title = self.link_words(link) if link.shows_title else ""
        content = _of(escaped_text(title)) if title else self.inlines(link.children, inside=True)
        return _of("[", *content, "](", Address(link), ")") if self.is_linked(link) else content


def _add(pieces: Pieces, others: Iterable[str | Hole]) -> None:
    """Add pieces. Strings in a row are joined at once, because joining them one by one takes quadratic time."""
    words: list[str] = []
    if pieces and isinstance(last := pieces[-1], str):
        words.append(last)
        pieces.pop()
    for piece in others:
        if isinstance(piece, str):
            words.append(piece)
            continue
        if any(words):
            pieces.append("".join(words))
        words = []
        pieces.append(piece)
    if any(words):
        pieces.append("".join(words))


def _of(*parts: str | Hole) -> Pieces:
    pieces: Pieces = []
    _add(pieces, parts)
    return pieces


def _joined(fragments: Iterable[Pieces], separator: str) -> Pieces:
    pieces: Pieces = []
    for number, fragment in enumerate(fragments):
        pieces += (separator, *fragment) if number else fragment
    return _of(*pieces)


def _mapped(pieces: Pieces, function: Callable[[str], str]) -> Pieces:
    return [function(piece) if isinstance(piece, str) else piece for piece in pieces]


def _stripped(pieces: Pieces) -> tuple[str, Pieces, str]:
    """The pieces without surrounding space: the space before, the pieces, and the space after."""
    before = after = ""
    pieces = pieces[:]
    if pieces and isinstance(first := pieces[0], str):
        pieces[0] = first.lstrip()
        before = first[: len(first) - len(pieces[0])]
    if pieces and isinstance(last := pieces[-1], str):
        pieces[-1] = last.rstrip()
        after = last[len(pieces[-1]) :]
    return before, _of(*pieces), after


def _inserted(pieces: Pieces, position: int, text: str) -> Pieces:
    """The pieces with a string inserted at this position. Each hole counts as one character."""
    inserted: Pieces = []
    for piece in pieces:
        length = len(piece) if isinstance(piece, str) else 1
        if 0 < position <= length and isinstance(piece, str):
            piece = f"{piece[:position]}{text}{piece[position:]}"
        position -= length
        inserted.append(piece)
    return inserted


def _in_table(pieces: Pieces) -> Pieces:
    one_line = [piece._replace(is_in_table=True) if isinstance(piece, Address) else piece for piece in pieces]
    return _mapped(one_line, lambda text: LINE_END_IN_CELL.sub(" ", text.replace("\\\n", "<br>")).replace("|", "\\|"))


def link_to(address: str, label: str) -> str:
    """A link whose label is Markdown."""
    return f"[{label}]({_address(address)})"


def _html(raw: str) -> str:
    """An author's HTML, sanitized, in a form that means the same in an HTML block and in a paragraph."""
    html = join_sanitized([(raw, True)], "")
    parts, end = [], 0
    for tag in TAG_OF_HTML.finditer(html):
        parts += [_without_markup(html[end : tag.start()]), _tag(tag[0])]
        end = tag.end()
    return "".join((*parts, _without_markup(html[end:])))


def _without_markup(text: str) -> str:
    return HTML_MARKUP.sub(lambda match: f"&#{ord(match[0])};", text)


def _tag(tag: str) -> str:
    """A tag on one line, since an empty line in an attribute would end the HTML block."""
    inside = " ".join(tag[1:-1].split()).replace("<", "&lt;").replace(">", "&gt;")
    return f"<{inside}>"


def _escaped_lines(pieces: Pieces) -> Pieces:
    """The text of a paragraph, escaped so that no line starts another block."""

    def escaped(match: re.Match[str]) -> str:
        if match["html"]:
            return f"{JOINER}<"
        return f"\\{match['mark']}" if match["mark"] else f"{match['number']}\\{match['end']}"

    if len(pieces) == 1 and isinstance(only := pieces[0], str):  # Fast path: most paragraphs have no holes.
        return [LINE_START.sub(escaped, only)]
    lines: Pieces = []
    is_line_start = True
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece, str):
            goes_on = number < len(pieces)
            text = f"{piece}x" if goes_on else piece  # The letter represents the hole that follows.
            text = LINE_START.sub(escaped, text) if is_line_start else _after_first_line(text, escaped)
            lines.append(text[:-1] if goes_on else text)
            is_line_start = piece.endswith("\n")
        else:
            lines.append(piece)
            # In places without the link, its words start the line.
            is_line_start = is_line_start and isinstance(piece, TermStart)
    return lines


def _after_first_line(text: str, escaped: Callable[[re.Match[str]], str]) -> str:
    first, line_end, others = text.partition("\n")
    return first + line_end + LINE_START.sub(escaped, others) if line_end else first


def _marked(pieces: Pieces, mark: str) -> Pieces:
    """Styled text. Its delimiters are next to words, not to spaces."""
    before, words, after = _stripped(pieces)
    return _of(before, mark, *words, mark, after) if words else pieces


def _code(value: str) -> str:
    value = LINE_END.sub(" ", value)
    if not value:
        return ""
    fence = _fence(value, 1)
    padding = " " if value.startswith("`") or value.endswith("`") else ""
    return f"{fence}{padding}{value}{padding}{fence}"


def _fence(text: str, shortest: int) -> str:
    return "`" * max(shortest, 1 + max(map(len, re.findall("`+", text)), default=0))


def _address(address: str) -> str:
    address = ADDRESS_MARKUP.sub(lambda match: f"%{ord(match[0]):02X}", address.replace("\\", "\\\\"))
    address = CHARACTER_REFERENCE.sub("&amp;", address)
    return f"<{address}>" if re.search(r"[\s()]", address) else address


def _without_bold(inlines: Sequence[nodes.Inline]) -> Sequence[nodes.Inline]:
    """The inlines of a label that is bold anyway: bold in bold would end it."""
    return [part for inline in inlines for part in (inline.children if isinstance(inline, nodes.Strong) else (inline,))]


def _indented(pieces: Pieces, first: str, others: str) -> Pieces:
    """Markdown with one prefix for its first line and another for the rest. No line ends in spaces."""
    indented: Pieces = []
    for number, piece in enumerate([first, *pieces] if pieces else [first]):
        if isinstance(piece, str) and number:
            head, *lines = piece.split("\n")
            _add(indented, [f"\n{others}".join([head, *lines])])
        else:
            _add(indented, [piece])
    is_open = (isinstance(piece, str) for piece in [*indented[1:], ""])
    return [
        _without_spaces(piece, at_end=at_end) if isinstance(piece, str) else piece
        for piece, at_end in zip(indented, is_open, strict=True)
    ]


def _without_spaces(text: str, *, at_end: bool) -> str:
    *lines, last = text.split("\n")
    return "\n".join([*map(str.rstrip, lines), last.rstrip() if at_end else last])
