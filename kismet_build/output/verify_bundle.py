"""Verify a bundle, which is a zip, a package for npm, a wheel, or a folder of data.

Reads limited amounts, and writes nothing.
"""

import csv
import gzip
import json
import os
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from io import BufferedReader, BytesIO, FileIO, TextIOWrapper
from itertools import pairwise, zip_longest
from pathlib import Path
from stat import S_IFDIR, S_IFMT, S_IFREG
from typing import Any, BinaryIO

from kismet_build.config.data_file import UsageError
from kismet_build.config.pack_schema import pack_schema

MANIFEST = "manifest.json"
"""The file that lists the data files of a bundle, with size and SHA-256."""
MANIFEST_FORMAT = 1
"""The manifest format that this version reads."""
MAX_BUNDLE_SIZE = 2**30
"""Maximum size of a bundle in bytes, both packed and unpacked."""
MAX_FILES = 200_000
"""Maximum number of files in a bundle."""
CHUNK = 2**18
"""Number of bytes read at a time."""
SCHEMAS = "schemas"
"""The subfolder for schemas in a folder of data. No game can have this id."""
MODULE = "module.json"
"""The file that describes a module for Foundry VTT, next to the bundle's manifest."""
DATA_NAMES = ("pack.json", "names.json", "migrations.json", "search.json")
"""Names of a game's files that `Verified.games` contains."""
KEPT_NAMES = frozenset((MANIFEST, MODULE, "RECORD", *DATA_NAMES))
"""Names of files whose content is needed, not only their digest."""
MAX_KEPT_SIZE = 2**28
"""Maximum size of a file whose content is needed, in bytes."""
MAX_VALUES = 10_000_000
"""Maximum number of values in a JSON file, counted by the characters before them.

The limit is for bundles from strangers: docs/decisions/0022-bounds-of-input.md.
"""
MAX_DIRECTORY_SIZE = 2**25
"""Maximum size in bytes of a zip's directory, which the standard library reads at once. An entry takes at least 46
bytes."""
COMPRESSIONS = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
"""Allowed compression methods in a zip. Decoders of other methods raise exceptions that `BROKEN` does not cover."""
TAR_BLOCK = 512
"""Size of a tar header in bytes. The content of a file is padded to a multiple of this size."""
BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, NotImplementedError),
    *(csv.Error, OverflowError, struct.error),
)
"""Exceptions that archive readers raise for damaged archives and unknown types."""


class BadBundle(UsageError):
    """A bundle is incomplete, was altered, or cannot be read. The message says why."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Description of a bundle that is complete and unaltered."""

    titles: tuple[str, ...]
    """Title and version of each game in the bundle."""
    files: int
    size: int
    """Size in bytes, unpacked."""
    games: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    """For each game, the content of its `DATA_NAMES` and of the schema of its pack, by path from the root of a
    website."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a bundle: its size, its digest, and its content if needed."""

    size: int
    sha256: str
    content: bytes
    """The content; empty unless the name of the file is in `KEPT_NAMES`."""


def verify_bundle(path: Path, *, accepts_older: bool = False) -> Verified:
    """Verify a bundle. Raises `BadBundle` if it is incomplete, altered or damaged, and `OSError` if it cannot be read.

    `accepts_older`: whether packs may have an older format than this version writes.
    """
    if not path.exists():
        raise BadBundle(f'there is no "{path}"')
    try:
        if path.is_dir():
            files = _folder_files(path)
        elif not path.is_file():
            raise BadBundle(f'"{path}" is not a bundle: it is neither a file nor a folder')
        elif path.stat().st_size > MAX_BUNDLE_SIZE:
            raise BadBundle(f'"{path}" has more than {MAX_BUNDLE_SIZE >> 20} MB, so it is not a bundle')
        else:
            with _LimitedReader(FileIO(path)) as opened:
                files = _archive_files(path, opened)
        return _verify(path, files, accepts_older=accepts_older)
    except BadBundle:
        raise
    except (*BROKEN, RuntimeError, ValueError) as failure:  # `zipfile` raises RuntimeError for an encrypted member.
        reason = str(failure) or type(failure).__name__
        raise BadBundle(f'"{path}" cannot be read, perhaps because it is cut off: {reason}') from None


