"""Show the value of a calculator to readers: entities as links, all else in words."""

from typing import Any

from markupsafe import Markup, escape

from kismet_build.render.components.value_text import words
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.escape import linked


def value_html(value: Any, sort: str, unit: str, up: str) -> Markup:
    """A value as HTML; links start with `up`."""
    match value:
        case {"id": str() as entity_id, "name": name}:
            return linked(f"{up}{entity_id}/{INDEX}", name)
        case list() if value and all(isinstance(one, dict) and "id" in one for one in value):
            return Markup(", ").join(value_html(one, sort, unit, up) for one in value)
        case _:
            return escape(words(value, sort, unit))
