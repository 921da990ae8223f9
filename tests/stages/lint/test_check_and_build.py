"""`build` accepts the same libraries as `check`: those of test pages, of other tests, and of `kismet new`."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kismet_build.cli import main
from kismet_build.config.kind import RESERVED_IDS
from kismet_build.model.text_normalization import WINDOWS_DEVICE_NAMES
from tests.calculator_game import write_calculator_game
from tests.case_page import page_files, read_page
from tests.pages.test_pages import is_game, write_case
from tests.small_library import CALCULATORS, KIND, write_library

LIBRARY_COUNT = int(os.environ.get("KISMET_LIBRARIES", "60"))
"""Number of cases of test pages to build; 250 includes all."""
SUCCESS, USAGE_ERROR = 0, 2


def is_accepted(folder: Path, out: Path) -> bool:
    """Whether `check` accepts a library. `build` must exit with the same status."""
    checked = main(["check", str(folder)])
    built = main(["build", str(folder), "--out", str(out), "--no-cache", "--no-search", "--quiet", "--jobs", "1"])
    assert built == checked, folder
    return checked == SUCCESS


def test_build_agrees_with_check_on_the_cases_of_test_pages(tmp_path: Path) -> None:
    cases = [case for page in page_files() for case in read_page(page) if is_game(case)]
    accepted = 0
    tried = random.Random(0).sample(cases, min(LIBRARY_COUNT, len(cases)))
    for number, case in enumerate(tried):
        folder = tmp_path / str(number)
        write_case(case, folder)
        accepted += is_accepted(folder, tmp_path / f"public-{number}")
    assert accepted > len(tried) / 3, "too few accepted libraries for a meaningful test"


def write_small(folder: Path) -> None:
    write_library(folder)
    (folder / "calculators").mkdir()
    (folder / "calculators/rules.yaml").write_text(CALCULATORS, encoding="utf-8")


def write_starter(folder: Path) -> None:
    assert main(["new", str(folder)]) == SUCCESS


@pytest.mark.parametrize("write", [write_small, write_calculator_game, write_starter])
def test_build_agrees_with_check_on_other_test_libraries(write: Callable[[Path], object], tmp_path: Path) -> None:
    write(tmp_path / "library")
    assert is_accepted(tmp_path / "library", tmp_path / "public")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Grace", "rename the file to grace.yaml"),
        ("My Grace", "rename the file to my-grace.yaml"),
        ("x_y", "rename the file to x-y.yaml"),
        ("gräce", "rename the file to grace.yaml"),
        *(
            (name, "rename the file; the published tree uses this name for something else")
            for name in sorted(RESERVED_IDS)
        ),
        *((name, f"rename the file to {name}-text.yaml") for name in sorted(WINDOWS_DEVICE_NAMES)[:2]),
    ],
)
def test_kind_file_name_must_be_a_valid_id(
    name: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_library(tmp_path / "court")
    (folder / f"kinds/{name}.yaml").write_text(KIND, encoding="utf-8")
    assert not is_accepted(folder, tmp_path / "public")
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert f'error[invalid-kind]: a kind cannot have the id "{name}"' in text
        assert f"{name}.yaml:1:1" in text
        assert hint in text
    (folder / f"kinds/{name}.yaml").rename(folder / "kinds/bow-2.yaml")
    assert is_accepted(folder, tmp_path / "public")
