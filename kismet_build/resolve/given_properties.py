"""Give texts the properties that a project file or the text of a folder sets for them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kismet_build.config.discovery import parent_folders
from kismet_build.config.project import Defaults, Project, cascade_of_hugo, properties_by_default
from kismet_build.model.nodes import Document
from kismet_build.resolve.selection import property_lines

INDEX_NAMES = ("_index.md", "_index.markdown", "_index.adoc", "_index.html")
"""File names of the text of a folder in Hugo."""
PRIVATE = Defaults({"draft": True})
"""Properties of texts below a folder text with invalid properties: these texts may be private."""


def index_paths(path: str) -> list[str]:
    """The paths where the texts of the folders around a text may be, from the innermost folder outwards."""
    return [f"{folder}/{name}".lstrip("/") for folder in (*parent_folders(path), "") for name in INDEX_NAMES]


def given_properties(
    paths: Iterable[str], texts: Mapping[str, Document], project: Project | None
) -> dict[str, Mapping[str, Any]]:
    """The properties that texts inherit, by path. Only properties that the site generator itself reads are included."""
    if project is None:
        return {}
    passed_down = {path: found for path, text in texts.items() if (found := _passed_down(text, project))}
    if not passed_down and not project.given.defaults:
        return {}
    names = project.property_names
    result: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        above = [defaults for index in index_paths(path) for defaults in passed_down.get(index, ())]
        given = properties_by_default(path, (*above, *project.given.defaults), project.given.language)
        if read := {name: value for name, value in given.items() if name.casefold() in names}:
            result[path] = read
    return result


def _passed_down(document: Document, project: Project) -> tuple[Defaults, ...]:
    if not project.given.passed_down or not document.source.path.endswith(INDEX_NAMES):
        return ()
    name = project.given.passed_down
    if document.has_invalid_metadata:
        return (PRIVATE,) if name in property_lines(document.source.text).casefold() else ()
    value = next((found for key, found in document.metadata.items() if key.casefold() == name), None)
    return cascade_of_hugo(value)


def with_given_properties(document: Document, given: Mapping[str, Any] | None) -> Document:
    """A document with these properties added. Properties of the document itself take precedence."""
    own = {name.casefold() for name in document.metadata}
    added = {name: value for name, value in (given or {}).items() if name.casefold() not in own}
    return replace(document, metadata={**added, **document.metadata}) if added else document
