"""The command `kismet`: parses arguments, runs a command, prints results, and turns system errors into messages."""

import argparse
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from kismet_build import __version__
from kismet_build.model.watchdog import TooSlow

if TYPE_CHECKING:
    # Each command imports what it needs: `kismet explain` starts without the compiler.
    from kismet_build.build.result import BuildResult
    from kismet_build.model.diagnostic import Diagnostic
    from kismet_build.output.entity_changes import KindChanges
    from kismet_build.pack import Pack

OK, CONTENT_ERROR, USAGE_ERROR, SYSTEM_ERROR = 0, 1, 2, 3
"""Exit statuses; docs/CONTRACT.md defines them."""

SHELLS = ("bash", "zsh", "fish")
"""Shells that complete the words of the command."""

EDITORS = ("cursor", "idea", "none", "obsidian", "sublime", "textmate", "vscode", "vscodium", "zed")
"""Editors that `kismet serve` can open; a copy of the keys of `serve.editor_links.EDITORS`, to avoid its import."""

PLURALS = {"error": "errors", "warning": "warnings", "info": "notes"}
"""Names of the severities in counts."""

STARTER = Path(__file__).parent / "starter"
"""The small library that `kismet new` copies."""

EXAMPLES = {
    "build": ("kismet build my-game --out my-site", "kismet build my-vault --export sqlite"),
    "check": ("kismet check my-game", "kismet check my-game --format json"),
    "serve": ("kismet serve my-game", "kismet serve my-vault --open"),
    "calc": ("kismet calc", "kismet calc kismet/passive-defense modifier=2"),
    "odds": ("kismet odds 1d10+3 --vs 9", "kismet odds 4d6kh3"),
    "explain": ("kismet explain unresolved-link", "kismet explain game.yaml"),
    "docs": ("kismet docs", "kismet docs --print-path"),
    "completion": (
        "kismet completion bash >> ~/.bashrc",
        "kismet completion fish > ~/.config/fish/completions/kismet.fish",
    ),
    "data verify": ("kismet data verify my-site", "kismet data verify my-site/data"),
    "dump": ('kismet dump "my-game/1 First Steps.md"', 'kismet dump "my-vault/Items/Item 1.md"'),
    "new": ("kismet new second-game", "kismet new --from my-vault vault-game"),
    "publish": (
        "kismet publish --to github-pages my-game",
        "kismet publish --to github-pages my-game --requirement git+https://git.example/kismet-build",
    ),
}
"""Two examples of each command, which its help and the manual show."""

DEFAULT_PATH = Path("content")
"""The library, if a command is given no path and this folder exists."""

MAX_PORT = 65_535
"""The highest port of TCP."""
MAX_FOLDERS = 255
"""Folders of a path in an argument; Python makes nested folders by recursion."""
SECONDS_TO_INTERRUPT = 0.01
"""Seconds after which an interrupt is raised again that Python ignored."""
UNTRUSTED_SECONDS = 600
"""Processor time that each process of a command with `--untrusted` may take."""
UNTRUSTED_BYTES = 4 * 2**30
"""Memory that each process of a command with `--untrusted` may reserve."""
MAX_MESSAGE = 500
"""Characters of a message about arguments or files; a longer one loses its middle."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Rule books contain characters that some terminal encodings lack.
            stream.reconfigure(errors="replace")
    # A build allocates hundreds of thousands of long-lived objects: with the default thresholds, the garbage
    # collector takes a seventh of its time.
    gc.set_threshold(200_000, 1_000, 1_000)
    try:
        options = _parse(arguments)
        run: Callable[[argparse.Namespace], int] = options.run
        if getattr(options, "untrusted", False) and arguments is None:  # else the process has other work
            _bound_resources()
        return run(options)
    except BrokenPipeError:
        # The reader closed the pipe, as in `kismet explain | head`.
        _discard_output()
        return OK
    except OSError as failure:
        return _system_error(failure)
    except KeyboardInterrupt:
        with suppress(OSError):
            _print_problem("interrupted")
        return SYSTEM_ERROR
    except OutOfTime:
        _print_problem(f"this takes more than the {UNTRUSTED_SECONDS} s of processor time that --untrusted allows")
        return SYSTEM_ERROR
    except TooSlow as failure:
        _print_problem(f"this is a fault of kismet: a step over all texts does not end, {failure}; please report it")
        return SYSTEM_ERROR
    except MemoryError:
        _print_problem("there is not enough memory; --jobs 1 takes less")
        return SYSTEM_ERROR
    except Exception as failure:
        if sys.flags.dev_mode:
            raise
        _print_problem(_internal_error(failure))
        return SYSTEM_ERROR


def _internal_error(failure: Exception) -> str:
    """One line about a fault of this program: what failed, and where."""
    from traceback import extract_tb

    place = extract_tb(failure.__traceback__)[-1]
    what = "a text is nested too deeply" if isinstance(failure, RecursionError) else repr(failure)
    where = f"{Path(place.filename).name}:{place.lineno}"
    return f"internal error: {what} ({where}); please report it, with what `python -X dev -m kismet_build.cli` prints"


def run() -> NoReturn:
    """Run the command of `sys.argv`, and exit with its status."""
    _open_closed_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C, so that temporary folders are removed
    sys.unraisablehook = _raise_interrupt_again
    try:
        status = main()
    except SystemExit as end:  # of argparse
        status = int(end.code or OK)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as failure:
        status = _system_error(failure)
        _discard_output()
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        if active_children():
            sys.exit(status)  # terminates them
    # Without interpreter shutdown: freeing a compiled book object by object takes a third of the time of a build:
    # docs/decisions/0026-processes.md.
    with suppress(OSError):  # closed by the reader
        sys.stderr.flush()
    os._exit(status)


def _raise_interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Raise an interrupt a moment later that came where Python ignores exceptions, as while an object is freed."""
    if unraisable.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_INTERRUPT)
    else:
        sys.__unraisablehook__(unraisable)


