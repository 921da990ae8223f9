"""Turn the tokens of a text into blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from kismet_build.model.diagnostic import Related, warning
from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Callout,
    Cell,
    CodeBlock,
    Column,
    Columns,
    DefinitionItem,
    DefinitionList,
    Div,
    FootnoteDefinition,
    Heading,
    List,
    ListItem,
    Node,
    Paragraph,
    RawBlock,
    Row,
    Table,
    Text,
    ThematicBreak,
)
from kismet_build.model.source import Span
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.inlines import NamePlace, Words, convert
from kismet_build.parse.markdown.repairs.captions import bind_captions
from kismet_build.parse.markdown.repairs.escaped_numbers import repair_numbers
from kismet_build.parse.markdown.repairs.inline_marks import repair_heading, repair_words
from kismet_build.parse.markdown.repairs.pasted_bullets import SIGNS as BULLET_SIGNS
from kismet_build.parse.markdown.repairs.pasted_bullets import repair_bullets
from kismet_build.parse.markdown.repairs.split_quotes import join_quotes
from kismet_build.parse.markdown.repairs.tables import repair_table
from kismet_build.parse.markdown.rules.block_id import NAME
from kismet_build.parse.markdown.rules.odd_space import ODD, tell_odd_space
from kismet_build.parse.markdown.state import Content, Passage, Reading

Named = Paragraph | Heading | List | Table | CodeBlock | BlockQuote | Callout | DefinitionList | Div
"""Blocks that can have a name from a line below them."""

Holder = TypeVar("Holder", ListItem, BlockQuote, Callout)


def blocks(tokens: list[Token], reading: Reading) -> tuple[Block, ...]:
    """All blocks of a text; footnotes that stand inside words come last."""
    reader = _Blocks(tokens, reading)
    return (*reader.until(""), *reader.notes)


class _Blocks:
    """Tokens, and how far they are read."""

    def __init__(self, tokens: list[Token], reading: Reading) -> None:
        self.tokens = tokens
        self.reading = reading
        self.source = reading.source
        self.at = 0
        self.notes: list[FootnoteDefinition] = []
        self.names: dict[str, Span] = {}
        self.ids: dict[str, int] = {}
        text = reading.source.text
        self.has_bullets = reading.odd or any(sign in text for sign in BULLET_SIGNS)
        self.has_escapes = "\\" in text

    def until(self, close: str) -> tuple[Block, ...]:
        """The blocks up to a token, which is passed over."""
        found: list[Block] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == close:
                break
            _add(self.block(token), found)
        return self.as_meant(tuple(found))

    def as_meant(self, found: tuple[Block, ...]) -> tuple[Block, ...]:
        """The blocks of a text or of a container, with what several of them were meant to be together."""
        if not self.reading.repairs:
            return found
        if self.has_bullets:
            found = repair_bullets(found, self.reading)
        if self.has_escapes:
            found = repair_numbers(found, self.reading)
        return bind_captions(join_quotes(found, self.reading)) if len(found) > 1 else found

    def block(self, token: Token) -> Block:
        """The block that a token begins."""
        span = self.span(token)
        match token.type:
            case "paragraph_open":
                words = self.tokens[self.at]
                self.at += 2
                return self.paragraph(words.meta["content"], words.children or [], span)
            case "heading_open":
                return self.heading(token, span)
            case "bullet_list_open" | "ordered_list_open":
                return self.list(token, span)
            case "blockquote_open":
                return self.quote(span)
            case "fence" | "code_block":
                return CodeBlock(span=span, text=token.content, info=unescapeAll(token.info).strip())
            case "hr":
                return ThematicBreak(span)
            case "html_block":
                return RawBlock(span, "html", token.content)
            case "definitions_open":
                return DefinitionList(span=span, items=tuple(self.definitions()))
            case "table_open":
                return self.table(token, span)
            case "columns_open":
                return self.columns(token, span)
            case "footnote_open":
                return FootnoteDefinition(span=span, label=token.meta["label"], children=self.until("footnote_close"))
            case _:
                raise AssertionError(f"no token is called {token.type}")

    def span(self, token: Token) -> Span:
        """Where the block of a token stands."""
        return self.source.span(*token.meta["span"])

    def paragraph(self, content: Content, tokens: list[Token], span: Span) -> Paragraph:
        """The paragraph of some words."""
        words = self.words_of(content, tokens)
        span = _shared(self.bare(span, words.inlines), words.inlines)
        return Paragraph(span=span, children=words.inlines, block_id=self.name(words.name))

    def words(self) -> Words:
        """The words of the block that was begun; passes over its closing token."""
        token = self.tokens[self.at]
        self.at += 2
        return self.words_of(token.meta["content"], token.children or [])

    def words_of(self, content: Content, tokens: list[Token]) -> Words:
        """Some words as they were meant."""
        self.reading.content = content
        words = convert(tokens, content, self.reading)
        self.notes += words.notes
        return Words(repair_words(words.inlines, self.reading), words.name)

    def bare(self, span: Span, words: Sequence[Node]) -> Span:
        """The place of a paragraph without the odd spaces before its first word."""
        if not self.reading.odd or not self.reading.repairs or not words or not ODD.match(span.text):
            return span
        first = words[0].span.start
        tell_odd_space(self.reading, span.source.span(span.start, first), "the beginning of a paragraph")
        return span.source.span(first, span.end)

    def name(self, name: NamePlace | None) -> str:
        """The fragment that names a block; a second block of the same name is told."""
        if name is None:
            return ""
        first = self.names.setdefault(name.name.casefold(), name.span)
        if first is not name.span:
            related = (Related(first, "the first stands here"),)
            hint = "a link goes to the first; give this block another name"
            message = f'two blocks have the name "^{name.name}"'
            self.reading.report(warning("duplicate-block-id", name.span, message, hint, related))
        return f"^{name.name}"

    def named(self, holder: Holder) -> Holder:
        """An entry, quote or callout, with the name that stands at the end of a paragraph in it."""
        if not self.names or holder.block_id:
            return holder
        named = next((child for child in holder.children if isinstance(child, Paragraph) and child.block_id), None)
        if named is None:
            return holder
        children = tuple(replace(named, block_id="") if child is named else child for child in holder.children)
        return replace(holder, children=children, block_id=named.block_id)

    def heading(self, token: Token, span: Span) -> Heading:
        """A heading, with its title as typed."""
        raw = self.tokens[self.at].content
        words = self.words()
        if words.name:
            raw = NAME.sub("", raw)
        return Heading(
            span=span,
            level=int(token.tag[1]),
            children=repair_heading(words.inlines, span, self.reading),
            raw=raw.strip(),
            id=github_id(words.inlines, self.ids) if self.reading.options.get("github_ids") else "",
            block_id=self.name(words.name),
        )

    def list(self, token: Token, span: Span) -> List:
        """A list, which is tight when the paragraphs in it are hidden."""
        start = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
        close = token.type.replace("open", "close")
        items: list[ListItem] = []
        tight = True
        while (item := self.tokens[self.at]).type != close:
            self.at += 1
            first = self.at
            children = self.until("list_item_close")
            tight &= not any(
                one.type == "paragraph_open" and one.level == item.level + 1 and not one.hidden
                for one in self.tokens[first : self.at]
            )
            checked = item.meta.get("checked")
            items.append(self.named(ListItem(span=self.span(item), children=children, checked=checked)))
        self.at += 1
        return List(span=span, items=tuple(items), start=start, tight=tight)

    def quote(self, span: Span) -> BlockQuote | Callout:
        """A quote, or the callout that its first line makes of it."""
        title = self.tokens[self.at]
        if title.type != "callout_title_open":
            return self.named(BlockQuote(span=span, children=self.until("blockquote_close")))
        self.at += 1
        words = self.words()
        callout = Callout(
            span=span,
            title=words.inlines,
            children=self.until("blockquote_close"),
            block_id=self.name(words.name),
            **title.meta["callout"],
        )
        return self.named(callout)

    def definitions(self) -> Iterator[DefinitionItem]:
        """The terms of a list, each with what it means; of several in a row the last one."""
        while (token := self.tokens[self.at]).type == "term_open":
            self.at += 1
            words = self.words()
            meaning: list[Block] = []
            end = self.span(token).end
            while (opened := self.tokens[self.at]).type == "meaning_open":
                self.at += 1
                meaning += self.until("meaning_close")
                end = self.span(opened).end
            span = self.reading.source.span(self.span(token).start, end)
            yield DefinitionItem(span=span, term=words.inlines, children=tuple(meaning), block_id=self.name(words.name))
        self.at += 1

    def table(self, token: Token, span: Span) -> Table:
        """A table; the first row is its header."""
        rows: list[Row] = []
        while (row := self.tokens[self.at]).type == "row":
            self.at += 1
            rows.append(Row(span=self.span(row), cells=tuple(map(self.cell, row.meta["cells"]))))
        self.at += 1
        header, *others = rows
        table = Table(span=span, header=header, rows=tuple(others), alignments=token.meta["alignments"])
        return repair_table(table, self.reading)

    def cell(self, passages: Sequence[Passage]) -> Cell:
        """A cell of a table; it is empty where its only passage is."""
        span = self.source.span(passages[0].span[0], passages[-1].span[1])
        found: list[Block] = []
        for passage in passages:
            if passage.content.text:
                place = span if len(passages) == 1 else self.source.span(*passage.span)
                _add(self.paragraph(passage.content, passage.tokens, place), found)
        children = self.as_meant(tuple(found)) if found else ()
        return Cell(span=_shared(span, children), children=children)

    def columns(self, token: Token, span: Span) -> Columns:
        """A region set in columns."""
        columns: list[Column] = []
        while (column := self.tokens[self.at]).type == "column_open":
            self.at += 1
            columns.append(Column(span=self.span(column), children=self.until("column_close")))
        self.at += 1
        return Columns(span=span, columns=tuple(columns), count=token.meta["count"])


def _shared(span: Span, children: Sequence[Node]) -> Span:
    """The span of the only child if it is equal, to save memory: most paragraphs and cells are a single text."""
    return children[0].span if len(children) == 1 and children[0].span == span else span


def _add(block: Block, found: list[Block]) -> None:
    """Add a block to those found; a name on a line of its own is that of the block above it."""
    if not isinstance(block, Paragraph) or block.children:
        found.append(block)
    elif block.block_id:
        if found and isinstance(found[-1], Named) and not found[-1].block_id:
            found[-1] = replace(found[-1], block_id=block.block_id)
        else:
            found.append(replace(block, children=(Text(block.span, block.block_id),), block_id=""))
