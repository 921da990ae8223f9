"""A link to something that is not there."""

from collections.abc import Iterator
from difflib import get_close_matches

from kismet_build.book import Target
from kismet_build.diagnostic import Related, Report, warning
from kismet_build.entity import Pack
from kismet_build.model import Embed, Image, Link, walk
from kismet_build.name import fold
from kismet_build.source import Span


def unresolved_link(pack: Pack, report: Report) -> None:
    """Report each name that links use and nothing has: once, at its first use, with the others beside it."""
    uses: dict[tuple[str, str], list[Span]] = {}
    hints: dict[tuple[str, str], tuple[str, str]] = {}
    for node, target in _missing(pack):
        if node.span in pack.link_entities:
            continue
        path, _, rest = node.target.partition("#")
        if target is None or target.status == "missing-document":
            key = ("document", fold(path))
            hints.setdefault(key, (f'nothing is named "{path.strip()}"', _nearest(path, _documents(pack))))
        else:
            assert target.anchor is not None
            chapter = target.anchor.chapter
            key = (chapter.slug, fold(rest))
            titles = [anchor.title for anchor in pack.book.anchors[chapter.source][1:]]
            wanted = rest.rpartition("#")[2]
            hints.setdefault(key, (f'"{chapter.title}" has no heading "{wanted.strip()}"', _nearest(wanted, titles)))
        uses.setdefault(key, []).append(node.span)
    for key, spans in uses.items():
        message, hint = hints[key]
        others = tuple(Related(span, "also here") for span in spans[1:])
        report(warning("unresolved-link", spans[0], message, hint, others))


def _missing(pack: Pack) -> Iterator[tuple[Link | Embed | Image, Target | None]]:
    for chapter in pack.book.chapters:
        for node in walk(*chapter.document.blocks):
            if not isinstance(node, Link | Embed | Image):
                continue
            target = pack.book.targets.get(node.span)
            if target is not None and target.status in ("missing-document", "missing-heading"):
                yield node, target
            elif isinstance(node, Image) and node.span not in pack.book.files and ":" not in node.target:
                yield node, None


def _documents(pack: Pack) -> list[str]:
    names = [chapter.source.path.rpartition(".")[0] for chapter in pack.book.chapters]
    return names + [entity.name for entity in pack.every()]


def _nearest(name: str, names: list[str]) -> str:
    by_folded = {fold(candidate): candidate for candidate in reversed(names)}
    close = get_close_matches(fold(name), list(by_folded), n=1, cutoff=0.8)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
