"""Make the book of a game as PDF or EPUB, and report what it cannot show."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from kismet_build.config.data_file import SHIPPED, is_inside
from kismet_build.driver.books import MadeBook, NoBook
from kismet_build.extensions.book.epub import epub_book
from kismet_build.extensions.book.pictures import COVER
from kismet_build.extensions.book.typst_book import PICTURES, BookOptions, TypstBook, book_json, typst_book
from kismet_build.model.active_content import EMPTY_SVG, is_oversized, published_content
from kismet_build.model.diagnostic import Diagnostic, Related, info, warning
from kismet_build.model.extras import missing_packages
from kismet_build.model.nodes import Image, is_url, plain_text
from kismet_build.model.source import Span, read_regular_file
from kismet_build.pack import Pack
from kismet_build.render.fragments.renderer import image_as_written

DESIGN = SHIPPED / "site" / "book" / "kismet.typ"
FONTS = SHIPPED / "site" / "book" / "fonts"
UNREADABLE = "its file is not a PNG, JPEG, GIF, WebP or SVG that can be read, or it is too large"
MAX_LETTERS = 8
"""Maximum number of letters that a warning about letters without a font names."""
PROXIES = ("ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy")
"""Environment variables from which Typst takes the address of its proxy."""
NO_NETWORK = "http://127.0.0.1:9"
"""The address of a proxy that does not exist, which keeps a design from loading packages from the internet."""
SECONDS = 600
"""Maximum time that Typst may take for a book, in seconds."""


def pdf(pack: Pack) -> MadeBook:
    """The book of a game as PDF, with the options of the game. Raises `NoBook`."""
    rules = pack.game.definition.book
    return pdf_book(pack, BookOptions(rules.paper, rules.columns))


def pdf_book(pack: Pack, options: BookOptions) -> MadeBook:
    """The book of a game as PDF. Raises `NoBook`."""
    if missing := missing_packages("book"):
        raise NoBook(missing)
    book = typst_book(pack, options)
    with TemporaryDirectory(prefix="kismet-book-") as name:
        folder = Path(name)
        unread = _write_files(pack, book, folder)
        font_folders = [FONTS, *filter(None, [pack.game.definition.book.fonts])]
        # The current folder may belong to the author, and contain a file with the name of a module.
        command = [sys.executable, "-P", "-m", "kismet_build.extensions.book.typeset", name, *map(str, font_folders)]
        environment = {**os.environ, **dict.fromkeys(PROXIES, NO_NETWORK)}
        try:
            subprocess.run(command, check=True, timeout=SECONDS, capture_output=True, env=environment)
        except subprocess.TimeoutExpired:
            raise NoBook(f"Typst takes more than {SECONDS} s") from None
        except subprocess.CalledProcessError as failure:
            last = failure.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise NoBook(f"Typst failed: {last or failure}") from None
        result = json.loads((folder / "result.json").read_bytes())
        if result["error"]:
            raise NoBook(f"Typst says: {result['error']}")
        content = (folder / "book.pdf").read_bytes()
    damaged = {book.pictures.get(path, path) for path in (*result["pictures"], *unread)}

    def is_missing(image: Image) -> bool:
        file = pack.book.attachment_of.get(image.span)
        return file is None or file in damaged or not PICTURES.search(file)

    found = (
        *_letters(pack, result["letters"]),
        *_pictures(pack, is_missing),
        *_cover(pack, is_missing=book.data["cover"] in damaged),
        *_outside(book, result),
    )
    warnings = tuple(f"Typst warns about the book of {pack.game.title}: {message}" for message in result["warnings"])
    return MadeBook(content, tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key)), warnings)


def epub(pack: Pack) -> MadeBook:
    """The book of a game as EPUB."""
    made = epub_book(pack)
    missing = set(made.missing_pictures)

    def is_missing(image: Image) -> bool:
        file = pack.book.attachment_of.get(image.span)
        return (pack.addresses.attachments[file] if file else image_as_written(image)) in missing

    return MadeBook(made.content, (*_cover(pack, is_missing=COVER in missing), *_pictures(pack, is_missing)))


def _write_files(pack: Pack, book: TypstBook, folder: Path) -> list[str]:
    """Returns the paths of the pictures that cannot be read."""
    unread = []
    files = pack.game.files
    (folder / "pictures").mkdir()
    for path, picture in book.pictures.items():
        try:
            content = read_regular_file(files.file(picture), files.root_of(picture))
            shown = EMPTY_SVG if is_oversized(content) else published_content(picture, content)
            if shown == EMPTY_SVG:
                unread.append(path)
            else:
                (folder / path).write_bytes(shown)
        except OSError:
            unread.append(path)
    rules = pack.game.definition.book
    (folder / DESIGN.name).write_bytes(DESIGN.read_bytes())
    (folder / "design.typ").write_text('#import "kismet.typ": *\n', encoding="utf-8")
    if rules.design and not pack.game.library_config.is_untrusted:
        for file in rules.design.parent.iterdir():
            if is_inside(file, rules.design.parent.resolve()):
                copyfile(file, folder / file.name)
        copyfile(rules.design, folder / "design.typ")
    if rules.cover:
        copyfile(rules.cover, folder / book.data["cover"])
    (folder / "book.typ").write_text(book.text, encoding="utf-8")
    (folder / "book.json").write_bytes(book_json(book, unread))
    return unread


def _letters(pack: Pack, letters: Sequence[str]) -> Iterator[Diagnostic]:
    """A single warning about all letters that no font has, because a vault with emoji has many."""
    places, shown = [], []
    for letter in letters:
        found = [chapter.source for chapter in pack.book.chapters if letter in chapter.source.text]
        times = sum(source.text.count(letter) for source in found)
        shown.append(f"{letter} (U+{ord(letter):04X}{f', {times} times' if times > 1 else ''})")
        if found:
            place = found[0].text.index(letter)
            places.append(found[0].span(place, place + 1))
    if not places:  # such as a letter in the title of the game
        places = [chapter.source.span(0, 0) for chapter in pack.book.chapters[:1]]
    if shown and places:
        more = f" and {len(shown) - MAX_LETTERS} more" if len(shown) > MAX_LETTERS else ""
        yield warning(
            "missing-letter",
            places[0],
            f"no font of the book has {', '.join(shown[:MAX_LETTERS])}{more}",
            "",
            tuple(Related(place, "another letter") for place in places[1:MAX_LETTERS]),
        )


def _pictures(pack: Pack, is_missing: Callable[[Image], bool]) -> Iterator[Diagnostic]:
    """Warnings about pictures that are not in the book, and notes about those that a screen reader skips."""
    for chapter in pack.book.chapters:
        for image in chapter.document.links:
            if not isinstance(image, Image):
                continue
            if not is_missing(image):
                if not plain_text(*image.children).strip():
                    yield info(
                        "unnamed-picture",
                        image.span,
                        "screen readers skip this picture in the book, because it has no words",
                        "describe the picture, or ignore this note if it is decoration",
                    )
                continue
            file = pack.book.attachment_of.get(image.span)
            elsewhere = "it is on the internet" if is_url(image.target) else "it is not in the game"
            reason = elsewhere if file is None else UNREADABLE
            yield warning("unset-picture", image.span, f"the book has the words of this picture instead: {reason}")


def _cover(pack: Pack, *, is_missing: bool) -> Iterator[Diagnostic]:
    span = pack.game.definition.book.cover_span
    if span is not None and is_missing:
        yield warning("unset-picture", span, f"the cover has no picture: {UNREADABLE}")


def _outside(book: TypstBook, result: Any) -> Iterator[Diagnostic]:
    for number in sorted(set(result["outside"])):
        span: Span = book.blocks[number]
        yield warning(
            "outside-page",
            span,
            "this does not fit on a page of the book, and part of it is outside",
            "split it, or choose larger paper for the book",
        )
