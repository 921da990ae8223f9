"""Facts about a note that follow from its path."""

import re
from posixpath import basename, dirname

from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import slug

INDEX_NAME = re.compile(r"(?:readme|home|index|_?index(?:[ _-]of)?[ _-].*|_.*index|moc|.* moc)", re.IGNORECASE)
"""Names of files that list other notes."""


def folder_path(path: str) -> str:
    """The folder of a file, in the form that `folder_pattern` matches: empty for the root, otherwise `/...`."""
    folder = dirname(path)
    return f"/{folder}" if folder else ""


def is_index_note(path: str) -> bool:
    """Whether a note lists the notes of its folder: it has a name such as `README` or `Home`, or that of its folder."""
    stem, folder = file_stem(path), basename(dirname(path))
    return INDEX_NAME.fullmatch(stem.strip("_ ")) is not None or bool(folder and slug(stem) == slug(folder))
