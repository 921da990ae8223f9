"""Make the book of a game: compile it, write it as Typst code, and have it set."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.model.diagnostic import Diagnostic, Related, warning
from kismet_build.model.nodes import is_url
from kismet_build.model.source import Span, read_regular_file
from kismet_build.pack import Pack
from kismet_build.render.book.typst_book import BookOptions, TypstBook, book_json, typst_book

DESIGN = SHIPPED / "site" / "book" / "kismet.typ"
FONTS = SHIPPED / "site" / "book" / "fonts"
MAX_LETTERS = 8
"""Number of letters without a face that a warning names."""
SECONDS = 600
"""Time that the setting of a book may take."""


class NoBook(Exception):
    """A book that cannot be set."""


class MadeBook(NamedTuple):
    """A book."""

    content: bytes
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()
    """What Typst says about the design; nothing for our own."""


def has_typst() -> bool:
    """Whether Typst is installed."""
    from importlib.util import find_spec

    return find_spec("typst") is not None


def pdf_book(pack: Pack, options: BookOptions) -> MadeBook:
    """The book of a game as PDF. Raises `NoBook`."""
    book = typst_book(pack, options)
    with TemporaryDirectory(prefix="kismet-book-") as name:
        folder = Path(name)
        unread = _write_files(pack, book, folder)
        command = [sys.executable, "-m", "kismet_build.build.typeset", name, str(FONTS)]
        try:
            subprocess.run(command, check=True, timeout=SECONDS, capture_output=True)
        except subprocess.TimeoutExpired:
            raise NoBook(f"setting the book takes more than {SECONDS} s") from None
        except subprocess.CalledProcessError as failure:
            last = failure.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise NoBook(f"Typst ended with an error: {last or failure}") from None
        result = json.loads((folder / "result.json").read_bytes())
        if result["error"]:
            raise NoBook(f"Typst cannot set the book: {result['error']}")
        content = (folder / "book.pdf").read_bytes()
    found = (
        *_letters(pack, result["letters"]),
        *_pictures(pack, book, [*result["pictures"], *unread]),
        *_outside(book, result),
    )
    return MadeBook(
        content, tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key)), tuple(result["warnings"])
    )


def _write_files(pack: Pack, book: TypstBook, folder: Path) -> list[str]:
    """Write the files of a book. Returns the pictures that cannot be read."""
    unread = []
    files = pack.game.files
    (folder / "pictures").mkdir()
    for path, picture in book.pictures.items():
        try:
            (folder / path).write_bytes(read_regular_file(files.file(picture), files.root_of(picture)))
        except OSError:
            unread.append(path)
    (folder / "kismet.typ").write_bytes(DESIGN.read_bytes())
    (folder / "book.typ").write_text(book.text, encoding="utf-8")
    (folder / "book.json").write_bytes(book_json(book, unread))
    return unread


def _letters(pack: Pack, letters: Sequence[str]) -> Iterator[Diagnostic]:
    """One warning for all letters without a face: a vault with emoji has many."""
    places, shown = [], []
    for letter in letters:
        found = [chapter.source for chapter in pack.book.chapters if letter in chapter.source.text]
        times = sum(source.text.count(letter) for source in found)
        shown.append(f"{letter} (U+{ord(letter):04X}{f', {times} times' if times > 1 else ''})")
        if found:
            place = found[0].text.index(letter)
            places.append(found[0].span(place, place + 1))
    if places:
        more = f" and {len(shown) - MAX_LETTERS} more" if len(shown) > MAX_LETTERS else ""
        yield warning(
            "missing-letter",
            places[0],
            f"no font of the book has {', '.join(shown[:MAX_LETTERS])}{more}",
            "",
            tuple(Related(place, "another letter") for place in places[1:MAX_LETTERS]),
        )


def _pictures(pack: Pack, book: TypstBook, paths: Sequence[str]) -> Iterator[Diagnostic]:
    found = [(book.picture_spans[path], "it cannot be read") for path in paths]
    for image in book.unset:
        file = pack.book.attachment_of.get(image.span)
        reason = "it is not in the game" if file is None else "it is not PNG, JPEG, GIF, WebP or SVG"
        found.append((image.span, "it is on the internet" if file is None and is_url(image.target) else reason))
    for span, reason in found:
        yield warning("unset-picture", span, f"the book has the words of this picture instead: {reason}")


def _outside(book: TypstBook, result: Any) -> Iterator[Diagnostic]:
    for number in sorted(set(result["outside"])):
        span: Span = book.blocks[number]
        yield warning(
            "outside-page",
            span,
            "this is wider than a page of the book, and part of it is outside",
            "divide it, or use fewer columns",
        )
