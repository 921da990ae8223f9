"""Expand the texts of a game: read the files that they include, but never a private one."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from math import inf
from os.path import splitext
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

from kismet_build.config.game import Game
from kismet_build.config.privacy import PUBLISHED, Place, privacy_of
from kismet_build.config.project import FolderRules
from kismet_build.driver.decode import decode
from kismet_build.model.diagnostic import Diagnostic, Report, ignore
from kismet_build.model.dialects import DIALECT_OF_SUFFIX
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.composition import MAX_CHARACTERS, GameBudget, Inputs
from kismet_build.parse.expansion import expand, start_of
from kismet_build.resolve.places import index_paths, places

MAX_START_CHARACTERS = 200_000
"""Maximum number of characters that the start of a text includes while its privacy is checked."""


def parts_of(sources: Iterable[Source]) -> frozenset[str]:
    """The paths of the texts that other texts include, and that therefore have no page of their own.

    Of texts that include each other, the first keeps its page.
    """
    included = {source.path: source.included for source in sources}
    order = {path: number for number, path in enumerate(included)}
    return frozenset(
        part
        for path, parts in included.items()
        for part in parts & order.keys()
        if order[path] < order[part] or path not in included[part]
    )


class _Included(NamedTuple):
    source: Source | None
    fault: str = ""
    """Why the file cannot be included; empty if it can be."""
    inputs: frozenset[str] = frozenset()
    """The paths of all other files that the result depends on."""
    until: float = inf
    """When the file appears or vanishes, in seconds since 1970."""


class IncludedFiles:
    """The files that texts of a game may include. Each included file is read once."""

    def __init__(self, game: Game, parse: Callable[[Source, str], Document | None]) -> None:
        """`parse` parses a text in a dialect, and returns `None` if it fails."""
        self._game = game
        self._parse = parse
        self._read: dict[str, _Included] = {}
        self._public: dict[str, _Included] = {}
        self.budget = GameBudget()

    def expand(self, source: Source, dialect: str, report: Report) -> tuple[Source, frozenset[str], float]:
        """A text with all files that it includes; the paths of the files that it depends on, existing or not; and when
        one of them appears or vanishes, in seconds since 1970.

        Raises `OSError` for a machine fault.
        """
        expanded, inputs = self._expand(source, dialect, report, private=False)
        return expanded, inputs, min((self._public[path].until for path in inputs & self._public.keys()), default=inf)

    def _expand(self, source: Source, dialect: str, report: Report, *, private: bool) -> tuple[Source, frozenset[str]]:
        find = self._find if private else self._find_public
        inputs: set[str] = set()

        def read_included(path: str) -> Source | None:
            found = find(path)
            inputs.update((path, *found.inputs))
            return found.source

        variables = self._game.definition.dialect_options
        limit, of_game = (MAX_START_CHARACTERS, None) if private else (MAX_CHARACTERS, self.budget)
        given = Inputs(read_included, variables, lambda path: find(path).fault, limit, of_game)
        return expand(source, dialect, given, report), frozenset(inputs)

    def is_public(self, path: str) -> bool:
        """Whether a file can be included."""
        return self._find_public(path).source is not None

    def _find_public(self, path: str) -> _Included:
        if path not in self._public:
            found = self._find(path)
            self._public[path] = self._without_private(path, found.source) if found.source else found
        return self._public[path]

    def _without_private(self, path: str, source: Source) -> _Included:
        """A file, unless its properties make it private, including properties that it gets from included files."""
        dialect = self._dialects.get(path) or DIALECT_OF_SUFFIX.get(splitext(path)[1].casefold())
        project = self._game.project
        if dialect is None and project and path.endswith(project.suffixes):
            dialect = project.dialect
        if dialect is None:
            return _Included(source)
        composed, inputs = self._expand(start_of(source, dialect), dialect, ignore, private=True)
        found, above = self._places(path)
        inputs |= above
        # A part of a page needs no properties of its own.
        found = tuple(place._replace(rules=place.rules._replace(needs_properties=())) for place in found)
        texts = (composed.text, source.text)
        may_hide = composed.is_incomplete or any(
            place.given or place.of_folders != PUBLISHED or any(map(place.rules.may_hide, texts)) for place in found
        )
        if self._game.files.only or may_hide:
            document = self._parse(composed, dialect)
            if document is None:
                return _Included(None, "it is private", inputs)
            # Only the start of an AsciiDoc text was parsed, but lines further down may set attributes.
            document = replace(document, source=replace(source, is_incomplete=composed.is_incomplete))
            verdict, now = privacy_of(document, found, (), self._game.files.only), self._game.files.listed_at
            is_private = bool(verdict.at(now).reason)
            fault = "it is private" if is_private else ""
            return _Included(None if is_private else source, fault, inputs, verdict.next_change(now))
        return _Included(source, inputs=inputs)

    def _places(self, path: str) -> tuple[tuple[Place, ...], frozenset[str]]:
        """The places of a file, and the files that may give it properties."""
        rules, project = self._rules, self._game.project
        above = index_paths(path) if project and project.given.passed_down and path in self._dialects else []
        sources = {index: found for index in above if (found := self._find(index).source) is not None}
        documents = {index: self._parse(source, self._dialects.get(index, "")) for index, source in sources.items()}
        texts = {index: document for index, document in documents.items() if document is not None}
        return places([path], texts, rules)[path], frozenset(above)

    def _find(self, path: str) -> _Included:
        if path not in self._read:
            self._read[path] = self._read_file(path)
        return self._read[path]

    def _read_file(self, path: str) -> _Included:
        game = self._game
        if path != normpath(path) or path.startswith("/") or "\0" in path:
            return _Included(None, "it is not in the folder of the game")
        file = Path(normpath(game.files.folder / path))
        if not file.is_relative_to(normpath(game.files.vault)):
            return _Included(None, "it is not in the folder of the game")
        if any(part.startswith(".") and part != ".." for part in path.split("/")):
            return _Included(None, "it is hidden")
        try:
            if file.resolve() in self._withheld:
                return _Included(None, "it is private")
            if file.is_dir():
                return _Included(None, "it is a folder")
            if not file.exists():
                return _Included(None, "it does not exist")
        except (OSError, RuntimeError):  # the file name is too long, or links form a circle
            return _Included(None, "it does not exist")
        faults: list[Diagnostic] = []
        source = decode(game, file, faults.append)
        if source is None or "\0" in source.text:
            return _Included(None, "it is not a text that can be read")
        return _Included(source)

    @cached_property
    def _rules(self) -> tuple[FolderRules, ...]:
        return self._game.folder_rules

    @cached_property
    def _dialects(self) -> dict[str, str]:
        return {self._game.files.text_path(file): dialect for file, dialect in self._game.files.texts}

    @cached_property
    def _withheld(self) -> frozenset[Path]:
        """The private files that cannot be included, after links are followed."""
        game = self._game
        texts = {game.files.text_path(file): file for file, _ in game.files.texts}
        withheld = game.withheld - game.files.parts
        return frozenset(texts.get(path, game.files.folder / path).resolve() for path in withheld)
