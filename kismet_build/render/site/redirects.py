"""Pages that lead on: from other names of entities and of texts to where these are."""

from collections.abc import Collection, Iterator

from kismet_build.model.book import RESERVED
from kismet_build.model.text_normalization import folder_name
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, path_to_root
from kismet_build.render.html.content_security_policy import POLICY
from kismet_build.render.html.templates import template

Files = Iterator[tuple[str, bytes]]


def emit_redirects(pack: Pack, pages: Collection[str]) -> Files:
    """A page at each other name; none where there is a page (of these addresses), or a name leads to several things.

    They are known by `http-equiv="refresh"`: no map and no search lists them, and no device keeps them.
    """
    taken = {*pages} | {f"{pack.game.id}/{name}/" for name in (*RESERVED, *pack.game.kinds)}
    several: dict[str, dict[str, str]] = {}
    for address, target, title in (*_of_entities(pack), *_of_texts(pack)):
        if address not in taken:
            several.setdefault(address, {})[target] = title
    url = pack.game.library_config.url
    for address, targets in several.items():
        if len(targets) == 1:
            [(target, title)] = targets.items()
            up = path_to_root(address)
            href = up + target + INDEX
            page = template("redirect").render(
                title=title,
                up=up,
                href=href,
                canonical=url + target if url else href,
                language=pack.game.language,
                policy=POLICY,
            )
            yield address + INDEX, page.encode()


def _of_entities(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """For each other name of an entity its address, that of the entity, and its name."""
    for entity in pack.every():
        for alias in entity.aliases:
            yield f"{pack.game.id}/{entity.kind}/{folder_name(alias)}/", f"{entity.id}/", entity.name


def _of_texts(pack: Pack) -> Iterator[tuple[str, str, str]]:
    for chapter in pack.book.chapters:
        for alias in chapter.document.aliases:
            target = f"{pack.game.id}/{chapter.slug}/"
            yield f"{pack.game.id}/{folder_name(alias)}/", target, chapter.title
