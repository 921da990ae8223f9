"""Files in which plugins of MkDocs list the texts of one folder.

`.pages`: https://github.com/lukasgeiter/mkdocs-awesome-pages-plugin, `.nav.yml`: https://lukasgeiter.github.io/mkdocs-awesome-nav/,
`SUMMARY.md`: https://oprypin.github.io/mkdocs-literate-nav/.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from kismet_build.config.sources.configuration import read_configuration, read_text
from kismet_build.config.sources.table_of_contents import contents_of
from kismet_build.config.sources.vault import FolderListing
from kismet_build.model.diagnostic import Report
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.nodes import is_url

MAX_LEVELS = 60
"""Maximum depth of nested sections."""
REST = "..."
"""The start of an entry that stands for all texts that the file does not name, such as `... | flat`."""


def read_folder_file(file: Path, folder: str, report: Report) -> FolderListing:
    """Read the file that lists the texts of a folder. Links to other websites are left out."""
    if file.suffix == ".md":
        text = read_text(file, report, file.parent)
        return FolderListing(items=contents_of(text.text, join(folder, file.name), has_parts=False) if text else ())
    values = read_configuration(file, report)
    if values is None:
        return FolderListing()
    nav, arranged = values.value.get("nav"), values.value.get("arrange")
    items = [*_items(nav if isinstance(nav, list) else arranged, folder)]
    if items and (values.value.get("append_unmatched") is True or not isinstance(nav, list)):
        items.append(NavigationItem(path=join(folder, "*")))
    sort = values.mapping("sort")
    return FolderListing(
        title=values.text("title"),
        is_hidden=values.value.get("hide") is True,
        is_descending="desc" in (values.value.get("order"), sort.get("direction")),
        items=tuple(items),
    )


def _items(value: Any, folder: str, title: str = "", level: int = 0) -> Iterator[NavigationItem]:
    match value:
        case str() if not is_url(value):
            is_rest = value.startswith(REST) or "**" in value
            yield NavigationItem(title, join(folder, "*") if is_rest else normpath(join(folder, value.strip(" /"))))
        case {"glob": str(pattern)}:
            yield from _items(pattern, folder)
        case Mapping():
            for name, item in value.items():
                if isinstance(item, list) and level < MAX_LEVELS:
                    below = tuple(below for entry in item for below in _items(entry, folder, level=level + 1))
                    yield NavigationItem(str(name), items=below)
                else:
                    yield from _items(item, folder, str(name), level)
        case list() if not level:
            for entry in value:
                yield from _items(entry, folder, level=level + 1)
        case _:
            return
