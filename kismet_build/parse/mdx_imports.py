"""Replace what a text in MDX takes from elsewhere: imported texts, exported constants, and paths of files.

Of expressions with elements, only the elements stay.

https://docusaurus.io/docs/markdown-features/react#importing-markdown
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple

from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs
from kismet_build.parse.inclusion import Inclusion
from kismet_build.parse.markdown.components import BRACES
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.shortcodes import outside_code
from kismet_build.parse.mdx_expressions import MAX_LEVELS, Element, closing_brace, elements_in, literal_at, plain_values

IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Z]\w*)[ \t]+from[ \t]+['\"](?P<path>(?:\.{1,2}|@site)/[^'\"\n]+\.mdx?)['\"]",
    re.MULTILINE,
)
CONSTANT = re.compile(r"^export[ \t]+const[ \t]+(?P<name>\w+)[ \t]*=[ \t]*(?=[-\d'\"\[{])", re.MULTILINE)
CONSTANT_END = re.compile(r"[ \t]*(?:as[ \t]+const)?[ \t]*;?[ \t]*$", re.MULTILINE)
USE = re.compile(
    r"(?<!\\)\{\s*`(?P<template>[^`\n]{0,500}\$\{[^`\n]{1,500})`\s*\}"
    r"|(?P<code>`[^`\n]{1,500}`)|<(?P<component>[A-Z]\w*)(?P<attributes>(?:\s[^<>]{0,500}?)?)/>"
    r"|(?<!\\)\{(?P<value>[\w.]{1,100})\}"
    r"|=\{(?:require|useBaseUrl)\(\s*['\"](?P<file>[^'\"\n]{1,500})['\"]\s*\)(?:\.default)?\}"
    rf"|=(?!\{{[\w.]{{1,100}}\}}){BRACES}"
    r"|(?<!\\)(?P<fragment></?>)"
    r"|(?<=[(\"'])(?P<protocol>pathname://)(?=/)"
    r"|(?<![\\${])(?P<program>\{)(?=\s*[\w$(\[!])"
)
PLACEHOLDER = re.compile(r"\$\{\s*([\w.]{1,100})\s*\}")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
STATIC = "@site/static/"
"""The folder of the files that the site has at its root."""
ATTRIBUTE = re.compile(r"(?P<key>[\w-]+)=(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|\{(?P<number>-?\d[\d.]*)\})")
SITE = "@site/"
"""The prefix of a path that is relative to the folder of the project file."""
OPTION = "site_folder"
"""The option with the path from the folder of the texts to the folder of the project file."""


def expand_docusaurus(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace imported texts, names of constants, paths in code, and code around elements.

    Returns the same source if it has none.
    """
    if USE.search(source.text) is None:
        return source
    inclusion = Inclusion(source, inputs, report)
    _add(source, 0, inclusion, {})
    return inclusion.text.source(source)


class _Scope(NamedTuple):
    paths: Mapping[str, str]
    """The imported texts."""
    constants: Mapping[str, Any]
    values: Mapping[str, str]
    """Words and numbers, such as those of `props.name`."""
    level: int = 0
    """The number of expressions around the current place."""


def _add(source: Source, start: int, inclusion: Inclusion, given: Mapping[str, str]) -> None:
    """Add the text of a source from this offset on. `given`: values by name, such as `props.name`."""
    properties = frontmatter(source, ignore).data or {}
    paths = {found["name"]: found["path"] for found in outside_code(source.text, IMPORT)}
    constants = _constants(source.text)
    constants["frontMatter"] = properties
    scope = _Scope(paths, constants, {**given, **dict(plain_values("", constants))})
    _add_range(source.span(start, len(source.text)), outside_code(source.text, USE), inclusion, scope)


def _add_range(part: Span, uses: Iterable[re.Match[str]], inclusion: Inclusion, scope: _Scope) -> None:
    text, source, start = inclusion.text, part.source, part.start
    for found in uses:
        if found.start() < start:
            continue
        span = source.span(*found.span())
        if found["component"] in scope.paths:
            text.add(source.span(start, span.start))
            path = _path(scope.paths[found["component"]], source, inclusion.inputs)
            with inclusion.file([path], span) as other:
                if other is not None:
                    _add(other, frontmatter(other, ignore).start, inclusion, _attributes(found["attributes"]))
            start = span.end
        elif found["file"]:
            text.add(source.span(start, span.start))
            path = found["file"]
            text.replace(span, f'="/{path.removeprefix(STATIC)}"' if path.startswith(STATIC) else f'="{path}"')
            start = span.end
        elif found["template"]:
            text.add(source.span(start, span.start))
            text.replace(
                span, PLACEHOLDER.sub(lambda place: scope.values.get(place[1], place[0][1:]), found["template"])
            )
            start = span.end
        elif found["value"] in scope.values or NUMBER.fullmatch(found["value"] or ""):
            text.add(source.span(start, span.start))
            value = scope.values.get(found["value"], found["value"])
            text.replace(span, f'"{escape(value)}"' if source.text.startswith("=", span.start - 1) else value)
            start = span.end
        elif found["fragment"] or found["protocol"]:
            text.add(source.span(start, span.start))
            start = span.end
        elif found["program"] and scope.level < MAX_LEVELS and (end := closing_brace(source.text, span.start)):
            elements = elements_in(source.text, span.start, min(end, part.end), scope.constants)
            if elements:
                text.add(source.span(start, span.start))
                _add_elements(source.span(span.start, end), elements, inclusion, scope)
                start = end
    text.add(source.span(start, part.end))


def _add_elements(program: Span, elements: Iterable[Element], inclusion: Inclusion, scope: _Scope) -> None:
    """Add the elements in an expression, without the code around them."""
    source, is_first = program.source, True
    line = source.text[source.text.rfind("\n", 0, program.start) + 1 : program.start]
    separator = "" if line.strip() else "\n"
    for element in elements:
        part = source.span(element.start, element.end)
        has_room = inclusion.text.length < inclusion.inputs.max_characters and not scope.level
        for values in element.values if has_room else element.values[:1]:
            if not is_first:
                inclusion.text.replace(source.span(part.start, part.start), separator)
            uses = USE.finditer(source.text, part.start, part.end)
            inner = scope._replace(values={**scope.values, **values}, level=scope.level + 1)
            _add_range(part, uses, inclusion, inner)
            is_first = False
        if element.values == ({},):
            message = "code around elements is left out, and all of them are shown"
            inclusion.report(info("foreign-markup", source.span(program.start, program.start + 1), message))


def _path(written: str, source: Source, inputs: Inputs) -> str:
    if written.startswith(SITE):
        return normpath(join(str(inputs.variables.get(OPTION, "")), written.removeprefix(SITE)))
    return normpath(join(dirname(source.path), written))


def _constants(text: str) -> dict[str, Any]:
    """The exported constants that are words, numbers, lists or objects, by name."""
    found = {}
    for constant in outside_code(text, CONSTANT):
        value, end = literal_at(text, constant.end())
        if CONSTANT_END.match(text, end):
            found[constant["name"]] = value
    return found


def _attributes(text: str) -> dict[str, str]:
    found = ATTRIBUTE.finditer(text)
    return {f"props.{each['key']}": each["double"] or each["single"] or each["number"] or "" for each in found}
