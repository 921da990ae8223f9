"""Properties of all texts in all dialects: they are parsed, and each node has its span."""

import pickle
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kismet_build.model.diagnostic import Diagnostic, ignore
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import (
    Cell,
    Document,
    FootnoteDefinition,
    Image,
    Link,
    Node,
    Table,
    Text,
    children,
    plain_text,
    walk,
)
from kismet_build.model.source import Source
from kismet_build.parse import expand, read, read_properties
from kismet_build.parse.composition import Inputs
from kismet_build.render.fragments.renderer import to_html
from tests.executed_lines import executed_lines
from tests.sample import sample

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
    *("####### Lamp\n", "Term\n: meaning\n", "\n: ", "  : ", "1\\. ", "2\\) a\n\n"),
    *("Table: ", "# Table: a\n", "> # a\n\n> b\n"),
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
PROFILE = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ASCIIDOC = [
    *("word", "two words", " ", "  ", "\n", "\n\n", "\t", "\\", "\0", "\r", "é", "\u2028", "\u00a0"),
    *("= ", "== ", "=== A\n", "A\n-\n", "[discrete]\n", "[appendix]\n", "[#id]\n", "[[id]]\n", "[[id]]", "[[a,b]]"),
    *(
        "* ",
        "** ",
        "- ",
        ". ",
        ".. ",
        "1. ",
        "a. ",
        "<1> ",
        "T:: ",
        "T::\n",
        "U::: ",
        "+\n",
        "\n+\n",
        "NOTE:: ",
        "* [ ] ",
    ),
    *(
        "====\n",
        "=====\n",
        "----\n",
        "....\n",
        "****\n",
        "____\n",
        "--\n",
        "```\n",
        "////\n",
        "// c\n",
        "'''\n",
        "<<<\n",
    ),
    *("|===\n", ",===\n", "!===\n", "|", "| ", "|a |b\n", "2+|", ".2+|", "a|", "3*|", "\\|", "a,b\n", '"a"'),
    *('[cols="1,2a"]\n', "[%header]\n", "[NOTE]\n", "[quote, A]\n", "[source,a]\n", "[x]\n", "[.x]#", ".Title\n"),
    *(
        "NOTE: ",
        "  lit\n",
        "ifdef::a[]\n",
        "toc::[]\n",
        "image::a.png[b]\n",
        ":a: b\n",
        ":a: *b*\n",
        "{a}",
        "{sp}",
        "{",
    ),
    *("<<id>>", "<<id,x>>", "<<Two words>>", "<<", ">>", "xref:id[", "xref:id[a]", "link:a[b]", "image:a.png[b]"),
    *("https://e.org", "https://e.org[x]", "a@b.org", "footnote:[", "footnote:[a]", "footnote:x[a]", "footnote:x[]"),
    *("*", "**", "_", "__", "`", "``", "#", "##", "^", "~", '"`', '`"', "'`", "`'", "+", "++", "+++", "$$", "pass:["),
    *("--", "...", "'", "(C)", "->", "&amp;", "((", "))", "(((", "[", "]", "anchor:q[]", "d10 +\nd6", " +\n", "d6+ "),
]
TEXTS_OF = {
    dialect: st.lists(
        st.sampled_from(ASCIIDOC if dialect == "asciidoc" else FRAGMENTS) | st.text(max_size=5), max_size=25
    ).map("".join)
    for dialect in sorted(DIALECTS.ours)
}


