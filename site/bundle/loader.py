"""The data of one game: its pack, and what its names mean.

`if "die" in item:` and `if "kind" in item and item["kind"] == "…":` tell what `get` and `find` return apart.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

from ._format import FORMAT
from .types import *  # noqa: F403
from .types import Pack, PackItem

_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "½": "1/2"}
)


class UnreadableData(Exception):
    """The data has a format that this package does not read."""


@cache
def load() -> Pack:
    """Everything in the book, as `pack.json` has it. Raises `UnreadableData`."""
    return cast(Pack, _read("pack.json"))


@cache
def names() -> dict[str, list[str]]:
    """Every name, folded, with the ids that it means, the defining one first."""
    return cast(dict[str, list[str]], _read("names.json", None)["names"])


def get(id: str) -> PackItem | None:
    """The entity, section, table or calculator with an id; `None` if there is none."""
    return _items().get(id)


def fold(name: str) -> str:
    """A name as `names.json` has it."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    letters = "".join(sign for sign in decomposed if sign in "\u3099\u309a" or not unicodedata.combining(sign))
    return " ".join(letters.translate(_PLAIN).split())


def find(name: str) -> list[PackItem]:
    """What a name means: entities, sections and tables, the one that defines it first."""
    return [item for id in names().get(fold(name), ()) if (item := get(id)) is not None]


def text_of(item: PackItem, form: Literal["text", "html"] = "text") -> str:
    """The whole text of an entity or a section; empty for a table or a calculator, which have none."""
    record = cast(dict[str, Any], item)
    if "content" not in record:
        return str(record[form]) if "kind" in record else ""
    parts = []
    for part in record["content"]:
        if "entity" in part:
            first, end = part.get("lines", {}).get(form, (0, None))
            parts.append("\n".join(_items()[part["entity"]][form].split("\n")[first:end]))
        else:
            parts.append(part[form])
    return "\n".join(filter(None, parts))


@cache
def _items() -> dict[str, Any]:
    pack: Any = load()
    lists = (*pack["entities"].values(), pack["sections"], pack["tables"], pack["calculators"])
    return {item["id"]: item for of_list in lists for item in of_list}


def _read(name: str, format: int | None = FORMAT) -> Any:
    try:
        data = json.loads((files(__name__) / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise UnreadableData(f"{name} cannot be read: {failure}") from None
    if not isinstance(data, dict) or (format is not None and data.get("format") != format):
        found = data.get("format") if isinstance(data, dict) else None
        raise UnreadableData(f"{name} has the format {found}; this package reads format {format}")
    return data
