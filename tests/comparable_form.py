"""Convert Asciidoctor's HTML and our document model to the same simple form, to compare them.

A block is a tuple that starts with its type; inline content is a string with markup as tags.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import Any

from kismet_build.model import nodes
from kismet_build.model.nodes import Block, Inline, Node

Form = tuple[Any, ...]

VOID = frozenset(("br", "hr", "img", "col", "meta", "link", "input"))
TAGS = {"em": "em", "strong": "strong", "code": "code", "mark": "mark", "sup": "sup", "sub": "sub", "del": "del"}
INVISIBLE = re.compile("[\u200b\u2060]")


def words(text: str) -> str:
    """Return text with normalized spaces: thin spaces become spaces, invisible characters are removed."""
    text = INVISIBLE.sub("", text).replace("\u2009", " ")
    text = re.sub(r"\s*(<br>)\s*", r"\1", text)
    return re.sub(r"[ \t\n]+", " ", text).strip(" \n\t").removesuffix("<br>")


# --- Asciidoctor's output


@dataclass
class Element:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def elements(self) -> list["Element"]:
        return [child for child in self.children if isinstance(child, Element)]

    def find(self, tag: str) -> "Element":
        return next(child for child in self.elements() if child.tag == tag)


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.path = [Element("body")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.path[-1].children.append(element)
        if tag not in VOID:
            self.path.append(element)

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self.path):
            while self.path.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.path[-1].children.append(data)


def parse_asciidoctor_html(html: str) -> list[Form]:
    tree = _Tree()
    tree.feed(html)
    tree.close()
    return _blocks(tree.path[0])


def _blocks(element: Element) -> list[Form]:
    forms: list[Form] = []
    for child in element.elements():
        forms += _block(child)
    return forms


def _title(element: Element) -> list[Form]:
    titles = [child for child in element.elements() if "title" in child.classes]
    return [("paragraph", f"<strong>{_words(title)}</strong>") for title in titles]


def _block(element: Element) -> list[Form]:
    classes = element.classes
    tag = element.tag
    if re.fullmatch(r"h[1-6]", tag):
        return [("heading", int(tag[1]), element.attributes.get("id", ""), _words(element))]
    if tag == "table" and "tableblock" in classes:
        return [_table(element)]
    if tag == "hr":
        return [("break",)]
    if "title" in classes:
        return []
    if "paragraph" in classes:
        return [*_title(element), ("paragraph", _words(element.find("p")))]
    if tag == "p":
        return [("paragraph", _words(element))]
    if tag == "pre":
        return [("code", _text(element).rstrip("\n"))]
    if "admonitionblock" in classes:
        content = element.find("table").find("tr").elements()[1]
        titles = [child for child in content.elements() if "title" in child.classes]
        content.children = [child for child in content.children if child not in titles]
        kind = "question" if "question" in classes else classes[1]
        return [("note", kind, _words(titles[0]) if titles else "", _mixed(content))]
    if "ulist" in classes or "olist" in classes:
        return [*_title(element), _list(element.find("ul" if "ulist" in classes else "ol"))]
    if "colist" in classes:
        return [_list(element.find("ol"))]
    if "hdlist" in classes:
        rows = [row.elements() for row in element.find("table").elements() if row.tag == "tr"]
        return [*_title(element), ("terms", [(_words(term), _mixed(meaning)) for term, meaning in rows])]
    if "dlist" in classes:
        return [*_title(element), ("terms", _terms(element.find("dl")))]
    if "imageblock" in classes:
        return [*_title(element), ("paragraph", _words(element.find("div")))]
    if "verseblock" in classes:
        verse = "".join(_inline(child) for child in element.find("pre").children)
        lines = [("paragraph", words(part.replace("\n", "<br>"))) for part in verse.split("\n\n")]
        return [*_title(element), ("quote", [*lines, *_attribution(element)])]
    if "quoteblock" in classes:
        return [*_title(element), ("quote", [*_mixed(element.find("blockquote")), *_attribution(element)])]
    for name in ("exampleblock", "sidebarblock", "openblock"):
        if name in classes:
            content = element.find("div") if "title" not in element.elements()[0].classes else element.elements()[1]
            return [*_title(element), *_title(content), ("div", name.removesuffix("block"), _mixed(content))]
    if "listingblock" in classes or "literalblock" in classes:
        return [*_title(element), *_blocks(next(child for child in element.elements() if "content" in child.classes))]
    if element.attributes.get("id") == "footnotes":
        notes = [_words(Element("p", {}, note.children[2:])) for note in element.elements()[1:]]
        return [("footnote", note.removeprefix(". ")) for note in notes]
    return _blocks(element)


def _attribution(element: Element) -> list[Form]:
    attributions = [_words(child) for child in element.elements() if "attribution" in child.classes]
    return [("paragraph", attributions[0].replace("<br>", ", "))] if attributions else []


def _mixed(element: Element) -> list[Form]:
    if any(re.fullmatch("div|p|table|[uod]l|pre|h[1-6]", child.tag) for child in element.elements()):
        return _blocks(element)
    bare = _words(element)
    return [("paragraph", bare)] if bare else []


def _list(element: Element) -> Form:
    start = int(element.attributes.get("start", "1")) if element.tag == "ol" else None
    return ("list", start, [_mixed(item) for item in element.elements()])


def _terms(element: Element) -> list[tuple[str, list[Form]]]:
    terms: list[tuple[str, list[Form]]] = []
    for child in element.elements():
        if child.tag == "dt":
            terms.append((_words(child), []))
        else:
            terms[-1] = (terms[-1][0], _mixed(child))
    return terms


def _table(element: Element) -> Form:
    caption = "".join(_words(child) for child in element.elements() if child.tag == "caption")
    header: list[list[list[Form]]] = []
    body: list[list[list[Form]]] = []
    for part in element.elements():
        if part.tag in ("thead", "tbody", "tfoot"):
            (header if part.tag == "thead" else body).extend(_grid(part))
    return ("table", caption, header, body)


def _grid(part: Element) -> list[list[list[Form]]]:
    """Return rows of cells, with a cell in each place that it spans. A header cell in the body becomes strong."""
    rows = part.elements()
    places: dict[tuple[int, int], list[Form]] = {}
    for number, row in enumerate(rows):
        column = 0
        for cell in row.elements():
            while (number, column) in places:
                column += 1
            content = _mixed(cell)
            if cell.tag == "th" and part.tag != "thead":
                content = [(form[0], f"<strong>{form[1]}</strong>") for form in content]
            for down in range(int(cell.attributes.get("rowspan", 1))):
                for right in range(int(cell.attributes.get("colspan", 1))):
                    places[number + down, column + right] = content
    width = max((column for _, column in places), default=-1) + 1
    return [[places.get((number, column), []) for column in range(width)] for number in range(len(rows))]


def _text(element: Element) -> str:
    return "".join(child if isinstance(child, str) else _text(child) for child in element.children)


def _words(element: Element) -> str:
    return words("".join(_inline(child) for child in element.children))


def _inline(node: "Element | str") -> str:
    if isinstance(node, str):
        return escape(node, quote=False)
    inside = "".join(_inline(child) for child in node.children)
    if node.tag == "sup" and node.classes[:1] in (["footnote"], ["footnoteref"]):
        return f"<note {_text(node).strip('[]')}>"
    if node.tag == "a":
        href = node.attributes.get("href")
        return inside if href is None else f'<a href="{href}">{inside}</a>'
    if node.tag == "br":
        return "<br>"
    if node.tag == "img":
        return f"<img {node.attributes['src']} {node.attributes['alt']}>"
    if node.tag == "span" and "line-through" in node.classes:
        return f"<del>{inside}</del>"
    if node.tag == "code":
        return mark_code(inside)
    return f"<{node.tag}>{inside}</{node.tag}>" if node.tag in TAGS else inside


def mark_code(inside: str) -> str:
    """Mark text as code, with the code tag inside other tags, as in our model."""
    return (
        re.sub(r"([^<>]+)(?=<|$)", lambda match: f"<code>{match[1]}</code>", inside)
        if "<" in inside
        else f"<code>{inside}</code>"
    )


# --- our model


def convert_blocks(blocks: Sequence[Block]) -> list[Form]:
    reader = _BlockConverter()
    return [form for block in blocks for form in reader.block(block)]


class _BlockConverter:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def block(self, block: Block) -> list[Form]:
        match block:
            case nodes.Heading(level=level, id=name, children=inside, number=number):
                return [("heading", level, name, f"{number} {self.words(inside)}".strip())]
            case nodes.Paragraph(children=inside):
                return [("paragraph", self.words(inside))]
            case nodes.Callout(kind=kind, title=title):
                return [("note", kind, self.words(title), self.blocks(block.children))]
            case nodes.List(start=start, items=items):
                return [("list", start, [self.item(item) for item in items])]
            case nodes.DefinitionList(items=items):
                return [("terms", [(self.words(item.term), self.blocks(item.children)) for item in items])]
            case nodes.Table(header=header, rows=rows, caption=caption):
                head = [self.row(header)] if any(cell.children for cell in header.cells) else []
                return [("table", self.words(caption), head, [self.row(row) for row in rows])]
            case nodes.CodeBlock(text=text):
                return [("code", text.rstrip("\n"))]
            case nodes.BlockQuote(children=inside):
                return [("quote", self.blocks(inside))]
            case nodes.Div(name=name, children=inside):
                return [("div", name, self.blocks(inside))]
            case nodes.ThematicBreak():
                return [("break",)]
            case nodes.FootnoteDefinition(children=inside):
                return [("footnote", words(" ".join(str(form[1]) for form in self.blocks(inside))))]
            case _:
                raise AssertionError(type(block).__name__)

    def blocks(self, blocks: Sequence[Block]) -> list[Form]:
        return [form for block in blocks for form in self.block(block)]

    def item(self, item: nodes.ListItem) -> list[Form]:
        blocks = self.blocks(item.children)
        if item.checked is not None:
            blocks[0] = ("paragraph", ("❏ " if item.checked == " " else "✓ ") + blocks[0][1])
        return blocks

    def row(self, row: nodes.Row) -> list[list[Form]]:
        return [self.blocks(cell.children) for cell in row.cells]

    def words(self, inlines: Sequence[Inline]) -> str:
        return words("".join(self.inline(node) for node in inlines))

    def inline(self, node: Node) -> str:
        inside = "".join(self.inline(child) for child in nodes.children(node))
        match node:
            case nodes.Text(value=value):
                return escape(value, quote=False)
            case nodes.Code(value=value):
                return f"<code>{escape(value, quote=False)}</code>"
            case nodes.Emphasis():
                return f"<em>{inside}</em>"
            case nodes.Strong():
                return f"<strong>{inside}</strong>"
            case nodes.Highlight():
                return f"<mark>{inside}</mark>"
            case nodes.Strikethrough():
                return f"<del>{inside}</del>"
            case nodes.Link(target=target):
                return f'<a href="{target}">{inside}</a>'
            case nodes.Image(target=target):
                return f"<img {target} {inside}>"
            case nodes.FootnoteReference(label=label):
                return f"<note {self.numbers.setdefault(label, len(self.numbers) + 1)}>"
            case nodes.Math(value=value):
                return f"\\({value}\\)"
            case nodes.SoftBreak():
                return " "
            case nodes.HardBreak():
                return "<br>"
            case nodes.RawInline(text=text):
                return text if re.fullmatch("</?su[bp]>", text) else re.sub("<[^>]*>", "", text)
            case _:
                raise AssertionError(type(node).__name__)
