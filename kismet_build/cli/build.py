"""The command `kismet build`."""

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kismet_build.cli.build_part import TreeRefused
from kismet_build.cli.messages import (
    CONTENT_ERROR,
    OK,
    SYSTEM_ERROR,
    USAGE_ERROR,
    counted,
    counts_in_words,
    error_count,
    exit_status,
    one_line,
    print_changes,
    print_private,
    print_problem,
    print_text,
    usage_error,
)

if TYPE_CHECKING:
    from kismet_build.cli.build_part import BuildPart
    from kismet_build.driver.result import BuildResult
    from kismet_build.model.diagnostic import Diagnostic


def build(options: argparse.Namespace) -> int:
    """Build a library, unless nothing changed, and print the result."""
    from kismet_build.config.data_file import UsageError
    from kismet_build.driver.books import OUTPUTS
    from kismet_build.driver.build_cache import BuildRequest, is_unchanged, load_build_cache, save_build_cache
    from kismet_build.model.diagnostic import count_by_severity
    from kismet_build.model.entry_points import UnusableEntryPoint
    from kismet_build.output.exporters import EXPORTERS, ExportFailed, note
    from kismet_build.output.temporary_folder import is_at_rest, recover_killed_build

    named: list[str] = options.export or []
    if "" in named:
        return _list_exporters(untrusted=options.untrusted)
    exports = tuple(sorted({*named, *(EXPORTERS.ours if options.bundle else ())}))
    books = tuple(sorted(set(options.book.split(",")))) if options.book is not None else ()
    for group, names in ((EXPORTERS, exports), (OUTPUTS, books)):
        strange = [name for name in names if name not in group.ours]
        if strange and options.untrusted:
            what = f"--untrusted runs only the {group.noun}s of kismet"
            return usage_error(f'{what}, and "{strange[0]}" is not one of them')
    diagnostics: list[Diagnostic] = []
    request = BuildRequest(
        options.path,
        options.game,
        options.out.resolve(),
        search=not options.no_search,
        keep_going=options.keep_going,
        exports=exports,
        url=options.url,
        untrusted=options.untrusted,
        books=books,
    )
    build = None if options.no_cache or not is_at_rest(request.out) else load_build_cache(request)
    is_new = build is None or not is_unchanged(build, exports)
    parts: tuple[BuildPart, ...] = options.parts
    checks = [check for part in parts if part.check and (check := part.check(options, is_new))]

    def judge(tree: Path) -> None:
        for check in checks:
            check(tree)

    if not is_new:
        try:
            judge(request.out)
        except TreeRefused as refused:
            return refused.print(options.out)
    if build is None or is_new:
        try:
            exporters = tuple(map(EXPORTERS.load, exports))
            notes = {exporter.name: said for exporter in exporters if (said := note(exporter))}
            book_formats = tuple(map(OUTPUTS.load, books))
        except (UnusableEntryPoint, ExportFailed) as problem:
            return usage_error(str(problem))

        from kismet_build.cli.progress import progress
        from kismet_build.driver.library import BuildOptions, VanishedEntities, build_library
        from kismet_build.output.tree import lock_tree

        with lock_tree(request.out):
            recover_killed_build(request.out)
            build = None if options.no_cache else load_build_cache(request)
            try:
                jobs = options.jobs or os.cpu_count() or 1
                with progress(options.quiet) as report_progress, ExitStack() as connections:
                    opened = (connections.enter_context(part.workers(options)) for part in parts if part.workers)
                    build_options = BuildOptions(
                        jobs=jobs,
                        force=options.no_cache,
                        previous_tree=None if options.accept else request.out,
                        keeps_entities=options.strict and not options.accept,
                        exporters=exporters,
                        notes=notes,
                        books=book_formats,
                        before_publishing=judge,
                        workers=next(filter(None, opened), None),
                    )
                    build = build_library(request, diagnostics.append, build, build_options, report_progress)
            except UsageError as problem:
                return usage_error(str(problem), diagnostics)
            except VanishedEntities as vanished:
                print_changes(vanished.changes, sys.stderr)
                print_problem(
                    "entries vanished, and no alias replaces their ids: "
                    f'"{options.out}" is unchanged (--accept publishes without them)'
                )
                return CONTENT_ERROR
            except TreeRefused as refused:
                return refused.print(options.out)
            save_build_cache(request, build)
    _print_build(build.result, options, is_new=is_new)
    if not options.quiet:
        print_changes(build.result.changes if is_new else (), sys.stdout)
        for check in checks:
            check.print_result()
        for name in build.exports if is_new and build.result.is_published else ():
            if name in build.notes:
                print(one_line(build.notes[name]))
    status = exit_status(count_by_severity(build.result.diagnostics), strict=options.strict)
    if build.result.load_failures:
        return USAGE_ERROR
    has_failed = build.result.failed_exports or any(game.failed_books or game.failure for game in build.result.games)
    return status or (SYSTEM_ERROR if has_failed else OK)


