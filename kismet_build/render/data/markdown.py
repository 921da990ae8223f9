"""Write blocks as Markdown: CommonMark with tables, footnotes, tasks and the callouts of Obsidian.

Texts of all dialects become the same Markdown. It is as safe as the page, also for readers that know CommonMark alone
and render HTML: what they take for a link or for HTML is that on the page, too (`tests/test_live_text.py`).
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
    |(?<!\S)\#(?=\w|\#*\s*\Z) # at the start of a tag, or at the end of a heading
    """,
    re.VERBOSE,
)
"""A character of text that Markdown would read as markup."""
HTML_MARKUP = re.compile(r"[\\`*\[\]]|~(?=~)")
"""A character of text between tags that Markdown would read as markup, where the tags begin no block of HTML."""
TAG_OF_HTML = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
EMPTY_ELEMENT = re.compile(r"<(\w+)[^<>]*></\1>")
JOINER = "&#8288;"
"""A word joiner, which nobody sees. It parts two codes; behind it begins no block of HTML, and no link is defined."""
LINK_DEFINITION = re.compile(r"\S+(?=[ \t]*(?:\n|\Z)|\s+[\"'(])")
"""The start of a footnote that CommonMark, which knows none, would take for the address of a link."""
MATH_WITH_MARKUP = re.compile(r"[<`]|\\\Z|\]\s*[(\[:]")
"""Something in a formula that CommonMark, which knows none, could take for HTML or a link."""
LINE_START = re.compile(
    r"""(?m)^[ ]*(?:
        (?P<html><(?=[a-zA-Z/!?]))
        |(?P<mark>\#(?=\#*(?:\s|$))|>|[+-](?=\s|$)|[=-](?=[=-]*\s*$))
        |(?P<number>\d{1,9})(?P<end>[.)])(?=\s|$)
    )""",
    re.VERBOSE,
)
"""The start of a line that Markdown would read as that of a block."""
LINE_END = re.compile(r"[\r\n]+")
ADDRESS_MARKUP = re.compile(r"[\x00-\x1f<>`]")
INFO_MARKUP = re.compile(r"[\r\n`|]")
"""A character after a fence that would end it, or make it a row of a table."""
CHARACTER_REFERENCE = re.compile(r"&(?=#?\w+;)")
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
                fence, info = _fence(text, 3), INFO_MARKUP.sub(lambda match: f"&#{ord(match[0])};", info)
                return f"{fence}{info}\n{text.rstrip()}\n{fence}" if text.strip() else f"{fence}{info}\n{fence}"
            case BlockQuote(children=children):
                return _indented(self.blocks(children), "> ", "> ")
            case ThematicBreak():
                return "---"
            case Callout(kind=kind, fold=fold):
                title = self.inside_link().one_line(block.title)
                return _indented(
                    f"[!{_escaped(kind)}]{fold} {title}".rstrip() + f"\n{self.blocks(block.children)}", "> ", "> "
                )
            case DefinitionList(items=items):
                return "\n".join(self.definition(item) for item in items)
            case DefinitionItem():
                return self.definition(block)
            case FootnoteDefinition(label=label):
                return _indented(self.footnote(block.children), f"[^{_escaped(label)}]: ", "    ")
            case RawBlock(text=text):
                return _html(text.strip())
            case Statblock(children=children):
                return "\n".join(self.definition_of(item) for item in children)
            case Property():
                return self.definition_of(block)
            case Columns() | Column() | Div() | Row() | Cell():
                return self.blocks(block.children)

    def item(self, item: ListItem, mark: str, tight: bool) -> str:
        """A list item after its mark."""
        checkbox = "" if item.checked is None else f"[{_escaped(item.checked)}] "
        # A block of HTML ends at an empty line.
        has_html = any(isinstance(child, RawBlock | Div | Columns) for child in item.children)
        content = self.blocks(item.children, "\n" if tight and not has_html else "\n\n")
        return _indented(checkbox + content, mark, " " * len(mark))

    def footnote(self, blocks: Sequence[Block]) -> str:
        """The content of a footnote. CommonMark, which has none, takes it for words too, and not for a link."""
        text = self.blocks(blocks)
        if not blocks or not isinstance(blocks[0], Paragraph):
            return f"\n\n{text}"  # which is a block of code in CommonMark
        return LINK_DEFINITION.sub(rf"\g<0> {JOINER}", text, count=1) if LINK_DEFINITION.match(text) else text

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
            head, blocks = _escaped_lines(f"{head}: {self.inlines(first.children)}"), blocks[1:]
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
        text = ""
        for part in map(self.inline, inlines):
            if text.endswith("!") and part.startswith("["):
                text = f"{text[:-1]}\\!"  # or the link would be an image
            if text.endswith("`") and part.startswith("`"):
                text += JOINER  # or two codes would be one
            # What follows a footnote would be the address of a link in CommonMark.
            text += f"\\{part}" if text.endswith("]") and part.startswith(("(", ":")) else part
        return text

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
                # The form with backticks is that of GitHub.
                return f"{mark}{_code(value) if MATH_WITH_MARKUP.search(value) else value}{mark}"
            case Tag(name=name):
                return f"#{name}"
            case Link():
                return self.link(inline)
            case DiceRoll(children=children):
                return self.inlines(children)
            case Image():
                address, words = self.context.image_address(inline), escaped_text(plain_text(*inline.children))
                shown = f"![{words}]({_address(address)})" if address and is_safe_image(address) else words
                return shown + self.inlines([*footnote_references(inline)])
            case Embed():
                label = (Text(inline.span, inline.label or inline.target.lstrip("#").replace("#", " > ")),)
                return self.link(Link(span=inline.span, target=inline.target, children=label, wiki=True))
            case FootnoteReference(label=label):
                return f"[^{_escaped(label)}]"
            case SoftBreak():
                return "\n"
            case HardBreak():
                return "\\\n"
            case RawInline(text=text):
                html = _html(text)
                return "" if EMPTY_ELEMENT.fullmatch(html) else html

    def inside_link(self) -> "_Writer":
        """The writer for the content of a link or heading."""
        return self if self.is_inside_link else _Writer(self.context, is_inside_link=True)

    def text(self, text: Text) -> str:
        """A text node with its automatic links."""
        value = text.value
        parts, end = [], 0
        for term in () if self.is_inside_link else self.context.fragments.terms(text):
            if not (address := self.context.term_address(term)):
                continue
            opens, closes = "[" if term.starts_link else "", f"]({_address(address)})" if term.ends_link else ""
            parts += [_escaped(value[end : term.start]), opens, _escaped(value[term.start : term.end]), closes]
            end = term.end
        return "".join((*parts, _escaped(value[end:])))

    def link(self, link: Link) -> str:
        """A link, or only its text if the target is missing or unsafe."""
        content = self.inside_link().inlines(link.children)
        href = self.context.href(link)
        if href.state == "missing" or not is_safe_link(href.address):
            return content
        return link_to(href.address, content)


