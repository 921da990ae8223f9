"""`embed-cycle`: sections that embed each other."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def embed_cycle(pack: Pack, report: Report) -> None:
    """Report every embed of a text that contains the embed itself."""
    book = pack.book
    for links in book.links.values():
        for node in links.embeds:
            if chain := book.embed_cycle(node):
                names = " > ".join(anchor.title for anchor in chain)
                hint = "show it in one of these places only, and link to it from the others"
                report(warning("embed-cycle", node.span, f"this shows a text that shows itself: {names}", hint))
