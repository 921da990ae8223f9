"""Titles of the pages and sections of Antora. A reference without link text shows the title of its target."""

import re
from collections.abc import Mapping
from functools import lru_cache

from kismet_build.model.source import Source
from kismet_build.parse.asciidoc.attributes import ENTRY, set_attribute, substitute_attributes
from kismet_build.parse.asciidoc.headings import section_id
from kismet_build.parse.asciidoc.patterns import DELIMITER, SECTION, TITLE
from kismet_build.parse.asciidoc.state import ParseState

EMPTY_XREF = re.compile(
    r"(?<![\\\w])xref:(?P<name>[^\s\[\]#]{1,300})(?P<id>#[^\s\[\]]{0,300})?\["
    r"(?:(?=\])|(?P<attributes>(?=[\w-]{1,50}=[^\[\]\n]{0,300}\])))"
)
"""A reference without link text, up to where the text would be. `attributes` is `None` if it has no attributes."""
ID = re.compile(r"\[(?:\[|[\w-]*#)([^\W\d][\w:.-]*)[^\[\]]*\]{1,2}")
VERBATIM = frozenset("-./`+")
"""First characters of the delimiters of blocks that cannot contain sections."""
MARKS = re.compile(r"[*_`#]")


@lru_cache(maxsize=256)
def titles_in(source: Source, id_style: tuple[str, str]) -> Mapping[str, str]:
    """The titles of sections and blocks of a page by id, with their markup. The key of the page's own title is empty.

    Titles in files that the page includes are left out. Cached, because many texts may refer to the same page.
    `id_style`: the attributes `idprefix` and `idseparator`.
    """
    state = ParseState(source, lambda _: None)
    state.attributes = dict(zip(("idprefix", "idseparator"), id_style, strict=True))
    titles: dict[str, str] = {}
    block_id = fence = ""
    for line in map(str.rstrip, source.text.split("\n")):
        if fence:
            fence = "" if line == fence else fence
        elif (entry := ENTRY.fullmatch(line)) is not None:
            set_attribute(entry[1].lower(), entry[2] or "", state)
        elif (found := ID.fullmatch(line)) is not None:
            block_id = found[1]
        elif (heading := SECTION.fullmatch(line)) is not None:
            title = substitute_attributes(heading[2], state)
            is_page = len(heading[1]) == 1
            name = "" if is_page else block_id or section_id(MARKS.sub("", title), state)
            titles.setdefault(name, title)
            state.link_texts.setdefault(name, title)
            block_id = ""
        elif (block := TITLE.fullmatch(line)) is not None:
            if block_id:
                titles.setdefault(block_id, block[1])
        elif DELIMITER.fullmatch(line) and line[0] in VERBATIM and line != "--":
            fence, block_id = line[: len(line) - len(line.lstrip("`"))] or line, ""
        elif not line.startswith("["):
            block_id = ""
    return titles


def as_text(title: str, *, has_attributes: bool) -> str:
    """A title, escaped as the text of a cross-reference."""
    title = title.replace("]", "\\]")
    quoted = '"' + title.replace('"', "&quot;") + '"'
    return f"{quoted}," if has_attributes else quoted if "=" in title else title
