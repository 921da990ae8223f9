"""Titles of code blocks."""

import re

from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.box import GROUP, Box
from kismet_build.parse.markdown.state import MappedText, ParseState

TITLE_ARGUMENT = re.compile(r"""\btitle=(?P<quote>["'])(?P<title>(?>(?:(?!(?P=quote))[^\n])*))(?P=quote)""")
"""The title of a code block in MkDocs: `title="bilge.txt"`."""


def titles_in_arguments(parser: Parser) -> None:
    """Show the titles of code blocks given as an argument, as in MkDocs."""
    parser.transforms.append(_with_titles)


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
