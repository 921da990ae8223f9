"""The arguments of the command line."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from kismet_build import __version__
from kismet_build.cli.build import build as run_build
from kismet_build.cli.build_part import BUILDERS, BuildPart
from kismet_build.cli.check import check as run_check
from kismet_build.cli.command import COMMANDS, MAX_PORT, Command, add_game, add_path, path_argument, whole_number
from kismet_build.cli.commands import calc as run_calc
from kismet_build.cli.commands import dump_text, explain_word, open_manual, print_odds, serve_library
from kismet_build.cli.commands import publish as run_publish
from kismet_build.cli.commands import verify as run_verify
from kismet_build.cli.messages import OK, USAGE_ERROR, print_problem, usage_error
from kismet_build.cli.new import new as run_new
from kismet_build.model.entry_points import Registered, UnusableEntryPoint

SHELLS = ("bash", "zsh", "fish")
"""Shells that can complete commands and options."""

EDITORS = ("cursor", "idea", "none", "obsidian", "sublime", "textmate", "vscode", "vscodium", "zed")
"""Values of `--editor`: the keys of `serve.editor_links.EDITORS`, copied to avoid its import, and `none`."""

EXAMPLES = {
    "build": ("kismet build my-game --out my-site", "kismet build my-vault --export sqlite"),
    "check": ("kismet check my-game", "kismet check my-game --format json"),
    "serve": ("kismet serve my-game", "kismet serve my-vault --open"),
    "calc": ("kismet calc", "kismet calc kismet/passive-defense modifier=2"),
    "odds": ("kismet odds 1d10+3 --vs 9", 'kismet odds "1d6 vs 1d8"'),
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
        "kismet publish --to github-pages my-game --requirement git+https://git.example/kismet-build",
        "kismet publish --to github-pages my-game --requirement git+https://git.example/kismet-build --bundle --force",
    ),
}
"""Two examples of each command of the core, for its help and the manual."""

DEFAULT_PATH = Path("content")
"""The library for a command without a path, if this folder exists."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and whose help ends with examples."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.examples: tuple[str, ...] = EXAMPLES.get(self.prog.removeprefix("kismet "), ())

    def format_help(self) -> str:
        return super().format_help() + "".join(
            ("\nexamples:\n", *(f"  {line}\n" for line in self.examples)) if self.examples else ()
        )

    def parse_known_args(  # type: ignore[override]  # one signature for all overloads
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments. An unknown option is refused, and the most similar one suggested."""
        options, rest = super().parse_known_args(args, namespace)
        unknown = next((word.partition("=")[0] for word in rest if word.startswith("-")), "")
        if unknown:
            from kismet_build.model.suggestion import did_you_mean

            hint = did_you_mean(unknown, self._option_string_actions)
            self.error(f'there is no option "{unknown}"' + (f": {hint}" if hint else ""))
        return options, rest

    def unknown_options(self, words: Sequence[str]) -> list[str]:
        """The words that look like a long option, but are neither one nor the start of one."""
        options = [word.partition("=")[0] for word in words if word.startswith("--") and word != "--"]
        return [
            option for option in options if not any(known.startswith(option) for known in self._option_string_actions)
        ]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from kismet_build.model.suggestion import did_you_mean_or_list

            hint = did_you_mean_or_list(str(value), [*map(str, action.choices)], "choose from")
            raise argparse.ArgumentError(action, f'there is no "{value}": {hint}')

    def error(self, message: str) -> NoReturn:
        print_problem(f"{message} (see {self.prog} --help)")
        sys.exit(USAGE_ERROR)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command's arguments. A usage error ends the process with a one-line message."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = command_parser(arguments)
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            parser.error(f"an argument is not UTF-8: {argument}")
    options, rest = parser.parse_known_args(arguments)
    if "package_of_command" not in options and any(
        value == [] for name, value in vars(options).items() if name != "values"
    ):
        message = "an option cannot have the value --"  # argparse turns the value of `--game=--` into a list
        parser.error(message)
    # argparse does not accept positional arguments on both sides of an option.
    if rest and options.run is run_calc:
        options.values += rest
    elif len(rest) == 1 and "path" in options and options.path is None:
        options.path = path_argument(rest[0])
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if "path" in options and options.path is None:
        from kismet_build.config.discovery import default_library

        options.path = default_library(DEFAULT_PATH)
    return options


def command_parser(arguments: Sequence[str] = ()) -> CommandParser:
    """The parser of the command line.

    It has a command of another package only if it is the first of the `arguments`, and our extensions' commands unless
    that is a command of the core.
    """
    parser = CommandParser(prog="kismet", description="Compile rule books into a website and data.")
    parser.add_argument("--version", action="version", version=f"kismet-build {__version__}")
    _add_help(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    build = commands.add_parser("build", help="compile a library into a website with its data")
    add_path(build)
    build.add_argument(
        "--out", type=path_argument, default=Path("public"), metavar="DIR", help="output folder (default: public)"
    )
    build.add_argument(
        "--strict",
        action="store_true",
        help="exit with status 1 on warnings, too, and if entries of the last build vanished",
    )
    _add_keep_going(build)
    _add_untrusted(build)
    build.add_argument(
        "--accept",
        action="store_true",
        help="publish even if a kind has no entries left or, with --strict, if entries vanished",
    )
    build.add_argument(
        "--jobs", type=whole_number(1), metavar="N", help="use at most N processes (default: as many as processors)"
    )
    build.add_argument("--no-cache", action="store_true", help="build everything from scratch")
    build.add_argument("--no-search", action="store_true", help="do not build a full-text index")
    build.add_argument(
        "--export",
        action="append",
        nargs="?",
        const="",
        metavar="NAME",
        help="also publish the data in the format of exporter NAME; may be repeated; without NAME, list the exporters",
    )
    build.add_argument(
        "--bundle",
        action="store_true",
        help="also publish the data as SQLite, CSV, JSON Lines, and packages: all exports of kismet",
    )
    build.add_argument(
        "--book",
        metavar="FORMATS",
        help="also publish each game as a book, in these formats: pdf, epub, or pdf,epub",
    )
    build.add_argument(
        "--url", type=_url, default="", metavar="URL", help="address of the website, instead of url in library.yaml"
    )
    build.add_argument("--quiet", action="store_true", help="print errors only")

    check = commands.add_parser("check", help="print the diagnostics of a library without writing anything")
    add_path(check)
    check.add_argument(
        "--format",
        choices=("text", "json", "github", "sarif"),
        default="text",
        help="output format: text (the default), json (JSON Lines: one object per line), github or sarif",
    )
    check.add_argument("--strict", action="store_true", help="exit with status 1 on warnings, too")
    _add_untrusted(check)
    check.set_defaults(run=run_check)

    serve = commands.add_parser("serve", help="build, serve and reload a library while you write")
    add_path(serve)
    serve.add_argument(
        "--host", type=_host, default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    serve.add_argument(
        "--port",
        type=whole_number(0, MAX_PORT),
        metavar="PORT",
        help="port to listen on (default: 8000, or the next free one)",
    )
    serve.add_argument(
        "--editor",
        choices=EDITORS,
        default="",
        metavar="NAME",
        help=f"editor for links to source lines: {', '.join(EDITORS)} "
        "(default: obsidian in an Obsidian vault, otherwise none)",
    )
    _add_keep_going(serve)
    serve.add_argument("--open", action="store_true", help="open the browser")
    serve.set_defaults(run=serve_library)

    # A command of the core imports no extension.
    for name in COMMANDS.ours if not arguments or arguments[0] not in EXAMPLES else ():
        with suppress(UnusableEntryPoint):
            _add_command(commands, COMMANDS.load(name))

    calc = commands.add_parser(
        "calc", help="run a calculator; without values, print its inputs; without a name, list all calculators"
    )
    calc.add_argument(
        "calculator", nargs="?", metavar="GAME/CALCULATOR", help="the ids of a game and of its calculator"
    )
    calc.add_argument("values", nargs="*", metavar="name=value", help="input values; omitted inputs use their defaults")
    calc.add_argument("--json", action="store_true", help="print one JSON object")
    calc.add_argument(
        "--library",
        type=path_argument,
        metavar="PATH",
        help="the folder of a game, of a library of games, or of a vault (default: content, otherwise this folder, or "
        "the games that ship with kismet, if it has no texts or the name is one of theirs)",
    )
    add_game(calc)
    calc.set_defaults(run=run_calc)

    odds = commands.add_parser("odds", help="exact probabilities of a dice expression")
    odds.add_argument(
        "expression",
        metavar="EXPRESSION",
        help="such as 1d10+3, 4d6kh3, d6+ or 5d6>=5; also d20 adv, 4dF, 3d6>4, "
        "1d6 vs 1d8 and German dice such as 1W6+2",
    )
    odds.add_argument("--vs", type=int, metavar="N", help="chance to reach N or more")
    odds.add_argument("--json", action="store_true", help="print one JSON object")
    odds.set_defaults(run=print_odds)

    explain = commands.add_parser("explain", help="explain a word of the manual; without a word, list all diagnostics")
    explain.add_argument(
        "word",
        nargs="?",
        metavar="WORD",
        help="a diagnostic, a key of a data file, a function, an option or a command, such as unresolved-link, x-body, "
        "game.yaml:boards or chance",
    )
    explain.set_defaults(run=explain_word)

    docs = commands.add_parser("docs", help="open the manual in the browser")
    docs.add_argument(
        "--print-path", action="store_true", help="print the path of the manual's first page instead of opening it"
    )
    docs.set_defaults(run=open_manual)

    completion = commands.add_parser("completion", help="print the code for completion in a shell")
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    completion.set_defaults(run=_completion)

    data = commands.add_parser("data", help="verify a bundle of data")
    _add_help(data)
    of_data = data.add_subparsers(title="commands", metavar="COMMAND")
    verify = of_data.add_parser("verify", help="check that a bundle is complete and unaltered")
    verify.add_argument("bundle", type=path_argument, metavar="BUNDLE", help="a zip, tgz or whl, or a folder of data")
    verify.set_defaults(run=run_verify)

    dump = commands.add_parser("dump", help="print how kismet reads a text")
    dump.add_argument(
        "file",
        type=path_argument,
        metavar="FILE",
        help="the text; the nearest folder above with a game.yaml is its game",
    )
    dump.add_argument(
        "--game", type=path_argument, metavar="FILE", help="the game.yaml for the texts in the folder of FILE"
    )
    dump.set_defaults(run=dump_text)

    new = commands.add_parser("new", help="create a small working library as a starting point")
    new.add_argument(
        "folder",
        type=path_argument,
        nargs="?",
        metavar="DIR",
        help="the folder to write (with --from by default the id of the vault)",
    )
    new.add_argument(
        "--from",
        dest="vault",
        type=path_argument,
        metavar="VAULT",
        help="write the kinds that are found in a vault as a game.yaml and kind files that you can edit",
    )
    new.add_argument(
        "--publish",
        action="store_true",
        help="also write what GitHub Pages needs; with --from, DIR is the vault itself by default",
    )
    _add_requirement(new)
    new.add_argument(
        "--vscode", action="store_true", help="also write .vscode/settings.json with the schema of each data file"
    )
    new.set_defaults(run=run_new)

    publish = commands.add_parser("publish", help="write what a host needs to build and serve a library")
    add_path(publish)
    publish.add_argument("--to", choices=("github-pages",), required=True, help="the host")
    _add_requirement(publish)
    publish.add_argument(
        "--bundle",
        action="store_true",
        help="also build bundles, and publish them for each tag: as a release on GitHub and, if you like, on npm "
        "and PyPI",
    )
    publish.add_argument("--force", action="store_true", help="replace a workflow that differs")
    publish.set_defaults(run=run_publish)
    try:
        build.set_defaults(run=run_build, parts=_build_parts(build, arguments))
        if arguments and not arguments[0].startswith("-") and arguments[0] not in commands.choices:
            _add_other_command(commands, arguments)
    except UnusableEntryPoint as problem:
        sys.exit(usage_error(str(problem)))
    return parser


def _build_parts(build: "CommandParser", arguments: Sequence[str]) -> tuple[BuildPart, ...]:
    """Let extensions add options to `kismet build`: ours, and a package that registers an option among the arguments.

    Raises `UnusableEntryPoint` if the package cannot be used.
    """
    parts: list[BuildPart] = []
    for name in BUILDERS.ours:
        with suppress(UnusableEntryPoint):
            parts.append(BUILDERS.load(name).function)
            parts[-1].add_arguments(build)
    strange = {option.removeprefix("--") for option in build.unknown_options(arguments[1:])}
    for name in sorted(strange & {*BUILDERS.names()}) if strange else ():
        if "--untrusted" in arguments:
            raise UnusableEntryPoint("--untrusted runs only the builders of kismet", f'"{name}" is not one of them')
        registered = BUILDERS.load(name)
        with _code_of_package("builder", registered):
            parts.append(registered.function)
            parts[-1].add_arguments(build)
    return tuple(parts)


@contextmanager
def _code_of_package(noun: str, registered: Registered) -> Iterator[None]:
    """Raises `UnusableEntryPoint` for any exception."""
    try:
        yield
    except (Exception, SystemExit) as problem:
        why = f"{type(problem).__name__}: {problem}"
        what = f'the {noun} "{registered.name}" of {registered.package} cannot be used'
        raise UnusableEntryPoint(what, why) from problem


def _add_other_command(commands: "argparse._SubParsersAction[CommandParser]", arguments: Sequence[str]) -> None:
    """Add the command of another package, if one registers the first word.

    Raises `UnusableEntryPoint` if it cannot be used, or if the word is a command of ours that is not installed.
    """
    name = arguments[0]
    if name not in COMMANDS.names():
        return
    if name not in COMMANDS.ours and "--untrusted" in arguments:
        raise UnusableEntryPoint("--untrusted runs only the commands of kismet", f'"{name}" is not one of them')
    command = COMMANDS.load(name)
    with _code_of_package("command", command):
        _add_command(commands, command)
    commands.choices[name].set_defaults(package_of_command=command.package)


def _add_command(commands: "argparse._SubParsersAction[CommandParser]", registered: Registered) -> None:
    command: Command = registered.function
    parser = commands.add_parser(registered.name, help=command.help)
    parser.examples = command.examples
    command.add_arguments(parser)
    parser.set_defaults(run=command.run)


def _add_help(command: argparse.ArgumentParser) -> None:
    """Make a command with subcommands print its help if none of them is given."""

    def print_help(_: argparse.Namespace) -> int:
        command.print_help()
        return OK

    command.set_defaults(run=print_help)


def _add_requirement(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--requirement",
        default="",
        metavar="SPEC",
        help="what pip installs on the host: a wheel in the repository or git+https://... (default: the repository of "
        "the kismet action, if a workflow uses it)",
    )


def _add_keep_going(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-going",
        action="store_true",
        help="publish games despite errors, without the entries, calculators and effects that the errors affect",
    )


def _add_untrusted(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--untrusted",
        action="store_true",
        help="for texts by strangers: leave out templates and attachments that can run code, and limit time and memory",
    )


def _host(name: str) -> str:
    """A host name that can be encoded for DNS. The host may not exist."""
    try:
        name.encode("idna")
    except UnicodeError:
        raise argparse.ArgumentTypeError(f"{name!r} is not a host name") from None
    return name


def _url(text: str) -> str:
    from kismet_build.config.data_file import schema_validator, shipped_schema

    if text and not schema_validator(shipped_schema("library")["properties"]["url"])(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the address of a website, such as https://rules.example/")
    return text


def _completion(options: argparse.Namespace) -> int:
    import shtab

    def complete_paths(parser: argparse.ArgumentParser) -> None:
        for action in parser._actions:
            if action.type is path_argument:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            if isinstance(action, argparse._SubParsersAction):
                for command in action.choices.values():
                    complete_paths(command)

    parser = command_parser()
    complete_paths(parser)
    print(shtab.complete(parser, options.shell))
    return OK
