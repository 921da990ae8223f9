"""The targets of fuzzing hold for their seeds and for the inputs that broke them once. `make test-hard` fuzzes them."""

import pytest

from tests.hard.fuzz.targets import FILE_MARK, TARGETS
from tests.sample import sample

FOUND = (
    ("obsidian", "```statblock\na: a"),
    ("yaml", "\u2028a: b"),
    ("yaml", "? "),
    ("yaml", "a: b\na:\n  ccc"),
    ("asciidoc", "anchor:aaa[]"),
    ("asciidoc", "link:a[b[c] link:https://ddd[d]]"),
    ("obsidian", '[[A|b <b c="]] e"> f\n'),
    ("obsidian", "[[A|[b](https://ccc)]]"),
    ("asciidoc", "|===\naaa\n|==="),
    ("asciidoc", ',===\n"aaa" bbb,ccc\n,==='),
    ("asciidoc", ".aaa\n'''\n"),
    ("asciidoc", ".aaa\n[bbb]"),
    ("asciidoc", ".aaa\n.bbb\n"),
    ("asciidoc", "|===\n|aaa |bbb\n.2+|ccc .2+|ddd\n|==="),
    ("asciidoc", "<<image:a.png[aaa,20bbb]"),
    ("obsidian", "````start-multi-column\nID: a\n```\nbbb\n```\n````\n"),
    ("dice", "d6!+d²"),
    ("data_files", f"{FILE_MARK}.obsidian/app.json\n{'[' * 100_000}"),
    ("bundles", "j[]"),
    ("bundles", "j" + "[" * 100_000),
    ("bundles", b"p\x80\x05\x95\x82\x08\x00\x00\xff\xff\xff\xff"),
    ("bundles", b"p\x80\x04\x8c\x02re\x8c\x08_compile\x93\x8c\x01(K\x00\x86R."),
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
