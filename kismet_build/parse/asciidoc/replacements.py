"""Signs that are typed as others: `(C)`, `--`, `...`, `'`, arrows and entities."""

import re
from html import unescape

SPECIAL = re.compile(r"[\\\n<>&'`*_#^~+\[\](){}:$@]|--|->|=>|\.\.\.")
"""What some words must hold to be more than letters."""

SHOWN = {
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
"""A dash keeps the spaces that were typed around it, and nothing that cannot be seen is added."""


def sign(typed: str) -> str:
    """What a sign is shown as; behind a backslash it is shown as typed."""
    if typed.startswith("\\"):
        return typed[1:]
    return SHOWN.get(typed) or unescape(typed)
