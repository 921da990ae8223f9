"""Where what can be made again is kept: in the folder that the system has for that, or where `KISMET_CACHE` says."""

import os
from pathlib import Path

from platformdirs import user_cache_path

MOST = 64
"""So many files of one sort are kept; of more the oldest go."""


def cache(sort: str) -> Path:
    """The folder of one sort of file; it may not be there yet."""
    return Path(os.environ.get("KISMET_CACHE") or user_cache_path("kismet-build")) / sort


def prune(folder: Path, pattern: str) -> None:
    """Delete the oldest files. Raises `OSError`."""
    for file in sorted(folder.glob(pattern), key=lambda one: one.stat().st_mtime, reverse=True)[MOST:]:
        file.unlink(missing_ok=True)
