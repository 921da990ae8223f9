"""Make heading ids like those of GitHub (docs/decisions/0004-dialects.md) and Python-Markdown."""

import re
import unicodedata
from collections.abc import Sequence

from kismet_build.model.nodes import Code, Image, Inline, Math, Text, children
from kismet_build.model.text_normalization import unicode_form

ALLOWED_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"))
"""Unicode categories allowed in an id: letters, marks, digits, and connectors such as `_`."""

ASCII_DROPPED = re.compile(r"[^a-z0-9_ -]+")
"""Matches the characters of a lower-case ASCII title that are left out of its id."""


def github_id(title: Sequence[Inline], taken: dict[str, int]) -> str:
    """The id of a heading, which is added to `taken`; empty if the title has no character allowed in an id.

    The id is the title in lower case, with a dash for each space, and otherwise only letters, marks, digits, `_` and
    `-`. Further headings with the same id get the suffix `-1` and so on.

    `taken`: for each id in use, the next suffix to try.
    """
    text = "".join(_visible_text(title))
    base = ASCII_DROPPED.sub("", text.lower().strip()) if text.isascii() else _unicode_base(text)
    base = base.replace(" ", "-")
    heading_id, number = base, taken.get(base, 0)
    while heading_id in taken:
        heading_id, number = f"{base}-{number}", number + 1
    if base:
        taken[base], taken[heading_id] = max(number, 1), 1
    return heading_id


def python_markdown_id(title: Sequence[Inline], taken: dict[str, int]) -> str:
    """The id of a heading in Python-Markdown: ASCII letters, digits and `_`, with a dash for spaces.

    Further headings with the same id get the suffix `_1` and so on, as does one without any such character.
    """
    letters = unicode_form("NFKD", "".join(_visible_text(title))).encode("ascii", "ignore").decode()
    base = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", letters).strip().lower())
    stem, number = base, 0
    if (numbered := re.fullmatch(r"(.*)_(\d{1,9})", base)) is not None and base in taken:
        stem, number = numbered[1], int(numbered[2])
    number = max(number, taken.get(f" {stem}", 0))
    heading_id = base
    while not heading_id or heading_id in taken:
        number += 1
        heading_id = f"{stem}_{number}"
    if heading_id != base:
        taken[f" {stem}"] = number  # an id cannot contain a space
    taken[heading_id] = 1
    return heading_id


def _unicode_base(text: str) -> str:
    letters = unicode_form("NFC", text).lower().strip()
    return "".join(letter for letter in letters if letter in " -" or unicodedata.category(letter) in ALLOWED_CATEGORIES)


def _visible_text(inlines: Sequence[Inline]) -> list[str]:
    """The visible text, without images and line ends."""
    parts: list[str] = []
    for inline in inlines:
        match inline:
            case Text(value=value) | Code(value=value) | Math(value=value):
                parts.append(value)
            case Image():
                pass
            case _:
                parts += _visible_text(children(inline))  # type: ignore[arg-type]
    return parts
