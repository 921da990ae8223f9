"""`unmatched-book-text`: a pattern of `book` in `game.yaml` matches no text."""

from kismet_build.config.discovery import excluded_paths
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack
from kismet_build.pack.left_out import matched_places


def unmatched_book_text(pack: Pack, report: Report) -> None:
    """Report each pattern of `front`, `back` and `leave_out` that matches nothing in the published texts."""
    rules = pack.game.definition.book
    unmatched = [name for name in (*rules.front, *rules.back) if not excluded_paths(pack.documents, name[0])]
    unmatched += [name for name in rules.leave_out if next(matched_places(pack, name[0]), None) is None]
    for pattern, span in unmatched:
        place, sign, _ = pattern.partition("#")
        hint = "paths start at the folder of the texts; private texts are left out of books"
        if sign and excluded_paths(pack.documents, place):
            hint = "write the title of a section after #, or ^ and the name of a block"
        report(warning("unmatched-book-text", span, f'"{pattern}" matches nothing in the book', hint))
