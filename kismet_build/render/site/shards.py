"""A game in parts that several processes can make, and what is put together of what each of them gives."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from kismet_build.pack import Pack
from kismet_build.render.data.pack_json import TextData, emit_data
from kismet_build.render.data.shard_result import ShardResult
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.pages.page import Page
from kismet_build.render.site.link_previews import TextCards, emit_link_cards
from kismet_build.render.site.pages import BESIDE_TEXTS, pages_of_texts
from kismet_build.render.site.redirects import emit_redirects
from kismet_build.render.site.scripts import script_data
from kismet_build.render.site.search_names import emit_names
from kismet_build.render.site.text_pages import TextPages

Files = Iterator[tuple[str, bytes]]
Shard = Callable[[ShardResult], Files]
"""Makes files; what it has for others goes into its share."""

TEXTS = 25
"""So many texts are made together, or an eighth of the texts where that is less."""


def shards(pack: Pack) -> list[Shard]:
    """What a game becomes, in parts that can be made apart, the longest first; `emit_together` comes after them."""
    # What each process would otherwise work out for itself, and have room for.
    pack.work_out()
    pages = TextPages(pack)
    texts = partial(_emit_texts, pack, pages, TextData(pack), TextCards(pack, pages.large))
    number = len(pack.book.chapters)
    size = max(1, min(TEXTS, number // 8))
    some = (range(start, min(start + size, number)) for start in range(0, number, size))
    beside = (partial(_emit_beside, pack, pages, one) for one in BESIDE_TEXTS)
    return [*beside, *(partial(texts, places) for places in some)]


def emit_together(pack: Pack, shares: Sequence[ShardResult], paths: Iterable[str]) -> Files:
    """The files about a whole game, from the shares of its parts in their order and the paths of its pages."""
    yield from emit_data(pack, shares)
    yield from emit_link_cards(pack, chain.from_iterable(share.cards for share in shares))
    yield from script_data(pack, chain.from_iterable(share.rolled for share in shares))
    yield from emit_redirects(pack, {path.removesuffix(INDEX) for path in paths})
    yield from emit_names(pack)


def _emit_beside(pack: Pack, texts: TextPages, pages: Callable[[Pack], Iterable[Page]], _share: ShardResult) -> Files:
    return texts.framed(pages(pack))


def _emit_texts(
    pack: Pack, pages: TextPages, data: TextData, cards: TextCards, places: range, share: ShardResult
) -> Files:
    """Everything of the texts at some places of the book."""
    chapters = pack.book.chapters[places.start : places.stop]
    yield from pages.framed(pages_of_texts(pages, pack, places))
    yield from data.files(chapters, share)
    share.cards = [card for chapter in chapters for card in cards.of(chapter)]
