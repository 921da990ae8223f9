"""Write blocks as Markdown: CommonMark with tables, footnotes, tasks and the callouts of Obsidian.

Texts of all dialects become the same Markdown. `tests/test_markdown_writer.py` reads it again: its words are those of
the blocks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Callout,
    Cell,
    Code,
    CodeBlock,
    Column,
    Columns,
    DefinitionItem,
    DefinitionList,
    DiceRoll,
    Div,
    Embed,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    HardBreak,
    Heading,
    Highlight,
    Image,
    Inline,
    Link,
    List,
    ListItem,
    Math,
    Paragraph,
    Property,
    RawBlock,
    RawInline,
    Row,
    SoftBreak,
    Statblock,
    Strikethrough,
    Strong,
    Table,
    Tag,
    Text,
    ThematicBreak,
    footnote_references,
    plain_text,
)
from kismet_build.render.html.context import RenderContext
from kismet_build.render.html.sanitize import Fragment, is_safe_image, is_safe_link, join_sanitized

MARKUP = re.compile(
    r"""[\\`*\[\]<$]          # anywhere
    |(?<![^\W_])_|_(?![^\W_]) # not inside a word
    |~(?=~)|=(?==)|%(?=%)     # as the first of two
    |&(?=\#?\w+;)             # at the start of a character reference
    |(?<!\S)\#(?=\w)          # at the start of a tag
    """,
    re.VERBOSE,
)
"""A character of text that Markdown would read as markup."""
LINE_START = re.compile(
    r"""(?m)^[ ]*(?:
        (?P<mark>\#(?=\#*(?:\s|$))|>|[+-](?=\s|$)|[=-](?=[=-]*\s*$))
        |(?P<number>\d{1,9})(?P<end>[.)])(?=\s|$)
    )""",
    re.VERBOSE,
)
"""The start of a line that Markdown would read as that of a block."""
EMPHASIS = {Emphasis: "*", Strong: "**", Strikethrough: "~~", Highlight: "=="}
"""The mark before and after a styled text."""
ALIGNMENTS = {"left": ":--", "center": ":-:", "right": "--:", "": "---"}


def to_markdown(blocks: Sequence[Block], context: RenderContext) -> str:
    """Blocks as Markdown, without a line end after the last. Links lead to the addresses of the context."""
    return _Writer(context).blocks(blocks)


@dataclass(frozen=True, slots=True)
class _Writer:
    context: RenderContext
    is_inside_link: bool = False
    """Whether text has no automatic links, because it is inside a link or heading."""

    def blocks(self, blocks: Sequence[Block], separator: str = "\n\n") -> str:
        """Blocks separated by empty lines."""
        return separator.join(filter(None, map(self.block, blocks)))

    def block(self, block: Block) -> str:
        """One block, whose lines are joined by line ends."""
        match block:
            case Paragraph():
                return _escaped_lines(self.inlines(block.children))
            case Heading(level=level):
                return f"{'#' * min(level, 6)} {self.inside_link().one_line(block.children)}"
            case List(items=items, start=start, tight=tight):
                marks = ["- "] * len(items) if start is None else [f"{start + n}. " for n in range(len(items))]
                written = (self.item(item, mark, tight) for item, mark in zip(items, marks, strict=True))
                return ("\n" if tight else "\n\n").join(written)
            case ListItem():
                return self.item(block, "- ", tight=True)
            case Table():
                return self.table(block)
            case CodeBlock(text=text, info=info):
                fence = _fence(text, 3)
                return f"{fence}{info}\n{text.rstrip()}\n{fence}" if text.strip() else f"{fence}{info}\n{fence}"
            case BlockQuote(children=children):
                return _indented(self.blocks(children), "> ", "> ")
            case ThematicBreak():
                return "---"
            case Callout(kind=kind, fold=fold):
                title = self.inside_link().one_line(block.title)
                return _indented(f"[!{kind}]{fold} {title}".rstrip() + f"\n{self.blocks(block.children)}", "> ", "> ")
            case DefinitionList(items=items):
                return "\n".join(self.definition(item) for item in items)
            case DefinitionItem():
                return self.definition(block)
            case FootnoteDefinition(label=label):
                return _indented(self.blocks(block.children), f"[^{label}]: ", "    ")
            case RawBlock(text=text):
                return join_sanitized([Fragment(text.strip(), is_raw=True)], "")
            case Statblock(children=children):
                return "\n".join(self.definition_of(item) for item in children)
            case Property():
                return self.definition_of(block)
            case Columns() | Column() | Div() | Row() | Cell():
                return self.blocks(block.children)

    def item(self, item: ListItem, mark: str, tight: bool) -> str:
        """A list item after its mark."""
        checkbox = "" if item.checked is None else f"[{item.checked}] "
        content = self.blocks(item.children, "\n" if tight else "\n\n")
        return _indented(checkbox + content, mark, " " * len(mark))

    def definition(self, item: DefinitionItem) -> str:
        """A term in bold and its definition, as an item of a list."""
        return self.labelled(self.inside_link().one_line(item.term), item.children)

    def definition_of(self, item: Property) -> str:
        """The key of a property in bold and its value, as an item of a list."""
        return self.labelled(_escaped(item.key), item.children)

    def labelled(self, label: str, blocks: Sequence[Block]) -> str:
        """An item of a list that starts with a label in bold."""
        head = f"**{label}**"
        if blocks and isinstance(first := blocks[0], Paragraph):
            head, blocks = f"{head}: {self.inlines(first.children)}", blocks[1:]
        return _indented("\n\n".join(filter(None, (head, self.blocks(blocks)))), "- ", "  ")

    def table(self, table: Table) -> str:
        """A table, after its caption in bold."""
        rows = [self.row(table.header), f"| {' | '.join(ALIGNMENTS.get(side, '---') for side in table.alignments)} |"]
        rows += map(self.row, table.rows)
        caption = [f"**{self.one_line(table.caption)}**"] if table.caption else []
        return "\n\n".join([*caption, "\n".join(rows)])

    def row(self, row: Row) -> str:
        """A table row on one line."""
        cells = (self.blocks(cell.children, "<br>") for cell in row.cells)
        lines = (re.sub(r"(?<!\s)\s*\n\s*", " ", cell.replace("\\\n", "<br>")).replace("|", "\\|") for cell in cells)
        return f"| {' | '.join(lines)} |"

    def one_line(self, inlines: Sequence[Inline]) -> str:
        """Inlines on one line."""
        return " ".join(self.inlines(inlines).replace("\\\n", " ").split())

    def inlines(self, inlines: Sequence[Inline]) -> str:
        """Inlines, one after the other."""
        return "".join(map(self.inline, inlines))

    def inline(self, inline: Inline) -> str:
        """One inline."""
        match inline:
            case Text():
                return self.text(inline)
            case Emphasis() | Strong() | Strikethrough() | Highlight():
                return _marked(self.inlines(inline.children), EMPHASIS[type(inline)])
            case Code(value=value):
                return _code(value)
            case Math(value=value):
                mark = "$$" if ' display="block"' in inline.mathml else "$"
                return f"{mark}{value}{mark}"
            case Tag(name=name):
                return f"#{name}"
            case Link():
                return self.link(inline)
            case DiceRoll(children=children):
                return self.inlines(children)
            case Image():
                address, words = self.context.image_address(inline), _escaped(plain_text(*inline.children))
                shown = f"![{words}]({_address(address)})" if address and is_safe_image(address) else words
                return shown + self.inlines([*footnote_references(inline)])
            case Embed():
                label = (Text(inline.span, inline.label or inline.target.lstrip("#").replace("#", " > ")),)
                return self.link(Link(span=inline.span, target=inline.target, children=label, wiki=True))
            case FootnoteReference(label=label):
                return f"[^{label}]"
            case SoftBreak():
                return "\n"
            case HardBreak():
                return "\\\n"
            case RawInline(text=text):
                return join_sanitized([Fragment(text, is_raw=True)], "")

    def inside_link(self) -> "_Writer":
        """The writer for the content of a link or heading."""
        return self if self.is_inside_link else _Writer(self.context, is_inside_link=True)

    def text(self, text: Text) -> str:
        """A text node with its automatic links."""
        value = text.value
        parts, end = [], 0
        for term in () if self.is_inside_link else self.context.terms(text):
            opens, closes = "[" if term.opens else "", f"]({_address(term.address)})" if term.closes else ""
            parts += [_escaped(value[end : term.start]), opens, _escaped(value[term.start : term.end]), closes]
            end = term.end
        return "".join((*parts, _escaped(value[end:])))

    def link(self, link: Link) -> str:
        """A link, or only its text if the target is missing or unsafe."""
        content = self.inside_link().inlines(link.children)
        href = self.context.href(link)
        if href.state == "missing" or not is_safe_link(href.address):
            return content
        return f"[{content}]({_address(href.address)})"


def _escaped(text: str) -> str:
    return MARKUP.sub(r"\\\g<0>", text)


def _escaped_lines(text: str) -> str:
    """The text of a paragraph, none of whose lines starts another block."""

    def escaped(match: re.Match[str]) -> str:
        return f"\\{match['mark']}" if match["mark"] else f"{match['number']}\\{match['end']}"

    return LINE_START.sub(escaped, text)


def _marked(content: str, mark: str) -> str:
    """A styled text; its marks are next to words, not to spaces."""
    words = content.strip()
    if not words:
        return content
    start = content.index(words)
    return f"{content[:start]}{mark}{words}{mark}{content[start + len(words) :]}"


def _code(value: str) -> str:
    fence = _fence(value, 1)
    padding = " " if value.startswith("`") or value.endswith("`") else ""
    return f"{fence}{padding}{value}{padding}{fence}"


def _fence(text: str, shortest: int) -> str:
    """A row of backticks that is longer than any in a text."""
    return "`" * max(shortest, 1 + max(map(len, re.findall("`+", text)), default=0))


def _address(address: str) -> str:
    """An address of a link; in angle brackets, if it has spaces or brackets."""
    return f"<{address}>" if re.search(r"[\s()]", address) else address


def _indented(text: str, first: str, others: str) -> str:
    """A text with a prefix before its first line and another before its other lines."""
    head, *lines = text.split("\n")
    return "\n".join([f"{first}{head}".rstrip(), *(f"{others}{line}".rstrip() for line in lines)])
