"""The addresses of pages on the website of a site generator. Texts may link to these addresses."""

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import basename, dirname, join

from kismet_build.config.project import ORDER_NUMBER, Routing, route_key
from kismet_build.model.nodes import Document
from kismet_build.resolve.chapters import without_suffix


def routes_of(document: Document, routing: Routing) -> tuple[str, ...]:
    """The keys of the addresses of a text: first the address from its path, then the addresses in its properties."""
    own = route_key(re.sub(r"(?:^|(?<=/))_(?=[^/])", "", without_suffix(routing.page_path(document.source.path))))
    routes = [own]
    for name in routing.names:
        if isinstance(value := document.metadata.get(name), str) and value.strip():
            routes.append(route_key(join(dirname(own), value.strip())))
    routes += [ORDER_NUMBER.sub("", route) for route in routes]
    for name in routing.addresses:
        value = document.metadata.get(name)
        for address in value if isinstance(value, list) else [value]:
            if isinstance(address, str) and address.strip():
                routes.append(route_key(address.strip()))
    return tuple(dict.fromkeys(routes))


def page_paths(paths: Iterable[str], routing: Routing) -> dict[str, str]:
    """The paths to derive addresses from, by the path of the text. Texts whose own path is used are left out."""
    pairs = ((path, routing.page_path(path)) for path in paths)
    return {path: page_path for path, page_path in pairs if page_path != path}


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
        keys = [route_key(join(page, address)) for page in (dirname(own), own)]
        # If an address lacks the first part of the path of the website, Docusaurus adds it.
        for base in (self._base, self._base.partition("/")[2]):
            for key in keys:
                yield key.removeprefix(base).strip("/") if f"{key}/".startswith(f"{base}/") else key
