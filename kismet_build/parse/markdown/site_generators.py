"""The dialects of site generators, each made of shared rules."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from kismet_build.parse.markdown.dialects import COMMONMARK, RESIDUES, Dialect, Rule
from kismet_build.parse.markdown.heading_id import github_id, python_markdown_id
from kismet_build.parse.markdown.rules.bare_address import bare_address
from kismet_build.parse.markdown.rules.callout import alert
from kismet_build.parse.markdown.rules.definition import definition
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.generators.abbreviation import abbreviation
from kismet_build.parse.markdown.rules.generators.admonition import admonition, details
from kismet_build.parse.markdown.rules.generators.attribute_list import (
    block_attributes,
    braced_attributes,
    colon_attributes,
)
from kismet_build.parse.markdown.rules.generators.code_block import titles_in_arguments
from kismet_build.parse.markdown.rules.generators.content_tabs import content_tabs
from kismet_build.parse.markdown.rules.generators.contents_mark import contents_mark
from kismet_build.parse.markdown.rules.generators.critic import critic
from kismet_build.parse.markdown.rules.generators.icon import icon
from kismet_build.parse.markdown.rules.generators.keys import keys
from kismet_build.parse.markdown.rules.generators.kramdown_extension import kramdown_extension, kramdown_marks
from kismet_build.parse.markdown.rules.generators.kramdown_table import kramdown_table
from kismet_build.parse.markdown.rules.generators.markdown_element import markdown_element
from kismet_build.parse.markdown.rules.generators.progress_bar import progress_bar
from kismet_build.parse.markdown.rules.generators.raised_text import caret, tilde
from kismet_build.parse.markdown.rules.generators.shortcode import shortcode
from kismet_build.parse.markdown.rules.generators.slash_block import EXTENSIONS as EXTENSIONS_OF_BLOCKS
from kismet_build.parse.markdown.rules.generators.slash_block import slash_block
from kismet_build.parse.markdown.rules.generators.smart_symbols import (
    dashes_and_dots,
    smart_symbols,
    typographic_symbols,
)
from kismet_build.parse.markdown.rules.highlight import highlight
from kismet_build.parse.markdown.rules.math import (
    bracket_math,
    double_backslash_math,
    double_dollar_math,
    math,
)
from kismet_build.parse.markdown.rules.strikethrough import double_tilde, single_tilde, strikethrough
from kismet_build.parse.markdown.rules.table import table
from kismet_build.parse.markdown.rules.task import task
from kismet_build.parse.markdown.rules.wiki_link import wiki_link

SHARED = COMMONMARK.plus(
    "shared",
    table,
    task,
    *RESIDUES,
    repairs=True,
    document_suffix=".md",
    task_marks=" xX",
    html_ids=True,
)
"""The rules shared by all site generators, and repairs of marks that other programs leave behind."""

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


OPTIONAL_RULES: Mapping[str, tuple[Rule, ...]] = {
    "emoji": (icon,),
    "math": (math,),
    "mathjax": (double_dollar_math, double_backslash_math),
    "smart_punctuation": (dashes_and_dots,),
}
"""The rules that are on if the option with this name is true."""


def with_options(dialect: Dialect, options: Mapping[str, Any]) -> Dialect:
    """The dialect with the optional rules that are on."""
    return _with_rules(dialect, tuple(name for name in OPTIONAL_RULES if options.get(name) is True))


@lru_cache(maxsize=64)
def _with_rules(dialect: Dialect, names: tuple[str, ...]) -> Dialect:
    """The dialect with optional rules; cached, because each dialect has a parser."""
    rules = (rule for name in names for rule in OPTIONAL_RULES[name])
    return dialect.plus(dialect.name, *rules) if names else dialect


JEKYLL = SHARED.plus(
    "jekyll",
    strikethrough,
    double_tilde,
    definition,
    footnote,
    abbreviation,
    double_dollar_math,
    markdown_element,
    kramdown_extension,
    kramdown_marks,
    kramdown_table,
    typographic_symbols,
    colon_attributes,
    heading_id=github_id,
    code_attributes=True,
    code_in_cells=True,
    row_separators=True,
    nested_markdown=True,
)
"""kramdown as Jekyll uses it, with GitHub's ids. The option `callouts` has titles by class."""

HUGO = SHARED.plus(
    "hugo",
    strikethrough,
    single_tilde,
    alert,
    bare_address,
    definition,
    footnote,
    shortcode,
    typographic_symbols,
    block_attributes,
    heading_id=github_id,
    code_attributes=True,
    json_properties=True,
    code_shortcodes=True,
    www_protocol="https",
)
"""Goldmark, and the shortcodes of Hugo and of its usual themes."""
