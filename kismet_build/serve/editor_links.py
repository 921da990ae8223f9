"""URLs that open a source file in the author's editor."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

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
