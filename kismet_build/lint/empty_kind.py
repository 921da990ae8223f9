"""`empty-kind`: a kind without entities."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def empty_kind(pack: Pack, report: Report) -> None:
    """Report every kind that matches nothing in the book. A plain vault declares none, so none is missing."""
    if pack.game.is_plain:
        return
    for kind in pack.game.kinds.values():
        if not pack.entities[kind.id]:
            hint = "look at x-match: is the heading in `under` spelled as in the text?"
            report(warning("empty-kind", kind.data.span_of("x-match"), f"the text holds no {kind.title}", hint))
