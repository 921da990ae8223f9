"""Convert HTML to a tree that is valid in EPUB 3.3, and write the tree as XHTML.

Fragments and sanitized HTML omit no end tags, so the parser of the standard library suffices to read them. But authors
may put any element into any other. An element that the grammar forbids becomes a neutral element, or only its content
stays.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from typing import TypeAlias

from kismet_build.render.html.escape import escaped

VOID = frozenset(("br", "col", "hr", "img", "link", "wbr"))
"""Elements without content."""
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = frozenset(
    (
        *("article", "aside", "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure", "hr", "li", "nav", "ol"),
        *("p", "pre", "section", "table", "ul", *HEADINGS),
    )
)
"""Block elements, which may not be among words."""
TABLE_PARTS = frozenset(("caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"))
TRANSPARENT = frozenset(("a", "del", "ins"))
"""Elements with a transparent content model: they may contain whatever their parent may contain."""
WORDS = frozenset(
    (
        *("abbr", "b", "bdi", "bdo", "br", "cite", "code", "dfn", "em", "i", "img", "kbd", "mark", "q", "rp", "rt"),
        *("ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr"),
    )
)
"""Elements among words, which may not contain blocks."""
KNOWN = BLOCKS | TABLE_PARTS | TRANSPARENT | WORDS | {"math"}
"""Elements that are kept. Any other element is replaced by its content."""
REPLACEMENTS = {
    "acronym": "abbr",
    "center": "div",
    "data": "span",
    "details": "div",  # Few e-readers can unfold `<details>`.
    "footer": "div",
    "header": "div",
    "hgroup": "div",
    "strike": "s",
    "summary": "p",
    "time": "span",
    "tt": "code",
}
PARENTS = {
    "dd": ("dl", "div"),
    "dt": ("dl", "div"),
    "figcaption": ("figure",),
    "li": ("ol", "ul"),
    "rp": ("ruby",),
    "rt": ("ruby",),
}
"""The allowed parents of an element, if they are limited. Sanitizing already ensures them for the parts of tables."""

INTEGER = re.compile(r"-?\d{1,9}")
POSITIVE = re.compile(r"0*[1-9]\d{0,2}")
ANYTHING = re.compile(r".*", re.DOTALL)
ATTRIBUTES = {
    "aria-hidden": ANYTHING,
    "aria-label": ANYTHING,
    "aria-labelledby": ANYTHING,
    "aria-level": POSITIVE,
    "class": ANYTHING,
    "dir": re.compile("ltr|rtl|auto"),
    "epub:type": ANYTHING,
    "id": ANYTHING,
    "lang": re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*"),
    "role": ANYTHING,
    "title": ANYTHING,
}
"""The attributes that any element may have, with a pattern for the value."""
OWN_ATTRIBUTES = {
    "a": {"href": ANYTHING},
    "col": {"span": POSITIVE},
    "colgroup": {"span": POSITIVE},
    "img": {"alt": ANYTHING, "height": POSITIVE, "src": ANYTHING, "width": POSITIVE},
    "ol": {"start": INTEGER},
    "td": {"colspan": POSITIVE, "data-label": ANYTHING, "rowspan": POSITIVE},
    "th": {"colspan": POSITIVE, "rowspan": POSITIVE, "scope": re.compile("(?:row|col)(?:group)?")},
}
"""The attributes that only some elements may have, with a pattern for the value."""

NO_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""A character that XML cannot contain."""
TICKED, UNTICKED = "☑", "☐"
"""Characters that replace a checkbox, the only form field that authors can write."""
MATHML = "http://www.w3.org/1998/Math/MathML"


class Element:
    """An element with its attributes and children."""

    __slots__ = ("attributes", "children", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], children: "list[Node]") -> None:
        self.tag = tag
        self.attributes = attributes
        self.children = children


Node: TypeAlias = Element | str


