"""The command `kismet book`."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kismet_build.cli.command import Command, add_path, path_argument, whole_number
from kismet_build.cli.messages import (
    CONTENT_ERROR,
    OK,
    SYSTEM_ERROR,
    error_count,
    print_problem,
    print_text,
    usage_error,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kismet_build.model.diagnostic import Diagnostic

FORMATS = ("pdf", "epub")
PAPERS = ("a4", "letter", "a5", "digest")


def _arguments(command: argparse.ArgumentParser) -> None:
    add_path(command)
    command.add_argument(
        "--format", choices=FORMATS, default="pdf", help="format of the book: pdf (the default) or epub"
    )
    command.add_argument(
        "--paper", choices=PAPERS, help=f"size of a page: {', '.join(PAPERS)} (default: the game's, or a4)"
    )
    command.add_argument(
        "--columns",
        type=whole_number(1, 2),
        metavar="N",
        help="columns of text: 1 or 2 (default: the game's, or 2)",
    )
    command.add_argument("--print", action="store_true", help="for a printer: in black, with bleed and crop marks")
    command.add_argument(
        "--out",
        type=path_argument,
        metavar="FILE",
        help="the file, which ends in .pdf or .epub, or a folder (default: GAME.pdf or GAME.epub in this folder)",
    )


def _run(options: argparse.Namespace) -> int:
    """Make the book of each game of a library."""
    from kismet_build.config.data_file import UsageError
    from kismet_build.config.load_library import load_library
    from kismet_build.driver.books import NoBook
    from kismet_build.driver.compile import compile_game
    from kismet_build.extensions.book.make_book import epub, pdf_book
    from kismet_build.extensions.book.typst_book import BookOptions
    from kismet_build.model.extras import missing_packages
    from kismet_build.model.source import shown_size

    if options.format == "pdf" and (missing := missing_packages("book")):
        return usage_error(missing)
    diagnostics: list[Diagnostic] = []
    try:
        library = load_library(options.path, options.game, diagnostics.append)
    except UsageError as problem:
        return usage_error(str(problem), diagnostics)
    out: Path | None = options.out
    names_file = out is not None and bool(out.suffix) and not out.is_dir()
    if out and names_file and out.suffix.lower() != f".{options.format}":
        return usage_error(f'"{out}" must end in .{options.format}, or be a folder that exists')
    if names_file and len(library.games) > 1:
        return usage_error(
            f'"{out}" is a file, and the library has {len(library.games)} games: name a folder, or one game'
        )
    # `library.games` does not have games whose data files cannot be used.
    status = CONTENT_ERROR if _print_errors(diagnostics) else OK
    for game in library.games:
        found: list[Diagnostic] = []
        pack = compile_game(game, found.append)
        if not pack.is_publishable:
            _print_errors(found)
            print_problem(f"cannot make the book of {game.title}: {error_count(found)}")
            status = CONTENT_ERROR
            continue
        rules = game.definition.book
        wanted = BookOptions(options.paper or rules.paper, options.columns or rules.columns, options.print)
        try:
            made = epub(pack) if options.format == "epub" else pdf_book(pack, wanted)
        except NoBook as problem:
            print_problem(f"cannot make the book of {game.title}: {problem}")
            status = SYSTEM_ERROR
            continue
        print_text(made.diagnostics, sys.stderr)
        for message in made.warnings:
            print_problem(message)
        file = out if out and names_file else (out or Path()) / f"{game.id}.{options.format}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made.content)
        print(f"{file}: {shown_size(len(made.content))}")
    return status


def _print_errors(diagnostics: "Sequence[Diagnostic]") -> bool:
    errors = [each for each in diagnostics if each.severity == "error"]
    print_text(errors, sys.stderr)
    return bool(errors)


book = Command(
    "make a book of each game, as PDF or EPUB",
    _arguments,
    _run,
    ("kismet book my-game --out my-game.pdf", "kismet book my-vault --paper a5 --columns 1"),
)
