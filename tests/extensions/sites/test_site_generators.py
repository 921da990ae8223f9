"""Texts in the dialects of site generators: all words are shown once, no mark is, and time grows with the length."""

import re
from collections.abc import Callable, Sequence
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kismet_build.lint.markup import foreign_marks
from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.render.fragments.renderer import to_html
from tests.executed_lines import executed_lines
from tests.sample import examples

PROFILE = settings(max_examples=examples(400, 4), deadline=None, suppress_health_check=[HealthCheck.too_slow])
OPTIONS = {"callouts": {"note": "Note", "house-rule": "House"}}
MAX_DEPTH = 4

MARKS = re.compile(
    r"!!!|\?\?\?|===|\{:|\{\{|\{\.\w|\{#|\{[-+~=>]{2}|[-+~=<]{2}\}|\+\+|\^\^|~~|==|\*\[|\[TOC\]|:material|markdown="
)
"""What must not be in the shown text."""
STEMS = ("word", "Wort", "剣", "щит", "ñandú", "שלום")
SIGNS = ('"', "{", "}", "*", "(", "[")
"""Characters of marks which may stand alone in a title."""

INLINES: dict[str, Sequence[str]] = {
    "mkdocs": (
        *("{}", "*{}*", "**{}**{{: .red }}", "~~{}~~", "^^{}^^", "x~{}~", "x^{}^", "=={}==", "++{}++", "{{++{}++}}"),
        *("{{--{}--}}", "{{~~{}~>{}~~}}", "{{=={}==}}{{>>{}<<}}", ":material-sword:{{ .big }} {}"),
        *("[{}](x.md){{ .md-button }}", "`{}`{{ .code }}", "[*{}* {}](y.md)", "**{} ^^{}^^**"),
    ),
    "jekyll": (
        *("{}", "*{}*{{: .red}}", "{} {{: .x #y }}", "~~{}~~", "[{}](x.md){{: .btn }}", "{{::nomarkdown}}{}{{:/}}"),
        *("`{}`{{:.c}}", "<<{}>> -- {}", "{}\\\\\n{}"),
    ),
    "hugo": (
        *("{}", "*{}*", "~~{}~~", '[{}]({{{{< ref "x.md" >}}}})', '[*{}* {}]({{{{% relref "a b.md#c" %}}}} "t")'),
        *(
            "{{{{< dagger 6 >}}}} {}",
            "{{{{% big %}}}}{}{{{{% /big %}}}}",
            '{{{{< button href="/x" >}}}}{}{{{{< /button >}}}}',
        ),
    ),
}
"""Inline marks around words."""