def _verify(path: Path, files: Mapping[str, _File], *, accepts_older: bool) -> Verified:
    _check_collisions(path, files)
    manifests = sorted((name for name in files if _last(name) == MANIFEST), key=lambda name: name.count("/"))
    if not manifests:
        raise BadBundle(f'"{path}" is not a bundle: it has no {MANIFEST}')
    manifest = _json(path, manifests[0], files)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), list):
        raise BadBundle(f'"{path}" is not a bundle: {manifests[0]} does not list its files')
    _check_format(path, manifests[0], manifest, MANIFEST_FORMAT)
    base = manifests[0].removesuffix(MANIFEST)
    known = pack_schema()["properties"]["format"]["const"]
    titles = []
    games: dict[str, dict[str, bytes]] = {}
    for name in sorted(files):
        # Not a schema, which may have the same name as the file that it describes.
        if _last(name) == "pack.json" and SCHEMAS not in name.split("/"):
            pack = _json(path, name, files)
            if not (accepts_older and _format_of(pack) in range(known)):
                _check_format(path, name, pack, known)
            game = pack.get("game")
            if isinstance(game, dict):
                titles.append(f"{game.get('title')} {game.get('version')}")
                id_, folder = str(game.get("id")), name.removesuffix("pack.json")
                places = {f"data/{id_}/{data}": folder + data for data in DATA_NAMES}
                places[f"data/{SCHEMAS}/{id_}/pack.json"] = f"{base}{SCHEMAS}/{id_}/pack.json"
                games[id_] = {place: files[file].content for place, file in places.items() if file in files}
    if not titles and base + MODULE in files:
        module = _json(path, base + MODULE, files)
        match module:
            case {"id": str(name), "flags": dict(flags)}:
                _check_format(path, base + MODULE, flags.get(name), known)
                titles.append(f"{module.get('title')} {module.get('version')}")
    listed = {manifests[0]: None, **_listed(path, base, manifest["files"]), **_recorded(path, files)}
    for name, digest in listed.items():
        if name not in files:
            raise BadBundle(f'"{path}" is incomplete: {name} is missing')
        if digest is not None and digest != (files[name].size, files[name].sha256):
            raise BadBundle(f'"{path}" was altered: {name} differs from the listed file')
    if unlisted := sorted(files.keys() - listed.keys()):
        raise BadBundle(f'"{path}" was altered: {unlisted[0]} is not listed')
    if not titles:
        raise BadBundle(f'"{path}" is not a bundle: it has neither pack.json nor {MODULE}')
    return Verified(tuple(titles), len(files), sum(file.size for file in files.values()), games)


def _check_collisions(path: Path, names: Iterable[str]) -> None:
    """Raise `BadBundle` if any system treats two paths as equal, or if a path is both a file and a folder."""
    # In sorted order, paths with a common folder are neighbours, and a file comes before paths that would be inside it.
    for one, other in pairwise(sorted(names, key=lambda name: [_same_name(part) for part in name.split("/")])):
        parts = zip_longest(one.split("/"), other.split("/"), fillvalue="")
        first, second = next((first, second) for first, second in parts if first != second)
        if not first or _same_name(first) == _same_name(second):
            raise BadBundle(f'"{path}" is not a bundle: some systems cannot unpack both "{one}" and "{other}"')


def _same_name(name: str) -> str:
    """A key that is equal for names that any system treats as the same.

    Windows ignores case, and dots and spaces at the end. macOS ignores case and Unicode normalization: `é` is one
    character or two.
    """
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())
    return folded.rstrip(". ") or name


def _check_format(path: Path, name: str, data: Any, known: int) -> None:
    found = _format_of(data)
    if found != known:
        raise BadBundle(f'"{path}": {name} has the format {found!r}; this version of kismet supports format {known}')


def _format_of(data: Any) -> Any:
    return data.get("format") if isinstance(data, dict) else None


def _json(path: Path, name: str, files: Mapping[str, _File]) -> Any:
    content = files[name].content
    if sum(map(content.count, (b"[", b"{", b",", b":"))) > MAX_VALUES:
        raise BadBundle(f'"{path}" is not a bundle: {name} has more than {MAX_VALUES:,} values')
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise BadBundle(f'"{path}" is damaged: {name} is not JSON') from None


def _listed(path: Path, base: str, entries: list[Any]) -> dict[str, tuple[int, str]]:
    listed = {}
    for entry in entries:
        match entry:
            case {"path": str(name), "size": int(size), "sha256": str(digest)}:
                listed[base + name] = (size, digest)
            case _:
                raise BadBundle(f'"{path}" is damaged: an entry of {base}{MANIFEST} lacks path, size or sha256')
    return listed


def _recorded(path: Path, files: Mapping[str, _File]) -> dict[str, tuple[int, str] | None]:
    """Size and SHA-256 of each file that a wheel's RECORD lists, `None` for RECORD itself; empty for other bundles."""
    recorded: dict[str, tuple[int, str] | None] = {}
    for record in (name for name in files if name.endswith(".dist-info/RECORD")):
        for row in csv.reader(TextIOWrapper(BytesIO(files[record].content), "utf-8", newline="")):
            if len(recorded) > MAX_FILES:
                raise BadBundle(f'"{path}" is not a bundle: {record} has more than {MAX_FILES} files')
            name, digest, size = row if len(row) == 3 else ("", "", "")
            if name == record:
                recorded[name] = None
                continue
            try:
                digest = urlsafe_b64decode(digest.removeprefix("sha256=") + "=").hex()
                recorded[name] = int(size), digest
            except ValueError:
                raise BadBundle(f'"{path}" is damaged: {record} is not a valid RECORD of a wheel') from None
    return recorded


