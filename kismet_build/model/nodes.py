"""The document: frozen blocks and inlines, every one with its span, and ways to walk them."""

import copyreg
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, get_args

from kismet_build.model.source import Source, Span

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def node(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:  # noqa: ARG001 - for mypy
    """The class of a node, which nobody changes: mypy sees to that, and that fields are named where `kw_only` says so.

    What sees to it while a program runs sets each field of a new node by a call, which takes two thirds of the time.
    """
    return dataclass(slots=True, unsafe_hash=True)


# --- inlines


@node()
class Text:
    """Words as they are read: escapes and entities resolved."""

    span: Span
    other: str | None = None
    """The words, where what stands in the source is not them: nearly all stand there, and take no room of their own."""

    def __post_init__(self) -> None:
        if self.other is not None and self.other == self.span.text:
            object.__setattr__(self, "other", None)

    @property
    def value(self) -> str:
        """The words."""
        if self.other is not None:
            return self.other
        source, start, end = self.span
        return source.text[start:end]


@node()
class Emphasis:
    """Stressed words, usually in italics."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Strong:
    """Strongly stressed words, usually in bold."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Strikethrough:
    """Words struck out."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Highlight:
    """Marked words."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Code:
    """Words in a fixed pitch, verbatim."""

    span: Span
    value: str


@node(kw_only=True)
class Link:
    """A mention of another place."""

    span: Span
    target: str
    """An address with a scheme, or `Document#Heading#Heading below`, `#Heading`, `Document#^block-id`.

    Percent signs are decoded and `.md` is dropped in what is not an address.
    """
    children: tuple["Inline", ...]
    title: str = ""
    wiki: bool = False
    """Written in double brackets: the path starts at the top of the vault, not in the folder of its document."""


@node(kw_only=True)
class Image:
    """A picture; `target` is read as for a link."""

    span: Span
    target: str
    children: tuple["Inline", ...] = ()
    """The words that stand for it, possibly with markup."""
    title: str = ""
    width: int | None = None
    """Pixels, or `None` for its own size."""
    height: int | None = None
    wiki: bool = False


@node()
class Embed:
    """A place where another document, section or block is shown; `target` is read as for a link."""

    span: Span
    target: str
    label: str = ""


@node()
class FootnoteReference:
    """A mark that leads to a footnote of the same document."""

    span: Span
    label: str


@node()
class SoftBreak:
    """The end of a line that is read as a space."""

    span: Span


@node()
class HardBreak:
    """The end of a line that stays one."""

    span: Span


@node()
class RawInline:
    """Markup of an output format, kept as written."""

    span: Span
    format: str
    text: str


Inline = (
    Text
    | Emphasis
    | Strong
    | Strikethrough
    | Highlight
    | Code
    | Link
    | Image
    | Embed
    | FootnoteReference
    | SoftBreak
    | HardBreak
    | RawInline
)

# --- blocks


@node(kw_only=True)
class Heading:
    """The title of a section; the section runs to the next heading of the same or a higher level."""

    span: Span
    level: int
    """1 to 7; the seventh stands for all below the sixth, which are not Markdown and are meant all the same."""
    children: tuple[Inline, ...]
    raw: str
    """The title as typed, without the marks of the heading: what Obsidian compares links with."""
    id: str = ""
    """The fragment that its dialect gives it; empty where that gives none, and the book makes one."""
    block_id: str = ""


@node(kw_only=True)
class Paragraph:
    """Running text."""

    span: Span
    children: tuple[Inline, ...]
    block_id: str = ""
    """The fragment that names it: `^name` in Obsidian, `name` in AsciiDoc; empty where its author gave no name."""


@node(kw_only=True)
class ListItem:
    """One entry of a list."""

    span: Span
    children: tuple["Block", ...]
    checked: str | None = None
    """The character in the box of a task: a space for open, anything else for done; `None` where there is no box."""
    block_id: str = ""


@node(kw_only=True)
class List:
    """A bulleted or numbered list."""

    span: Span
    items: tuple[ListItem, ...]
    start: int | None = None
    """The first number, or `None` for bullets."""
    tight: bool = True
    """No blank lines between its entries: their paragraphs are shown without space."""
    block_id: str = ""

    @property
    def children(self) -> tuple[ListItem, ...]:
        return self.items


@node(kw_only=True)
class Cell:
    """One cell of a table; usually a single paragraph, empty where nothing is written."""

    span: Span
    children: tuple["Block", ...]


@node(kw_only=True)
class Row:
    """One row of a table."""

    span: Span
    cells: tuple[Cell, ...]

    @property
    def children(self) -> tuple[Cell, ...]:
        return self.cells


@node(kw_only=True)
class Table:
    """Rows under a header; every row has as many cells as the header.

    A table has no header where all cells of it are empty. A cell that covers several places stands in each of them.
    """

    span: Span
    header: Row
    rows: tuple[Row, ...]
    alignments: tuple[str, ...]
    """One of `left`, `center`, `right` or an empty string for each column."""
    caption: tuple[Inline, ...] = ()
    block_id: str = ""

    @property
    def children(self) -> tuple[Row, ...]:
        return (self.header, *self.rows)


@node(kw_only=True)
class CodeBlock:
    """Text kept verbatim."""

    span: Span
    text: str
    info: str = ""
    """What stands after the opening fence; its first word names the language."""
    block_id: str = ""


@node(kw_only=True)
class BlockQuote:
    """Somebody else's words."""

    span: Span
    children: tuple["Block", ...]
    block_id: str = ""


@node()
class ThematicBreak:
    """A line between two subjects."""

    span: Span


@node(kw_only=True)
class DefinitionItem:
    """A term and what it means; one without any children shares the meaning of the item after it."""

    span: Span
    term: tuple[Inline, ...]
    children: tuple["Block", ...]
    """What it means; several meanings follow each other."""
    block_id: str = ""


@node(kw_only=True)
class DefinitionList:
    """Terms with what they mean."""

    span: Span
    items: tuple[DefinitionItem, ...]
    block_id: str = ""

    @property
    def children(self) -> tuple[DefinitionItem, ...]:
        return self.items


@node(kw_only=True)
class Div:
    """A group of blocks with a name, and no meaning of its own here."""

    span: Span
    name: str
    children: tuple["Block", ...]
    block_id: str = ""


@node(kw_only=True)
class Callout:
    """An aside with a kind and a title."""

    span: Span
    kind: str
    """Lower case, as typed: `note`, `question`, or a word of the author's own."""
    title: tuple[Inline, ...]
    """Empty where the author gave none: the kind in title case is shown then."""
    children: tuple["Block", ...]
    fold: str = ""
    """`+` open, `-` closed, empty for one that does not fold."""
    metadata: str = ""
    block_id: str = ""


@node(kw_only=True)
class Column:
    """One column of a region."""

    span: Span
    children: tuple["Block", ...]


@node(kw_only=True)
class Columns:
    """A region set in columns: layout only; what is in it counts as if it stood in the text."""

    span: Span
    columns: tuple[Column, ...]
    count: int
    """How many columns the author asked for; there may be fewer or more breaks."""

    @property
    def children(self) -> tuple[Column, ...]:
        return self.columns


@node(kw_only=True)
class FootnoteDefinition:
    """The text of a footnote, where the author wrote it."""

    span: Span
    label: str
    children: tuple["Block", ...]


@node()
class RawBlock:
    """Markup of an output format, kept as written."""

    span: Span
    format: str
    text: str


Block = (
    Heading
    | Paragraph
    | List
    | ListItem
    | Table
    | Row
    | Cell
    | CodeBlock
    | BlockQuote
    | ThematicBreak
    | DefinitionList
    | DefinitionItem
    | Div
    | Callout
    | Columns
    | Column
    | FootnoteDefinition
    | RawBlock
)
Node = Block | Inline


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source, read."""

    source: Source
    dialect: str
    blocks: tuple[Block, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The frontmatter: plain YAML 1.2 values."""
    links: "tuple[Link | Image | Embed, ...]" = field(init=False, repr=False, compare=False)
    """Those of its nodes that lead somewhere, or show what stands there, in the order of the text."""
    footnotes: "tuple[FootnoteDefinition, ...]" = field(init=False, repr=False, compare=False)
    """The texts of its footnotes, likewise."""

    def __post_init__(self) -> None:
        # Stages ask for these time and again; all nodes are gathered when somebody wants them, for they take room.
        nodes = self.nodes
        object.__setattr__(self, "links", tuple([one for one in nodes if type(one) in LEADING]))
        object.__setattr__(self, "footnotes", tuple([one for one in nodes if type(one) is FootnoteDefinition]))

    @property
    def nodes(self) -> "list[Node]":
        """Every node in its blocks, in the order of the text."""
        return _gather(self.blocks, [])

    def __reduce__(self) -> tuple[Callable[..., "Document"], tuple[Any, ...]]:
        """Pickled without what is gathered again sooner than read."""
        return _document, (self.source, self.dialect, self.blocks, self.metadata)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that the author gave the whole document; what cannot be a name is none."""
        named = self.metadata.get("aliases")
        several = named if isinstance(named, list) else [named]
        return tuple(str(name) for name in several if isinstance(name, str | int | float) and str(name).strip())


# --- targets

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
"""How a target begins that leads out of the book: with a scheme (a single letter would be a drive), or with a host."""


def is_address(target: str) -> bool:
    """Whether the target of a link, picture or embed leads out of the book."""
    return ADDRESS.match(target) is not None


# --- walking


LEADING = frozenset((Link, Image, Embed))

LEAVES = frozenset(
    (
        *(Text, Code, Embed, FootnoteReference, SoftBreak, HardBreak, RawInline),
        *(CodeBlock, ThematicBreak, RawBlock),
    )
)
"""Nodes that are made of no other."""


def children(node: Node) -> tuple[Node, ...]:
    """What a node is made of, in the order of the text."""
    # By its very type: asked for one after another, the classes took a twentieth of a build.
    kind = type(node)
    if kind in LEAVES:
        return ()
    if kind in MORE:
        return MORE[kind](node)
    inside: tuple[Node, ...] = node.children  # type: ignore[union-attr]  # all others have some
    return inside


def _of_table(table: Table) -> tuple[Node, ...]:
    # A caption may stand below its table.
    caption = table.caption
    is_below = bool(caption) and caption[0].span.start > table.header.span.start
    return (*table.children, *caption) if is_below else (*caption, *table.children)


MORE: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    DefinitionItem: lambda item: (*item.term, *item.children),
    Callout: lambda callout: (*callout.title, *callout.children),
    Table: _of_table,
}
"""What nodes are made of that have more than their children."""


def walk(*nodes: Node) -> Iterator[Node]:
    """Every node and all that is in it, in the order of the text."""
    return iter(_gather(nodes, []))


def _gather(nodes: Iterable[Node], found: list[Node]) -> list[Node]:
    for node in nodes:
        found.append(node)
        # Most nodes are leaves, which are not worth a question.
        kind = type(node)
        if kind not in LEAVES:
            _gather(MORE[kind](node) if kind in MORE else node.children, found)  # type: ignore[union-attr]
    return found


WITHOUT_BLOCKS = frozenset((Heading, Paragraph, CodeBlock, ThematicBreak, RawBlock))


def walk_blocks(*blocks: Block) -> Iterator[Block]:
    """Every block and the blocks in it, in the order of the text: most nodes are words, and are not looked at."""
    return iter(_gather_blocks(blocks, []))


def _gather_blocks(blocks: Iterable[Block], found: list[Block]) -> list[Block]:
    for block in blocks:
        found.append(block)
        if type(block) not in WITHOUT_BLOCKS:
            _gather_blocks(block.children, found)  # type: ignore[union-attr, arg-type]
    return found


def flow(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Blocks in reading order with the layout taken off: what stands in columns stands in the text."""
    for block in blocks:
        if isinstance(block, Columns):
            for column in block.columns:
                yield from flow(column.children)
        elif isinstance(block, Div):
            yield from flow(block.children)
        else:
            yield block


WRAPPERS = frozenset((Paragraph, Heading, ListItem, Emphasis, Strong, Strikethrough, Highlight, Link))
"""Nodes whose words are those of their children, but for an end of line."""


def plain_text(*nodes: Node) -> str:
    """The words of nodes without markup: blocks on lines of their own, cells set apart by spaces."""
    # Mostly this is asked of a paragraph, a title or a link that is a single text, which is seen at a glance.
    while len(nodes) == 1:
        (node,) = nodes
        if isinstance(node, Text):
            return node.value.strip("\n")
        if type(node) not in WRAPPERS:
            break
        nodes = node.children  # type: ignore[union-attr]
    return "".join(_words(nodes, [])).strip("\n")


def _words(nodes: Iterable[Node], found: list[str]) -> list[str]:
    for node in nodes:
        kind = type(node)
        if kind in OWN_WORDS:
            found.append(OWN_WORDS[kind](node))
            continue
        _words(node.children, found)  # type: ignore[union-attr]  # all others have some
        if kind is Paragraph or kind is Heading:
            found.append("\n")
    return found


def _titled(title: tuple[Inline, ...], nodes: Iterable[Node]) -> str:
    return plain_text(*title) + "\n" + "".join(_words(nodes, []))


OWN_WORDS: dict[type, Callable[[Any], str]] = {
    Text: attrgetter("value"),
    Code: attrgetter("value"),
    SoftBreak: lambda _: " ",
    HardBreak: lambda _: "\n",
    Embed: lambda embed: embed.label or embed.target,
    CodeBlock: lambda block: block.text.rstrip("\n") + "\n",
    Cell: lambda cell: plain_text(*cell.children) + " ",
    Row: lambda row: plain_text(*row.cells).rstrip() + "\n",
    Table: lambda table: (
        _titled(table.caption, table.children) if table.caption else "".join(_words(table.children, []))
    ),
    Callout: lambda one: _titled(one.title, one.children) if one.title else "".join(_words(one.children, [])),
    DefinitionItem: lambda item: _titled(item.term, item.children),
    **dict.fromkeys((RawBlock, RawInline, ThematicBreak, FootnoteReference, FootnoteDefinition), lambda _: ""),
}
"""The words of nodes that are more than those of their children one after another."""


# --- pickles

# Documents go from process to process and are kept on disk. What pickle does by itself with dataclasses takes three
# times as long and twice the room: it asks for the fields of each node, and repeats the words of the source.

KINDS: tuple[type, ...] = get_args(Node)

VALUES: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    kind: attrgetter("__class__", "span.source", "span.start", "span.end", *(one.name for one in fields(kind)[1:]))
    for kind in KINDS
}
"""What each kind of node is made from: the first of its fields is its span."""

