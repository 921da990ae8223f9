"""The data of one game: its pack and its names.

`if "die" in item:` and `if "kind" in item and item["kind"] == "…":` distinguish the results of `get` and `find`.
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
    """The data has a format that this package cannot read."""


@cache
def load() -> Pack:
    """Return the content of `pack.json`, which has everything in the book. Raises `UnreadableData`."""
    return cast(Pack, _read("pack.json"))


@cache
def names() -> dict[str, list[str]]:
    """Return every name, folded, with the ids that it may refer to, the defining one first."""
    return cast(dict[str, list[str]], _read("names.json", None)["names"])


def get(id: str) -> PackItem | None:
    """Return the entity, section, table or calculator with an id, or `None`."""
    return _items().get(id)


def fold(name: str) -> str:
    """Return a name, folded as in `names.json`."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    letters = "".join(sign for sign in decomposed if sign in "\u3099\u309a" or not unicodedata.combining(sign))
    return " ".join(letters.translate(_PLAIN).split())


def find(name: str) -> list[PackItem]:
    """Return what a name refers to: entities, sections and tables, the definition first."""
    return [item for id in names().get(fold(name), ()) if (item := get(id)) is not None]


def text_of(item: PackItem, form: Literal["text", "html"] = "text") -> str:
    """Return the complete text of an entity or a section, or an empty string for a table or a calculator."""
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
