"""Pages of the library, made from the published data of its games: home page and glossary."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.config.catalog import DEFAULT, Catalog, catalog
from kismet_build.config.library import LibraryConfig
from kismet_build.model.text_normalization import normalize
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import INDEX, path_to_root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.glossary import by_letter, letter_contents
from kismet_build.render.pages.page import Page

GLOSSARY = "glossary/"
MAX_KINDS, MAX_DICE = 6, 3
"""Kinds and dice that the home page shows of a game."""


class GameSummary(NamedTuple):
    """A game on the home page."""

    game: Mapping[str, Any]
    chapters: int
    """Number of texts that are no entities."""
    entities: int
    kinds: tuple[tuple[str, Mapping[str, Any], int], ...]
    """Id, data and number of entities of the largest kinds, in the order of the game."""
    other_kinds: int
    """Number of kinds with entities that are not in `kinds`."""
    calculators: int
    dice: tuple[str, ...]
    """The most frequent dice of the text: `d10`."""


class GlossaryRow(NamedTuple):
    """A row of the glossary."""

    name: str
    see: str
    """For an alias, the name of the entity; for a name, empty."""
    id: str
    kind: Mapping[str, Any]
    game: Mapping[str, Any]


def library_pages(packs: Sequence[Listing], library_config: LibraryConfig) -> tuple[Page, ...]:
    """The pages of the library, the home page first."""
    ordered = sorted(packs, key=lambda pack: (normalize(pack["game"]["title"]), pack["game"]["id"]))
    language = library_language(packs, library_config)
    return _home(ordered, library_config.title, language), _glossary(ordered, catalog(language))


def _home(packs: Sequence[Listing], title: str, language: str) -> Page:
    words = catalog(language)
    titles = [pack["game"]["title"] for pack in packs]
    return Page(
        address="",
        title=title or words.text("title.rules"),
        role="library",
        article=template("article_library", words).render(
            title=home_heading(packs, title, words),
            language=language,
            games=[_game_summary(pack) for pack in packs],
            index=INDEX,
            glossary=GLOSSARY,
            root="",
        ),
        description=words.text("library.description", games=", ".join(titles)),
    )


def library_language(packs: Sequence[Listing], library_config: LibraryConfig) -> str:
    """The language of the pages of the library: its own, else that of all its games if they have the same."""
    languages = {pack["game"]["language"] for pack in packs}
    return library_config.language or (min(languages) if len(languages) == 1 else DEFAULT)


def home_heading(packs: Sequence[Listing], title: str, words: Catalog) -> str:
    """The title of the library, else that of its only game."""
    return title or (str(packs[0]["game"]["title"]) if len(packs) == 1 else words.text("title.rules"))


def _glossary(packs: Sequence[Listing], words: Catalog) -> Page:
    letters = by_letter((row.name, row.id, row) for pack in packs for row in _glossary_rows(pack))
    article = template("article_library_glossary", words).render(
        letters=letters, games=[pack["game"] for pack in packs], root=path_to_root(GLOSSARY), index=INDEX
    )
    return Page(
        address=GLOSSARY,
        title=words.text("title.glossary_of_all") if len(packs) > 1 else words.text("title.glossary"),
        role="glossary",
        article=article,
        contents=letter_contents(letters),
        description=words.text("glossary.description_of_all" if len(packs) > 1 else "glossary.description_of_one"),
    )


def _game_summary(pack: Listing) -> GameSummary:
    kinds = [
        (name, kind, len(pack["entities"][name])) for name, kind in pack["kinds"].items() if pack["entities"][name]
    ]
    entity_urls = {entity["url"] for name, *_ in kinds for entity in pack["entities"][name]}
    notes = sum(section["level"] == 0 and section["url"] in entity_urls for section in pack["sections"])
    largest = sorted(kinds, key=lambda kind: -kind[2])[:MAX_KINDS]
    return GameSummary(
        game=pack["game"],
        chapters=len(pack["game"]["sources"]) - notes,
        entities=sum(number for *_, number in kinds),
        kinds=tuple(kind for kind in kinds if kind in largest),
        other_kinds=len(kinds) - len(largest),
        calculators=len(pack["calculators"]),
        dice=_dice(pack),
    )


def _dice(pack: Listing) -> tuple[str, ...]:
    """The most frequent dice of the text, the most frequent first."""
    counts = Counter(f"d{faces}" for dice in pack["dice"] for faces in _faces(dice["tree"]))
    return tuple(die for die, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_DICE])


def _faces(tree: Any) -> Iterator[str]:
    """The number of faces of each die in the syntax tree of a dice expression."""
    if isinstance(tree, Mapping):
        if tree.get("node") == "dice":
            yield str(tree["faces"])
        for child in tree.values():
            yield from _faces(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _faces(child)


def _glossary_rows(pack: Listing) -> Iterator[GlossaryRow]:
    for kind, entities in pack["entities"].items():
        for entity in entities:
            origin = (entity["id"], pack["kinds"][kind], pack["game"])
            yield GlossaryRow(entity["name"], "", *origin)
            yield from (GlossaryRow(alias, entity["name"], *origin) for alias in entity["aliases"])
