"""`unknown-kind`: a kind in the rules of automatic links that the game does not have."""

from difflib import get_close_matches

from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Pack


def unknown_kind(pack: Pack, report: Report) -> None:
    """Report each kind that `linking` names and that is neither a kind file nor found in the texts."""
    kinds = pack.game.kinds
    for name, span in pack.game.linked_kinds:
        if name not in kinds:
            close = get_close_matches(name, kinds, n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"the kinds are: {', '.join(kinds) or 'none'}"
            report(warning("unknown-kind", span, f'there is no kind "{name}"', hint))
