"""Run the Liquid in texts of Jekyll, as far as its result does not depend on other pages."""

import csv
import json
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from io import StringIO
from posixpath import basename, splitext
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.sources.defaults import properties_by_default
from kismet_build.extensions.sites.jekyll.source import defaults_of
from kismet_build.extensions.sites.shared.templates.render import configuration, render
from kismet_build.extensions.sites.shared.templates.template import Language, tokens_of_liquid
from kismet_build.extensions.sites.shared.templates.values import UNKNOWN, Fields, is_something
from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown.frontmatter import frontmatter

MAX_DATA_FILES = 100
"""The number of data files in the cache: many texts use the same files."""
OF_THE_SITE = frozenset(
    (
        *("time", "pages", "posts", "static_files", "html_pages", "html_files", "collections", "documents"),
        *("related_posts", "categories", "tags", "github", "source", "destination"),
    )
)
"""Values of `site` that Jekyll computes from all pages."""
OF_THE_PAGE = frozenset(
    ("url", "id", "content", "excerpt", "next", "previous", "date", "categories", "dir", "collection")
)
"""Values of `page` that Jekyll computes."""


def variables_of_jekyll(source: Source, inputs: Inputs, is_target: list[bool]) -> Mapping[str, Any]:
    """The values that a text of Jekyll may name. `is_target`: as in `site_values`."""
    return {
        "site": site_values(inputs, is_target),
        "page": page_values(source, inputs),
        "jekyll": {"environment": "production", "version": UNKNOWN},
        **dict.fromkeys(("layout", "content", "paginator", "theme"), UNKNOWN),
    }


def site_values(inputs: Inputs, is_target: list[bool]) -> Fields:
    """The values of `site`. `baseurl`, and `url` in links, are empty: kismet uses neither for links within the site.

    `is_target`: a list with one value, whether the next output is the address of a link.
    """
    config = configuration(inputs)
    computed = OF_THE_SITE | set(config.get("collections") or ())
    data = _data(inputs, "_data")

    def find(name: str) -> Any:
        if name == "data" and "data" not in config:
            return data
        if name == "baseurl" or (name == "url" and is_target[0]):
            return ""
        return config.get(name, UNKNOWN if name in computed else None)

    return Fields(find)


def _data(inputs: Inputs, folder: str) -> Fields:
    """The values in a folder of data files: the contents of its files, and its subfolders."""
    return Fields(cache(lambda name: _data_file(inputs, f"{folder}/{name}")))


def _data_file(inputs: Inputs, path: str) -> Any:
    """The content of a data file, or else the values in a folder with this path."""
    for suffix in (".yml", ".yaml", ".json", ".csv", ".tsv"):
        source = inputs.read(f"{path}{suffix}")
        if source is not None:
            return _content(source)
    return _data(inputs, path)


@lru_cache(MAX_DATA_FILES)
def _content(source: Source) -> Any:
    if source.path.endswith((".csv", ".tsv")):
        rows = csv.DictReader(StringIO(source.text), delimiter="\t" if source.path.endswith(".tsv") else ",")
        try:
            return [{key: value for key, value in row.items() if isinstance(key, str)} for row in rows]
        except csv.Error:
            return UNKNOWN
    data = yaml.parse(source, ignore, "invalid-data")  # JSON is a subset of YAML
    return UNKNOWN if data is None else json.loads(json.dumps(data.value, default=str))


def page_values(source: Source, inputs: Inputs) -> Fields:
    """The values of `page`: properties of the page, `defaults` of the configuration for its path, and its path."""
    properties = cache(lambda: frontmatter(source, ignore).data or {})
    entries = configuration(inputs).get("defaults")
    defaults = cache(lambda: properties_by_default(source.path, defaults_of(entries)))
    places = {"path": source.path, "name": basename(source.path), "slug": splitext(basename(source.path))[0]}

    def find(name: str) -> Any:
        if name in properties():
            value = properties()[name]
            return str(value) if isinstance(value, date) else value
        if name in defaults():
            return defaults()[name]
        return places.get(name, UNKNOWN if name in OF_THE_PAGE else None)

    return Fields(find)


LIQUID = Language(
    "Liquid",
    tokens_of_liquid,
    variables_of_jekyll,
    is_something,
    includes=("include", "include_cached", "include_relative"),
    is_strict=False,
)


def expand_liquid(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Liquid in a text by its output. Returns the same source if the text has no Liquid.

    A condition that only Jekyll can decide counts as true, and a loop over unknown values shows its content once. Any
    other unknown value or tag is left out and reported.
    """
    has_tags = "{%" in source.text or "{{" in source.text
    return render(source, inputs, report, LIQUID) if has_tags else source
