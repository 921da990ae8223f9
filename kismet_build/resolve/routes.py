"""The addresses of pages on the website of a site generator. Texts may link to these addresses."""

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import basename, dirname, join

from kismet_build.config.sources.vault import Routing, route_key
from kismet_build.model.nodes import Document
from kismet_build.resolve.chapters import without_suffix

PLACEHOLDER = re.compile(r":([a-z_]+)")
"""A part of an address that depends on the text, such as `:title`."""
DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
DATED = re.compile(r"(\d{4})-(\d\d)-(\d\d)-")
"""The date at the start of the name of a file."""


def routes_of(document: Document, routing: Routing) -> tuple[str, ...]:
    """The keys of the addresses of a text: first the address from its path, then the addresses in its properties."""
    own = route_key(re.sub(r"(?:^|(?<=/))_(?=[^/])", "", without_suffix(document.source.path)))
    routes = [own]
    for name in routing.names:
        if isinstance(value := document.metadata.get(name), str) and value.strip():
            routes.append(route_key(join(dirname(own), value.strip())))
    for name in routing.addresses:
        value = document.metadata.get(name)
        for address in value if isinstance(value, list) else [value]:
            if isinstance(address, str) and address.strip():
                routes += _filled(address.strip(), document)
    for folder, address in routing.permalinks:
        if document.source.path.startswith(folder):
            routes += _filled(address, document)
    return tuple(dict.fromkeys(routes))


def _filled(address: str, document: Document) -> Iterator[str]:
    """The keys of an address with its placeholders filled in. A title may be that of the text or of its file."""
    names = set(PLACEHOLDER.findall(address))
    values = _values(document) if names else {}
    if not names or not names <= values.keys():
        yield route_key(address)
        return
    for title in dict.fromkeys((values["slug"], values["name"], values["title"])):
        filled = {**values, "slug": title, "title": title}
        yield route_key(PLACEHOLDER.sub(lambda found, filled=filled: filled[found[1]], address))  # type: ignore[misc]


def _values(document: Document) -> dict[str, str]:
    """The values of placeholders, by name."""
    metadata, path = document.metadata, without_suffix(document.source.path)
    folders = [folder.removeprefix("_") for folder in dirname(path).split("/") if folder]
    file = basename(path) if basename(path) != "index" else folders[-1] if folders else ""
    dated = DATED.match(file)
    day = DAY.match(str(metadata.get("date") or "")) or dated
    name = file[dated.end() :] if dated else file
    year, month, date = day.groups()[:3] if day else ("", "", "")
    written = metadata.get("categories") or metadata.get("category") or ()
    categories = written.split() if isinstance(written, str) else map(str, written if isinstance(written, list) else ())
    return {
        **dict.fromkeys(("name", "basename", "filename", "contentbasename", "slugorcontentbasename"), _slug(name)),
        "title": _slug(str(metadata.get("title") or name)),
        "slug": _slug(str(metadata.get("slug") or metadata.get("title") or name)),
        "path": "/".join((*folders[1:], name)) if path.startswith("_") else dirname(path),
        "collection": folders[0] if folders else "",
        "section": folders[0] if folders else "",
        "sections": "/".join(folders),
        "categories": "/".join(map(_slug, categories)),
        **{"year": year, "month": month, "day": date, "output_ext": ""},
    }


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")


class Routes:
    """Finds the texts at addresses of the website that they are written for."""

    def __init__(self, routes: Mapping[str, Iterable[str]], routing: Routing) -> None:
        """`routes`: the results of `routes_of`, by path."""
        self._own = {path: next(iter(keys), "") for path, keys in routes.items()}
        self._paths: dict[str, str] = {}
        # An index comes before a README with the same address, which may be private.
        for path, keys in sorted(routes.items(), key=lambda item: basename(item[0]).startswith("README.")):
            for key in keys:
                self._paths.setdefault(key, path)
        self._base = route_key(routing.base)
        self._has_folders = routing.has_folders

    def path(self, path: str, address: str) -> str | None:
        """The path of the text at an address, which may be relative to the page of the text at `path`."""
        return next((self._paths[key] for key in self._keys(path, address) if key in self._paths), None)

    def _keys(self, path: str, address: str) -> Iterator[str]:
        """The possible keys of an address.

        An address from the root of the host may begin with the path of the website.
        """
        root = f"/{self._base}"
        own = join(root, self._own.get(path, ""))
        address = address.partition("?")[0]
        # The address of a page ends with a slash on some websites, and with a file name on others.
        pages = (own, dirname(own)) if self._has_folders else (dirname(own), own)
        keys = [route_key(join(page, address)) for page in pages]
        # An address may lack the first part of the path of the website, which some themes of Hugo add.
        for base in (self._base, self._base.partition("/")[2]):
            for key in keys:
                yield key.removeprefix(base).strip("/") if f"{key}/".startswith(f"{base}/") else key
