"""Read the project file of Jekyll (`_config.yml`), with the navigation of the theme Just the Docs."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from kismet_build.config.answers import Answer, answer
from kismet_build.config.data_file import unknown_privacy
from kismet_build.config.privacy import OF_THEMES, PublicationRules
from kismet_build.config.sources import OUR_FILES, VaultSource
from kismet_build.config.sources.configuration import Configuration
from kismet_build.config.sources.defaults import Defaults, GivenProperties
from kismet_build.config.sources.vault import (
    ListingKeys,
    Routing,
    Vault,
    patterns_across_folders,
    plain_words,
)
from kismet_build.model.source import read_regular_file

PARTS = ("/_data/", "/_includes/", "/_layouts/", "/_site/", "/node_modules/", "/vendor/")
"""Patterns for folders that do not contain texts: parts of pages, their data, and generated files."""
INCLUDED = ("_*.md", "_*.markdown")
"""Patterns for texts that have no page, but that others may include."""
NO_PAGES = (
    *("code_of_conduct.*", "contributing.*", "copying.*", "issue_template.*", "licence.*", "license.*"),
    "pull_request_template.*",
)
"""The texts about a repository, of which GitHub Pages makes no pages."""
MAX_GEMFILE = 1
"""Maximum size of a Gemfile that is read, in megabytes."""
OF_OTHERS = frozenset(("new_post_name", "skip_render", "source_dir"))
"""Settings of Hexo, whose file has the same name."""
HIDING_CODE = re.compile(r"\bHooks\b|\bGenerator\b|Liquid::Block")
"""What a plugin contains that can leave out pages or parts of them."""
POSTS = "_posts"
"""The name of folders with posts."""
POST_NAME = re.compile(r"\d{2,4}-\d\d?-\d\d?-.+\.\w+")
STYLES = {
    "date": "/:categories/:year/:month/:day/:title",
    "pretty": "/:categories/:year/:month/:day/:title",
    "none": "/:categories/:title",
}
"""The addresses of posts, by the name of the style."""
LISTING = ListingKeys(
    order=("nav_order",),
    title=("title",),
    hidden=("nav_exclude",),
    parents=("parent", "grand_parent"),
    needs_title=True,
    sorts_by_title=True,
)


def defaults_of(entries: Any) -> tuple[Defaults, ...]:
    """Read the `defaults` of a configuration file, the most specific first. Raises `ValueError` for other forms."""
    found = []
    if not isinstance(entries, list | None):
        raise ValueError("is not a list")
    for number, entry in enumerate(entries or ()):
        scope, values = (entry.get(key) or {} if isinstance(entry, dict) else None for key in ("scope", "values"))
        if not isinstance(scope, dict) or not isinstance(values, dict):
            raise ValueError("has an entry without `scope` and `values`")
        path, kind = (str(scope.get(key) or "") for key in ("path", "type"))
        paths = (f"{path.strip('/').casefold()}/**",) if path.strip("/") else ()
        found.append(((len(path), kind != "", number), Defaults(values, paths, (kind,) if kind else ())))
    return tuple(defaults for _, defaults in sorted(found, key=lambda pair: pair[0], reverse=True))


def read_vault(configuration: Configuration) -> Vault:
    """The site of a configuration file."""
    configuration.check_names("exclude")
    root = configuration.file.parent
    if (root / "_toc.yml").is_file() or not OF_OTHERS.isdisjoint(configuration.value):
        raise configuration.unknown("kismet does not read the settings of this site generator, which is not Jekyll")
    folder = root / configuration.closed_path("source")
    for file in sorted((root / (configuration.text("plugins_dir") or "_plugins")).rglob("*.rb")):
        with suppress(OSError):
            if HIDING_CODE.search(read_regular_file(file, None, MAX_GEMFILE).decode("utf-8", "replace")):
                raise unknown_privacy(file, "this program may leave out texts")
    excluded = [pattern.removeprefix("/") for pattern in configuration.closed_lines("exclude")]
    above_texts = re.escape(folder.resolve().as_posix())
    shown = configuration.closed_lines("include")
    shows_parts = any(PurePath(f"/{path}").match(pattern) for path in shown for pattern in INCLUDED)
    if answer(configuration.closed("limit_posts")) not in (Answer.EMPTY, Answer.NO):
        raise configuration.unknown("leaves out old posts, which kismet does not do", "limit_posts")
    above = f"{configuration.closed_path('collections_dir').strip('/')}/".removeprefix("/")
    collections = tuple(f"{above}_{name}/" for name in _published_collections(configuration))
    return Vault(
        name="Jekyll",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="jekyll",
        options={
            "site": configuration.value,
            "callouts": dict(_callouts(configuration)),
            "redirect": "redirect_to",
            "emoji": "jemoji" in (*configuration.lines("plugins"), *configuration.lines("gems")),
        },
        title=configuration.text("title") or configuration.text("name"),
        description=configuration.text("description"),
        language=configuration.text("lang") or configuration.text("locale").replace("_", "-"),
        url=(configuration.text("url") + configuration.text("baseurl")),
        copyright=plain_words(configuration.text("footer_content")),
        listing=LISTING,
        routing=Routing(
            base=configuration.text("baseurl"),
            addresses=("permalink", "redirect_from"),
            permalinks=tuple(_permalinks(configuration)),
        ),
        publication=PublicationRules(
            ignored=OF_THEMES,
            empty_is_no=("published",),
            not_before=() if configuration.value.get("future") is True else ("date",),
            dated="|".join((rf"(?:.*/)?{POSTS}/", *map(re.escape, collections))),
            has_dated_names=configuration.value.get("future") is not True,
            needs_properties=_texts_with_properties(configuration, folder),
        ),
        given=GivenProperties(_defaults(configuration)),
        parts=PARTS if shows_parts else (*PARTS, *INCLUDED),
        suffixes=(".html",),
        exclude=tuple(part for pattern in excluded for part in patterns_across_folders(pattern)),
        # Jekyll also takes a pattern for the start of a path.
        exclude_expressions=tuple(f"^{above_texts}/{re.escape(pattern)}" for pattern in excluded),
        hides=partial(_is_left_out, collections=(f"{above}{POSTS}/", *collections), shown=shown),
    )


def _defaults(configuration: Configuration) -> tuple[Defaults, ...]:
    try:
        return defaults_of(configuration.closed("defaults"))
    except ValueError as problem:
        raise configuration.unknown(str(problem), "defaults") from problem


def _is_left_out(path: str, collections: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether Jekyll leaves out a file because of its name or the names of its folders.

    `collections`: the folders of those that are published. `shown`: patterns that the configuration includes.
    """
    collection = next(filter(path.startswith, collections), "")
    *folders, name = path.removeprefix(collection).split("/")
    posts = collection.endswith(f"{POSTS}/") or POSTS in folders
    for part in (*(folder for folder in folders if folder != POSTS), name):
        is_shown = path in shown or any(fnmatchcase(part, pattern.strip("/")) for pattern in shown)
        if (part.startswith(("_", ".", "#", "~")) or part.endswith("~")) and not is_shown:
            return True
    return posts and not POST_NAME.fullmatch(name)


