"""`unmatched-book-text`: a pattern of `book` in `game.yaml` names no text."""

from kismet_build.config.discovery import excluded_paths
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def unmatched_book_text(pack: Pack, report: Report) -> None:
    """Report each pattern of `front`, `back` and `leave_out` that matches no published text."""
    rules = pack.game.definition.book
    for glob, span in (*rules.front, *rules.back, *rules.leave_out):
        if not excluded_paths(pack.documents, glob):
            hint = "paths start at the folder of the texts; a private text is in no book"
            report(warning("unmatched-book-text", span, f'"{glob}" matches no text of the book', hint))
