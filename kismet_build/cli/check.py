"""The command `kismet check`."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kismet_build import __version__
from kismet_build.cli.messages import (
    USAGE_ERROR,
    counts_in_words,
    exit_status,
    print_changes,
    print_private,
    print_problem,
    print_text,
)

if TYPE_CHECKING:
    from kismet_build.model.diagnostic import Diagnostic
    from kismet_build.output.entity_changes import KindChanges
    from kismet_build.pack import Pack


def check(options: argparse.Namespace) -> int:
    """Compile a library and print its diagnostics."""
    from kismet_build.config.data_file import UsageError
    from kismet_build.config.game import Library
    from kismet_build.config.load_library import load_library
    from kismet_build.driver.build_cache import last_tree
    from kismet_build.driver.compile import compile_game
    from kismet_build.driver.found_kinds import kinds_list, kinds_summary
    from kismet_build.driver.result import advice, missing_keys
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
        summaries.append(f"{game.title}: {counts_in_words(count_by_severity(diagnostics[first:]))}")
        print_private(game.title, pack.private, sys.stderr)
    if library.manual is not None:
        compile_game(library.manual, diagnostics.append)
    for reason in load_failures:
        print_problem(reason)
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
            print_text(diagnostics, sys.stdout)
            if kinds:
                print("\n".join(kinds))
            total = counts_in_words(count_by_severity(diagnostics))
            print_changes(changes, sys.stdout)
            if line := advice((game.title, missing_keys(game)) for game in library.games):
                print(line)
            if codes := count_by_code(diagnostics):
                print(codes)
            if len(summaries) + len(load_failures) > 1:
                print("\n".join(summaries))
            if summaries:
                print(total if len(summaries) == 1 else f"all {len(summaries)} games: {total}")
    return USAGE_ERROR if load_failures else exit_status(count_by_severity(diagnostics), strict=options.strict)


def _changes_since(tree: Path, pack: "Pack") -> Iterator["KindChanges"]:
    import orjson

    from kismet_build.output.entity_changes import compare_entities, published_entities
    from kismet_build.render.data.pack_json import entity_data

    if before := published_entities(tree, pack.game.id):
        data = {kind: [entity_data(pack, entity) for entity in entities] for kind, entities in pack.entities.items()}
        yield from compare_entities(pack.game.id, before, orjson.loads(orjson.dumps(data)), pack.private)
