"""Replace the expressions in texts for GitBook.

https://gitbook.com/docs/creating-content/variables-and-expressions
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from typing import Any

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.source import ASSETS_FOLDER, Source, Span
from kismet_build.parse.composition import Composition, Inputs
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.shortcodes import outside_code

VARIABLES = f"{ASSETS_FOLDER}/vars.yaml"
"""The file with the values of `space.vars`."""
MARK = re.compile(r'<code\s+class="expression">(?P<expression>[^<>\n]{1,500})</code>')
VALUE = re.compile(r"(space|page)\.vars\.(\w+)")


def expand_html(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace expressions. Without any, returns the same source."""
    marks = list(outside_code(source.text, MARK))
    if not marks:
        return source
    text, start = Composition(), 0
    value_of = _values(source, inputs)
    for mark in marks:
        text.add(source.span(start, mark.start()))
        _add_value(source.span(*mark.span()), unescape(mark["expression"]).strip(), value_of, text, report)
        start = mark.end()
    text.add(source.span(start, len(source.text)))
    return text.source(source, source.included)


def _values(source: Source, inputs: Inputs) -> Callable[[str, str], Any]:
    """A function that returns the value of a variable of the space or the page; `None` if it has none."""

    @cache
    def variables(scope: str) -> Mapping[str, Any]:
        if scope == "page":
            found = (frontmatter(source, ignore).data or {}).get("vars")
        else:
            file = inputs.read(VARIABLES)
            data = yaml.parse(file, ignore, "invalid-data") if file else None
            found = data.value if data else None
        return found if isinstance(found, Mapping) else {}

    return lambda scope, name: variables(scope).get(name)


def _add_value(
    span: Span, expression: str, value_of: Callable[[str, str], Any], text: Composition, report: Report
) -> None:
    name = VALUE.fullmatch(expression)
    value = value_of(name[1], name[2]) if name else None
    if isinstance(value, str | int | float):
        text.replace(span, str(value))
    else:
        message = f"kismet does not know the value of the expression {expression}, so it is left out"
        report(info("foreign-markup", span.original, message))
