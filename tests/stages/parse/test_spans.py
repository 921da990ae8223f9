"""The span of each node is exactly its source text."""

import pytest

from kismet_build.model.nodes import (
    BlockQuote,
    Callout,
    Cell,
    CodeBlock,
    Column,
    Columns,
    Embed,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Highlight,
    Image,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    Property,
    Row,
    Statblock,
    Strong,
    Table,
    Text,
)
from tests.stages.parse.node_text import node_texts

CONTEXTS = {
    "a paragraph": "{}",
    "a second line": "one\n  two {} three",
    "a heading": "## {} ##",
    "a heading with a line below": "one\n{}\n---",
    "an entry": "- one\n\n  two {}",
    "an entry after a tab": "-\ttwo\n\n\tthree\n\ttwo {}",
    "an entry of an entry": "1. one\n   - two {}\n     {}",
    "a task": "- [x] {}",
    "a quote": "> one\n> {}\nlazy {}",
    "a quote in an entry": "- > one\n  > {}",
    "a callout": "> [!note] Title {}\n> > [!tip]- {}\n> > words {}",
    "columns": "--- start-multi-column: a\n- {}\n--- column-break ---\n> {}\n--- end-multi-column",
    "a cell": "| {} | a\\|b {} c |\n| - | - |\n| \\|{} | d |",
    "a table in an entry of a quote": "> - | a |\n>   | - |\n>   | {} |",
    "a cell over blank lines": "| a | b |\n| - | - |\n| c | d\n\ne {}\n\n{} f |",
    "a footnote": "a[^1]\n\n[^1]: b {}\n\n  c {}",
    "a footnote amid words": "a ^[b {} c]",
    "emphasis": "a **b *c {}* ==d== ~~{}~~**",
    "words after a comment": "%%\na\n%% b {}",
    "words after escapes": "\\* &amp; `c` <b>d</b> {}",
    "words after odd spaces": "\u00a0\u00a0 a\u00a0{}",
    "a pasted bullet": "·\u00a0\u00a0 a {}\n\no\u00a0\u00a0{}",
    "a value of a statblock": "> ```statblock\n> a: x {}\n> ```",
    "a value in quotes": "```statblock\na: 'it''s {}'\nb: \"\\u2019 {}\"\n```",
    "a value of many lines": "- ```statblock\n  a: |\n    one\n\n    {}\n  b: >\n    two {}\n  c: d\n    {}\n  ```",
    "a value in a list": '```statblock\na:\n- [x, "{}"]\n- b: x {}\n```',
    "bold that never closes": "**a {} and more words than anybody would set in bold: so {}",
}


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize(
    ("what", "sort"),
    [
        ("[[Oil]]", Link),
        ("[oil](Oil.md)", Link),
        ("https://e.org/a", Link),
        ("*oil*", Emphasis),
        ("![x](b.png)", Image),
    ],
)
def test_span_of_an_inline_is_its_source(context: str, what: str, sort: type[Node]) -> None:
    texts = node_texts(context.replace("{}", what), sort)
    assert texts.count(what) == context.count("{}")


def test_span_of_a_block_is_its_source() -> None:
    text = """\
# One #

- a
  b

- c

> > d
> e

> [!note] f

| g | h |
| - | - |
|  i | |

```x
j
```

[^1]: k
"""
    assert node_texts(text, Heading) == ["# One #"]
    assert node_texts(text, List) == ["- a\n  b\n\n- c"]
    assert node_texts(text, ListItem) == ["- a\n  b", "- c"]
    assert node_texts(text, BlockQuote) == ["> > d\n> e", "> d\n> e"]
    assert node_texts(text, Callout) == ["> [!note] f"]
    assert node_texts(text, Table) == ["| g | h |\n| - | - |\n|  i | |"]
    assert node_texts(text, Row) == ["| g | h |", "|  i | |"]
    assert node_texts(text, Cell) == ["g", "h", "i", ""]
    assert node_texts(text, CodeBlock) == ["```x\nj\n```"]
    assert node_texts(text, FootnoteDefinition) == ["[^1]: k"]


def test_span_of_a_property_is_its_key_and_value() -> None:
    text = "> ```statblock\n> a: 'b'\n> c:\n> - d: e\n>\n> f: |\n>   g\n> ```"
    assert node_texts(text, Statblock) == [text[2:]]
    assert node_texts(text, Property) == ["a: 'b'", "c:\n> - d: e", "d: e", "f: |\n>   g"]


def test_span_of_a_column_is_its_content() -> None:
    text = "x\n--- start-multi-column: a\n\none\n\n--- column-break ---\ntwo\n--- end-multi-column\ny"
    assert node_texts(text, Column) == ["one", "two"]
    assert node_texts(text, Columns) == [text[2:-2]]


def test_span_of_a_list_item_begins_with_its_marker() -> None:
    assert node_texts("> 1. a\n>    - b", ListItem) == ["1. a\n>    - b", "- b"]


@pytest.mark.parametrize(
    ("text", "sort", "places"),
    [
        ("**a** __b__", Strong, ["**a**", "__b__"]),
        ("***a***", Strong, ["**a**"]),
        ("***a***", Emphasis, ["***a***"]),
        ("==a==", Highlight, ["==a=="]),
        ("![[Oil#a|b]]", Embed, ["![[Oil#a|b]]"]),
        ("a[^1]\n\n[^1]: b", FootnoteReference, ["[^1]"]),
        ("a\\*b&amp;c", Text, ["a\\*b&amp;c"]),
        ("a ^b", Paragraph, ["a ^b"]),
        ("a ^b", Text, ["a"]),
        ("<https://e.org>", Text, ["https://e.org"]),
        ("[[ Oil | b ]]", Text, ["b"]),
        ("[[ Oil ]]", Text, ["Oil"]),
        ("R_estoring_ it", Emphasis, ["R_estoring_"]),
        ("a\u00a0b", Text, ["a\u00a0b"]),
    ],
)
def test_span_includes_the_markup(text: str, sort: type[Node], places: list[str]) -> None:
    assert node_texts(text, sort) == places
