"""Load `library.yaml`: the settings of a library of games."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import read_data
from kismet_build.model.diagnostic import Report

LIBRARY_FILE = "library.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """The settings of a library; each is empty if it is not set."""

    title: str = ""
    url: str = ""
    """The URL at which the root of the tree is published, ending in `/`."""
    description: str = ""
    """One sentence."""
    exclude: tuple[str, ...] = ()
    """Glob patterns of paths that are not published."""
    only: Mapping[str, Any] = field(default_factory=dict)
    """Properties that a text must have to be published."""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Load the settings from `library.yaml` in a folder; default settings without the file. Raises `InvalidData`."""
    file = folder / LIBRARY_FILE
    if not file.is_file():
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    settings: dict[str, Any] = {
        name: value.strip() if isinstance(value, str) else value for name, value in data.value.items()
    }
    settings["exclude"] = tuple(settings.get("exclude", ()))
    if "url" in settings:
        settings["url"] = settings["url"].rstrip("/") + "/"
    return LibraryConfig(**settings)
