"""The text of a section in the data of a game; parts of it may be stored in entities."""

from collections.abc import Mapping
from typing import Any

FORMS = ("html", "text")
"""The forms stored only once: an entity's text is not repeated in its section. Sections have all of their Markdown."""

Data = Mapping[str, Any]


def section_text(section: Data, entities: Mapping[str, Data], form: str) -> str:
    """The full text of a section in a pack. `entities`: the entities of the pack by id; `form`: one of `FORMS`."""
    parts = []
    for part in section["content"]:
        if "entity" in part:
            start, end = part.get("lines", {}).get(form, (0, None))
            parts.append("\n".join(entities[part["entity"]][form].split("\n")[start:end]))
        else:
            parts.append(part[form])
    return "\n".join(filter(None, parts))
