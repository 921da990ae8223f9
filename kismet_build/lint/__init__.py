"""Checks of a compiled game. `kismet explain` prints the pages of `manual/`.

A check that reads only a document and its links is called by `driver/compile.py` and is not listed in this module.
"""

from collections.abc import Callable

from kismet_build.lint.calculators import table_disagrees, wrong_example, wrong_figure
from kismet_build.lint.dice import faulty_roll_table, unreadable_dice
from kismet_build.lint.entities import (
    duplicate_id,
    invalid_entity,
    missing_field,
    odd_fields,
    repeated_name,
    repeated_value,
)
from kismet_build.lint.game_files import (
    empty_board_field,
    empty_kind,
    missing_rule,
    stale_correction,
    stale_migration,
    stale_unwritten,
    unknown_kind,
    unknown_part,
    unknown_search_name,
    unknown_subject,
    unmatched_book_text,
)
from kismet_build.lint.links import active_attachment, ambiguous_link, embed_cycle, oversized_embed, unresolved_link
from kismet_build.lint.stale_citation import stale_citation
from kismet_build.model.diagnostic import Report
from kismet_build.pack import Pack

CHECKS: tuple[Callable[[Pack, Report], None], ...] = (
    duplicate_id,
    invalid_entity,
    empty_kind,
    missing_field,
    odd_fields,
    repeated_name,
    repeated_value,
    unknown_subject,
    stale_migration,
    stale_unwritten,
    unknown_part,
    unknown_kind,
    unmatched_book_text,
    unknown_search_name,
    missing_rule,
    empty_board_field,
    embed_cycle,
    oversized_embed,
    ambiguous_link,
    stale_citation,
    stale_correction,
    wrong_example,
    wrong_figure,
    table_disagrees,
    faulty_roll_table,
    unreadable_dice,
    active_attachment,
    unresolved_link,
)
"""All checks, in the order in which they run."""
