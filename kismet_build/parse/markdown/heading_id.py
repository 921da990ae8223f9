"""Give headings the ids that GitHub gives them, so that links written for GitHub lead to the same places here."""

import re
import unicodedata
from collections.abc import Sequence

from kismet_build.model.nodes import Code, Image, Inline, Text, children

KEPT = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"))
"""The categories of Unicode that stay in an id: letters, marks, digits, and signs such as `_` that join words."""

ASCII_LEFT_OUT = re.compile(r"[^a-z0-9_ -]+")
"""What those categories leave out where all is ASCII and in lower case."""


def github_id(title: Sequence[Inline], taken: dict[str, int]) -> str:
    """The id of a heading with this title, which is taken then; empty where nothing of the title can stand in one.

    Upper case is lowered, every space becomes a dash, and all but letters, marks, digits, `_` and `-` is left out; a
    second heading of the same id gets `-1`. `taken` knows for each id how often it was asked for.
    """
    words = "".join(_words(title))
    base = ASCII_LEFT_OUT.sub("", words.lower().strip()) if words.isascii() else _kept(words)
    base = base.replace(" ", "-")
    found, number = base, taken.get(base, 0)
    while found in taken:
        found, number = f"{base}-{number}", number + 1
    if base:
        taken[base], taken[found] = max(number, 1), 1
    return found


def _kept(words: str) -> str:
    letters = unicodedata.normalize("NFC", words).lower().strip()
    return "".join(one for one in letters if one in " -" or unicodedata.category(one) in KEPT)


def _words(inlines: Sequence[Inline]) -> list[str]:
    """The words that a reader sees: a picture has none, and a line end joins what it stands between."""
    found: list[str] = []
    for inline in inlines:
        match inline:
            case Text(value=value) | Code(value=value):
                found.append(value)
            case Image():
                pass
            case _:
                found += _words(children(inline))  # type: ignore[arg-type]
    return found
