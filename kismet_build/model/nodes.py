"""The document tree, which the parsers return and all later stages read.

A `Document` has blocks. A block contains blocks (`List`, `Callout`, ...), or inlines (`Paragraph`, `Heading`), or
neither (`CodeBlock`). `Text` is the leaf for words. Every node has the span of its source. Nodes are immutable: later
stages store their results by span. `walk` visits all nodes, `plain_text` drops the markup.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from html import unescape
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, TypeVar, dataclass_transform
from urllib.parse import unquote

from kismet_build.model.source import Source, Span
from kismet_build.model.tag import tags_of_properties, unique_tags
from kismet_build.model.text_normalization import key_label

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def node(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:  # noqa: ARG001 - for mypy
    """Make a class an immutable dataclass for mypy; `kw_only` requires field names in the constructor.

    At run time the class is not frozen: with `frozen=True`, a function call for each field takes two thirds of the time
    to create a node.
    """

    def make(cls: type[T]) -> type[T]:
        made = dataclass(slots=True, unsafe_hash=True)(cls)
        names = [field.name for field in fields(made) if field.init]  # type: ignore[arg-type]
        if 1 < len(names) == len(made.__slots__):  # type: ignore[attr-defined]
            values = attrgetter(*names)
            # Pickle a node as a call of its class: pickling a dictionary, the default, takes a third more time.
            made.__reduce__ = lambda self: (made, values(self))  # type: ignore[method-assign]
        return made

    return make


# --- inlines


@node()
class Text:
    """Text, with escapes and character references resolved."""

    span: Span
    override: str | None = None
    """The text if it differs from the source. `None`, the usual value, saves the memory of a second string."""

    def __post_init__(self) -> None:
        if self.override is not None and self.override == self.span.text:
            object.__setattr__(self, "override", None)

    @property
    def value(self) -> str:
        if self.override is not None:
            return self.override
        source, start, end = self.span
        return source.text[start:end]


@node()
class Emphasis:
    """Emphasis, usually set in italics."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Strong:
    """Strong emphasis, usually set in bold."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Strikethrough:
    """Struck-out text."""

    span: Span
    children: tuple["Inline", ...]


@node()
class Highlight:
    """Highlighted text."""

    span: Span
    children: tuple["Inline", ...]


@node()
class InlineField:
    """A field within a line: `[key:: value]`, shown as `key: value`, or `(key:: value)`, shown as `value`."""

    span: Span
    key: str
    children: tuple["Inline", ...]
    """The inlines that are shown. If `shows_key`, the first is the key, as a `Text`."""
    shows_key: bool

    @property
    def content(self) -> tuple["Inline", ...]:
        return self.children[1:] if self.shows_key else self.children


@node()
class Code:
    """Inline code: verbatim text in a monospaced font."""

    span: Span
    value: str


@node()
class Math:
    """A formula."""

    span: Span
    value: str
    """The formula in LaTeX."""
    mathml: str
    """The formula as a `<math>` element that is safe to show."""


@node()
class Tag:
    """A tag, `#Monsters/Undead` in Obsidian."""

    span: Span
    name: str
    """The name of the tag, without `#`."""


@node(kw_only=True)
class Link:
    """A link to a URL, a document, a heading or a named block."""

    span: Span
    target: str
    """A URL, or a path and anchor: `Document#Heading#Subheading`, `#Heading`, `Document#^block-id`.

    In a path, percent-encoding is decoded and the suffix `.md` is removed.
    """
    children: tuple["Inline", ...]
    title: str = ""
    wiki: bool = False
    """Whether the link is written as `[[…]]`.

    The path of such a link is relative to the root of the vault.
    """
    shows_title: bool = False
    """Whether pages show the title of the target instead of the words of the link."""


@node(kw_only=True)
class DiceRoll:
    """Inline code that rolls dice or on a table: `dice: 1d20+5` in Obsidian's Dice Roller plugin."""

    span: Span
    rolls: Literal["dice", "table", "nothing"]
    """The type of the roll. `nothing`: the code cannot be read."""
    children: tuple["Inline", ...]
    """The inlines to show: the notation, words, or the code as written.

    For a table, they end with a link, unless the target is private.
    """
    notation: str = ""
    """The normalized notation. For a table, it is the notation of the number of rolls; empty for a single roll."""
    column: str = ""
    """The header of the table column to show; empty for the entire row."""


