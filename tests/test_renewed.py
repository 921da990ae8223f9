"""A table with replaced parts equals a table that is built from the current texts, after any number of changes."""

import random

import pytest

from kismet_build.config.autolink import AmbiguousMention
from kismet_build.model.renewed import Renewed, RenewedRow
from kismet_build.model.source import Source, Span

PATHS = ("1.md", "2.md", "3.md")


def version(path: str, chance: random.Random) -> dict[Span, str]:
    """A version of a text with 0 to 2 spans."""
    source = Source(path, "")
    return {source.span(place, place): f"{chance.random()}" for place in range(chance.randrange(3))}


def ambiguous_mentions(table: dict[Span, str]) -> list[AmbiguousMention]:
    return [AmbiguousMention(words, span, "shared", (), links=False) for span, words in table.items()]


@pytest.mark.parametrize("seed", range(20))
def test_renewed_table_equals_one_built_from_all_texts(seed: int) -> None:
    chance = random.Random(seed)
    texts = {path: version(path, chance) for path in PATHS}
    versions = list(texts.items())
    whole = {span: words for text in texts.values() for span, words in text.items()}
    table, row = Renewed(whole, [], {}), RenewedRow(ambiguous_mentions(whole), "", [])
    for _ in range(8):
        path = chance.choice(PATHS)
        # An author may undo a change, which restores an earlier version.
        text = chance.choice([old for where, old in versions if where == path] + [version(path, chance)])
        versions.append((path, text))
        texts[path] = text
        table, row = Renewed(table, [path], text), RenewedRow(row, path, ambiguous_mentions(text))
        whole = {span: words for text in texts.values() for span, words in text.items()}
        assert dict(table) == whole
        assert {mention.span: mention.text for mention in row} == whole
        gone = [span for _, old in versions for span in old if span not in whole]
        assert not any(span in table for span in gone)


def test_removed_key_can_be_added_later() -> None:
    table = Renewed(Renewed({"bow": 1, "nod": 2}, ["bow"], {}), ["nod"], {"bow": 3})
    assert dict(table) == {"bow": 3}
