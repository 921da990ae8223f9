"""Map the target of an HTTP request to a path in the site, never outside it."""

import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import unquote

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
"""Content types of files that kismet writes, since operating systems disagree on them. Other files get the system's
type."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """The answer to a request for a folder without the final slash."""

    location: str


def tree_path(target: str) -> str | None:
    """The decoded path of a request target in the tree. The path of a folder ends in a slash; the root is empty.

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


def content_type(path: str) -> str:
    """The content type of a file, by its suffix."""
    suffix = path.rpartition(".")[2].casefold()
    return CONTENT_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"


def page_digest(content: bytes) -> str:
    """Short digest that identifies a version of a page."""
    return sha256(content).hexdigest()[:16]
