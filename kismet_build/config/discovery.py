"""Find the files of a game: its texts in reading order, and its attachments."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kismet_build.model.text_normalization import NaturalSortKey, natural_sort_key, normalize

DIALECT_OF_SUFFIX = {".md": "obsidian", ".markdown": "obsidian", ".adoc": "asciidoc", ".asciidoc": "asciidoc"}
"""The default dialect of a text, by file suffix. Most Markdown authors use Obsidian vaults."""

OUTPUT_TREE_FILES = ("data/manifest.json", "assets/site.css")
"""Files by which an output tree of this program is recognized. `kismet build .` in a vault creates one there."""

TEMPLATE_SETTINGS = {"templates.json": "folder", "plugins/templater-obsidian/data.json": "templates_folder"}
"""Settings files below `.obsidian`, each with the key that names the folder of note templates."""

FOLDER_NOTE_NAMES = ("index", "readme")
"""File names without suffix of texts about the folder that they are in; the first that exists counts."""
HOME_NOTE_NAMES = ("index", "home", "readme")
"""The same for the folder of the game: the text stands on the home page."""

SourceFiles = tuple[tuple[Path, str], ...]
"""Source files with their dialects."""


def all_texts(folder: Path) -> SourceFiles:
    """All texts in a folder and its subfolders, without note templates."""
    templates = tuple(template_folders(folder))
    texts = {}
    for path in list_files(folder):
        dialect = DIALECT_OF_SUFFIX.get(os.path.splitext(path)[1].casefold())
        if dialect and not path.startswith(templates):
            texts[folder / path] = dialect
    return in_reading_order(texts, folder)


def matching_texts(folder: Path, sources: Iterable[Mapping[str, str]]) -> SourceFiles:
    """The texts that match the `sources` of a game file, without hidden files. The first matching source counts."""
    texts: dict[Path, str] = {}
    for entry in sources:
        for file in folder.glob(entry["glob"]):
            if file not in texts and not is_hidden(file, folder) and not file.is_dir():
                default = DIALECT_OF_SUFFIX.get(file.suffix.casefold(), "obsidian")
                texts[file] = entry.get("dialect") or default
    return in_reading_order(texts, folder)


def attachments(folder: Path) -> tuple[str, ...]:
    """The paths of all files that texts may embed or link: files with a suffix that are no texts."""
    return tuple(
        path
        for path in list_files(folder)
        if (suffix := os.path.splitext(path)[1].casefold()) and suffix not in DIALECT_OF_SUFFIX
    )


def list_files(folder: Path) -> Iterator[str]:
    """The paths of all files in a folder, in alphabetical order, without hidden files and output trees."""
    paths = []
    for walked, subfolders, names in os.walk(folder):
        current = Path(walked)
        subfolders[:] = [
            name for name in subfolders if not name.startswith(".") and not _is_output_tree(current / name)
        ]
        prefix = "" if current == folder else current.relative_to(folder).as_posix() + "/"
        paths += [prefix + name for name in names if not name.startswith(".")]
    return iter(sorted(paths))


def in_reading_order(texts: Mapping[Path, str], folder: Path) -> SourceFiles:
    """Texts in natural order of their paths: `2 ...` before `10 ...`, folder by folder; texts about a folder first."""

    def order(item: tuple[Path, str]) -> tuple[list[NaturalSortKey], str]:
        path = relative_path(item[0], folder)
        # The path itself comes second: names that differ only in case or accents have the same natural order.
        *folders, name = os.path.splitext(path)[0].split("/")
        name = name if folder_note_rank(path) is None else ""
        return [natural_sort_key(part) for part in (*folders, name)], path

    return tuple(sorted(texts.items(), key=order))


def folder_note_rank(path: str, game_title: str = "") -> int | None:
    """The rank of a text among those about its folder, 0 is the best; `None` if its name does not say so.

    `path` is relative to the folder of the game. `game_title`: the name of that folder, if it counts as a name too.
    """
    folder, _, name = os.path.splitext(path)[0].rpartition("/")
    stem = normalize(name.replace("_", " "))
    title = normalize(folder.rpartition("/")[2] or game_title)
    names = [*(FOLDER_NOTE_NAMES if folder else HOME_NOTE_NAMES), *((title, f"index of {title}") if title else ())]
    return names.index(stem) if stem in names else None


def is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file is hidden or in a hidden folder."""
    return "/." in f"/{relative_path(file, folder)}"


def relative_path(file: Path, folder: Path) -> str:
    """The path of a file relative to a folder, with `/`. The path of the file must begin with that of the folder."""
    # Five times as fast as `Path.relative_to`, for vaults with ten thousand files.
    return file.as_posix().removeprefix(folder.as_posix().rstrip("/") + "/")


def template_folders(folder: Path) -> Iterator[str]:
    """The folders of note templates of an Obsidian vault, as paths that end in `/`; empty for any other folder."""
    for name, key in TEMPLATE_SETTINGS.items():
        try:
            settings = json.loads((folder / ".obsidian" / name).read_bytes())
        except (OSError, ValueError):
            continue  # not a vault, or without this setting
        templates = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(templates, str) and templates.strip("/. "):
            yield templates.strip("/") + "/"


def _is_output_tree(folder: Path) -> bool:
    return all((folder / name).is_file() for name in OUTPUT_TREE_FILES)
