"""The Markdown of MkDocs: Python-Markdown with its extensions, snippets, and the values of the plugin `macros`."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from kismet_build.extensions.sites.mkdocs.blocks import (
    EXTENSIONS_OF_BLOCKS,
    admonition,
    content_tabs,
    contents_mark,
    details,
    slash_block,
    titles_in_arguments,
)
from kismet_build.extensions.sites.mkdocs.inlines import caret, critic, keys, progress_bar, tilde
from kismet_build.extensions.sites.mkdocs.snippets import expand_mkdocs
from kismet_build.extensions.sites.shared.rules import SHARED, abbreviation, dashes_and_dots, icon, smart_symbols
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.dialects import Dialect, Rule
from kismet_build.parse.markdown.heading_id import python_markdown_id
from kismet_build.parse.markdown.rules.attribute_list import braced_attributes
from kismet_build.parse.markdown.rules.bare_address import bare_address
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.lists import definition
from kismet_build.parse.markdown.rules.markdown_element import markdown_element
from kismet_build.parse.markdown.rules.marks import highlight
from kismet_build.parse.markdown.rules.math import (
    bracket_math,
    math,
)
from kismet_build.parse.markdown.rules.wiki_link import wiki_link

EXTENSIONS: tuple[tuple[Rule, tuple[str, ...]], ...] = (
    (admonition, ("admonition",)),
    (details, ("details",)),
    (content_tabs, ("tabbed",)),
    (slash_block, ("blocks",)),
    (definition, ("def_list", "extra")),
    (footnote, ("footnotes", "extra")),
    (abbreviation, ("abbr", "extra")),
    (markdown_element, ("md_in_html", "extra")),
    (contents_mark, ("toc",)),
    (wiki_link, ("wikilinks",)),
    (bare_address, ("magiclink",)),
    (caret, ("caret",)),
    (tilde, ("tilde",)),
    (highlight, ("mark",)),
    (keys, ("keys",)),
    (progress_bar, ("progressbar",)),
    # This must come before attribute lists, which also start with a brace.
    (critic, ("critic",)),
    (smart_symbols, ("smartsymbols",)),
    (titles_in_arguments, ("superfences",)),
    (icon, ("emoji",)),
    (braced_attributes, ("attr_list", "extra")),
)
"""Each rule of Python-Markdown, with the last parts of the names of the extensions that include it."""


def mkdocs_with(extensions: Collection[str] | None) -> Dialect:
    """The dialect of MkDocs, with the rules of these extensions of Python-Markdown.

    `None`: with all rules but those for formulas and dashes.
    """
    used, blocks = None, frozenset(EXTENSIONS_OF_BLOCKS.values())
    if extensions is not None:
        used = {"blocks" if ".blocks." in name else name.rpartition(".")[2] for name in extensions}
        blocks = frozenset(name.rpartition(".")[2] for name in extensions if ".blocks." in name)
    rules = tuple(rule for rule, names in EXTENSIONS if used is None or not used.isdisjoint(names))
    if used is not None and "arithmatex" in used:  # not by default, because of prices in dollars
        rules += (math, bracket_math)
    if used is not None and "smarty" in used:
        rules += (dashes_and_dots,)
    return _mkdocs(rules, used is None or "inlinehilite" in used, blocks)


@lru_cache(maxsize=64)
def _mkdocs(rules: tuple[Rule, ...], code_languages: bool, slash_blocks: frozenset[str]) -> Dialect:
    """The dialect with these rules; cached, because each dialect has a parser."""
    return SHARED.plus(
        "mkdocs",
        *rules,
        heading_id=python_markdown_id,
        code_attributes=braced_attributes in rules,
        code_languages=code_languages,
        slash_blocks=slash_blocks,
        theme_images=True,
        code_in_cells=True,
        plain_properties=True,
    )


def _with_options(options: Mapping[str, Any]) -> Dialect:
    return mkdocs_with(options.get("extensions"))


dialect = dialect_functions(_with_options, expand_mkdocs)
"""The option `extensions` has the names of the extensions. If it is missing, all but formulas are on."""
