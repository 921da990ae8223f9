"""Effects of something, or that name something, that the text does not have."""

from difflib import get_close_matches

from kismet_build.model.diagnostic import Report, error
from kismet_build.pack import Pack


def unknown_subject(pack: Pack, report: Report) -> None:
    """Report each id in the effects of the game that no entity has, at every place where it stands.

    A kind of which the text has nothing at all is reported as such, and its entities are not missed one by one.
    """
    known = [f"{entity.kind}/{entity.slug}" for entity in pack.every()]
    there = frozenset(known)
    for effects in pack.game.effects.values():
        named = dict.fromkeys(pair for effect in effects for pair in effect.names)
        for name, span in named:
            if name not in there and pack.entities.get(name.partition("/")[0]) != ():
                report(error("unknown-subject", span, f'the text has no "{name}"', _nearest(name, known)))


def _nearest(name: str, known: list[str]) -> str:
    """The cure for a slip of the pen: the nearest id, or the same slug of another kind."""
    slug = name.rpartition("/")[2]
    close = [other for other in known if other.endswith(f"/{slug}")] or get_close_matches(name, known, n=1, cutoff=0.8)
    return f'did you mean "{close[0]}"?' if close else ""
