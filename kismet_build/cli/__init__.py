"""The command `kismet`: the door for people, and the one place where faults of the machine are caught."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from kismet_build import __version__

if TYPE_CHECKING:
    # Imported where they are used: `kismet explain` answers without them.
    from kismet_build.model.diagnostic import Diagnostic

CLEAN, CONTENT, MISUSE, MACHINE = 0, 1, 2, 3
"""Exit statuses, as CONTRACT.md fixes them."""

EDITORS = ("cursor", "idea", "none", "obsidian", "sublime", "textmate", "vscode", "vscodium", "zed")
"""What `kismet serve` can open a place in: the names of `serve.editor`, here because a parser knows them at once."""

PLURALS = {"error": "errors", "warning": "warnings", "info": "notes"}
"""What severities are called when they are counted."""

MANUAL = Path(__file__).parent.parent / "lint" / "manual"
STARTER = Path(__file__).parent / "starter"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A rule book holds signs that the encoding of some terminals lacks.
            stream.reconfigure(errors="replace")
    # A build makes hundreds of thousands of objects that stay: looking for circles among them took a seventh of it.
    gc.set_threshold(200_000, 1_000, 1_000)
    options = _parse(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except BrokenPipeError:
        # The reader of our output has seen enough, as with `kismet explain | head`.
        sys.stderr.close()
        return CLEAN
    except OSError as fault:
        where = f": {fault.filename}" if fault.filename else ""
        print(f"kismet: {fault.strerror or fault}{where}", file=sys.stderr)
        return MACHINE
    except KeyboardInterrupt:
        print("kismet: interrupted", file=sys.stderr)
        return MACHINE


def run() -> NoReturn:
    """Run the command that was typed, and end."""
    status = main()
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        if active_children():
            sys.exit(status)  # which ends them
    # Taking a compiled book apart, object by object, would take a third of the time of a build.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(status)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.run is _calc and not any(word.startswith("-") for word in rest):
        # argparse takes no more values after an option has stood between them.
        options.values += rest
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kismet", description="Compile rule books into a website and data.")
    parser.add_argument("--version", action="version", version=f"kismet-build {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    build = commands.add_parser("build", help="compile a library into a website with its data")
    _add_path(build)
    build.add_argument("--out", type=Path, default=Path("public"), metavar="DIR", help="where to (default: public)")
    build.add_argument("--strict", action="store_true", help="warnings fail, too")
    build.add_argument("--jobs", type=int, metavar="N", help="use at most N processes (default: as many as processors)")
    build.add_argument("--no-cache", action="store_true", help="make everything again, whatever is there already")
    build.add_argument("--no-search", action="store_true", help="make no index of the text")
    build.add_argument("--quiet", action="store_true", help="say nothing but errors")
    build.set_defaults(run=_build)

    check = commands.add_parser("check", help="say what is wrong in a library, and write nothing")
    _add_path(check)
    check.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text", help="default: text")
    check.add_argument("--strict", action="store_true", help="warnings fail, too")
    check.set_defaults(run=_check)

    serve = commands.add_parser(
        "serve", help="show a library in a browser, and keep it as the texts are while you write"
    )
    _add_path(serve)
    serve.add_argument("--host", default="127.0.0.1", help="who may ask (default: 127.0.0.1, this machine alone)")
    serve.add_argument("--port", type=int, metavar="PORT", help="default: 8000, or the next that is free")
    serve.add_argument("--out", type=Path, metavar="DIR", help="where the tree is kept (default: nowhere)")
    serve.add_argument(
        "--editor",
        choices=EDITORS,
        default="",
        metavar="NAME",
        help=f"what opens a place in a text: {', '.join(EDITORS)} (default: obsidian for a vault)",
    )
    serve.add_argument("--open", action="store_true", help="open the browser")
    serve.set_defaults(run=_serve)

    calc = commands.add_parser("calc", help="run a calculator, or list them; with a name alone, say what it needs")
    calc.add_argument("calculator", nargs="?", metavar="GAME/CALCULATOR")
    calc.add_argument("values", nargs="*", metavar="name=value", help="what is left out has its default")
    calc.add_argument("--json", action="store_true", help="print one JSON object")
    calc.add_argument("--library", type=Path, metavar="PATH", help="default: content, or what ships with kismet")
    calc.set_defaults(run=_calc)

    odds = commands.add_parser("odds", help="exact probabilities of a dice expression")
    odds.add_argument("expression", metavar="EXPRESSION", help="such as 1d10+3, 4d6kh3, d6+ or 5d6>=5")
    odds.add_argument("--vs", type=int, metavar="N", help="say the chance to reach N or more")
    odds.add_argument("--json", action="store_true", help="print one JSON object")
    odds.set_defaults(run=_odds)

    explain = commands.add_parser("explain", help="the manual page of a diagnostic, or the list of all")
    explain.add_argument("code", nargs="?", metavar="CODE")
    explain.set_defaults(run=_explain)

    dump = commands.add_parser("dump", help="print what the compiler understood of one text")
    dump.add_argument("file", type=Path, metavar="FILE", help="its game is in the nearest folder above")
    dump.add_argument("--game", type=Path, metavar="FILE", help="the game.yaml for the texts in the folder of FILE")
    dump.set_defaults(run=_dump)

    new = commands.add_parser("new", help="write a small library that builds, to start from")
    new.add_argument("folder", type=Path, metavar="DIR")
    new.set_defaults(run=_new)
    return parser


def _add_path(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", type=Path, nargs="?", default=Path("content"), metavar="PATH", help="default: content")
    command.add_argument(
        "--game",
        type=Path,
        metavar="FILE",
        help="the game.yaml for the texts at PATH, or the id of a game that ships with kismet",
    )


def _build(options: argparse.Namespace) -> int:
    from kismet_build.build.build_cache import BuildRequest, is_unchanged, load_build_cache, save_build_cache
    from kismet_build.config.data_file import UsageError
    from kismet_build.model.diagnostic import Severity, count
    from kismet_build.output.lock import only_writer

    found: list[Diagnostic] = []
    request = BuildRequest(options.path, options.game, options.out.resolve(), not options.no_search)
    with only_writer(request.out):
        record = None if options.no_cache else load_build_cache(request)
        if record is None or not is_unchanged(record):
            from kismet_build.build.document_cache import DocumentCache
            from kismet_build.build.pipeline import BuildOptions, build_at
            from kismet_build.cli.progress import progress
            from kismet_build.render import InvalidPack

            try:
                jobs = options.jobs or os.cpu_count() or 1
                with progress(options.quiet) as report_progress:
                    documents = DocumentCache(is_persistent=not options.no_cache)
                    how = BuildOptions(jobs=jobs, force=options.no_cache, progress=report_progress, cache=documents)
                    record = build_at(request, found.append, record, how)
            except UsageError as misuse:
                return _refuse(str(misuse), found)
            except InvalidPack as fault:
                print(f"kismet: the data denies its own schema, which is a fault of kismet: {fault}", file=sys.stderr)
                return MACHINE
            save_build_cache(request, record)
    built = record.built
    shown = [
        one
        for one in built.found
        if one.severity is Severity.ERROR or not (options.quiet or one.severity is Severity.INFO)
    ]
    _print_text(shown, sys.stderr)
    counts = count(built.found)
    failed = [(one.id, _errors(one.diagnostics)) for one in built.made if not one.is_good]
    failed += built.broken
    if built.written:
        for game, reason in failed:
            fate = "its last good pages stay" if game in built.stay else "it has no pages to keep, and is left out"
            print(f'kismet: "{game}" is not published: {reason}; {fate}', file=sys.stderr)
    else:
        for _, reason in built.broken:
            print(f"kismet: {reason}", file=sys.stderr)
    if built.unsearched and not options.quiet:
        print(f"kismet: search finds names and headings, not the text: {built.unsearched}", file=sys.stderr)
    if not options.quiet:
        for one in built.made:
            if one.is_good or not built.written:
                print(f"{one.title}: {_counted(one.chapters, 'chapters')}, {_counted(one.entities, 'entities')}")
        if built.written:
            print(f"{_told(counts)}; the website is at {options.out / 'index.html'}")
        else:
            print(f"nothing was written: {_told(counts)}")
    return MISUSE if built.broken else _status(counts, strict=options.strict)


def _check(options: argparse.Namespace) -> int:
    from kismet_build.build.pipeline import compile_game
    from kismet_build.config.data_file import UsageError
    from kismet_build.config.game import Library, load_library
    from kismet_build.model.diagnostic import count, to_github, to_json, to_sarif

    found: list[Diagnostic] = []
    sums: list[str] = []
    try:
        library = load_library(options.path, options.game, found.append)
        broken = [one.reason for one in library.broken]
    except UsageError as misuse:
        library, broken = Library(()), [str(misuse)]
    for game in library.games:
        before = len(found)
        compile_game(game, found.append)
        sums.append(f"{game.title}: {_told(count(found[before:]))}")
    for reason in broken:
        print(f"kismet: {reason}", file=sys.stderr)
    match options.format:
        case "json":
            for diagnostic in found:
                print(to_json(diagnostic))
        case "github":
            for diagnostic in found:
                print(to_github(diagnostic))
        case "sarif":
            print(to_sarif(found, __version__))
        case _:
            _print_text(found, sys.stdout)
            if len(sums) + len(broken) > 1:
                print("\n".join(sums))
            if sums:
                print(_told(count(found)) if len(sums) == 1 else f"all {len(sums)} games: {_told(count(found))}")
    return MISUSE if broken else _status(count(found), strict=options.strict)


def _serve(options: argparse.Namespace) -> int:
    from kismet_build.config.data_file import UsageError
    from kismet_build.serve import serve

    try:
        serve(
            options.path,
            options.game,
            host=options.host,
            port=options.port,
            out=options.out,
            editor=options.editor,
            opened=options.open,
            show=_print_text,
        )
    except UsageError as misuse:
        return _refuse(str(misuse), [])
    return CLEAN


def _calc(options: argparse.Namespace) -> int:
    from kismet_build.cli.calc import GameLoadError, Refused, run
    from kismet_build.config.data_file import UsageError

    try:
        print(run(options.calculator, options.values, options.library, options.json))
    except GameLoadError as broken:
        _refuse(str(broken), list(broken.faults))
        return CONTENT
    except (Refused, UsageError) as problem:
        return _refuse(str(problem), [])
    return CLEAN


def _odds(options: argparse.Namespace) -> int:
    from kismet_build.mechanics.dice import DiceError, odds, parse
    from kismet_build.mechanics.dice.chart import to_pointer, to_text

    try:
        distribution = odds(parse(options.expression))
    except DiceError as fault:
        print(f"kismet: {fault.message}\n{to_pointer(options.expression, fault.position)}", file=sys.stderr)
        return MISUSE
    if options.json:
        import json

        print(json.dumps({"expression": options.expression, **distribution.to_tree(options.vs)}))
    else:
        print(to_text(options.expression, distribution, options.vs))
    return CLEAN


def _explain(options: argparse.Namespace) -> int:
    pages = {file.stem: file for file in sorted(MANUAL.glob("*.md"))}
    if options.code is None:
        for code, file in pages.items():
            print(f"{code:28} {_first_sentence(file)}")
        return CLEAN
    if options.code not in pages:
        from difflib import get_close_matches

        close = get_close_matches(options.code, list(pages), n=1)
        cure = f': did you mean "{close[0]}"?' if close else ": kismet explain lists them all"
        print(f'kismet: there is no diagnostic "{options.code}"{cure}', file=sys.stderr)
        return MISUSE
    print(pages[options.code].read_text(encoding="utf-8").rstrip())
    return CLEAN


def _first_sentence(file: Path) -> str:
    _, _, body = file.read_text(encoding="utf-8").partition("\nSeverity: ")
    severity, _, rest = body.partition("\n")
    words = " ".join(rest.strip().split("\n\n")[0].split())
    return f"{severity:8} {words.partition('. ')[0].rstrip('.')}"


def _dump(options: argparse.Namespace) -> int:
    from kismet_build.cli.dump import dump
    from kismet_build.config.data_file import UsageError

    try:
        print(dump(options.file, options.game))
    except UsageError as misuse:
        return _refuse(str(misuse), [])
    return CLEAN


def _new(options: argparse.Namespace) -> int:
    folder: Path = options.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        print(f'kismet: "{folder}" is not an empty folder', file=sys.stderr)
        return MISUSE
    for file in sorted(STARTER.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            copy = folder / file.relative_to(STARTER)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    print(f"a small library is in {folder}; try: kismet build {folder}")
    return CLEAN


def _refuse(message: str, found: "list[Diagnostic]") -> int:
    _print_text(found, sys.stderr)
    if message:
        print(f"kismet: {message}", file=sys.stderr)
    return MISUSE


def _status(counts: dict[str, int], *, strict: bool) -> int:
    return CONTENT if counts["error"] or (strict and counts["warning"]) else CLEAN


def _errors(found: "Sequence[Diagnostic]") -> str:
    from kismet_build.model.diagnostic import count

    return f"it has {_counted(count(found)['error'], 'errors')}"


def _told(counts: dict[str, int]) -> str:
    return ", ".join(_counted(counts[name], words) for name, words in PLURALS.items())


def _counted(number: int, words: str) -> str:
    one = words.removesuffix("ies") + "y" if words.endswith("ies") else words.removesuffix("s")
    return f"{number} {one if number == 1 else words}"


def _print_text(diagnostics: "Sequence[Diagnostic]", out: TextIO) -> None:
    """Print diagnostics for a person; in colour on a terminal."""
    from kismet_build.model.diagnostic import to_text

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
