"""Load `library.yaml`: the settings of a library of games."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kismet_build.config.data_file import is_inside, read_data, yaml_file
from kismet_build.config.design import NO_DESIGN, Design, load_design
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Span

LIBRARY_FILE = "library"
"""Name of the file, without suffix."""


class PropertyRules(NamedTuple):
    """Properties of notes that become fields of found kinds, or not, against the usual rule."""

    also: frozenset[str] = frozenset()
    """Names of properties that become fields, although they usually tell programs what to do with a note."""
    never: frozenset[str] = frozenset()
    """Names of properties that do not become fields."""

    def with_game(self, game: "PropertyRules") -> "PropertyRules":
        """The rules of a library with those of a game, which count where they differ."""
        return PropertyRules(self.also - game.never | game.also, self.never - game.also | game.never)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """The settings of a library; each is empty if it is not set."""

    title: str = ""
    language: str = ""
    """The language of the pages of the library: a BCP 47 tag."""
    url: str = ""
    """The URL at which the root of the tree is published, ending in `/`."""
    description: str = ""
    """One sentence."""
    exclude: Mapping[str, Span] = field(default_factory=dict)
    """Glob patterns of paths that are not published, each with its span."""
    only: Mapping[str, Any] = field(default_factory=dict)
    """Properties that a text must have to be published."""
    properties: PropertyRules = field(default_factory=PropertyRules)
    manual: tuple[str, Span] | None = None
    """The name of the folder of the manual, which is also its address, with its span."""
    design: Design = NO_DESIGN
    """The author's changes of the look of the website."""
    pages: tuple[tuple[str, Document], ...] = ()
    """The pages of the design: addresses with texts, which are read when the pages of the library are rendered."""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Load the settings from `library.yaml` in a folder; default settings without the file. Raises `InvalidData`."""
    file = yaml_file(folder, LIBRARY_FILE)
    if not is_inside(file, folder.resolve()):
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    settings: dict[str, Any] = {
        name: value.strip() if isinstance(value, str) else value for name, value in data.value.items()
    }
    settings["exclude"] = exclusions(data)
    settings["properties"] = property_rules(data)
    if "manual" in settings:
        settings["manual"] = settings["manual"], data.span_of("manual")
    design_folder = settings.pop("site", None)
    links, policy = settings.pop("links", {}), settings.pop("policy", {})
    settings["design"] = (load_design(folder, design_folder, data, report) if design_folder else NO_DESIGN)._replace(
        links=tuple(links.items()),
        policy=tuple((name, " ".join(sources)) for name, sources in policy.items()),
    )
    if "url" in settings:
        settings["url"] = settings["url"].rstrip("/") + "/"
    return LibraryConfig(**settings)


def exclusions(data: Data) -> dict[str, Span]:
    """The glob patterns of `exclude` in a valid data file, each with its span."""
    return {glob: data.span_of("exclude", index) for index, glob in enumerate(data.value.get("exclude", ()))}


def property_rules(data: Data) -> PropertyRules:
    """The `properties` in a valid data file."""
    rules = data.value.get("properties", {})
    return PropertyRules(frozenset(rules.get("also", ())), frozenset(rules.get("never", ())))