def document(text: str, dialect: str) -> tuple[Document, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    return read(Source("Page.md", text), dialect, diagnostics.append), diagnostics


@pytest.mark.parametrize("dialect", sorted(DIALECTS.ours))
@PROFILE
@given(data=st.data())
def test_spans_are_ordered_nested_and_within_the_text(dialect: str, data: st.DataObject) -> None:
    text = data.draw(TEXTS_OF[dialect])
    page, diagnostics = document(text, dialect)
    check_order(page.blocks, 0, len(text))
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
    for node in walk(*page.blocks):
        if isinstance(node, Link) and dialect != "asciidoc":
            assert node.span.text[0] in "[<hHwW"
    assert isinstance(to_html(page.blocks), str)


def check_order(nodes: Sequence[Node], start: int, end: int) -> None:
    """Check that nodes follow each other between two offsets, and their children between theirs."""
    at = start
    seen: set[int] = set()
    for node in nodes:
        if isinstance(node, FootnoteDefinition) and node.span.text.startswith(("^[", "footnote")):
            check_order(node.children, node.span.start, node.span.end)
            continue  # an inline footnote is rendered at the end of the document
        if isinstance(node, Cell) and (id(node) in seen or node.span.start < start):
            continue  # a cell that spans rows or columns belongs to the first of them
        seen.add(id(node))
        assert at <= node.span.start <= node.span.end <= end, node
        at = node.span.end
        check_order(children(node), node.span.start, node.span.end)


ASCIIDOC_HEAD = ["= Title\n", ":draft:\n", ":a: b\n", ":a: b \\\n", "\n", "// c\n", "////\n", "[[id]]\n", "words\n"]
HEAD = ["---\n", "+++\n", "{", "}\n", "draft: true\n", "a = 1\n", '"a": 1', "  - b\n", "%%", "<!--", "-->", "\n"]


@pytest.mark.parametrize("dialect", sorted(DIALECTS.ours))
@PROFILE
@given(data=st.data())
def test_properties_are_the_same_before_and_after_a_text_is_read(dialect: str, data: st.DataObject) -> None:
    """What decides about privacy is what a page would have as its properties."""
    lines = [*ASCIIDOC_HEAD, *ASCIIDOC] if dialect == "asciidoc" else [*HEAD, *FRAGMENTS]
    source = Source("Page.md", "".join(data.draw(st.lists(st.sampled_from(lines), max_size=15))))
    inputs = Inputs(lambda _: None, {}, lambda _: "it does not exist")
    page = read(expand(source, dialect, inputs, ignore), dialect, ignore)
    properties = read_properties(source, dialect, inputs)
    assert not properties.blocks
    assert {**properties.metadata, "title": ""} == {**page.metadata, "title": ""}
    assert properties.has_invalid_metadata == page.has_invalid_metadata
    assert properties.has_repeated_metadata == page.has_repeated_metadata


@PROFILE
@given(text=TEXTS)
def test_text_nodes_equal_their_source(text: str) -> None:
    page, _ = document(text, "commonmark")
    for node in walk(*page.blocks):
        if isinstance(node, Text) and not {"\\", "&", "\0", "\r"} & set(node.span.text):
            assert node.span.text == node.value


REPLACED_TEXT = re.compile(r"[\\&\0\r{}'`\"+$]|--|[-=]>|<[-=]|\.\.\.|\((?:C|R|TM)\)|pass:|<<|xref:|image:")
"""Characters that AsciiDoc replaces by others."""


@PROFILE
@given(text=TEXTS_OF["asciidoc"])
def test_asciidoc_text_nodes_equal_their_source(text: str) -> None:
    page, _ = document(text, "asciidoc")
    link_text = {id(inner) for node in walk(*page.blocks) if isinstance(node, Link | Image) for inner in walk(node)}
    for node in walk(*page.blocks):
        if isinstance(node, Text) and id(node) not in link_text and not REPLACED_TEXT.search(node.span.text):
            assert node.span.text == node.value or not node.span.text


LETTERS = dict.fromkeys(("asciidoc", "hugo", "jekyll"), "abcdefgh \n,!?éß–")
"""Alphabets of plain text without dots, which start lists and titles in AsciiDoc and are symbols in others."""


@pytest.mark.parametrize("dialect", sorted(DIALECTS.ours))
@PROFILE
@given(data=st.data())
def test_plain_text_is_parsed_completely(dialect: str, data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet=LETTERS.get(dialect, "abcdefgh \n.,;!?'éß–"), max_size=120))
    page, diagnostics = document(text, dialect)
    assert plain_text(*page.blocks).split() == text.split()
    assert diagnostics == []


@PROFILE
@given(lines=st.lists(st.sampled_from([line for line in FRAGMENTS if "word" in line or "\n" in line]), max_size=20))
def test_parsing_is_deterministic(lines: list[str]) -> None:
    text = "".join(lines)
    first, diagnostics = document(text, "obsidian")
    second, second_diagnostics = document(text, "obsidian")
    assert repr(first.blocks) == repr(second.blocks)
    assert repr(diagnostics) == repr(second_diagnostics)


@pytest.mark.parametrize("dialect", sorted(DIALECTS.ours))
@PROFILE
@given(data=st.data())
def test_document_is_unchanged_by_pickling(dialect: str, data: st.DataObject) -> None:
    page, _ = document(data.draw(TEXTS_OF[dialect]), dialect)
    loaded = pickle.loads(pickle.dumps(page, pickle.HIGHEST_PROTOCOL))
    assert repr(loaded) == repr(page)
    assert (loaded.source.text, loaded.source.line_starts) == (page.source.text, page.source.line_starts)
    assert [id(node.span.source) for node in loaded.nodes] == [id(loaded.source)] * len(page.nodes)
    # A node that is referenced twice is still one node.
    assert len(set(map(id, loaded.nodes))) == len(set(map(id, page.nodes)))


