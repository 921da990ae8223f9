"""Render packs as files in memory: the public functions of this stage."""

from collections.abc import Callable, Sequence

from kismet_build.config.library import LibraryConfig
from kismet_build.render.data.index_json import emit_data_index
from kismet_build.render.data.json_writer import json_file
from kismet_build.render.data.pack_json import InvalidPack, Listing, emit_schemas, listing
from kismet_build.render.data.shard_result import ShardResult
from kismet_build.render.html.addresses import Files
from kismet_build.render.html.dice_buttons import rolled_notations
from kismet_build.render.html.recorded_pack import Key
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.pages.site_page import dead_entries, dead_links
from kismet_build.render.site.assets import emit_library
from kismet_build.render.site.changes import changed_keys
from kismet_build.render.site.search_names import emit_game_list, emit_search_words
from kismet_build.render.site.service_worker import emit_offline_page, emit_service_worker
from kismet_build.render.site.shards import BundleRenderer, emit_game_files
from kismet_build.render.site.sitemap import emit_llms, emit_sitemap

__all__ = [
    "LIBRARY_CONFIG_EMITTERS",
    "LIBRARY_EMITTERS",
    "BundleRenderer",
    "InvalidPack",
    "Key",
    "Listing",
    "ShardResult",
    "author_template_errors",
    "changed_keys",
    "dead_entries",
    "dead_links",
    "emit_data_index",
    "emit_game_files",
    "emit_service_worker",
    "emit_sitemap",
    "json_file",
    "listing",
    "rolled_notations",
]


LIBRARY_EMITTERS: tuple[Callable[[Sequence[Listing]], Files], ...] = (emit_schemas, emit_game_list, emit_search_words)
"""Emitters of library files that depend on the published data of the games only."""

LIBRARY_CONFIG_EMITTERS: tuple[Callable[[Sequence[Listing], LibraryConfig], Files], ...] = (
    emit_library,
    emit_offline_page,
    emit_llms,
)
"""Emitters of library files that also depend on the library's configuration."""
