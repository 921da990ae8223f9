"""Files that texts of mdBook include are part of these texts."""

from time import process_time

import pytest

from kismet_build.extensions.sites.mdbook.dialect import expand_mdbook
from tests.extensions.sites.expanded import Expanded, expand

FILES = {
    "texts/oil.md": "---\ntitle: Oil\n---\n# Oil\n\nIt burns.\n",
    "texts/lamp.rs": "// ANCHOR: all\nlet a = 1;\n// ANCHOR: b\nlet b = 2;\n// ANCHOR_END: b\nlet c = 3;\n"
    "// ANCHOR_END: all\n",
    "texts/parts/wick.md": "A {{#include ../oil.md:6}}\n",
    "code/turn.py": "a\n### [one]\nb\n### [one]\nc",
}


def mdbook(text: str) -> Expanded:
    return expand(expand_mdbook, text, FILES)


@pytest.mark.parametrize(
    ("mark", "result"),
    [
        ("include oil.md:4:", "# Oil\n\nIt burns."),
        ("include oil.md:6", "It burns."),
        ("include oil.md::4", "---\ntitle: Oil\n---\n# Oil"),
        ("include oil.md:2:2", "title: Oil"),
        ("include parts/wick.md", "A It burns."),
        ("include lamp.rs:all", "let a = 1;\nlet b = 2;\nlet c = 3;"),
        ("rustdoc_include lamp.rs:b", "let b = 2;"),
        ("include ../code/turn.py:1:2", "a\n### [one]"),
        ("playground lamp.rs editable", f"```rust editable\n{FILES['texts/lamp.rs'].rstrip()}\n```"),
    ],
)
def test_mdbook_includes_files_and_parts_of_them(mark: str, result: str) -> None:
    expanded = mdbook(f"x {{{{#{mark}}}}} y")
    assert (expanded.text, expanded.messages) == (f"x {result} y", [])


def test_template_of_mdbook_has_values_for_keys() -> None:
    files = {**FILES, "texts/beast.md": "**[[#name]]** of [[#place the woods]], {{#include oil.md:6}} [[#none]]!\n"}
    text = "{{#template beast.md name=Old owl place=a = b}} and\n{{#template\n  beast.md\n  name=Bat\n}} [[#name]]"
    expanded = expand(expand_mdbook, text, files)
    assert (expanded.text, expanded.messages) == (
        "**Old owl** of a = b, It burns. ! and\n**Bat** of the woods, It burns. ! [[#name]]",
        [],
    )


def test_mark_of_mdbook_with_a_backslash_is_shown() -> None:
    assert mdbook("\\{{#include oil.md}} `\\{{#title x}}`").text == "{{#include oil.md}} `{{#title x}}`"


def test_other_marks_stay() -> None:
    assert mdbook("{{#title Oil}} {{ include oil.md }}").is_same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{#include none.md}}", "it does not exist"),
        ("{{#include page.md}}", "the file would include itself"),
        ("{{#include oil.md:none}}", 'the file has no part "none"'),
    ],
)
def test_include_without_a_file_is_reported(text: str, message: str) -> None:
    expanded = expand(expand_mdbook, text, {**FILES, "texts/page.md": text})
    assert expanded.messages == [f"unresolved-include texts/page.md:1 this include shows nothing: {message}"]
    assert not expanded.text


def test_deep_and_wide_includes_end() -> None:
    deep = {f"texts/{number}.md": f"{{{{#include {number + 1}.md}}}}\n" for number in range(200)}
    assert "nested more than" in expand(expand_mdbook, "{{#include 0.md}}\n", deep).messages[0]
    wide = {f"texts/{number}.md": f"{{{{#include {number + 1}.md}}}}\n" * 10 + "x" for number in range(40)}
    assert any(
        "would become too long" in message for message in expand(expand_mdbook, "{{#include 0.md}}\n", wide).messages
    )


@pytest.mark.parametrize("part", ["{{#include ", "{{#template ", "[[#a ", "\\{{#", "    ", "`"])
def test_time_grows_with_the_size(part: str) -> None:
    def seconds(count: int) -> float:
        start = process_time()
        mdbook(part * count + "\n{{#include oil.md}}\n")
        return process_time() - start

    seconds(10)
    assert seconds(100_000) < 15 * seconds(10_000) + 0.5
