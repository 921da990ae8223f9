"""The benchmarks: their options, and the generated library that `make bench-scale` measures with."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.library import PER_FOLDER, PageId, page, write
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.diagnostic import Diagnostic
from tests.command import ROOT, tree

PAGES = 120
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders of pages; the second is not full."""
    folder = tmp_path_factory.mktemp("generated") / "library"
    write(folder, PAGES)
    return folder


@pytest.fixture(scope="module")
def thin_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same number of pages with little markup."""
    folder = tmp_path_factory.mktemp("generated") / "thin"
    write(folder, PAGES, is_thin=True)
    return folder


MARKS = {
    "headings": r"^#",
    "rows": r"^\| [^-]",
    "items": r"^ *- ",
    "links": r"\]\(",
    "bold words": r"\*\*\w[^*]*\*\*",
}


def marks(folder: Path) -> dict[str, float]:
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*/*.md")]
    return {
        sort: sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts) / PAGES
        for sort, pattern in MARKS.items()
    }


def headings(text: str) -> list[str]:
    return [title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]


def test_folders_have_a_hundred_pages(library: Path) -> None:
    counts = {folder.name: len(list(folder.glob("*.md"))) for folder in library.glob("folder-*")}
    assert counts == {"folder-000": PER_FOLDER, "folder-001": PAGES - PER_FOLDER}
    assert PageId(712).path == "folder-007/page-0712.md"


def test_pages_have_about_four_kilobytes(library: Path) -> None:
    sizes = [file.stat().st_size for file in library.glob("*/*.md")]
    assert min(sizes) > 3_000
    assert max(sizes) < 5_500
    assert 3_800 < sum(sizes) / PAGES < 4_400


def test_page_has_the_markup_of_a_rule_book(library: Path) -> None:
    text = (library / "folder-000/page-0010.md").read_text(encoding="utf-8")
    for what, pattern in {
        "three levels of headings": r"^# [^#]+^## [^#]+^### ",
        "a table to roll on": r"^\| d6 \| Result \|$",
        "a table with dice": r"^\| 1 \| 15 \| \d?d\d+",
        "a list in a list": r"^- .+\n  - ",
        "labels": r"^- \*\*Cost:\*\* [1-9]$",
        "a definition": r"^[A-Z]\w+ \w+\n: ",
        "a code span": r"`\d?d\d+",
    }.items():
        assert re.search(pattern, text, re.MULTILINE), what


def test_thin_pages_have_as_little_markup_as_the_original_books(library: Path, thin_library: Path) -> None:
    usual, thin = marks(library), marks(thin_library)
    # The numbers of the four original books for each 4 kB, counted by this program.
    originals = {"headings": 3.2, "rows": 6.8, "items": 3.1, "links": 3.8, "bold words": 1.4}
    for what, number in originals.items():
        assert abs(thin[what] - number) < 2.5, what
        assert thin[what] < 0.7 * usual[what], what
    sizes = [file.stat().st_size for file in thin_library.glob("*/*.md")]
    assert 3_800 < sum(sizes) / PAGES < 4_400


def test_thin_pages_have_no_entities(thin_library: Path) -> None:
    diagnostics: list[Diagnostic] = []
    (game,) = load_library(thin_library, None, diagnostics.append).games
    pack = compile_game(game, diagnostics.append)
    assert diagnostics == []
    assert not [*pack.all_entities()]


@pytest.mark.parametrize("is_thin", [False, True])
def test_every_link_leads_to_an_existing_page_or_heading(library: Path, thin_library: Path, is_thin: bool) -> None:
    texts = {
        file.resolve(): file.read_text(encoding="utf-8")
        for file in (thin_library if is_thin else library).glob("*/*.md")
    }
    links = 0
    for file, text in texts.items():
        for path, anchor in LINK.findall(text):
            target = (file.parent / path).resolve() if path else file
            assert target in texts, f"{file.name}: {path}"
            assert not anchor or anchor in headings(texts[target]), f"{file.name}: {path}#{anchor}"
            links += 1
    assert links > (3 if is_thin else 5) * PAGES


def test_heading_anchors_are_unique_in_a_page(library: Path) -> None:
    for file in library.glob("*/*.md"):
        anchors = headings(file.read_text(encoding="utf-8"))
        assert len(set(anchors)) == len(anchors), file.name


def test_library_compiles_without_diagnostics_and_has_entities_of_each_kind(library: Path) -> None:
    diagnostics: list[Diagnostic] = []
    (game,) = load_library(library, None, diagnostics.append).games
    pack = compile_game(game, diagnostics.append)
    assert diagnostics == []
    assert {kind: len(entities) for kind, entities in pack.entities.items()} == {
        "skill": PAGES,
        "condition": PAGES,
        "hazard": 6 * PAGES // 10,
    }
    (skill,) = [entity for entity in pack.entities["skill"] if entity.name == PageId(7).name]
    assert all(name.startswith("generated/skill/") for name in skill.fields["opposed_by"])


def test_pages_depend_on_the_seed_only(library: Path, tmp_path: Path) -> None:
    write(tmp_path / "second", PAGES)
    assert tree(tmp_path / "second") == tree(library)
    assert page(3, PAGES, seed=1) != page(3, PAGES, seed=0)


def test_ten_thousand_pages_have_unique_names() -> None:
    assert len({PageId(number).name for number in range(10_000)}) == 10_000


def test_too_many_pages_for_unique_names_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pages can be named"):
        write(tmp_path / "library", 1_000_000)


@pytest.mark.parametrize("benchmark", ["bench", "scale"])
def test_benchmark_rejects_unknown_options(benchmark: str) -> None:
    command = [sys.executable, "-m", f"benchmarks.{benchmark}", "--no-such-option"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2
    assert "unrecognized arguments: --no-such-option" in run.stderr
