"""`unknown-kind`: the rules for automatic links or for a book name a kind that the game does not have."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.suggestion import did_you_mean_or_list
from kismet_build.pack import Pack


def unknown_kind(pack: Pack, report: Report) -> None:
    """Report each kind in `linking` and `book` that has no file and is not found in the texts."""
    kinds = pack.game.kinds
    definition = pack.game.definition
    for name, span in (*definition.linking.kinds, *definition.book.appendices):
        if name not in kinds:
            hint = did_you_mean_or_list(name, kinds, "the kinds are")
            report(warning("unknown-kind", span, f'there is no kind "{name}"', hint))
