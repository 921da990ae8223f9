"""Checks of the markup of one document: faulty, unsafe and foreign markup. `driver/compile.py` calls them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, info, warning
from kismet_build.model.nodes import LEFT_OUT, LONE_SHORTCODE, walk
from kismet_build.model.source import Span

# --- damaged marks

LINK_START = re.compile(r"(?<!\\)!?\[\[[^\[\]\n]*")
HEADING_WITHOUT_SPACE = re.compile(r"^[ >]*(#{2,6}[^\s#][^\n]*)", re.MULTILINE)
FOOTNOTE = re.compile(r"(?<!\\)\[\^[^\]\s^]+\](?!:)")
UNCLOSED_CALLOUT = re.compile(r"[ >]*\[!\w[^\]\n]*$", re.MULTILINE)
ROWS_WITHOUT_DELIMITER = re.compile(r"^(?:[ >]*\|[^|\n]+\|[^\n]*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)
BLOCK_ID = re.compile(r"\^[\w-]+", re.ASCII)
COMMENTED_VALUE = re.compile(r"^([\w-]+):[ \t]+(#\S+)", re.MULTILINE)
FENCE = re.compile(r"(```+|~~~+)")
CONFLICT = re.compile(r"^<{7} [^\n]*", re.MULTILINE)
"""The first line of a merge conflict that Git left in a text."""
TAG = re.compile(r"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?P<name>[a-z]+)\b[^<>]*>", re.IGNORECASE | re.DOTALL)
CONTAINERS = frozenset(["article", "aside", "center", "details", "div", "dl", "figure", "ol", "section", "table", "ul"])
"""HTML elements that contain other blocks. If such an element is never closed, it contains the rest of the text."""
SIGNS = re.compile(
    r"\0|\[\[|^[ >]*##|\[\^|\[!|```|~~~|<{7}|<[a-zA-Z]|\$\$|^[\w-]+:[ \t]+#\S|^[ >]*\||^[ >]*\^[\w-]", re.MULTILINE
)
"""A fast test: a text without a match has no faults, and its nodes are not searched."""
SEARCHED = frozenset((nodes.Text, nodes.Paragraph, nodes.BlockQuote, nodes.CodeBlock, nodes.RawBlock, nodes.RawInline))
"""Types of nodes to search."""


def broken_markup(document: nodes.Document) -> Diagnosed[None]:
    """A diagnostic for each fault in the markup of a document."""
    if not SIGNS.search(document.source.text):
        return Diagnosed(None)
    found = [*_damage(document), *_commented_values(document)]
    if document.dialect != "asciidoc":
        searched = [node for node in document.nodes if type(node) in SEARCHED]
        found += [*_in_nodes(document, searched), *_open_elements(searched)]
    return Diagnosed(None, tuple(found))


def _damage(document: nodes.Document) -> Iterator[Diagnostic]:
    source = document.source
    marks = [*CONFLICT.finditer(source.text)]
    codes = [node.span for node in document.nodes if isinstance(node, nodes.CodeBlock)] if marks else []
    for mark in marks:
        if any(code.start <= mark.start() < code.end for code in codes):
            continue  # an example of markup
        message = "Git left two versions of this passage, and both are published"
        hint = "keep one, and delete the lines <<<<<<<, ======= and >>>>>>>"
        yield warning("damaged-text", source.span(*mark.span()), message, hint)
        break
    if "\0" in source.text:
        start = source.text.index("\0")
        message = "a null byte does not belong in a text: it is shown as \ufffd"
        yield warning(
            "damaged-text", source.span(start, start + 1), message, "the file may be damaged: compare it with a backup"
        )


def _commented_values(document: nodes.Document) -> Iterator[Diagnostic]:
    """Report properties whose value starts with #, which makes it a YAML comment."""
    source = document.source
    end = source.text.find("\n---", 3) if source.text.startswith("---") else 0
    for match in COMMENTED_VALUE.finditer(source.text, 0, max(end, 0)):
        if document.metadata.get(match[1], "") is None:
            message = f'"{match[1]}" has no value: # starts a comment'
            hint = f'remove the #, or quote the value: {match[1]}: "{match[2]}"'
            yield warning("broken-markup", source.span(*match.span()), message, hint)


