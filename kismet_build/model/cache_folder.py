"""The folder for cached files: the user's cache folder on this operating system, or `KISMET_CACHE`.

A cached file starts with the SHA-256 digest of its content and of a key, which identifies the inputs of the content. A
file is ignored if it is damaged, has another key or belongs to another user.
"""

import os
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_cache_path

MAX_CACHED_FILES = 64
"""Maximum number of files in a cache folder, by default."""
DIGEST_SIZE = 32
"""Bytes of a digest."""
BLOCK_SIZE = 2**20
"""Bytes read from a file at a time."""


def cache_folder(name: str) -> Path:
    """The cache folder with this name, which may not exist yet."""
    return Path(os.environ.get("KISMET_CACHE") or user_cache_path("kismet-build")) / name


def create_cache_folder(folder: Path) -> None:
    """Create a cache folder that only its owner can read and write. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # needed if the folder already exists


def read_cached_file(file: Path, key: bytes) -> bytes | None:
    """The content of a cached file; `None` if it is unreadable or damaged, or has another key or owner."""
    opened = open_cached_file(file, key)
    if opened is None:
        return None
    with suppress(OSError), opened:
        return opened.read()
    return None


def open_cached_file(file: Path, key: bytes) -> BinaryIO | None:
    """Open a cached file at the start of its content; `None` as for `read_cached_file`."""
    with ExitStack() as stack, suppress(OSError):
        opened = stack.enter_context(file.open("rb"))
        expected, digest = opened.read(DIGEST_SIZE), sha256(key)
        while block := opened.read(BLOCK_SIZE):
            digest.update(block)
        if digest.digest() == expected and _is_own(opened):
            opened.seek(DIGEST_SIZE)
            stack.pop_all()  # the file stays open for the caller
            return opened
    return None


def _is_own(file: BinaryIO) -> bool:
    """Whether a file belongs to the user of this process. This matters because compiled templates are run."""
    return not hasattr(os, "geteuid") or os.fstat(file.fileno()).st_uid == os.geteuid()


def write_cached_file(
    file: Path, key: bytes, content: Iterable[bytes | memoryview], limit: int = MAX_CACHED_FILES
) -> None:
    """Replace a cached file, and delete all but the newest `limit` files of its folder.

    `OSError` is ignored. `content`: the parts of the content, which need not be in memory at the same time.
    """
    temporary = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        create_cache_folder(file.parent)
        try:
            with temporary.open("wb") as opened:
                digest = sha256(key)
                opened.write(bytes(DIGEST_SIZE))
                for part in content:
                    digest.update(part)
                    opened.write(part)
                opened.seek(0)
                opened.write(digest.digest())
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
        newest_first = sorted(file.parent.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in newest_first[limit:]:
            old.unlink(missing_ok=True)
