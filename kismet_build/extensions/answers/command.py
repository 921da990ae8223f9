"""The commands that answer questions: `kismet ask` and `kismet mcp`."""

import argparse
from pathlib import Path

from kismet_build.cli.command import MAX_PORT, Command, add_path, whole_number
from kismet_build.cli.messages import OK, print_problem, usage_error


def _ask_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", metavar="QUESTION", help="a question, or a few words")
    add_path(command)
    command.add_argument("--json", action="store_true", help="print one JSON object")


def _ask(options: argparse.Namespace) -> int:
    """Print what the rules say about a question."""
    from kismet_build.extensions.answers.ask import run
    from kismet_build.extensions.answers.rules import rules_at

    question, path = options.question, options.path
    if path is not None and not path.exists() and Path(question).is_dir():
        question, path = str(path), Path(question)
    library = rules_at(path, options.game)
    print(run(question, library.current(), as_json=options.json))
    if library.warning:
        print_problem(library.warning)
    return OK


ask = Command(
    "ask the rules a question",
    _ask_arguments,
    _ask,
    ('kismet ask "how far can I jump"', 'kismet ask "what does prone do" my-game --json'),
)


def _mcp_arguments(command: argparse.ArgumentParser) -> None:
    add_path(command)
    command.add_argument(
        "--port",
        type=whole_number(0, MAX_PORT),
        metavar="PORT",
        help="answer over HTTP at this port of this machine (default: over standard input and output)",
    )


def _mcp(options: argparse.Namespace) -> int:
    """Answer a language model over the Model Context Protocol until it closes the connection."""
    from kismet_build.model.extras import missing_packages

    if missing := missing_packages("mcp"):
        return usage_error(missing)
    from kismet_build.extensions.answers.mcp_server import serve

    serve(options.path, options.game, options.port)
    return OK


mcp = Command(
    "let a language model search, quote and calculate, over MCP",
    _mcp_arguments,
    _mcp,
    ("kismet mcp my-game", "kismet mcp my-vault --port 8000"),
)
