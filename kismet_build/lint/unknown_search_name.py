"""`unknown-search-name`: `search`, `linking` or `sample_questions` contains a name or an id that does not exist."""

from collections.abc import Iterator

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import Embed, Link
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import normalize
from kismet_build.model.titles import display_title
from kismet_build.pack import Pack, section_id


def unknown_search_name(pack: Pack, report: Report) -> None:
    """Report each name in `search` and `linking`, and each answer in `sample_questions`, that does not exist."""
    if pack.game.definition.sample_questions:
        _report_answers(pack, report)
    named = [(name, span) for name, _, span in pack.game.definition.search_words]
    named += [(name.rpartition("#")[2], span) for name, span in pack.game.definition.linking.names]
    if not named:
        return
    names = {normalize(name): name for name in (*_names(pack), *(table.caption for table in pack.tables))}
    for name, span in named:
        if normalize(name) not in names:
            hint = did_you_mean(name, names.values())
            report(warning("unknown-search-name", span, f'nothing is named "{name}"', hint))


def _report_answers(pack: Pack, report: Report) -> None:
    ids = [*pack.by_id, *(section_id(pack.game, section) for section in pack.book.all_sections())]
    local_ids = dict.fromkeys(full_id.partition("/")[2] for full_id in ids)
    for _, answer, span in pack.game.definition.sample_questions:
        if answer not in local_ids:
            hint = did_you_mean(answer, local_ids)
            report(warning("unknown-search-name", span, f'the text has no "{answer}"', hint))


def _names(pack: Pack) -> Iterator[str]:
    for entity in pack.all_entities():
        yield from (entity.name, *entity.aliases)
    for section in pack.book.all_sections():
        yield section.anchor.title
    for kind in pack.game.kinds.values():
        yield from (kind.title, kind.plural)
    for board in pack.game.boards:
        yield board.title
    for calculator in pack.game.calculators.values():
        yield calculator.title
    for chapter in pack.book.chapters:
        for link in chapter.document.links:
            target = pack.book.targets.get(link.span) if isinstance(link, Link | Embed) else None
            if target is not None and target.status == "missing-document":
                yield display_title(
                    link.target.partition("#")[0].strip().rpartition("/")[2], is_in_order=not pack.game.is_plain
                )
