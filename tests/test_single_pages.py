"""The page of one chapter or one entity, made alone, is the one that is made among all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kismet_build.emitters.card import LargeCards
from kismet_build.emitters.chapter_pages import chapter_page, chapter_pages
from kismet_build.emitters.entity_pages import entity_page, kind_pages
from kismet_build.emitters.folders import folders
from kismet_build.emitters.frame import Frame, frame_of
from kismet_build.emitters.page import Page
from kismet_build.emitters.references import book_order
from kismet_build.entity import Pack
from tests.fen import fen

KIND = """\
title: Bird
x-match: {heading: 2}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  length: {type: integer, x-from: 'label:Length'}
"""
BIRDS = "# Birds\n\n## Heron\n\n**Length:** 90\n\nIt stands.\n\n## Snipe\n\n**Length:** 26\n\nLike a [[#Heron]].\n"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """A fen with two birds, and two texts more."""
    folder: Path = tmp_path_factory.mktemp("single")
    texts = {"1 Walk": "# Walk\n\nWe walk.\n", "2 Birds": BIRDS, "3 Rest": "# Rest\n\nWe rest.\n"}
    return fen(folder / "fen", {"bird": KIND}, texts)


def alone(pack: Pack) -> Iterator[tuple[Page, Page]]:
    """Each page of a chapter and of an entity as it is made alone, and as it is made among all."""
    top = folders(pack)
    by_slug = {one.slug: one for one in top.every()}
    for place, page in enumerate(chapter_pages(pack, top, {})):
        yield chapter_page(pack, by_slug, place, {}), page
    for kind in pack.game.kinds.values():
        _, *of_entities = kind_pages(pack, kind, {})
        for place, page in enumerate(of_entities):
            yield entity_page(pack, LargeCards(pack, kind), place, {}, book_order(pack)), page


def test_a_page_that_is_made_alone_is_the_one_among_all(pack: Pack) -> None:
    pairs = list(alone(pack))
    assert [one.title for one, _ in pairs] == ["Walk", "Birds", "Rest", "Heron", "Snipe"]
    assert all(one == other for one, other in pairs)


def test_its_frame_is_the_one_that_others_were_made_with(pack: Pack) -> None:
    pairs = list(alone(pack))
    assert all(Frame(pack).framed(one) == frame_of(pack).framed(other) for one, other in pairs)
