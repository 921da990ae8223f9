"""Expand texts: a text that includes others, or uses variables, becomes one composed text before it is parsed."""

from collections.abc import Callable, Mapping

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source
from kismet_build.parse.asciidoc.preprocessor import NAMED_FILE, header_of, preprocess
from kismet_build.parse.composition import Inputs
from kismet_build.parse.docsify_includes import expand_docsify
from kismet_build.parse.hugo_references import expand_hugo
from kismet_build.parse.liquid import expand_liquid
from kismet_build.parse.mdbook_includes import expand_mdbook
from kismet_build.parse.snippets import expand_mkdocs

Expander = Callable[[Source, Inputs, Report], Source]
"""Composes a text. Returns the same source if there is nothing to expand."""

EXPANDERS: Mapping[str, Expander] = {
    "asciidoc": preprocess,
    "docsify": expand_docsify,
    "hugo": expand_hugo,
    "jekyll": expand_liquid,
    "mdbook": expand_mdbook,
    "mkdocs": expand_mkdocs,
}
"""The expanders, by the name of their dialect."""


def start_of(source: Source, dialect: str) -> Source:
    """The start of a text, with all its properties."""
    return header_of(source) if dialect == "asciidoc" else source


def named_files(source: Source, dialect: str) -> list[str]:
    """The names of the files that a text includes, without those whose names depend on variables."""
    return NAMED_FILE.findall(source.text) if dialect == "asciidoc" else []


def expand(source: Source, dialect: str, inputs: Inputs, report: Report) -> Source:
    """Compose a text of the files that it includes. Returns the same source if there is nothing to expand.

    Reports each part that is missing, with its place in the file that names it.
    """
    expander = EXPANDERS.get(dialect)
    return source if expander is None else expander(source, inputs, report)
