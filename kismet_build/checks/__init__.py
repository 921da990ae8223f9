"""Judge a pack: the table of checks, each a function that reports what it finds."""

from collections.abc import Callable

from kismet_build.checks.ambiguous_link import ambiguous_link
from kismet_build.checks.duplicate_id import duplicate_id
from kismet_build.checks.embed_cycle import embed_cycle
from kismet_build.checks.empty_kind import empty_kind
from kismet_build.checks.invalid_entity import invalid_entity
from kismet_build.checks.oversized_embed import oversized_embed
from kismet_build.checks.unresolved_link import unresolved_link
from kismet_build.diagnostic import Report
from kismet_build.entity import Pack

CHECKS: tuple[Callable[[Pack, Report], None], ...] = (
    duplicate_id,
    invalid_entity,
    empty_kind,
    embed_cycle,
    oversized_embed,
    ambiguous_link,
    unresolved_link,  # last: what extraction found has had every chance to be what a link names
)
