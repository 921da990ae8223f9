"""Addresses that open a place of a file in an author's editor."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

NONE = "none"


@dataclass(frozen=True, slots=True)
class Editor:
    """A program that answers to addresses of its own."""

    title: str
    form: str
    """With `{path}`, which begins with a slash, `{line}` and `{column}`, both from 1."""

    def address(self, file: Path, line: int, column: int) -> str:
        """What to follow to have a file opened at a place."""
        path = quote("/" + file.resolve().as_posix().lstrip("/"))
        return self.form.format(path=path, line=line, column=column)


EDITORS = {
    "cursor": Editor("Cursor", "cursor://file{path}:{line}:{column}"),
    "idea": Editor("IntelliJ", "idea://open?file={path}&line={line}&column={column}"),
    "obsidian": Editor("Obsidian", "obsidian://open?path={path}"),  # it takes no lines
    "sublime": Editor("Sublime Text", "subl://open?url=file://{path}&line={line}&column={column}"),
    "textmate": Editor("TextMate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    "vscode": Editor("VS Code", "vscode://file{path}:{line}:{column}"),
    "vscodium": Editor("VSCodium", "vscodium://file{path}:{line}:{column}"),
    "zed": Editor("Zed", "zed://file{path}:{line}:{column}"),
}


def editor_of(name: str, documents: Path) -> Editor | None:
    """The editor of that name. Where none is named, the one whose settings lie with the texts."""
    if name:
        return EDITORS.get(name)
    folder = documents.resolve()
    return EDITORS["obsidian"] if any((one / ".obsidian").is_dir() for one in (folder, *folder.parents)) else None
