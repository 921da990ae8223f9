"""`oversized-embed`: an embed that would show too many texts, levels or characters."""

from kismet_build.model.book import (
    MAX_CHARACTERS_OF_GAME,
    MAX_CHARACTERS_OF_TEXT,
    MAX_EMBED_DEPTH,
    MAX_EMBEDDED_TEXTS,
)
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def oversized_embed(pack: Pack, report: Report) -> None:
    """Report every embed that is shown as a link because it is too large."""
    hint = (
        f"it is shown as a link: an embed shows at most {MAX_EMBEDDED_TEXTS} texts in {MAX_EMBED_DEPTH} levels, "
        f"all embeds of a text {MAX_CHARACTERS_OF_TEXT:,} characters, all of a game {MAX_CHARACTERS_OF_GAME:,}"
    )
    for links in pack.book.links.values():
        for embed in links.embeds:
            if problem := pack.book.oversized_embeds.get(embed.span):
                report(warning("oversized-embed", embed.span, problem, hint))
