"""`foreign-markup`: markup of other programs (diagrams, queries, templates, components), which is shown as words."""

import re
from collections.abc import Iterator, Mapping

from kismet_build.model.diagnostic import Related, Report, info
from kismet_build.model.nodes import Code, CodeBlock, Document, RawBlock, RawInline, Text, walk
from kismet_build.model.source import Span
from kismet_build.pack import Pack

DIAGRAM = "diagrams in code blocks (mermaid)"
QUERY = "queries (dataview, base, query, tasks)"
PLUGIN = "code blocks of plugins (leaflet, ad-note)"
CODE_BLOCKS: Mapping[str, str] = {
    "mermaid": DIAGRAM,
    **dict.fromkeys(("dataview", "dataviewjs", "base", "query", "tasks"), QUERY),
    **dict.fromkeys(
        (
            *("leaflet", "zoommap", "initiative", "encounter", "encounter-table", "button", "buttons", "timeline"),
            *("chart", "kanban", "meta-bind", "meta-bind-button", "meta-bind-js-view", "templater", "excalidraw"),
            *(
                "tabs",
                "gallery",
                "img-gallery",
                "image-layout",
                "datacards",
                "statblock-image",
                "toc",
                "table-of-contents",
            ),
        ),
        PLUGIN,
    ),
}
"""Sorts of markup in code blocks, by the language of the block; those of Admonition begin with `ad-`."""
INLINE_QUERY = re.compile(r"\s*(?:\$=\s*\S|=\s*(?:this\b|\[\[|\w+\())")
"""Inline code that Dataview runs: `= this.hp + 2`, `= round(2.4)`, `$= dv.current().hp`. `= 12` may be anybody's."""
IN_TEXT: Mapping[str, re.Pattern[str]] = {
    "template code ({% … %}, {{ … }}, {:.class})": re.compile(r"\{%|\{\{|\{:\s*[.#]"),
    "imports of components (import … from …)": re.compile(r"import\s[^\n]{1,200}?\sfrom\s+['\"‘“]"),
}
"""Sorts of markup in the text."""
COMPONENT = "components (<Tabs>)"
COMPONENT_TAG = re.compile(r"</?[A-Z][a-z]\w*[\s/>]")
"""A tag with a capital at its start, which no element of HTML has, except one that is all in capitals."""
SIGNS = ("{%", "{{", "{:", "import", "`=", "`$=", "```", "~~~")
"""One of these, or a `COMPONENT_TAG`, is in each text with such markup. No other text is searched node by node."""


def foreign_markup(pack: Pack, report: Report) -> None:
    """Report each sort of such markup once, with all its places."""
    places: dict[str, list[Span]] = {}
    for path, outline in pack.book.outlines.items():
        for sort, span in pack.memo.run("foreign markup", path, _places, outline.chapter.document):
            places.setdefault(sort, []).append(span)
    for sort, (first, *others) in places.items():
        related = tuple(Related(span, "also here") for span in others)
        count = f"{len(others) + 1} places" if others else "one place"
        message = f"{sort} in {count} are shown as words, and not run"
        report(info("foreign-markup", first, message, "write out what the other program would show", related))


def _places(document: Document) -> tuple[tuple[str, Span], ...]:
    """The sort and place of each mark in a document."""
    text = document.source.text
    is_searched = any(sign in text for sign in SIGNS) or COMPONENT_TAG.search(text)
    return tuple(_marks(document)) if is_searched else ()


def _marks(document: Document) -> Iterator[tuple[str, Span]]:
    for node in walk(*document.blocks):
        match node:
            case CodeBlock(info=info_string):
                language = "".join(info_string.casefold().split()[:1])
                if sort := CODE_BLOCKS.get(language, PLUGIN if language.startswith("ad-") else ""):
                    yield sort, node.span
            case Code(value=code) if INLINE_QUERY.match(code):
                yield QUERY, node.span
            case Text(value=value):
                for sort, pattern in IN_TEXT.items():
                    if pattern.search(value):
                        yield sort, node.span
            case RawBlock(text=html) | RawInline(text=html) if COMPONENT_TAG.search(html):
                yield COMPONENT, node.span
            case _:
                pass
