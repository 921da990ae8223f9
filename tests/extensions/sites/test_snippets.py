"""Snippets of MkDocs are included as the extension `pymdownx.snippets` does it."""

from collections.abc import Mapping
from typing import Any

import pytest

from kismet_build.extensions.sites.mkdocs.snippets import expand_mkdocs
from tests.extensions.sites.expanded import Expanded, expand

FILES = {
    "parts/oil.md": "Oil.\n<!-- --8<-- [start:price] -->\nFour shillings.\n<!-- --8<-- [end:price] -->\nBurns.\n",
    "parts/wick.md": '--8<-- "parts/oil.md:price"\nWick.',
    "texts/loop.md": 'Loop.\n--8<-- "texts/loop.md"\n',
}


def run(text: str, variables: Mapping[str, Any] | None = None, files: Mapping[str, str] = FILES) -> Expanded:
    return expand(expand_mkdocs, text, files, variables)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A\n--8<-- "parts/oil.md"\nB', "A\nOil.\nFour shillings.\nBurns.\nB"),
        ("--8<-- 'parts/oil.md:price'", "Four shillings.\n"),
        ('--8<-- "parts/oil.md:5:5"', "Burns.\n"),
        ('--8<-- "parts/oil.md::1"', "Oil.\n"),
        ('--8<-- "parts/oil.md:1:1,5"', "Oil.\nBurns.\n"),
        ('- a\n\n    --8<-- "parts/wick.md"\n', "- a\n\n    Four shillings.\n    Wick.\n"),
        ("--8<--\nparts/wick.md\n\n;parts/none.md\n--8<--\nB", "Four shillings.\nWick.\nB"),
        (';--8<-- "parts/oil.md"\n', '--8<-- "parts/oil.md"\n'),
        ('```\n--8<-- "parts/oil.md:price"\n```\n', "```\nFour shillings.\n```\n"),
        ('- --8<-- "parts/oil.md"\n', '- --8<-- "parts/oil.md"\n'),
    ],
)
def test_snippets(text: str, expected: str) -> None:
    result = run(text)
    assert (result.text, result.messages) == (expected, [])


def test_included_words_have_their_own_place() -> None:
    result = run('A\n  --8<-- "parts/wick.md"\n')
    start = result.text.index("Four")
    original = result.source.span(start, start + 4).original
    assert (original.source.path, original.text) == ("parts/oil.md", "Four")


def test_options_of_the_extension() -> None:
    settings = {"snippets": {"base_path": ["texts", "parts"], "auto_append": "wick.md"}}
    files = {**FILES, "parts/wick.md": "Wick."}
    assert run('--8<-- "oil.md:price"\n', settings, files).text == "Four shillings.\n\n\nWick.\n"
    assert run('--8<-- "parts/oil.md"', {"extensions": ("admonition",)}).is_same


def test_missing_files_and_circles_are_reported() -> None:
    result = run('--8<-- "none.md"\nA\n--8<-- "texts/loop.md"\n')
    assert result.text == "A\nLoop.\n"
    assert result.messages == [
        "unresolved-include texts/page.md:1 this include shows nothing: it does not exist",
        "unresolved-include texts/loop.md:2 this include shows nothing: the file would include itself",
    ]


def test_includes_that_double_each_time_end() -> None:
    files = {f"{n}.md": f'--8<-- "{n + 1}.md"\n' * 2 for n in range(40)}
    result = run('--8<-- "0.md"\n', files={**files, "40.md": "word\n"})
    assert result.text.count("word") < 10_000
    assert result.messages[-1].endswith("would become too long")


@pytest.mark.parametrize(
    "mark", ["--8<--\n", ';--8<-- "a"\n', "--8<-- [start:a]\n", '--8<-- "a" ', "-" * 100 + ";" * 100]
)
def test_many_marks_keep_the_words(mark: str) -> None:
    assert run(f"word\n{mark * 10_000}\nword\n").text.count("word") == 2
