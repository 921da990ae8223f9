"""The targets of fuzzing hold for their seeds and for the inputs that broke them once. `make test-hard` fuzzes them."""

import pytest

from tests.hard.fuzz.targets import TARGETS
from tests.sample import sample

FOUND = (
    ("obsidian", "```statblock\na: a"),
    ("yaml", "\u2028a: b"),
    ("yaml", "? "),
)
"""Targets, and the smallest inputs that broke them."""


@pytest.mark.parametrize("name", TARGETS)
def test_target_holds_for_its_seeds(name: str) -> None:
    target = TARGETS[name]
    for seed in sample([*target.seeds()], 20):
        target.test(seed.encode() if isinstance(seed, str) else bytes(seed))


@pytest.mark.parametrize(("name", "content"), FOUND)
def test_input_that_was_a_finding_is_none(name: str, content: str | bytes) -> None:
    TARGETS[name].test(content.encode() if isinstance(content, str) else content)
