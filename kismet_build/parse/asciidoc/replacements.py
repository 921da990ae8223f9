"""Replacements of typed characters: `(C)`, `--`, `...`, `'`, arrows and entities."""

import re
from html import unescape

MARKUP = re.compile(r"[\\\n<>&'`*_#^~+\[\](){}:$@]|--|->|=>|\.\.\.")
"""Matches what every markup contains; text without a match is plain."""

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
"""The replacements of Asciidoctor, but a dash keeps the typed spaces around it, without zero-width characters."""


def replacement(typed: str) -> str:
    """The replacement of typed characters; after a backslash, the characters themselves."""
    if typed.startswith("\\"):
        return typed[1:]
    return REPLACEMENTS.get(typed) or unescape(typed)
