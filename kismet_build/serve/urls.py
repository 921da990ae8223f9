"""From what a browser asks for to a file of the tree, and to no other file."""

import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

INDEX = "index.html"
TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "xml": "application/xml",
}
"""What the tree is made of, said here because systems disagree; pictures of authors are what the system says."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where it is that somebody asks for: a folder without its slash."""

    location: str


def tree_path(target: str) -> str | None:
    """The path in the tree of the target of a request, decoded; a folder ends in a slash, or is empty.

    `None` for what no file of a tree can be at, such as a way out of it.
    """
    raw = target.partition("?")[0].partition("#")[0]
    if not raw.startswith("/"):
        return None
    try:
        path = unquote(raw[1:], errors="strict")
    except UnicodeDecodeError:
        return None
    *folders, last = path.split("/")
    if "\0" in path or "\\" in path or "" in folders or {".", ".."} & {*folders, last}:
        return None
    return path


def read(tree: Path, path: str) -> bytes | Elsewhere | None:
    """What stands at a path in a tree; `None` for nothing, for a folder without a page, for what is outside."""
    try:
        root = tree.resolve(strict=True)
        file = (root / path).resolve(strict=True)
        if path in ("", *_folder(path)):
            file = (file / INDEX).resolve(strict=True)
        elif file.is_dir() and (file / INDEX).is_file() and file.is_relative_to(root):
            return Elsewhere(f"/{quote(path)}/")
        # A link in the tree may lead anywhere; a pipe would never end.
        return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError, RuntimeError):  # absent, too long, a circle of links
        return None


def _folder(path: str) -> tuple[str, ...]:
    return (path,) if path.endswith("/") else ()


def content_type(path: str) -> str:
    """The type of a file by the end of its name."""
    suffix = path.rpartition(".")[2].casefold()
    return TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"


def digest(content: bytes) -> str:
    """What tells the versions of a page apart."""
    return sha256(content).hexdigest()[:16]
