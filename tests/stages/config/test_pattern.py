"""Regular expressions of authors: they mean what Python's `re` reads, and no search takes long."""

import json
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from test import re_tests  # type: ignore[import-not-found]

from kismet_build.config.data_file import UsageError
from kismet_build.config.load_library import load_library
from kismet_build.config.obsidian import ignored_paths
from kismet_build.driver.compile import compile_game
from kismet_build.model import pattern as pattern_module
from kismet_build.model.diagnostic import to_dict
from kismet_build.model.pattern import Pattern, UnusablePattern
from tests.command import kismet, tree, write_files
from tests.small_library import KIND, TEXT, write_library

SLOW = "(?:a|a)+$"
"""A regular expression that takes years in `HARD`."""
HARD = "a" * 40 + "b"
BOMBS = ["(?:" * 20 + "a" + "){2}" * 20, "((a{1000}){1000}){1000}", "(?x)(?:a{1000})#\n{1000}", r"\d{1000000}"]
"""Repetitions that take gigabytes where they are written out."""
SEARCH_SECONDS = 0.2
"""Processor time that a search may take here."""


@pytest.fixture(autouse=True)
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of these tests wait until a search is stopped."""
    monkeypatch.setattr(pattern_module, "MAX_SEARCH_SECONDS", SEARCH_SECONDS)


@pytest.mark.parametrize("search", [Pattern.search, Pattern.find_all, Pattern.split])
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a+a+)+$", SLOW, "(?=(a|a)+$)", r"(\w+\s?)*\d$"])
def test_a_search_ends(search: Callable[[Pattern, str], Any], pattern: str) -> None:
    start = process_time()
    with suppress(UnusablePattern):
        search(Pattern(pattern), HARD)
    assert process_time() - start < 3 * SEARCH_SECONDS


def test_expressions_mean_what_re_reads() -> None:
    own = [
        ("a{e}", "xa{e}"),
        ("(b){i<=1}", "b{i<=1}"),
        ("{e}", "a{e}"),
        ("[{e}]{2}", "ae{"),
        (r"\N{DIGIT ONE}{2}", "11"),
    ]
    own += [("a{,2}", "aaa"), (r"\{e}", "{e}"), (r"\\{e}", "\\{e}"), ("{}", "{}"), ("a{}", "aa{}")]
    number = 0
    for pattern, text, *_ in [*re_tests.tests, *own]:
        try:
            with warnings.catch_warnings(action="ignore"):
                expected = re.compile(pattern)
        except (re.error, TypeError):
            continue
        if isinstance(text, str):
            with warnings.catch_warnings(action="ignore"):
                found = Pattern(pattern).find_all(text)
            assert [(match.span(), match.groups(), match.groupdict()) for match in found] == [
                (match.span(), match.groups(), match.groupdict()) for match in expected.finditer(text)
            ], pattern
            assert Pattern(pattern).split(text) == expected.split(text), pattern
            number += 1
    assert number > 300


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999999999}", "(" * 5000 + ")" * 5000, *BOMBS])
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    with pytest.raises(re.error):
        Pattern(pattern)


def test_an_ignore_filter_that_takes_too_long_stops_the_build(tmp_path: Path) -> None:
    settings = json.dumps({"userIgnoreFilters": [f"/{SLOW}/"]})
    write_files(tmp_path / "vault", {f"{HARD}.md": "Home", ".obsidian/app.json": settings})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "out")
    assert run.status == 2
    assert f'app.json: the regular expression "{SLOW}" takes too long, so kismet cannot tell which' in run.err
    assert not (tmp_path / "out").exists()


def test_ignore_filters_that_take_too_long_together_stop_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kismet_build.config.obsidian.MAX_FILTER_SECONDS", -1.0)
    write_files(tmp_path, {".obsidian/app.json": json.dumps({"userIgnoreFilters": ["Notes/", "/x/"]})})
    assert ignored_paths(["notes/a.md"], tmp_path) == {"notes/a.md"}
    with pytest.raises(UsageError, match="the ignore filters take too long"):
        ignored_paths(["a.md"], tmp_path)


def test_a_game_is_published_without_a_kind_whose_pattern_takes_too_long(tmp_path: Path) -> None:
    library = write_library(tmp_path / "game")
    out = tmp_path / "out"
    assert kismet("build", library, "--out", out).status == 0
    (library / "2 Hall.md").write_text(f"## Graces\n\n### {HARD}\n\n**Cost:** 1\n", encoding="utf-8")
    slow = KIND.replace("under: Graces", f"under: Graces, pattern: '^(?:{SLOW})'")
    (library / "kinds" / "grace.yaml").write_text(slow, encoding="utf-8")
    before = tree(out)
    run = kismet("build", library, "--out", out)
    assert run.status == 1
    assert run.output.count("takes too long") == 1
    assert tree(out) == before
    run = kismet("build", library, "--out", out, "--keep-going")
    assert run.status == 1
    assert "is published without kind: grace\n" in run.err
    pack = json.loads((out / "data/ember-court/pack.json").read_bytes())
    assert pack["entities"]["grace"] == []


def test_edits_and_whole_builds_leave_out_the_same(tmp_path: Path) -> None:
    kind = KIND.replace("under: Graces", f"under: Graces, pattern: '^(?:Bow$|Whisper$|{SLOW})'")
    library = write_library(tmp_path / "game", kind=kind)
    game = load_library(library, None, lambda _: None).games[0]
    court = library / "1 Court.md"
    pack = None
    for name, entities in (("Bow", 2), (HARD, 0), ("Bow", 2)):
        court.write_text(TEXT.replace("### Bow", f"### {name}").replace("[[#Bow]]", "it"), encoding="utf-8")
        changed = pack and [court]
        pack = compile_game(game, lambda _: None, previous=pack, changed=changed)
        whole = compile_game(game, lambda _: None)
        assert [*map(to_dict, pack.diagnostics)] == [*map(to_dict, whole.diagnostics)]
        assert len(pack.entities["grace"]) == len(whole.entities["grace"]) == entities
