"""Expand texts: a text that includes other texts, or uses variables, becomes a composed text before it is parsed."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs

NAMED_FILE = re.compile(r"^include::(?:[^\[\n]*[/$])?([^\[\n/$]+)\[", re.MULTILINE)
Expander = Callable[[Source, Inputs, Report], Source]
"""Composes a text. Returns the same source if there is nothing to expand."""

EXPANDERS: Mapping[str, str] = {
    "asciidoc": "kismet_build.parse.asciidoc.preprocessor:preprocess",
    "hugo": "kismet_build.parse.hugo_references:expand_hugo",
    "jekyll": "kismet_build.parse.liquid:expand_liquid",
    "mdbook": "kismet_build.parse.mdbook_includes:expand_mdbook",
    "mkdocs": "kismet_build.parse.snippets:expand_mkdocs",
}
"""Modules and names of the expanders, by dialect. The modules are imported when needed, because few games need them."""


@cache
def _expander(dialect: str) -> Expander | None:
    module, _, name = EXPANDERS.get(dialect, "").partition(":")
    expander: Expander | None = getattr(import_module(module), name) if module else None
    return expander


def start_of(source: Source, dialect: str) -> Source:
    """The part of a text that may have its properties: the header in AsciiDoc, the entire text in other dialects."""
    if dialect != "asciidoc":
        return source
    from kismet_build.parse.asciidoc.preprocessor import header_of  # imported when needed, like the expanders

    return header_of(source)


def named_files(source: Source, dialect: str) -> list[str]:
    """The names, without folders, of the files that a text includes."""
    return NAMED_FILE.findall(source.text) if dialect == "asciidoc" else []


def expand(source: Source, dialect: str, inputs: Inputs, report: Report) -> Source:
    """Expand the includes and variables of a text. Returns the same source if there is nothing to expand."""
    expander = _expander(dialect)
    return source if expander is None else expander(source, inputs, report)
