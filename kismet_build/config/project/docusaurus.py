"""Read the literals in the project files of Docusaurus (`docusaurus.config.js` and its sidebars)."""

import re
from collections.abc import Iterator
from os.path import relpath, sep
from typing import Any

from kismet_build.config.discovery import patterns_without_braces
from kismet_build.config.project.configuration import CODE, Configuration, read_text
from kismet_build.config.project.js_literals import LiteralReader
from kismet_build.config.project.project import ListingKeys, Project, Routing
from kismet_build.model.diagnostic import Related, ignore, info
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.source import Source, Span

FILES = tuple(f"docusaurus.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs"))
SIDEBARS = tuple(f"sidebars.{suffix}" for suffix in ("js", "ts", "mjs", "cjs", "json"))
EXPORTED = re.compile(r"(?:module\.exports\s*=|export\s+default|\b(?:const|let|var)\s+\w+(?:\s*:\s*[\w.]+)?\s*=|\A)\s*")
PARTS = ("_*.md", "_*.mdx", "**/_*/**/*.md", "**/_*/**/*.mdx", ".*")
"""Patterns for texts that exist only to be imported by other texts, and for hidden files.

A folder whose name begins with an underscore may also have images, which these patterns do not match.
"""
LISTING = ListingKeys(
    folder_files=("_category_.json", "_category_.yml", "_category_.yaml"),
    order=("sidebar_position",),
    title=("sidebar_label",),
    hidden=("unlisted",),
    sorts_by_prefix=True,
    ids=("id",),
)


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    folder = configuration.file.parent
    reader = LiteralReader(configuration.source)
    values = reader.object_after(EXPORTED)
    docs = _options_of_docs(values)
    sidebars, unread = _sidebars(configuration)
    _report_unread([*reader.unread, *unread], configuration)
    base, route = _text(values, "baseUrl"), _text(docs, "routeBasePath") or "docs"
    texts = folder / (_text(docs, "path") or "docs")
    return Project(
        generator="Docusaurus",
        file=configuration.file,
        place=sidebars or configuration.source,
        folder=texts,
        dialect="docusaurus",
        options={
            "site_folder": relpath(folder, texts).replace(sep, "/"),
            "math": "remark-math" in configuration.source.text,
        },
        title=_text(values, "title"),
        description=_text(values, "tagline"),
        language=_text(values.get("i18n"), "defaultLocale"),
        url=_text(values, "url"),
        navigation=tuple(_items(LiteralReader(sidebars).object_after(EXPORTED))) if sidebars else (),
        listing=LISTING,
        routing=Routing(base=f"{base.rstrip('/')}/{route.strip('/')}", names=("slug", "id")),
        static=tuple(_lines(values.get("staticDirectories"))) or ("static",),
        suffixes=(".mdx",),
        parts=PARTS,
        exclude=tuple(part for pattern in _lines(docs.get("exclude")) for part in patterns_without_braces(pattern)),
    )


def _lines(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _options_of_docs(values: dict[str, Any]) -> dict[str, Any]:
    """The options of `docs` in the classic preset."""
    for preset in values.get("presets") or ():
        options = preset[1] if isinstance(preset, list) and len(preset) > 1 else None
        if isinstance(options, dict) and isinstance(options.get("docs"), dict):
            return dict(options["docs"])
    return {}


def _sidebars(configuration: Configuration) -> tuple[Source | None, list[Span]]:
    """The source of the sidebars, and the spans of the expressions in it that are not literals."""
    for name in SIDEBARS:
        if (source := read_text(configuration.file.parent / name, ignore)) is not None:
            reader = LiteralReader(source)
            reader.object_after(EXPORTED)
            return source, reader.unread
    return None, []


def _report_unread(spans: list[Span], configuration: Configuration) -> None:
    for span in spans[:1]:
        count = f"{len(spans)} expressions are" if len(spans) > 1 else "one expression is"
        message = f"{count} not read, because only texts, numbers, lists and objects are"
        related = tuple(Related(other, "also here") for other in spans[1:])
        configuration.report(info(CODE, span, message, related=related))


def _items(sidebars: Any) -> Iterator[NavigationItem]:
    """The entries of sidebars."""
    for items in sidebars.values() if isinstance(sidebars, dict) else [sidebars]:
        for item in items if isinstance(items, list) else [items]:
            yield from _entries(item)


def _entries(item: Any) -> Iterator[NavigationItem]:
    """The entries that an item stands for.

    An entry for texts that are generated from a folder has a path that ends in `/*`.
    """
    if isinstance(item, str):
        yield NavigationItem("", item)
    if not isinstance(item, dict):
        return
    match item.get("type"):
        case "autogenerated":
            yield NavigationItem("", f"{_text(item, 'dirName').strip('./')}/*")
        case "doc" | "ref":
            yield NavigationItem(_text(item, "label"), _text(item, "id"))
        case "category":
            below = tuple(entry for inner in item.get("items") or () for entry in _entries(inner))
            yield NavigationItem(_text(item, "label"), _text(item.get("link"), "id"), below)
        case None:
            for title, items in item.items():
                yield NavigationItem(str(title), items=tuple(_items(items)))
        case _:
            pass


def _text(values: Any, key: str) -> str:
    value = values.get(key) if isinstance(values, dict) else None
    return " ".join(value.split()) if isinstance(value, str) else ""