@node(kw_only=True)
class Image:
    """An image; `target` is as in `Link`."""

    span: Span
    target: str
    children: tuple["Inline", ...] = ()
    """The alternative text, which may have markup."""
    title: str = ""
    width: int | None = None
    """In pixels; `None` for the size of the image file."""
    height: int | None = None
    """In pixels; `None` for the size of the image file."""
    wiki: bool = False
    """As in `Link`."""


@node()
class Embed:
    """An inclusion of another document, section or block, `![[…]]` or `![…](….md)` in Obsidian.

    `target` and `wiki` are as in `Link`.
    """

    span: Span
    target: str
    label: str = ""
    """The text after `|`; empty if there is none."""
    wiki: bool = True


@node()
class FootnoteReference:
    """A reference to a footnote of the same document."""

    span: Span
    label: str


@node()
class SoftBreak:
    """A line end in the source that is rendered as a space."""

    span: Span


@node()
class HardBreak:
    """A line break in the output."""

    span: Span


@node()
class RawInline:
    """Raw markup of an output format, such as HTML, or a mark that is left out (`LEFT_OUT`)."""

    span: Span
    format: str
    text: str


Inline = (
    Text
    | Emphasis
    | Strong
    | Strikethrough
    | Highlight
    | InlineField
    | Code
    | Math
    | Tag
    | Link
    | DiceRoll
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
    """A section title. The section ends before the next heading of the same or a higher level."""

    span: Span
    level: int
    """The level, from 1 to 7; 7 stands for any heading below the sixth level, which some authors write."""
    children: tuple[Inline, ...]
    raw: str
    """The source of the title without the heading marks. Obsidian compares link targets with this text."""
    id: str = ""
    """The anchor id by the rules of the dialect. If it is empty, the resolve stage creates an id."""
    number: str = ""
    """The number that settings put before the title, such as `2.1.`. Names and ids do not contain the number."""
    block_id: str = ""
    """As in `Paragraph`."""


@node(kw_only=True)
class Paragraph:
    """A paragraph."""

    span: Span
    children: tuple[Inline, ...]
    block_id: str = ""
    """The author's anchor id for the block, `^name` in Obsidian or `[#name]` in AsciiDoc; empty if there is none.

    Most other types of blocks have the same field.
    """


@node(kw_only=True)
class ListItem:
    """An item of a list."""

    span: Span
    children: tuple["Block", ...]
    checked: str | None = None
    """The character in the checkbox of a task: a space if it is open, any other if it is done; `None` without a
    checkbox.
    """
    block_id: str = ""


@node(kw_only=True)
class List:
    """A bulleted or numbered list."""

    span: Span
    items: tuple[ListItem, ...]
    start: int | None = None
    """The first number; `None` for a bulleted list."""
    tight: bool = True
    """Whether the list is written without blank lines. Paragraphs in a tight list are rendered without margins."""
    block_id: str = ""

    @property
    def children(self) -> tuple[ListItem, ...]:
        return self.items


@node(kw_only=True)
class Cell:
    """A table cell: usually one paragraph; no children if the cell is empty."""

    span: Span
    children: tuple["Block", ...]


@node(kw_only=True)
class Row:
    """A table row."""

    span: Span
    cells: tuple[Cell, ...]

    @property
    def children(self) -> tuple[Cell, ...]:
        return self.cells


@node(kw_only=True)
class Table:
    """A table. Every row has as many cells as the header.

    All cells of the header are empty if the table has no header row. A cell that spans several columns or rows is
    repeated in each of them, as the same object.
    """

    span: Span
    header: Row
    rows: tuple[Row, ...]
    alignments: tuple[str, ...]
    """The alignment of each column: `left`, `center` or `right`; empty for the default."""
    caption: tuple[Inline, ...] = ()
    block_id: str = ""

    @property
    def children(self) -> tuple[Row, ...]:
        return (self.header, *self.rows)


@node(kw_only=True)
class CodeBlock:
    """A block of verbatim text."""

    span: Span
    text: str
    info: str = ""
    """The info string after the opening fence. The first word is the language."""
    block_id: str = ""


STATBLOCK_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?")
"""The text of a value that is a number."""
STATBLOCK_TEXTS = frozenset(("name", "desc"))
"""Keys whose value is text even if it looks like a number."""
MODIFIER_KEYS = frozenset(("saves", "skillsaves", "skill saves", "saving throws", "skills"))
"""Properties with modifiers of rolls, which are shown with a sign."""
TARGETS = frozenset(("breath", "death", "paralysis", "petrification", "poison", "rods", "spells", "staffs", "wands"))
"""Saves of older rules, whose numbers are what a roll must reach."""


@node(kw_only=True)
class Property:
    """A property of a statblock or of the frontmatter: a key and its value."""

    span: Span
    key: str
    """The key as the author wrote it."""
    children: tuple["Block", ...]
    """Paragraphs, a list for a list of values, or the properties of a map; empty if there is no value."""


@node(kw_only=True)
class Statblock:
    """The properties of one thing in a game, written as data."""

    span: Span
    children: tuple[Property, ...]
    """The properties of the statblock. Each key occurs once."""
    layout: str = ""
    """The name of the layout that the author chose; empty for the default."""
    extends: tuple[tuple[str, Span], ...] = ()
    """The names, with spans, of other statblocks from which this statblock takes properties that it lacks."""
    block_id: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """The values by key, as plain data. Paragraphs become plain text, and a number in quotes is a number."""
        return {item.key: _property_data(item.children, item.key) for item in self.children}

    @property
    def name(self) -> str:
        """The name of the statblock; empty if it has none."""
        name = self.data.get("name")
        return " ".join(name.split()) if isinstance(name, str) else ""


def _property_data(blocks: tuple["Block", ...], key: str) -> Any:
    """The value of a property, or an item in a list of values, as plain data."""
    properties = [block for block in blocks if isinstance(block, Property)]
    if properties:
        return {item.key: _property_data(item.children, item.key) for item in properties}
    if len(blocks) == 1 and isinstance(blocks[0], List):
        return [_property_data(item.children, key) for item in blocks[0].items]
    text = plain_text(*blocks)
    if key in STATBLOCK_TEXTS or not text:
        return text or None
    if STATBLOCK_NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False}.get(text, text)


