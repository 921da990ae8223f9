"""Expand the texts of a game: read the files that they include, but never a private one."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from os.path import splitext
from pathlib import Path
from posixpath import normpath
from typing import Any, NamedTuple

from kismet_build.build.decode import decode
from kismet_build.config.game import Game
from kismet_build.model.diagnostic import Diagnostic, Report, ignore
from kismet_build.model.dialects import DIALECT_OF_SUFFIX
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.composition import MAX_CHARACTERS, Inputs
from kismet_build.parse.expansion import expand, start_of
from kismet_build.resolve.given_properties import given_properties, index_paths, with_given_properties
from kismet_build.resolve.selection import reason_to_withhold

MAX_START_CHARACTERS = 200_000
"""Maximum number of characters that the start of a text includes while its privacy is checked."""
PRIVATE_NAMES = ("draft", "publish", "excalidraw")
"""Words in the names of properties that make a text private in every vault."""
PRIVATE_ENTRY = re.compile(r"^[:!\"']*(?:draft|publish|excalidraw)", re.IGNORECASE | re.MULTILINE)
"""A property that makes a text private, in AsciiDoc, where each property has its own line."""


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


class IncludedFiles:
    """The files that texts of a game may include. Each included file is read once."""

    def __init__(self, game: Game, parse: Callable[[Source, str], Document | None]) -> None:
        """`parse` parses a text in a dialect, and returns `None` if it fails."""
        self._game = game
        self._parse = parse
        self._read: dict[str, _Included] = {}
        self._public: dict[str, _Included] = {}

    def expand(self, source: Source, dialect: str, report: Report) -> tuple[Source, frozenset[str]]:
        """A text with all files that it includes, and the paths of the files that it depends on, existing or not.

        Raises `OSError` for a machine fault.
        """
        return self._expand(source, dialect, report, private=False)

    def _expand(self, source: Source, dialect: str, report: Report, *, private: bool) -> tuple[Source, frozenset[str]]:
        find = self._find if private else self._find_public
        inputs: set[str] = set()

        def read_included(path: str) -> Source | None:
            found = find(path)
            inputs.update((path, *found.inputs))
            return found.source

        variables = self._game.definition.dialect_options
        limit = MAX_START_CHARACTERS if private else MAX_CHARACTERS
        given = Inputs(read_included, variables, lambda path: find(path).fault, limit)
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
        given, above = self._given_properties(path)
        inputs |= above
        pattern = PRIVATE_ENTRY if dialect == "asciidoc" else self._private_word
        if self._game.files.only or given or pattern.search(composed.text):
            document = self._parse(composed, dialect)
            document = document and with_given_properties(document, given)
            # A part of a page needs no properties of its own.
            rules = self._game.publication._replace(needs_properties=())
            if document is None or reason_to_withhold(document, (), self._game.files.only, rules):
                return _Included(None, "it is private", inputs)
        return _Included(source, inputs=inputs)

    def _given_properties(self, path: str) -> tuple[Mapping[str, Any], frozenset[str]]:
        project = self._game.project
        if project is None or path not in self._dialects:
            return {}, frozenset()
        paths = index_paths(path) if project.given.passed_down else []
        sources = {above: found for above in paths if (found := self._find(above).source) is not None}
        documents = {above: self._parse(source, project.dialect) for above, source in sources.items()}
        above = {path: document for path, document in documents.items() if document is not None}
        return given_properties([path], above, project).get(path, {}), frozenset(paths)

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
    def _private_word(self) -> re.Pattern[str]:
        """A pattern for a word that occurs in every text that its own properties make private."""
        words = {*PRIVATE_NAMES, *(name.rpartition(".")[2] for name in self._game.publication.names)}
        return re.compile("|".join(sorted(map(re.escape, words))), re.IGNORECASE)

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
