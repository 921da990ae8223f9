"""Where a game's texts, folders, entities and attachments are published."""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple
from urllib.parse import quote

from kismet_build.config.discovery import folder_note_rank, parent_folders
from kismet_build.config.game import Game
from kismet_build.model.active_content import is_download
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import Document
from kismet_build.model.text_normalization import folder_name
from kismet_build.pack.entity import Entity


class TextPage(NamedTuple):
    """The page that shows a text."""

    slug: str
    """The address of the page below that of the game; empty for the home page."""
    about: Literal["text", "entity", "kind", "folder"]
    """What the page shows: only the text, the entity that fills the text, or the kind or folder that it introduces."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the parts of a game are published. Slugs are addresses below that of the game."""

    texts: Mapping[str, TextPage]
    """The page of each text, by path."""
    folders: Mapping[str, str]
    """The slug of the page of each folder with texts, by path: its own, or that of its kind."""
    folder_notes: Mapping[str, str]
    """By path, the slug of the folder of each text that introduces its folder, even if the kind's page shows it."""
    folder_kinds: Mapping[str, str]
    """By folder path, the kind whose entities are exactly the texts in the folder, apart from folder notes."""
    entities: Mapping[str, str]
    """The address of each entity, by id: `game/kind/slug/`; in a kind that is a table, the row `game/kind/#slug`; for
    an internal kind, the section that defines the entity."""
    attachments: Mapping[str, str]
    """The published path of each attachment, by path in the game's folder."""

    def page_slug(self, chapter: Chapter) -> str:
        """The slug of the page that shows a text."""
        return self.texts[chapter.source.path].slug

    def anchor_slug(self, anchor: Anchor) -> str:
        """The slug of the page that shows an anchor. A long text that is its own page may have several pages."""
        page = self.texts[anchor.chapter.source.path]
        return f"{page.slug}/{anchor.page}" if anchor.page and page.about == "text" else page.slug


def addresses(
    game: Game,
    chapters: Sequence[Chapter],
    entities: Mapping[str, Sequence[Entity]],
    note_entities: Mapping[str, str],
    table_kinds: Collection[str],
) -> Addresses:
    """The addresses of a game: docs/decisions/0007-addresses.md.

    `chapters`: in reading order. `entities`: by kind. `note_entities`: the entity of each text that is a single entity,
    by path. `table_kinds`: the kinds whose entities are rows on the page of their kind.
    """
    by_id = {entity.id: entity for of_kind in entities.values() for entity in of_kind}

    slug_of = partial(free_slug, game, by_id)
    folder_notes = _folder_notes(game, chapters, note_entities, slug_of)
    folder_kinds = _folder_kinds(game, chapters, entities, note_entities, folder_notes)
    kind_notes = _kind_notes(chapters, note_entities, folder_notes, folder_kinds)

    def text_page(chapter: Chapter) -> TextPage:
        path = chapter.source.path
        if (entity := note_entities.get(path)) is not None:
            return TextPage(entity.partition("/")[2], "entity")
        if (kind := kind_notes.get(path)) is not None:
            return TextPage(kind, "kind")
        if (slug := folder_notes.get(path)) is not None:
            return TextPage(slug, "folder")
        return TextPage(slug_of(chapter.slug), "text")

    texts = {chapter.source.path: text_page(chapter) for chapter in chapters}
    with_text = {page.slug for page in texts.values()}
    folders: dict[str, str] = {}
    for chapter in chapters:
        # Slugs may leave out the outermost folders of a path.
        for folder, slug in zip(parent_folders(chapter.source.path), parent_folders(chapter.slug), strict=False):
            page = slug_of(slug)
            folders[folder] = page if page in with_text else folder_kinds.get(folder, page)
    found = Addresses(texts, folders, folder_notes, folder_kinds, {}, _attachments(game))

    def entity_address(entity: Entity) -> str:
        if game.kinds[entity.kind].is_internal:
            anchor = entity.section.anchor
            page = f"{game.id}/{found.anchor_slug(anchor)}".rstrip("/")
            return f"{page}/#{quote(anchor.id)}" if anchor.id else f"{page}/"
        return f"{game.id}/{entity.kind}/#{quote(entity.slug)}" if entity.kind in table_kinds else f"{entity.id}/"

    return replace(found, entities={entity.id: entity_address(entity) for entity in by_id.values()})


