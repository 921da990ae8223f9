"""Turn packs into files in memory: the table of emitters."""

from collections.abc import Callable, Iterator, Sequence

from kismet_build.emitters.data import InvalidPack, emit_data, emit_schemas, to_bytes
from kismet_build.emitters.site import emit_calculators, emit_library, emit_site
from kismet_build.entity import Pack

__all__ = ["EMITTERS", "LIBRARY_EMITTERS", "InvalidPack", "to_bytes"]

Files = Iterator[tuple[str, bytes]]

EMITTERS: tuple[Callable[[Pack], Files], ...] = (emit_site, emit_calculators, emit_data)
"""What each game becomes; the first takes as long as the others together."""

LIBRARY_EMITTERS: tuple[Callable[[Sequence[Pack]], Files], ...] = (emit_schemas, emit_library)
"""What all games together become."""
