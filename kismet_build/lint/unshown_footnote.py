"""`unshown-footnote`: a footnote that no page shows."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Document, FootnoteReference, walk
from kismet_build.model.source import Span
from kismet_build.pack import Pack

HINT = "refer to it in the text, or remove it"


def unshown_footnote(pack: Pack, report: Report) -> None:
    """Report each such footnote."""
    for path, outline in pack.book.outlines.items():
        for span, reason in pack.memo.run("unshown footnotes", path, _unshown, outline.chapter.document):
            report(warning("unshown-footnote", span, f"this footnote is not shown: {reason}", HINT))


def _unshown(document: Document) -> tuple[tuple[Span, str], ...]:
    """The place of each such footnote, and why it is not shown."""
    if not document.footnotes:
        return ()
    counting = {note.label: note for note in document.footnotes}
    inside = {*map(id, walk(*document.footnotes))}
    # A reference in a footnote counts only if that one is shown.
    labels = [node.label for node in document.nodes if isinstance(node, FootnoteReference) and id(node) not in inside]
    shown: set[str] = set()
    while labels:
        label = labels.pop()
        if label in counting and label not in shown:
            shown.add(label)
            labels += [node.label for node in walk(counting[label]) if isinstance(node, FootnoteReference)]
    return tuple(
        (note.span, "a later one has its name" if counting[note.label] is not note else "nothing refers to it")
        for note in document.footnotes
        if counting[note.label] is not note or note.label not in shown
    )
