"""Ids and links of an EPUB. A link without a target keeps only its words."""

import re
from collections.abc import Sequence
from posixpath import join, normpath
from typing import NamedTuple
from urllib.parse import unquote

from kismet_build.extensions.book.book_pages import BookPage, ids_by_address
from kismet_build.extensions.book.matter import calculators_address
from kismet_build.extensions.book.xhtml import walk
from kismet_build.model.text_normalization import UniqueNames, slug
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, calculator_address

_SIGNS = r"""(?:[^\s<>"{}|\\^`\[\]#%]|%[0-9a-fA-F]{2})*"""
WEB = re.compile(
    rf"https?://(?:[\w.~!$&'()*+,;=:-]*@)?[\w-]+(?:\.[\w-]+)*\.?(?::\d{{1,4}})?(?:[/?]{_SIGNS})?(?:#{_SIGNS})?"
    rf"|(?:mailto|tel):(?!$){_SIGNS}",
    re.IGNORECASE,
)
"""An address outside the book that a link may have, https://url.spec.whatwg.org/#url-writing."""


class Target(NamedTuple):
    """The target of a link: an element of the book, or a file."""

    file: str
    id: str
    """HTML id of the element; empty for the entire file."""

    def link_from(self, file: str) -> str:
        """The address of the target in a link from this file."""
        part = f"#{self.id}" if self.id else ""
        return part if part and self.file == file else f"{self.file}{part}"


class File(NamedTuple):
    """A page with the name of its file."""

    name: str
    page: BookPage


class Links:
    """Makes ids unique in the book, and resolves links."""

    def __init__(self, pack: Pack, files: Sequence[File]) -> None:
        # The keys of possible targets for each address on the website, the best first.
        self._keys: dict[str, tuple[str, ...]] = {
            address: tuple(f"#{html_id}" for html_id in html_ids) for address, html_ids in ids_by_address(pack).items()
        }
        for calculator in pack.game.calculators.values():
            key = f"{calculators_address(pack.game)}#{calculator.slug}"
            self._keys[calculator_address(calculator) + INDEX] = (key,)
        # The target for each key: the address of a page, followed by `#` and an id for an element of the page.
        self._targets: dict[str, Target] = {}
        taken = UniqueNames()
        for file in files:
            if file.page.address:
                self._targets[file.page.address] = Target(file.name, "")
            for node in walk(file.page.nodes):
                if raw := node.attributes.pop("id", ""):
                    key = f"{file.page.address}#{raw}"
                    if key not in self._targets:
                        html_id = taken.add(f"id-{slug(raw)}", 2)
                        self._targets[key] = Target(file.name, html_id)
                        node.attributes["id"] = html_id

    def find(self, file: File, html_id: str) -> Target | None:
        """The element with this id on a page, or the page itself for an empty id; can be `None`."""
        return self._targets.get(f"{file.page.address}#{html_id}") if html_id else Target(file.name, "")

    def resolve(self, file: File) -> None:
        """Resolve the links and labels of a page."""
        for node in walk(file.page.nodes):
            if label := node.attributes.pop("aria-labelledby", ""):
                target = self._targets.get(f"{file.page.address}#{label}")
                if target and target.file == file.name:
                    node.attributes["aria-labelledby"] = target.id
            if node.tag == "a" and (address := self._address(node.attributes.pop("href", ""), file)):
                node.attributes["href"] = address

    def _address(self, href: str, file: File) -> str:
        if WEB.fullmatch(href):
            return href
        path, _, part = href.partition("#")
        part = unquote(part.partition(":~:")[0])
        page = normpath(join(file.page.address, unquote(path))) if path else ""
        keys = [f"{file.page.address}#{part}"] if part and not path else []
        if path:
            keys += self._keys.get(f"{page}#{part}" if part else page, ())
            inside = page.removesuffix(INDEX)
            keys += [f"{inside}#{part}", inside]
        target = next((self._targets[key] for key in keys if key in self._targets), None)
        return target.link_from(file.name) if target else ""


def mark_footnotes(page: BookPage) -> None:
    """Mark footnotes and the links to them, so that e-readers can show the notes beside the text."""
    for node in walk(page.nodes):
        css_class = node.attributes.get("class", "")
        if node.tag == "sup" and css_class == "footnote":
            for link in walk(node.children):
                link.attributes |= {"epub:type": "noteref", "role": "doc-noteref"} if link.tag == "a" else {}
        elif node.tag == "section" and css_class == "footnotes":
            node.attributes |= {"epub:type": "footnotes"}
            for item in walk(node.children):
                if item.tag == "li" and "id" in item.attributes:
                    item.attributes["epub:type"] = "footnote"
        elif node.tag == "a" and css_class == "footnote-back":
            node.attributes["role"] = "doc-backlink"
