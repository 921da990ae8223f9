"""Titles of code blocks, comments in them that highlight lines, and hidden lines."""

import re
from functools import partial

from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import GROUP, Box
from kismet_build.parse.markdown.state import MappedText, ParseState

TITLE_ARGUMENT = re.compile(r"""\btitle=(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)')""")
"""The title of a code block in Docusaurus and MkDocs: `title="bilge.txt"`."""
TITLE_AFTER_LANGUAGE = re.compile(
    r"\A\s*(?:(?P<file>[\w-]+\.[\w.-]+)\s*\Z|[\w+#.-]+[ \t]+(?:!?#[\d,-]*[ \t]+)?(?P<words>[^\s#!{].*))"
)
"""The info string of a code block with a title in Retype: `bilge.js`, or `js #1-2 bilge.js` with language and lines."""
HIGHLIGHT = re.compile(
    r"^[ \t]*(?://|#|--|%|/\*|<!--|\{/\*|REM)[ \t]*highlight-(?:next-line|start|end)[ \t]*+"
    r"(?:\*/\}?|-->)?[ \t]*+(?:\n|\Z)",
    re.MULTILINE,
)
"""A comment of Docusaurus that highlights lines."""
RUST = re.compile(r"rust\b")
HIDDEN_RUST = re.compile(r"^[ \t]*#(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
"""A line of Rust that mdBook hides: `# use std::fmt;`."""
HIDING_PREFIX = re.compile(r"\bhidelines=(?P<prefix>[^\s,]+)")
"""The prefix of the lines that mdBook hides in a block of another language: `python,hidelines=!`."""
ESCAPED_RUST = re.compile(r"^([ \t]*)##", re.MULTILINE)


def titles_in_arguments(parser: Parser) -> None:
    """Show the titles of code blocks given as an argument, as in MkDocs."""
    parser.transforms.append(partial(_with_titles, TITLE_ARGUMENT))


def argument_titles(parser: Parser) -> None:
    """Show the titles of code blocks, and leave out comments that highlight lines, as in Docusaurus."""
    titles_in_arguments(parser)
    parser.transforms.append(_without_highlights)


def titles_after_language(parser: Parser) -> None:
    """Show the titles of code blocks after the language, as in Retype."""
    parser.transforms.append(partial(_with_titles, TITLE_AFTER_LANGUAGE))


def hidden_lines(parser: Parser) -> None:
    """Leave out the hidden lines of Rust, and those with a prefix in the info string, as in mdBook."""
    parser.transforms.append(_without_hidden_lines)


def _with_titles(pattern: re.Pattern[str], tokens: list[Token], state: ParseState) -> None:
    result: list[Token] = []
    for token in tokens:
        match = pattern.search(token.info) if token.type == "fence" else None
        if match is None:
            result.append(token)
            continue
        group = match.lastgroup or "words"
        title = match[group].strip()
        first, end = token.meta["span"]
        # The parser replaces null characters, so the info string may not be in the source.
        start = max(state.source.text.find(token.info, first, end), first) + match.start(group)
        span = {"span": token.meta["span"]}
        content = MappedText(title, ((0, start),))
        result += (
            Token("box_open", "", 1, meta={**span, "box": Box(name=GROUP)}),
            Token("box_title_open", "", 1, meta=span),
            Token("inline", "", 0, content=title, meta={**span, "content": content}),
            Token("box_title_close", "", -1, meta=span),
            token,
            Token("box_close", "", -1, meta=span),
        )
    tokens[:] = result


def _without_highlights(tokens: list[Token], _state: ParseState) -> None:
    for token in tokens:
        if token.type == "fence":
            token.content = HIGHLIGHT.sub("", token.content)


def _without_hidden_lines(tokens: list[Token], _state: ParseState) -> None:
    for token in tokens:
        if token.type == "fence" and (hiding := HIDING_PREFIX.search(token.info)) is not None:
            lines = token.content.splitlines(keepends=True)
            token.content = "".join(line for line in lines if not line.lstrip().startswith(hiding["prefix"]))
        elif token.type == "fence" and RUST.match(token.info.strip()):
            token.content = ESCAPED_RUST.sub(r"\1#", HIDDEN_RUST.sub("", token.content))