@node(kw_only=True)
class BlockQuote:
    """A quotation."""

    span: Span
    children: tuple["Block", ...]
    block_id: str = ""


@node()
class ThematicBreak:
    """A horizontal rule."""

    span: Span


@node(kw_only=True)
class DefinitionItem:
    """A term and its definitions. Without children, the term shares the definitions of the next item."""

    span: Span
    term: tuple[Inline, ...]
    children: tuple["Block", ...]
    """The blocks of all definitions of the term, in order."""
    block_id: str = ""


@node(kw_only=True)
class DefinitionList:
    """A list of terms and their definitions."""

    span: Span
    items: tuple[DefinitionItem, ...]
    block_id: str = ""

    @property
    def children(self) -> tuple[DefinitionItem, ...]:
        return self.items


@node(kw_only=True)
class Div:
    """A named group of blocks that has no meaning to the compiler."""

    span: Span
    name: str
    children: tuple["Block", ...]
    block_id: str = ""


@node(kw_only=True)
class Callout:
    """A callout or admonition: an aside with a kind and a title."""

    span: Span
    kind: str
    """The kind in lower case: `note`, `question`, or any other word chosen by the author."""
    title: tuple[Inline, ...]
    """The title; empty if the author wrote none. The kind in title case is then shown."""
    children: tuple["Block", ...]
    fold: str = ""
    """`+` if the callout can be folded and is open at first, `-` if it is closed at first; empty if it cannot be
    folded.
    """
    metadata: str = ""
    """The text after `|` in Obsidian's `[!kind|metadata]`, for style sheets."""
    block_id: str = ""


