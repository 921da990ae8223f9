"""`stale-unwritten`: a text that `unwritten` lists and that somebody has written."""

from collections.abc import Iterator

from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack


def stale_unwritten(pack: Pack, report: Report) -> None:
    """Report each name of `unwritten` by which links find a text."""
    if not pack.game.definition.linking.unwritten:
        return
    written = {normalize(name): chapter for chapter in pack.book.chapters for name in _link_names(chapter)}
    for name, span in pack.game.definition.linking.unwritten.items():
        if name in written:
            message = f"this text is written: {written[name].source.path}"
            report(warning("stale-unwritten", span, message, 'remove it from "unwritten"'))


def _link_names(chapter: Chapter) -> Iterator[str]:
    """The names by which links find a text: the end of its path, from any folder on, and its aliases."""
    parts = chapter.source.path.rpartition(".")[0].split("/")
    yield from ("/".join(parts[start:]) for start in range(len(parts)))
    yield from chapter.document.aliases