@pytest.mark.parametrize("copy", [lambda page: page, lambda page: pickle.loads(pickle.dumps(page))])
def test_text_nodes_share_strings_and_spans_with_their_source(copy: Callable[[Document], Document]) -> None:
    page = copy(document("x" * 300 + "\n\n| Oil |\n| --- |\n| &amp; |\n| Lamp |\n", "github")[0])
    texts = [node for node in page.nodes if isinstance(node, Text)]
    assert [(text.value, text.override) for text in texts[1:]] == [("Oil", None), ("&", "&"), ("Lamp", None)]
    table = page.blocks[1]
    assert isinstance(table, Table)
    (cell,) = table.rows[1].cells
    (paragraph,) = cell.children
    assert cell.span is paragraph.span is texts[-1].span
    assert page.source.span(300, 301).start is texts[0].span.end


DEEPLY_NESTED = {
    "quotes": "> " * 3000 + "oil",
    "lists": "- " * 3000 + "oil",
    "emphasis": "*a **b " * 2000 + "oil** d* " * 2000,
    "strikes": "~~a " * 2000 + "oil~~ " * 2000,
    "links": "[" * 2000 + "oil" + "](b)" * 2000,
    "wiki links": "[[a|" * 2000 + "oil",
    "pictures": "![" * 500 + "oil" + "](b)" * 500,
    "footnotes": "^[" * 500 + "oil" + "]" * 500,
}


DEEPLY_NESTED_ASCIIDOC = {
    "lists": "".join("*" * depth + " oil\n" for depth in range(1, 300)),
    "terms": "a::\n" * 3000 + "oil",
    "blocks": "".join("=" * depth + "\n" for depth in range(4, 400)) + "oil",
    "cells": '[cols="1a"]\n|===\n|\n' * 300 + "oil",
    "attached blocks": "* a\n+\n--\n" * 300 + "oil",
    "emphasis": "*a _b " * 2000 + "oil_ d* " * 2000,
    "links": "link:a[" * 500 + "oil" + "]" * 500,
    "footnotes": "footnote:[" * 500 + "oil" + "]" * 500,
    "references": "<<a,oil" * 500 + ">>" * 500,
}


@pytest.mark.parametrize("text", DEEPLY_NESTED_ASCIIDOC.values(), ids=DEEPLY_NESTED_ASCIIDOC)
def test_too_deeply_nested_asciidoc_keeps_its_text(text: str) -> None:
    page, _ = document(text, "asciidoc")
    assert "oil" in to_html(page.blocks)


REPEATED_MARKUP = [
    "*",
    "_a ",
    "*a ",
    "`",
    "+",
    "`+",
    "<<",
    "<<a>>",
    "[[",
    "[",
    "]*",
    "footnote:[",
    "link:",
    "{a}",
    "\\*",
    "a@",
    "((",
    "|",
    "|===\n|",
    "* a\n",
    "a::\n",
    "== a\n",
    "====\n",
    "+\n",
    "200.200+|",
    "200*|a",
    " ",
    "http://",
    "d10 +\n",
    "a::",
]

CONTEXTS = ["{}", "|===\n{}\n|==="]


@pytest.mark.parametrize("markup", REPEATED_MARKUP)
@pytest.mark.parametrize("context", CONTEXTS, ids=["alone", "in a table"])
def test_asciidoc_parsing_time_is_linear(markup: str, context: str) -> None:
    def lines(size: int) -> int:
        text = context.replace("{}", markup * (size // len(markup)))
        return executed_lines(lambda: document(text, "asciidoc"))

    # Four times the length executes four times as many lines if parsing is linear, and 16 times if it is quadratic.
    lines(100)  # fills the caches
    assert lines(4_000) < 4.5 * lines(1_000)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("markup", "context"), sample([(markup, context) for markup in REPEATED_MARKUP for context in CONTEXTS], 12)
)
def test_search_time_in_long_asciidoc_is_bounded(markup: str, context: str) -> None:
    """Executed lines do not count the work of regular expressions, so this test bounds it by a time limit.

    A pattern that backtracks over the rest of the text at each mark takes minutes here. Parsing takes seconds.
    """
    text = context.replace("{}", markup * (400_000 // len(markup)))
    assert document(text, "asciidoc")[0].source.text == text


@pytest.mark.parametrize("text", DEEPLY_NESTED.values(), ids=DEEPLY_NESTED)
def test_too_deeply_nested_markdown_keeps_its_text(text: str) -> None:
    page, _ = document(text, "obsidian")
    assert any("oil" in node.value for node in walk(*page.blocks) if isinstance(node, Text))
    assert "oil" in to_html(page.blocks)
