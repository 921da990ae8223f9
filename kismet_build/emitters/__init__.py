"""Turn packs into files in memory: the table of emitters."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kismet_build.emitters.data import InvalidPack, emit_data, emit_schemas, listing
from kismet_build.emitters.json_text import to_bytes
from kismet_build.emitters.library_pages import Listing
from kismet_build.emitters.link_cards import emit_link_cards
from kismet_build.emitters.map import emit_llms, emit_sitemap, is_page
from kismet_build.emitters.name_index import emit_games
from kismet_build.emitters.offline import emit_absent, emit_worker
from kismet_build.emitters.pages import page_parts
from kismet_build.emitters.rolls import dice_on
from kismet_build.emitters.site import emit_library, emit_of_pages, emit_pages
from kismet_build.emitters.text_pages import TextPages
from kismet_build.entity import Pack
from kismet_build.shelf import Shelf

__all__ = [
    "LIBRARY_EMITTERS",
    "SHELF_EMITTERS",
    "InvalidPack",
    "Listing",
    "TextPages",
    "dice_on",
    "emit_of_pages",
    "emit_sitemap",
    "emit_worker",
    "is_page",
    "listing",
    "parts",
    "to_bytes",
]

Files = Iterator[tuple[str, bytes]]


def parts(pack: Pack) -> list[Callable[[], Files]]:
    """What a game becomes, in parts that can be made apart, the longest first; `emit_of_pages` comes after them."""
    whole = (partial(emit_data, pack), partial(emit_link_cards, pack))
    return [*whole, *(partial(emit_pages, pack, pages) for pages in page_parts(pack))]


LIBRARY_EMITTERS: tuple[Callable[[Sequence[Listing]], Files], ...] = (emit_schemas, emit_games)
"""What all games together become, from what is published of each."""

SHELF_EMITTERS: tuple[Callable[[Sequence[Listing], Shelf], Files], ...] = (emit_library, emit_absent, emit_llms)
"""What they become that also depends on what the library says of itself."""
