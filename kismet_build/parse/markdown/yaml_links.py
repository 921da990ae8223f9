"""Wiki links in YAML: `[[Name]]` without quotes is a link, as authors mean it, and not a list in a list."""

import re
from typing import Any

WIKI_LINK = re.compile(r"\[\[(?=[^\[\]\n]*[^\W\d])[^\[\]\n]+\]\]")
"""A wiki link. A list of numbers in a list is none."""
HIDDEN = str.maketrans("[]:#", "\ue000\ue001\ue002\ue003")
SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "[]:#")
"""Characters of wiki links that have a meaning in YAML, and those that stand for them while it is parsed."""


def hide_links(text: str) -> str:
    """A YAML text of the same length, whose wiki links have no meaning in YAML."""
    return WIKI_LINK.sub(lambda link: link[0].translate(HIDDEN), text) if "[[" in text else text


def show_links(value: Any) -> Any:
    """A value of a YAML text whose links were hidden, with these links."""
    match value:
        case str():
            return value.translate(SHOWN)
        case dict():
            return {show_links(key): show_links(item) for key, item in value.items()}
        case list():
            return [show_links(item) for item in value]
        case _:
            return value
