"""`oversized-embed`: an embed that would show too many texts, or too many levels of them."""

from kismet_build.model.book import MAX_EMBED_DEPTH, MAX_EMBEDDED_TEXTS
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def oversized_embed(pack: Pack, report: Report) -> None:
    """Report every embed that is shown as a link because of its size."""
    hint = (
        f"it is shown as a link: an embed shows at most {MAX_EMBEDDED_TEXTS} texts, "
        f"at most {MAX_EMBED_DEPTH} inside each other"
    )
    for links in pack.book.links.values():
        for embed in links.embeds:
            size = pack.book.embed_size(embed)
            if size.is_too_large:
                message = f"this would show {size.texts:,} texts, up to {size.depth} inside each other"
                report(warning("oversized-embed", embed.span, message, hint))
