"""Parse Markdown into documents: the functions of its dialects."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse import DialectFunctions, Expand
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown import reader
from kismet_build.parse.markdown.dialects import COMMONMARK, GITHUB, OBSIDIAN, Dialect

FindDialect = Callable[[Mapping[str, Any]], Dialect]
"""The dialect with these options of a game."""


def dialect_functions(find: FindDialect, expand: Expand | None = None) -> DialectFunctions:
    """The functions of a dialect of Markdown, given its rules and, if its texts include others, what expands them."""

    def read(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
        return reader.read(source, find(options), report, options)

    def properties(source: Source, inputs: Inputs) -> Document:
        return reader.read_properties(source, find(inputs.variables), inputs.variables)

    return DialectFunctions(read, properties, expand)


def _imported_late(module: str, name: str) -> Expand:
    """An expander whose module is imported when it is needed, because few games need one."""

    def expand(source: Source, inputs: Inputs, report: Report) -> Source:
        expanded: Source = getattr(import_module(module), name)(source, inputs, report)
        return expanded

    return expand


def _of_generator(name: str) -> FindDialect:
    """A dialect of `site_generators`, with the optional rules that are on."""

    def find(options: Mapping[str, Any]) -> Dialect:
        # Imported late: commands for games without such texts, which are most, need not wait for these modules.
        from kismet_build.parse.markdown import site_generators

        return site_generators.with_options(getattr(site_generators, name), options)

    return find


def _mkdocs(options: Mapping[str, Any]) -> Dialect:
    from kismet_build.parse.markdown.site_generators import mkdocs_with

    return mkdocs_with(options.get("extensions"))


commonmark = dialect_functions(lambda _: COMMONMARK)
"""CommonMark without extensions."""

github = dialect_functions(lambda _: GITHUB)
"""GitHub's Markdown."""

obsidian = dialect_functions(lambda _: OBSIDIAN)
"""Obsidian's Markdown."""

hugo = dialect_functions(_of_generator("HUGO"), _imported_late("kismet_build.parse.hugo_references", "expand_hugo"))
"""The Markdown of Hugo. If the option `emoji` is true, `:dragon:` is an emoji."""

jekyll = dialect_functions(_of_generator("JEKYLL"), _imported_late("kismet_build.parse.liquid", "expand_liquid"))
"""The Markdown of Jekyll. The option `callouts` has the title of each class that makes a block a callout.

If `emoji` is true, `:dragon:` is an emoji.
"""

mkdocs = dialect_functions(_mkdocs, _imported_late("kismet_build.parse.snippets", "expand_mkdocs"))
"""The Markdown of MkDocs, with the Python-Markdown extensions in the option `extensions`.

If it is missing, all extensions but formulas are on.
"""
