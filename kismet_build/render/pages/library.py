"""Pages of the library, made from its games' published data, and the author's own pages."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from kismet_build.config.design import HOME, link_address
from kismet_build.config.language.catalog import Catalog, catalog
from kismet_build.config.language.strings import DEFAULT
from kismet_build.config.library import LibraryConfig, SiteLink
from kismet_build.model.language import Language
from kismet_build.model.nodes import Block, Document, Heading, Image, Link, is_url, plain_text, walk
from kismet_build.model.source import Span, file_stem
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.render.data.listing import Listing
from kismet_build.render.fragments.renderer import Href, RenderContext, to_html
from kismet_build.render.html.addresses import INDEX, file_address, path_to_root, site_href
from kismet_build.render.html.templates import template
from kismet_build.render.pages.glossary import Letter, by_letter, letter_contents
from kismet_build.render.pages.page import LazyPages, Page

GLOSSARY, GAMES = "glossary/", "games/"
MAX_LISTED_GAMES = 60
"""Maximum number of games listed on the home page. More are listed by letter, and searching all of them finds only
names."""
MAX_QUESTIONS, MAX_DICE = 3, 3
"""Maximum number of questions, and of dice for each game, on the home page."""


class GameSummary(NamedTuple):
    """A game on the home page."""

    game: Mapping[str, Any]
    chapters: int
    """Number of texts that are not entities."""
    entities: int
    calculators: int
    dice: tuple[str, ...]
    """The most frequent dice in the game's text, such as `d10`."""


class SampleQuestion(NamedTuple):
    """A question on the home page that search can answer."""

    words: str
    address: str
    """The page with the answer."""
    language: str


class GlossaryRow(NamedTuple):
    """A row of the glossary."""

    name: str
    see: str
    """For an alias, the name of the entity; otherwise empty."""
    id: str
    href: str
    """Address of the entity, from the root of the website."""
    kind: Mapping[str, Any]
    game: Mapping[str, Any]


def library_pages(packs: Sequence[Listing], library_config: LibraryConfig) -> LazyPages:
    """The pages of the library, the home page first."""
    yield "", partial(_home, packs, library_config)
    if has_many(packs):
        letters = games_by_letter(packs)
        for letter in letters:
            yield f"{GAMES}{letter.id}/", partial(_games, letter, letters, library_catalog(packs, library_config))
    else:
        yield GLOSSARY, partial(_glossary, packs, library_config)
    yield from site_pages(library_config)


def has_many(packs: Sequence[Listing]) -> bool:
    """Whether a library has too many games to list them all on one page."""
    return len(packs) > MAX_LISTED_GAMES


def games_by_letter(packs: Sequence[Listing]) -> tuple[Letter[Listing], ...]:
    """The games by the first letter of their title."""
    return by_letter((pack["game"]["title"], pack["game"]["id"], pack) for pack in packs)


def description_of_games(packs: Sequence[Listing], words: Catalog) -> str:
    """A sentence about a library without a description."""
    if has_many(packs):
        return words.text("library.description_of_many", n=len(packs))
    return words.text("library.description", games=", ".join(pack["game"]["title"] for pack in packs))


def _in_order(packs: Sequence[Listing], library_config: LibraryConfig) -> list[Listing]:
    """The games in the order of the navigation, then any that it does not list, by title."""
    positions = {address: position for position, (_, address) in enumerate(library_config.design.nav)}

    def order(pack: Listing) -> tuple[int, str, str]:
        game = pack["game"]
        return positions.get(f"{game['id']}/", len(positions)), normalize(game["title"]), game["id"]

    return sorted(packs, key=order)


def _home(packs: Sequence[Listing], library_config: LibraryConfig) -> Page:
    packs, words = _in_order(packs, library_config), library_catalog(packs, library_config)
    title = library_config.title
    heading, own_words = home_words(library_config)
    listed: Sequence[Listing] = packs
    letters: tuple[Letter[Listing], ...] = ()
    if has_many(packs):
        in_navigation = {address for _, address in library_config.design.nav}
        listed = [pack for pack in packs if f"{pack['game']['id']}/" in in_navigation][:MAX_LISTED_GAMES]
        letters = games_by_letter(packs)
    return Page(
        address="",
        title=title or words.text("title.rules"),
        role="library",
        article=template("article_library", words).render(
            title=heading or home_heading(packs, title, words),
            words=own_words,
            language=words.text_language,
            games=[_game_summary(pack) for pack in listed],
            number=len(packs),
            letters=letters,
            addresses=GAMES,
            # With so many games, searching all of them finds only names.
            questions=() if letters else _sample_questions(packs),
            index=INDEX,
            glossary=glossary_address(packs),
        ),
        description=description_of_games(packs, words),
    )


