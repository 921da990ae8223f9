"""Checks of a compiled game. `kismet explain` prints the pages of `manual/`.

A check that reads only a document and its links is called by `driver/compile.py` and is not listed in this module.
"""

from collections.abc import Callable

from kismet_build.lint.active_attachment import active_attachment
from kismet_build.lint.ambiguous_link import ambiguous_link
from kismet_build.lint.duplicate_id import duplicate_id
from kismet_build.lint.embed_cycle import embed_cycle
from kismet_build.lint.empty_board_field import empty_board_field
from kismet_build.lint.empty_kind import empty_kind
from kismet_build.lint.faulty_roll_table import faulty_roll_table
from kismet_build.lint.invalid_entity import invalid_entity
from kismet_build.lint.missing_field import missing_field
from kismet_build.lint.missing_rule import missing_rule
from kismet_build.lint.odd_value import odd_fields
from kismet_build.lint.oversized_embed import oversized_embed
from kismet_build.lint.repeated_name import repeated_name
from kismet_build.lint.repeated_value import repeated_value
from kismet_build.lint.stale_citation import stale_citation
from kismet_build.lint.stale_correction import stale_correction
from kismet_build.lint.stale_migration import stale_migration
from kismet_build.lint.stale_unwritten import stale_unwritten
from kismet_build.lint.table_disagrees import table_disagrees
from kismet_build.lint.unknown_kind import unknown_kind
from kismet_build.lint.unknown_part import unknown_part
from kismet_build.lint.unknown_search_name import unknown_search_name
from kismet_build.lint.unknown_subject import unknown_subject
from kismet_build.lint.unmatched_book_text import unmatched_book_text
from kismet_build.lint.unreadable_dice import unreadable_dice
from kismet_build.lint.unresolved_link import unresolved_link
from kismet_build.lint.wrong_example import wrong_example
from kismet_build.lint.wrong_figure import wrong_figure
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
