"""`stale-correction`: a correction whose entry, section, field or words are not in the text."""

from collections.abc import Mapping
from difflib import get_close_matches

from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Report, warning
from kismet_build.pack import Entity, Pack, corrected_value, has_words, section_id


def stale_correction(pack: Pack, report: Report) -> None:
    """Report corrections whose subject or field does not exist, or does not have the corrected words.

    Corrections whose printed words are still in the text are accepted, because the text may be an uncorrected edition.
    Subjects of a kind without entities are skipped, because `empty-kind` reports the kind.
    """
    if not pack.game.definition.corrections:
        return
    prefix = f"{pack.game.id}/"
    subjects: Mapping[str, Entity | Section] = {
        **{section_id(pack.game, section).removeprefix(prefix): section for section in pack.book.all_sections()},
        **{entity.id.removeprefix(prefix): entity for entity in pack.all_entities()},
    }
    for name, corrections in pack.game.definition.corrections.items():
        subject = subjects.get(name)
        for correction in corrections if pack.entities.get(name.partition("/")[0]) != () else ():
            if subject is None:
                close = get_close_matches(name, subjects, n=1, cutoff=0.8)
                hint = f'did you mean "{close[0]}"?' if close else ""
                report(warning("stale-correction", correction.span, f'the text has no "{name}"', hint))
            elif corrected_value(subject, correction.field) is None:
                report(warning("stale-correction", correction.span, f'"{name}" has no "{correction.field}"'))
            elif not any(
                has_words(subject, correction.field, words) for words in (correction.taken, correction.printed)
            ):
                message = f'"{correction.field}" of "{name}" does not have "{correction.taken}"'
                report(warning("stale-correction", correction.span, message))
