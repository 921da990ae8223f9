"""Replacements for typed characters: `(C)`, `--`, `...`, `'`, arrows and entities."""

import re
from html import unescape

MARKUP = re.compile(r"[\\\n<>&'`*_#^~+\[\](){}:$@]|--|->|=>|\.\.\.")
"""Matches something that all markup contains. Text without a match is plain."""

REPLACEMENTS = {
    "(C)": "©",
    "(R)": "®",
    "(TM)": "™",
    "--": "—",
    "...": "…",
    "'": "’",
    "`'": "’",
    "->": "→",
    "=>": "⇒",
    "<-": "←",
    "<=": "⇐",
}
"""Asciidoctor's replacements, except that dashes keep the spaces around them, without zero-width characters."""


def replacement(typed: str) -> str:
    """The replacement for typed characters; after a backslash, the characters themselves."""
    if typed.startswith("\\"):
        return typed[1:]
    return REPLACEMENTS.get(typed) or unescape(typed)
