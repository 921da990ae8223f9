"""A link to something that is not there."""

from collections.abc import Iterator
from posixpath import basename

from kismet_build.lint.suggestions import Names
from kismet_build.model.book import Target
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import Embed, Image, Link, is_address
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack


def unresolved_link(pack: Pack, report: Report) -> None:
    """Report each name that links use and nothing has: once, at its first use, with the others beside it."""
    uses: dict[tuple[str, str], list[Link | Embed | Image]] = {}
    for node, target in _missing(pack):
        if node.span not in pack.link_entities:
            path, _, rest = node.target.partition("#")
            key = (target.anchor.chapter.slug, normalize(rest)) if target and target.anchor else ("", normalize(path))
            uses.setdefault(key, []).append(node)
    frequent = [nodes[0].target.partition("#")[0] for (slug, _), nodes in uses.items() if not slug and len(nodes) > 1]
    names = Names([*_names(pack), *frequent]) if uses else Names(())
    chapters = {chapter.slug: chapter for chapter in pack.book.chapters}
    for (slug, _), nodes in uses.items():
        path, _, rest = nodes[0].target.partition("#")
        chapter = chapters.get(slug)
        if chapter is None:
            message = f'nothing is named "{path.strip()}"'
            near = names.suggest(path)
        else:
            wanted = rest.rpartition("#")[2].strip()
            message = f'"{chapter.title}" has no heading "{wanted}"'
            near = Names(anchor.title for anchor in pack.book.anchors[chapter.source][1:]).suggest(wanted)
        others = tuple(Related(node.span, "also here") for node in nodes[1:])
        hint = f'did you mean "{near}"?' if near else ""
        report(warning("unresolved-link", nodes[0].span, message, hint, others))


def _missing(pack: Pack) -> Iterator[tuple[Link | Embed | Image, Target | None]]:
    for chapter in pack.book.chapters:
        for node in chapter.document.links:
            target = pack.book.targets.get(node.span)
            if target is not None and target.status in ("missing-document", "missing-heading"):
                yield node, target
            elif isinstance(node, Image) and node.span not in pack.book.files and not is_address(node.target):
                yield node, None


def _names(pack: Pack) -> Iterator[str]:
    """Everything that a link could have meant: texts by their paths and by their names alone, then entries."""
    paths = [chapter.source.path.rpartition(".")[0] for chapter in pack.book.chapters]
    yield from paths
    yield from (basename(path) for path in paths if "/" in path)
    yield from (entity.name for entity in pack.every())
