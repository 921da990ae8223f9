"""Read the texts of a game and the files that they include, but never a private one."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from errno import EACCES, EFBIG, EMFILE, ENFILE, ENOMEM, EPERM
from functools import cached_property
from hashlib import sha256
from math import inf
from os.path import splitext
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

from kismet_build.config.game import Game
from kismet_build.config.privacy import Place, privacy_of
from kismet_build.model.diagnostic import Diagnostic, Report, error
from kismet_build.model.dialects import DIALECT_OF_SUFFIX
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, encoding_fault, read_source
from kismet_build.parse import expand, read_properties
from kismet_build.parse.composition import GameBudget, Inputs
from kismet_build.resolve.places import index_paths, places

FAULTS_OF_THE_MACHINE = frozenset((EMFILE, ENFILE, ENOMEM))
"""Error numbers of the system that are not about the opened file."""


def decode(game: Game, file: Path, report: Report) -> Source | None:
    """Read a file as UTF-8. If it cannot be read, report it and return `None`.

    In a plain vault, and in a game without kinds, bytes that are not UTF-8 are decoded with the most likely encoding.
    """
    path, shown = _document_path(game, file), _replace_undecodable(file.as_posix())
    try:
        return read_source(file, path, shown, game.files.boundary, game.library_config.max_text_size)
    except OSError as failure:
        if failure.errno in FAULTS_OF_THE_MACHINE:
            raise
        span = Source(path, "", display_path=shown).full_span()
        message, hint = f"this text cannot be read: {failure.strerror}", "it is left out until it can"
        if failure.errno in (EACCES, EPERM):
            hint = "it is left out until you change its permissions"
        elif failure.errno == EFBIG:
            message, hint = str(failure.strerror), "divide it, or raise `max_text_size` in library.yaml"
        report(error("unreadable-text", span, message, hint))
        return None
    except UnicodeDecodeError as failure:
        _, span, message, hint = encoding_fault(failure, path, shown)
        report(error("invalid-encoding", span, message, hint))
        return _decode_legacy(failure.object, path, shown) if game.publishes_faulty_texts else None


def _decode_legacy(data: bytes, path: str, shown: str) -> Source:
    """Decode bytes that are not UTF-8 as Windows programs do: UTF-16 with a byte order mark, otherwise cp1252."""
    encoding = "utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "cp1252"
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)


def _document_path(game: Game, file: Path) -> str:
    """The path that identifies a document, which is unique in the game even if bytes had to be replaced."""
    path = _replace_undecodable(game.files.text_path(file))
    if path == game.files.text_path(file):
        return path
    paths = (_replace_undecodable(game.files.text_path(other)) for other, _ in game.files.texts)
    before = [other for (other, _), shown in zip(game.files.texts, paths, strict=True) if shown == path].index(file)
    stem, _, suffix = path.rpartition(".")
    return f"{stem} {before + 1}.{suffix}" if before else path


def _replace_undecodable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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


class FoundFile(NamedTuple):
    """A file that a text includes."""

    source: Source | None
    fault: str = ""
    """Why the file cannot be included; empty if it can be."""
    inputs: frozenset[str] = frozenset()
    """The paths of all other files that the result depends on."""
    until: float = inf
    """When the file appears or vanishes, in seconds since 1970."""


class Files:
    """The files that texts of a game may ask for: those in its folder that no setting keeps private.

    Each is read once. Raises `OSError` for a machine fault.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._found: dict[str, FoundFile] = {}

    def properties(self, source: Source, dialect: str) -> Document:
        """The properties of a text, including those that it gets from files that it includes."""
        variables = self._game.definition.dialect_options
        inputs = Inputs(lambda path: self.find(path).source, variables, lambda path: self.find(path).fault)
        return read_properties(source, dialect, inputs)

    def find(self, path: str) -> FoundFile:
        """The file at a path, relative to the folder of the game, whatever its properties say."""
        if path not in self._found:
            self._found[path] = self._read(path)
        return self._found[path]

    def _read(self, path: str) -> FoundFile:
        game = self._game
        if path != normpath(path) or path.startswith("/") or "\0" in path:
            return FoundFile(None, "it is not in the folder of the game")
        file = Path(normpath(game.files.folder / path))
        if not file.is_relative_to(normpath(game.files.boundary)):
            return FoundFile(None, "it is not in the folder of the game")
        if any(part.startswith(".") and part != ".." for part in path.split("/")):
            return FoundFile(None, "it is hidden")
        try:
            if file.resolve() in self._withheld:
                return FoundFile(None, "it is private")
            if file.is_dir():
                return FoundFile(None, "it is a folder")
            if not file.exists():
                return FoundFile(None, "it does not exist")
        except (OSError, RuntimeError):  # the file name is too long, or links form a circle
            return FoundFile(None, "it does not exist")
        faults: list[Diagnostic] = []
        source = decode(game, file, faults.append)
        if source is None or "\0" in source.text:
            return FoundFile(None, "it is not a text that can be read")
        return FoundFile(source)

    @cached_property
    def _withheld(self) -> frozenset[Path]:
        """The private files that cannot be included, after links are followed."""
        game = self._game
        texts = {game.files.text_path(file): file for file, _ in game.files.texts}
        withheld = game.withheld - game.files.parts
        return frozenset(texts.get(path, game.files.folder / path).resolve() for path in withheld)


