"""The page of all tags of a game, and a page for each tag with what has it or a tag in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from kismet_build.config.kind import Kind
from kismet_build.model.tag import TagName, keys_with_parents, tag_key
from kismet_build.pack import Pack
from kismet_build.render.components.kind_table import TAGS_KEY, has_tag_filter
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.page_context import tags_address
from kismet_build.render.html.templates import template
from kismet_build.render.pages.backlinks import section_breadcrumbs
from kismet_build.render.pages.page import Page

TITLE = "Tags"
"""Title of the page of all tags."""
MIN_ROWS_FOR_TABLE_LINK = 4
"""A list of at least this many entities has a link to the table with the same rows."""


class TagEntry(NamedTuple):
    """A tag in the list of all tags, or of those in another tag."""

    label: str
    """The last part of its name."""
    address: str
    total: int
    """Number of the entities and sections with it or a tag in it."""
    children: "tuple[TagEntry, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagGroup:
    """The entities of one kind, or the sections, that have a tag."""

    id: str
    kind: Kind | None
    """`None` for chapters and sections."""
    links: tuple[PageLink, ...]
    table: str = ""
    """Address of the table of the kind with these entities; empty if there is none."""


def tag_pages(pack: Pack) -> Iterator[Page]:
    """The pages of tags; none in a game without tags."""
    if not pack.tags:
        return
    origins = _origins(pack)
    yield _all_tags_page(pack, origins)
    for key, name in pack.tags.items():
        yield _tag_page(pack, key, name, origins)


Origins = Mapping[str, Mapping[str, str]]
"""By tag, the ids of the entities and sections that have it or a tag in it, with the path of their document."""


def _origins(pack: Pack) -> Origins:
    by_key: dict[str, dict[str, str]] = {key: {} for key in pack.tags}
    for path, facts in pack.documents.items():
        for origin, names in facts.tags:
            for key in {key: None for name in names for key in keys_with_parents(tag_key(name))}:
                by_key[key][origin] = path
    return by_key


def _all_tags_page(pack: Pack, origins: Origins) -> Page:
    address = tags_address(pack)
    return Page(
        address=address,
        title=TITLE,
        role="tag",
        article=template("article_tags").render(
            game=pack.game, tags=_entries(pack, "", origins, path_to_root(address))
        ),
        breadcrumbs=(PageLink(f"{pack.game.id}/", pack.game.title),),
        description=f"Every tag of {pack.game.title}",
    )


def _entries(pack: Pack, parent: str, origins: Origins, root: str) -> tuple[TagEntry, ...]:
    """The tags directly in another one, with those in them; all outermost tags if `parent` is empty."""
    prefix = f"{parent}/" if parent else ""
    return tuple(
        TagEntry(
            name.name.rpartition("/")[2],
            f"{root}{tags_address(pack)}{name.slug}/{INDEX}",
            len(origins[key]),
            _entries(pack, key, origins, root),
        )
        for key, name in pack.tags.items()
        if key.startswith(prefix) and "/" not in key[len(prefix) :]
    )


def _tag_page(pack: Pack, key: str, name: TagName, origins: Origins) -> Page:
    address = f"{tags_address(pack)}{name.slug}/"
    root = path_to_root(address)
    parents = [pack.tags[parent] for parent in keys_with_parents(key)[:-1]]
    return Page(
        address=address,
        title=f"#{name.name}",
        role="tag",
        article=template("article_tag").render(
            name=name.name,
            children=_entries(pack, key, origins, root),
            groups=tuple(_groups(pack, name, origins[key], root)),
        ),
        breadcrumbs=(
            PageLink(f"{pack.game.id}/", pack.game.title),
            PageLink(tags_address(pack), TITLE),
            *(PageLink(f"{tags_address(pack)}{parent.slug}/", f"#{parent.name}") for parent in parents),
        ),
        description=f"What has the tag {name.name} in {pack.game.title}",
    )


def _groups(pack: Pack, name: TagName, origins: Mapping[str, str], root: str) -> Iterator[TagGroup]:
    """What has a tag: the entities by kind, then the sections, each in the order of the book."""
    by_kind: dict[str, list[PageLink]] = {kind: [] for kind in (*pack.game.kinds, "")}
    prefix = f"{pack.game.id}/section/"
    for origin, path in origins.items():
        if origin in pack.by_id:
            entity = pack.by_id[origin]
            by_kind[entity.kind].append(PageLink(f"{root}{entity.id}/{INDEX}", entity.name))
        elif (section := pack.book.section(path, origin.removeprefix(prefix))) is not None:
            links = section_breadcrumbs(pack, section, root)
            by_kind[""].append(PageLink(links[-1].address, " › ".join(link.title for link in links)))
    for kind_id, links in by_kind.items():
        kind = pack.game.kinds.get(kind_id)
        if not links:
            continue
        table = ""
        if kind is not None and len(links) >= MIN_ROWS_FOR_TABLE_LINK and has_tag_filter(pack, kind):
            table = f"{root}{pack.game.id}/{kind.id}/{INDEX}?{urlencode({TAGS_KEY: name.name})}"
        yield TagGroup(id=f"_{kind_id or 'sections'}", kind=kind, links=tuple(links), table=table)
