"""What lies over a table says the same as a table that is made again, whatever was changed how often."""

import random

import pytest

from kismet_build.config.autolink import AmbiguousMention
from kismet_build.model.renewed import Renewed, RenewedRow
from kismet_build.model.source import Source, Span

PATHS = ("1.md", "2.md", "3.md")


def version(path: str, chance: random.Random) -> dict[Span, str]:
    """A version of a text, with something at some of its places, or with nothing."""
    source = Source(path, "")
    return {source.span(place, place): f"{chance.random()}" for place in range(chance.randrange(3))}


def ambiguous_mentions(table: dict[Span, str]) -> list[AmbiguousMention]:
    return [AmbiguousMention(words, span, "shared", (), links=False) for span, words in table.items()]


@pytest.mark.parametrize("seed", range(20))
def test_a_renewed_table_is_as_one_that_was_made_from_all_texts(seed: int) -> None:
    chance = random.Random(seed)
    texts = {path: version(path, chance) for path in PATHS}
    versions = list(texts.items())
    whole = {span: words for text in texts.values() for span, words in text.items()}
    table, row = Renewed(whole, [], {}), RenewedRow(ambiguous_mentions(whole), "", [])
    for _ in range(8):
        path = chance.choice(PATHS)
        # An author may take back what was changed: then the very text of before is there again.
        text = chance.choice([old for where, old in versions if where == path] + [version(path, chance)])
        versions.append((path, text))
        texts[path] = text
        table, row = Renewed(table, [path], text), RenewedRow(row, path, ambiguous_mentions(text))
        whole = {span: words for text in texts.values() for span, words in text.items()}
        assert dict(table) == whole
        assert {one.span: one.text for one in row} == whole
        gone = [span for _, old in versions for span in old if span not in whole]
        assert not any(span in table for span in gone)


def test_a_key_that_is_gone_may_come_back() -> None:
    table = Renewed(Renewed({"bow": 1, "nod": 2}, ["bow"], {}), ["nod"], {"bow": 3})
    assert dict(table) == {"bow": 3}
