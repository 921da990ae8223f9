"""The pages above all games, made from the data that is published of each: their home, and every name from A to Z."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.model.text_normalization import normalize
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX, root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.glossary import by_letter, contents
from kismet_build.render.pages.page import Page

GLOSSARY = "glossary/"
SHOWN_KINDS, SHOWN_DICE = 6, 3


class GameSummary(NamedTuple):
    """What the home of all games says of one of them."""

    game: Mapping[str, Any]
    chapters: int
    entities: int
    kinds: tuple[tuple[str, Mapping[str, Any], int], ...]
    """The kinds with the most entities: id, what is published of it, how many those are; in the order of the game."""
    others: int
    """How many kinds are not shown."""
    calculators: int
    dice: tuple[str, ...]
    """What is rolled most often: `d10`."""


class Name(NamedTuple):
    """A line of the glossary of all games."""

    name: str
    see: str
    """For another name of something, the name that it stands under; empty for that name itself."""
    id: str
    kind: Mapping[str, Any]
    game: Mapping[str, Any]


def library_pages(packs: Sequence[Listing]) -> tuple[Page, ...]:
    """The pages above all games, their home first."""
    ordered = sorted(packs, key=lambda pack: (normalize(pack["game"]["title"]), pack["game"]["id"]))
    return _home(ordered), _glossary(ordered)


def _home(packs: Sequence[Listing]) -> Page:
    titles = [pack["game"]["title"] for pack in packs]
    return Page(
        address="",
        title="Rules",
        role="library",
        article=template("article_library").render(
            games=[_game_summary(pack) for pack in packs], index=INDEX, glossary=GLOSSARY, up=""
        ),
        description="The rules of " + ", ".join(titles),
    )


def _glossary(packs: Sequence[Listing]) -> Page:
    letters = by_letter((name.name, name.id, name) for pack in packs for name in _names(pack))
    article = template("article_library_glossary").render(
        letters=letters, games=[pack["game"] for pack in packs], up=root(GLOSSARY), index=INDEX
    )
    return Page(
        address=GLOSSARY,
        title="Glossary of all games",
        role="glossary",
        article=article,
        contents=contents(letters),
        description="Every name of every game from A to Z",
    )


def _game_summary(pack: Listing) -> GameSummary:
    kinds = [
        (name, kind, len(pack["entities"][name])) for name, kind in pack["kinds"].items() if pack["entities"][name]
    ]
    largest = sorted(kinds, key=lambda one: -one[2])[:SHOWN_KINDS]
    return GameSummary(
        game=pack["game"],
        chapters=len(pack["game"]["sources"]),
        entities=sum(number for *_, number in kinds),
        kinds=tuple(one for one in kinds if one in largest),
        others=len(kinds) - len(largest),
        calculators=len(pack["calculators"]),
        dice=_dice(pack),
    )


def _dice(pack: Listing) -> tuple[str, ...]:
    """The dice that the text rolls most often, the most frequent first."""
    found = Counter(f"d{faces}" for dice in pack["dice"] for faces in _faces(dice["tree"]))
    return tuple(die for die, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_DICE])


def _faces(tree: Any) -> Iterator[str]:
    """The number of faces of every die in the tree of an expression."""
    if isinstance(tree, Mapping):
        if tree.get("node") == "dice":
            yield str(tree["faces"])
        for child in tree.values():
            yield from _faces(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _faces(child)


def _names(pack: Listing) -> Iterator[Name]:
    for kind, entities in pack["entities"].items():
        for entity in entities:
            said = (entity["id"], pack["kinds"][kind], pack["game"])
            yield Name(entity["name"], "", *said)
            yield from (Name(alias, entity["name"], *said) for alias in entity["aliases"])
