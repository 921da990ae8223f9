"""Files that texts of mdBook, Docsify, GitBook and Retype include are part of these texts."""

from time import process_time

import pytest

from kismet_build.parse.docsify_includes import expand_docsify
from kismet_build.parse.expansion import Expander
from kismet_build.parse.mdbook_includes import expand_mdbook
from kismet_build.parse.template_includes import expand_gitbook, expand_retype
from tests.stages.parse.expanded import Expanded, expand

FILES = {
    "texts/oil.md": "---\ntitle: Oil\n---\n# Oil\n\nIt burns.\n",
    "texts/lamp.rs": "// ANCHOR: all\nlet a = 1;\n// ANCHOR: b\nlet b = 2;\n// ANCHOR_END: b\nlet c = 3;\n"
    "// ANCHOR_END: all\n",
    "texts/parts/wick.md": "A {{#include ../oil.md:6}}\n",
    "texts/parts/link.md": "Before\n\n[oil](../oil.md ':include')\n",
    "code/turn.py": "a\n### [one]\nb\n### [one]\nc",
    "texts/ticks.py": "```\n",
    "_includes/oil.md": "---\ntitle: Oil\n---\n# Oil\n\nIt burns.\n\n",
    "_includes/link.md": "- Here\n\n  {{ include 'oil.md' }}\n",
}


def mdbook(text: str) -> Expanded:
    return expand(expand_mdbook, text, FILES)


def docsify(text: str) -> Expanded:
    return expand(expand_docsify, text, FILES)


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


@pytest.mark.parametrize(
    ("embed", "result"),
    [
        ("[x](oil.md ':include')", "# Oil\n\nIt burns.\n"),
        ('[x](/texts/oil.md ":include")', "# Oil\n\nIt burns.\n"),
        ("[x](parts/link.md ':include')", "Before\n\n# Oil\n\nIt burns.\n"),
        ("[x](/code/turn.py ':include')", f"```py\n{FILES['code/turn.py']}\n```\n"),
        ("[x](../code/turn.py ':include :type=code :fragment=one')", "```py\nb\n```\n"),
        ("[x](ticks.py ':include')", "````py\n```\n````\n"),
        ("[x](oil.md ':include :type=code')", f"```md\n{FILES['texts/oil.md']}```\n"),
        ("[x](oil.md ':include :type=iframe')", None),
        ("[x](page.html ':include')", None),
        ("[x](https://example.org/a.md ':include')", None),
        ("```\n[x](oil.md ':include')\n```", None),
    ],
)
def test_docsify_embeds_files_and_parts_of_them(embed: str, result: str | None) -> None:
    expanded = docsify(f"a\n\n{embed}\n\nb")
    assert (expanded.text, expanded.messages) == (f"a\n\n{embed}\n\nb" if result is None else f"a\n\n{result}\nb", [])


def test_link_within_a_line_stays() -> None:
    assert docsify("See [x](oil.md ':include').").is_same
    assert mdbook("{{#title Oil}} {{ include oil.md }}").is_same


@pytest.mark.parametrize(
    ("mark", "result"),
    [
        ('{% include "oil.md" %}', "# Oil\n\nIt burns."),
        ("{% include '/texts/oil.md' %}", "# Oil\n\nIt burns."),
        ('- a\n\n  {% include "../_includes/oil.md" %}', "- a\n\n  # Oil\n  \n  It burns."),
        ('See {% include "oil.md" %}', "See # Oil\n\nIt burns."),
        ('```\n{% include "oil.md" %}\n```', None),
    ],
)
def test_gitbook_includes_texts(mark: str, result: str | None) -> None:
    expanded = expand(expand_gitbook, f"x\n\n{mark}\n\ny\n", FILES)
    assert (expanded.text, expanded.messages) == (f"x\n\n{result or mark}\n\ny\n", [])


def test_gitbook_shows_the_values_of_expressions() -> None:
    def mark(expression: str) -> str:
        return f'<code class="expression">{expression}</code>'

    files = {".gitbook/vars.yaml": "game: Salt Road\nwicks: 3\n"}
    text = "---\nvars: {die: d6}\n---\n"
    words = f"{mark('space.vars.game')}: {mark('space.vars.wicks')} of {mark('page.vars.die')}"
    expanded = expand(expand_gitbook, f"{text}{words}\n", files)
    assert (expanded.text, expanded.messages) == (f"{text}Salt Road: 3 of d6\n", [])
    expanded = expand(
        expand_gitbook, f"{mark('page.vars.die')}, {mark('1 &lt; 2')}\n\n```\n{mark('page.vars.die')}\n```\n"
    )
    assert expanded.text == f", \n\n```\n{mark('page.vars.die')}\n```\n"
    message = "foreign-markup texts/page.md:1 kismet does not know the value of the expression {}, so it is left out"
    assert expanded.messages == [message.format("page.vars.die"), message.format("1 < 2")]