def _list_exporters(*, untrusted: bool) -> int:
    from kismet_build.model.entry_points import UnusableEntryPoint
    from kismet_build.output.exporters import EXPORTERS, summary

    for name in EXPORTERS.ours if untrusted else EXPORTERS.names():
        try:
            exporter = EXPORTERS.load(name)
        except UnusableEntryPoint as problem:
            print(one_line(f"{name:10} {problem}"))
        else:
            package = f" ({exporter.package})" if exporter.package else ""
            print(one_line(f"{name:10} {summary(exporter)}{package}"))
    return OK


def _print_build(result: "BuildResult", options: argparse.Namespace, *, is_new: bool) -> None:
    """Print the diagnostics, the games that are not published, and a summary.

    `is_new`: whether the tree was just written; a cached build's message about its search index is not repeated.
    """
    from kismet_build.driver.result import advice, left_out_summary
    from kismet_build.model.diagnostic import Severity, count_by_code, count_by_severity

    printed = {Severity.ERROR} if options.quiet else {Severity.ERROR, Severity.WARNING}
    print_text([diagnostic for diagnostic in result.diagnostics if diagnostic.severity in printed], sys.stderr)
    counts = count_by_severity(result.diagnostics)
    failures = [
        (game.id, game.failure or error_count(game.diagnostics)) for game in result.games if not game.is_publishable
    ]
    failures += result.load_failures
    if result.is_published:
        for game_id, reason in failures:
            is_retained = game_id in result.retained
            pages = "its last good pages stay" if is_retained else "it has no earlier pages to keep, so it is left out"
            if game_id in result.exposing:
                pages = "its last pages may show texts that are private now, so they are left out"
            print_problem(f'"{game_id}" is not published: {reason}; {pages}')
    else:
        for _, reason in result.load_failures:
            print_problem(reason)
        for game in result.games:
            if game.failure:
                print_problem(f'"{game.id}" is not published: {game.failure}')
        if result.exposing:
            print_problem(f"{options.out} may still show texts that are private now")
    if result.manual is not None and not result.manual.is_publishable:
        print_problem(f'the manual "{result.manual.id}" is left out: {error_count(result.manual.diagnostics)}')
    if not all(game.is_publishable or game.failure for game in result.games):
        problem = "some of these errors may affect all data, so --keep-going cannot publish the rest"
        hint = problem if options.keep_going else "--keep-going publishes what these errors do not affect"
        print_problem(hint)
    for game in result.games:
        for book_format, reason in game.failed_books:
            print_problem(f"cannot make the {book_format.upper()} of {game.title}: {reason}")
        for message in game.book_warnings:
            print_problem(message)
    for failure in result.failed_exports:
        failed = f'the exporter "{failure.exporter}" failed for "{failure.game}", and its files are left out'
        print_problem(f"{failed}: {failure.reason}")
    for game in result.games:
        if game.left_out:
            print_problem(f'"{game.id}" is published without {left_out_summary(game.left_out)}')
    if result.search_problem and is_new and (result.has_search_failed or not options.quiet):
        print_problem(f"search does not cover the entire text: {result.search_problem}")
    if options.quiet:
        return
    for diagnostic in result.diagnostics:
        if diagnostic.code == "project-file":
            print(one_line(f"{diagnostic.span.source.path}: {diagnostic.message}"))
    for game in result.games:
        if game.is_publishable or not result.is_published:
            print(f"{game.title}: {counted(game.chapters, 'chapters')}, {counted(game.entities, 'entities')}")
            if game.kinds_summary:
                print(game.kinds_summary)
            print_private(game.title, game.private, sys.stdout)
    if result.manual is not None:
        print_private(result.manual.title, result.manual.private, sys.stdout)
    if line := advice((game.title, game.missing_keys) for game in result.games):
        print(line)
    if codes := count_by_code(result.diagnostics):
        print(codes)
    notes = " (kismet check prints them)" if counts["info"] else ""
    if result.is_published:
        print(f"{counts_in_words(counts)}{notes}; the website is at {options.out / 'index.html'}")
    else:
        print(f"nothing was written: {counts_in_words(counts)}{notes}")