def escaped_text(text: str) -> str:
    """A text, such as a title, as Markdown on one line."""
    return _escaped(" ".join(text.split()))


def link_to(address: str, label: str) -> str:
    """A link whose label is Markdown."""
    return f"[{label}]({_address(address)})"


def _escaped(text: str) -> str:
    return MARKUP.sub(r"\\\g<0>", LINE_END.sub(" ", text))


def _html(raw: str) -> str:
    """HTML of an author, sanitized. It is the same whether Markdown takes it for a block of HTML or for a paragraph."""
    html = join_sanitized([Fragment(raw, is_raw=True)], "")
    parts, end = [], 0
    for tag in TAG_OF_HTML.finditer(html):
        parts += [_without_markup(html[end : tag.start()]), _tag(tag[0])]
        end = tag.end()
    return "".join((*parts, _without_markup(html[end:])))


def _without_markup(text: str) -> str:
    return HTML_MARKUP.sub(lambda match: f"&#{ord(match[0])};", text)


def _tag(tag: str) -> str:
    """A tag on one line: an empty line in an attribute would end the block of HTML."""
    inside = " ".join(tag[1:-1].split()).replace("<", "&lt;").replace(">", "&gt;")
    return f"<{inside}>"


def _escaped_lines(text: str) -> str:
    """The text of a paragraph, none of whose lines starts another block."""

    def escaped(match: re.Match[str]) -> str:
        if match["html"]:
            return f"{JOINER}<"
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
    value = LINE_END.sub(" ", value)
    if not value:
        return ""
    fence = _fence(value, 1)
    padding = " " if value.startswith("`") or value.endswith("`") else ""
    return f"{fence}{padding}{value}{padding}{fence}"


def _fence(text: str, shortest: int) -> str:
    """A row of backticks that is longer than any in a text."""
    return "`" * max(shortest, 1 + max(map(len, re.findall("`+", text)), default=0))


def _address(address: str) -> str:
    """An address of a link; in angle brackets, if it has spaces or brackets."""
    address = ADDRESS_MARKUP.sub(lambda match: f"%{ord(match[0]):02X}", address.replace("\\", "\\\\"))
    address = CHARACTER_REFERENCE.sub("&amp;", address)
    return f"<{address}>" if re.search(r"[\s()]", address) else address


def _indented(text: str, first: str, others: str) -> str:
    """A text with a prefix before its first line and another before its other lines."""
    head, *lines = text.split("\n")
    return "\n".join([f"{first}{head}".rstrip(), *(f"{others}{line}".rstrip() for line in lines)])
