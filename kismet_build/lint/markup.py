"""Checks of the markup of one document. `driver/compile.py` calls them."""

import re
from collections.abc import Iterable, Iterator

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, warning
from kismet_build.model.source import Span

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
