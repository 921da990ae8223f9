"""Map the target of an HTTP request to a file of the tree, and to no file outside."""

import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

INDEX = "index.html"
CONTENT_TYPES = {
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
"""Content types of the compiler's files. Operating systems disagree about them; other files get the system's type."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Answer to a request for a folder without its final slash."""

    location: str


def tree_path(target: str) -> str | None:
    """Decoded path, in the tree, of a request target. The path of a folder ends in a slash; the root is empty.

    `None` if no file of a tree can have this path, for example because it leads out of the tree.
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


def read_file(tree: Path, path: str) -> bytes | Redirect | None:
    """Content of the file at a path of the tree, or of the `index.html` of a folder.

    `None` if there is no such file, or if it is outside the tree.
    """
    try:
        root = tree.resolve(strict=True)
        file = (root / path).resolve(strict=True)
        if path == "" or path.endswith("/"):
            file = (file / INDEX).resolve(strict=True)
        elif file.is_dir() and (file / INDEX).is_file() and file.is_relative_to(root):
            return Redirect(f"/{quote(path)}/")
        # A symbolic link may lead out of the tree; reading a named pipe would block.
        return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError, RuntimeError):  # not found, name too long, cycle of symbolic links
        return None


def content_type(path: str) -> str:
    """Content type of a file, from its suffix."""
    suffix = path.rpartition(".")[2].casefold()
    return CONTENT_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"


def page_digest(content: bytes) -> str:
    """Short digest that identifies a version of a page."""
    return sha256(content).hexdigest()[:16]
