"""Render packs as files in memory: the public functions of this stage."""

from kismet_build.render.data.document_parts import Parts, adopt_parts
from kismet_build.render.data.index_json import data_index
from kismet_build.render.data.json_writer import json_file
from kismet_build.render.data.pack_json import InvalidPack, Listing, listing
from kismet_build.render.html.recorded_pack import Key
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.pages.site_page import dead_entries, dead_links
from kismet_build.render.site.changes import changed_keys
from kismet_build.render.site.outputs import (
    addresses,
    files_of_game,
    in_layout,
    library_files,
    page,
    pages,
    pages_of_document,
    paths,
    prepare,
    render,
)
from kismet_build.render.site.service_worker import emit_service_worker
from kismet_build.render.site.shards import BundleRenderer

__all__ = [
    "BundleRenderer",
    "InvalidPack",
    "Key",
    "Listing",
    "Parts",
    "addresses",
    "adopt_parts",
    "author_template_errors",
    "changed_keys",
    "data_index",
    "dead_entries",
    "dead_links",
    "emit_service_worker",
    "files_of_game",
    "in_layout",
    "json_file",
    "library_files",
    "listing",
    "page",
    "pages",
    "pages_of_document",
    "paths",
    "prepare",
    "render",
]
