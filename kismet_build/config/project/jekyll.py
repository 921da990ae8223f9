"""Read the project file of Jekyll (`_config.yml`), with the navigation of the theme Just the Docs."""

from pathlib import PurePath
from typing import Any

from kismet_build.config.project.configuration import Configuration
from kismet_build.config.project.defaults import GivenProperties, defaults_of_jekyll
from kismet_build.config.project.project import (
    ListingKeys,
    Project,
    PublicationRules,
    Routing,
    patterns_across_folders,
    plain_words,
)

FILES = ("_config.yml", "_config.yaml", "_config.toml")
PARTS = ("/_data/", "/_includes/", "/_layouts/", "/_site/", "/node_modules/", "/vendor/")
"""Patterns for folders that do not contain texts: parts of pages, their data, and generated files."""
INCLUDED = ("_*.md", "_*.markdown")
"""Patterns for texts that have no page, but that others may include."""
NEVER = ("_*", ".*", "#*", "*~")
"""Patterns of the texts that Jekyll publishes only if the configuration includes them."""
LISTING = ListingKeys(
    order=("nav_order",),
    title=("title",),
    hidden=("nav_exclude",),
    parents=("parent", "grand_parent"),
    needs_title=True,
    sorts_by_title=True,
)


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    folder = configuration.file.parent / configuration.text("source")
    collections = [f"/_{name}/" for name in _published_collections(configuration)]
    shown = [f"/{name}" for name in configuration.lines("include")]
    shows_parts = any(PurePath(path).match(pattern) for path in shown for pattern in INCLUDED)
    return Project(
        generator="Jekyll",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="jekyll",
        options={
            "site": configuration.value,
            "callouts": dict(_callouts(configuration)),
            "emoji": "jemoji" in (*configuration.lines("plugins"), *configuration.lines("gems")),
        },
        title=configuration.text("title") or configuration.text("name"),
        description=configuration.text("description"),
        language=configuration.text("lang") or configuration.text("locale").replace("_", "-"),
        url=(configuration.text("url") + configuration.text("baseurl")),
        copyright=plain_words(configuration.text("footer_content")),
        listing=LISTING,
        routing=Routing(base=configuration.text("baseurl"), addresses=("permalink", "redirect_from")),
        publication=PublicationRules(
            published=("published",),
            not_before=() if configuration.value.get("future") is True else ("date",),
            has_dated_names=True,
            needs_properties="jekyll-optional-front-matter" not in configuration.lines("plugins"),
        ),
        given=GivenProperties(defaults_of_jekyll(configuration.value.get("defaults"))),
        parts=PARTS if shows_parts else (*PARTS, *INCLUDED),
        suffixes=(".html",),
        exclude=(
            *NEVER,
            *(f"!{pattern}" for pattern in (*collections, *shown)),
            *(part for pattern in configuration.lines("exclude") for part in patterns_across_folders(pattern)),
        ),
    )


def _published_collections(configuration: Configuration) -> list[str]:
    """The names of the collections that have pages, including `posts`."""
    value = configuration.value.get("collections")
    has_pages = (name for name, options in _items(value) if isinstance(options, dict) and options.get("output") is True)
    return ["posts", *has_pages]


def _callouts(configuration: Configuration) -> list[tuple[str, str]]:
    """The classes that mark a callout in Just the Docs, with the titles of the callouts."""
    callouts = _items(configuration.value.get("callouts"))
    return [(name, str(options.get("title") or "")) for name, options in callouts if isinstance(options, dict)]


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []
