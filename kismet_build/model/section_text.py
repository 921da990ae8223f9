"""The text of a section in the data of a game, whose parts may stand in entities."""

from collections.abc import Mapping
from typing import Any

FORMS = ("html", "text")
"""The forms of a text that stand once: in the entity, if it is one. Sections have their Markdown whole."""

Data = Mapping[str, Any]


def section_text(section: Data, entities: Mapping[str, Data], form: str) -> str:
    """The whole text of a section of a pack. `entities`: the entities of the pack by id; `form`: one of `FORMS`."""
    parts = []
    for part in section["content"]:
        if "entity" in part:
            start, end = part.get("lines", {}).get(form, (0, None))
            parts.append("\n".join(entities[part["entity"]][form].split("\n")[start:end]))
        else:
            parts.append(part[form])
    return "\n".join(filter(None, parts))
