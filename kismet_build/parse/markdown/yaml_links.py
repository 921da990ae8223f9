"""Wiki links in YAML: `[[Name]]` without quotes is a link, as authors intend, and not a nested list."""

import re
from typing import Any

WIKI_LINK = re.compile(r"\[\[(?=[^\[\]\n]*[^\W\d])[^\[\]\n]+\]\]")
"""A wiki link. A nested list of numbers is not a link."""
HIDDEN = str.maketrans("[]:#", "\ue000\ue001\ue002\ue003")
SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "[]:#")
"""Characters in wiki links that have a meaning in YAML, and their substitutes during parsing."""


def hide_links(text: str) -> str:
    """The YAML with substitutes for the special characters in wiki links. The length of the YAML is unchanged."""
    return WIKI_LINK.sub(lambda link: link[0].translate(HIDDEN), text) if "[[" in text else text


def show_links(value: Any) -> Any:
    """A value read from YAML with hidden links, with the links restored."""
    match value:
        case str():
            return value.translate(SHOWN)
        case dict():
            return {show_links(key): show_links(item) for key, item in value.items()}
        case list():
            return [show_links(item) for item in value]
        case _:
            return value
