"""What the dialects of site generators share."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kismet_build.extensions.sites.shared.icon import icon
from kismet_build.extensions.sites.shared.smart_symbols import (
    dashes_and_dots,
)
from kismet_build.parse.markdown.dialects import COMMONMARK, RESIDUES, Dialect, Rule
from kismet_build.parse.markdown.rules.math import (
    double_backslash_math,
    double_dollar_math,
    math,
)
from kismet_build.parse.markdown.rules.table import table
from kismet_build.parse.markdown.rules.task import task

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
