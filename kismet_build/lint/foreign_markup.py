"""`foreign-markup`: markup for other programs that kismet does not run: diagrams, queries, templates, players."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Related, info
from kismet_build.model.nodes import LEFT_OUT, LONE_SHORTCODE, walk
from kismet_build.model.source import Span

DIAGRAM = "diagrams in code blocks"
QUERY = "queries"
PLUGIN = "code blocks of plugins"
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
"""Types of markup in code blocks, by the language of the block. Languages of the plugin Admonition begin with `ad-`."""
INLINE_QUERY = re.compile(r"\s*(?:\$=\s*\S|=\s*(?:this\b|\[\[|\w+\())")
"""Inline code that Dataview runs: `= this.hp + 2`, `= round(2.4)`, `$= dv.current().hp`. `= 12` is ordinary text."""
INLINE_PLUGIN = re.compile(r"(?:INPUT|VIEW|BUTTON)(?=\[)|encounter(?=:\s)")
"""Inline code of Meta Bind and Initiative Tracker."""
TEMPLATE = "template marks ({% … %}, {{ … }}, <% … %>)"
IN_TEXT: Mapping[str, re.Pattern[str]] = {
    TEMPLATE: re.compile(r"\{%|\{\{|<%"),
    "imports of components (import … from …)": re.compile(r"import\s[^\n]{1,200}?\sfrom\s+['\"‘“]"),
}
"""Patterns of types of markup in the text."""
CONTAINER = "containers (:::, !!!, ???)"
EMOJI = "emoji shortcodes (:smile:)"
CONTENTS = "marks of a table of contents ([TOC])"
SHORTCODE = re.compile(r":(?<![\w:]:)(?:[a-z][a-z\d_+-]*[a-z\d]|[+-]1):(?![\w:])")
"""The lookbehind comes after the colon, because searching for patterns that begin with a literal is faster."""
IN_MARKDOWN: Mapping[str, re.Pattern[str]] = {
    CONTAINER: re.compile(r"^(?::{3,}\s*[\w{]|(?:!{3}|\?{3}\+?)\s+[a-z-]+(?:\s+[\"“„].*)?$)"),
    CONTENTS: re.compile(r"^\[TOC\]$"),
    "attribute lists ({.class}, {#id})": re.compile(r"(?<!\{)\{(?::\s*)?[.#][A-Za-z][^{}]*\}"),
    EMOJI: SHORTCODE,
}
"""Types of markup that other Markdown programs run. Some of this markup is valid AsciiDoc."""
HINTS: Mapping[str, str] = {
    CONTAINER: "write a callout: > [!note]",
    CONTENTS: "remove it: each page lists its headings",
}
"""Hints for types of markup whose result the author need not write out."""
COMPONENT = "components"
COMPONENT_TAG = re.compile(r"</?([A-Z][a-z]\w*)[\s/>]")
"""A tag that starts with a capital and has lower-case letters: the tag of a component, not of an HTML element."""
SHORTCODE_NAME = re.compile(r".*?\{\{[<%]\s*(\w[\w./-]*)", re.DOTALL)
ESCAPED_SHORTCODE = re.compile(r"\{\{[<%]/\*[^{}]*?\*/[>%]\}\}")
"""An escaped shortcode of Hugo, which is shown as text."""
PLAYER = "embedded pages, players and scripts"
PLAYER_TAG = re.compile(r"<(iframe|video|audio|embed|object|script|style)\b", re.IGNORECASE)
"""An element that embeds pages, players or scripts. Pages leave out such elements."""
LEFT_OUT_ALONE, LEFT_OUT_AROUND = "left out", "left out around words"
EFFECTS: Mapping[str, tuple[str, str]] = {
    PLAYER: ("are not shown", "link to them, or write out what they show"),
    LEFT_OUT_ALONE: ("is left out", "write out what it shows"),
    LEFT_OUT_AROUND: ("is left out; what it encloses is shown", "write out what it shows"),
}
"""The effect and the hint for types of markup that are not shown as typed.