def _folder_files(folder: Path) -> dict[str, _File]:
    root = next((root for root in (folder, folder / "data") if (root / MANIFEST).is_file()), None)
    if root is None:
        raise BadBundle(f'"{folder}" is not a bundle: it has no {MANIFEST}')
    sizes = _Sizes(folder)
    for parent, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            file = Path(parent, name)
            if file.is_symlink() or not file.is_file():
                raise BadBundle(f'"{folder}" is not a bundle: {file} is not a regular file')
            sizes.add(file.relative_to(root).as_posix(), file.stat().st_size)
        if linked := [name for name in folders if Path(parent, name).is_symlink()]:
            raise BadBundle(f'"{folder}" is not a bundle: {Path(parent, linked[0])} is a link')
    files = {}
    for name, size in sizes.items():
        with (root / name).open("rb") as opened:
            files[name] = _read(folder, name, size, opened.read)
    return files


def _archive_files(path: Path, opened: BinaryIO) -> dict[str, _File]:
    """The files of an archive, whose format is recognized by its content and not by its name."""
    start = opened.read(4)
    opened.seek(0)
    if start == b"PK\3\4":
        return _zip_files(path, opened)
    if start[:2] == b"\x1f\x8b":
        return _tgz_files(path, opened)
    raise BadBundle(f'"{path}" is not a bundle: it is neither a zip nor a tgz')


def _zip_files(path: Path, opened: BinaryIO) -> dict[str, _File]:
    sizes = _Sizes(path)
    with zipfile.ZipFile(opened) as archive:
        members = archive.infolist()
        for member in members:
            mode = member.external_attr >> 16
            if S_IFMT(mode) not in (0, S_IFREG, S_IFDIR):
                raise BadBundle(f'"{path}" is not a bundle: {member.filename} is not a regular file')
            if member.header_offset < 0:
                raise zipfile.BadZipFile("its start is missing")
            if member.compress_type not in COMPRESSIONS:
                raise BadBundle(f'"{path}" is not a bundle: {member.filename} uses an unsupported compression')
            if not member.filename.endswith("/"):
                sizes.add(member.orig_filename, member.file_size)
        files = {}
        for member in members:
            if not member.filename.endswith("/"):
                with archive.open(member) as content:
                    files[member.filename] = _read(path, member.filename, member.file_size, content.read)
    return files


def _tgz_files(path: Path, opened: BinaryIO) -> dict[str, _File]:
    """The files of a tar archive.

    This reads the headers without `TarFile`, which reads some headers of unlimited size.
    """
    files: dict[str, _File] = {}
    sizes = _Sizes(path)
    with gzip.open(opened) as archive:
        while (header := archive.read(TAR_BLOCK)).strip(b"\0"):
            member = tarfile.TarInfo.frombuf(header, "utf-8", "strict")
            if not member.isfile():
                raise BadBundle(f'"{path}" is not a bundle: {member.name} is not a regular file')
            sizes.add(member.name, member.size)
            files[member.name] = _read(path, member.name, member.size, archive.read)
            archive.read(-member.size % TAR_BLOCK)
        if not header:
            raise EOFError("its end is missing")
        while archive.tell() < MAX_BUNDLE_SIZE and archive.read(CHUNK):
            pass  # Read to the end, where gzip has a checksum.
    return files


class _LimitedReader(BufferedReader):
    """A file that refuses to read more than `MAX_DIRECTORY_SIZE` in one call."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY_SIZE:
            raise zipfile.BadZipFile("its directory is too large")
        return super().read(size)


class _Sizes(dict[str, int]):
    def __init__(self, bundle: Path) -> None:
        self._bundle = bundle
        self._total = 0

    def add(self, name: str, size: int) -> None:
        """Add a file. Raises `BadBundle` for an unsafe or repeated path, and if the bundle is too large."""
        parts = name.split("/")
        if not name.isprintable() or "\\" in name or ":" in name or any(part in ("", ".", "..") for part in parts):
            raise BadBundle(f'"{self._bundle}" is not a bundle: the path "{name}" points outside it')
        if name in self:
            raise BadBundle(f'"{self._bundle}" is not a bundle: it contains {name} twice')
        if size < 0:
            raise BadBundle(f'"{self._bundle}" is damaged: {name} cannot have the size {size}')
        self[name] = size
        self._total += size
        if len(self) > MAX_FILES:
            raise BadBundle(f'"{self._bundle}" is not a bundle: it has more than {MAX_FILES} files')
        if self._total > MAX_BUNDLE_SIZE:
            raise BadBundle(f'"{self._bundle}" is not a bundle: unpacked, it has more than {MAX_BUNDLE_SIZE >> 20} MB')


def _read(path: Path, name: str, size: int, read: Callable[[int], bytes]) -> _File:
    is_kept = _last(name) in KEPT_NAMES
    if is_kept and size > MAX_KEPT_SIZE:
        raise BadBundle(f'"{path}" is not a bundle: {name} has more than {MAX_KEPT_SIZE >> 20} MB')
    digest = sha256()
    kept = []
    left = size
    while left and (chunk := read(min(left, CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
        if is_kept:
            kept.append(chunk)
    if left:
        raise EOFError(f"{name} is cut off")
    return _File(size, digest.hexdigest(), b"".join(kept))


def _last(name: str) -> str:
    return name.rpartition("/")[2]
