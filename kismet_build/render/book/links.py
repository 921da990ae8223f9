"""The ids and links of an EPUB: each link leads to a place in the book or on the web, or becomes plain words."""

import re
from collections.abc import Sequence
from posixpath import join, normpath
from typing import NamedTuple
from urllib.parse import unquote

from kismet_build.model.text_normalization import UniqueNames, slug
from kismet_build.pack import Pack
from kismet_build.render.book.matter import calculators_address
from kismet_build.render.book.sheets import Sheet, places
from kismet_build.render.book.xhtml import walk
from kismet_build.render.html.addresses import INDEX, calculator_address

_SIGNS = r"""[^\s<>"{}|\\^`\[\]#]*"""
WEB = re.compile(
    rf"https?://(?:[\w.~!$&'()*+,;=:%-]*@)?[\w-]+(?:\.[\w-]+)*\.?(?::\d{{1,4}})?(?:[/?]{_SIGNS})?(?:#{_SIGNS})?"
    rf"|(?:mailto|tel):(?!$){_SIGNS}",
    re.IGNORECASE,
)
"""An address outside of the book to which a link may lead, https://url.spec.whatwg.org/#url-writing."""


class Place(NamedTuple):
    """An element of the book."""

    file: str
    id: str

    def link_from(self, file: str) -> str:
        """Its address in a file."""
        part = f"#{self.id}" if self.id else ""
        return part if part and self.file == file else f"{self.file}{part}"


class File(NamedTuple):
    """A sheet with the name of its file."""

    name: str
    sheet: Sheet


class Links:
    """Gives every element its id in the book, and every link its place: in the book, on the web, or else only words."""

    def __init__(self, pack: Pack, files: Sequence[File]) -> None:
        self._targets = {
            address: tuple(f"#{html_id}" for html_id in html_ids) for address, html_ids in places(pack).items()
        }
        for calculator in pack.game.calculators.values():
            key = f"{calculators_address(pack.game)}#{calculator.slug}"
            self._targets[calculator_address(calculator) + INDEX] = (key,)
        self._places: dict[str, Place] = {}
        taken = UniqueNames()
        for file in files:
            if file.sheet.address:
                self._places[file.sheet.address] = Place(file.name, "")
            for node in walk(file.sheet.nodes):
                if raw := node.attributes.pop("id", ""):
                    key = f"{file.sheet.address}#{raw}"
                    if key not in self._places:
                        html_id = taken.add(f"id-{slug(raw)}", 2)
                        self._places[key] = Place(file.name, html_id)
                        node.attributes["id"] = html_id

    def find(self, file: File, html_id: str) -> Place | None:
        """The place of an element of a sheet, or of the sheet itself for an empty id."""
        return self._places.get(f"{file.sheet.address}#{html_id}") if html_id else Place(file.name, "")

    def resolve(self, file: File) -> None:
        """Make the links and labels of a sheet lead to their places."""
        for node in walk(file.sheet.nodes):
            if label := node.attributes.pop("aria-labelledby", ""):
                place = self._places.get(f"{file.sheet.address}#{label}")
                if place and place.file == file.name:
                    node.attributes["aria-labelledby"] = place.id
            # A link without an address is only its words.
            if node.tag == "a" and (address := self._address(node.attributes.pop("href", ""), file)):
                node.attributes["href"] = address

    def _address(self, href: str, file: File) -> str:
        """Where a link leads; empty if it leads nowhere."""
        if WEB.fullmatch(href):
            return href
        path, _, part = href.partition("#")
        part = unquote(part.partition(":~:")[0])
        page = normpath(join(file.sheet.address, unquote(path))) if path else ""
        keys = [f"{file.sheet.address}#{part}"] if part and not path else []
        if path:
            keys += self._targets.get(f"{page}#{part}" if part else page, ())
            inside = page.removesuffix(INDEX)
            keys += [f"{inside}#{part}", inside]
        place = next((self._places[key] for key in keys if key in self._places), None)
        return place.link_from(file.name) if place else ""


def mark_footnotes(sheet: Sheet) -> None:
    """Tell readers which links lead to footnotes, so that they can show these beside the text."""
    for node in walk(sheet.nodes):
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
