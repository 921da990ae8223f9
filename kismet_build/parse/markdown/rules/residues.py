"""Marks that word processors and converters leave behind."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

# --- ends of comments

RESIDUE = re.compile(
    r"\[?\[[A-Za-z]{1,3}\d{1,3}\]\]?\(#_mso(?:com|anchor)_\d+\)"
    # Initials and a number, such as [Bk2]. Capitals and a number, such as [HP3], may be terms of a game.
    r"|(?<!\[)\[[A-Z][a-z]\d{1,3}\](?![\[(:\]])"
)


def comment_residue(parser: Parser) -> None:
    """`[[Bk2]](#_msocom_2)`: the residue of a word processor comment, removed and reported."""
    parser.add_inline("[", "comment_residue", _parse_residue, before="link")


def _parse_residue(state: StateInline, silent: bool) -> bool:
    match = RESIDUE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        span = parse_state(state).span(state, *match.span())
        message = f'"{match[0]}" is left over from a word processor comment'
        parse_state(state).report(warning("comment-residue", span, message, "delete it; it is not shown"))
    state.pos = match.end()
    return True


# --- emphasis that spaces split

WORD_START = re.compile(r"(?<![\w\\])([^\W\d_]{1,2})$")
EMPHASIS = re.compile(r"_([^\W_](?:[^_\n]{1,60})[^\W_])_(?![\w])")


def split_emphasis(parser: Parser) -> None:
    """`R_estoration_`: emphasis that begins one or two letters late. The whole word is emphasized."""
    parser.add_inline("_", "split_emphasis", _parse_emphasis, before="emphasis")


def _parse_emphasis(state: StateInline, silent: bool) -> bool:
    if silent:
        return False
    emphasis = EMPHASIS.match(state.src, state.pos, state.posMax)
    word_start = WORD_START.search(state.src, max(state.pos - 3, 0), state.pos) if emphasis else None
    if emphasis is None or word_start is None or not state.pending.endswith(word_start[1]):
        return False
    start, word = word_start.start(1), word_start[1] + emphasis[1]
    state.pending = state.pending[: -len(word_start[1])]
    state.push("em_open", "em", 1).map = [start, state.pos]
    text = state.push("text", "", 0)
    text.content, text.map = word, [start, emphasis.end() - 1]
    state.push("em_close", "em", -1).map = [emphasis.end() - 1, emphasis.end()]
    span = parse_state(state).span(state, start, emphasis.end())
    message = f'the emphasis of "{word}" begins inside the word'
    parse_state(state).report(warning("split-emphasis", span, message, f"write _{word}_"))
    state.pos = emphasis.end()
    return True


# --- labels with a space before the mark

MARK = "*"
LABEL = re.compile(r"(?<!\w)\*\*(?=[^\s*:])([^*\n]*:) $")
"""An opening mark and a label at the end of a text. In `**Label**: `, the last mark is a closing mark."""


def spaced_label(parser: Parser) -> None:
    """`**Label: ** words`: bold with a space before its closing mark, which Markdown reads as an opening mark."""
    parser.add_inline(MARK, "spaced_label", _parse_closing_mark, before="emphasis", signs=(": **",))


def _parse_closing_mark(state: StateInline, silent: bool) -> bool:
    start, end = state.pos, state.pos + 2
    label = None
    if not silent and state.src.startswith(": **", start - 2):
        # A label cannot contain a star. Searching from the start of the text would be slow in a text with many labels.
        label = LABEL.search(state.src, max(state.src.rfind(2 * MARK, 0, start), 0), start)
    if label is None or state.src.startswith(MARK, end):
        return False
    for _ in range(2):
        state.push("text", "", 0).content = MARK
        closing = Delimiter(marker=ord(MARK), length=2, token=len(state.tokens) - 1, end=-1, open=False, close=True)
        state.delimiters.append(closing)
    span = parse_state(state).span(state, start - 1, end)
    hint = f"write **{label[1]}**"
    parse_state(state).report(warning("unclosed-emphasis", span, "there is a space before the closing **", hint))
    state.pos = end
    return True


# --- link targets with spaces

SUFFIXES = ("md", "markdown", "adoc", "asciidoc", "avif", "bmp", "gif", "jpeg", "jpg", "pdf", "png", "svg", "webp")
"""Suffixes that a target with spaces must have. Without a suffix, the parentheses may be ordinary text."""

SPACED = re.compile(
    r"!?\[(?P<label>(?>(?:[^\[\]\\\n]|\\.)*))\]\("
    r"(?P<target>(?=\S)(?=[^\n\"]* )(?:[^()<>\"\n]|\([^()<>\"\n]*\))*?"
    rf"(?:\.(?:{'|'.join(SUFFIXES)}))(?:#[^()<>\"\n]*)?)\)",
    re.IGNORECASE,
)
"""A link or image with spaces in the path or after `#`, a file suffix, and no title."""


def unescaped_space(parser: Parser) -> None:
    """`[Label](Some Text.md)`: a link or image with spaces in its target, which is plain text in CommonMark."""
    signs = tuple(f".{suffix}" for suffix in SUFFIXES)
    parser.add_inline("[!", "unescaped_space", _parse_target, before="autolink", signs=signs)


def _parse_target(state: StateInline, silent: bool) -> bool:
    match = SPACED.match(state.src, state.pos, state.posMax)
    is_picture = state.src.startswith("!", state.pos)
    if match is None or (state.linkLevel and not is_picture):
        return False
    if not silent:
        if is_picture:
            _push_picture(state, match)
        else:
            _push_link(state, match)
    state.pos = match.end()
    return True


def _push_picture(state: StateInline, match: re.Match[str]) -> None:
    children: list[Token] = []
    state.md.inline.parse(match["label"], state.md, state.env, children)
    token = state.push("image", "img", 0)
    token.attrs = {"src": match["target"], "alt": ""}
    token.children = children
    token.content = match["label"]


def _push_link(state: StateInline, match: re.Match[str]) -> None:
    end = state.posMax
    state.push("link_open", "a", 1).attrs = {"href": match["target"]}
    state.pos, state.posMax = match.span("label")
    state.linkLevel += 1
    state.md.inline.tokenize(state)
    state.linkLevel -= 1
    state.posMax = end
    state.push("link_close", "a", -1)


# --- headings deeper than six levels

OPENING_MARKS = re.compile(r"#{7,}(?=[ \t]+[^\s#])")
CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
LEVEL = 7
"""The level of all headings with more than six marks."""


def deep_heading(parser: Parser) -> None:
    """`####### Title`: a heading with more than six marks, as some converters write. Markdown has six levels."""
    interrupts = ("paragraph", "reference", "blockquote")
    parser.add_block("deep_heading", _parse_heading, before="heading", interrupts=interrupts, starts="#")


def _parse_heading(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    marks = OPENING_MARKS.match(state.src, start, end)
    if marks is None or state.is_code_block(first):
        return False
    if silent:
        return True
    span = parse_state(state).source.span(*marks.span())
    message = f"this heading has {len(marks[0])} marks, but six is the limit; it is read as one below the sixth level"
    hint = "raise the headings above it, or make it a bold line: other programs show its marks"
    parse_state(state).report(warning("deep-heading", span, message, hint))
    token = state.push("heading_open", f"h{LEVEL}", 1)
    token.markup, token.map = marks[0], [first, first + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map = CLOSING_MARKS.sub("", state.src[marks.end() : end].strip()).strip(), [first, first + 1]
    state.push("heading_close", f"h{LEVEL}", -1)
    state.line = first + 1
    return True