def _in_nodes(document: nodes.Document, searched: Iterable[nodes.Node]) -> Iterator[Diagnostic]:
    has_links, has_callouts = document.dialect == "obsidian", document.dialect in ("obsidian", "github")
    text = document.source.text
    has_footnotes = has_callouts and "[^" in text
    has_headings = "##" in text
    has_formulas = has_links and "$$" in text
    for node in searched:
        words = node.span.text
        match node:
            case nodes.Text():
                if has_links and "[[" in words and (opened := _unclosed_link(node.span)):
                    message = "this link is never closed, so it is read as plain text"
                    yield warning("broken-markup", opened, message, "write ]] where it ends")
                for match in FOOTNOTE.finditer(words) if has_footnotes else ():
                    label = match[0][1:-1]
                    message = f"there is no footnote {match[0]}, so this is read as plain text"
                    hint = f"write its text on a separate line: [{label}]: ..."
                    yield warning("broken-markup", _part(node.span, match), message, hint)
            case nodes.Paragraph():
                for match in HEADING_WITHOUT_SPACE.finditer(words) if has_headings and "##" in words else ():
                    message = "a heading needs a space after #, so this is read as plain text"
                    yield warning("broken-markup", _part(node.span, match, 1), message, "write a space after #")
                if has_formulas and words.lstrip(" >").startswith("$$") and words.count("$$") == 1:
                    message = "this formula is never closed, so it is read as plain text"
                    yield warning("broken-markup", node.span, message, "write $$ below it")
                if has_links and BLOCK_ID.fullmatch(words):
                    message = f"no block above takes the name {words}, so this is read as plain text"
                    yield warning("broken-markup", node.span, message, "write it at the end of the block that it names")
                if has_callouts and "|" in words and (rows := ROWS_WITHOUT_DELIMITER.search(words)):
                    message = "this table has no line of dashes below its header, so it is read as plain text"
                    hint = "add a line like | --- | --- | below the first one"
                    yield warning("broken-markup", _part(node.span, rows), message, hint)
            case nodes.BlockQuote() if has_callouts:
                if callout := UNCLOSED_CALLOUT.match(words):
                    message = "the type of this callout is never closed, so it is read as a quotation"
                    yield warning(
                        "broken-markup", _part(node.span, callout), message, "write ] after it: > [!note] Title"
                    )
            case nodes.CodeBlock(span=span):
                first, *lines = span.text.rstrip().split("\n")
                fence = FENCE.match(first.lstrip(" >"))
                last = lines[-1].strip(" >\t") if lines else ""
                if fence and not (last.startswith(fence[1]) and not last.strip(fence[1][0])):
                    end = span.start + len(span.text.split("\n", 1)[0])
                    message = "this code block is never closed: everything after it is read as code"
                    yield warning(
                        "unclosed-block", span.source.span(span.start, end), message, f"write {fence[1]} below it"
                    )
            case _:
                pass


def _unclosed_link(span: Span) -> Span | None:
    """The first `[[` after the last `]]` in a span, or `None`."""
    match = LINK_START.search(span.text, span.text.rfind("]]") + 1)
    return _part(span, match) if match else None


def _open_elements(searched: Iterable[nodes.Node]) -> Iterator[Diagnostic]:
    """Report the first raw HTML element that is never closed; of nested elements, the outermost."""
    opened: list[tuple[str, Span]] = []
    for node in searched:
        if not isinstance(node, nodes.RawBlock | nodes.RawInline):
            continue
        for tag in TAG.finditer(node.text):
            name = (tag["name"] or "").lower()
            if name not in CONTAINERS or tag[0].endswith("/>"):
                continue
            if not tag["end"]:
                opened.append((name, node.span))
            elif name in [of_element for of_element, _ in opened]:
                while opened.pop()[0] != name:
                    pass
    for name, span in opened[:1]:
        message = f"this <{name}> is never closed: everything after it is inside it"
        yield warning("unclosed-block", span, message, f"write </{name}> where it ends")


def _part(span: Span, match: re.Match[str], group: int = 0) -> Span:
    return span.source.span(span.start + match.start(group), span.start + match.end(group))


# --- spaces in link targets

TARGET = re.compile(r"\]\(\s*(?P<target>[^\s<][^\"<\n]*?)\s*\)$")
SPACE_IN_TARGET = re.compile(r"\]\((?>(?:(?!\]\()[^<\n ])*) ")
"""A fast test: a text without a match has no such target, and its nodes are not searched."""
WITH_TITLE = re.compile(r"\S+ +(?:\"[^\"]*\"|'[^']*')")
"""A target without spaces, followed by a title, which may be empty."""
SPACE_HINT = "write < before the target and > after it, or %20 for each space"


