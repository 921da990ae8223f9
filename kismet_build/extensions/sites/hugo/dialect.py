"""The Markdown of Hugo: Goldmark, and the shortcodes of Hugo and of its usual themes."""

from collections.abc import Mapping
from typing import Any

from kismet_build.extensions.sites.hugo.references import expand_hugo
from kismet_build.extensions.sites.hugo.shortcode import shortcode
from kismet_build.extensions.sites.shared.rules import SHARED, with_options
from kismet_build.extensions.sites.shared.smart_symbols import (
    typographic_symbols,
)
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.dialects import Dialect
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.rules.attribute_list import (
    block_attributes,
)
from kismet_build.parse.markdown.rules.bare_address import bare_address
from kismet_build.parse.markdown.rules.callout import alert
from kismet_build.parse.markdown.rules.definition import definition
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.strikethrough import single_tilde, strikethrough

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


def _with_options(options: Mapping[str, Any]) -> Dialect:
    return with_options(HUGO, options)


dialect = dialect_functions(_with_options, expand_hugo)
"""If the option `emoji` is true, `:dragon:` is an emoji."""
