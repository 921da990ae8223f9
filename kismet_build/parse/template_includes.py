"""Replace included texts in texts for GitBook and Retype, and the other templates of Retype.

https://gitbook.com/docs/creating-content/reusable-content, https://retype.com/guides/includes/ and
https://retype.com/templating/
"""

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath, splitext

from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs
from kismet_build.parse.inclusion import Inclusion
from kismet_build.parse.liquid.values import shown, value_of
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.shortcodes import outside_code

GITBOOK = re.compile(
    r"""\{%[ \t]{0,9}include[ \t]{1,9}(?P<quote>["'])(?P<path>[^"'\n]{1,500})(?P=quote)[ \t]{0,9}%\}"""
)
RETYPE = re.compile(
    r"""\{\{-?[ \t]{0,9}include[ \t]{1,9}(?P<quote>["'])(?P<path>[^"'\n]{1,500})(?P=quote)[ \t]{0,9}-?\}\}"""
    r"|\{%\{(?P<raw>[^\n]{0,999}?)\}%\}"
    r"|(?<!`)\{\{[-~]?(?P<template>(?:[^{}]|\}(?!\})|\{(?!\{)){0,999}?)[-~]?\}\}"
)
"""An include, raw words in which Retype replaces nothing, or another template outside of code."""
STATEMENT = re.compile(
    r"(if|for|tablerow|while|case|when|capture|func|with|wrap|do|break|continue|ret|import|readonly)\b"
    r"|[\w.]+[ \t]*=(?!=)"
)
"""The start of a template that shows nothing itself."""
INCLUDES_OF_RETYPE = "_includes"
"""The folder of the texts that other texts include."""
MAX_INDENT = 100
"""Maximum number of spaces before the lines of an included text."""

MAX_SHOWN = 60
"""Maximum number of characters of a template that a message quotes."""

Locate = Callable[[str, str], str]
"""Returns the path of an included text, given the path of the text with the include, and the path as written."""


def expand_gitbook(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace included texts. Returns the same source if there are none."""
    return _expand(GITBOOK, _path_of_gitbook, Inclusion(source, inputs, report))


def expand_retype(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace included texts and values of the page and the project, and remove the marks of raw words.

    Other templates are left out and reported; no words around them are lost. Returns the same source if there are no
    marks.
    """
    return _expand(RETYPE, _path_of_retype, Inclusion(source, inputs, report))


def _path_of_gitbook(path: str, written: str) -> str:
    folder = "" if written.startswith("/") else dirname(path)
    return normpath(join(folder, written.lstrip("/")))


def _path_of_retype(_: str, written: str) -> str:
    suffix = "" if splitext(written)[1] else ".md"
    return normpath(join(INCLUDES_OF_RETYPE, written.lstrip("/") + suffix))


def _expand(pattern: re.Pattern[str], locate: Locate, inclusion: Inclusion) -> Source:
    source = inclusion.source
    if pattern.search(source.text) is None:
        return source
    _add(source.full_span(), "", pattern, locate, inclusion)
    return inclusion.text.source(source)


def _add(part: Span, indent: str, pattern: re.Pattern[str], locate: Locate, inclusion: Inclusion) -> None:
    """Add a part of a text, with includes replaced.

    Lines after the first get this indent, which is the indent of the line with the include.
    """
    source, start = part.source, part.start
    for found in outside_code(source.text, pattern):
        if found.start() < start:
            continue
        words = source.span(start, found.start())
        _add_lines(words, indent, inclusion)
        # The include is not at the start of a line if it follows another mark on the same line.
        is_in_line = start > part.start and "\n" not in words.text
        before = "" if is_in_line else words.text.rpartition("\n")[2]
        start = found.end()
        span = source.span(*found.span())
        if (template := found.groupdict().get("template")) is not None:
            value = _value(template.strip(), span, inclusion)
            inclusion.text.replace(span, value)
            if not value and not before and not is_in_line and source.text.startswith("\n", start):
                start += 1  # a line with only this template is no empty line, which could divide a list
            continue
        if found["path"] is None:
            inclusion.text.add(source.span(*found.span("raw")))
            continue
        inner = indent + before if not before.strip() else indent
        with inclusion.file([locate(source.path, found["path"].strip())], span) as included:
            if included is not None:
                first = frontmatter(included, ignore).start
                end = max(first, len(included.text.rstrip()))
                _add(included.span(first, end), inner[:MAX_INDENT], pattern, locate, inclusion)
    _add_lines(source.span(start, part.end), indent, inclusion)


def _value(template: str, span: Span, inclusion: Inclusion) -> str:
    """What a template of Retype shows. Reports a template that kismet does not run, and a value that it does not know.

    Both show nothing.
    """
    if template.startswith("#") or re.match(r"(end|else)\b", template):  # a comment, or a part of a reported template
        return ""
    name = template[:MAX_SHOWN]
    if statement := STATEMENT.match(template):
        name = statement[1] or name
        message = f"kismet does not run {{{{ {name} }}}}, so it shows all words around it"
    else:
        page = frontmatter(inclusion.source, ignore).data or {}
        value = value_of(template, {"page": page, "project": inclusion.inputs.variables.get("project")})
        if isinstance(value, (str, int, float)):
            return shown(value)
        message = f"kismet does not know the value of {{{{ {name} }}}}, so it is left out"
    inclusion.report(info("foreign-markup", span, message))
    return ""


def _add_lines(part: Span, indent: str, inclusion: Inclusion) -> None:
    """Add a part of a text, with an indent at the start of each line after the first."""
    source, start = part.source, part.start
    while indent and (end := source.text.find("\n", start, part.end) + 1) > 0:
        inclusion.text.add(source.span(start, end))
        inclusion.text.replace(source.span(end, end), indent)
        start = end
    inclusion.text.add(source.span(start, part.end))