CURES = {
    errno.EACCES: "change its permissions, or use another folder",
    errno.EPERM: "change its permissions, or use another folder",
    errno.EROFS: "nothing can be written to this disk: use another folder",
    errno.ENOSPC: "free some space, or use another disk",
}
"""The hint for an error of the system."""


def _system_error(failure: OSError) -> int:
    """Print the failure as one line, and return the exit status."""
    file = f": {failure.filename}" if failure.filename else ""
    cure = f"; {CURES[failure.errno]}" if failure.errno in CURES else ""
    with suppress(OSError):  # standard error may be what failed
        _print_problem(f"{failure.strerror or failure}{file}{cure}")
    return SYSTEM_ERROR


def _open_closed_streams() -> None:
    """Open `os.devnull` in the place of closed standard streams: another file would take their descriptors."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", encoding="utf-8"))  # noqa: SIM115


def _discard_output() -> None:
    """Print nothing more: what is still in buffers cannot be written."""
    discard = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream without a descriptor
            os.dup2(discard, stream.fileno())
    os.close(discard)


class _Parser(argparse.ArgumentParser):
    """A parser of arguments whose errors are one line, and whose help ends with examples."""

    def format_help(self) -> str:
        """The help with the examples of the command."""
        examples = EXAMPLES.get(self.prog.removeprefix("kismet "), ())
        return super().format_help() + "".join(
            ("\nexamples:\n", *(f"  {line}\n" for line in examples)) if examples else ()
        )

    def parse_known_args(  # type: ignore[override]  # one signature for all overloads
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments; refuse an unknown option, and suggest the nearest."""
        options, rest = super().parse_known_args(args, namespace)
        unknown = next((word.partition("=")[0] for word in rest if word.startswith("-")), "")
        if unknown:
            from kismet_build.model.suggestion import did_you_mean

            hint = did_you_mean(unknown, self._option_string_actions)
            self.error(f'there is no option "{unknown}"' + (f": {hint}" if hint else ""))
        return options, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices, and suggest the nearest."""
        if action.choices is not None and value not in action.choices:
            from kismet_build.model.suggestion import did_you_mean_or_list

            hint = did_you_mean_or_list(str(value), [*map(str, action.choices)], "choose from")
            raise argparse.ArgumentError(action, f'there is no "{value}": {hint}')

    def error(self, message: str) -> NoReturn:
        """Print the message, and end with the status of misuse."""
        _print_problem(f"{message} (see {self.prog} --help)")
        sys.exit(USAGE_ERROR)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser()
    arguments = sys.argv[1:] if arguments is None else arguments
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            parser.error(f"an argument is not UTF-8: {argument}")
    options, rest = parser.parse_known_args(arguments)
    if any(value == [] for name, value in vars(options).items() if name != "values"):
        message = "an option cannot have the value --"  # for `--game=--` argparse gives a list
        parser.error(message)
    if rest and options.run is _calc:
        # argparse does not accept positional arguments on both sides of an option.
        options.values += rest
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if "path" in options and options.path is None:
        from kismet_build.config.data_file import UsageError
        from kismet_build.config.discovery import default_library

        try:
            options.path = default_library(DEFAULT_PATH)
        except UsageError as problem:
            sys.exit(_usage_error(str(problem)))
    return options


def command_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = _Parser(prog="kismet", description="Compile rule books into a website and data.")
    parser.add_argument("--version", action="version", version=f"kismet-build {__version__}")
    _add_help(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    build = commands.add_parser("build", help="compile a library into a website with its data")
    _add_path(build)
    build.add_argument(
        "--out", type=_path, default=Path("public"), metavar="DIR", help="output folder (default: public)"
    )
    build.add_argument(
        "--strict", action="store_true", help="exit with 1 on warnings too, and if entries of the last build vanished"
    )
    _add_keep_going(build)
    _add_untrusted(build)
    build.add_argument(
        "--accept",
        action="store_true",
        help="publish although a kind has no entries left or, with --strict, entries vanished",
    )
    build.add_argument(
        "--jobs", type=_number(1), metavar="N", help="use at most N processes (default: as many as processors)"
    )
    build.add_argument("--no-cache", action="store_true", help="build everything from nothing")
    build.add_argument("--no-search", action="store_true", help="build no full-text index")
    build.add_argument(
        "--export",
        action="append",
        nargs="?",
        const="",
        metavar="NAME",
        help="also publish what the exporter NAME makes of the data; may be repeated; without NAME, list the exporters",
    )
    build.add_argument(
        "--bundle",
        action="store_true",
        help="also publish the data as SQLite, CSV, JSON Lines, and packages: all exports of kismet",
    )
    build.add_argument(
        "--url", type=_url, default="", metavar="URL", help="address of the website, in place of that of library.yaml"
    )
    build.add_argument("--quiet", action="store_true", help="print errors only")
    build.set_defaults(run=_build)

    check = commands.add_parser("check", help="print the diagnostics of a library, write nothing")
    _add_path(check)
    check.add_argument(
        "--format",
        choices=("text", "json", "github", "sarif"),
        default="text",
        help="the form of the output: text (the default), json (JSON Lines: an object on each line), github or sarif",
    )
    check.add_argument("--strict", action="store_true", help="exit with 1 on warnings too")
    _add_untrusted(check)
    check.set_defaults(run=_check)

    serve = commands.add_parser("serve", help="build, serve and reload a library while you write")
    _add_path(serve)
    serve.add_argument(
        "--host", type=_host, default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    serve.add_argument(
        "--port",
        type=_number(0, MAX_PORT),
        metavar="PORT",
        help="port to listen on (default: 8000, or the next free one)",
    )
    serve.add_argument("--out", type=_path, help=argparse.SUPPRESS)  # until version 0.1.0, to say what takes its place
    serve.add_argument(
        "--editor",
        choices=EDITORS,
        default="",
        metavar="NAME",
        help=f"editor that links to a source line open: {', '.join(EDITORS)} (default: obsidian for a vault)",
    )
    _add_keep_going(serve)
    serve.add_argument("--open", action="store_true", help="open the browser")
    serve.set_defaults(run=_serve)

    calc = commands.add_parser(
        "calc", help="run a calculator; without values print its inputs, without a name list all"
    )
    calc.add_argument("calculator", nargs="?", metavar="GAME/CALCULATOR", help="the id of a game and of a calculator")
    calc.add_argument("values", nargs="*", metavar="name=value", help="inputs; the others have their defaults")
    calc.add_argument("--json", action="store_true", help="print one JSON object")
    calc.add_argument(
        "--library", type=_path, metavar="PATH", help="the games (default: content, or what ships with kismet)"
    )
    calc.set_defaults(run=_calc)

    odds = commands.add_parser("odds", help="exact probabilities of a dice expression")
    odds.add_argument(
        "expression", metavar="EXPRESSION", help="such as 1d10+3, 4d6kh3, d6+ or 5d6>=5; also German dice such as 1W6+2"
    )
    odds.add_argument("--vs", type=int, metavar="N", help="chance to reach N or more")
    odds.add_argument("--json", action="store_true", help="print one JSON object")
    odds.set_defaults(run=_odds)

    explain = commands.add_parser("explain", help="what a word of the manual means; without a word, all diagnostics")
    explain.add_argument(
        "word",
        nargs="?",
        metavar="WORD",
        help="a diagnostic, a key of a data file, a function, an option or a command, such as unresolved-link, x-body, "
        "game.yaml:boards or chance",
    )
    explain.set_defaults(run=_explain)

    docs = commands.add_parser("docs", help="open the manual in the browser")
    docs.add_argument("--print-path", action="store_true", help="print where its first page is, and open nothing")
    docs.set_defaults(run=_docs)

    completion = commands.add_parser("completion", help="print what makes a shell complete commands and options")
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    completion.set_defaults(run=_completion)

    data = commands.add_parser("data", help="verify a bundle of data")
    _add_help(data)
    of_data = data.add_subparsers(title="commands", metavar="COMMAND")
    verify = of_data.add_parser("verify", help="say whether a bundle is whole and unaltered")
    verify.add_argument("bundle", type=_path, metavar="BUNDLE", help="a zip, tgz or whl, or a folder of data")
    verify.set_defaults(run=_verify)

    dump = commands.add_parser("dump", help="print what the compiler understood of one text")
    dump.add_argument("file", type=_path, metavar="FILE", help="its game is in the nearest folder above")
    dump.add_argument("--game", type=_path, metavar="FILE", help="the game.yaml for the texts in the folder of FILE")
    dump.set_defaults(run=_dump)

    new = commands.add_parser("new", help="write a small library that builds, to start from")
    new.add_argument(
        "folder",
        type=_path,
        nargs="?",
        metavar="DIR",
        help="the folder to write (with --from by default the id of the vault)",
    )
    new.add_argument(
        "--from",
        dest="vault",
        type=_path,
        metavar="VAULT",
        help="write the kinds that are found in a vault as a game.yaml and kind files, to be changed by hand",
    )
    new.add_argument(
        "--publish",
        action="store_true",
        help="also write what GitHub Pages needs; with --from, DIR is the vault itself by default",
    )
    _add_requirement(new)
    new.add_argument(
        "--vscode", action="store_true", help="also write .vscode/settings.json, which tells the schema of every file"
    )
    new.set_defaults(run=_new)

    publish = commands.add_parser("publish", help="write what a host needs to build and serve a library")
    _add_path(publish)
    publish.add_argument("--to", choices=("github-pages",), required=True, help="the host")
    _add_requirement(publish)
    publish.add_argument("--force", action="store_true", help="replace a workflow that differs")
    publish.set_defaults(run=_publish)
    return parser


def _add_help(command: argparse.ArgumentParser) -> None:
    """Print the help of a command that has others, if none of them is given."""

    def print_help(_: argparse.Namespace) -> int:
        command.print_help()
        return OK

    command.set_defaults(run=print_help)


def _add_path(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "path",
        type=_path,
        nargs="?",
        metavar="PATH",
        help="the folder of a game, of a library of games, or of a vault (default: content, or else this folder)",
    )
    command.add_argument(
        "--game",
        type=_path,
        metavar="FILE",
        help="the game.yaml for the texts at PATH, or the id of a game that ships with kismet",
    )


def _add_requirement(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--requirement",
        default="",
        metavar="SPEC",
        help="what pip installs on the host, such as a wheel in the repository or git+https://... (default: from PyPI)",
    )


def _add_keep_going(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-going",
        action="store_true",
        help="publish a game that has errors without the entries, calculators and effects that they make untrue",
    )


def _add_untrusted(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--untrusted",
        action="store_true",
        help="for texts of strangers: leave out templates and attachments that can run code, and bound time and memory",
    )


def _number(least: int, most: int | None = None) -> Callable[[str], int]:
    """A reader of arguments that are whole numbers from `least` to `most`."""
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


def _path(text: str) -> Path:
    """A path that is not too deep to be made."""
    if text.count("/") > MAX_FOLDERS:
        raise argparse.ArgumentTypeError(f"{text!r} has more than {MAX_FOLDERS} folders")
    return Path(text)


def _host(name: str) -> str:
    """A host name that can be looked up."""
    try:
        name.encode("idna")
    except UnicodeError:
        raise argparse.ArgumentTypeError(f"{name!r} is not a host name") from None
    return name


def _url(text: str) -> str:
    """The address of a website, as `url` in `library.yaml` may be; empty for none."""
    from kismet_build.config.data_file import schema_validator, shipped_schema

    if text and not schema_validator(shipped_schema("library")["properties"]["url"])(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the address of a website, such as https://rules.example/")
    return text


class OutOfTime(BaseException):
    """The processor time of `--untrusted` is used up. Not an `Exception`, which is taken for a fault of one text."""


def _bound_resources() -> None:
    """Let the system bound the time and memory of this process, and of each that it starts."""
    try:
        import resource
    except ImportError:
        raise OSError(errno.ENOSYS, "this system cannot bound time and memory, as --untrusted asks") from None

    def end(*_: object) -> NoReturn:
        raise OutOfTime

    signal.signal(signal.SIGXCPU, end)
    for limit, most in ((resource.RLIMIT_CPU, UNTRUSTED_SECONDS), (resource.RLIMIT_AS, UNTRUSTED_BYTES)):
        _, hard = resource.getrlimit(limit)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, hard))


def _build(options: argparse.Namespace) -> int:
    from kismet_build.build.build_cache import BuildRequest, is_unchanged, load_build_cache, save_build_cache
    from kismet_build.config.data_file import UsageError
    from kismet_build.export import EXPORTERS
    from kismet_build.model.diagnostic import count_by_severity
    from kismet_build.output.temporary_folder import is_at_rest, recover_killed_build

    named: list[str] = options.export or []
    if "" in named:
        return _list_exporters(untrusted=options.untrusted)
    exports = tuple(sorted({*named, *(EXPORTERS.ours if options.bundle else ())}))
    strange = [name for name in exports if name not in EXPORTERS.ours]
    if strange and options.untrusted:
        return _usage_error(f'--untrusted runs only the exporters of kismet, and "{strange[0]}" is not one of them')
    tool = _foundry_tool() if "foundry" in exports else ""
    diagnostics: list[Diagnostic] = []
    request = BuildRequest(
        options.path,
        options.game,
        options.out.resolve(),
        search=not options.no_search,
        keep_going=options.keep_going,
        exports=exports,
        foundry_tool=tool,
        url=options.url,
        untrusted=options.untrusted,
    )
    build = None if options.no_cache or not is_at_rest(request.out) else load_build_cache(request)
    is_new = build is None or not is_unchanged(build, exports)
    if build is None or is_new:
        from kismet_build.model.entry_points import UnusableEntryPoint

        try:
            exporters = tuple(map(EXPORTERS.load, exports))
        except UnusableEntryPoint as problem:
            return _usage_error(str(problem))

        from kismet_build.build.library import BuildOptions, VanishedEntities, build_library
        from kismet_build.cli.progress import progress
        from kismet_build.output.lock import lock_tree
        from kismet_build.render import InvalidPack

        with lock_tree(request.out):
            recover_killed_build(request.out)
            build = None if options.no_cache else load_build_cache(request)
            try:
                jobs = options.jobs or os.cpu_count() or 1
                with progress(options.quiet) as report_progress:
                    build_options = BuildOptions(
                        jobs=jobs,
                        force=options.no_cache,
                        previous_tree=None if options.accept else request.out,
                        keeps_entities=options.strict and not options.accept,
                        exporters=exporters,
                    )
                    build = build_library(request, diagnostics.append, build, build_options, report_progress)
            except UsageError as problem:
                return _usage_error(str(problem), diagnostics)
            except VanishedEntities as vanished:
                _print_changes(vanished.changes, sys.stderr)
                _print_problem(
                    "entries vanished, and no alias leads from their ids to others: "
                    f'"{options.out}" is as it was (--accept publishes without them)'
                )
                return CONTENT_ERROR
            except InvalidPack as problem:
                _print_problem(f"the data denies its own schema, which is a fault of kismet: {problem}")
                return SYSTEM_ERROR
            save_build_cache(request, build)
    _print_build(build.result, options, is_new=is_new)
    if not options.quiet:
        _print_changes(build.result.changes if is_new else (), sys.stdout)
        if "foundry" in build.exports and is_new and build.result.is_published:
            print(_foundry_line(tool))
    status = _status(count_by_severity(build.result.diagnostics), strict=options.strict)
    if build.result.load_failures:
        return USAGE_ERROR
    return status or (SYSTEM_ERROR if build.result.failed_exports else OK)


def _foundry_tool() -> str:
    """The path of the tool of Foundry VTT; empty if there is none."""
    from kismet_build.export.foundry_tool import find_tool

    return find_tool()


def _list_exporters(*, untrusted: bool) -> int:
    """Print the name of each exporter, what it makes, and the package that it is from."""
    from kismet_build.export import EXPORTERS
    from kismet_build.export.run import summary
    from kismet_build.model.entry_points import UnusableEntryPoint

    for name in EXPORTERS.ours if untrusted else EXPORTERS.names():
        try:
            exporter = EXPORTERS.load(name)
        except UnusableEntryPoint as problem:
            print(_one_line(f"{name:10} {problem}"))
        else:
            package = f" ({exporter.package})" if exporter.package else ""
            print(_one_line(f"{name:10} {summary(exporter)}{package}"))
    return OK


def _foundry_line(tool: str) -> str:
    """A line that says whether modules for Foundry VTT were packed, or how to pack them."""
    if tool:
        return _one_line(f"the modules for Foundry VTT are packed by {tool}")
    return (
        "the modules for Foundry VTT have only the sources of their packs: "
        "to pack them, npm install --global @foundryvtt/foundryvtt-cli, and build again with fvtt in PATH"
    )


def _print_changes(changes: Sequence["KindChanges"], stream: TextIO) -> None:
    """Print what changed since the last build, one line a kind."""
    games = {change.game for change in changes}
    for change in changes:
        print(f"since the last build: {change.game + '/' if len(games) > 1 else ''}{change}", file=stream)


def _print_build(result: "BuildResult", options: argparse.Namespace, *, is_new: bool) -> None:
    """Print the diagnostics, the games that are not published, and a summary.

    `is_new`: whether the tree was written now; what a cached build said of its search index is not repeated.
    """
    from kismet_build.build.advice import advice
    from kismet_build.build.result import left_out_summary, private_summary
    from kismet_build.model.diagnostic import Severity, count_by_code, count_by_severity

    printed = {Severity.ERROR} if options.quiet else {Severity.ERROR, Severity.WARNING}
    _print_text([diagnostic for diagnostic in result.diagnostics if diagnostic.severity in printed], sys.stderr)
    counts = count_by_severity(result.diagnostics)
    failures = [(game.id, _error_count(game.diagnostics)) for game in result.games if not game.is_publishable]
    failures += result.load_failures
    if result.is_published:
        for game_id, reason in failures:
            is_retained = game_id in result.retained
            pages = "its last good pages stay" if is_retained else "it has no pages to keep, and is left out"
            if game_id in result.exposing:
                pages = "its last pages show texts that are private now, and are left out"
            _print_problem(f'"{game_id}" is not published: {reason}; {pages}')
    else:
        for _, reason in result.load_failures:
            _print_problem(reason)
        if result.exposing:
            _print_problem(f"{options.out} still shows texts that are private now")
    if result.manual is not None and not result.manual.is_publishable:
        _print_problem(f'the manual "{result.manual.id}" is left out: {_error_count(result.manual.diagnostics)}')
    if not all(game.is_publishable for game in result.games):
        problem = "what some of these errors make untrue is not known, so that --keep-going leaves nothing out"
        hint = problem if options.keep_going else "--keep-going publishes what these errors do not make untrue"
        _print_problem(hint)
    for failure in result.failed_exports:
        failed = f'the exporter "{failure.exporter}" failed for "{failure.game}", and its files are left out'
        _print_problem(f"{failed}: {failure.reason}")
    for game in result.games:
        if game.left_out:
            _print_problem(f'"{game.id}" is published without {left_out_summary(game.left_out)}')
    if result.search_problem and is_new and (result.has_search_failed or not options.quiet):
        _print_problem(f"search finds names and headings, not the text: {result.search_problem}")
    if options.quiet:
        return
    for game in result.games:
        if game.is_publishable or not result.is_published:
            print(f"{game.title}: {_counted(game.chapters, 'chapters')}, {_counted(game.entities, 'entities')}")
            if game.kinds_summary:
                print(game.kinds_summary)
            if summary := private_summary(game.private):
                print(f"{game.title}: {summary}")
    if result.manual is not None and (summary := private_summary(result.manual.private)):
        print(f"{result.manual.title}: {summary}")
    if line := advice((game.title, game.missing_keys) for game in result.games):
        print(line)
    if codes := count_by_code(result.diagnostics):
        print(codes)
    notes = " (kismet check prints them)" if counts["info"] else ""
    if result.is_published:
        print(f"{_summary(counts)}{notes}; the website is at {options.out / 'index.html'}")
    else:
        print(f"nothing was written: {_summary(counts)}{notes}")


def _check(options: argparse.Namespace) -> int:
    from kismet_build.build.advice import advice, missing_keys
    from kismet_build.build.build_cache import last_tree
    from kismet_build.build.compile import compile_game
    from kismet_build.build.found_kinds import kinds_list, kinds_summary
    from kismet_build.build.result import private_summary
    from kismet_build.config.data_file import UsageError
    from kismet_build.config.game import Library
    from kismet_build.config.load_library import load_library
    from kismet_build.model.diagnostic import count_by_code, count_by_severity, to_github, to_json, to_sarif

    diagnostics: list[Diagnostic] = []
    summaries: list[str] = []
    changes: list[KindChanges] = []
    tree = last_tree(options.path, options.game)
    kinds: list[str] = []
    try:
        library = load_library(options.path, options.game, diagnostics.append, untrusted=options.untrusted)
        load_failures = [failure.reason for failure in library.broken]
    except UsageError as problem:
        library, load_failures = Library(()), [str(problem)]
    for game in library.games:
        first = len(diagnostics)
        pack = compile_game(game, diagnostics.append, previous_tree=tree)
        if options.format == "text" and tree is not None:
            changes.extend(_changes_since(tree, pack))
        kinds += kinds_list(pack)
        if summary := kinds_summary(pack):
            kinds.append(summary.rpartition("; ")[2])
        summaries.append(f"{game.title}: {_summary(count_by_severity(diagnostics[first:]))}")
        if summary := private_summary(pack.private):
            print(f"{game.title}: {summary}", file=sys.stderr)
    if library.manual is not None:
        compile_game(library.manual, diagnostics.append)
    for reason in load_failures:
        _print_problem(reason)
    match options.format:
        case "json":
            for diagnostic in diagnostics:
                print(to_json(diagnostic))
        case "github":
            for diagnostic in diagnostics:
                print(to_github(diagnostic))
        case "sarif":
            print(to_sarif(diagnostics, __version__))
        case _:
            _print_text(diagnostics, sys.stdout)
            if kinds:
                print("\n".join(kinds))
            total = _summary(count_by_severity(diagnostics))
            _print_changes(changes, sys.stdout)
            if line := advice((game.title, missing_keys(game)) for game in library.games):
                print(line)
            if codes := count_by_code(diagnostics):
                print(codes)
            if len(summaries) + len(load_failures) > 1:
                print("\n".join(summaries))
            if summaries:
                print(total if len(summaries) == 1 else f"all {len(summaries)} games: {total}")
    return USAGE_ERROR if load_failures else _status(count_by_severity(diagnostics), strict=options.strict)


def _changes_since(tree: Path, pack: "Pack") -> Iterator["KindChanges"]:
    """How the entities of a pack differ from the entities of the same game in a tree."""
    import orjson

    from kismet_build.output.entity_changes import compare_entities, published_entities
    from kismet_build.render.data.pack_json import entity_data

    if before := published_entities(tree, pack.game.id):
        data = {kind: [entity_data(pack, entity) for entity in entities] for kind, entities in pack.entities.items()}
        yield from compare_entities(pack.game.id, before, orjson.loads(orjson.dumps(data)), pack.private)


def _serve(options: argparse.Namespace) -> int:
    from kismet_build.config.data_file import UsageError
    from kismet_build.serve import serve

    if options.out:
        return _usage_error("serve writes no files: leave out --out, and write them with kismet build --out")
    try:
        serve(
            options.path,
            options.game,
            host=options.host,
            port=options.port,
            editor=options.editor,
            open_browser=options.open,
            keep_going=options.keep_going,
            print_diagnostics=_print_text,
        )
    except UsageError as problem:
        return _usage_error(str(problem))
    return OK


def _calc(options: argparse.Namespace) -> int:
    from kismet_build.cli.calc import CalcError, InvalidGame, run
    from kismet_build.config.data_file import UsageError

    try:
        print(run(options.calculator, options.values, options.library, options.json))
    except InvalidGame as problem:
        _usage_error(str(problem), problem.diagnostics)
        return CONTENT_ERROR
    except (CalcError, UsageError) as problem:
        return _usage_error(str(problem))
    return OK


def _odds(options: argparse.Namespace) -> int:
    from kismet_build.mechanics.dice import DiceError, odds, parse
    from kismet_build.mechanics.dice.chart import caret_excerpt, to_text
    from kismet_build.mechanics.dice.find import code_with_english_dice

    try:
        distribution = odds(parse(code_with_english_dice(options.expression)))
    except DiceError as problem:
        _print_problem(problem.message)
        print(caret_excerpt(options.expression, problem.position), file=sys.stderr)
        return USAGE_ERROR
    if options.json:
        import json

        print(json.dumps({"expression": options.expression, **distribution.to_tree(options.vs)}))
    else:
        print(to_text(options.expression, distribution, options.vs))
    return OK


def _explain(options: argparse.Namespace) -> int:
    from kismet_build.cli.explain import diagnostic_codes, explain

    if options.word is None:
        for code, file in diagnostic_codes().items():
            print(f"{code:28} {_first_sentence(file)}")
        return OK
    text, problem = explain(options.word)
    if problem:
        _print_problem(problem)
        return USAGE_ERROR
    print(text)
    return OK


def _docs(options: argparse.Namespace) -> int:
    from kismet_build.build.manual import build_manual

    page = build_manual()
    print(page)
    if not options.print_path:
        import webbrowser

        if not webbrowser.open(page.as_uri()):
            _print_problem("there is no browser to open here: the manual starts at the path above")
    return OK


def _first_sentence(file: Path) -> str:
    """Severity and first sentence of a manual page."""
    _, _, body = file.read_text(encoding="utf-8").partition("\nSeverity: ")
    severity, _, text = body.partition("\n")
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return f"{severity:8} {paragraph.partition('. ')[0].rstrip('.')}"


def _verify(options: argparse.Namespace) -> int:
    from kismet_build.output.verify_bundle import BadBundle, verify_bundle

    try:
        verified = verify_bundle(options.bundle)
    except BadBundle as problem:
        return _usage_error(str(problem))
    files = _counted(verified.files, "files")
    games = ", ".join(verified.titles)
    print(_one_line(f"{options.bundle} is whole and unaltered: {games}; {files}, {verified.size} bytes"))
    return OK


def _dump(options: argparse.Namespace) -> int:
    from kismet_build.cli.dump import dump
    from kismet_build.config.data_file import UsageError

    try:
        print(dump(options.file, options.game))
    except UsageError as problem:
        return _usage_error(str(problem))
    return OK


def _new(options: argparse.Namespace) -> int:
    from kismet_build.cli.editor_schemas import vscode_settings, with_schemas
    from kismet_build.config.data_file import UsageError

    folder: Path | None = options.folder
    vault: Path | None = options.vault
    is_in_vault = vault is not None and folder is None and options.publish
    diagnostics: list[Diagnostic] = []
    try:
        if vault is not None:
            from kismet_build.cli.definition import vault_definition

            game_id, files = vault_definition(vault, diagnostics.append)
            folder = folder or (vault if is_in_vault else Path(f"{game_id}-game"))
        elif folder is None:
            return _usage_error("say which folder to make: kismet new DIR")
        else:
            starter = (file for file in sorted(STARTER.rglob("*")) if "__pycache__" not in file.parts)
            files = {file.relative_to(STARTER).as_posix(): file.read_bytes() for file in starter if file.is_file()}
        if options.publish:
            from kismet_build.cli.publish import repository_of

            repository_of(folder)
    except UsageError as problem:
        return _usage_error(str(problem), diagnostics)
    files = {**with_schemas(files), **(vscode_settings() if options.vscode else {})}
    if is_in_vault:
        present = [path for path in files if (folder / path).exists() and path != "library.yaml"]
        if present:
            return _usage_error(f'"{folder / present[0]}" is there already')
        files.pop("library.yaml", None)  # it was read from there
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        return _usage_error(f'"{folder}" is not an empty folder')
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    typed, game = quote(str(folder)), quote(str(folder / "game.yaml"))
    if vault is None:
        print(f"a small library is in {folder}; try: kismet build {typed}")
    elif is_in_vault:
        print(f"the definition is in {folder / 'game.yaml'} and {folder / 'kinds'}; try: kismet build {typed}")
    else:
        print(f"the definition is in {folder}; try: kismet build {quote(str(vault))} --game {game}")
    if options.publish:
        game_file = None if vault is None or is_in_vault else folder / "game.yaml"
        return _write_workflow(vault or folder, game_file, options.requirement)
    return OK


def _completion(options: argparse.Namespace) -> int:
    import shtab

    def complete_paths(parser: argparse.ArgumentParser) -> None:
        """Let the shell complete paths where the parser reads one."""
        for action in parser._actions:
            if action.type is _path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            if isinstance(action, argparse._SubParsersAction):
                for command in action.choices.values():
                    complete_paths(command)

    parser = command_parser()
    complete_paths(parser)
    print(shtab.complete(parser, options.shell))
    return OK


def _publish(options: argparse.Namespace) -> int:
    return _write_workflow(options.path, options.game, options.requirement, force=options.force)


def _write_workflow(library: Path, game_file: Path | None, requirement: str, *, force: bool = False) -> int:
    from kismet_build.cli.publish import WORKFLOW, next_steps, repository_of, workflow, write_new
    from kismet_build.config.data_file import UsageError

    diagnostics: list[Diagnostic] = []
    try:
        file, text = workflow(library, game_file, requirement, diagnostics.append)
        is_new = write_new(file, text, force=force)
    except UsageError as problem:
        return _usage_error(str(problem), diagnostics)
    print(f"the workflow is in {WORKFLOW}" if is_new else f"{WORKFLOW} was there already, and is the same")
    for line in next_steps(repository_of(library), requirement):
        print(line)
    return OK


def _usage_error(message: str, diagnostics: "Sequence[Diagnostic]" = ()) -> int:
    _print_text(diagnostics, sys.stderr)
    if message:
        _print_problem(message)
    return USAGE_ERROR


def _print_problem(message: str) -> None:
    """Print a message about arguments or files as one line."""
    print(f"kismet: {_one_line(message)}", file=sys.stderr)


def _one_line(message: str) -> str:
    """A message as one line. Control characters, which a terminal may obey, are escape sequences."""
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE // 2]} ... {message[-MAX_MESSAGE // 2 :]}"
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in message.replace("\n", " ")
    )


def _status(counts: dict[str, int], *, strict: bool) -> int:
    return CONTENT_ERROR if counts["error"] or (strict and counts["warning"]) else OK


def _error_count(diagnostics: "Sequence[Diagnostic]") -> str:
    from kismet_build.model.diagnostic import count_by_severity

    return f"it has {_counted(count_by_severity(diagnostics)['error'], 'errors')}"


def _summary(counts: dict[str, int]) -> str:
    return ", ".join(_counted(counts[severity], plural) for severity, plural in PLURALS.items())


def _counted(number: int, plural: str) -> str:
    """A number and its noun: `1 entity`, `2 entities`."""
    singular = plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")
    return f"{number} {singular if number == 1 else plural}"


def _print_text(diagnostics: "Sequence[Diagnostic]", out: TextIO) -> None:
    """Print diagnostics as text, in colour on a terminal. Repeats of one fault are one message with a count."""
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