class IncludedFiles:
    """The files that texts of a game may include: those whose properties do not keep them private, either."""

    def __init__(
        self, game: Game, files: Files, texts: Mapping[str, Document], places: Mapping[str, tuple[Place, ...]]
    ) -> None:
        """`texts`: the properties of the texts of the game, by path. `places`: where each of them is."""
        self._game, self._files, self._texts, self._places = game, files, texts, places
        self._public: dict[str, FoundFile] = {}
        self.budget = GameBudget()

    def expand(self, source: Source, dialect: str, report: Report) -> tuple[Source, frozenset[str], float]:
        """A text with all files that it includes; the paths of the files that it depends on, existing or not; and when
        one of them appears or vanishes, in seconds since 1970.

        Raises `OSError` for a machine fault.
        """
        inputs: set[str] = set()

        def read_included(path: str) -> Source | None:
            found = self._find_public(path)
            inputs.update((path, *found.inputs))
            return found.source

        variables = self._game.definition.dialect_options
        given = Inputs(read_included, variables, lambda path: self._find_public(path).fault, of_game=self.budget)
        expanded = expand(source, dialect, given, report)
        return expanded, frozenset(inputs), self.next_change(inputs)

    def with_new_budget(self) -> "IncludedFiles":
        """The same files, for a reading from the beginning."""
        return IncludedFiles(self._game, self._files, self._texts, self._places)

    def is_public(self, path: str) -> bool:
        """Whether a file can be included."""
        return self._find_public(path).source is not None

    def has_private_header(self, text: Document) -> bool:
        """Whether a text gets properties from a private file."""
        existing = (path for path in text.source.included if self._files.find(path).source is not None)
        return not all(map(self.is_public, existing))

    def next_change(self, paths: Iterable[str]) -> float:
        """When one of these files appears or vanishes, in seconds since 1970."""
        return min((self._public[path].until for path in paths if path in self._public), default=inf)

    def _find_public(self, path: str) -> FoundFile:
        if path not in self._public:
            found = self._files.find(path)
            self._public[path] = found  # until the end of this, for files whose headers include each other
            self._public[path] = self._without_private(path, found.source) if found.source else found
        return self._public[path]

    def _without_private(self, path: str, source: Source) -> FoundFile:
        """A file, unless its properties make it private, including properties that it gets from included files."""
        text = self._texts.get(path)
        dialect = text.dialect if text else self._dialect(path)
        if not dialect:
            return FoundFile(source)
        text = text or self._files.properties(source, dialect)
        found = self._places.get(path) or places([path], {}, self._game.folder_rules)[path]
        # A part of a page needs no properties of its own.
        found = tuple(place._replace(rules=place.rules._replace(needs_properties=())) for place in found)
        verdict, now = privacy_of(text, found, (), self._game.files.only), self._game.files.listed_at
        is_public = not verdict.at(now).reason and not self.has_private_header(text)
        until = min(verdict.next_change(now), self.next_change(text.source.included))
        inputs = text.source.included.union(index_paths(path) if self._is_given_properties(path) else ())
        return FoundFile(source if is_public else None, "" if is_public else "it is private", inputs, until)

    def _dialect(self, path: str) -> str:
        """The dialect of a file outside the texts of the game; empty if such files have no properties."""
        vault, suffix = self._game.vault, splitext(path)[1].casefold()
        of_vault = vault.dialect if path.endswith(vault.suffixes) else ""
        return DIALECT_OF_SUFFIX.get(suffix, of_vault)

    def _is_given_properties(self, path: str) -> bool:
        """Whether the texts of the folders around a text may give it properties."""
        return bool(self._game.vault.given.passed_down) and path in self._texts
