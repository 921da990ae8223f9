"""Convert the tokens of a Markdown text to blocks."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Related, warning
from kismet_build.model.nodes import LEFT_OUT, MODIFIER_KEYS, TARGETS, plain_text, walk_blocks
from kismet_build.model.source import Span
from kismet_build.parse.markdown.attributes import (
    Attributes,
    Identifiable,
    is_adjacent,
    language_of,
    with_attributes,
    without_contents,
)
from kismet_build.parse.markdown.codes import parse_dice_header
from kismet_build.parse.markdown.inlines import BlockId, ParsedInlines, convert
from kismet_build.parse.markdown.repairs import (
    BULLET_STRINGS,
    ODD_SPACE,
    bind_captions,
    join_quotes,
    repair_bullets,
    repair_heading,
    repair_inlines,
    repair_numbers,
    repair_table,
    report_odd_space,
)
from kismet_build.parse.markdown.rules.box import GROUP, Box
from kismet_build.parse.markdown.rules.obsidian import BLOCK_ID, ID_BELOW
from kismet_build.parse.markdown.rules.statblock import EXTENDS_KEYS, OPTIONS
from kismet_build.parse.markdown.shortcodes import without_escapes
from kismet_build.parse.markdown.state import CellParagraph, MappedText, ParseState
from kismet_build.parse.markdown.yaml_values import YamlValue

IdentifiableBelow = Identifiable | nodes.Heading
"""Blocks whose block id may be on a separate line below them."""

MakeId = Callable[[Sequence[nodes.Inline], dict[str, int]], str]
"""Makes the id of a heading from its title. The second argument counts the headings with each id."""

HTML_ID = re.compile(
    r"""<(?:a|span)(?:\s+[\w-]+(?:=(?:"[^"<>]*"|'[^'<>]*'))?)*?\s+(?:id|name)=["'](?P<id>[\w.:-]+)["']""", re.IGNORECASE
)
"""An HTML element in a line that can be the target of links: `<a id="oil"></a>`."""

Container = TypeVar("Container", nodes.ListItem, nodes.BlockQuote, nodes.Callout)


def blocks_from_tokens(tokens: list[Token], state: ParseState) -> tuple[nodes.Block, ...]:
    """All blocks of a text, followed by the definitions of inline footnotes."""
    converter = _Converter(tokens, state)
    return (*converter.blocks_until(""), *converter.inline_footnotes)


def property_nodes(properties: YamlValue, state: ParseState) -> tuple[nodes.Property, ...]:
    """The nodes of properties, which are not among the blocks of a text."""
    blocks = _Converter([], state).yaml_value(properties)
    return tuple(block for block in blocks if isinstance(block, nodes.Property))


class _Converter:
    """Converts tokens to blocks, starting at `position`."""

    def __init__(self, tokens: list[Token], state: ParseState) -> None:
        self.tokens = tokens
        self.state = state
        self.source = state.source
        self.position = 0
        self.inline_footnotes: list[nodes.FootnoteDefinition] = []
        self.block_ids: dict[str, Span] = {}
        """The span where each block id first occurs, by case-folded id."""
        self.heading_ids: dict[str, int] = {}
        text = state.source.text
        self.may_have_bullets = state.may_have_odd_space or any(bullet in text for bullet in BULLET_STRINGS)
        self.may_have_escapes = "\\" in text

    def blocks_until(self, close: str) -> tuple[nodes.Block, ...]:
        """The blocks up to the next token of this type, which is consumed."""
        blocks: list[nodes.Block] = []
        above: list[Token] = []
        contents: tuple[int, int] | None = None
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token.type == close:
                break
            if token.type != "attributes":
                block: nodes.Block | None = self.block(token)
                for attributes in reversed(above):
                    if block is not None and is_adjacent(self.span(attributes), block.span):
                        block = self.with_attributes(block, attributes)
                above = []
                if block is not None:
                    _append(block, blocks)
            elif blocks and not above and is_adjacent(blocks[-1].span, self.span(token)):
                last = blocks.pop()
                block = self.with_attributes(last, token)
                if block is not None:
                    blocks.append(block)
                else:  # the attributes replace the block by a table of contents
                    contents = contents or (len(blocks), last.span.start)
            else:
                above.append(token)
        return self.repaired(tuple(blocks) if contents is None else without_contents(blocks, *contents))

    def with_attributes(self, block: nodes.Block, token: Token) -> nodes.Block | None:
        attributes: Attributes = token.meta["attributes"]
        return with_attributes(block, attributes, self.span(token), self.state.options)

    def repaired(self, blocks: tuple[nodes.Block, ...]) -> tuple[nodes.Block, ...]:
        if not self.state.repairs:
            return blocks
        if self.may_have_bullets:
            blocks = repair_bullets(blocks, self.state)
        if self.may_have_escapes:
            blocks = repair_numbers(blocks, self.state)
        return bind_captions(join_quotes(blocks, self.state)) if len(blocks) > 1 else blocks

    def block(self, token: Token) -> nodes.Block:
        span = self.span(token)
        match token.type:
            case "paragraph_open":
                inline = self.tokens[self.position]
                self.position += 2
                return self.paragraph(inline.meta["content"], inline.children or [], span)
            case "heading_open":
                return self.heading(token, span)
            case "bullet_list_open" | "ordered_list_open":
                return self.list(token, span)
            case "blockquote_open":
                return self.quote(span)
            case "fence" | "code_block":
                info = unescapeAll(token.info).strip()
                if "{" in info and self.state.options.get("code_attributes"):
                    info = language_of(info)
                is_hugo = self.state.options.get("code_shortcodes")
                text = without_escapes(token.content) if is_hugo else token.content
                return nodes.CodeBlock(span=span, text=text, info=info)
            case "statblock":
                return self.statblock(token.meta["statblock"], span)
            case "hr":
                return nodes.ThematicBreak(span)
            case "html_block":
                return nodes.RawBlock(span, "html", token.content)
            case "foreign_block":
                return nodes.RawBlock(span, token.info, "")
            case "box_open":
                return self.box(token.meta["box"], span)
            case "definitions_open":
                return nodes.DefinitionList(span=span, items=tuple(self.definitions()))
            case "table_open":
                return self.table(token, span)
            case "columns_open":
                return self.columns(token, span)
            case "footnote_open":
                children = self.blocks_until("footnote_close")
                return nodes.FootnoteDefinition(span=span, label=token.meta["label"], children=children)
            case _:
                raise AssertionError(f"no token is called {token.type}")

    def span(self, token: Token) -> Span:
        return self.source.span(*token.meta["span"])

    def paragraph(self, content: MappedText, tokens: list[Token], span: Span) -> nodes.Paragraph:
        parsed = self.inlines(content, tokens)
        span = _shared(self.without_odd_space(span, parsed.inlines), parsed.inlines)
        return nodes.Paragraph(span=span, children=parsed.inlines, block_id=self.id_of(parsed))

    def content_of_open_block(self) -> ParsedInlines:
        """The inline content of the block whose opening token was consumed. Consumes its closing token."""
        token = self.tokens[self.position]
        self.position += 2
        return self.inlines(token.meta["content"], token.children or [])

    def inlines(self, content: MappedText, tokens: list[Token]) -> ParsedInlines:
        self.state.content = content
        parsed = convert(tokens, content, self.state)
        self.inline_footnotes += parsed.footnotes
        return ParsedInlines(repair_inlines(parsed.inlines, self.state), parsed.block_id, parsed.footnotes)

    def without_odd_space(self, span: Span, inlines: Sequence[nodes.Node]) -> Span:
        may_have_odd_space = self.state.may_have_odd_space and self.state.repairs
        if not may_have_odd_space or not inlines or not ODD_SPACE.match(span.text):
            return span
        first = inlines[0].span.start
        report_odd_space(self.state, span.source.span(span.start, first), "the beginning of a paragraph")
        return span.source.span(first, span.end)

    def id_of(self, parsed: ParsedInlines) -> str:
        """The id of a block with this content: a block id or, in texts for site generators, the id of an HTML
        element.
        """
        if parsed.block_id is not None or not self.state.options.get("html_ids"):
            return self.block_id(parsed.block_id)
        tags = (HTML_ID.match(inline.text) for inline in parsed.inlines if isinstance(inline, nodes.RawInline))
        return next((tag["id"] for tag in tags if tag is not None), "")

    def block_id(self, block_id: BlockId | None) -> str:
        """The URL fragment of a block id; empty for `None`. Reports an id already used by an earlier block."""
        if block_id is None:
            return ""
        first = self.block_ids.setdefault(block_id.name.casefold(), block_id.span)
        if first is not block_id.span:
            related = (Related(first, "the first one is here"),)
            hint = "links lead to the first; rename this one"
            message = f'two blocks have the name "^{block_id.name}"'
            self.state.report(warning("duplicate-block-id", block_id.span, message, hint, related))
        return f"^{block_id.name}"

    def with_block_id(self, container: Container) -> Container:
        """A container with the first block id of its paragraphs, which is removed from the paragraph."""
        if not self.block_ids or container.block_id:
            return container
        with_id = (child for child in container.children if isinstance(child, nodes.Paragraph) and child.block_id)
        paragraph = next(with_id, None)
        if paragraph is None:
            return container
        children = tuple(
            replace(paragraph, block_id="") if child is paragraph else child for child in container.children
        )
        return replace(container, children=children, block_id=paragraph.block_id)

    def heading(self, token: Token, span: Span) -> nodes.Heading:
        raw = self.tokens[self.position].content
        parsed = self.content_of_open_block()
        if parsed.block_id:
            raw = BLOCK_ID.sub("", raw)
        return nodes.Heading(
            span=span,
            level=int(token.tag[1]),
            children=repair_heading(parsed.inlines, span, self.state),
            raw=raw.strip(),
            id=self.heading_id(token, parsed.inlines),
            block_id=self.id_of(parsed),
        )

    def heading_id(self, token: Token, title: tuple[nodes.Inline, ...]) -> str:
        """The id of a heading: that of the author, or else of the dialect; empty if there is neither."""
        attributes: Attributes | None = token.meta.get("attributes")
        if attributes is not None and attributes.id:
            self.heading_ids.setdefault(attributes.id, 1)
            return attributes.id
        make_id: MakeId | None = self.state.options.get("heading_id")
        return make_id(title, self.heading_ids) if make_id else ""

    def box(self, box: Box, span: Span) -> nodes.Callout | nodes.Div:
        """A callout, a tab or another group of blocks."""
        title: tuple[nodes.Inline, ...] = ()
        if self.tokens[self.position].type == "box_title_open":
            self.position += 1
            title = self.content_of_open_block().inlines
        children = self.blocks_until("box_close")
        if children and all(isinstance(child, nodes.RawBlock) and child.format in LEFT_OUT for child in children):
            # The box has only marks that are not shown, so it would be empty.
            return nodes.Div(span=span, name=GROUP, children=children)
        if not box.name:
            return nodes.Callout(
                span=span,
                kind=box.kind,
                title=title,
                children=children,
                fold=box.fold,
                metadata=box.metadata,
                block_id=box.block_id,
            )
        if title:
            whole = title[0].span.source.span(title[0].span.start, title[-1].span.end)
            children = (nodes.Paragraph(span=whole, children=(nodes.Strong(whole, title),)), *children)
        return nodes.Div(span=span, name=box.name, children=children, block_id=box.block_id)

    def list(self, token: Token, span: Span) -> nodes.List:
        """A list. A list is tight if markdown-it hides the paragraphs in its items."""
        start = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
        close = token.type.replace("open", "close")
        items: list[nodes.ListItem] = []
        tight = True
        while (item := self.tokens[self.position]).type != close:
            self.position += 1
            first = self.position
            children = self.blocks_until("list_item_close")
            tight &= not any(
                inner.type == "paragraph_open" and inner.level == item.level + 1 and not inner.hidden
                for inner in self.tokens[first : self.position]
            )
            checked = item.meta.get("checked")
            items.append(self.with_block_id(nodes.ListItem(span=self.span(item), children=children, checked=checked)))
        self.position += 1
        return self.with_id_below(nodes.List(span=span, items=tuple(items), start=start, tight=tight))

    def with_id_below(self, items: nodes.List) -> nodes.List:
        """A list with the block id on the line below it, which is read as part of its last item."""
        *before, last = items.items
        nested = last.children[-1] if last.children else None
        owner = nested if isinstance(nested, nodes.List) and nested.block_id else last
        below = ID_BELOW.search(last.span.text) if owner.block_id else None
        line_start = self.source.text.rfind("\n", 0, items.span.start) + 1
        if below is None or len(below["indent"]) > items.span.start - line_start:
            return items
        children = last.children if owner is last else (*last.children[:-1], replace(owner, block_id=""))
        last = replace(last, children=children, block_id="" if owner is last else last.block_id)
        return replace(items, items=(*before, last), block_id=owner.block_id)

    def quote(self, span: Span) -> nodes.BlockQuote | nodes.Callout:
        """A block quote, or a callout if it begins with a callout title or with attributes that make it a callout."""
        title = self.tokens[self.position]
        if title.type == "attributes":
            self.position += 1
            quote = nodes.BlockQuote(span=span, children=self.blocks_until("blockquote_close"))
            block = self.with_attributes(quote, title)
            return block if isinstance(block, nodes.Callout) else quote
        if title.type != "callout_title_open":
            return self.with_block_id(nodes.BlockQuote(span=span, children=self.blocks_until("blockquote_close")))
        self.position += 1
        parsed = self.content_of_open_block()
        callout = nodes.Callout(
            span=span,
            title=parsed.inlines,
            children=self.blocks_until("blockquote_close"),
            block_id=self.block_id(parsed.block_id),
            **title.meta["callout"],
        )
        return self.with_block_id(callout)

    def definitions(self) -> Iterator[nodes.DefinitionItem]:
        """The items of a definition list. Of several consecutive terms, the last has the definitions."""
        while (token := self.tokens[self.position]).type == "term_open":
            self.position += 1
            parsed = self.content_of_open_block()
            children: list[nodes.Block] = []
            end = self.span(token).end
            while (definition := self.tokens[self.position]).type == "definition_open":
                self.position += 1
                children += self.blocks_until("definition_close")
                end = self.span(definition).end
            span = self.source.span(self.span(token).start, end)
            block_id = self.block_id(parsed.block_id)
            yield nodes.DefinitionItem(span=span, term=parsed.inlines, children=tuple(children), block_id=block_id)
        self.position += 1

    def table(self, token: Token, span: Span) -> nodes.Table:
        rows: list[nodes.Row] = []
        while (row := self.tokens[self.position]).type == "row":
            self.position += 1
            read = self.cell if rows else self.header_cell
            rows.append(nodes.Row(span=self.span(row), cells=tuple(map(read, row.meta["cells"]))))
        self.position += 1
        header, *body = rows
        table = nodes.Table(span=span, header=header, rows=tuple(body), alignments=token.meta["alignments"])
        return repair_table(table, self.state)

    def header_cell(self, paragraphs: Sequence[CellParagraph]) -> nodes.Cell:
        """A cell of the header. The text `dice: 1d100` marks a lookup table of the plugin Dice Roller."""
        content = paragraphs[0].content
        if len(paragraphs) == 1 and self.state.options.get("dice_codes"):
            roll = parse_dice_header(content, self.state)
            if roll is not None:
                return nodes.Cell(span=roll.span, children=(nodes.Paragraph(span=roll.span, children=(roll,)),))
        return self.cell(paragraphs)

    def cell(self, paragraphs: Sequence[CellParagraph]) -> nodes.Cell:
        """A table cell. A cell with empty paragraphs has no children."""
        span = self.source.span(paragraphs[0].span[0], paragraphs[-1].span[1])
        blocks: list[nodes.Block] = []
        for paragraph in paragraphs:
            if paragraph.content.text:
                paragraph_span = span if len(paragraphs) == 1 else self.source.span(*paragraph.span)
                _append(self.paragraph(paragraph.content, paragraph.tokens, paragraph_span), blocks)
        children = self.repaired(tuple(blocks)) if blocks else ()
        return nodes.Cell(span=_shared(span, children), children=children)

    def statblock(self, value: YamlValue, span: Span) -> nodes.Statblock:
        """A statblock. Options of the plugin are left out of the properties."""
        properties: list[nodes.Property] = []
        layout = ""
        extends: dict[str, Span] = {}
        for key, key_span, item in value.properties:
            blocks = self.yaml_value(item)
            if key.casefold() in MODIFIER_KEYS:
                blocks = tuple(_with_signs(block) for block in blocks)
            if key in EXTENDS_KEYS:
                for name in _names(blocks):
                    extends.setdefault(name, self.source.span(*item.span))
            elif key.casefold() in OPTIONS:
                layout = next(iter(_names(blocks)), "") if key.casefold() == "layout" else layout
            else:
                properties.append(nodes.Property(span=self.source.span(*key_span), key=key, children=blocks))
        return nodes.Statblock(span=span, children=tuple(properties), layout=layout, extends=tuple(extends.items()))

    def yaml_value(self, value: YamlValue) -> tuple[nodes.Block, ...]:
        if value.properties:
            return tuple(
                nodes.Property(span=self.source.span(*span), key=key, children=self.yaml_value(item))
                for key, span, item in value.properties
            )
        if value.items:
            items = tuple(
                nodes.ListItem(span=self.source.span(*item.span), children=self.yaml_value(item))
                for item in value.items
            )
            return (nodes.List(span=self.source.span(*value.span), items=items),)
        return tuple(
            self.paragraph(paragraph.content, paragraph.tokens, self.source.span(*paragraph.span))
            for paragraph in value.paragraphs
        )

    def columns(self, token: Token, span: Span) -> nodes.Columns:
        columns: list[nodes.Column] = []
        while (column := self.tokens[self.position]).type == "column_open":
            self.position += 1
            columns.append(nodes.Column(span=self.span(column), children=self.blocks_until("column_close")))
        self.position += 1
        return nodes.Columns(span=span, columns=tuple(columns), count=token.meta["count"])


def _with_signs(block: nodes.Block, key: str = "") -> nodes.Block:
    """Saves and skills with a sign before each number: `Wisdom: 7` is a modifier of +7, as the plugin shows it."""
    match block:
        case nodes.Paragraph(children=(nodes.Text(value=number) as text,)) if number.isdecimal() and key not in TARGETS:
            return replace(block, children=(replace(text, override=f"+{number}"),))
        case nodes.Property():
            return replace(block, children=tuple(_with_signs(child, block.key.casefold()) for child in block.children))
        case nodes.List():
            return replace(block, items=tuple(_with_signs(item) for item in block.items))  # type: ignore[misc]
        case nodes.ListItem():
            return replace(block, children=tuple(map(_with_signs, block.children)))
        case _:
            return block


def _names(blocks: Sequence[nodes.Block]) -> list[str]:
    paragraphs = [block for block in walk_blocks(*blocks) if isinstance(block, nodes.Paragraph)]
    return [" ".join(plain_text(paragraph).split()) for paragraph in paragraphs]


def _shared(span: Span, children: Sequence[nodes.Node]) -> Span:
    """The span of an only child if it is equal to `span`.

    This saves memory: most paragraphs and cells are a single text.
    """
    return children[0].span if len(children) == 1 and children[0].span == span else span


def _is_bare(paragraph: nodes.Paragraph) -> bool:
    return all(isinstance(child, nodes.RawInline) for child in paragraph.children)


def _append(block: nodes.Block, blocks: list[nodes.Block]) -> None:
    """Append a block to its siblings.

    A paragraph that is only a block id gives this id to the block above, if possible.
    """
    above = blocks[-1] if blocks else None
    if isinstance(block, nodes.Heading) and isinstance(above, nodes.Paragraph) and above.block_id and _is_bare(above):
        # The id of an HTML element above a heading becomes the id of the heading.
        blocks[-1] = replace(above, block_id="")
        block = block if block.block_id or block.id == above.block_id else replace(block, block_id=above.block_id)
    if not isinstance(block, nodes.Paragraph) or block.children:
        blocks.append(block)
    elif block.block_id and blocks and isinstance(blocks[-1], IdentifiableBelow) and not blocks[-1].block_id:
        blocks[-1] = replace(blocks[-1], block_id=block.block_id)
    elif block.block_id:
        blocks.append(replace(block, block_id="", children=(nodes.Text(block.span, block.block_id),)))
