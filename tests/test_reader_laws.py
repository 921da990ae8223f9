"""What holds for every text in every dialect: it is read, and every node knows its place."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kismet_build.diagnostic import Diagnostic
from kismet_build.dialects import DIALECTS
from kismet_build.emitters.html import to_html
from kismet_build.model import (
    Document,
    FootnoteDefinition,
    Link,
    Node,
    Text,
    children,
    plain_text,
    walk,
)
from kismet_build.readers.markdown import read
from kismet_build.source import Source

FRAGMENTS = [
    *(
        "word",
        "two words",
        "Ember",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\n\n\n",
        "\t",
        "    ",
        "\\",
        "\\\n",
        "  \n",
        "&amp;",
        "&",
    ),
    *("# ", "## Lamp ##\n", "---\n", "===\n", "***\n", "> ", ">", "- ", "* ", "1. ", "2) ", "- [x] ", "[ ] "),
    *("*", "**", "_", "__", "~", "~~", "~~~", "=", "==", "===", "`", "``", "```\n", "~~~\n", "``` x\n"),
    *(
        "[",
        "]",
        "(",
        ")",
        "[[",
        "]]",
        "![",
        "![[",
        "[[Rites]]",
        "[[Rites#Ember|the rites]]",
        "[[#^oath]]",
        "![[a.png|9]]",
    ),
    *(
        "[a](b)",
        "![a|3x4](b)",
        "[a](<b c> 'd')",
        "[a]: b\n",
        "[a]",
        "<https://e.org>",
        "https://e.org/x_(y).",
        "www.e.org",
    ),
    *(
        "%%",
        "%",
        "%%a%%",
        "%%\n",
        "^oath",
        " ^oath\n",
        "^",
        "^[",
        "^[a]",
        "[^1]",
        "[^1]: ",
        "[^1]: note\n",
        "\n^oath\n",
    ),
    *("|", "\\|", "| A | B |\n| - | - |\n", "| 1 | 2 |\n", "|---|---|\n", "| a", "a |\n", "| [[a|b]] | c | d |\n"),
    *("[!note]", "> [!tip]- Title\n", "[!a|b]+ ", "::: columns\n", ":::\n", "--- column-end ---\n", "\\columnbreak\n"),
    *("```start-multi-column\nID: a\n```\n", "=== end-multi-column\n", "--- start-multi-column: a\n"),
    *("---\na: 1\n---\n", "<b>", "</b>", "<div>\n", "</div>\n", "<!--", "-->", "<script>"),
    *(
        "·\u00a0",
        "o\u00a0 ",
        "\u00a0",
        "\u200b",
        "R_est_",
        "[[Bk2]](#_msocom_2)",
        "]],,",
        "]]2",
        "**bold:",
        "é",
        "\0",
        "\r",
    ),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=25).map("".join)
EVERY = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

LEAVES_ITS_PLACE = (FootnoteDefinition,)
"""What stands inside words is shown at the end of the document."""


def document(text: str, dialect: str) -> tuple[Document, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(Source("Page.md", text), DIALECTS[dialect], found.append), found


@EVERY
@given(text=TEXTS, dialect=st.sampled_from(sorted(DIALECTS)))
def test_every_node_knows_its_place(text: str, dialect: str) -> None:
    page, found = document(text, dialect)
    check_order(page.blocks, 0, len(text))
    for diagnostic in found:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
    for node in walk(*page.blocks):
        if isinstance(node, Link):
            assert node.span.text[0] in "[<hHwW"
    assert isinstance(to_html(page.blocks), str)


def check_order(nodes: Sequence[Node], start: int, end: int) -> None:
    """Nodes stand one after the other between two offsets, and so does what is in them."""
    at = start
    for node in nodes:
        if isinstance(node, LEAVES_ITS_PLACE) and node.span.text.startswith("^["):
            continue
        assert at <= node.span.start <= node.span.end <= end, node
        at = node.span.end
        check_order(children(node), node.span.start, node.span.end)


@EVERY
@given(text=TEXTS)
def test_words_stand_in_the_source_as_they_are_read(text: str) -> None:
    page, _ = document(text, "commonmark")
    for node in walk(*page.blocks):
        if isinstance(node, Text) and not {"\\", "&", "\0", "\r"} & set(node.span.text):
            assert node.span.text == node.value


WORDS = st.text(alphabet="abcdefgh \n.,;!?'éß–", max_size=120)


@EVERY
@given(text=WORDS, dialect=st.sampled_from(sorted(DIALECTS)))
def test_no_plain_word_is_lost(text: str, dialect: str) -> None:
    page, found = document(text, dialect)
    assert plain_text(*page.blocks).split() == text.split()
    assert found == []


@EVERY
@given(lines=st.lists(st.sampled_from([line for line in FRAGMENTS if "word" in line or "\n" in line]), max_size=20))
def test_reading_twice_gives_the_same(lines: list[str]) -> None:
    text = "".join(lines)
    first, found = document(text, "obsidian")
    second, again = document(text, "obsidian")
    assert repr(first.blocks) == repr(second.blocks)
    assert repr(found) == repr(again)


DEEP = {
    "quotes": "> " * 3000 + "oil",
    "lists": "- " * 3000 + "oil",
    "emphasis": "*a **b " * 2000 + "oil** d* " * 2000,
    "strikes": "~~a " * 2000 + "oil~~ " * 2000,
    "links": "[" * 2000 + "oil" + "](b)" * 2000,
    "wiki links": "[[a|" * 2000 + "oil",
    "pictures": "![" * 500 + "oil" + "](b)" * 500,
    "footnotes": "^[" * 500 + "oil" + "]" * 500,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deep_is_still_read(text: str) -> None:
    page, _ = document(text, "obsidian")
    assert any("oil" in node.value for node in walk(*page.blocks) if isinstance(node, Text))
    assert "oil" in to_html(page.blocks)
