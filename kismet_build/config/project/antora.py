"""Antora (`antora.yml`): one component, with its modules and the lists of its navigation files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from os.path import relpath, sep
from pathlib import Path
from typing import Any

from kismet_build.config.project.configuration import CODE, Configuration, read_configuration, read_text
from kismet_build.config.project.project import ListingKeys, Project, Routing
from kismet_build.config.project.resource_id import MAIN_MODULE, OPTION, Component
from kismet_build.config.project.xref_lists import entries_of, without_repeated_pages
from kismet_build.model.diagnostic import ignore, warning
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.source import Source

FILES = ("antora.yml",)
PLAYBOOK = "antora-playbook.yml"
MAX_LEVELS_ABOVE = 3
"""Number of parent folders of a component that are searched for a playbook."""
MODULES = "modules"
PARTS = (
    *("/**", "!/*/pages/**", "!/*/images/**", "!/*/attachments/**"),
    *("/*/pages/**/_*", "*.md", "*.markdown", "/*/attachments/**/*.adoc"),
)
"""Patterns for everything but pages, images and attachments.

Antora does not publish files whose names begin with an underscore as pages.
"""
PAGE_FOLDER = rf"^(?:{MAIN_MODULE}/pages/|([^/]+/)pages/)"
"""The folders at the start of a page's path that its address leaves out. The address keeps the group, a module."""


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    folder = configuration.file.parent / MODULES
    component = Component(configuration.text("name"), configuration.text("version"))
    title, start = configuration.text("title") or component.name, configuration.text("start_page")
    display_version = configuration.text("display_version") or component.version or "default"
    playbook = _playbook(configuration)
    attributes = {
        "env": "site",
        "env-site": "",
        "page-component-display-version": display_version,
        "page-component-latest-version": component.version,
        "page-component-name": component.name,
        "page-component-title": title,
        "page-component-version": component.version,
        "page-version": component.version,
        "site-gen": "antora",
        "site-gen-antora": "",
        **(
            {"site-title": playbook.text("site", "title"), "site-url": playbook.text("site", "url")} if playbook else {}
        ),
        **_written_attributes(configuration, playbook),
    }
    sources = _navigation_files(configuration)
    return Project(
        generator="Antora",
        file=configuration.file,
        # With several navigation files, the words of an entry do not say which file they are from.
        place=sources[0] if len(sources) == 1 else configuration.source,
        folder=folder,
        root=playbook.file.parent if playbook else Path(),
        dialect="asciidoc",
        options={"attributes": attributes, OPTION: component},
        title=title,
        navigation=_navigation(sources, configuration, component, attributes),
        listing=ListingKeys(title=("navtitle",)),
        routing=Routing(
            omitted=PAGE_FOLDER, home=component.path(start, "page", f"{MAIN_MODULE}/pages/") if start else ""
        ),
        parts=PARTS,
    )


def _written_attributes(configuration: Configuration, playbook: Configuration | None) -> dict[str, Any]:
    """The attributes of the component and of its playbook, whose values take precedence unless they end with an at
    sign.
    """
    own = dict(_attributes(configuration.mapping("asciidoc", "attributes")))
    of_site = dict(_attributes(playbook.mapping("asciidoc", "attributes"))) if playbook else {}
    fixed = {name: value for name, value in of_site.items() if not str(value).endswith("@")}
    return {**of_site, **own, **fixed}


def _playbook(configuration: Configuration) -> Configuration | None:
    folder = configuration.file.parent.resolve()
    for place in (folder, *folder.parents[:MAX_LEVELS_ABOVE]):
        file = place / PLAYBOOK
        if file.is_file() and file.resolve().parent == place:
            found = read_configuration(file, ignore)
            content = found.mapping("content") if found else {}
            sources = content.get("sources")
            for source in sources if isinstance(sources, list) else ():
                url = str(source.get("url")) if isinstance(source, dict) else ""
                if url.startswith(".") and (place / url / str(source.get("start_path") or "")).resolve() == folder:
                    return found
        if (place / ".git").exists():
            break
    return None


def _attributes(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The attributes with values; `False` for an attribute that is unset with `~`."""
    for name, value in values.items():
        if value is None:
            yield str(name), False
        elif isinstance(value, str | int | float) and value is not False:
            yield str(name), value


def _navigation_files(configuration: Configuration) -> Sequence[Source]:
    """The navigation files in the order of `antora.yml`."""
    sources: list[Source] = []
    for name in configuration.lines("nav"):
        file = configuration.file.parent / name
        if not file.resolve().is_relative_to(configuration.file.parent.resolve()):
            message = f'"{name}" is not in the folder of this file, so it is not read'
            configuration.report(warning(CODE, configuration.span("nav"), message))
        elif (source := read_text(file, configuration.report)) is not None:
            sources.append(source)
    return sources


def _navigation(
    sources: Sequence[Source], configuration: Configuration, component: Component, attributes: Mapping[str, Any]
) -> tuple[NavigationItem, ...]:
    items: list[NavigationItem] = []
    for source in sources:
        path = relpath(source.display_path, configuration.file.parent / MODULES).replace(sep, "/")
        of = path if re.match(r"[^./][^/]*/", path) else f"{MAIN_MODULE}/{path}"
        items += entries_of(source.text, of, component, attributes)
    return without_repeated_pages(items)
