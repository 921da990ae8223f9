"""The dialects of Markdown: a table in which each is a difference from another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from kismet_build.syntax.parser import Parser

Rule = Callable[[Parser], None]
"""A syntax rule: it adds itself to a parser."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One way of writing Markdown."""

    name: str
    rules: tuple[Rule, ...] = ()
    """What it has beyond CommonMark, in the order in which the rules are added."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """`repairs`, `strict_line_breaks` and what its rules ask for."""

    def plus(self, name: str, *rules: Rule, **options: Any) -> "Dialect":
        """A dialect that has these rules and options as well."""
        return Dialect(name, (*self.rules, *rules), MappingProxyType({**self.options, **options}))


COMMONMARK = Dialect("commonmark", options=MappingProxyType({"strict_line_breaks": True}))
GITHUB = COMMONMARK.plus("github", repairs=True)
OBSIDIAN = GITHUB.plus("obsidian", strict_line_breaks=False)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (COMMONMARK, GITHUB, OBSIDIAN)}
)


@cache
def parser(dialect: Dialect) -> Parser:
    """The parser of a dialect, built once."""
    found = Parser()
    for rule in dialect.rules:
        rule(found)
    return found