def test_gitbook_shows_words_without_icons() -> None:
    icon = '<i class="fa-lamp">:lamp:</i>'
    expanded = expand(expand_gitbook, f"# {icon} Lamps\n\n<h4>{icon}</h4>\n\n```\n{icon}\n```\n")
    assert expanded.text == f"# Lamps\n\n<h4></h4>\n\n```\n{icon}\n```\n"


def test_references_to_folders_in_gitbook_show_titles() -> None:
    tag = '{{% content-ref url="oils/" %}}\n[oils](oils/{})\n{{% endcontent-ref %}}\n'
    assert expand(expand_gitbook, tag.format("")).text == tag.format(' "mention"')
    assert expand(expand_gitbook, "[oils](oils/)").is_same


def test_docsify_leaves_out_the_date_of_the_last_change() -> None:
    expanded = docsify("a {docsify-updated} `{docsify-updated}`\n```\n{docsify-updated}\n```\n")
    assert expanded.text == "a  `{docsify-updated}`\n```\n{docsify-updated}\n```\n"
    assert expanded.messages == [
        "foreign-markup texts/page.md:1 kismet does not know when a text was changed, so {docsify-updated} is left out"
    ]


@pytest.mark.parametrize(
    ("mark", "result"),
    [
        ('{{ include "oil" }}', "# Oil\n\nIt burns."),
        ("{{ include '/oil.md' }}", "# Oil\n\nIt burns."),
        ('  {{ include "link" }}', "  - Here\n  \n    # Oil\n    \n    It burns."),
        ("{%{ {{ oil }} }%} and `{%{ {{ x }} }%}`", " {{ oil }}  and ` {{ x }} `"),
    ],
)
def test_retype_includes_texts(mark: str, result: str) -> None:
    expanded = expand(expand_retype, f"x\n\n{mark}\n\ny\n", FILES)
    assert (expanded.text, expanded.messages) == (f"x\n\n{result}\n\ny\n", [])


@pytest.mark.parametrize(
    ("mark", "result"),
    [
        (':::code source="../code/turn.py" title="A turn" :::', f"```py A turn\n{FILES['code/turn.py']}\n```\n"),
        (':::code source="/code/turn.py" range="3" :::', "```py\nb\n```\n"),
        (':::code source="ticks.py" range="1-9" :::', "````py\n```\n````\n"),
    ],
)
def test_retype_shows_lines_of_files_as_code(mark: str, result: str) -> None:
    expanded = expand(expand_retype, f"x\n\n{mark}\ny\n", FILES)
    assert (expanded.text, expanded.messages) == (f"x\n\n{result}\ny\n", [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{#include none.md}}", "it does not exist"),
        ("{{#include page.md}}", "the file would include itself"),
        ("{{#include oil.md:none}}", 'the file has no part "none"'),
        ("[x](none.md ':include')", "it does not exist"),
        ("[x](page.md ':include')", "the file would include itself"),
        ("[x](oil.md ':include :fragment=none')", 'the file has no part "none"'),
        ("{% include 'none.md' %}", "it does not exist"),
    ],
)
def test_include_without_a_file_is_reported(text: str, message: str) -> None:
    expander = {"{{": expand_mdbook, "{%": expand_gitbook}.get(text[:2], expand_docsify)
    expanded = expand(expander, text, {**FILES, "texts/page.md": text})
    assert expanded.messages == [f"unresolved-include texts/page.md:1 this include shows nothing: {message}"]
    assert not expanded.text


FORMS = {
    "mdbook": (expand_mdbook, "{{{{#include {}.md}}}}\n"),
    "docsify": (expand_docsify, "[x]({}.md ':include')\n"),
    "gitbook": (expand_gitbook, "{{% include '{}.md' %}}\n"),
    "retype": (expand_retype, "  {{{{ include '../texts/{}' }}}}\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_deep_and_wide_includes_end(name: str) -> None:
    expander, form = FORMS[name]
    deep = {f"texts/{number}.md": form.format(number + 1) for number in range(200)}
    assert "nested more than" in expand(expander, form.format(0), deep).messages[0]
    wide = {f"texts/{number}.md": form.format(number + 1) * 10 + "x" for number in range(40)}
    assert any("characters" in message for message in expand(expander, form.format(0), wide).messages)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "part",
    [
        "{{#include ",
        "\\{{#",
        "[x](",
        "[x](a.md ':include ",
        "    ",
        "`",
        "{% include '",
        "{{ include '",
        "{%{",
        "{%{}%}",
    ],
)
def test_time_grows_with_the_size(name: str, part: str) -> None:
    expander: Expander = FORMS[name][0]

    def seconds(count: int) -> float:
        start = process_time()
        expand(expander, part * count + "\n" + FORMS[name][1].format("oil"), FILES)
        return process_time() - start

    seconds(10)
    assert seconds(100_000) < 15 * seconds(10_000) + 0.5