class Writer:
    """Writes a random text in a dialect, with words that each occur once."""

    def __init__(self, dialect: str, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.dialect = dialect
        self.draw = draw
        self.words: list[str] = []

    def choose(self, *choices: str) -> str:
        return choices[self.draw(st.integers(0, len(choices) - 1))]

    def word(self) -> str:
        self.words.append(f"{self.choose(*STEMS)}{len(self.words)}x")
        return self.words[-1]

    def title(self) -> str:
        return f"{self.word()} {self.choose(*SIGNS)} {self.word()}"

    def line(self) -> str:
        """A line of words and inline marks, without emphasis at its start, which could be read as a list."""
        parts = [self.word()]
        for _ in range(self.draw(st.integers(0, 3))):
            mark = self.choose(*INLINES[self.dialect])
            parts.append(mark.format(*(self.word() for _ in range(mark.replace("{{", "").count("{}")))))
        return " ".join(parts)

    def blocks(self, depth: int = 0) -> list[str]:
        """The lines of one or more blocks, with blank lines between them."""
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, 3))):
            makers = [self.paragraph, *([self.listed, getattr(self, self.dialect)] if depth < MAX_DEPTH else [])]
            lines += [*makers[self.draw(st.integers(0, len(makers) - 1))](depth), ""]
        return lines[:-1]

    def paragraph(self, _depth: int) -> list[str]:
        return [self.line() for _ in range(self.draw(st.integers(1, 2)))]

    def listed(self, depth: int) -> list[str]:
        return self.indented("-   ", [self.line(), "", *self.blocks(depth + 1)])

    def indented(self, first: str, lines: Sequence[str]) -> list[str]:
        return [first + lines[0], *(f"    {line}" if line else "" for line in lines[1:])]

    def mkdocs(self, depth: int) -> list[str]:
        match self.choose("admonition", "tabs", "heading", "terms", "element", "attributes", "contents"):
            case "admonition":
                mark = self.choose("!!! note", "??? tip", "???+ danger", "!!! note inline end")
                return self.indented(f'{mark} "{self.title()}"\n    ', ["", *self.blocks(depth + 1)])
            case "tabs":
                tabs = (self.indented(f'=== "{self.title()}"\n', ["", *self.blocks(depth + 1)]) for _ in range(2))
                return [line for tab in tabs for line in (*tab, "")][:-1]
            case "heading":
                return [f"## {self.title()} {{: #id{len(self.words)} .wide }}"]
            case "terms":
                return [self.word(), *self.indented(":   ", [self.line(), "", *self.blocks(depth + 1)])]
            case "element":
                return ['<div class="grid" markdown>', "", *self.blocks(depth + 1), "", "</div>"]
            case "attributes":
                return [self.line(), self.choose("{ .lead }", '{: #here .lead data-x="1" }')]
            case _:
                return ["[TOC]", "", self.line()]

    def jekyll(self, depth: int) -> list[str]:
        mark = self.choose("{: .note }", "{: .other #id }", "{:.house-rule}")
        match self.choose("before", "after", "title", "quote", "heading", "contents", "comment", "element", "html"):
            case "html":
                return ["<div>", "<p>", self.word(), "</p>", "</div>", self.line(), "^", self.line()]
            case "before":
                return [mark, *self.paragraph(depth)]
            case "after":
                return [*self.paragraph(depth), mark]
            case "title":
                return ["{: .note-title }", f"> {self.title()}", ">", *self.quoted(depth)]
            case "quote":
                return [f"> {mark}", *self.quoted(depth)]
            case "heading":
                return [f"## {self.title()} {{#id{len(self.words)}}}", mark]
            case "contents":
                return ["* TOC", "{:toc}", "", self.line()]
            case "comment":
                return ["{::comment}", "hidden", "", "hidden", "{:/comment}", "", self.line()]
            case _:
                return ['<div markdown="1">', "", *self.blocks(depth + 1), "", "</div>"]

    def quoted(self, depth: int) -> list[str]:
        return [f"> {line}" if line else ">" for line in self.blocks(depth + 1)]

    def hugo(self, depth: int) -> list[str]:
        name = self.choose("hint", "notice", "details", "unknown", "tabs", "quote", "heading", "line")
        match name:
            case "quote":
                return self.quoted(depth)
            case "heading":
                return [f"## {self.title()} {{#id{len(self.words)} .wide}}"]
            case "line":
                return [f"{{{{< tip >}}}}{self.line()}{{{{< /tip >}}}} {self.line()}"]
            case "tabs":
                tabs = (
                    (f"{{{{< tab `{self.title()}` >}}}}", *self.blocks(depth + 1), "{{< /tab >}}") for _ in range(2)
                )
                return ["{{< tabs >}}", *(line for tab in tabs for line in tab), "{{< /tabs >}}"]
            case "unknown":
                return [
                    '{{% unknown key="x" %}}',
                    "",
                    *self.blocks(depth + 1),
                    "",
                    "{{% /unknown %}}",
                    "{{< alone />}}",
                ]
            case _:
                title = f"`{self.title()}`"
                arguments = title if name == "details" else f"info {title}"
                return [f"{{{{< {name} {arguments} >}}}}", *self.blocks(depth + 1), f"{{{{< /{name} >}}}}"]


def shown_text(html: str) -> str:
    return unescape(re.sub(r"<[^<>]*>", " ", re.sub(r"<code>.*?</code>", lambda code: code[0], html)))


