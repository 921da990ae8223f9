"""`embed-cycle`: texts that embed each other."""

from kismet_build.model.book import Anchor
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack

MAX_NAMED = 20
"""Maximum number of texts listed in a message. In a larger cycle, only the first embed is reported."""
HINT = "keep one of these embeds, and turn the others into links"


def embed_cycle(pack: Pack, report: Report) -> None:
    """Report every embed of a text that contains the embed itself, but only the first one of a large cycle."""
    book = pack.book
    reported: set[Anchor] = set()
    for links in book.links.values():
        for node in links.embeds:
            circle = book.cyclic_embeds.get(node.span, ())
            if len(circle) > MAX_NAMED:
                if circle[0] not in reported:
                    message = f"this embeds a text that embeds itself in a cycle of {len(circle):,} texts"
                    report(warning("embed-cycle", node.span, message, HINT))
                reported.add(circle[0])
            elif circle:
                names = " > ".join(anchor.title for anchor in book.embed_cycle(node))
                report(warning("embed-cycle", node.span, f"this embeds a text that embeds itself: {names}", HINT))
