"""Write data as YAML text."""

import json
import re
from typing import Any

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Strings that need no quotes, apart from `WORDS`."""
WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""Strings that at least one YAML parser does not read as strings."""


def flow(value: Any) -> str:
    """A value in flow style, on one line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(flow, value)) + "]"
        case str() if PLAIN.fullmatch(value) and value.casefold() not in WORDS:
            return value
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
