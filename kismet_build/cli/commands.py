"""Short commands. Each imports its modules on use."""

import argparse
import sys
from pathlib import Path

from kismet_build.cli.messages import (
    CONTENT_ERROR,
    OK,
    USAGE_ERROR,
    counted,
    one_line,
    print_problem,
    print_text,
    usage_error,
)


def serve_library(options: argparse.Namespace) -> int:
    """Serve a library until Ctrl-C."""
    from kismet_build.serve import serve

    serve(
        options.path,
        options.game,
        host=options.host,
        port=options.port,
        editor=options.editor,
        open_browser=options.open,
        keep_going=options.keep_going,
        print_diagnostics=print_text,
    )
    return OK


def calc(options: argparse.Namespace) -> int:
    """Run a calculator, describe its inputs, or list calculators."""
    from kismet_build.cli.calc import CalcError, InvalidGame, run

    try:
        print(run(options.calculator, options.values, options.library, options.game, options.json))
    except InvalidGame as problem:
        usage_error(str(problem), problem.diagnostics)
        return CONTENT_ERROR
    except CalcError as problem:
        return usage_error(str(problem))
    return OK


def print_odds(options: argparse.Namespace) -> int:
    """Print the odds of a dice expression."""
    from kismet_build.mechanics.dice import DiceError, odds, parse
    from kismet_build.mechanics.dice.chart import caret_excerpt, contest_text, to_text
    from kismet_build.mechanics.dice.find import code_with_english_dice
    from kismet_build.mechanics.dice.table_notation import VERSUS, check_counts, contest, in_dice_notation

    written = [roll.strip() for roll in VERSUS.split(options.expression, maxsplit=1)]
    rolls = list(map(in_dice_notation, written))
    if options.vs is not None and len(rolls) > 1:
        return usage_error("--vs needs one roll, and this compares two")
    expressions, place = [], ""
    try:
        for place in rolls:
            check_counts(place)
            expressions.append(parse(code_with_english_dice(place)))
        place = " vs ".join(rolls)
        if len(rolls) > 1:
            chances = contest(*expressions)
            tree, text = chances.to_tree(), contest_text(options.expression, chances)
        else:
            distribution = odds(*expressions)
            tree, text = distribution.to_tree(options.vs), to_text(options.expression, distribution, options.vs)
    except DiceError as problem:
        print_problem(problem.message)
        print(caret_excerpt(place, problem.position), file=sys.stderr)
        return USAGE_ERROR
    if options.json:
        import json

        print(json.dumps({"expression": options.expression, **tree}))
    else:
        print(text if rolls == written else f"read as {place}\n{text}")
    return OK


def explain_word(options: argparse.Namespace) -> int:
    """Print an entry of the manual, or all codes of diagnostics."""
    from kismet_build.cli.explain import diagnostic_codes, explain

    if options.word is None:
        for code, file in diagnostic_codes().items():
            print(f"{code:28} {_first_sentence(file)}")
        return OK
    text, problem = explain(options.word)
    if problem:
        print_problem(problem)
        return USAGE_ERROR
    print(text)
    return OK


def open_manual(options: argparse.Namespace) -> int:
    """Build the manual, and print the path of its first page. Without `--print-path`, also open it in a browser."""
    from kismet_build.driver.manual import build_manual

    page = build_manual()
    print(page)
    if not options.print_path:
        import webbrowser

        if not webbrowser.open(page.as_uri()):
            print_problem("no browser can be opened here: open the path above yourself")
    return OK


def _first_sentence(file: Path) -> str:
    """Severity and first sentence of a manual page."""
    _, _, body = file.read_text(encoding="utf-8").partition("\nSeverity: ")
    severity, _, text = body.partition("\n")
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return f"{severity:8} {paragraph.partition('. ')[0].rstrip('.')}"


def verify(options: argparse.Namespace) -> int:
    """Check that a bundle is complete and unaltered."""
    from kismet_build.output.verify_bundle import BadBundle, verify_bundle

    try:
        verified = verify_bundle(options.bundle)
    except BadBundle as problem:
        return usage_error(str(problem))
    files = counted(verified.files, "files")
    games = ", ".join(verified.titles)
    print(one_line(f"{options.bundle} is complete and unaltered: {games}; {files}, {verified.size} bytes"))
    return OK


def dump_text(options: argparse.Namespace) -> int:
    """Print the compiler's view of a text."""
    from kismet_build.cli.dump import dump

    print(dump(options.file, options.game))
    return OK


def publish(options: argparse.Namespace) -> int:
    """Write the workflow that publishes a library."""
    from kismet_build.cli.new import write_workflow

    return write_workflow(options.path, options.game, options.requirement, force=options.force, bundle=options.bundle)
