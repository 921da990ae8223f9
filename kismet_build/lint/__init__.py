"""Checks of a compiled game. `kismet explain` prints the pages of `manual/`.

A check that reads only a document and its links is called by `driver/compile.py` and is not listed in this module.
"""

from collections.abc import Callable

from kismet_build.lint import calculators, dice, entities, game_files, links
from kismet_build.lint.calculators import stale_citation
from kismet_build.model.diagnostic import Report
from kismet_build.pack import Pack

CHECKS: tuple[Callable[[Pack, Report], None], ...] = (
    entities.duplicate_id,
    entities.invalid_entity,
    game_files.empty_kind,
    entities.missing_field,
    entities.odd_fields,
    entities.repeated_name,
    entities.repeated_value,
    game_files.unknown_subject,
    game_files.stale_migration,
    game_files.stale_unwritten,
    game_files.unknown_part,
    game_files.unknown_kind,
    game_files.unmatched_book_text,
    game_files.unknown_search_name,
    game_files.missing_rule,
    game_files.empty_board_field,
    links.embed_cycle,
    links.oversized_embed,
    links.ambiguous_link,
    stale_citation,
    game_files.stale_correction,
    calculators.wrong_example,
    calculators.wrong_figure,
    calculators.table_disagrees,
    dice.faulty_roll_table,
    dice.unreadable_dice,
    links.active_attachment,
    links.unresolved_link,
)
"""All checks, in the order in which they run."""
