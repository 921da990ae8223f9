"""`unshown-footnote`: a footnote that is not shown on any page."""

from kismet_build.model.diagnostic import Diagnosed, warning
from kismet_build.model.nodes import Document, FootnoteReference, walk

HINT = "refer to it in the text, or remove it"


def unshown_footnote(document: Document) -> Diagnosed[None]:
    """A diagnostic for each footnote in a document that is not shown."""
    if not document.footnotes:
        return Diagnosed(None)
    counting = {note.label: note for note in document.footnotes}
    inside = {node.span for node in walk(*document.footnotes) if isinstance(node, FootnoteReference)}
    # A reference inside a footnote counts only if that footnote is shown.
    labels = [node.label for node in document.nodes if isinstance(node, FootnoteReference) and node.span not in inside]
    shown: set[str] = set()
    while labels:
        label = labels.pop()
        if label in counting and label not in shown:
            shown.add(label)
            labels += [node.label for node in walk(counting[label]) if isinstance(node, FootnoteReference)]
    diagnostics = []
    for note in document.footnotes:
        is_repeated = counting[note.label].span != note.span
        if is_repeated or note.label not in shown:
            reason = "a later one has the same name" if is_repeated else "nothing refers to it"
            diagnostics.append(warning("unshown-footnote", note.span, f"this footnote is not shown: {reason}", HINT))
    return Diagnosed(None, tuple(diagnostics))
