"""What a library says of itself: its title, where it is published, one sentence about it."""

from dataclasses import dataclass
from pathlib import Path

from kismet_build.config.data_file import read_data
from kismet_build.model.diagnostic import Report

FILE = "library.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """What stands above all games; every word may be missing."""

    title: str = ""
    url: str = ""
    """The address of the root of the tree, ending in `/`; empty where nobody said it."""
    description: str = ""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Read the file of a library, where there is one. Raises `InvalidData`."""
    file = folder / FILE
    if not file.is_file():
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    said = {name: value.strip() for name, value in data.value.items()}
    if "url" in said:
        said["url"] = said["url"].rstrip("/") + "/"
    return LibraryConfig(**said)
