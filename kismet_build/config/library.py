"""Load `library.yaml`: the settings of a library of games."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kismet_build.config.data_file import InvalidData, read_data, settings_file
from kismet_build.config.data_reader import DataReader
from kismet_build.config.design import NO_DESIGN, PAGES_FOLDER, Design, link_address, load_design
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.nodes import Document, is_url
from kismet_build.model.source import MAX_TEXT_SIZE, Span
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name

LIBRARY_FILE = "library"
"""Name of the settings file of a library, without suffix."""


class PropertyRules(NamedTuple):
    """Exceptions to the rule for which properties of notes become fields of found kinds."""

    also: frozenset[str] = frozenset()
    """Names of properties that become fields although such properties usually are settings for programs."""
    never: frozenset[str] = frozenset()
    """Names of properties that do not become fields."""

    def with_game(self, game: "PropertyRules") -> "PropertyRules":
        """These rules of a library, combined with the rules of a game, which take precedence."""
        return PropertyRules(self.also - game.never | game.also, self.never - game.also | game.never)


class SiteLink(NamedTuple):
    """An entry of the navigation or the footer of all pages: `Title: target` in `library.yaml`."""

    title: str
    target: str
    """The target of the link, as the author wrote it."""
    address: str
    """The address of a page or file from the root of the tree, or a URL."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """The settings of a library. A setting that `library.yaml` does not have is empty or has its default value."""

    title: str = ""
    language: str = ""
    """The language of the pages of the library: a BCP 47 tag."""
    url: str = ""
    """The URL at which the root of the tree is published, with `/` at the end."""
    description: str = ""
    """One sentence about the library."""
    exclude: Mapping[str, Span] = field(default_factory=dict)
    """Glob patterns of paths that are not published, each with its span."""
    only: Mapping[str, Any] = field(default_factory=dict)
    """Properties that a text must have to be published."""
    properties: PropertyRules = field(default_factory=PropertyRules)
    manual: tuple[str, Span] | None = None
    """The name of the manual's folder, which is also the address of the manual, with its span."""
    is_untrusted: bool = False
    """Whether strangers wrote the library: its templates, policy and attachments that can run code are left out."""
    max_text_size: float = MAX_TEXT_SIZE
    """Maximum size of a text, in megabytes."""
    design: Design = NO_DESIGN
    """The author's changes to the look of the website."""
    nav: tuple[SiteLink, ...] = ()
    """The entries of the navigation. `design` has the same entries in the form that templates use."""
    links: tuple[SiteLink, ...] = ()
    """The links in the footer of all pages."""
    pages: tuple[tuple[str, Document], ...] = ()
    """The pages of the design: each address with a text, which is read when the pages of the library are rendered."""
    games: Mapping[str, str] = field(default_factory=dict)
    """The ids of the published games by the `folder_name` of their titles; set together with `pages`."""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Load the settings from `library.yaml` in a folder; default settings if the file does not exist.

    Raises `InvalidData`.
    """
    file = settings_file(folder, LIBRARY_FILE)
    if file is None:
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    settings: dict[str, Any] = {
        name: value.strip() if isinstance(value, str) else value for name, value in data.value.items()
    }
    settings["exclude"] = exclusions(data)
    settings.pop("source", None)  # The function `source_of` reads it before anything else.
    settings["properties"] = property_rules(data)
    if "manual" in settings:
        settings["manual"] = settings["manual"], data.span_of("manual")
    reader = DataReader(data, "invalid-library", report)
    place = settings.pop("site", None)
    if place and place == data.value.get("manual"):
        message = f'"{place}" is the folder of the manual, so it cannot be the folder of the design'
        reader.refuse(("site",), message, "name a separate folder, such as look")
        reader.finish()
    policy = settings.pop("policy", {})
    design = load_design(folder, place, data, report) if place else NO_DESIGN
    settings |= _site_links(reader, design)
    reader.finish()
    settings["design"] = design._replace(
        nav=tuple((link.title, link.address) for link in settings["nav"]),
        links=tuple((link.title, link.address) for link in settings["links"]),
        policy=tuple((name, " ".join(sources)) for name, sources in policy.items()),
    )
    if "url" in settings:
        settings["url"] = settings["url"].rstrip("/") + "/"
    return LibraryConfig(**settings)


def exclusions(data: Data) -> dict[str, Span]:
    """The glob patterns of `exclude` in a valid data file, each with its span."""
    return {glob: data.span_of("exclude", index) for index, glob in enumerate(data.value.get("exclude", ()))}


def property_rules(data: Data) -> PropertyRules:
    """The value of `properties` in a valid data file."""
    rules = data.value.get("properties", {})
    return PropertyRules(frozenset(rules.get("also", ())), frozenset(rules.get("never", ())))


def _site_links(reader: DataReader, design: Design) -> dict[str, tuple[SiteLink, ...]]:
    """The entries of `nav` and `links` in a valid data file. Two entries of a list may not lead to the same page."""
    links: dict[str, tuple[SiteLink, ...]] = {}
    for key in ("nav", "links"):
        by_address: dict[str, SiteLink] = {}
        for index, entry in enumerate(reader.value.get(key, ())):
            for title, target in entry.items():
                link = SiteLink(title, target, link_address(target, design), reader.span(key, index, title))
                if known := by_address.get(link.address):
                    message = f'two entries of {key} lead to "{target}": "{known.title}" and "{title}"'
                    reader.refuse((key, index, title), message, "keep one of them")
                by_address[link.address] = link
        links[key] = tuple(by_address.values())
    return links


def check_site_links(
    library_config: LibraryConfig, places: Collection[str], reserved: Collection[str], report: Report
) -> None:
    """Report the entries of `nav` and `links` that lead neither to a game or page (`places`) nor to another folder of
    the tree (`reserved`). Addresses within a place are checked after rendering. Raises `InvalidData` if one is dead.
    """
    dead = [
        link
        for link in (*library_config.nav, *library_config.links)
        if not is_url(link.address)
        and "/" in link.address
        and link.address.partition("/")[0] not in {*places, *reserved}
    ]
    for link in dead:
        named = link.address.removeprefix(f"{PAGES_FOLDER}/").partition("/")[0]
        known = f"the addresses are: {', '.join(f'{place}/' for place in places)}"
        message = f'"{link.title}" leads to "{link.target}", where there is neither a game nor a page'
        report(error("invalid-library", link.span, message, did_you_mean(folder_name(named), places, known)))
    if dead:
        raise InvalidData(dead[0].span.source.display_path)