@node(kw_only=True)
class Column:
    """One column of `Columns`."""

    span: Span
    children: tuple["Block", ...]


@node(kw_only=True)
class Columns:
    """A region in columns.

    Columns are only layout: their blocks belong to the surrounding text (see `flatten_layout`).
    """

    span: Span
    columns: tuple[Column, ...]
    count: int
    """The number of columns that the author asked for. `columns` may have fewer or more."""

    @property
    def children(self) -> tuple[Column, ...]:
        return self.columns


@node(kw_only=True)
class FootnoteDefinition:
    """The text of a footnote, at its place in the source."""

    span: Span
    label: str
    children: tuple["Block", ...]


@node()
class RawBlock:
    """Raw markup of an output format, such as HTML, or a mark that is left out (`LEFT_OUT`)."""

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
    | Statblock
    | Property
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
    """The tree of one parsed source."""

    source: Source
    dialect: str
    blocks: tuple[Block, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The frontmatter, as YAML 1.2 values."""
    has_invalid_metadata: bool = False
    """Whether there is invalid frontmatter."""
    has_repeated_metadata: bool = False
    """Whether a key occurs twice in the frontmatter; the first value counts."""
    properties: tuple[Property, ...] = ()
    """The frontmatter properties that contain Markdown. In lists and maps, strings without Markdown are empty."""
    links: "tuple[Link | Image | Embed, ...]" = field(init=False, repr=False, compare=False)
    """All links, images and embeds, with the `raw_links` of raw HTML.

    Links in properties come first, then the others in source order.
    """
    footnotes: "tuple[FootnoteDefinition, ...]" = field(init=False, repr=False, compare=False)
    """All footnote definitions, in source order."""
    dice_rolls: "tuple[DiceRoll, ...]" = field(init=False, repr=False, compare=False)
    """All inline code that rolls dice or on a table.

    Codes in properties come first, then all others in source order.
    """
    statblocks: "tuple[Statblock, ...]" = field(init=False, repr=False, compare=False)
    """All statblocks, in source order."""
    text_tags: "tuple[Tag, ...]" = field(init=False, repr=False, compare=False)
    """All tags in the text, in source order."""

    def __post_init__(self) -> None:
        # Store only lists that several stages need. A list of all nodes would take too much memory.
        of_text = [node for node in self.nodes if type(node) in INDEXED_NODES]
        of_properties = walk(*self.properties) if self.properties else ()
        nodes = [*(node for node in of_properties if type(node) in INDEXED_NODES), *of_text]
        links = [node for node in nodes if type(node) in LINK_NODES]
        linked = ((node,) if isinstance(node, Link | Image | Embed) else raw_links(node) for node in links)  # type: ignore[arg-type]
        object.__setattr__(self, "links", tuple(chain.from_iterable(linked)))
        object.__setattr__(self, "footnotes", tuple([node for node in of_text if type(node) is FootnoteDefinition]))
        object.__setattr__(self, "dice_rolls", tuple([node for node in nodes if type(node) is DiceRoll]))
        object.__setattr__(self, "statblocks", tuple([node for node in of_text if type(node) is Statblock]))
        object.__setattr__(self, "text_tags", tuple([node for node in of_text if type(node) is Tag]))

    @property
    def nodes(self) -> "list[Node]":
        """A new list of all nodes of the text, in source order."""
        return _collect_nodes(self.blocks, [])

    @property
    def aliases(self) -> tuple[str, ...]:
        """The `aliases` of the frontmatter: other names of the document. Values that cannot be names are left out."""
        value = self.metadata.get("aliases")
        aliases = value if isinstance(value, list) else [value]
        return tuple(str(alias) for alias in aliases if isinstance(alias, str | int | float) and str(alias).strip())

    def property_span(self, name: str) -> Span:
        """The line of a property in the frontmatter; the start of the text if the property is not on a separate
        line.
        """
        text, fence = self.source.text, self.source.text[:3]
        end = text.find(f"\n{fence}", 3) if fence in ("---", "+++") else 0
        found = _property_line(name).search(text, 0, max(end, 0))
        return self.source.span(*found.span()) if found else self.source.span(0, 0)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the document without `#`: first from the frontmatter, then from the text."""
        return unique_tags((*tags_of_properties(self.metadata), *(tag.name for tag in self.text_tags)))


@lru_cache(maxsize=1_000)
def _property_line(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[\"']?{re.escape(name)}[\"']?[ \t]*[:=][^\n]*", re.MULTILINE)


# --- targets

URL_START = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?!\s)|//")
"""The start of a URL: a scheme of at least two letters (a single letter is a Windows drive), or `//` and a host.

If a space follows the colon, the target is a name: `[[Loot: Treasure]]`.
"""


def is_url(target: str) -> bool:
    """Whether the target of a link, image or embed is a URL, not a path in the book."""
    return URL_START.match(target) is not None


def target_words(target: str) -> str:
    """The words of a link or embed without a label: path and headings.

    A block id is shown only if there is nothing else.
    """
    parts = [part for part in (part.strip() for part in target.split("#")) if part]
    return " > ".join(part for part in parts if not part.startswith("^")) or target.strip("#^ ")


LINK_URL = re.compile(r"(?:https?|mailto|tel):|obsidian://open\?", re.IGNORECASE)
"""The start of a URL that a link may lead to. Other URLs open programs, run scripts or name files of the reader."""
IMAGE_URL = re.compile(r"https?:|data:image/", re.IGNORECASE)
"""The start of a URL from which an image may come."""


def is_unsafe_url(node: "Link | Image | Embed") -> bool:
    """Whether a link or image leads to a URL that is not published."""
    allowed = LINK_URL if isinstance(node, Link) else IMAGE_URL
    return is_url(node.target) and allowed.match(node.target) is None


# --- raw HTML and other raw markup

SHORTCODE, LONE_SHORTCODE = "shortcode", "lone shortcode"
LEFT_OUT = frozenset((SHORTCODE, LONE_SHORTCODE))
"""Formats of raw markup for marks that pages leave out: for marks around content, which is shown, and for single
marks.
"""

RAW_LINK = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
"""The address of a link in raw HTML."""


def raw_link_addresses(html: str) -> tuple[str, ...]:
    """The addresses of the links in raw HTML as a browser reads them: entities resolved, no spaces, no backslashes."""
    found = (match[1] or match[2] or match[3] or "" for match in RAW_LINK.finditer(html))
    return tuple(re.sub(r"[\x00-\x20]+", "", unescape(address)).replace("\\", "/") for address in found)


RAW_ADDRESS = re.compile(
    r"""<!--.*?(?:-->|$)|<(?:img|(?P<a>a))\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*?(?<=[\s"'])(?(a)href|src)\s*=\s*(?:"(?P<quoted>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'<>]+))""",
    re.IGNORECASE | re.DOTALL,
)
"""An HTML comment, or the start of an image or a link up to its address."""
RAW_SIGN = re.compile(r"<(?:img|a)\s", re.IGNORECASE)
SOURCE_FILE = re.compile(r"(?P<path>[^#?]*)\.(?:md|markdown|adoc|asciidoc)(?P<fragment>#.*)?", re.IGNORECASE)
"""The address of a text."""


def raw_links(node: RawInline | RawBlock) -> tuple[Image | Link, ...]:
    """The images and the links to texts and files in raw HTML, each with the span of its address.

    An address that parsing changed is left out. If parsing changed the number of addresses, all are left out.
    """
    if RAW_SIGN.search(node.text) is None:
        return ()
    source = node.span.source
    typed = _raw_addresses(source.text, node.span.start, node.span.end)
    present = _raw_addresses(node.text, 0, len(node.text))
    if len(typed) != len(present):
        return ()
    links = (
        _raw_link(source.span(*match.span(group)), is_image=not match["a"])
        for (match, group), (other, other_group) in zip(typed, present, strict=True)
        if match[group].strip() and match[group] == other[other_group]
    )
    return tuple(link for link in links if link is not None)


def _raw_link(span: Span, *, is_image: bool) -> Image | Link | None:
    """The image or link with its address at this place; `None` for a link to a place on the page or to another site."""
    target = unquote(unescape(span.text)).strip()
    if is_image:
        return Image(span=span, target=target)
    if any(map(is_url, (target, *raw_link_addresses(f' href="{target}"')))) or target.startswith(("#", "?")):
        return None
    text = SOURCE_FILE.fullmatch(target)
    return Link(span=span, target=text["path"] + (text["fragment"] or "") if text else target, children=())


def with_raw_addresses(node: RawInline | RawBlock, address: "Callable[[Image | Link], str | None]") -> str:
    """The text of a node with its addresses replaced.

    `address` returns HTML, or `None` to keep the original address.
    """
    by_typed = {link.span.text: link for link in raw_links(node)}
    parts, end = [], 0
    for match, group in _raw_addresses(node.text, 0, len(node.text)) if by_typed else ():
        link = by_typed.get(match[group])
        new = None if link is None or isinstance(link, Link) != bool(match["a"]) else address(link)
        if new is not None:
            quote = '"' if group == "bare" else ""
            parts += [node.text[end : match.start(group)], quote, new, quote]
            end = match.end(group)
    return "".join((*parts, node.text[end:]))


def _raw_addresses(html: str, start: int, end: int) -> list[tuple[re.Match[str], str]]:
    """The match for each image and link, and the name of the group with the address."""
    return [(match, match.lastgroup) for match in RAW_ADDRESS.finditer(html, start, end) if match.lastgroup]


# --- walking


LINK_NODES = frozenset((Link, Image, Embed, RawInline, RawBlock))
"""Types of nodes that are or contain links."""
INDEXED_NODES = LINK_NODES | {FootnoteDefinition, DiceRoll, Statblock, Tag}
"""Types of nodes that a document lists."""

LEAVES = frozenset(
    (
        *(Text, Code, Math, Tag, Embed, FootnoteReference, SoftBreak, HardBreak, RawInline),
        *(CodeBlock, ThematicBreak, RawBlock),
    )
)
"""Types of nodes that contain no other nodes."""


def children(node: Node) -> tuple[Node, ...]:
    """All direct child nodes in source order, including the nodes of titles, terms and captions."""
    # Looking up the type is faster than a chain of `isinstance` calls, which took 5 % of a build.
    node_type = type(node)
    if node_type in LEAVES:
        return ()
    if node_type in CHILD_GETTERS:
        return CHILD_GETTERS[node_type](node)
    nodes: tuple[Node, ...] = node.children  # type: ignore[union-attr]  # all other types have this field
    return nodes


def _table_children(table: Table) -> tuple[Node, ...]:
    # The caption may be above or below the table.
    caption = table.caption
    is_below = bool(caption) and caption[0].span.start > table.header.span.start
    return (*table.children, *caption) if is_below else (*caption, *table.children)


CHILD_GETTERS: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    DefinitionItem: lambda item: (*item.term, *item.children),
    Callout: lambda callout: (*callout.title, *callout.children),
    Table: _table_children,
}
"""For types with nodes in fields other than `children`: a function that returns all child nodes in source order."""


