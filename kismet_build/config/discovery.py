"""What lies in the folder of a game: its texts in reading order, and everything beside them."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kismet_build.model.text_normalization import Natural, natural_order

DIALECT_OF_SUFFIX = {".md": "obsidian", ".markdown": "obsidian", ".adoc": "asciidoc", ".asciidoc": "asciidoc"}
"""What a text is read as where the game does not say; vaults are what most authors bring."""

TREE_OF_OURS = ("data/manifest.json", "assets/site.css")
"""What a folder holds that this program wrote; `kismet build .` in a vault leaves one there."""

TEMPLATES = {"templates.json": "folder", "plugins/templater-obsidian/data.json": "templates_folder"}
"""Where a vault says, below `.obsidian`, which of its folders holds patterns for new texts."""

SourceFiles = tuple[tuple[Path, str], ...]
"""Files to read, each with its dialect."""


def every_text(folder: Path) -> SourceFiles:
    """Every text in a folder whatever its depth, without patterns for new texts."""
    patterns = tuple(template_folders(folder))
    found = {}
    for path in files(folder):
        dialect = DIALECT_OF_SUFFIX.get(os.path.splitext(path)[1].casefold())
        if dialect and not path.startswith(patterns):
            found[folder / path] = dialect
    return in_reading_order(found, folder)


def matching_texts(folder: Path, sources: Iterable[Mapping[str, str]]) -> SourceFiles:
    """The texts that the sources of a game name, each once, hidden ones left out."""
    found: dict[Path, str] = {}
    for entry in sources:
        for file in folder.glob(entry["glob"]):
            if file not in found and not is_hidden(file, folder) and not file.is_dir():
                usual = DIALECT_OF_SUFFIX.get(file.suffix.casefold(), "obsidian")
                found[file] = entry.get("dialect") or usual
    return in_reading_order(found, folder)


def attachments(folder: Path) -> tuple[str, ...]:
    """The paths of all files that a text may show or link to: those that are no texts, and have a suffix."""
    return tuple(
        path
        for path in files(folder)
        if (suffix := os.path.splitext(path)[1].casefold()) and suffix not in DIALECT_OF_SUFFIX
    )


def files(folder: Path) -> Iterator[str]:
    """The paths of all files in a folder, in alphabetical order; hidden ones and trees of ours are left out."""
    found = []
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = [one for one in folders if not one.startswith(".") and not _is_ours(here / one)]
        above = "" if here == folder else here.relative_to(folder).as_posix() + "/"
        found += [above + name for name in names if not name.startswith(".")]
    return iter(sorted(found))


def in_reading_order(found: Mapping[Path, str], folder: Path) -> SourceFiles:
    """Files as one reads them: `2 ...` before `10 ...`, what is in one folder together."""

    def order(item: tuple[Path, str]) -> tuple[list[Natural], str]:
        path = within(item[0], folder)
        # Names that differ in case or accents alone have one natural order, and disks list them as they like.
        return [natural_order(part) for part in os.path.splitext(path)[0].split("/")], path

    return tuple(sorted(found.items(), key=order))


def is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file is hidden, or in a folder that is."""
    return "/." in f"/{within(file, folder)}"


def within(file: Path, folder: Path) -> str:
    """The path of a file from a folder, which it was made from, with `/`."""
    # What `relative_to` says, which takes five times as long: there may be ten thousand.
    return file.as_posix().removeprefix(folder.as_posix().rstrip("/") + "/")


def template_folders(folder: Path) -> Iterator[str]:
    """The folders of a vault that hold patterns for new texts, as paths that end in `/`."""
    for name, key in TEMPLATES.items():
        try:
            settings = json.loads((folder / ".obsidian" / name).read_bytes())
        except (OSError, ValueError):
            continue  # not a vault, or not one that says so
        named = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(named, str) and named.strip("/. "):
            yield named.strip("/") + "/"


def _is_ours(folder: Path) -> bool:
    return all((folder / name).is_file() for name in TREE_OF_OURS)
