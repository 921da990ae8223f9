"""One writer at a time for each tree."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from kismet_build.model.cache_folder import cache

AT_ONCE = 0.5
"""Seconds until one who waits is told for whom."""


@contextmanager
def only_writer(out: Path) -> Iterator[None]:
    """Wait until nobody else writes a tree; what a process held that is gone is free, as the system sees to it."""
    folder = cache("locks")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        yield  # with no place for a lock there is none
        return
    file = folder / f"{sha256(str(out).encode()).hexdigest()[:32]}.lock"
    owner = file.with_suffix(".json")
    lock = FileLock(file)
    try:
        lock.acquire(timeout=AT_ONCE)
    except Timeout:
        print(f"kismet: {_told(owner)} is writing {out}; waiting for it", file=sys.stderr)
        lock.acquire()
    try:
        with suppress(OSError):
            owner.write_text(json.dumps({"process": os.getpid(), "since": datetime.now(UTC).isoformat()}))
        yield
    finally:
        with suppress(OSError):
            owner.unlink()
        lock.release()


def _told(owner: Path) -> str:
    try:
        known = json.loads(owner.read_bytes())
        age = datetime.now(UTC) - datetime.fromisoformat(known["since"])
        return f"process {known['process']}, since {int(age.total_seconds())} seconds,"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