def walk(*nodes: Node) -> Iterator[Node]:
    """The nodes and all their descendants, depth first in source order."""
    return iter(_collect_nodes(nodes, []))


def _collect_nodes(nodes: Iterable[Node], collected: list[Node]) -> list[Node]:
    for node in nodes:
        collected.append(node)
        # Most nodes are leaves, so test for leaves first.
        node_type = type(node)
        if node_type not in LEAVES:
            child_nodes = CHILD_GETTERS[node_type](node) if node_type in CHILD_GETTERS else node.children  # type: ignore[union-attr]
            _collect_nodes(child_nodes, collected)
    return collected


def footnote_references(image: Image) -> Iterator[FootnoteReference]:
    """The references in the alternative text of an image. Pages show them after the image."""
    return (node for node in walk(*image.children) if isinstance(node, FootnoteReference))


LEAF_BLOCKS = frozenset((Heading, Paragraph, CodeBlock, ThematicBreak, RawBlock))
"""Types of blocks that contain no other blocks."""


def walk_blocks(*blocks: Block) -> Iterator[Block]:
    """The blocks and all blocks in them, depth first in source order. Faster than `walk`, because it skips inlines."""
    return iter(_collect_blocks(blocks, []))


def _collect_blocks(blocks: Iterable[Block], collected: list[Block]) -> list[Block]:
    for block in blocks:
        collected.append(block)
        if type(block) not in LEAF_BLOCKS:
            _collect_blocks(block.children, collected)  # type: ignore[union-attr, arg-type]
    return collected


