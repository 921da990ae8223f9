"""A string of any length may be wherever an author writes one: the build ends, with work in proportion to it."""

from collections.abc import Mapping

import pytest

from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.memo import Memo
from tests.executed_lines import executed_lines
from tests.hard.fuzz.targets import compile_texts, render, vault
from tests.hard.growth import build
from tests.hard.strings import GAME, VAULT, mixed, places, with_strings
from tests.sample import sample

SHORT, LONG = 1_000, 8_000
"""Lengths of a string whose work is compared."""
NOISE = 20_000
"""Executed lines by which builds of equal length may differ, because earlier builds filled caches."""


@pytest.mark.parametrize("files", [VAULT, GAME], ids=["vault", "game"])
@pytest.mark.parametrize("length", [30, 550, 9_000])
def test_files_with_long_strings_are_published(files: Mapping[str, str], length: int) -> None:
    made = build(with_strings(files, mixed(length), places(files)), ("--bundle",))
    assert (made.status, made.lost) == (0, 0), made.output


@pytest.mark.parametrize("place", sample(places(VAULT), 4))
def test_work_grows_like_the_length_of_a_string(place: str) -> None:
    def work(length: int) -> int:
        texts = with_strings(VAULT, mixed(length), {place})
        diagnostics: list[Diagnostic] = []
        return executed_lines(lambda: render(compile_texts(vault(), texts, diagnostics.append, Memo())))

    least = work(1)
    short, long = work(SHORT) - least, work(LONG) - least
    assert long < 2 * LONG / SHORT * max(short, NOISE)
