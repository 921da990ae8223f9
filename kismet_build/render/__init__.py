"""Render packs as files in memory: the public functions of this stage."""

from kismet_build.model.json_writer import json_file
from kismet_build.render.data.document_parts import Parts, adopt_parts, parts_of
from kismet_build.render.data.index_json import data_index
from kismet_build.render.data.pack_json import LazyListing, Listing, listing, published_listing
from kismet_build.render.fragments.page_context import anchor_address, forget_fragments
from kismet_build.render.html.addresses import LazyFiles
from kismet_build.render.html.cached import forget_cached
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.pages.site_page import dead_entries, dead_links
from kismet_build.render.site.outputs import (
    addresses,
    files_of_document,
    files_of_game,
    find,
    general_schemas,
    in_layout,
    library_files,
    page,
    pages,
    pages_of_game,
    paths,
    prepare,
    render,
    shards,
)
from kismet_build.render.site.service_worker import emit_service_worker

__all__ = [
    "LazyFiles",
    "LazyListing",
    "Listing",
    "Parts",
    "addresses",
    "adopt_parts",
    "anchor_address",
    "author_template_errors",
    "data_index",
    "dead_entries",
    "dead_links",
    "emit_service_worker",
    "files_of_document",
    "files_of_game",
    "find",
    "forget_cached",
    "forget_fragments",
    "general_schemas",
    "in_layout",
    "json_file",
    "library_files",
    "listing",
    "page",
    "pages",
    "pages_of_game",
    "parts_of",
    "paths",
    "prepare",
    "published_listing",
    "render",
    "shards",
]
