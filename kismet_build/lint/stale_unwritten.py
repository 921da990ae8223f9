"""`stale-unwritten`: a text listed in `unwritten` that now exists."""

from collections.abc import Iterator

from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack


def stale_unwritten(pack: Pack, report: Report) -> None:
    """Report each name in `unwritten` to which a text now belongs."""
    if not pack.game.definition.linking.unwritten:
        return
    written = {normalize(name): chapter for chapter in pack.book.chapters for name in _link_names(chapter)}
    for name, span in pack.game.definition.linking.unwritten.items():
        if name in written:
            message = f"this text now exists: {written[name].source.path}"
            report(warning("stale-unwritten", span, message, 'remove it from "unwritten"'))


def _link_names(chapter: Chapter) -> Iterator[str]:
    """The names by which links find a text: its aliases, and its path starting at any folder."""
    parts = chapter.source.path.rpartition(".")[0].split("/")
    yield from ("/".join(parts[start:]) for start in range(len(parts)))
    yield from chapter.document.aliases
