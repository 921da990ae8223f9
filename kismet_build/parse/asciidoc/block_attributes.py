"""The lines above a block that say something about it: `[style#id]`, `[[id]]`, `.Title`, and comments."""

import re

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, Inline, Paragraph, Strong, Text, plain_text
from kismet_build.parse.asciidoc.attributes import Attributes, entry, substituted
from kismet_build.parse.asciidoc.inlines import Words, words_of
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.patterns import ADMONITIONS, ATTRIBUTES, DELIMITER, TITLE, is_comment
from kismet_build.parse.asciidoc.state import ParseState

STYLES = frozenset(
    (
        *("abstract", "acknowledgments", "appendix", "arabic", "asciimath", "bibliography", "chapter", "circle"),
        *("colophon", "comment", "decimal", "dedication", "disc", "discrete", "example", "float", "glossary"),
        *("horizontal", "index", "latexmath", "listing", "literal", "loweralpha", "lowergreek", "lowerroman"),
        *("no-bullet", "none", "normal", "open", "ordered", "part", "partintro", "pass", "preface", "qanda", "quote"),
        *("sidebar", "source", "square", "stem", "unstyled", "upperalpha", "upperroman", "verse"),
        *ADMONITIONS,
    )
)
"""The words that may begin the list of attributes of a block."""

FENCE = re.compile(r"(```+|~~~~+).*")


def above(cursor: Cursor, state: ParseState) -> tuple[Attributes, list[Block]]:
    """Read the lines above a block; what is no such line after all is a paragraph before it."""
    found = Attributes()
    before: list[Block] = []
    while (text := cursor.text) is not None:
        line = cursor.lines[cursor.at]
        if not text:
            cursor.skip_blank()
        elif is_comment(text):
            cursor.line()
        elif text.startswith("////") and DELIMITER.fullmatch(text):
            inside(cursor, cursor.line(), state)
        elif entry(cursor, state):
            pass
        elif text.startswith("[") and (listed := ATTRIBUTES.fullmatch(text)) is not None:
            cursor.line()
            if not _taken(found, listed, line, state):
                before.append(_as_words(line, state))
        elif text.startswith(".") and not DELIMITER.fullmatch(text) and (title := TITLE.fullmatch(text)) is not None:
            cursor.line()
            found.title = line.cut(title.start(1))
        else:
            break
    return found, before


def _taken(found: Attributes, listed: re.Match[str], line: Line, state: ParseState) -> bool:
    """Take up what a line in brackets says; false where its first word is none that means anything."""
    if listed[1] is None:
        found.id, found.reftext = listed[2] or found.id, listed[3] or found.reftext
    else:
        style = found.style
        found.add(substituted(listed[1], state))
        if found.style != style and found.style not in STYLES:
            found.style = style
            return False
    if found.id and found.line is None:
        found.line = line
    return True


def _as_words(line: Line, state: ParseState) -> Paragraph:
    """A line in brackets that is words of the text."""
    span = state.source.span(line.start, line.end)
    state.unknown(span, f'"{line.text}"', "put {startsb} for its first bracket if these are words of the text")
    return Paragraph(span=span, children=(Text(span, line.text),))


def inside(cursor: Cursor, opening: Line, state: ParseState) -> Cursor:
    """The lines of a block up to the line that closes it, which is passed over."""
    closing = FENCE.sub(r"\1", opening.text)
    first, end = cursor.at, cursor.find(closing)
    if end == cursor.end:
        span = state.source.span(opening.start, opening.end)
        message = f'no second "{closing}" closes this block: it runs to the end of what it stands in'
        state.report(warning("unclosed-block", span, message, f'put "{closing}" on a line of its own where it ends'))
    cursor.at = min(end + 1, cursor.end)
    return cursor.part(first, end)


def title_of(attributes: Attributes, state: ParseState) -> tuple[Inline, ...]:
    """The words of the title of a block."""
    if attributes.title is not None and not attributes.title_words:
        attributes.title_words = words_of(passage(state.source, (attributes.title,)), state).inlines
    return attributes.title_words


def titled(attributes: Attributes, state: ParseState) -> list[Block]:
    """The title of a block as a paragraph before it."""
    words = title_of(attributes, state)
    if attributes.title is None or not words:
        return []
    span = state.source.span(attributes.title.start - 1, attributes.title.end)
    strong = Strong(state.source.span(words[0].span.start, words[-1].span.end), words)
    return [Paragraph(span=span, children=(strong,))]


def begin(attributes: Attributes, line: Line) -> int:
    """Where a block begins that shows its title itself."""
    return attributes.title.start - 1 if attributes.title is not None else line.first


def name_of(attributes: Attributes, state: ParseState, words: Words | None = None) -> str:
    """The name of a block: that of the lines above it, or the first anchor in its words; the others lead to it too."""
    inner = words.ids if words is not None else ()
    name = inner[0] if inner else ""
    if attributes.id and attributes.line is not None:
        shown = attributes.reftext or plain_text(*title_of(attributes, state))
        span = state.source.span(attributes.line.start, attributes.line.end)
        if state.name(attributes.id, shown, span):
            name = attributes.id
            state.titles.setdefault(shown, name)
    for other in inner:
        if other != name:
            state.same.setdefault(other, name)
    return name
