"""Render a pack in bundles, so that after an edit only the outdated bundles are rendered."""

from collections.abc import Sequence

from kismet_build.pack import Pack
from kismet_build.render.data.document_parts import Parts, parts_of
from kismet_build.render.html.addresses import Files
from kismet_build.render.html.recorded_pack import ALL_DOCUMENTS, LAYOUT, Key, RecordedPack
from kismet_build.render.pages.tags import tag_pages
from kismet_build.render.site.outputs import MANUAL_PAGES, PAGES, files_of_document, in_layout

MAX_CHAPTERS_PER_SHARD = 25
"""In a small game, a shard has an eighth of the chapters."""


class BundleRenderer:
    """Renders the bundles of a pack.

    The bundle of a document has its pages and data files; the other bundles have the pages of the whole game.
    """

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._lists = MANUAL_PAGES if pack.game.is_manual else PAGES

    def names(self) -> tuple[str, ...]:
        """The names of all bundles: numbers of `PAGES`, then the paths of documents."""
        return (*map(str, range(len(self._lists))), *self.pack.documents)

    @property
    def game_page_count(self) -> int:
        """Number of bundles with pages of the whole game; they come first in `names`."""
        return len(self._lists)

    def shards(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Divide these bundles into shards, the tasks of the processes that render."""
        pages = [[name] for name in names if name not in self.pack.documents]
        documents = [name for name in names if name in self.pack.documents]
        size = max(1, min(MAX_CHAPTERS_PER_SHARD, len(documents) // 8))
        return [*pages, *(documents[start : start + size] for start in range(0, len(documents), size))]

    def files(self, name: str, result: Parts, read_keys: set[Key]) -> Files:
        """The files of a bundle.

        Adds the parts of its document to `result`, and the keys that it reads from the pack to `read_keys`.
        """
        pack = RecordedPack.of(self.pack, read_keys)
        read_keys.add(LAYOUT)
        if name not in self.pack.documents:
            list_pages = self._lists[int(name)]
            if list_pages is not tag_pages:
                read_keys.add(ALL_DOCUMENTS)  # they show titles, lines and excerpts of all documents
            yield from ((path, make()) for path, make in in_layout(pack, list_pages(pack)))
            return
        read_keys.add(("tables", name))
        for entity in self.pack.documents[name].entities:
            # Positions in the kind, and the fields that infoboxes show.
            read_keys |= {("ids", entity.kind), ("shown fields", entity.kind)}
        yield from ((path, make()) for path, make in files_of_document(pack, name))
        result |= parts_of(pack, name)
