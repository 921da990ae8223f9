"""Addresses of texts on the website of a generator, and the paths that a navigation writes."""

import re
from collections.abc import Mapping, Sequence
from posixpath import normpath
from urllib.parse import unquote

from kismet_build.model.text_normalization import unicode_form

PAGE_SUFFIX = re.compile(r"(?:^|/)_?(?:index|readme)$|\.(?:html?|md|markdown|mdx|adoc)$")
"""The end of an address that does not tell two pages apart."""
NO_PATHS: Mapping[str, str] = {}
ORDER_NUMBER = re.compile(r"(?:(?<=/)|^)\d+[-_. ]+(?=[^/\d])")
"""The number that sorts the files of a folder, which some generators leave out of addresses."""


def route_key(address: str) -> str:
    """An address in the form for comparison: without slashes around it, suffix and `index`, with dashes for spaces."""
    folded = unicode_form("NFC", unquote(address)).casefold()
    key = "-".join(normpath(f"/{folded}").strip("/").split())
    while (shorter := PAGE_SUFFIX.sub("", key)) != key:
        key = shorter
    return key


class TextFinder:
    """Finds texts by the paths and addresses that a navigation writes."""

    def __init__(self, paths: Sequence[str], others: Mapping[str, str] = NO_PATHS) -> None:
        """`paths`: those of the texts, from their folder. `others`: texts by other paths that lead to them."""
        self._paths = frozenset(paths)
        self._keys: dict[str, str] = {}
        for path in paths:
            key = route_key(path)
            self._keys.setdefault(key, path)
            self._keys.setdefault(ORDER_NUMBER.sub("", key), path)
        for other, path in others.items():
            self._keys.setdefault(ORDER_NUMBER.sub("", route_key(other)), path)

    def find(self, written: str) -> str:
        """The path of a text; empty if nothing matches."""
        path = normpath(written.partition("#")[0].strip().lstrip("/") or ".")
        return path if path in self._paths else self._keys.get(route_key(path), "")
