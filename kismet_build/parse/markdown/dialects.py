"""CommonMark, and the dialects of Markdown that extend it: those of GitHub and Obsidian."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.attribute_list import kramdown_attributes
from kismet_build.parse.markdown.rules.bare_address import bare_address
from kismet_build.parse.markdown.rules.box import callout, github_callout
from kismet_build.parse.markdown.rules.columns import columns
from kismet_build.parse.markdown.rules.footnote import footnote, inline_footnote
from kismet_build.parse.markdown.rules.lists import definition, task
from kismet_build.parse.markdown.rules.markdown_element import foreign_markdown_element
from kismet_build.parse.markdown.rules.marks import double_tilde, highlight, single_tilde, strikethrough
from kismet_build.parse.markdown.rules.math import math
from kismet_build.parse.markdown.rules.obsidian import block_id, inline_field, tag
from kismet_build.parse.markdown.rules.residues import (
    comment_residue,
    deep_heading,
    spaced_label,
    split_emphasis,
    unescaped_space,
)
from kismet_build.parse.markdown.rules.statblock import statblock
from kismet_build.parse.markdown.rules.table import table
from kismet_build.parse.markdown.rules.wiki_link import embed, wiki_link

Rule = Callable[[Parser], None]
"""Adds one syntax rule to a parser."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """A variant of Markdown."""

    name: str
    rules: tuple[Rule, ...] = ()
    """Syntax rules beyond CommonMark, in the order in which they are added."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """`repairs`, `strict_line_breaks`, and options for the rules of the dialect."""

    def plus(self, name: str, *rules: Rule, **options: Any) -> "Dialect":
        return Dialect(name, (*self.rules, *rules), MappingProxyType({**self.options, **options}))


COMMONMARK = Dialect("commonmark", options=MappingProxyType({"strict_line_breaks": True}))

RESIDUES: tuple[Rule, ...] = (deep_heading, comment_residue, split_emphasis, spaced_label, unescaped_space)
"""Rules for marks that word processors and converters leave behind."""

GITHUB = COMMONMARK.plus(
    "github",
    table,
    strikethrough,
    single_tilde,
    task,
    footnote,
    github_callout,
    bare_address,
    definition,  # of other dialects
    kramdown_attributes,  # of other dialects
    foreign_markdown_element,  # of other dialects
    *RESIDUES,
    repairs=True,
    document_suffix=".md",
    heading_id=github_id,
    task_marks=" xX",
)

OBSIDIAN = GITHUB.plus(
    "obsidian",
    embed,
    wiki_link,
    inline_field,
    callout,
    columns,
    highlight,
    double_tilde,
    inline_footnote,
    block_id,
    statblock,
    math,
    tag,
    comments=True,
    strict_line_breaks=False,
    heading_id=None,
    task_marks=None,
    block_ids=True,
    picture_sizes=True,
    dice_codes=True,
    property_codes=True,
    wiki_links=True,
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (COMMONMARK, GITHUB, OBSIDIAN)}
)


@cache
def parser(dialect: Dialect) -> Parser:
    """The parser of a dialect; cached."""
    markdown_parser = Parser()
    for rule in dialect.rules:
        rule(markdown_parser)
    return markdown_parser
