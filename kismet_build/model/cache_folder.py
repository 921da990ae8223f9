"""The folder for cached files: the user's cache folder of the operating system, or `KISMET_CACHE`."""

import os
from pathlib import Path

from platformdirs import user_cache_path

MAX_CACHED_FILES = 64
"""Maximum number of files that `prune` leaves in a folder, by default."""


def cache_folder(name: str) -> Path:
    """The cache folder `name`, which need not exist yet."""
    return Path(os.environ.get("KISMET_CACHE") or user_cache_path("kismet-build")) / name


def prune(folder: Path, pattern: str, limit: int = MAX_CACHED_FILES) -> None:
    """Delete all but the newest `limit` files that match the pattern. Raises `OSError`."""
    newest_first = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in newest_first[limit:]:
        file.unlink(missing_ok=True)