The last two are for all marks that are left out.
"""
SIGNS = (
    *("{%", "{{", "<%", "{:", "import", "`=", "`$=", "```", "~~~"),
    *(":::", "!!!", "???", "[TOC]", "{.", "{#", "`INPUT[", "`VIEW[", "`BUTTON[", "`encounter:"),
)
"""Signs for a fast test: only a text with one of these, a tag or an emoji shortcode is searched."""
MAX_NAMES = 4
"""Maximum number of languages and tags in one message."""


class ForeignMark(NamedTuple):
    """One place with foreign markup."""

    sort: str
    name: str
    """The language of a code block or query, a tag, or the start of inline code; empty if the type says enough."""
    span: Span
    effect: str = ""
    """A key of `EFFECTS`, for a shortcode that the dialect leaves out."""


def foreign_markup(of_documents: Mapping[str, Sequence[ForeignMark]]) -> Diagnosed[None]:
    """Report each type of foreign markup once, with all places.

    `of_documents`: the `foreign_marks` of each document.
    """
    marks: dict[str, list[ForeignMark]] = {}
    for mark in chain.from_iterable(of_documents.values()):
        marks.setdefault(mark.sort, []).append(mark)
    diagnostics = []
    for sort, found in marks.items():
        first, *others = (mark.span for mark in found)
        related = tuple(Related(span, "also here") for span in others)
        count = f"{len(found)} places" if others else "one place"
        names = list(dict.fromkeys(mark.name for mark in found if mark.name))
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        named = f"{sort} ({', '.join(names[:MAX_NAMES])}{more})" if names else sort
        effect, hint = EFFECTS.get(
            found[0].effect or sort,
            ("are shown as typed and not run", HINTS.get(sort, "write out what the other program would show")),
        )
        diagnostics.append(info("foreign-markup", first, f"{named} {effect} ({count})", hint, related))
    return Diagnosed(None, tuple(diagnostics))


def foreign_marks(document: nodes.Document) -> tuple[ForeignMark, ...]:
    """The places with foreign markup in a document."""
    text = document.source.text
    is_searched = any(sign in text for sign in SIGNS) or any(
        pattern.search(text) for pattern in (COMPONENT_TAG, PLAYER_TAG, SHORTCODE)
    )
    return tuple(_marks(document)) if is_searched else ()


def _marks(document: nodes.Document) -> Iterator[ForeignMark]:
    in_text = IN_TEXT if document.dialect == "asciidoc" else {**IN_TEXT, **IN_MARKDOWN}
    if document.dialect == "jekyll":
        # The templates have run. What is left is shown on purpose, or is never closed, which its expander reports.
        in_text = {sort: pattern for sort, pattern in in_text.items() if sort != TEMPLATE}
    for node in walk(*document.blocks):
        match node:
            case nodes.CodeBlock(info=info_string):
                language = "".join(info_string.casefold().split()[:1])
                if sort := CODE_BLOCKS.get(language, PLUGIN if language.startswith("ad-") else ""):
                    yield ForeignMark(sort, language, node.span)
            case nodes.Code(value=code) if INLINE_QUERY.match(code):
                yield ForeignMark(QUERY, "dataview", node.span)
            case nodes.Code(value=code) if plugin := INLINE_PLUGIN.match(code):
                yield ForeignMark("inline code of plugins", plugin[0], node.span)
            case nodes.RawBlock(format=name) | nodes.RawInline(format=name) if name in LEFT_OUT:
                effect = LEFT_OUT_ALONE if name == LONE_SHORTCODE else LEFT_OUT_AROUND
                yield ForeignMark(_left_out(node.span.text), "", node.span, effect)
            case nodes.Text(value=value):
                typed = value
                if document.dialect == "hugo":
                    typed = ESCAPED_SHORTCODE.sub("", node.span.text)
                for sort, pattern in in_text.items():
                    if pattern.search(value if sort == EMOJI else typed):
                        yield ForeignMark(sort, "", node.span)
            case nodes.RawBlock(text=html) | nodes.RawInline(text=html):
                if component := COMPONENT_TAG.search(html):
                    yield ForeignMark(COMPONENT, f"<{component[1]}>", node.span)
                if player := PLAYER_TAG.search(html):
                    yield ForeignMark(PLAYER, f"<{player[1].casefold()}>", node.span)
            case _:
                pass


def _left_out(mark: str) -> str:
    """The type and name of a shortcode of Hugo that pages leave out."""
    name = SHORTCODE_NAME.match(mark)
    return f'the shortcode "{name[1] if name else ""}"'
