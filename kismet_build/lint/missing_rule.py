"""`missing-rule`: a term of `rules` in the game file that no section defines."""

from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Pack


def missing_rule(pack: Pack, report: Report) -> None:
    """Report each term of `rules` whose section is missing or does not mention the term."""
    if not pack.game.definition.linking.terms:
        return
    titles = {normalize(section.anchor.title): section.anchor.title for section in pack.book.all_sections()}
    for term, span in pack.game.definition.linking.terms:
        if f"{pack.game.id}/{RULE_KIND}/{folder_name(term.name)}" in pack.by_id:
            continue
        hint = "the term must be in the title of the section or in its own text"
        if normalize(term.heading) not in titles:
            hint = did_you_mean(term.heading, titles.values(), hint)
        message = f'no section "{term.place}" defines "{term.name}"'
        report(warning("missing-rule", span, message, hint))
