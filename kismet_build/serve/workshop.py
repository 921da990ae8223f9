"""What makes a tree of a library again and again, and knows what is new in it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from kismet_build.build import How, build_at
from kismet_build.datafile import Misuse
from kismet_build.diagnostic import Diagnostic, count
from kismet_build.emitters import InvalidPack
from kismet_build.lock import only_writer
from kismet_build.made import Built
from kismet_build.record import Asked, Record, stamps

LIST = "offline.json"
"""The file of a tree that holds the digests of nearly all others."""
APART = frozenset(("data", "sw.js", LIST))
"""What differs with every change and is shown on no page."""
INDEXES = "assets/pagefind/"
"""Where the search of full text is: asked for anew with every page."""

Digests = Mapping[str, str]
"""Of the files of a tree that a page is made of or shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What became of one rebuild."""

    pages: tuple[str, ...] = ()
    """The paths in the tree of new and changed pages."""
    assets: tuple[str, ...] = ()
    """The same of styles, scripts, pictures."""
    gone: tuple[str, ...] = ()
    """What is no longer there."""
    of_game: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """What was found in each game, by its id."""
    unpublished: Mapping[str, str] = field(default_factory=dict)
    """The ids of games that are not published as they stand now, and why."""
    found: tuple[Diagnostic, ...] = ()
    """All that was found, that of no game included."""
    problem: str = ""
    """Why nothing could be built at all; empty where something could."""
    seconds: float = 0.0

    def counts(self) -> dict[str, int]:
        """How many diagnostics of each severity there are."""
        return count(self.found)


class Workshop:
    """Builds a library into a tree as often as it is asked to."""

    def __init__(self, path: Path, game: Path | None, tree: Path) -> None:
        """Prepare to build the library at `path`; nothing is read yet."""
        self.tree = tree
        self.asked = Asked(path, game, tree)
        self.how = How()
        self.record: Record | None = None
        self.digests: Digests = _digests(tree)
        """Of the tree as the last rebuild left it."""

    def rebuild(self) -> Update:
        """Build once. Whatever is wrong with the library is in the update; nothing of the tree is lost by it."""
        start = perf_counter()
        found: list[Diagnostic] = []
        try:
            with only_writer(self.tree):
                # Somebody else may have written to the tree; then nothing of it is known.
                known = self.record if self.record and self.record.wrote == stamps(self.tree) else None
                self.record = build_at(self.asked, found.append, known, self.how)
            update = _told(self.record.built)
        except (Misuse, InvalidPack, OSError) as fault:
            update = self._failed(fault, found)
        before, self.digests = self.digests, _digests(self.tree)
        new = sorted(path for path, digest in self.digests.items() if before.get(path) != digest)
        return Update(
            pages=tuple(path for path in new if path.endswith(".html")),
            assets=tuple(path for path in new if not path.endswith(".html")),
            gone=tuple(sorted(before.keys() - self.digests.keys())),
            of_game=update.of_game,
            unpublished=update.unpublished,
            found=update.found,
            problem=update.problem,
            seconds=perf_counter() - start,
        )

    def _failed(self, fault: Exception, loaded: Sequence[Diagnostic]) -> Update:
        """The update of a library that could not be built: every game that has pages keeps them."""
        match fault:
            case InvalidPack():
                problem = f"the data denies its own schema, which is a fault of kismet: {fault}"
            case OSError():
                # An editor may be in the middle of replacing a file: its next change starts another build.
                where = f": {fault.filename}" if fault.filename else ""
                problem = f"{fault.strerror or fault}{where}"
            case _:
                problem = str(fault)
        games = sorted(file.parent.name for file in self.tree.glob("data/*/pack.json"))
        return Update(
            of_game=dict.fromkeys(games, tuple(loaded)),
            unpublished=dict.fromkeys(games, problem),
            found=tuple(loaded),
            problem=problem,
        )


def _told(built: Built) -> Update:
    """What a build that went through has to say of each game."""
    of_game = {made.id: made.diagnostics for made in built.made}
    unpublished = {made.id: _reason(made.diagnostics) for made in built.made if not made.is_good}
    for game, reason in built.broken:
        unpublished[game] = reason
        # What was found in the data file that keeps it from being loaded, which the reason names.
        of_game.setdefault(game, tuple(one for one in built.found if one.span.source.shown in reason))
    return Update(of_game=of_game, unpublished=unpublished, found=built.found)


def _reason(diagnostics: Sequence[Diagnostic]) -> str:
    errors = count(diagnostics)["error"]
    return "it has 1 error" if errors == 1 else f"it has {errors} errors"


def _digests(tree: Path) -> Digests:
    """A digest of each file in a tree that is shown; of most the build has just written one down."""
    try:
        listed: dict[str, str] = json.loads((tree / LIST).read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        return {}
    digests = {path: digest for path, digest in listed.items() if not path.startswith(INDEXES)}
    # Not in the list are large pictures, and pages that only lead on.
    for top in tree.iterdir():
        for file in (top, *top.rglob("*")) if top.name not in APART else ():
            path = file.relative_to(tree).as_posix()
            if path not in digests and not path.startswith(INDEXES) and file.is_file():
                digests[path] = sha256(file.read_bytes()).hexdigest()
    return digests
