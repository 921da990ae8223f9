"""Types of the data for TypeScript and Python."""

from kismet_build.pack import Pack

NAMES = ("Calculator", "Entity", "Pack", "Section", "Table")
"""The types that the packages of a bundle name."""


def typescript_types(_pack: Pack) -> bytes:
    """The types of a pack for TypeScript."""
    return "".join(f"export type {name} = Record<string, any>;\n" for name in NAMES).encode()


def python_types(_pack: Pack) -> bytes:
    """The types of a pack for Python."""
    lines = ('"""Types of the data of this game."""', "", "from typing import Any", "")
    return "\n".join((*lines, *(f"{name} = dict[str, Any]" for name in NAMES), "")).encode()
