"""Samples of consecutive days cover every case of a slow test."""

import pytest

import tests.sample
from tests.sample import examples, sample


@pytest.mark.parametrize("days", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [0, 1, 4, 18])
def test_consecutive_days_run_every_case_once(monkeypatch: pytest.MonkeyPatch, days: int, count: int) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", False)
    sampled: list[int] = []
    for day in range(739_000, 739_000 + days):
        monkeypatch.setattr(tests.sample, "SAMPLE", day)
        sampled += sample(range(count), days)
    assert sorted(sampled) == [*range(count)]


def test_full_run_takes_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", True)
    assert [*sample(range(7), 3)] == [*range(7)]
    assert examples(300, 3) == 300


def test_other_run_takes_a_part_of_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.sample, "RUN_ALL", False)
    assert examples(300, 3) == 100
