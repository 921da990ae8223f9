"""Find the rules for each text, and the properties that a project file or the text of a folder gives it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kismet_build.config.answers import Answer, answer
from kismet_build.config.discovery import parent_folders
from kismet_build.config.obsidian import GARDEN_PROPERTY
from kismet_build.config.privacy import (
    PUBLISHED,
    Place,
    Verdict,
    joined,
    verdict_on_folder,
    without_own,
)
from kismet_build.config.sources.defaults import Defaults, cascade, properties_by_default
from kismet_build.config.sources.vault import FolderRules
from kismet_build.model.nodes import Document

INDEX_NAMES = ("_index.md", "_index.markdown", "_index.adoc", "_index.html")
"""File names of the text of a folder in Hugo."""


def index_paths(path: str) -> list[str]:
    """The paths where the texts of the folders around a text may be, from the innermost folder outwards."""
    return [f"{folder}/{name}".lstrip("/") for folder in (*parent_folders(path), "") for name in INDEX_NAMES]


def places(
    paths: Iterable[str], texts: Mapping[str, Document], sources: Sequence[FolderRules]
) -> dict[str, tuple[Place, ...]]:
    """Where each text is in the folders that have rules, in the order of these `sources`.

    `texts`: all texts that may give properties to others.
    """
    by_source = [dict(_places_in(paths, texts, source)) for source in sources]
    return {path: tuple(found[path] for found in by_source if path in found) for path in paths}


def _places_in(paths: Iterable[str], texts: Mapping[str, Document], source: FolderRules) -> Iterator[tuple[str, Place]]:
    passed_down, verdicts = _of_folders(texts, source)
    for path in paths:
        inside = source.path(path)
        if inside:
            indexes = index_paths(inside) if passed_down or verdicts else []
            above = (found for index in indexes for found in passed_down.get(index, ()))
            defaults = (*above, *source.given.defaults)
            given = properties_by_default(inside, defaults, source.given.language) if defaults else {}
            of_folders = joined(verdicts[index] for index in indexes if index in verdicts) if verdicts else PUBLISHED
            yield path, Place(inside, source.rules, given, of_folders)


def _of_folders(
    texts: Mapping[str, Document], source: FolderRules
) -> tuple[Mapping[str, tuple[Defaults, ...]], Mapping[str, Verdict]]:
    """What the texts about folders pass down, and the verdicts on them, by path."""
    name = source.given.passed_down
    if not name:
        return {}, {}
    of_folders = {source.path(path): text for path, text in texts.items() if path.endswith(INDEX_NAMES)}
    of_folders.pop("", None)
    verdicts = {path: verdict_on_folder(text, path, source.rules, name) for path, text in of_folders.items()}
    verdicts = {path: verdict for path, verdict in verdicts.items() if verdict._replace(lookalikes=()) != PUBLISHED}
    return {path: found for path, text in of_folders.items() if (found := _passed_down(text, name))}, verdicts


def _passed_down(document: Document, name: str) -> tuple[Defaults, ...]:
    return cascade(next((value for key, value in document.metadata.items() if key.casefold() == name), None))


def is_garden_note(document: Document) -> bool:
    """Whether the plugin Digital Garden publishes a note."""
    return answer(document.metadata.get(GARDEN_PROPERTY)) is Answer.YES


def with_garden(
    garden_notes: Mapping[str, bool], sources: Sequence[FolderRules], finds_gardens: bool
) -> tuple[FolderRules, ...]:
    """The rules of a game. If a note is for Digital Garden, all others are private: the plugin selects by property."""
    if not finds_gardens or not any(garden_notes.values()):
        return tuple(sources)
    own, *others = sources
    return own._replace(rules=own.rules._replace(needed=(*own.rules.needed, GARDEN_PROPERTY))), *others


def with_given_properties(document: Document, of_text: Sequence[Place], names: frozenset[str]) -> Document:
    """A document with the properties of these names that the first of its places gives, which the site generator reads.

    Properties of the document itself take precedence.
    """
    given = without_own(of_text[0].given, document) if of_text else {}
    added: dict[str, Any] = {name: value for name, value in given.items() if name.casefold() in names}
    return replace(document, metadata={**added, **document.metadata}) if added else document