Reduced = tuple[Callable[..., Any], tuple[Any, ...]]


def _document(source: Source, dialect: str, blocks: tuple[Block, ...], metadata: Mapping[str, Any]) -> Document:
    return Document(source=source, dialect=dialect, blocks=blocks, metadata=metadata)


def _reduced(node: Any) -> Reduced:
    return _made, VALUES[type(node)](node)


def _made(kind: type, source: Source, start: int, end: int, *values: Any) -> Node:
    node: Node = kind(source.span(start, end), *values)
    return node


# Words nearly always stand in the source as they are read, and are often all that a paragraph or a cell holds.


def _reduced_text(text: Text) -> Reduced:
    return (_typed, tuple(text.span)) if text.other is None else _reduced(text)


def _typed(source: Source, start: int, end: int) -> Text:
    return Text(source.span(start, end))


def _reduced_paragraph(paragraph: Paragraph) -> Reduced:
    match paragraph:
        case Paragraph(span=span, children=(Text() as words,), block_id="") if words.span == span:
            made, place = _reduced_text(words)
            return (_plain, place) if made is _typed else _reduced(paragraph)
        case _:
            return _reduced(paragraph)


def _plain(source: Source, start: int, end: int) -> Paragraph:
    words = _typed(source, start, end)
    return Paragraph(span=words.span, children=(words,))


def _reduced_cell(cell: Cell) -> Reduced:
    match cell:
        case Cell(span=span, children=(Paragraph() as paragraph,)) if paragraph.span == span:
            made, place = _reduced_paragraph(paragraph)
            return (_plain_cell, place) if made is _plain else _reduced(cell)
        case _:
            return _reduced(cell)


def _plain_cell(source: Source, start: int, end: int) -> Cell:
    paragraph = _plain(source, start, end)
    return Cell(span=paragraph.span, children=(paragraph,))


for _kind in KINDS:
    copyreg.pickle(_kind, _reduced)
copyreg.pickle(Text, _reduced_text)
copyreg.pickle(Paragraph, _reduced_paragraph)
copyreg.pickle(Cell, _reduced_cell)
