"""`missing-rule`: a term of `rules` in the game file that no section defines."""

from difflib import get_close_matches

from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Pack


def missing_rule(pack: Pack, report: Report) -> None:
    """Report each term that `rules` names and whose section is missing, or has no text with the term."""
    if not pack.game.rule_terms:
        return
    titles = {normalize(section.anchor.title): section.anchor.title for section in pack.book.all_sections()}
    for term, span in pack.game.rule_terms:
        if f"{pack.game.id}/{RULE_KIND}/{folder_name(term.name)}" in pack.by_id:
            continue
        if (heading := normalize(term.heading)) in titles:
            message, hint = f'no text of the section "{term.place}" has the words "{term.name}"', ""
        else:
            message = f'no section "{term.place}" defines "{term.name}"'
            close = get_close_matches(heading, titles, n=1)
            hint = f'did you mean "{titles[close[0]]}"?' if close else "write the title of the section that defines it"
        report(warning("missing-rule", span, message, hint))
