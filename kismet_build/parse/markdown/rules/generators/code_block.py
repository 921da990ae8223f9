"""Titles of code blocks, and hidden lines in them."""

import re

from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.box import GROUP, Box
from kismet_build.parse.markdown.state import MappedText, ParseState

TITLE_ARGUMENT = re.compile(r"""\btitle=(?P<quote>["'])(?P<title>(?>(?:(?!(?P=quote))[^\n])*))(?P=quote)""")
"""The title of a code block in MkDocs: `title="bilge.txt"`."""
RUST = re.compile(r"rust\b")
HIDDEN_RUST = re.compile(r"^[ \t]*#(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
"""A line of Rust that mdBook hides: `# use std::fmt;`."""
HIDING_PREFIX = re.compile(r"\bhidelines=(?P<prefix>[^\s,]+)")
"""The prefix of the lines that mdBook hides in a block of another language: `python,hidelines=!`."""
ESCAPED_RUST = re.compile(r"^([ \t]*)##", re.MULTILINE)


def titles_in_arguments(parser: Parser) -> None:
    """Show the titles of code blocks given as an argument, as in MkDocs."""
    parser.transforms.append(_with_titles)


def hidden_lines(parser: Parser) -> None:
    """Leave out the hidden lines of Rust, and those with a prefix in the info string, as in mdBook."""
    parser.transforms.append(_without_hidden_lines)


def _with_titles(tokens: list[Token], state: ParseState) -> None:
    result: list[Token] = []
    for token in tokens:
        match = TITLE_ARGUMENT.search(token.info) if token.type == "fence" else None
        if match is None:
            result.append(token)
            continue
        title = match["title"].strip()
        first, end = token.meta["span"]
        # The parser replaces null characters, so the info string may not be in the source.
        start = max(state.source.text.find(token.info, first, end), first) + match.start("title")
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


def _without_hidden_lines(tokens: list[Token], _state: ParseState) -> None:
    for token in tokens:
        if token.type == "fence" and (hiding := HIDING_PREFIX.search(token.info)) is not None:
            lines = token.content.splitlines(keepends=True)
            token.content = "".join(line for line in lines if not line.lstrip().startswith(hiding["prefix"]))
        elif token.type == "fence" and RUST.match(token.info.strip()):
            token.content = ESCAPED_RUST.sub(r"\1#", HIDDEN_RUST.sub("", token.content))
