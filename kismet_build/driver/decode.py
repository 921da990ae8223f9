"""Read and decode the texts of a game."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from errno import EACCES, EFBIG, EMFILE, ENFILE, ENOMEM, EPERM
from hashlib import sha256
from pathlib import Path

from kismet_build.config.game import Game
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Source, encoding_fault, read_source

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
