"""Verify a bundle: a zip, a package for npm, a wheel, or a folder of data. Nothing is written, and reading is bounded."""

import gzip
import json
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any

from kismet_build.config.data_file import UsageError
from kismet_build.config.pack_schema import pack_schema

MANIFEST = "manifest.json"
"""The file that lists all others of a bundle with size and SHA-256."""
MANIFEST_FORMAT = 1
"""The format of manifests that is known."""
MAX_BUNDLE_SIZE = 2**30
"""Bytes of a bundle, packed and unpacked; a larger one is refused before it is read."""
MAX_FILES = 200_000
"""Files of a bundle; one with more is refused."""
CHUNK = 2**18
"""Bytes that are read at a time."""
TAR_BLOCK = 512
"""Bytes of a header in a tar archive; contents are filled up to a multiple of it."""
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, NotImplementedError)
"""What the readers of archives raise for archives that are damaged or of an unknown type."""


class BadBundle(UsageError):
    """A bundle is not whole, was altered, or cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Description of a bundle that is whole and unaltered."""

    titles: tuple[str, ...]
    """Title and version of each game in it."""
    files: int
    size: int
    """In bytes, unpacked."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a bundle that was read: its digest, and its content if that is needed."""

    size: int
    sha256: str
    content: bytes
    """Empty unless it is a manifest, a pack, or the record of a wheel."""


def verify_bundle(path: Path) -> Verified:
    """Verify a bundle. Raises `BadBundle` if it is not whole or was altered, and `OSError` if it cannot be read."""
    if not path.exists():
        raise BadBundle(f'there is no "{path}"')
    try:
        if path.is_dir():
            files = _folder_files(path)
        elif not path.is_file():
            raise BadBundle(f'"{path}" is no bundle: it is neither a file nor a folder')
        elif path.stat().st_size > MAX_BUNDLE_SIZE:
            raise BadBundle(f'"{path}" has more than {MAX_BUNDLE_SIZE >> 20} MB: it is no bundle')
        else:
            with path.open("rb") as opened:
                files = _archive_files(path, opened)
        return _verify(path, files)
    except (*BROKEN, RuntimeError, ValueError) as failure:
        # RuntimeError: a member of a zip is encrypted.
        reason = str(failure) or type(failure).__name__
        raise BadBundle(f'"{path}" cannot be read, such as an archive that is cut off: {reason}') from None


def _verify(path: Path, files: Mapping[str, _File]) -> Verified:
    manifests = sorted((name for name in files if _last(name) == MANIFEST), key=lambda name: name.count("/"))
    if not manifests:
        raise BadBundle(f'"{path}" is no bundle: it has no {MANIFEST}')
    manifest = _json(path, manifests[0], files)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), list):
        raise BadBundle(f'"{path}" is no bundle: {manifests[0]} does not list its files')
    _check_format(path, manifests[0], manifest, MANIFEST_FORMAT)
    base = manifests[0].removesuffix(MANIFEST)
    titles = []
    for name in sorted(files):
        if _last(name) == "pack.json":
            pack = _json(path, name, files)
            known = pack_schema()["properties"]["format"]["const"]
            _check_format(path, name, pack, known)
            game = pack.get("game")
            if isinstance(game, dict):
                titles.append(f"{game.get('title')} {game.get('version')}")
    listed = {manifests[0]: None, **_listed(path, base, manifest["files"]), **_recorded(path, files)}
    for name, digest in listed.items():
        if name not in files:
            raise BadBundle(f'"{path}" is not whole: {name} is missing')
        if digest is not None and digest != (files[name].size, files[name].sha256):
            raise BadBundle(f'"{path}" was altered: {name} is not the file that is listed')
    if unlisted := sorted(files.keys() - listed.keys()):
        raise BadBundle(f'"{path}" was altered: {unlisted[0]} is not listed')
    if not titles:
        raise BadBundle(f'"{path}" is no bundle: it has no pack.json')
    return Verified(tuple(titles), len(files), sum(file.size for file in files.values()))