def free_slug(game: Game, entity_ids: Container[str], slug: str) -> str:
    """The slug of the page of a folder or text: `slug`, unless a kind or entity of the game uses it."""
    kind, slash, name = slug.partition("/")
    if kind not in game.kinds or "/" in name:
        return slug
    is_taken = f"{game.id}/{slug}" in entity_ids if slash else True
    return free_slug(game, entity_ids, f"{slug}-text") if is_taken else slug


def _folder_notes(
    game: Game, chapters: Sequence[Chapter], note_entities: Mapping[str, str], slug_of: Callable[[str], str]
) -> Mapping[str, str]:
    """The texts that introduce their folders.

    A text next to a folder with the same name is left out, because its own address is the same as the folder's.
    """
    slugs = {chapter.slug for chapter in chapters}
    game_folder = game.files.folder_name if game.is_plain else ""
    ranked: dict[str, list[tuple[int, int, str]]] = {}
    for position, chapter in enumerate(chapters):
        path, folder = chapter.source.path, slug_of(chapter.slug.rpartition("/")[0])
        rank = folder_note_rank(path, game_folder)
        if _is_home(game, chapter.document):
            rank, folder = -1, ""
        if rank is not None and folder not in slugs and path not in note_entities:
            ranked.setdefault(folder, []).append((rank, position, path))
    return {min(notes)[2]: folder for folder, notes in ranked.items()}


def _is_home(game: Game, document: Document) -> bool:
    """Whether the source of the vault makes a text the home page."""
    if not game.vault.is_site:
        return False
    routing = game.vault.routing
    is_at_root = any(document.metadata.get(name) == "/" for name in routing.addresses)
    return is_at_root or document.source.path == routing.home


def _folder_kinds(
    game: Game,
    chapters: Sequence[Chapter],
    entities: Mapping[str, Sequence[Entity]],
    note_entities: Mapping[str, str],
    folder_notes: Mapping[str, str],
) -> Mapping[str, str]:
    of_folder: defaultdict[str, list[str]] = defaultdict(list)
    for chapter in chapters:
        path = chapter.source.path
        for folder in parent_folders(path) if path not in folder_notes else ():
            of_folder[folder].append(note_entities.get(path, ""))
    kinds = {}
    for folder, ids in of_folder.items():
        kind = ids[0].split("/")[1] if ids[0] else ""
        is_whole = bool(kind) and len(entities[kind]) == len(ids)
        if is_whole and all(entity.startswith(f"{game.id}/{kind}/") for entity in ids):
            kinds[folder] = kind
    return kinds


def _kind_notes(
    chapters: Sequence[Chapter],
    note_entities: Mapping[str, str],
    folder_notes: Mapping[str, str],
    folder_kinds: Mapping[str, str],
) -> Mapping[str, str]:
    """The kind of each text about the folder of a kind, by path. The kind's page shows the text."""
    of_kinds: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for chapter in chapters:
        path = chapter.source.path
        folder = path.rpartition("/")[0] if path in folder_notes else path.rpartition(".")[0]
        if path not in note_entities and folder in folder_kinds:
            # In nested folders, the innermost contains the kind's notes.
            of_kinds[folder_kinds[folder]].append((-folder.count("/"), path))
    return {min(notes)[1]: kind for kind, notes in of_kinds.items()}


def _attachments(game: Game) -> Mapping[str, str]:
    """Names become slugs, because some file systems ignore case or forbid some characters."""
    taken: set[str] = set()
    found = {}
    for path in game.files.attachments:
        *folders, name = path.split("/")
        stem, _, suffix = name.rpartition(".")
        address = "/".join([game.id, "files", *map(folder_name, folders), folder_name(stem or suffix)])
        ending = "." + "".join(filter(str.isalnum, suffix.casefold())).encode("ascii", "ignore").decode()
        if is_download(path):
            # With this suffix, any server delivers the file as text.
            address, ending = f"{address}-{ending[1:]}", ".txt"
        found[path] = _unique_file(address, ending, taken)
    return found


def _unique_file(address: str, ending: str, taken: set[str]) -> str:
    """An unused address with this file suffix, which is added to `taken`: `map.png`, `map-2.png`."""
    name, number = address + ending, 2
    while name in taken:
        name, number = f"{address}-{number}{ending}", number + 1
    taken.add(name)
    return name