def _texts_with_properties(configuration: Configuration, folder: Path) -> tuple[str, ...]:
    """Patterns for the names of texts that are pages only if they have properties.

    Without a Gemfile, or with `github-pages` in it, the site is for GitHub Pages. This host also publishes texts
    without properties, except those in `NO_PAGES`. Without an index, the README is the home page.
    """
    gems = configuration.file.with_name("Gemfile")
    is_on_github = not gems.exists() or "github-pages" in _content(gems)
    if not is_on_github and "jekyll-optional-front-matter" not in configuration.lines("plugins"):
        return ("*",)
    has_index = any((folder / f"index{suffix}").exists() for suffix in (".md", ".markdown", ".html"))
    return (*NO_PAGES, "readme.*") if has_index or not is_on_github else NO_PAGES


def _content(file: Path) -> str:
    with suppress(OSError):
        return read_regular_file(file, file.parent, MAX_GEMFILE).decode("utf-8", "replace")
    return ""


def _published_collections(configuration: Configuration) -> list[str]:
    value = configuration.closed("collections")
    if not isinstance(value, dict | list | None):
        raise configuration.unknown("is neither a map nor a list", "collections")
    return [name for name, options in _items(value) if isinstance(options, dict) and options.get("output") is True]


def _permalinks(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """The folders of collections, with the addresses of their texts."""
    written = configuration.text("permalink")
    posts = written if written.startswith("/") else STYLES.get(written, STYLES["date"])
    for name, options in [("posts", None), *_items(configuration.value.get("collections"))]:
        own = options.get("permalink") if isinstance(options, dict) else None
        if isinstance(own, str) or name == "posts":
            yield f"_{name}/", own if isinstance(own, str) else posts


def _callouts(configuration: Configuration) -> list[tuple[str, str]]:
    callouts = _items(configuration.value.get("callouts"))
    return [(name, str(options.get("title") or "")) for name, options in callouts if isinstance(options, dict)]


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


source = VaultSource(OUR_FILES["jekyll"], read_vault)
