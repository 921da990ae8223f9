"""The text of a section in the data of a game. Parts of the text may be stored in entities."""

from collections.abc import Mapping
from typing import Any

FORMS = ("html", "text")
"""The forms in which a section does not repeat the text of its entities. In Markdown, a section has its full text."""

Data = Mapping[str, Any]


def section_text(section: Data, entities: Mapping[str, Data], form: str) -> str:
    """The full text of a section in a pack. `entities`: the entities of the pack by id. `form`: one of `FORMS`."""
    parts = []
    for part in section["content"]:
        if "entity" in part:
            start, end = part.get("lines", {}).get(form, (0, None))
            parts.append("\n".join(entities[part["entity"]][form].split("\n")[start:end]))
        else:
            parts.append(part[form])
    return "\n".join(filter(None, parts))