def element(tag: str, *children: Node, **attributes: str) -> Element:
    """An element.

    In names of attributes, `_` stands for `-`, `__` for `:`, and `class_` for `class`. Empty attributes are left out.
    """
    names = ((name.rstrip("_").replace("__", ":").replace("_", "-"), value) for name, value in attributes.items())
    return Element(tag, {name: value for name, value in names if value}, [*children])


def read_html(html: str) -> list[Node]:
    """HTML as nodes that are valid in an EPUB."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    for inner in reader.nested:
        inner.tag = "nested"  # An unknown tag, so only the content is kept.
    for parent in reversed([*walk([reader.root])]):
        _fit(parent)
    return reader.root.children


class _Reader(HTMLParser):
    """Reads HTML in which every element has its end tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("body", {}, [])
        self.open = [self.root]
        self.nested: list[Element] = []
        """Elements inside another element of the same type, where HTML does not allow it."""

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "input":
            self.handle_data(TICKED if "checked" in dict(attrs) else UNTICKED)
            return
        made = Element(tag, {name: value or "" for name, value in attrs}, [])
        self.open[-1].children.append(made)
        if tag in ("a", "dfn") and any(opened.tag == tag for opened in self.open):
            self.nested.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open[-1].tag == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if any(opened.tag == tag for opened in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def walk(nodes: Iterable[Node]) -> Iterator[Element]:
    """The elements of a tree, each before its content, without the parts of formulas."""
    pending = [node for node in nodes if isinstance(node, Element)][::-1]
    while pending:
        found = pending.pop()
        yield found
        if found.tag != "math":
            pending += [child for child in reversed(found.children) if isinstance(child, Element)]


def text_of(nodes: Iterable[Node]) -> str:
    """The text of a tree."""
    pending = [*nodes][::-1]
    words = []
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            words.append(node)
        else:
            pending += reversed(node.children)
    return "".join(words)


# --- the grammar


def _fit(parent: Element) -> None:
    """Make an element valid. Its children are valid already, except for their position in it."""
    if parent.tag == "math":
        parent.attributes["xmlns"] = MATHML
        return
    parent.tag = REPLACEMENTS.get(parent.tag, parent.tag)
    own = OWN_ATTRIBUTES.get(parent.tag, {})
    parent.attributes = {
        name: value
        for name, value in parent.attributes.items()
        if (allowed := own.get(name) or ATTRIBUTES.get(name)) and allowed.fullmatch(value)
    }
    parent.children = [*_unwrapped(parent.children)]
    match parent.tag:
        case "ol" | "ul":
            parent.children = [*_items(parent.children)]
        case "dl" if not _is_definition_list(parent):
            parent.tag = "div"
        case "table":
            _fit_table(parent)
        case "ruby" if not RUBY.fullmatch(_signs(parent, "b")):
            parent.tag = "span"
        case "bdo" if "dir" not in parent.attributes:
            parent.tag = "span"
        case "img":
            parent.attributes = {"src": "", "alt": ""} | parent.attributes
    _place_children(parent)
    if (parent.tag in WORDS or parent.tag in (*HEADINGS, "p", "pre")) and _holds_blocks(parent):
        if parent.tag in HEADINGS:
            parent.attributes |= {"role": "heading", "aria-level": parent.attributes.get("aria-level", parent.tag[1:])}
        parent.tag = "div"
        _place_children(parent)


def _place_children(parent: Element) -> None:
    nodes = [node for node in parent.children if not _is_blank(node)]
    for node in nodes:
        if isinstance(node, str):
            continue
        if node.tag == "div" and parent.tag != "dl":
            _replace_tags(node, "dt", "dd")
        elif parent.tag not in PARENTS.get(node.tag, (parent.tag,)):
            node.tag = "span" if node.tag in WORDS else "div"
        elif node.tag == "figcaption" and (node not in (nodes[0], nodes[-1]) or _tags(parent).count("figcaption") > 1):
            node.tag = "div"


def _replace_tags(parent: Element, *tags: str) -> None:
    for child in parent.children:
        if isinstance(child, Element) and child.tag in tags:
            child.tag = "div"


def _unwrapped(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, str) or node.tag in KNOWN:
            yield node
        else:
            yield from node.children


def _tags(parent: Element) -> list[str]:
    return [child.tag for child in parent.children if isinstance(child, Element)]


def _is_blank(node: Node) -> bool:
    return isinstance(node, str) and not node.strip()


def _items(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if _is_blank(node) or (isinstance(node, Element) and node.tag == "li"):
            yield node
        else:
            item = element("li", node)
            _place_children(item)
            yield item


SIGNS = {"dd": "d", "div": "v", "dt": "t", "rp": "(", "rt": "r"}
DEFINITIONS = re.compile(r"(?:t+d+)*|v+")
"""Valid content of a `<dl>` element, written with `SIGNS`."""
RUBY = re.compile(r"(?:b+(?:r|\(r\()+)+")
"""Valid content of a `<ruby>` element, written with `SIGNS`, and `b` for anything else. `rp` has the parentheses for
e-readers that do not support ruby."""


def _signs(parent: Element, other: str) -> str:
    """The children of an element, each as a sign from `SIGNS`. `other`: the sign for words and all other elements."""
    nodes = (node for node in parent.children if not _is_blank(node))
    return "".join(other if isinstance(node, str) else SIGNS.get(node.tag, other) for node in nodes)


def _is_definition_list(parent: Element) -> bool:
    groups = (child for child in parent.children if isinstance(child, Element) and child.tag == "div")
    is_complete = all(re.fullmatch("t+d+", _signs(group, "x")) for group in groups)
    return is_complete and bool(DEFINITIONS.fullmatch(_signs(parent, "x")))


TABLE_ORDER = ("caption", "colgroup", "thead", "tbody", "tfoot")


def _fit_table(parent: Element) -> None:
    """Put the parts of a table in the order of the grammar.

    The content of any further caption, head or foot is moved to the first.
    """
    first: dict[str, Element] = {}
    parts: list[Element] = []
    for part in parent.children:
        if isinstance(part, str):
            continue
        if part.tag in ("caption", "thead", "tfoot") and part.tag in first:
            first[part.tag].children += part.children
        else:
            first.setdefault(part.tag, part)
            parts.append(part)
    parts.sort(key=lambda part: TABLE_ORDER.index(part.tag) if part.tag in TABLE_ORDER else TABLE_ORDER.index("tbody"))
    parent.children = [*parts]
    caption = first.get("caption")
    if caption and any(inner.tag == "table" for inner in walk(caption.children)):
        # A caption must not contain a table, so it becomes a block before the outer table.
        caption.tag = "div"
        parent.tag, parent.children = "div", [caption, element("table", *parts[1:])]


def _holds_blocks(parent: Element) -> bool:
    pending = [child for child in parent.children if isinstance(child, Element)]
    for child in pending:
        if child.tag in BLOCKS:
            return True
        if child.tag in TRANSPARENT:
            pending += [inner for inner in child.children if isinstance(inner, Element)]
    return False


# --- writing


def write_xml(nodes: Iterable[Node]) -> str:
    """A tree as XML that HTML parsers read in the same way as XML parsers."""
    pieces: list[str] = []
    pending: list[tuple[Node, bool]] = [(node, False) for node in nodes][::-1]
    while pending:
        node, is_end = pending.pop()
        if isinstance(node, str):
            pieces.append(escaped(node))
        elif is_end:
            pieces.append(f"</{node.tag}>")
        else:
            attributes = "".join(f' {name}="{_value(value)}"' for name, value in node.attributes.items())
            pieces.append(f"<{node.tag}{attributes}{'/' if node.tag in VOID else ''}>")
            if node.tag not in VOID:
                pending.append((node, True))
                pending += [(child, False) for child in reversed(node.children)]
    return NO_XML.sub("", "".join(pieces))


def _value(text: str) -> str:
    return escaped(text).replace("\n", "&#10;").replace("\t", "&#9;")
