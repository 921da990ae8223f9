"""Exporters: ours are registered like those of others, and one that fails costs only its own files."""

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Set
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import pytest

from kismet_build.cli.build_part import BUILDERS
from kismet_build.cli.command import COMMANDS
from kismet_build.config.sources import SOURCES
from kismet_build.driver.books import OUTPUTS
from kismet_build.model import watchdog
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.entry_points import EntryPointGroup, Registered, UnusableEntryPoint
from kismet_build.output.exporters import EXPORTERS, ExportFailed, run_exporter
from kismet_build.output.finished_data import FinishedData
from tests.command import ROOT, kismet, kismet_process, tree, write_files
from tests.small_library import GAME, KIND, write_library

GROUPS = (BUILDERS, COMMANDS, EXPORTERS, DIALECTS, SOURCES, OUTPUTS)
EMPTY = FinishedData({}, {}, {})


def install(folder: Path, name: str, code: str, **groups: dict[str, str]) -> Path:
    """Write a package as pip installs it. `groups`: for each group, functions of `code` by name."""
    module = name.replace("-", "_")
    points = "".join(
        f"[kismet.{group}]\n" + "".join(f"{entry} = {module}:{function}\n" for entry, function in entries.items())
        for group, entries in groups.items()
    )
    information = f"{module}-1.0.dist-info"
    return write_files(
        folder,
        {
            f"{module}.py": code,
            f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            f"{information}/entry_points.txt": points,
        },
    )


def build(library: Path, out: Path, *options: str, packages: Path | None = None) -> Any:
    path = ":".join(map(str, filter(None, (ROOT, packages))))
    return kismet_process("build", library, "--out", out, "--no-search", *options, env={"PYTHONPATH": path})


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court")


# --- registration


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.noun)
def test_pyproject_registers_what_the_code_lists(group: EntryPointGroup) -> None:
    registered = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert registered[group.group] == dict(group.ours)
    for name in group.ours:
        function = group.load(name).function
        assert isinstance(function, group.kind) if group.kind else callable(function)


@pytest.mark.parametrize("option", [[], ["--bundle"]], ids=["plain", "bundle"])
def test_entry_points_are_read_only_for_a_name_that_is_not_ours(
    library: Path, tmp_path: Path, option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unexpected(**_: object) -> NoReturn:
        raise AssertionError("entry points are read")

    monkeypatch.setattr(metadata, "entry_points", unexpected)
    assert kismet("--help").status == 0
    assert kismet("check", library).status == 0
    assert kismet("dump", library / "1 Court.md").status == 0
    assert kismet("build", library, "--no-search", "--out", tmp_path / "out", *option).status == 0
    with pytest.raises(AssertionError, match="entry points are read"):
        EXPORTERS.load("other")


def test_exporters_are_listed_with_what_they_make(tmp_path: Path) -> None:
    code = 'def fine(data):\n    """Nothing at all.\n\n    Really."""\n    return ()\n'
    packages = install(tmp_path, "other-formats", code, exporters={"fine": "fine", "gone": "gone"})
    listed = build(Path("nowhere"), tmp_path / "out", "--export", packages=packages)
    lines = listed.out.splitlines()
    assert listed.status == 0
    assert [line.split()[0] for line in lines] == [*EXPORTERS.ours, "fine", "gone"]
    assert "fine       Nothing at all. (other-formats)" in lines
    assert "cannot be loaded: AttributeError" in lines[-1]
    of_strangers = build(Path("nowhere"), tmp_path / "out", "--export", "--untrusted", packages=packages)
    assert of_strangers.out.splitlines() == lines[: len(EXPORTERS.ours)]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.noun)
def test_a_name_of_ours_always_means_ours(
    group: EntryPointGroup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(iter(group.ours))
    install(
        tmp_path, "usurper", "raise SystemExit('imported')\n", **{group.group.removeprefix("kismet."): {name: "run"}}
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert group.load(name).is_ours
    assert group.names() == [*group.ours]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import nothing_of_this_name\n", "cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit(4)\n", "cannot be loaded: SystemExit: 4"),
        ("def other(): ...\n", "cannot be loaded: AttributeError"),
        ("run = 3\n", "is not a "),
    ],
)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.noun)
def test_a_package_that_cannot_be_imported_is_named(
    group: EntryPointGroup, code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken-package", code, **{group.group.removeprefix("kismet."): {"run": "run"}})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_package", raising=False)
    with pytest.raises(UnusableEntryPoint) as failure:
        group.load("run")
    assert str(failure.value).startswith(f'the {group.noun} "run" of broken-package {reason}')


