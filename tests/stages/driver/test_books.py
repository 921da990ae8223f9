"""Books in formats of other packages."""

from pathlib import Path

import pytest

from tests.command import ROOT, Run, kismet_process, tree
from tests.small_library import write_library
from tests.stages.output.test_exports import install

NAMES = """\
from kismet_build.driver.books import MadeBook, NoBook

def make(pack):
    names = [entity.name for entity in pack.all_entities()]
    return MadeBook("\\n".join(names).encode(), (), ("the names have no order",))
"""


def build(folder: Path, *options: str, code: str = NAMES) -> Run:
    install(folder / "packages", "kismet-names", code, outputs={"txt": "make"})
    write_library(folder / "court")
    path = f"{ROOT}:{folder / 'packages'}"
    out = folder / "out"
    return kismet_process("build", folder / "court", "--out", out, "--no-search", *options, env={"PYTHONPATH": path})


def test_a_format_of_another_package_is_published_and_linked(tmp_path: Path) -> None:
    run = build(tmp_path, "--book", "txt,epub")
    assert (run.status, run.err) == (0, "kismet: the names have no order\n")
    out = tree(tmp_path / "out")
    assert b"Whisper" in out["ember-court/downloads/ember-court.txt"].splitlines()
    assert b'href="ember-court.txt">Book (TXT)</a>' in out["ember-court/downloads/index.html"]
    assert b'href="ember-court.epub">' in out["ember-court/downloads/index.html"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return MadeBook", "return str or MadeBook", "failed (TypeError: it must return a MadeBook, not type)"),
        (".encode()", "", "failed (TypeError: the content must be bytes, not str)"),
        (".encode(), ()", ".encode(), (1,)", "failed (TypeError: each of the diagnostics must be a Diagnostic)"),
        ("return", "exit(0)\n    return", "failed (SystemExit: 0)"),
        ("return", "raise NoBook('the court is closed')\n    return", "the court is closed"),
    ],
)
def test_a_format_that_fails_costs_only_its_book(old: str, new: str, reason: str, tmp_path: Path) -> None:
    run = build(tmp_path, "--book", "txt,epub", code=NAMES.replace(old, new))
    assert (run.status, run.err.count("\n")) == (3, 1)
    assert run.err.startswith("kismet: cannot make the TXT of Ember Court: ")
    assert reason in run.err
    books = [path for path in tree(tmp_path / "out") if "ember-court/downloads/ember-court." in path]
    assert books == ["ember-court/downloads/ember-court.epub"]


def test_a_format_runs_only_if_it_is_named_and_never_for_strangers(tmp_path: Path) -> None:
    imported = "raise SystemExit('imported')\n"
    assert build(tmp_path, "--book", "epub", code=imported).status == 0
    run = build(tmp_path, "--book", "txt", code=imported)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert 'the book format "txt" of kismet-names cannot be loaded: SystemExit: imported' in run.err
    run = build(tmp_path, "--book", "txt", "--untrusted", code=imported)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert '--untrusted runs only the book formats of kismet, and "txt" is not one of them' in run.err
