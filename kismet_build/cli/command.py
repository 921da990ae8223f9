"""Commands that the core loads by name: those of our extensions, and those of other packages."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kismet_build.model.entry_points import EntryPointGroup

MAX_PORT = 65_535
"""The highest TCP port."""
MAX_FOLDERS = 255
"""Maximum number of folders in a path argument: Python creates nested folders recursively."""


class Command(NamedTuple):
    """What a package registers in the group `kismet.commands`.

    The modules of our commands are imported for each `kismet --help`, so they import what a command needs when it runs.
    """

    help: str
    """The description of the command in `kismet --help`."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does the work. Returns the exit status."""
    examples: tuple[str, ...]
    """Two command lines for the help and the manual."""


COMMANDS = EntryPointGroup(
    "kismet.commands",
    "command",
    {
        "book": "kismet_build.extensions.book.command:book",
        "ask": "kismet_build.extensions.answers.command:ask",
        "mcp": "kismet_build.extensions.answers.command:mcp",
    },
    Command,
)
"""The commands that are not part of the core, in the order of the help. Each is a `Command`."""


def add_path(command: argparse.ArgumentParser) -> None:
    """Add the arguments for the library: `options.path`, which has a default, and `options.game`."""
    command.add_argument(
        "path",
        type=path_argument,
        nargs="?",
        metavar="PATH",
        help="the folder of a game, of a library of games, or of a vault (default: content, otherwise this folder)",
    )
    add_game(command)


def add_game(command: argparse.ArgumentParser) -> None:
    """Add the option for one of the games."""
    command.add_argument(
        "--game",
        type=path_argument,
        metavar="FILE",
        help="the game.yaml for the texts at PATH, or the id of a game that ships with kismet",
    )


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a whole number in a range."""
    bounds = f"{least} or more" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {bounds}")
        return number

    return read


def path_argument(text: str) -> Path:
    """A path that is not too deep to create."""
    if text.count("/") > MAX_FOLDERS:
        raise argparse.ArgumentTypeError(f"{text!r} has more than {MAX_FOLDERS} folders")
    return Path(text)
