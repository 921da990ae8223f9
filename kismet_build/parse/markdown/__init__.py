"""Parse Markdown into documents: the functions of its dialects."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse import DialectFunctions
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown import reader
from kismet_build.parse.markdown.dialects import COMMONMARK, GITHUB, OBSIDIAN, Dialect

FindDialect = Callable[[Mapping[str, Any]], Dialect]
"""The dialect with these options of a game."""


def _functions(find: FindDialect, expander: str = "") -> DialectFunctions:
    """`expander`: the module and the name of a function, which is imported when needed, because few games need one."""

    def read(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
        return reader.read(source, find(options), report, options)

    def properties(source: Source, inputs: Inputs) -> Document:
        return reader.read_properties(source, find(inputs.variables), inputs.variables)

    def expand(source: Source, inputs: Inputs, report: Report) -> Source:
        module, _, name = expander.partition(":")
        expanded: Source = getattr(import_module(module), name)(source, inputs, report)
        return expanded

    return DialectFunctions(read, properties, expand if expander else None)


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


commonmark = _functions(lambda _: COMMONMARK)
"""CommonMark without extensions."""

github = _functions(lambda _: GITHUB)
"""GitHub's Markdown."""

obsidian = _functions(lambda _: OBSIDIAN)
"""Obsidian's Markdown."""

hugo = _functions(_of_generator("HUGO"), "kismet_build.parse.hugo_references:expand_hugo")
"""The Markdown of Hugo. If the option `emoji` is true, `:dragon:` is an emoji."""

jekyll = _functions(_of_generator("JEKYLL"), "kismet_build.parse.liquid:expand_liquid")
"""The Markdown of Jekyll. The option `callouts` has the title of each class that makes a block a callout.

If `emoji` is true, `:dragon:` is an emoji.
"""

mkdocs = _functions(_mkdocs, "kismet_build.parse.snippets:expand_mkdocs")
"""The Markdown of MkDocs, with the Python-Markdown extensions in the option `extensions`.

If it is missing, all extensions but formulas are on.
"""

mdbook = _functions(_of_generator("MDBOOK"), "kismet_build.parse.mdbook_includes:expand_mdbook")
r"""The Markdown of mdBook.

If the option `math` is true, `$x$` is a formula; if `mathjax` is, `\\(x\\)`; if `smart_punctuation` is, `--` is a dash.
"""