def _games(letter: Letter[Listing], letters: Sequence[Letter[Listing]], words: Catalog) -> Page:
    address = f"{GAMES}{letter.id}/"
    title = words.text("library.games_of", letter=letter.sign)
    return Page(
        address=address,
        title=title,
        role="library",
        article=template("article_games", words).render(
            title=title,
            language=words.text_language,
            games=[_game_summary(pack) for pack in letter.rows],
            letters=letters,
            here=letter.id,
            addresses=GAMES,
            root=path_to_root(address),
            index=INDEX,
        ),
        description=words.text("library.description_of_many", n=len(letter.rows)),
    )


def library_catalog(packs: Sequence[Listing], library_config: LibraryConfig) -> Catalog:
    """The catalog for the library's pages: in the library's language, else the one that all games share or English."""
    languages = {pack["game"]["language"] for pack in packs}
    language = library_config.language or (min(languages) if len(languages) == 1 else DEFAULT)
    return catalog(language, library_config.design)


def home_heading(packs: Sequence[Listing], title: str, words: Catalog) -> str:
    """The title of the library, or else the title of its only game, or else a general one."""
    return title or (str(packs[0]["game"]["title"]) if len(packs) == 1 else words.text("title.rules"))


def glossary_address(packs: Sequence[Listing]) -> str:
    """The address of the glossary of all games, for links; empty if it would have no names, or too many."""
    return GLOSSARY if not has_many(packs) and any(map(_has_names, packs)) else ""


def _has_names(pack: Listing) -> bool:
    return any(pack["entities"].values())


def _glossary(packs: Sequence[Listing], library_config: LibraryConfig) -> Page:
    packs, words = _in_order(packs, library_config), library_catalog(packs, library_config)
    letters = by_letter((row.name, row.id, row) for pack in packs for row in _glossary_rows(pack))
    article = template("article_library_glossary", words).render(
        letters=letters,
        games=[pack["game"] for pack in packs if _has_names(pack)],
        root=path_to_root(GLOSSARY),
        index=INDEX,
    )
    return Page(
        address=GLOSSARY,
        title=words.text("title.glossary_of_all") if len(packs) > 1 else words.text("title.glossary"),
        role="glossary",
        article=article,
        contents=letter_contents(letters),
        description=words.text("glossary.description_of_all" if len(packs) > 1 else "glossary.description_of_one"),
    )


def _sample_questions(packs: Sequence[Listing]) -> list[SampleQuestion]:
    """The questions on the home page: the first of each game, then the second of each, up to `MAX_QUESTIONS`."""
    # A game still published by an earlier version of this program has no questions.
    by_game = [
        [
            SampleQuestion(each["question"], file_address(each["url"]), pack["game"]["language"])
            for each in pack["game"].get("sample_questions", ())
        ]
        for pack in packs
    ]
    in_turn = (question for questions in zip_longest(*by_game) for question in questions if question)
    return [*islice(in_turn, MAX_QUESTIONS)]


def _game_summary(pack: Listing) -> GameSummary:
    entity_urls = {entity["url"] for entities in pack["entities"].values() for entity in entities}
    notes = sum(section["level"] == 0 and section["url"] in entity_urls for section in pack["sections"])
    return GameSummary(
        game=pack["game"],
        chapters=len(pack["game"]["sources"]) - notes,
        entities=sum(map(len, pack["entities"].values())),
        calculators=len(pack["calculators"]),
        dice=_dice(pack),
    )


def _dice(pack: Listing) -> tuple[str, ...]:
    letter = Language(pack["game"]["language"]).die_letter or "d"
    counts = Counter(f"{letter}{faces}" for dice in pack["dice"] for faces in _faces(dice["tree"]))
    return tuple(die for die, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_DICE])


