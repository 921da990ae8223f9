"""Write blocks as Typst code for a printed book.

An author's words are always string literals (`"…"`), so no text can run as code. The code calls functions of the book's
design, such as `callout`, which are in `site/book/kismet.typ`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from typing import Protocol

from kismet_build.config.autolink import AutolinkRange
from kismet_build.extensions.book.typst_math import typst_math
from kismet_build.model import nodes
from kismet_build.model.nodes import LEAF_BLOCKS, footnote_references, plain_text, walk, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import key_label
from kismet_build.render.fragments.holes import KeptFragments
from kismet_build.render.fragments.html import repeats_heading

MAX_DEPTH = 15
"""Maximum depth of nested blocks. Typst nests at most 64 show rules, and a block takes about three."""
MAX_UNBROKEN = 30
"""Maximum length of a word that is set without breaks. A longer one would be wider than a column, so it may break
anywhere."""
MAX_NAME = 28
"""Maximum length of the items that a list in a statblock shows on one line."""
LONG_WORDS = 4
"""Number of words per column whose width Typst measures, since the word with most letters need not be the widest."""
LONG_WORD = re.compile(rf"\S{{{MAX_UNBROKEN + 1},}}")
BREAK = "\u200b"
"""A zero-width space, where a line may break."""
LINE_END = '" ";linebreak()'
"""A line break. The invisible space separates the words for screen readers and in copied text."""
STYLES = {nodes.Emphasis: "emph", nodes.Strong: "strong", nodes.Strikethrough: "strike", nodes.Highlight: "highlighted"}
"""The Typst function for each type of styled text."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
WORD_END = re.compile(r"[^\W\d_]+")
LINE_BREAK = re.compile(r"<br\b", re.IGNORECASE)


class BookPlace(Protocol):
    """The book that shows the fragments, and fills their holes in the order of the book."""

    def link(self, link: nodes.Link, *, is_in_heading: bool) -> str:
        """The start of the call that links the words after it, up to the open bracket."""
        ...

    def term(self, term: AutolinkRange) -> str:
        """The start of the call for an automatic link, up to the open bracket."""
        ...

    def heading(self, heading: nodes.Heading) -> str:
        """The start of the call for a heading, up to its content."""
        ...

    def starts(self, span: Span) -> str:
        """The marks of entities that start at a block."""
        ...

    def named(self, block: nodes.Block) -> str:
        """The mark of a named block."""
        ...

    def number(self, span: Span) -> int:
        """A number for a block that may be too wide for the page, for reporting it."""
        ...

    def image(self, image: nodes.Image, *, is_in_link: bool) -> str:
        """The code of a picture."""
        ...

    def footnote(self, reference: nodes.FootnoteReference) -> str:
        """The code of a footnote, or of a reference to one that was set before."""
        ...

    def embed(self, embed: nodes.Embed, *, is_inline: bool) -> str:
        """The code of the text that an embed shows."""
        ...

    def callout(self, callout: nodes.Callout, arguments: str) -> str:
        """The code of a callout with these arguments, or of what replaces it in the book."""
        ...


Hole = Callable[[BookPlace], str]
"""A part of a fragment that a place fills: a function that returns its code."""


Pieces = list[str | Hole]
"""Code, with holes between its pieces."""


