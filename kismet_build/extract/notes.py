"""Notes: what their place and their properties say, apart from their text."""

import re
from posixpath import basename, dirname

from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import slug

INDEX_NAME = re.compile(r"(?:readme|home|index|_?index(?:[ _-]of)?[ _-].*|_.*index|moc|.* moc)", re.IGNORECASE)
"""Names of files that list other notes."""


def folder_path(path: str) -> str:
    """The path of the folder of a file, in the form that `folder_pattern` matches: empty for the root, else `/...`."""
    folder = dirname(path)
    return f"/{folder}" if folder else ""


def is_index_note(path: str) -> bool:
    """Whether a note lists those of its folder: `README`, `Home`, `Index`, or named like its folder."""
    stem, folder = file_stem(path), basename(dirname(path))
    return INDEX_NAME.fullmatch(stem.strip("_ ")) is not None or bool(folder and slug(stem) == slug(folder))
