"""The page of all tags of a game, and a page for each tag, which lists everything with the tag or a subtag."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from kismet_build.config.kind import Kind
from kismet_build.model.tag import MAX_TAG_LEVELS, TagName, keys_with_parents
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.kind_table import TAGS_KEY
from kismet_build.render.fragments.page_context import tags_address
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href, path_to_root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.backlinks import section_breadcrumbs
from kismet_build.render.pages.page import LazyPages, Page

MIN_ROWS_FOR_TABLE_LINK = 4
"""With at least this many entities, a list links to the table with the same rows."""


class TagEntry(NamedTuple):
    """A tag in the list of all tags, or among the subtags of another."""

    label: str
    """The last part of the tag's name."""
    address: str
    total: int
    """Number of entities and sections with the tag or one of its subtags."""
    children: "tuple[TagEntry, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagGroup:
    """The entities of one kind, or the sections, that have a tag."""

    id: str
    kind: Kind | None
    """The kind of the entities; `None` for chapters and sections."""
    links: tuple[PageLink, ...]
    table: str = ""
    """Address of the kind's table with these entities, or an empty string."""


def tag_pages(pack: Pack) -> LazyPages:
    """The pages of tags; empty for a game without tags."""
    if pack.tags:
        yield tags_address(pack), partial(_all_tags_page, pack)
    for key, name in pack.tags.items():
        yield f"{tags_address(pack)}{name.slug}/", partial(_tag_page, pack, key, name)


class _TagIndex:
    """Data shared by all pages of tags."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.origins: dict[str, dict[str, str]] = {key: {} for key in pack.tags}
        """For each tag, the ids of the entities and sections with the tag or a subtag, each with its document's
        path."""
        self.children: dict[str, list[str]] = {}
        """For each tag, its direct subtags. The key `""` has the top-level tags."""
        for origin, (path, tags) in pack.tagged.items():
            for key in {key for tag in tags for key in keys_with_parents(tag)}:
                self.origins[key][origin] = path
        for key in pack.tags:
            self.children.setdefault(key.rpartition("/")[0], []).append(key)

    def entries(self, parent: str, root: str, levels: int) -> tuple[TagEntry, ...]:
        """The subtags of a tag, down to a number of levels. `parent` is empty for the top-level tags."""
        if not levels:
            return ()
        return tuple(
            TagEntry(
                self.pack.tags[key].name.rpartition("/")[2],
                f"{root}{tags_address(self.pack)}{self.pack.tags[key].slug}/{INDEX}",
                len(self.origins[key]),
                self.entries(key, root, levels - 1),
            )
            for key in self.children.get(parent, ())
        )


@cached_in_pack
def _tag_index(pack: Pack) -> _TagIndex:
    return _TagIndex(pack)


def _all_tags_page(pack: Pack) -> Page:
    index = _tag_index(pack)
    address = tags_address(pack)
    return Page(
        address=address,
        title=pack.game.catalog.text("title.tags"),
        role="tag",
        article=template("article_tags", pack.game.catalog).render(
            game=pack.game, tags=index.entries("", path_to_root(address), MAX_TAG_LEVELS)
        ),
        breadcrumbs=(PageLink(f"{pack.game.id}/", pack.game.title),),
        description=pack.game.catalog.text("tags.description", game=pack.game.title),
    )


def _tag_page(pack: Pack, key: str, name: TagName) -> Page:
    index = _tag_index(pack)
    address = f"{tags_address(pack)}{name.slug}/"
    root = path_to_root(address)
    parents = [pack.tags[parent] for parent in keys_with_parents(key)[:-1]]
    return Page(
        address=address,
        title=f"#{name.name}",
        role="tag",
        article=template("article_tag", pack.game.catalog).render(
            name=name.name,
            children=index.entries(key, root, 1),
            groups=tuple(_groups(pack, key, index, root)),
        ),
        breadcrumbs=(
            PageLink(f"{pack.game.id}/", pack.game.title),
            PageLink(tags_address(pack), pack.game.catalog.text("title.tags")),
            *(PageLink(f"{tags_address(pack)}{parent.slug}/", parent.name.rpartition("/")[2]) for parent in parents),
        ),
        description=pack.game.catalog.text("tags.description_of_tag", tag=name.name, game=pack.game.title),
    )


def _groups(pack: Pack, key: str, index: _TagIndex, root: str) -> Iterator[TagGroup]:
    """The entities with a tag by kind, then the sections with it."""
    by_kind: dict[str, list[PageLink]] = {kind: [] for kind in (*pack.game.kinds, "")}
    prefix = f"{pack.game.id}/section/"
    for origin, path in index.origins[key].items():
        if origin in pack.by_id:
            entity = pack.by_id[origin]
            by_kind[entity.kind].append(PageLink(entity_href(pack, entity.id, root), entity.name))
        elif (section := pack.book.section(path, origin.removeprefix(prefix))) is not None:
            links = section_breadcrumbs(pack, section, root)
            by_kind[""].append(PageLink(links[-1].address, " › ".join(link.title for link in links)))
    for kind_id, links in by_kind.items():
        kind = pack.game.kinds.get(kind_id)
        if not links:
            continue
        table = ""
        if kind is not None and len(links) >= MIN_ROWS_FOR_TABLE_LINK and TAGS_KEY not in kind.rules:
            table = f"{root}{pack.game.id}/{kind.id}/{INDEX}?{urlencode({TAGS_KEY: pack.tags[key].name})}"
        yield TagGroup(id=f"_{kind_id or 'section'}", kind=kind, links=tuple(links), table=table)
