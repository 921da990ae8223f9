"""The span of each AsciiDoc node is exactly its source text."""

from functools import partial

import pytest

from kismet_build.model.nodes import (
    BlockQuote,
    Callout,
    Cell,
    Code,
    CodeBlock,
    DefinitionItem,
    DefinitionList,
    Div,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Image,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    Row,
    Strong,
    Table,
    Text,
)
from tests.stages.parse.node_text import node_texts as texts_of_dialect

node_texts = partial(texts_of_dialect, dialect="asciidoc")


CONTEXTS = {
    "a paragraph": "{}",
    "a second line": "one \n  two {} three",
    "a line after a comment": "one\n// comment\ntwo {}",
    "a heading": "== one {} ==",
    "a heading with a line below": "one two three and {}\n-------------------------",
    "the title": "= one {}",
    "an entry": "* one\n  two {}",
    "an entry of an entry": ". one\n** two {}\n   {}",
    "what is attached": "* one\n+\ntwo {}\n+\n--\nthree {}\n--",
    "a task": "* [x] {}",
    "a term": "one {}:: two {}\n+\nthree {}",
    "a quote": "____\n{}\n\ntwo {}\n____",
    "an aside": ".Title {}\nNOTE: one\n{}",
    "an aside between lines": "[TIP]\n====\n{}\n\n* {}\n====",
    "a title": ".one {}\n* two",
    "a cell": "|===\n| {} | a \\| b {} c \\| {}\n| d\n{}| \\|{}\n|===",
    "a caption": ".one {}\n|===\n|{}\n|===",
    "a cell with blocks": "[cols=1a]\n|===\n|\n* one\n  {}\n\nNOTE: {}\n\n!===\n! a {} \\! {}\n!===\n|===",
    "a cell among values": ',===\n"a {}","b ""c"" {}"\n"d\n{}",e\n,===',
    "a footnote": "a footnote:[b {} c] {}",
    "marks": "#one _two {} three_ {} four#",
    "words after escapes": "\\*a* don't (C) `b` {sp}c -- {}",
    "words after what is kept": "+a*b*+ pass:[<b>] {cpp} {}",
    "words of a value": ":a: b\n\n{a} {a}{a} {}",
}


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize(
    ("what", "sort"),
    [
        ("<<oil>>", Link),
        ("<<oil,the *oil*>>", Link),
        ("link:oil[it]", Link),
        ("https://e.org/a[b]", Link),
        ("*oil*", Strong),
        ("`oil`", Code),
        ("image:b.png[x]", Image),
    ],
)
def test_span_of_an_inline_is_its_source(context: str, what: str, sort: type[Node]) -> None:
    text = context.replace("{}", what)
    if "-----" in context:
        first = text.partition("\n")[0]
        text = f"{first}\n{'-' * len(first)}"
    assert node_texts(text, sort).count(what) == context.count("{}")


BLOCKS = """\
= One

== Two [[two]]

* a
  b
+
c
** d

//-

[[e]]e:: f

g::
h

.Title
NOTE: i
j

====
k
====

____
l
____

----
m
----

.Caption
[%header]
|===
| n | o

a|
* p
| q
r

.2+|s |t
|u
|===

v.footnote:[w *x*]
"""


def test_span_of_a_block_is_its_source() -> None:
    assert node_texts(BLOCKS, Heading) == ["= One", "== Two [[two]]"]
    assert node_texts(BLOCKS, List) == ["* a\n  b\n+\nc\n** d", "** d", "* p"]
    assert node_texts(BLOCKS, ListItem) == ["* a\n  b\n+\nc\n** d", "** d", "* p"]
    assert node_texts(BLOCKS, DefinitionList) == ["[[e]]e:: f\n\ng::\nh"]
    assert node_texts(BLOCKS, DefinitionItem) == ["[[e]]e:: f", "g::\nh"]
    assert node_texts(BLOCKS, Callout) == [".Title\nNOTE: i\nj"]
    assert node_texts(BLOCKS, Div) == ["====\nk\n===="]
    assert node_texts(BLOCKS, BlockQuote) == ["____\nl\n____"]
    assert node_texts(BLOCKS, CodeBlock) == ["----\nm\n----"]
    assert node_texts(BLOCKS, Table) == [BLOCKS[BLOCKS.index(".Caption") : BLOCKS.rindex("|===") + 4]]
    assert node_texts(BLOCKS, Row) == ["| n | o", "a|\n* p\n| q\nr", ".2+|s |t", "|u"]
    assert node_texts(BLOCKS, Cell) == ["n", "o", "* p", "q\nr", "s", "t", "s", "u"]
    assert node_texts(BLOCKS, FootnoteDefinition) == ["footnote:[w *x*]"]


@pytest.mark.parametrize(
    ("text", "sort", "places"),
    [
        ("*a* __b__", Strong, ["*a*"]),
        ("*a* __b__", Emphasis, ["__b__"]),
        ("\\*a* b", Text, ["\\*a* b"]),
        ("a -- b (C)", Text, ["a -- b (C)"]),
        ("<<a,b>>", Text, ["b"]),
        ("<<a>>", Text, ["a"]),
        ("https://e.org", Text, ["https://e.org"]),
        (":a: b\n\nc {a} d", Text, ["c {a} d"]),
        ("a.footnote:[b]", FootnoteReference, ["footnote:[b]"]),
        ("a footnote:[ b ]", Paragraph, ["a footnote:[ b ]", "b"]),
        ("[[a]]b", Text, ["b"]),
        ("`+a+`", Code, ["`+a+`"]),
        ("  a\n  b", CodeBlock, ["a\n  b"]),
        ("a \n b", Paragraph, ["a \n b"]),
    ],
)
def test_span_includes_the_markup(text: str, sort: type[Node], places: list[str]) -> None:
    assert node_texts(text, sort) == places
