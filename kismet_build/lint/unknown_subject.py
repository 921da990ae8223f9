"""`unknown-subject`: an effect names an entity that is not in the text."""

from difflib import get_close_matches

from kismet_build.model.diagnostic import Report, Subject, error
from kismet_build.pack import Pack


def unknown_subject(pack: Pack, report: Report) -> None:
    """Report each unknown id in the effects of the game, at every use.

    Ids of a kind without entities are skipped, because `empty-kind` reports the kind.
    """
    ids = [entity.local_id for entity in pack.all_entities()]
    known = frozenset(ids)
    for subject, effects in pack.game.effects.items():
        uses = dict.fromkeys(use for effect in effects for use in effect.names)
        for name, span in uses:
            if name not in known and pack.entities.get(name.partition("/")[0]) != ():
                effect = Subject("effect", subject, span)
                message, hint = f'the text has no "{name}"', _suggestion(name, ids)
                report(error("unknown-subject", span, message, hint, subject=effect))


def _suggestion(name: str, ids: list[str]) -> str:
    """A hint with the id of the same slug in another kind, or else with the most similar id; may be empty."""
    slug = name.rpartition("/")[2]
    close = [other for other in ids if other.endswith(f"/{slug}")] or get_close_matches(name, ids, n=1, cutoff=0.8)
    return f'did you mean "{close[0]}"?' if close else ""
