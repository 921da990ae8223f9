"""Links from a page to its source: the place of each block, and URLs that open a file in an editor."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.fragments.page_context import anchor_address

# Map pages to source lines and source lines to pages.

# --- places in the source

LAST_LINE = 10**9
"""A number larger than any line number."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of lines of a source file, including both ends. The path is relative to the folder of the game."""

    path: str
    first: int = 1
    last: int = LAST_LINE

    def contains(self, path: str, line: int) -> bool:
        """Whether a line of a file is in the range."""
        return path == self.path and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Pages and source lines of one game."""

    title: str
    """The title of the game."""
    pages: Mapping[str, tuple[SourceRange, ...]]
    """The source ranges of each chapter and entity, by the URL of its page. A composed text has a range for each
    file."""
    sections: Mapping[str, tuple[tuple[int, str], ...]]
    """First line and URL of each section, in order, by the path of the source file."""

    def url(self, path: str, line: int) -> str:
        """URL of the section that contains a source line; empty if the file is not a document of the game."""
        sections = self.sections.get(path, ())
        if not sections:
            return ""
        return sections[max(0, bisect_right(sections, (line, "\U0010ffff")) - 1)][1]


@cached_in_pack
def source_map(pack: Pack) -> SourceMap:
    """The source map of a game."""
    sections: dict[str, list[tuple[int, str]]] = {}
    pages: dict[str, dict[SourceRange, None]] = {}
    for section in pack.book.all_sections():
        anchor = section.anchor
        place, url = anchor.span.original, anchor_address(pack, anchor)
        sections.setdefault(place.source.path, []).append((place.line_range[0], url))
        pages.setdefault(url.partition("#")[0], {})[SourceRange(place.source.path)] = None
    for entity in pack.all_entities():
        place = entity.span.original
        lines = SourceRange(place.source.path, *place.line_range)
        page, is_row, _ = pack.addresses.entities[entity.id].partition("#")
        pages[page] = {**(pages.get(page, {}) if is_row else {}), lines: None}
    ordered = {path: tuple(sorted(lines)) for path, lines in sections.items()}
    ranges = {page: tuple(of_page) for page, of_page in pages.items()}
    return SourceMap(pack.game.title, ranges, ordered)


# URLs that open a source file in the author's editor.

# --- editors

NONE = "none"
"""Value of `--editor` that turns editor links off."""


@dataclass(frozen=True, slots=True)
class Editor:
    """A program with its own URL scheme."""

    title: str
    template: str
    """URL with placeholders: `{path}` starts with a slash; `{line}` and `{column}` are counted from 1."""

    def url(self, file: Path, line: int, column: int) -> str:
        path = quote("/" + file.resolve().as_posix().lstrip("/"))
        return self.template.format(path=path, line=line, column=column)


EDITORS = {
    "cursor": Editor("Cursor", "cursor://file{path}:{line}:{column}"),
    "idea": Editor("IntelliJ", "idea://open?file={path}&line={line}&column={column}"),
    "obsidian": Editor("Obsidian", "obsidian://open?path={path}"),  # Obsidian's URLs do not accept a line.
    "sublime": Editor("Sublime Text", "subl://open?url=file://{path}&line={line}&column={column}"),
    "textmate": Editor("TextMate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    "vscode": Editor("VS Code", "vscode://file{path}:{line}:{column}"),
    "vscodium": Editor("VSCodium", "vscodium://file{path}:{line}:{column}"),
    "zed": Editor("Zed", "zed://file{path}:{line}:{column}"),
}
"""Editors by the value of `--editor`."""


def editor_of(name: str, documents: Path) -> Editor | None:
    """The editor with this name; `None` for `NONE`. For an empty name, Obsidian if the documents are in a vault, or
    else `None`.
    """
    if name:
        return EDITORS.get(name)
    folder = documents.resolve()
    is_vault = any((ancestor / ".obsidian").is_dir() for ancestor in (folder, *folder.parents))
    return EDITORS["obsidian"] if is_vault else None