@pytest.mark.parametrize("dialect", sorted(INLINES))
@PROFILE
@given(data=st.data())
def test_every_word_is_shown_once_and_no_mark_is(dialect: str, data: st.DataObject) -> None:
    writer = Writer(dialect, data.draw)
    text = "\n".join(writer.blocks()) + "\n"
    document = read(Source("Page.md", text), dialect, lambda _: None, OPTIONS)
    html = to_html(document.blocks)
    shown = shown_text(html)
    words = re.findall(rf"(?:{'|'.join(STEMS)})\d+x", shown, re.IGNORECASE)
    assert sorted(word.casefold() for word in words) == sorted(word.casefold() for word in writer.words), text
    assert MARKS.search(shown) is None, f"{text}\n{shown}"
    assert all(mark.effect for mark in foreign_marks(document)), text


UNCLOSED = {
    "mkdocs": (
        *(
            "!!! note\n",
            '=== "a"\n',
            '??? "a {\n',
            "{++ ",
            "{~~ a ~> ",
            "^a ",
            "^^a ",
            "~a ",
            "++a+",
            "[a]{ .b ",
            "{: .a ",
        ),
        *("<div markdown>\n", "*[A]: b\n", ":a:b", "- !!! note\n", "> !!! note\n", "# A_1\n", '{a="', "`a`{.b}"),
        *("/// note\n", "/// note\n///\n", "//// tab | a\n/// note\n", "a { .b }\n: c\n", "- /// note\n"),
        *('<a id="', "<a b='c' ", "1/2 ", "(c", "<--", "`#!a ", '```a title="b"\n', "```a title='"),
    ),
    "jekyll": (
        *("{: .note }\n", "> {: .note }\n", "{::comment}\n", "{::comment} ", "{:/} ", "$$a ", '<div markdown="1">\n'),
        *(
            "- a\n{:toc}\n",
            "*a*{: .a",
            "{: .note-title }\n> ",
            "- {::comment}\n",
            "{::nomarkdown}\n",
            "a {::nomarkdown} ",
        ),
        *("<div>\n", "<div>\n<p>a</p>\n", "<div><div>\n", "- a\n^\n", "a\\\\\n", "<<a ", "--", "<details markdown>\n"),
    ),
    "mdbook": (
        "```admonish\n",
        "```admonish\na\n```\n",
        '~~~admonish a "',
        "{{#title a",
        "# a {.b",
        "{{#title a}} ",
        "```rust\n# a\n",
        '<a href="a.md" ',
    ),
    "hugo": (
        *(
            "{{< hint >}}\n",
            "{{< hint >}} ",
            "{{< a ",
            '{{< a "',
            "{{</* a ",
            '[a]({{< ref "',
            "{{< /hint >}}\n",
            "{{< a `",
        ),
        *(
            "- {{< hint >}}\n",
            "> {{< hint >}}\n",
            "{{< hint >}}x{{< /hint >}}",
            "```\n{{< a >}}\n",
            '{{< figure src="a" ',
            "<<a ",
            "--",
            "> [!a]\n",
            "`{{</* a */>}}` ",
            "{{</* a ",
        ),
    ),
}
"""Marks that are repeated without their closing marks."""
SHORT, LONG = 500, 2_000
"""Numbers of marks whose work is compared."""
NOISE = 20_000
"""Executed lines that do not depend on the length."""


@pytest.mark.parametrize(("dialect", "mark"), [(dialect, mark) for dialect in UNCLOSED for mark in UNCLOSED[dialect]])
def test_work_grows_like_the_number_of_unclosed_marks(dialect: str, mark: str) -> None:
    def work(count: int) -> int:
        return executed_lines(lambda: read(Source("Page.md", mark * count), dialect, lambda _: None, OPTIONS))

    work(SHORT)  # imports what it needs
    assert work(LONG) < 1.5 * LONG / SHORT * max(work(SHORT), NOISE)


@pytest.mark.parametrize(("dialect", "mark"), [(dialect, mark) for dialect in UNCLOSED for mark in UNCLOSED[dialect]])
def test_ten_thousand_unclosed_marks_are_read(dialect: str, mark: str) -> None:
    assert read(Source("Page.md", mark * 10_000), dialect, lambda _: None, OPTIONS).dialect == dialect
