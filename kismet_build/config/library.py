"""Load `library.yaml`: the settings of a library of games."""

from dataclasses import dataclass
from pathlib import Path

from kismet_build.config.data_file import read_data, yaml_file
from kismet_build.model.diagnostic import Report

LIBRARY_FILE = "library"
"""Name of the file, without suffix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """The settings of a library; each is empty if it is not set."""

    title: str = ""
    url: str = ""
    """The URL at which the root of the tree is published, ending in `/`."""
    description: str = ""
    """One sentence."""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Load the settings from `library.yaml` in a folder; default settings without the file. Raises `InvalidData`."""
    file = yaml_file(folder, LIBRARY_FILE)
    if not file.is_file():
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    settings = {name: value.strip() for name, value in data.value.items()}
    if "url" in settings:
        settings["url"] = settings["url"].rstrip("/") + "/"
    return LibraryConfig(**settings)
