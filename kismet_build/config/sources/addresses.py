"""Compare the addresses of texts on the website of a generator with the paths in a navigation."""

import re
from collections.abc import Sequence
from posixpath import normpath
from urllib.parse import unquote

from kismet_build.model.text_normalization import unicode_form

PAGE_SUFFIX = re.compile(r"(?:^|/)_?(?:index|readme)$|\.(?:html?|md|markdown|adoc)$")
"""The end of an address, which comparisons ignore."""


def route_key(address: str) -> str:
    """The form of an address for comparisons: `classes/wild-mage` for `/Classes/Wild mage/index.md`."""
    folded = unicode_form("NFC", unquote(address)).casefold()
    key = "-".join(normpath(f"/{folded}").strip("/").split())
    while (shorter := PAGE_SUFFIX.sub("", key)) != key:
        key = shorter
    return key


class TextFinder:
    """Finds texts by the paths and addresses in a navigation."""

    def __init__(self, paths: Sequence[str]) -> None:
        """`paths` are the paths of the texts, from their folder."""
        self._paths = frozenset(paths)
        self._keys: dict[str, str] = {}
        for path in paths:
            self._keys.setdefault(route_key(path), path)

    def find(self, written: str) -> str:
        """The path of a text; empty if nothing matches."""
        path = normpath(written.partition("#")[0].strip().lstrip("/") or ".")
        return path if path in self._paths else self._keys.get(route_key(path), "")
