"""The Markdown of mdBook, with the preprocessor for callouts that most books use."""

import re
from collections.abc import Mapping
from typing import Any

from markdown_it.token import Token

from kismet_build.extensions.sites.mdbook.admonish import admonish
from kismet_build.extensions.sites.mdbook.includes import expand_mdbook
from kismet_build.extensions.sites.shared.rules import SHARED, with_options
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.dialects import Dialect
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.attribute_list import heading_attributes
from kismet_build.parse.markdown.rules.callout import github_callout
from kismet_build.parse.markdown.rules.definition import definition
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.strikethrough import double_tilde, strikethrough
from kismet_build.parse.markdown.state import ParseState

RUST = re.compile(r"rust\b")
HIDDEN_RUST = re.compile(r"^[ \t]*#(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
"""A line of Rust that mdBook hides: `# use std::fmt;`."""
HIDING_PREFIX = re.compile(r"\bhidelines=(?P<prefix>[^\s,]+)")
"""The prefix of the lines that mdBook hides in a block of another language: `python,hidelines=!`."""
ESCAPED_RUST = re.compile(r"^([ \t]*)##", re.MULTILINE)


def hidden_lines(parser: Parser) -> None:
    """Leave out the hidden lines of Rust, and those with a prefix in the info string."""
    parser.transforms.append(_without_hidden_lines)


def _without_hidden_lines(tokens: list[Token], _state: ParseState) -> None:
    for token in tokens:
        if token.type == "fence" and (hiding := HIDING_PREFIX.search(token.info)) is not None:
            lines = token.content.splitlines(keepends=True)
            token.content = "".join(line for line in lines if not line.lstrip().startswith(hiding["prefix"]))
        elif token.type == "fence" and RUST.match(token.info.strip()):
            token.content = ESCAPED_RUST.sub(r"\1#", HIDDEN_RUST.sub("", token.content))


MDBOOK = SHARED.plus(
    "mdbook",
    strikethrough,
    double_tilde,
    footnote,
    definition,
    github_callout,
    admonish,
    heading_attributes,
    hidden_lines,
    heading_id=github_id,
)


def _with_options(options: Mapping[str, Any]) -> Dialect:
    return with_options(MDBOOK, options)


dialect = dialect_functions(_with_options, expand_mdbook)
r"""If the option `math` is true, `$x$` is a formula; if `mathjax` is, `\\(x\\)`; if `smart_punctuation` is, `--` is a
dash.
"""