def flatten_layout(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """The blocks in reading order, with `Columns` and `Div` replaced by the blocks in them."""
    for block in blocks:
        if isinstance(block, Columns):
            for column in block.columns:
                yield from flatten_layout(column.children)
        elif isinstance(block, Div):
            yield from flatten_layout(block.children)
        else:
            yield block


def walk_layout(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """The blocks, and the blocks in `Columns` and `Div`."""
    for block in blocks:
        yield block
        if isinstance(block, Columns | Column | Div):
            yield from walk_layout(block.children)


# --- plain text

TEXT_CONTAINERS = frozenset(
    (Paragraph, Heading, ListItem, Emphasis, Strong, Strikethrough, Highlight, InlineField, Link, DiceRoll)
)
"""Types of nodes whose plain text is that of their children. A line end follows a paragraph or heading."""


def plain_text(*nodes: Node) -> str:
    """The text of the nodes without markup: each block on a line of its own, cells separated by spaces."""
    # Fast path for the most frequent argument: a paragraph, title or link that contains a single text.
    while len(nodes) == 1:
        (node,) = nodes
        if isinstance(node, Text):
            return node.value.strip("\n")
        if type(node) not in TEXT_CONTAINERS:
            break
        nodes = node.children  # type: ignore[union-attr]
    return "".join(_text_parts(nodes, [])).strip("\n")


def text_outside_callouts(block: Block) -> str:
    """The plain text of a block without the callouts in it, such as those below a list item."""
    text = plain_text(block)
    for nested in walk_blocks(block):
        if isinstance(nested, Callout):
            text = text.replace(plain_text(nested), "\n")
    return text


def reading_text(*nodes: Node) -> str:
    """The text of the nodes in words for readers: as in `plain_text`, but without code, queries and LaTeX."""
    return "".join(_text_parts(nodes, [], WORDS_TO_READ)).strip("\n")


def _text_parts(nodes: Iterable[Node], parts: list[str], texts: "Mapping[type, NodeText] | None" = None) -> list[str]:
    """Add the texts of nodes to `parts`. `texts`: functions for the types of which it is not that of the children."""
    texts = PLAIN_TEXT if texts is None else texts
    for node in nodes:
        node_type = type(node)
        if node_type in texts:
            parts.append(texts[node_type](node, texts))
            continue
        _text_parts(node.children, parts, texts)  # type: ignore[union-attr]  # all other types have this field
        if node_type is Paragraph or node_type is Heading:
            parts.append("\n")
    return parts


NodeText = Callable[[Any, Mapping[type, Any]], str]
"""A function for the text of a node, with the functions for the nodes in it."""


def _joined(nodes: Iterable[Node], texts: Mapping[type, NodeText]) -> str:
    return "".join(_text_parts(nodes, [], texts))


def _titled_text(title: tuple[Inline, ...], nodes: Iterable[Node], texts: Mapping[type, NodeText]) -> str:
    text = _joined(nodes, texts)
    return f"{plain_text(*title)}\n{text}" if title else text


PROSE_KEYS = frozenset(("desc", "description", "text"))
"""Keys of properties whose value is text that needs no label."""


def value_items(item: Property) -> tuple[Property | ListItem, ...]:
    """The items of a list; any other value is a single item."""
    if len(item.children) == 1 and isinstance(items := item.children[0], List):
        return items.items
    return (item,)


def property_lines(item: Property) -> Iterator[str]:
    """A property in words for readers, on one line for each thing that it says: `HP: 22`, `Claw: One target.`"""
    label = key_label(item.key)
    items = value_items(item)
    if any(_is_entry(part) for part in items):
        for part in items:
            yield from _entry_lines(part)
    elif values := list(filter(None, map(_short_text, items))):
        line = (", " if len(items) > 1 else " ").join(values)
        yield line if item.key.casefold() in (*PROSE_KEYS, "name") else f"{label}: {line}"


def _is_entry(part: Property | ListItem) -> bool:
    """Whether a value is a map with a name or a text, or with lists and maps in it."""
    inner = [block for block in part.children if isinstance(block, Property)]
    return any(
        block.key.casefold() in (*PROSE_KEYS, "name") or any(not isinstance(of, Paragraph) for of in block.children)
        for block in inner
    )


def _entry_lines(part: Property | ListItem) -> Iterator[str]:
    """The lines of an entry, such as an action: its name and text, then its other values."""
    inner = {block.key.casefold(): block for block in part.children if isinstance(block, Property)}
    if not inner:
        yield from filter(None, [_short_text(part)])
        return
    name = inner.pop("name", None)
    texts = [line for key in PROSE_KEYS if key in inner for line in property_lines(inner.pop(key))]
    line = ": ".join(filter(None, (_short_text(name) if name else "", " ".join(texts))))
    if line:
        yield line
    for other in inner.values():
        yield from property_lines(other)


def _short_text(part: Property | ListItem) -> str:
    """A value on one line: the entries of a map after their keys, the items of a list with commas."""
    if any(isinstance(block, Property) for block in part.children):
        pairs = ((block.key, _short_text(block)) for block in part.children if isinstance(block, Property))
        return ", ".join(f"{key_label(key)} {value}".strip() for key, value in pairs)
    if len(part.children) == 1 and isinstance(part.children[0], List):
        return ", ".join(filter(None, map(_short_text, part.children[0].items)))
    return " ".join(plain_text(*part.children).split())


HIDDEN_HTML = re.compile(r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
"""Comments, scripts and styles in raw HTML."""
HTML_TAG = re.compile(r"</?[A-Za-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
LINE_BREAK = re.compile(r"<br\b", re.IGNORECASE)


def _raw_text(block: RawBlock) -> str:
    words = unescape(HTML_TAG.sub(" ", HIDDEN_HTML.sub("", block.text))).split()
    return " ".join(words) + "\n" if words else ""


PLAIN_TEXT: Mapping[type, NodeText] = {
    Text: lambda text, _: text.value,
    Code: lambda code, _: code.value,
    Math: lambda math, _: math.value,
    Tag: lambda tag, _: f"#{tag.name}",
    SoftBreak: lambda *_: " ",
    HardBreak: lambda *_: "\n",
    Embed: lambda embed, _: embed.label or target_words(embed.target),
    CodeBlock: lambda block, _: block.text.rstrip("\n") + "\n",
    Cell: lambda cell, texts: _joined(cell.children, texts).strip("\n") + " ",
    Row: lambda row, texts: _joined(row.cells, texts).strip("\n").rstrip() + "\n",
    Table: lambda table, texts: _titled_text(table.caption, table.children, texts),
    Callout: lambda callout, texts: _titled_text(callout.title, callout.children, texts),
    Property: lambda item, _: "".join(f"{line}\n" for line in property_lines(item)),
    DefinitionItem: lambda item, texts: plain_text(*item.term) + "\n" + _joined(item.children, texts),
    RawBlock: lambda block, _: _raw_text(block),
    RawInline: lambda raw, _: " " if LINE_BREAK.match(raw.text) else "",
    **dict.fromkeys((ThematicBreak, FootnoteReference, FootnoteDefinition), lambda *_: ""),
}
"""Functions for the plain text of types of nodes where it is not just the joined text of the children."""
QUERY = re.compile(r"\$?=")
"""The start of inline code that is a query."""
WORDS_TO_READ: Mapping[type, NodeText] = {
    **PLAIN_TEXT,
    Code: lambda code, _: "…" if QUERY.match(code.value) else code.value,
    CodeBlock: lambda block, _: "" if block.info else block.text.rstrip("\n") + "\n",
    Math: lambda math, _: "…" if "\\" in math.value else math.value,
}
"""The same for `reading_text`."""
