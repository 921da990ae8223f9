"""Replace the HTML that GitBook reads in its own way: expressions, icons, and tables with hidden columns.

https://gitbook.com/docs/creating-content/variables-and-expressions and
https://gitbook.com/docs/creating-content/blocks/cards
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import unescape
from typing import Any

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.source import ASSETS_FOLDER, Source
from kismet_build.parse.composition import Composition, Inputs
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.inlines import MENTION
from kismet_build.parse.markdown.shortcodes import outside_code

VARIABLES = f"{ASSETS_FOLDER}/vars.yaml"
"""The file with the values of `space.vars`."""
EXPRESSION = re.compile(r'<code\s+class="expression">([^<>\n]{1,500})</code>')
VALUE = re.compile(r"(space|page)\.vars\.(\w+)")


ICON = re.compile(r'<i\s+class="fa-[^"<>]*+">:[\w-]++:</i>[ \t]?')
REFERENCE = re.compile(
    r"\{%[ \t]*+content-ref\s[^{}\n]*+\}\s*+\[[^\[\]\n]*+\]\((?![a-z]+:)[^()\s]*+(?<=/)(?=\)\s*+\{%)"
)
"""A reference to a folder, up to the end of its target. Only this tag shows the title of the page about the folder."""
TABLE = re.compile(r"<table\b(?P<attributes>[^<>]*+)>(?P<rows>(?>(?:[^<]++|<(?!/?table\b))*))</table>")
CARDS = 'data-view="cards"'
HEAD = re.compile(r"<thead\b[^<>]*+>(?>(?:[^<]++|<(?!/thead>))*)</thead>")
ROW = re.compile(r"<tr\b[^<>]*+>(?>(?:[^<]++|<(?!/?tr\b))*)</tr>")
CELL = re.compile(r"<t([hd])\b(?P<attributes>[^<>]*+)>(?P<content>(?>(?:[^<]++|<(?!/?t[hd]\b))*))</t\1>")
HIDDEN = re.compile(r"\sdata-hidden\b")
TARGET = re.compile(r"\sdata-card-target\b")
ADDRESS = re.compile(r"""<a\s[^<>]*?href=("[^"<>]*+")""")

Edit = tuple[int, int, str]
"""A range of a text and the text that replaces it."""


def expand_html(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace expressions; leave out icons and hidden columns of tables. Without any, returns the same source."""
    icons = ((*icon.span(), "") for icon in outside_code(source.text, ICON))
    references = ((found.end(), found.end(), f' "{MENTION}"') for found in outside_code(source.text, REFERENCE))
    edits = sorted(
        (*_values_of_expressions(source, inputs, report), *_visible_tables(source.text), *icons, *references)
    )
    if not edits:
        return source
    text, position = Composition(), 0
    for start, end, words in edits:
        if start >= position:  # else the mark is in a part that is left out
            text.add(source.span(position, start))
            text.replace(source.span(start, end), words)
            position = end
    text.add(source.span(position, len(source.text)))
    return text.source(source, source.included)


def _values_of_expressions(source: Source, inputs: Inputs, report: Report) -> Iterator[Edit]:
    value_of = _values(source, inputs)
    for mark in outside_code(source.text, EXPRESSION):
        expression = unescape(mark[1]).strip()
        name = VALUE.fullmatch(expression)
        value = value_of(name[1], name[2]) if name else None
        is_known = isinstance(value, str | int | float)
        if not is_known:
            message = f"kismet does not know the value of the expression {expression}, so it is left out"
            report(info("foreign-markup", source.span(*mark.span()).original, message))
        yield (*mark.span(), str(value) if is_known else "")


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


def _visible_tables(text: str) -> Iterator[Edit]:
    """Leave out the hidden columns of tables. The text of a card links to the target of the card."""
    for table in outside_code(text, TABLE):
        head = HEAD.search(text, *table.span("rows"))
        if head is None:
            continue
        columns = [cell["attributes"] for cell in CELL.finditer(text, *head.span())]
        is_cards = CARDS in table["attributes"]
        if is_cards:  # the names of their columns are not shown
            yield (*head.span(), "")
        for row in ROW.finditer(text, head.start(), table.end("rows")):
            cells = list(CELL.finditer(text, *row.span()))
            target, visible = None, []
            for attributes, cell in zip(columns, cells, strict=False):
                if is_cards and TARGET.search(attributes):
                    target = ADDRESS.search(cell["content"])
                if HIDDEN.search(attributes):
                    yield (*cell.span(), "")
                elif cell["content"].strip():
                    visible.append(cell)
            if target is not None and visible and "<a " not in visible[0]["content"]:
                start, end = visible[0].span("content")
                yield start, start, f"<a href={target[1]}>"
                yield end, end, "</a>"