def unescaped_space(document: nodes.Document) -> Diagnosed[None]:
    """A diagnostic for each target with unescaped spaces in a document. Most programs show such a link as plain text.

    Parsing cannot report it, because the message shows the line, which may contain the name of a private text.
    """
    return Diagnosed(None, tuple(_spaced(document)) if SPACE_IN_TARGET.search(document.source.text) else ())


def _spaced(document: nodes.Document) -> Iterator[Diagnostic]:
    in_properties = {node.span for node in nodes.walk(*document.properties)}
    for node in document.links:
        if (
            isinstance(node, nodes.Link | nodes.Image)
            and not node.wiki
            and not node.title
            and node.span not in in_properties
        ):
            typed = TARGET.search(node.span.text)
            if typed is not None and " " in typed["target"] and not WITH_TITLE.fullmatch(typed["target"]):
                start, end = typed.span("target")
                what = "picture" if isinstance(node, nodes.Image) else "link"
                span = node.span.source.span(node.span.start + start, node.span.start + end)
                yield warning("unescaped-space", span, f"the target of this {what} has a space", SPACE_HINT)


# --- links that run code

UNSAFE_LINK_HINT = "a link may lead to http:, https:, mailto:, tel: or obsidian://open?"
UNSAFE_IMAGE_HINT = "an image may be a file in the book, or come from https:, http: or data:image/"


def unsafe_link(document: nodes.Document) -> Diagnosed[None]:
    """A diagnostic for each link and image in a document whose address is not published."""
    return Diagnosed(None, tuple(_unsafe_links(document)))


def _unsafe_links(document: nodes.Document) -> Iterator[Diagnostic]:
    for node in document.links:
        if node.span.source == document.source and nodes.is_unsafe_url(node):
            yield _unsafe_link(node.span, node.target, is_image=isinstance(node, nodes.Image))
    if "href" not in document.source.text.casefold():
        return
    for raw in document.nodes:
        if isinstance(raw, nodes.RawBlock | nodes.RawInline):
            for address in nodes.raw_link_addresses(raw.text):
                if nodes.is_url(address) and nodes.LINK_URL.match(address) is None:
                    yield _unsafe_link(raw.span, address, is_image=False)


def _unsafe_link(span: Span, address: str, *, is_image: bool) -> Diagnostic:
    start = address[: address.find(":") + 1] or "//"
    if is_image:
        return warning("unsafe-link", span, f'an image from "{start}" is not shown', UNSAFE_IMAGE_HINT)
    return warning("unsafe-link", span, f'a link to "{start}" is shown as plain text', UNSAFE_LINK_HINT)


# --- footnotes

FOOTNOTE_HINT = "refer to it in the text, or remove it"


def unshown_footnote(document: nodes.Document) -> Diagnosed[None]:
    """A diagnostic for each footnote in a document that is not shown."""
    if not document.footnotes:
        return Diagnosed(None)
    counting = {note.label: note for note in document.footnotes}
    inside = {node.span for node in nodes.walk(*document.footnotes) if isinstance(node, nodes.FootnoteReference)}
    # A reference inside a footnote counts only if that footnote is shown.
    labels = [
        node.label for node in document.nodes if isinstance(node, nodes.FootnoteReference) and node.span not in inside
    ]
    shown: set[str] = set()
    while labels:
        label = labels.pop()
        if label in counting and label not in shown:
            shown.add(label)
            labels += [node.label for node in nodes.walk(counting[label]) if isinstance(node, nodes.FootnoteReference)]
    diagnostics = []
    for note in document.footnotes:
        is_repeated = counting[note.label].span != note.span
        if is_repeated or note.label not in shown:
            reason = "a later one has the same name" if is_repeated else "nothing refers to it"
            diagnostics.append(
                warning("unshown-footnote", note.span, f"this footnote is not shown: {reason}", FOOTNOTE_HINT)
            )
    return Diagnosed(None, tuple(diagnostics))


# --- marks of other programs

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
FOREIGN_SIGNS = (
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
    is_searched = any(sign in text for sign in FOREIGN_SIGNS) or any(
        pattern.search(text) for pattern in (COMPONENT_TAG, PLAYER_TAG, SHORTCODE)
    )
    return tuple(_foreign_marks(document)) if is_searched else ()


def _foreign_marks(document: nodes.Document) -> Iterator[ForeignMark]:
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
