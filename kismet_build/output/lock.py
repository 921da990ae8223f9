"""Lock an output tree, so that only one process writes it at a time (docs/decisions/0025-output-folder.md)."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from kismet_build.model.cache_folder import cache_folder, create_cache_folder

NOTICE_DELAY = 0.5
"""Seconds to wait for the lock before a message says which process holds it."""


@contextmanager
def lock_tree(out: Path) -> Iterator[None]:
    """Hold the lock of an output tree, waiting if another process has it.

    The operating system releases the lock if the process dies. Without write access to the cache folder, no lock is
    taken.
    """
    file = cache_folder("locks") / f"{sha256(str(out).encode()).hexdigest()[:32]}.lock"
    owner_file = file.with_suffix(".json")
    lock = FileLock(file)
    with suppress(OSError):
        create_cache_folder(file.parent)
        try:
            lock.acquire(timeout=NOTICE_DELAY)
        except Timeout:
            print(f"kismet: {_owner(owner_file)} is writing {out}; waiting for it", file=sys.stderr)
            lock.acquire()
    try:
        with suppress(OSError):
            owner_file.write_text(json.dumps({"process": os.getpid(), "since": datetime.now(UTC).isoformat()}))
        yield
    finally:
        with suppress(OSError):
            owner_file.unlink()
        lock.release()


def _owner(owner_file: Path) -> str:
    try:
        owner = json.loads(owner_file.read_bytes())
        age = datetime.now(UTC) - datetime.fromisoformat(owner["since"])
        return f"process {owner['process']}, since {int(age.total_seconds())} seconds,"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