def string(text: str) -> str:
    """A Typst string literal. Control characters, which have no glyph, are left out."""
    escaped = CONTROL.sub("", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def words(text: str) -> str:
    """A Typst string literal of words to be printed, in which long words may break."""
    if len(text) > MAX_UNBROKEN:
        text = LONG_WORD.sub(lambda word: BREAK.join(word[0]), text)
    return string(text)


def filled(pieces: Pieces, place: BookPlace) -> str:
    """The code of a fragment, with its holes filled by a place."""
    return "".join([piece if isinstance(piece, str) else piece(place) for piece in pieces])


@dataclass(frozen=True, slots=True, kw_only=True)
class TypstFragments:
    """The Typst fragments of a book, each made when first shown."""

    terms: Callable[[nodes.Text], tuple[AutolinkRange, ...]]
    """Automatic links of a text node. Not called inside links and headings."""
    link_words: Callable[[nodes.Link], str]
    """Plain text that replaces the content of a link; empty to keep it."""
    heading_title: Callable[[nodes.Heading], str]
    """Plain text that replaces the content of a heading; empty to keep it."""
    shows_blocks: Callable[[nodes.Embed], bool]
    """Whether an embed shows more than the words of one paragraph."""
    kept: KeptFragments[Pieces]

    def of(self, block: nodes.Block, previous: nodes.Block | None = None) -> Pieces:
        """The fragment of a block, which is a Typst expression.

        Of blocks nested too deeply, only the innermost are shown.
        """
        if isinstance(block, nodes.Table) and repeats_heading(block, previous):
            return self._make(replace(block, caption=()))
        return self.kept.get(block, self._flat if _depth(block) > MAX_DEPTH else self._make)

    def blocks(self, blocks: Sequence[nodes.Block]) -> Pieces:
        """Blocks one after the other, in braces."""
        pieces: Pieces = ["{"]
        for previous, block in zip((None, *blocks), blocks, strict=False):
            if fragment := self.of(block, previous):
                pieces += (*fragment, ";")
        return [*pieces, "}"]

    def body(self, inlines: Sequence[nodes.Inline], *, inside: bool = False) -> Pieces:
        """Inlines one after the other, in braces.

        `inside`: whether they are in a link or heading, where text has no automatic links.
        """
        pieces: Pieces = ["{"]
        word_end = ""
        for inline, following in zip_longest(inlines, inlines[1:]):
            start, word_end = len(word_end), _word_end(inline, following)
            if part := self._inline(inline, inside, start, word_end):
                pieces += (*part, ";")
        return [*pieces, "}"]

    def _make(self, block: nodes.Block) -> Pieces:
        pieces = self._block(block)
        if not pieces or not getattr(block, "block_id", ""):
            return pieces
        return ["{", lambda place: place.named(block), *pieces, "}"]

    def _flat(self, block: nodes.Block) -> Pieces:
        pieces: Pieces = ["{"]
        for leaf in walk_blocks(block):
            if type(leaf) in LEAF_BLOCKS:
                pieces += (*self._make(leaf), ";")
        return [*pieces, "}"]

    def _block(self, block: nodes.Block) -> Pieces:
        match block:
            case nodes.Paragraph(children=children):
                # A Typst paragraph cannot contain blocks.
                has_blocks = any(isinstance(child, nodes.Embed) and self.shows_blocks(child) for child in children)
                function = "paragraph-with-blocks" if has_blocks else "par"
                return [f"{function}({{", lambda place: place.starts(block.span), *self.body(children), "})"]
            case nodes.Heading(children=children, number=number):
                title = self.heading_title(block)
                title_code: Pieces = [words(title)] if title else self.body(children, inside=True)
                title_code = ["{", words(f"{number} "), ";", *title_code, "}"] if number else title_code
                # Typst rejects a heading without characters, because screen readers list headings by their words.
                has_words = title or any(
                    isinstance(node, nodes.Text | nodes.Code) and node.value.strip() for node in walk(block)
                )
                visible = title_code if has_words else ["{", *title_code, ";", string(BREAK), "}"]
                return ["{", lambda place: place.starts(block.span), lambda place: place.heading(block), *visible, ")}"]
            case nodes.List(items=items, start=start, tight=tight):
                marks = f"start: {start}, " if start is not None else ""
                listed = self._arguments(items, self._item)
                return [f"{'ul' if start is None else 'ol'}({marks}tight: {_flag(tight)}, ", *listed, ")"]
            case nodes.ListItem():
                return self._item(block)
            case nodes.Table():
                return self._table(block)
            case nodes.CodeBlock(text=text, info=info):
                language = info.split()[0] if info.split() else ""
                return [f"code({words(text.rstrip())}, {string(language)})"]
            case nodes.BlockQuote(children=children):
                return ["quotation(", *self.blocks(children), ")"]
            case nodes.ThematicBreak():
                return ["rule()"]
            case nodes.Callout(title=title_inlines, children=children):
                callout_title: Pieces = self.body(title_inlines) if title_inlines else ["none"]
                arguments = [*callout_title, ", ", *self.blocks(children)]
                return [lambda place: place.callout(block, filled(arguments, place))]
            case nodes.DefinitionList(items=items):
                return ["definitions(", *self._arguments(items, self._definition), ")"]
            case nodes.DefinitionItem():
                return ["definitions(", *self._definition(block), ")"]
            case nodes.RawBlock():
                text = plain_text(block).strip()
                return [f"par({words(text)})"] if text else []
            case nodes.Statblock(children=properties):
                listed = self._arguments(properties, self._property)
                return [f"statblock({words(block.name)}, ", *listed, ")"]
            case nodes.Property():
                return ["statblock(none, ", *self._property(block), ")"]
            case nodes.FootnoteDefinition():
                return []
            case nodes.Columns() | nodes.Column() | nodes.Div() | nodes.Row() | nodes.Cell():
                return self.blocks(block.children)

    def _arguments(self, items: Iterable[nodes.Block], make: "Callable[..., Pieces]") -> Pieces:
        pieces: Pieces = []
        for item in items:
            pieces += (*make(item), ", ")
        return pieces

    def _item(self, item: nodes.ListItem) -> Pieces:
        named: Pieces = [lambda place: place.named(item)] if item.block_id else []
        checked = [] if item.checked is None else [f"checkbox({_flag(item.checked != ' ')});"]
        return ["{", *checked, *named, *self.content(item.children), "}"]

    def content(self, blocks: Sequence[nodes.Block]) -> Pieces:
        """The content of a cell, item or footnote. A paragraph at its start is written as words only."""
        if blocks and isinstance(first := blocks[0], nodes.Paragraph) and not first.block_id:
            rest = self.blocks(blocks[1:]) if len(blocks) > 1 else []
            return ["{", lambda place: place.starts(first.span), *self.body(first.children), ";", *rest, "}"]
        return self.blocks(blocks)

    def _definition(self, item: nodes.DefinitionItem) -> Pieces:
        start: Pieces = [lambda place: place.named(item), lambda place: place.starts(item.span)]
        return ["({", *start, *self.body(item.term), "}, ", *self.blocks(item.children), ")"]

    def _property(self, item: nodes.Property) -> Pieces:
        return [f"({words(key_label(item.key))}, ", *self._value(item.children), ")"]

    def _value(self, blocks: Sequence[nodes.Block]) -> Pieces:
        """The value of a property.

        A list of names is on one line; a list of maps becomes entries, each with a title.
        """
        if not any(isinstance(block, nodes.List | nodes.Property) for block in blocks):
            return self.content(blocks)
        pieces: Pieces = ["{"]
        for block in blocks:
            match block:
                case nodes.Property(children=children):
                    value = self._value(children) if children else []
                    pieces += [f"labelled({words(key_label(block.key))}, ", *value, ");"] if value else []
                case nodes.List(items=items) if all(map(_is_name, items)):
                    for number, item in enumerate(items):
                        pieces += ('", ";' if number else "", *self.content(item.children), ";")
                case nodes.List(items=items):
                    for item in items:
                        pieces += (*self._entry(item), ";")
                case _:
                    pieces += (*self.of(block), ";")
        return [*pieces, "}"]

    def _entry(self, item: nodes.ListItem) -> Pieces:
        properties = {block.key.casefold(): block for block in item.children if isinstance(block, nodes.Property)}
        name, text = (properties.pop(key, None) for key in ("name", "desc"))
        if name is None and text is None:
            return ["entry(none, ", *self._value(item.children), ", none)"]
        title: Pieces = self._value(name.children) if name else ["none"]
        words_of_entry: Pieces = self._value(text.children) if text else ["none"]
        return ["entry(", *title, ", ", *words_of_entry, ", ", *self._value([*properties.values()]), ")"]

    def _table(self, table: nodes.Table) -> Pieces:
        cells = [[plain_text(cell) for cell in row.cells] for row in table.children]
        columns = ", ".join(
            f"(align: {side or 'auto'}, longest: ({_long_words(texts)},))"
            for side, texts in zip(table.alignments, zip(*cells, strict=True), strict=True)
        )
        has_header = any(cell.children for cell in table.header.cells)
        caption: Pieces = self.body(table.caption) if table.caption else ["none"]
        header = self._row(table.header) if has_header else ["none"]
        rows = self._arguments(table.rows, self._row)
        # A header with footnotes cannot be repeated on each page.
        flags = f"repeats: {_flag(not _has_notes(table.header))}, notes: {_flag(_has_notes(table))}"
        start: Pieces = [f"grid-table({flags}, ", lambda place: str(place.number(table.span)), f", ({columns},), "]
        return [*start, *header, ", (", *rows, "), ", *caption, ")"]

    def _row(self, row: nodes.Row) -> Pieces:
        return ["(", *self._arguments(row.cells, lambda cell: self.content(cell.children)), ")"]

    # --- inlines

    def _inline(self, inline: nodes.Inline, inside: bool, start: int, word_end: str) -> Pieces:
        match inline:
            case nodes.Text():
                return self._text(inline, inside, start)
            case nodes.Emphasis() | nodes.Strong() | nodes.Strikethrough() | nodes.Highlight():
                return [f"{STYLES[type(inline)]}(", *self.body(inline.children, inside=inside), ")"]
            case nodes.InlineField(children=children) | nodes.DiceRoll(children=children):
                return self.body(children, inside=inside)
            case nodes.Code(value=value):
                return [f"verbatim({words(value)})"]
            case nodes.Math(value=value, mathml=mathml):
                is_block = _flag(' display="block"' in mathml)
                code = f", {typst_math(CONTROL.sub('', mathml))}, {string(value)}, block: {is_block})"
                return ["formula(", lambda place: str(place.number(inline.span)), code]
            case nodes.Tag(name=name):
                return [words(f"#{name}")]
            case nodes.Link():
                title = self.link_words(inline)
                content: Pieces = [words(title)] if title else self.body(inline.children, inside=True)
                content = ["{", *content, ";", words(word_end), "}"] if word_end else content
                return [lambda place: place.link(inline, is_in_heading=inside), *content, ")"]
            case nodes.Image():
                notes = self.body([*footnote_references(inline)])
                return ["{", lambda place: place.image(inline, is_in_link=inside), ";", *notes, "}"]
            case nodes.Embed():
                return [lambda place: place.embed(inline, is_inline=not self.shows_blocks(inline))]
            case nodes.FootnoteReference():
                return [lambda place: place.footnote(inline)]
            case nodes.SoftBreak():
                return ['" "']
            case nodes.HardBreak():
                return [LINE_END]
            case nodes.RawInline(text=text):
                return [LINE_END] if LINE_BREAK.match(text) else []

    def _text(self, text: nodes.Text, inside: bool, start: int) -> Pieces:
        """The text from the offset `start` on. Any letters before that end the last word of the preceding link."""
        value = text.value
        terms = () if inside else self.terms(text)
        if not terms:
            return [words(value[start:])]
        pieces: Pieces = ["{"]
        for term in terms:
            named = words(value[term.start : term.end])
            pieces += (words(value[start : term.start]), ";", partial(_term_start, term), named, ");")
            start = term.end
        return [*pieces, words(value[start:]), "}"]


def _word_end(inline: nodes.Inline, following: nodes.Inline | None) -> str:
    """The letters after a link that belong to its last word, such as the plural of `[[Wraith]]s`.

    They become part of the link. Otherwise the page number after the link would split the word.
    """
    if (
        isinstance(inline, nodes.Link)
        and isinstance(following, nodes.Text)
        and (found := WORD_END.match(following.value))
    ):
        return found[0]
    return ""


def _term_start(term: AutolinkRange, place: BookPlace) -> str:
    return place.term(term)


def _depth(block: nodes.Block) -> int:
    if type(block) in LEAF_BLOCKS:
        return 0
    return 1 + max(map(_depth, block.children), default=0)  # type: ignore[union-attr]


def _is_name(item: nodes.ListItem) -> bool:
    return (
        len(item.children) == 1 and isinstance(item.children[0], nodes.Paragraph) and len(plain_text(item)) <= MAX_NAME
    )


def _has_notes(block: nodes.Block) -> bool:
    return any(isinstance(node, nodes.FootnoteReference) for node in walk(block))


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _long_words(texts: Sequence[str]) -> str:
    """The longest words of a column, as Typst code. One of them is probably the widest.

    Words are cut at `MAX_UNBROKEN`, since longer ones may break. `texts`: the text of each cell, first that of the
    header, which has a different font.
    """
    head, *cells = ([word[:MAX_UNBROKEN] for word in text.split()] for text in texts)
    longest = sorted(dict.fromkeys(chain.from_iterable(cells)), key=len, reverse=True)[:LONG_WORDS]
    return ", ".join(map(words, [max(head, key=len, default=""), *longest]))
