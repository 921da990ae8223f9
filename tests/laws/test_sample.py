"""The samples of slow tests cover every case, and a commit always has the same sample."""

import shutil
import subprocess
from pathlib import Path

import pytest

import tests.sample
from tests.command import NOT_HERE
from tests.sample import commit_number, examples, sample


@pytest.mark.parametrize("part", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [0, 1, 4, 18])
def test_consecutive_samples_have_every_case_once(monkeypatch: pytest.MonkeyPatch, part: int, count: int) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", False)
    sampled: list[int] = []
    for number in range(739_000, 739_000 + part):
        monkeypatch.setattr(tests.sample, "SAMPLE", number)
        sampled += sample(range(count), part)
    assert sorted(sampled) == [*range(count)]


def test_full_run_takes_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", True)
    assert [*sample(range(7), 3)] == [*range(7)]
    assert examples(300, 3) == 300


def test_other_run_takes_a_part_of_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", False)
    assert examples(300, 3) == 100


@pytest.mark.skipif(shutil.which("git") is None, reason=NOT_HERE + "git")
def test_sample_changes_with_the_commit_alone(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *name, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    of_version = commit_number(tmp_path)
    git("init")
    assert commit_number(tmp_path) == of_version
    numbers = set()
    for message in ("one", "two"):
        git("commit", "--allow-empty", "--message", message)
        (tmp_path / "note.md").write_text(message, encoding="utf-8")
        numbers.add(commit_number(tmp_path))
        assert git("rev-parse", "HEAD").startswith(f"{commit_number(tmp_path):07x}")
    assert len({of_version, *numbers}) == 3
    (tmp_path / "below").mkdir()
    assert commit_number(tmp_path / "below") == of_version