def test_two_packages_with_one_name_are_refused(library: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    for name in ("one", "two"):
        install(packages, name, "def run(data): return ()\n", exporters={"book": "run"})
    run = build(library, tmp_path / "out", "--export", "book", packages=packages)
    assert run.status == 2
    assert run.err == 'kismet: the exporter "book" is registered by one and two: uninstall all but one\n'
    assert not (tmp_path / "out").exists()


def test_a_name_that_is_not_registered_is_refused_with_the_nearest(library: Path, tmp_path: Path) -> None:
    run = build(library, tmp_path / "out", "--export", "sqlit")
    assert (run.status, run.err) == (2, 'kismet: there is no exporter "sqlit": did you mean "sqlite"?\n')


# --- what an exporter may give


def giving(*items: object) -> Registered:
    return Registered("book", "a-package", lambda _: items)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([("/etc/x", b"")], "'/etc/x' is absolute"),
        ([("../x", b"")], "'../x' points outside"),
        ([("a/../../x", b"")], "points outside"),
        ([("a\\..\\..\\x", b"")], "has a character"),
        ([("C:x", b"")], "has a character"),
        ([("a\0b", b"")], "has a character"),
        ([("a\nb", b"")], "has a character"),
        ([("\ud800", b"")], "has a character"),
        ([("", b"")], "has an empty name"),
        ([("a//b", b"")], "has an empty name"),
        ([("./a", b"")], "has an empty name or a name"),
        ([("a/", b"")], "has an empty name"),
        ([("é" * 200, b"")], "is too long"),
        ([("a/" * 600 + "a", b"")], "is too long"),
        ([("a", b""), ("a", b"")], "'a' already exists"),
        ([("a", b""), ("A", b"")], "'A' already exists"),
        ([("pack.json", b"")], "'pack.json' already exists"),
        ([("pack.json/a", b"")], "would be a file and a folder"),
        ([("grace", b"")], "would be a file and a folder"),
        ([("a", b""), ("a/b", b"")], "would be a file and a folder"),
        ([("a", "text")], "the content of 'a' must be bytes, not str"),
        ([("a", None)], "must be bytes, not NoneType"),
        (["ab"], "pairs of a path and bytes, not str"),
        ([(b"a", b"")], "pairs of a path and bytes, not tuple"),
        ([("a", b"", b"")], "pairs of a path and bytes, not tuple"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_cannot_be_published_is_refused(items: list[object], reason: str) -> None:
    with pytest.raises(ExportFailed) as failure:
        run_exporter(giving(*items), EMPTY, {"pack.json", "grace/bow.json"})
    assert reason in str(failure.value)


def test_paths_that_every_system_can_have_are_written() -> None:
    files = {"deck.txt": b"1", "a b/é.txt": b"2", "grace/deck.txt": b"3", ".hidden": b"4"}
    assert run_exporter(giving(*files.items()), EMPTY, {"pack.json", "grace/bow.json"}) == files


def test_files_that_are_too_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kismet_build.output.exporters.MAX_BYTES", 10)

    def endless(_: FinishedData) -> Iterator[tuple[str, bytes]]:
        number = 0
        while True:
            number += 1
            yield f"{number}", b"1234"

    with pytest.raises(ExportFailed, match="its files have more than 10 bytes"):
        run_exporter(Registered("book", "a-package", endless), EMPTY, set())


def raising(problem: BaseException) -> Registered:
    def export(_: FinishedData) -> Iterable[tuple[str, bytes]]:
        yield "a", b""
        raise problem

    return Registered("book", "a-package", export)


@pytest.mark.parametrize("problem", [ValueError("no"), SystemExit(0), RecursionError("deep"), MemoryError()], ids=repr)
def test_any_exception_is_one_reason_with_its_place(problem: BaseException) -> None:
    with pytest.raises(ExportFailed, match=rf"^{type(problem).__name__}: .*\(test_exports.py:\d+\)$"):
        run_exporter(raising(problem), EMPTY, set())


def test_something_that_is_no_iterable_is_one_reason() -> None:
    with pytest.raises(ExportFailed, match="'NoneType' object is not iterable"):
        run_exporter(Registered("book", "a-package", lambda _: None), EMPTY, set())


def test_an_exporter_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "MAX_SECONDS", 1.0)

    def hanging(_: FinishedData) -> Iterable[tuple[str, bytes]]:
        while True:
            pass

    with pytest.raises(ExportFailed, match="took more than 1 s of processor time"):
        run_exporter(Registered("book", "a-package", hanging), EMPTY, set())


# --- builds

CODE = """
def words(data):
    yield "words/count.txt", str(len(data.pack["sections"])).encode()

def failing(data):
    yield "half.txt", b"half"
    raise ValueError("one\\ntwo")

def page(data):
    yield "book/index.html", b"<article data-pagefind-body>words</article>"
"""
WORDS = "data/ember-court/words/count.txt"


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    return install(
        tmp_path / "packages", "word-list", CODE, exporters={"words": "words", "failing": "failing", "page": "page"}
    )


def test_an_export_is_added_to_the_tree_of_an_unchanged_library(library: Path, tmp_path: Path, packages: Path) -> None:
    out = tmp_path / "out"
    assert build(library, out).status == 0
    before = tree(out)
    page = (out / "ember-court/index.html").stat().st_ino
    assert build(library, out, "--export", "words", packages=packages).status == 0
    after = tree(out)
    assert {path for path in after if after[path] != before.get(path)} == {WORDS, "data/manifest.json"}
    assert (out / "ember-court/index.html").stat().st_ino == page, "the page is taken from the tree"
    listed = {file["path"] for file in json.loads(after["data/manifest.json"])["files"]}
    assert WORDS.removeprefix("data/") in listed
    assert build(library, out, "--export", "sqlite", "--export", "words", packages=packages).status == 0
    assert {"data/ember-court/ember-court.sqlite", WORDS} < tree(out).keys()
    assert build(library, out).status == 0
    assert tree(out) == before
    assert build(library, out, "--bundle", "--export", "words", packages=packages).status == 0
    whole = tree(out)
    fresh = tmp_path / "fresh"
    assert build(library, fresh, "--bundle", "--export", "words", "--no-cache", packages=packages).status == 0
    assert whole == tree(fresh)


def test_exports_of_an_unchanged_game_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = tmp_path / "games"
    for name in ("one", "two"):
        file = write_library(games / name) / "game.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("id: ember-court", f"id: {name}"), encoding="utf-8")
    run, exported = run_exporter, list[str]()

    def counted(exporter: Registered, data: FinishedData, present: Set[str]) -> dict[str, bytes]:
        exported.append(data.pack["game"]["id"])
        return run(exporter, data, present)

    monkeypatch.setattr("kismet_build.driver.exports.run_exporter", counted)

    def build_games(*options: str) -> list[str]:
        exported.clear()
        command = (str(games), "--out", str(tmp_path / "out"), "--no-search", "--jobs", "1", *options)
        assert kismet("build", *command).status == 0
        return sorted(exported)

    assert build_games() == []
    assert build_games("--export", "csv") == ["one", "two"], "added to a tree in which nothing changed"
    text = games / "one" / "1 Court.md"
    text.write_text(text.read_text(encoding="utf-8") + "\nNew words.\n", encoding="utf-8")
    assert build_games("--export", "csv") == ["one"]


def test_an_exporter_that_fails_costs_its_own_files_only(library: Path, tmp_path: Path, packages: Path) -> None:
    out = tmp_path / "out"
    for _ in range(2):  # a build in which nothing else changed reports it, too
        run = build(library, out, "--export", "failing", "--export", "words", packages=packages)
        assert run.status == 3
        line = (
            'kismet: the exporter "failing" failed for "ember-court", and its files are left out: ValueError: one two'
        )
        assert run.err == f"{line} (word_list.py:7)\n"
        files = tree(out)
        assert WORDS in files
        assert "data/ember-court/half.txt" not in files
        assert "ember-court/index.html" in files


def test_untrusted_builds_run_only_our_exporters(library: Path, tmp_path: Path, packages: Path) -> None:
    run = build(library, tmp_path / "out", "--untrusted", "--export", "words", packages=packages)
    assert run.status == 2
    assert run.err == 'kismet: --untrusted runs only the exporters of kismet, and "words" is not one of them\n'
    run = build(library, tmp_path / "out", "--untrusted", "--export", "csv", packages=packages)
    assert run.status == 0, run.err


def test_a_page_that_an_exporter_makes_is_not_one_of_the_site(library: Path, tmp_path: Path, packages: Path) -> None:
    out = tmp_path / "out"
    write_files(library, {"library.yaml": "url: https://example.org/\n"})
    assert build(library, out, "--export", "page", packages=packages).status == 0
    assert (out / "data/ember-court/book/index.html").is_file()
    assert "book" not in (out / "sitemap.xml").read_text(encoding="utf-8")


def test_our_exporters_depend_on_nothing_but_the_data(tmp_path: Path, library: Path) -> None:
    """Each exporter writes the same files alone and together with others, and also into an existing tree."""
    assert build(library, tmp_path / "out", "--bundle").status == 0
    whole = tree(tmp_path / "out")
    for name in EXPORTERS.ours:
        assert build(library, tmp_path / "one", "--export", name).status == 0
        alone = tree(tmp_path / "one/data/ember-court")
        assert all(whole[f"data/ember-court/{path}"] == content for path, content in alone.items()), name
        page = (tmp_path / "one/ember-court/downloads/index.html").read_text(encoding="utf-8")
        for path in (path for path in whole if path.startswith("data/ember-court/downloads/")):
            assert (path in page) is (tmp_path / "one" / path).is_file(), path


# --- dialects

DIALECT = """
from kismet_build.model.nodes import Document, Heading, Paragraph, Text

def read(source, report, options):
    if "fail" in source.text:
        raise ValueError("no")
    if "nothing" in source.text:
        return []
    span = source.full_span()
    title = Heading(span=span, level=1, children=(Text(span),), raw=source.text)
    return Document(source=source, dialect="plain", blocks=(title,))
"""


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    install(tmp_path / "packages", "plain-text", DIALECT, dialects={"plain": "read"})
    game = GAME.replace("glob: '**/*.md', dialect: obsidian", "glob: '*.txt', dialect: plain")
    write_files(tmp_path / "plain", {"game.yaml": game, "kinds/grace.yaml": KIND, "One.txt": "First page"})
    return tmp_path / "plain"


def run_with(packages: Path, *arguments: str | Path) -> Any:
    return kismet_process(*arguments, env={"PYTHONPATH": f"{ROOT}:{packages}"})


def test_a_text_in_a_dialect_of_another_package_has_a_page(plain: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    run = run_with(packages, "build", plain, "--no-search", "--out", tmp_path / "out")
    assert run.status == 0, run.output
    (page,) = tmp_path.glob("out/ember-court/one*/index.html")
    assert "First page" in page.read_text(encoding="utf-8")
    assert "Heading 1" in run_with(packages, "dump", plain / "One.txt").out


def test_a_format_that_a_dialect_reads_is_not_reported_as_unread(plain: Path, tmp_path: Path) -> None:
    (plain / "One.txt").rename(plain / "One.rst")
    game = plain / "game.yaml"
    game.write_text(game.read_text(encoding="utf-8").replace("*.txt", "*.rst"), encoding="utf-8")
    write_files(plain, {"Two.textile": "Two"})
    run = run_with(tmp_path / "packages", "check", plain)
    assert run.status == 0, run.output
    assert "Two.textile" in run.output
    assert "One.rst" not in run.output


@pytest.mark.parametrize(("text", "why"), [("fail", "ValueError: no"), ("nothing", "TypeError: ")])
def test_a_text_on_which_a_dialect_fails_says_whose_fault_it_is(
    plain: Path, tmp_path: Path, text: str, why: str
) -> None:
    (plain / "Two.txt").write_text(text, encoding="utf-8")
    run = run_with(tmp_path / "packages", "check", plain)
    assert run.status == 1
    assert f'the dialect "plain" failed on this text in the step "parse" ({why}' in run.output


def test_untrusted_texts_are_read_only_by_our_dialects(plain: Path, tmp_path: Path) -> None:
    run = run_with(tmp_path / "packages", "check", plain, "--untrusted")
    assert run.status == 2
    assert run.err == 'kismet: --untrusted only allows the dialects of kismet, but "ember-court" uses "plain"\n'


def test_a_dialect_that_is_not_installed_is_named_with_its_place(plain: Path, tmp_path: Path) -> None:
    run = run_with(tmp_path, "check", plain)
    assert run.status == 2
    assert 'there is no dialect "plain"' in run.output
    assert "game.yaml:7:21" in run.output
