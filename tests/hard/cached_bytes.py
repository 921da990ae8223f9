"""Change each byte of cached files; each changed file must be ignored: `python -m tests.hard.cached_bytes`."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from kismet_build.driver.build_cache import BuildRequest, last_tree, load_build_cache
from tests.command import ROOT, kismet_process
from tests.hard.row import Row, exit_with
from tests.small_library import write_library


def rows() -> Iterator[Row]:
    """Change the files that describe the last build of a small library, and that name its tree."""
    with TemporaryDirectory(prefix="cached-bytes-") as name, patch.dict(os.environ, KISMET_CACHE=f"{name}/cache"):
        folder = Path(name)
        texts, out = write_library(folder / "texts"), folder / "public"
        kismet_process("build", texts, "--out", out, "--no-search", cwd=ROOT)
        request = BuildRequest(texts, None, out, search=False)
        readers: dict[str, Callable[[], object]] = {
            "builds": lambda: load_build_cache(request),
            "trees": lambda: last_tree(texts, None),
        }
        for cache, read in readers.items():
            (file,) = (folder / "cache" / cache).iterdir()
            yield _row(f"each byte of a cached file changed: {cache}", file, read)


def _row(name: str, file: Path, read: Callable[[], object]) -> Row:
    start = time.monotonic()
    content = file.read_bytes()
    if read() is None:
        return Row(name, 0, "the file is ignored before it is changed", time.monotonic() - start, is_red=True)
    taken = []
    for position, byte in enumerate(content):
        file.write_bytes(content[:position] + bytes([byte ^ 1 << position % 8]) + content[position + 1 :])
        if read() is not None:
            taken.append(position)
    result = f"{len(content) - len(taken):,} ignored" + (f"\nread with changes at {taken[:20]}" if taken else "")
    return Row(name, len(content), result, time.monotonic() - start, bool(taken))


if __name__ == "__main__":
    exit_with(rows())
