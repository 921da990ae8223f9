"""The Markdown of Jekyll: kramdown, with GitHub's ids, and Liquid."""

from functools import partial

from kismet_build.extensions.sites.jekyll.kramdown import kramdown_extension, kramdown_marks, kramdown_table
from kismet_build.extensions.sites.jekyll.liquid import expand_liquid
from kismet_build.extensions.sites.shared.rules import SHARED, abbreviation, typographic_symbols, with_options
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.rules.attribute_list import colon_attributes
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.lists import definition
from kismet_build.parse.markdown.rules.markdown_element import markdown_element
from kismet_build.parse.markdown.rules.marks import double_tilde, strikethrough
from kismet_build.parse.markdown.rules.math import double_dollar_math

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
    kramdown_comments=True,
)


dialect = dialect_functions(partial(with_options, JEKYLL), expand_liquid)
"""The option `callouts` has the title of each class that makes a block a callout. If `emoji` is true, `:dragon:` is an
emoji.
"""