def _faces(tree: Any) -> Iterator[str]:
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
            origin = (entity["id"], file_address(entity["url"]), pack["kinds"][kind], pack["game"])
            yield GlossaryRow(entity["name"], "", *origin)
            yield from (GlossaryRow(alias, entity["name"], *origin) for alias in entity["aliases"])


def site_pages(library_config: LibraryConfig) -> LazyPages:
    """The author's pages except the home page."""
    for address, document in library_config.pages:
        if address != HOME:
            yield address, partial(_site_page, library_config, address, document)


def _site_page(library_config: LibraryConfig, address: str, document: Document) -> Page:
    title, body = _title_of(document), _body_of(library_config, address, document)
    return Page(
        address=address,
        title=title,
        role="library",
        article=f'<header class="title">\n<h1>{escape(title)}</h1>\n</header>\n{body}',
        description=title,
    )


def home_words(library_config: LibraryConfig) -> tuple[str, Markup]:
    """The author's title and text for the home page; each may be empty."""
    for address, document in library_config.pages:
        if address == HOME:
            title = _title_of(document) if _has_title(document) else ""
            return title, Markup(_body_of(library_config, HOME, document))
    return "", Markup("")


def dead_links(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[Span, str, str]]:
    """Links in the author's pages to files that the tree does not have, each with its address and a hint."""
    for _, document in library_config.pages:
        for node in walk(*document.blocks):
            if isinstance(node, Link | Image) and not is_url(node.target) and not node.target.startswith("#"):
                address = file_address(_address_of(library_config, node.target))
                if address.partition("#")[0] not in files:
                    yield node.span, address, _dead_link_hint(address, files)


def _dead_link_hint(address: str, files: Collection[str]) -> str:
    if re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,}(/.*)?", address) and PurePosixPath(address).suffix != ".html":
        return f"write https://{address} to link to another website"
    pages = (file.removesuffix(INDEX) for file in files if file.endswith(INDEX))
    return did_you_mean(address.removesuffix(INDEX), pages, "open the page, and copy its address")


def _address_of(library_config: LibraryConfig, target: str) -> str:
    """The target of a link in a page, relative to the root of the tree.

    The title of a game leads to the game, unless a page or a file of the design has that address.
    """
    path, mark, anchor = target.partition("#")
    address = link_address(target, library_config.design)
    game = library_config.games.get(folder_name(path))
    is_own = address.partition("#")[0] in dict(library_config.pages)
    return f"{game}/{mark}{anchor}" if game and not is_own and path not in library_config.design.files else address


def dead_entries(library_config: LibraryConfig, files: Collection[str]) -> Iterator[tuple[SiteLink, str, bool]]:
    """Links in the navigation and the footer to files that the tree does not have.

    Each comes with a hint, and whether the tree has the target's folder, which a game with errors lacks.
    """
    for link in (*library_config.nav, *library_config.links):
        if is_url(link.address) or file_address(link.address).partition("#")[0] in files:
            continue
        place = link.address.partition("/")[0]
        is_folder_there = "/" not in link.address or any(file.startswith(f"{place}/") for file in files)
        yield link, _dead_link_hint(link.address, files), is_folder_there


def _has_title(document: Document) -> bool:
    return bool(document.blocks) and isinstance(document.blocks[0], Heading) and document.blocks[0].level == 1


def _title_of(document: Document) -> str:
    return plain_text(document.blocks[0]) if _has_title(document) else file_stem(document.source.path)


def _body_of(library_config: LibraryConfig, address: str, document: Document) -> str:
    root = path_to_root(address)
    blocks: tuple[Block, ...] = document.blocks[1:] if _has_title(document) else document.blocks

    def href_of(target: str) -> str:
        return site_href(root, _address_of(library_config, target))

    def href(link: Link) -> Href:
        if is_url(link.target):
            return Href(link.target, "external")
        return Href(link.target if link.target.startswith("#") else href_of(link.target))

    def image_address(image: Image) -> str:
        return href_of(image.target)

    return to_html(blocks, RenderContext(href=href, image_address=image_address))
