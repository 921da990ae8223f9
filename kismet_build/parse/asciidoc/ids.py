"""The ids of sections, made from their titles as Asciidoctor makes them."""

import re

from kismet_build.parse.asciidoc.state import ParseState

DROPPED = re.compile(r"[^ \w\-.]")
BETWEEN = {"-": " .-", ".": " .-"}
"""What becomes the separator, where that is one of these."""


def section_id(title: str, state: ParseState) -> str:
    """The id of a section with this title, unique in its text: `_steps`, then `_steps_2`."""
    prefix = state.attributes.get("idprefix", "_")
    separator = state.attributes.get("idseparator", "_")[:1]
    # A dash between spaces takes them along, as it does in what is printed.
    words = DROPPED.sub("", re.sub(" ?— ?", "", title.lower()))
    if separator:
        signs = re.escape(BETWEEN.get(separator, f" {separator}.-"))
        words = re.sub(rf"[{signs}]+", separator, prefix + words).removesuffix(separator)
        words = words if prefix else words.removeprefix(separator)
    else:
        words = prefix + words.replace(" ", "")
    found = words
    while found in state.names:
        number = state.repeated.get(words, 2)
        state.repeated[words] = number + 1
        found = f"{words}{separator}{number}"
    return found
