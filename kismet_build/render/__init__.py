"""Render packs as files in memory: the public functions of this stage."""

from collections.abc import Callable, Sequence

from kismet_build.config.library import LibraryConfig
from kismet_build.render.data.document_parts import Parts, adopt_parts
from kismet_build.render.data.index_json import emit_data_index
from kismet_build.render.data.json_writer import json_file
from kismet_build.render.data.pack_json import InvalidPack, Listing, emit_schemas, listing
from kismet_build.render.html.addresses import Files
from kismet_build.render.html.recorded_pack import Key
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.pages.site_page import dead_entries, dead_links
from kismet_build.render.site.assets import emit_library
from kismet_build.render.site.changes import changed_keys
from kismet_build.render.site.outputs import (
    addresses,
    files_of_game,
    in_layout,
    page,
    pages,
    pages_of_document,
    paths,
    prepare,
    render,
)
from kismet_build.render.site.search_names import emit_game_list, emit_search_words
from kismet_build.render.site.service_worker import emit_offline_page, emit_service_worker
from kismet_build.render.site.shards import BundleRenderer
from kismet_build.render.site.sitemap import emit_llms, emit_sitemap

__all__ = [
    "LIBRARY_CONFIG_EMITTERS",
    "LIBRARY_EMITTERS",
    "BundleRenderer",
    "InvalidPack",
    "Key",
    "Listing",
    "Parts",
    "addresses",
    "adopt_parts",
    "author_template_errors",
    "changed_keys",
    "dead_entries",
    "dead_links",
    "emit_data_index",
    "emit_service_worker",
    "emit_sitemap",
    "files_of_game",
    "in_layout",
    "json_file",
    "listing",
    "page",
    "pages",
    "pages_of_document",
    "paths",
    "prepare",
    "render",
]


LIBRARY_EMITTERS: tuple[Callable[[Sequence[Listing]], Files], ...] = (emit_schemas, emit_game_list, emit_search_words)
"""Emitters of library files that depend on the published data of the games only."""

LIBRARY_CONFIG_EMITTERS: tuple[Callable[[Sequence[Listing], LibraryConfig], Files], ...] = (
    emit_library,
    emit_offline_page,
    emit_llms,
)
"""Emitters of library files that also depend on the library's configuration."""
