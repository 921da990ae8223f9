"""`foreign-markup`: markup of other programs (diagrams, queries, templates, components), which is not run."""

import re
from collections.abc import Iterator, Mapping

from kismet_build.model.diagnostic import Related, Report, info
from kismet_build.model.nodes import Code, CodeBlock, Document, RawBlock, RawInline, Text, walk
from kismet_build.model.source import Span
from kismet_build.pack import Pack

DIAGRAM = "diagrams in code blocks"
QUERY = "queries"
PLUGIN = "code blocks of plugins"
TEMPLATE = "template code"
CODE_BLOCKS: Mapping[str, str] = {
    "mermaid": DIAGRAM,
    **dict.fromkeys(("dataview", "dataviewjs", "base", "query", "tasks"), QUERY),
    **dict.fromkeys(
        (
            *("leaflet", "zoommap", "initiative", "initiative-tracker", "encounter", "encounter-table"),
            *("button", "buttons", "timeline", "timeline-labeled", "chart", "chartsview", "tracker", "kanban"),
            *("meta-bind", "meta-bind-button", "meta-bind-js-view", "js-engine", "run-js", "templater", "excalidraw"),
            *("tabs", "gallery", "img-gallery", "image-layout", "datacards", "statblock-image", "cardlink", "dice"),
            *("toc", "table-of-contents"),
        ),
        PLUGIN,
    ),
}
"""Sorts of markup in code blocks, by the language of the block; those of Admonition begin with `ad-`."""
INLINE_QUERY = re.compile(r"\s*(?:\$=\s*\S|=\s*(?:this\b|\[\[|\w+\())")
"""Inline code that Dataview runs: `= this.hp + 2`, `= round(2.4)`, `$= dv.current().hp`. `= 12` may be anybody's."""
INLINE_PLUGIN = re.compile(r"(?P<name>INPUT|VIEW|BUTTON)\[|(?P<key>encounter):\s")
"""Inline code of Meta Bind and Initiative Tracker."""
IN_TEXT: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (TEMPLATE, "{% … %}", re.compile(r"\{%")),
    (TEMPLATE, "{{ … }}", re.compile(r"\{\{")),
    (TEMPLATE, "<% … %>", re.compile(r"<%")),
    (TEMPLATE, "{:.class}", re.compile(r"\{:?\s*[.#][A-Za-z]")),
    (TEMPLATE, "[TOC]", re.compile(r"\A\s*\[TOC\]\s*\Z")),
    ("blocks of other programs", "!!! note", re.compile(r"(?:!!!|\?\?\?\+?)\s+[a-z]")),
    ("blocks of other programs", ":::", re.compile(r":::+\s*(?:\{?[a-z]|\Z)")),
    ("imports of components", "import … from …", re.compile(r"import\s[^\n]{1,200}?\sfrom\s+['\"‘“]")),
)
"""The sort of markup in the text, what it is called, and what it begins with."""
COMPONENT = "components"
COMPONENT_TAG = re.compile(r"</?(?P<name>[A-Z][a-z]\w*)[\s/>]")
"""A tag with a capital at its start, which no element of HTML has, except one that is all in capitals."""
ACTIVE = "parts of HTML that run or load something"
ACTIVE_TAG = re.compile(r"<(?P<name>iframe|script|style|object|embed|audio|video)\b", re.IGNORECASE)
"""The start of an element that the website does not show."""
SIGNS = re.compile(r"\{[%{]|<%|\{:?\s*[.#]|\[TOC\]|!!!|\?\?\?|:::|import|`\s*\$?=|`(?:INPUT|VIEW|BUTTON|enc)|```|~~~")
"""This, a `COMPONENT_TAG` or an `ACTIVE_TAG` is in each text with such markup. Only such texts are searched by node."""
MAX_NAMES = 4
"""Names of found markup in one message."""


def foreign_markup(pack: Pack, report: Report) -> None:
    """Report each sort of such markup once, with what was found and all its places."""
    places: dict[str, dict[Span, None]] = {}
    names: dict[str, dict[str, None]] = {}
    for path, outline in pack.book.outlines.items():
        for sort, name, span in pack.memo.run("foreign markup", path, _places, outline.chapter.document):
            places.setdefault(sort, {})[span] = None
            names.setdefault(sort, {})[name] = None
    for sort, (first, *others) in places.items():
        related = tuple(Related(span, "also here") for span in others)
        count = f"{len(others) + 1} places" if others else "one place"
        found = list(names[sort])
        more = f" and {len(found) - MAX_NAMES} more" if len(found) > MAX_NAMES else ""
        what = "left out" if sort == ACTIVE else "shown as words, and not run"
        hint = "link to the page or file instead" if sort == ACTIVE else "write out what the other program would show"
        message = f"{sort} ({', '.join(found[:MAX_NAMES])}{more}) in {count} are {what}"
        report(info("foreign-markup", first, message, hint, related))


def _places(document: Document) -> tuple[tuple[str, str, Span], ...]:
    """The sort, name and place of each mark in a document."""
    text = document.source.text
    has_sign = any(pattern.search(text) for pattern in (SIGNS, COMPONENT_TAG, ACTIVE_TAG))
    return tuple(_marks(document)) if has_sign else ()


def _marks(document: Document) -> Iterator[tuple[str, str, Span]]:
    for node in walk(*document.blocks):
        match node:
            case CodeBlock(info=info_string):
                language = "".join(info_string.casefold().split()[:1])
                if sort := CODE_BLOCKS.get(language, PLUGIN if language.startswith("ad-") else ""):
                    yield sort, language, node.span
            case Code(value=code):
                if INLINE_QUERY.match(code):
                    yield QUERY, "$=" if code.lstrip().startswith("$") else "=", node.span
                elif plugin := INLINE_PLUGIN.match(code):
                    yield "inline code of plugins", plugin["key"] or f"{plugin['name']}[…]", node.span
            case Text(value=value):
                for sort, name, pattern in IN_TEXT:
                    is_start = sort == "blocks of other programs"
                    if (pattern.match if is_start else pattern.search)(value):
                        yield sort, name, node.span
            case RawBlock(text=html) | RawInline(text=html):
                if component := COMPONENT_TAG.search(html):
                    yield COMPONENT, f"<{component['name']}>", node.span
                if active := ACTIVE_TAG.search(html):
                    yield ACTIVE, active["name"].casefold(), node.span
            case _:
                pass
