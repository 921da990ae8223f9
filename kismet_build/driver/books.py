"""Make books of a game, each with the function that a package registers for its format."""

from typing import TYPE_CHECKING, NamedTuple

from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.entry_points import EntryPointGroup, Registered

if TYPE_CHECKING:
    from kismet_build.pack import Pack  # a build of an unchanged library does not import it

OUTPUTS = EntryPointGroup(
    "kismet.outputs",
    "book format",
    {
        "pdf": "kismet_build.extensions.book.make_book:pdf",
        "epub": "kismet_build.extensions.book.make_book:epub",
    },
)
"""The formats of books. Each is a function `make(pack: Pack) -> MadeBook` that may raise `NoBook`."""


class NoBook(Exception):
    """A book cannot be made; the message says why."""


class MadeBook(NamedTuple):
    """A book, with the problems that were found while it was made."""

    content: bytes
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()
    """Sentences about problems that have no place in a text."""


def make_book(book_format: Registered, pack: "Pack") -> MadeBook:
    """The book of a game. Raises `NoBook`, also if the code of another package fails."""
    if book_format.is_ours:
        ours: MadeBook = book_format.function(pack)
        return ours
    try:
        made = book_format.function(pack)
        if not isinstance(made, MadeBook):
            raise TypeError(f"it must return a MadeBook, not {type(made).__name__}")
        if not isinstance(made.content, bytes):
            raise TypeError(f"the content must be bytes, not {type(made.content).__name__}")
        if not all(isinstance(diagnostic, Diagnostic) for diagnostic in made.diagnostics):
            raise TypeError("each of the diagnostics must be a Diagnostic")
        return made._replace(warnings=tuple(map(str, made.warnings)))
    except NoBook:
        raise
    except (Exception, SystemExit) as problem:
        raise NoBook(f"{book_format.package} failed ({type(problem).__name__}: {problem})") from problem
