"""Print results, one-line problems and diagnostics, and choose the exit status."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    # Modules are imported on use: `kismet explain` starts without the compiler.
    from kismet_build.model.diagnostic import Diagnostic
    from kismet_build.output.entity_changes import KindChanges

OK, CONTENT_ERROR, USAGE_ERROR, SYSTEM_ERROR = 0, 1, 2, 3
"""Exit statuses; docs/CONTRACT.md defines them."""

PLURALS = {"error": "errors", "warning": "warnings", "info": "notes"}
"""Names of the severities in counts."""

MAX_MESSAGE = 500
"""Maximum length of a message about arguments or files; the middle of a longer one is cut."""


def usage_error(message: str, diagnostics: "Sequence[Diagnostic]" = ()) -> int:
    """Print diagnostics and a problem with the arguments. Returns the exit status."""
    print_text(diagnostics, sys.stderr)
    if message:
        print_problem(message)
    return USAGE_ERROR


def print_problem(message: str) -> None:
    """Print a message about arguments or files as one line."""
    print(f"kismet: {one_line(message)}", file=sys.stderr)


def one_line(message: str) -> str:
    """A message as one line. Control characters, which a terminal may obey, are escaped."""
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE // 2]} ... {message[-MAX_MESSAGE // 2 :]}"
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in message.replace("\n", " ")
    )


def exit_status(counts: dict[str, int], *, strict: bool) -> int:
    """The exit status for diagnostics, counted by severity."""
    return CONTENT_ERROR if counts["error"] or (strict and counts["warning"]) else OK


def error_count(diagnostics: "Sequence[Diagnostic]") -> str:
    """The number of errors in words: `it has 2 errors`."""
    from kismet_build.model.diagnostic import count_by_severity

    return f"it has {counted(count_by_severity(diagnostics)['error'], 'errors')}"


def counts_in_words(counts: dict[str, int]) -> str:
    """The counts as text: `1 error, 2 warnings, 0 notes`."""
    return ", ".join(counted(counts[severity], plural) for severity, plural in PLURALS.items())


def counted(number: int, plural: str) -> str:
    """A number and its noun: `1 entity`, `2 entities`."""
    singular = plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")
    return f"{number} {singular if number == 1 else plural}"


def print_text(diagnostics: "Sequence[Diagnostic]", out: TextIO) -> None:
    """Print diagnostics as text, in colour on a terminal. Repeated faults are one message with a count."""
    from kismet_build.model.diagnostic import group_repeats, to_text

    diagnostics = group_repeats(diagnostics)
    if not out.isatty():
        for diagnostic in diagnostics:
            print(to_text(diagnostic) + "\n", file=out)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, soft_wrap=True)
    styles = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}
    for diagnostic in diagnostics:
        head, _, rest = to_text(diagnostic).partition("\n")
        text = Text(head, style="bold")
        text.stylize(styles[diagnostic.severity], 0, head.index(":"))
        console.print(text)
        console.print(Text(rest + "\n"))


def print_private(title: str, private: "Mapping[str, str]", out: TextIO) -> None:
    """Print how many texts of a game are private and why; on a terminal, also which were not understood.

    Logs, which are often public, never name them.
    """
    from kismet_build.driver.result import doubtful_places, private_summary

    if private:
        print(f"{title}: {private_summary(private)}", file=out)
    if sys.stderr.isatty():
        for line in doubtful_places(private):
            print(one_line(line), file=sys.stderr)


def print_changes(changes: Sequence["KindChanges"], stream: TextIO) -> None:
    """Print what changed since the last build, one line per kind."""
    games = {change.game for change in changes}
    for change in changes:
        print(f"since the last build: {change.game + '/' if len(games) > 1 else ''}{change}", file=stream)
