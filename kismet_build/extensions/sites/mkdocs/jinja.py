"""Run the Jinja in texts of MkDocs with the plugin `macros`: values, conditions and loops, but no macros.

https://mkdocs-macros-plugin.readthedocs.io/ and https://jinja.palletsprojects.com/en/stable/templates/.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kismet_build.extensions.sites.shared.templates.render import render
from kismet_build.extensions.sites.shared.templates.template import Language, Output, Tag, Token, tokens_of_liquid
from kismet_build.extensions.sites.shared.templates.values import FILTERED, UNKNOWN, Fields
from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown.frontmatter import frontmatter

OPENING = re.compile(r"\{[{%#]")
TAGS = {"elif": "elsif", "endset": "endcapture"}
FILTERS = {
    **{
        name: name for name in ("abs", "capitalize", "default", "escape", "first", "join", "last", "replace", "reverse")
    },
    **{"count": "size", "d": "default", "length": "size", "lower": "downcase", "safe": "smartify", "sort": "sort"},
    **{"trim": "strip", "unique": "uniq", "upper": "upcase"},
}
"""The names of filters in Liquid, by their names in Jinja."""
FILTER = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
TEXT_OR_LOOP = re.compile(r"""("[^"]*"|'[^']*')|\bloop\.""")
MEMBER = re.compile(r"""("[^"]*"|'[^']*'|[\w.]+)\s+in\s+([\w.]+)""")
ASSIGNMENT = re.compile(r"(\w+)\s*=(?!=)(.*)", re.DOTALL)
UNDECIDED = "()"
"""A condition that is unknown."""
OFF = {"render_macros": False, "ignore_macros": True}
"""Properties of a text whose Jinja is shown as typed."""


def expand_jinja(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Jinja of a text by what it shows. Returns the same source without Jinja, or if it is `OFF`."""
    if not any(mark in source.text for mark in ("{{", "{%", "{#")):
        return source
    properties = frontmatter(source, ignore, plain_properties=True).data or {}
    is_off = any(properties.get(name) is value for name, value in OFF.items())
    return source if is_off else render(source, inputs, report, JINJA)


def _variables(source: Source, inputs: Inputs, _: list[bool]) -> Mapping[str, Any]:
    properties = cache(lambda: frontmatter(source, ignore, plain_properties=True).data or {})
    page = {"meta": Fields(lambda name: properties().get(name)), "title": properties().get("title", UNKNOWN)}
    given = {name: value for name in ("extra", "config") if isinstance(value := inputs.variables.get(name), Mapping)}
    return {
        **dict.fromkeys(("environment", "files", "git", "navigation", "now"), UNKNOWN),
        **given,
        **given.get("extra", {}),
        **properties(),
        "page": Fields(lambda name: page.get(name, UNKNOWN)),
    }


def _tokens(source: Source, start: int, report: Report) -> Iterator[Token]:
    for token in tokens_of_liquid(source, start, report, OPENING):
        match token:
            case Output(span, markup):
                yield Output(span, _expression(markup))
            case Tag(span, name, markup):
                yield _tag(Tag(span, TAGS.get(name, name), markup))
            case _:
                yield token


def _tag(tag: Tag) -> Tag:
    if tag.name in ("if", "elsif"):
        return tag._replace(markup=_condition(tag.markup))
    if tag.name == "set":
        match = ASSIGNMENT.match(tag.markup)
        if match is None:
            return tag._replace(name="capture")
        return tag._replace(name="assign", markup=f"{match[1]} = {_expression(match[2])}")
    return tag


def _condition(markup: str) -> str:
    words = markup.split()
    if "and" in words and "or" in words:
        return UNDECIDED  # Liquid has another order
    return MEMBER.sub(r"\2 contains \1", _with_loop(markup))


def _with_loop(markup: str) -> str:
    """An expression in which the values of a loop have the names of Liquid."""
    return TEXT_OR_LOOP.sub(lambda found: found[1] or "forloop.", markup)


def _expression(markup: str) -> str:
    """An expression with the filters of Liquid. A filter that Liquid lacks gets a name that no filter has."""
    first, *filters = FILTERED.findall(_with_loop(markup)) or [""]
    parts = [first.strip()]
    for part in filters:
        match = FILTER.fullmatch(part)
        name, arguments = match.groups() if match else (part.strip(), None)
        if name == "join" and not arguments:
            arguments = '""'
        parts.append(f"{FILTERS.get(name, name + '()')}" + (f": {arguments}" if arguments else ""))
    return " | ".join(parts)


JINJA = Language("Jinja", _tokens, _variables, bool)
