"""Bad input of any size: texts that nest, repeat, expand or stay open.

`WORD` stands for the words of a reader. It is in no markup and on no page without a text, so words can be counted.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from math import isqrt
from typing import NamedTuple

from tests.command import ROOT
from tests.hard import strings
from tests.yaml_file import read_yaml

WORD = "ж"

Files = dict[str, str]
"""The texts of a vault by path."""


class Input(NamedTuple):
    """A generator of vaults."""

    name: str
    size: int
    """The smallest size that is measured."""
    files: Callable[[int], Files]
    is_of_cmark: bool = False
    """Whether it is one of cmark's published inputs. If so, markdown-it-py is measured, too."""
    options: tuple[str, ...] = ("--no-search",)
    """Options of the build."""


Text = Callable[[int], str]

GAME = """\
id: fen
title: Fen
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources:
  - {glob: '*.md', dialect: obsidian}
"""
ROLLS = "| d6 | Result |\n| --- | --- |\n"
"""The header of a roll table."""
EVEN_ROW = "| 1 | ж |\n"
KIND = """\
title: Skill
x-match: {heading: 2}
required: [id, name]
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
"""


def numbered(size: int, template: str) -> str:
    """A template once for each number, which replaces `@` in it."""
    return "".join(template.replace("@", str(number)) for number in range(size))


def notes(size: int, path: str, text: str) -> Files:
    """Notes with their number for each `@` in path and text, and the next number for each `$`."""
    return {
        path.replace("@", str(number)): text.replace("@", str(number)).replace("$", str(number + 1))
        for number in range(size)
    }


def front_matter(properties: str) -> str:
    return f"---\n{properties}\n---\n\nж\n"


def doubling_aliases(size: int) -> str:
    """`size` lists in YAML, each of which has the previous list nine times."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, size):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    return "\n".join(lines)


def game(files: Files, more: str = "") -> Files:
    return {"game.yaml": GAME + more, "Text.md": "# ж\n\nж\n", "kinds/skill.yaml": KIND, **files}


def kind(more: str) -> Files:
    return game({"kinds/skill.yaml": KIND + more})


def long_numbers(number: str) -> str:
    table = f"| d{number} | b |\n|---|---|\n| {number} | ж |\n| 1-{number} | ж |\n"
    return front_matter(f"a: {number}") + f"{number}. ж\n\n`dice: 1d{number}`\n\n{table}"


def calculator(*formulas: str) -> Files:
    definitions = [
        f"jump{number}:\n  title: Jump {number}\n  inputs: {{}}\n  formula: '{formula}'\n"
        "  result:\n    sentence: '{result}'\n"
        f"  citation: {{document: Text, heading: {WORD}, quote: {WORD}}}\n"
        for number, formula in enumerate(formulas)
    ]
    return game({"calculators/jumps.yaml": "".join(definitions)})


def case_variants(size: int) -> Files:
    files: Files = {}
    letters = "goblinkingofthemarsh"
    for count in range(len(letters)):
        for places in combinations(range(len(letters)), count):
            if len(files) == size:
                return files
            name = "".join(letter.upper() if at in places else letter for at, letter in enumerate(letters))
            files[f"{name}.md"] = f"ж [[{name}]]\n"
    return files


# The published inputs of cmark (test/pathological_tests.py) and of its fork for GitHub.
CMARK: dict[str, tuple[int, Text]] = {
    "nested strong and emphasis": (5_000, lambda n: "*ж **ж " * n + "ж" + " ж** ж*" * n),
    "emphasis closers without openers": (15_000, lambda n: "ж_ " * n),
    "emphasis openers without closers": (15_000, lambda n: "_ж " * n),
    "link closers without openers": (15_000, lambda n: "ж]" * n),
    "link openers without closers": (15_000, lambda n: "[ж" * n),
    "mismatched openers and closers": (12_500, lambda n: "*ж_ " * n),
    "mismatched openers and closers, twice": (5_000, lambda n: "*ж_ " * n + "_ж*_ " * n),
    "openers and closers of 3": (12_500, lambda n: "ж**ж" + "ж* " * n),
    "link openers and emphasis closers": (12_500, lambda n: "[ ж_" * n),
    "open brackets and parentheses": (10_000, lambda n: "[ (](" * n + "ж"),
    "open images": (10_000, lambda n: "![[]()" * n + "ж"),
    "nested brackets": (12_500, lambda n: "[" * n + "ж" + "]" * n),
    "nested quotes": (12_500, lambda n: "> " * n + "ж"),
    "nested lists": (50_000, lambda n: "".join("  " * level + "* ж\n" for level in range(isqrt(n)))),
    "null characters": (25_000, lambda n: "ж\0" * n),
    "backticks": (250_000, lambda n: "".join("ж" + "`" * length for length in range(1, isqrt(2 * n)))),
    "unclosed links with <": (12_500, lambda n: "[ж](<ж" * n),
    "unclosed links": (5_000, lambda n: "[ж](ж" * n),
    "unclosed comments among words": (20_000, lambda n: "ж </" + "<!--" * n),
    "unclosed instructions": (20_000, lambda n: "ж " + "<?ж" * n),
    "unclosed declarations": (20_000, lambda n: "ж " + "<!X" * n),
    "unclosed CDATA": (20_000, lambda n: "ж " + "<![CDATA[" * n),
    "empty lines in nested lists": (5_000, lambda n: "- " * n + "ж" + "\n" * n),
    "empty lines in nested lists in a quote": (5_000, lambda n: "> " + "- " * n + "ж\n" + ">\n" * n),
    "emphasis in nested quotes": (10_000, lambda n: ">" * n + "ж*" * n),
    "many references": (20_000, lambda n: numbered(n, "[@]: u\n") + "\n" + "[ж] " * n),
    "one reference often": (10_000, lambda n: f"[u]: <{'u' * 500}>\n\n" + "[ж][u]\n" * n),
    "tables of one column": (5_000, lambda n: "ж\n-\n" * n),
    "wide table with short rows": (500, lambda n: "|ж" * n + "|\n" + "|-" * n + "|\n" + "|ж|\n" * n),
    "bars without a table": (20_000, lambda n: "|ж" * n),
    "addresses with parentheses": (1_000, lambda n: "http://example.org/ж" + "(" * n + ")" * n),
    "addresses with entities": (5_000, lambda n: "http://example.org/ж" + "&gt;" * n),
    "addresses without an end": (5_000, lambda n: "www." * n + "ж"),
    "footnotes": (5_000, lambda n: numbered(n, "ж[^@]\n") + "\n" + numbered(n, "[^@]: ж\n\n")),
}

MARKDOWN: dict[str, tuple[int, Text]] = {
    "equal headings": (3_000, lambda n: "# ж\n" * n),
    "heading of signs": (10_000, lambda n: f"# {'!?' * n}\n\nж\n"),
    "headings of signs": (1_000, lambda n: numbered(n, "# !?\n\nж @\n\n")),
    "headings that grow": (2_000, lambda n: "".join(f"{'#' * (number % 6 + 1)} ж\n\nж\n\n" for number in range(n))),
    "headings that repeat the title": (2_500, lambda n: "# Text\n\nж\n\n" * n),
    "headings in capitals": (1_000, lambda n: numbered(n, "## Ж GOBLIN KING @\n\nж\n")),
    "pages of a chapter": (500, lambda n: numbered(n, f"## ж @\n\n{'ж ' * 100}[[#ж @]]\n\n")),
    "pages of a chapter in each other": (
        500,
        lambda n: "".join(f"{'#' * (number % 6 + 1)} ж {number}\n\n{'ж ' * 100}\n\n" for number in range(n)),
    ),
    "pages of a chapter of one name": (500, lambda n: f"## ж\n\n{'ж ' * 100}\n\n" * n),
    "open div": (20_000, lambda n: "<div>" * n + "ж\n"),
    "open tags among words": (10_000, lambda n: "ж " + "<b>ж<i>" * n + "\n"),
    "closed tags": (5_000, lambda n: "ж " + "<b>ж" * n + "</b>" * n + "\n"),
    "attributes of a tag": (10_000, lambda n: f"ж <b {numbered(n, 'a@=1 ')}>ж</b>\n"),
    "less-than signs": (20_000, lambda n: "ж<" * n),
    "unclosed attributes": (5_000, lambda n: '<a href="' * n + "ж"),
    "ampersands": (20_000, lambda n: "&ж" * n),
    "long paragraph of short lines": (30_000, lambda n: "ж\n" * n),
    "long line": (50_000, lambda n: "ж " * n),
    "long word": (250_000, lambda n: "ж" * n),
    "long title": (10_000, lambda n: f"# {'ж ' * n}\n"),
    "long title of the front matter": (10_000, lambda n: front_matter(f"title: {'ж ' * n}")),
    "long alias": (10_000, lambda n: front_matter(f"aliases: [{'x ' * n}]")),
    "many aliases": (
        2_500,
        lambda n: front_matter("aliases:\n" + numbered(n, "  - Goblin @\n")) + numbered(n, "ж Goblin @\n"),
    ),
    "aliases of YAML": (10, lambda n: front_matter(doubling_aliases(n))),
    "aliases of YAML to a long text": (2_500, lambda n: front_matter(f"a: &a {'x' * n}\nb: [{', '.join(['*a'] * n)}]")),
    "brackets in front matter": (10_000, lambda n: front_matter(f"a: {'[' * n}")),
    "closed brackets in front matter": (10_000, lambda n: front_matter(f"a: {'[' * n}{']' * n}")),
    "braces in front matter": (10_000, lambda n: front_matter(f"a: {'{a: ' * n}")),
    "indented maps in front matter": (
        50_000,
        lambda n: front_matter("".join(f"{' ' * level}a:\n" for level in range(isqrt(n)))),
    ),
    "keys of the front matter": (2_500, lambda n: front_matter(numbered(n, "key@: x\n"))),
    "brackets in TOML": (10_000, lambda n: f"+++\na = {'[' * n}\n+++\n\nж\n"),
    "dotted keys in TOML": (10_000, lambda n: f"+++\n{'a.' * n}a = 1\n+++\n\nж\n"),
    "dotted tables in TOML": (100, lambda n: "+++\n" + numbered(n, f"[{'a.' * 50}b@]\nc = 1\n") + "+++\n\nж\n"),
    "nested properties": (150, lambda n: front_matter(f"a: {'{a: ' * min(n, 190)}x{'}' * min(n, 190)}")),
    "long numbers": (2_500, lambda n: long_numbers("9" * n)),
    "tags": (1_000, lambda n: numbered(n, "ж #tag@\n")),
    "levels of a tag": (5_000, lambda n: "ж #" + "a/" * n + "a\n"),
    "tags in tags": (400, lambda n: numbered(n, "ж #a/b/c/d/e/f/g/h/i/j@\n")),
    "nested callouts": (20_000, lambda n: "".join(f"{'> ' * level}[!note] ж\n" for level in range(1, isqrt(n)))),
    "callouts": (2_500, lambda n: "> [!note] ж\n> ж\n\n" * n),
    "table with many columns": (2_500, lambda n: "|ж" * n + "|\n" + "|-" * n + "|\n" + "|ж" * n + "|\n"),
    "table with many rows": (5_000, lambda n: "|a|b|\n|-|-|\n" + "|ж|ж|\n" * n),
    "table that falls apart": (5_000, lambda n: "|a|b|\n|-|-|\n" + "|ж|ж|\n\n" * n),
    "tables": (1_000, lambda n: "|a|b|\n|-|-|\n|ж|ж|\n\nж\n\n" * n),
    "footnotes in each other": (
        2_500,
        lambda n: "ж[^0]\n\n" + "".join(f"[^{number}]: ж[^{number + 1}]\n\n" for number in range(n)),
    ),
    "one footnote often": (5_000, lambda n: "ж[^1]\n" * n + "\n[^1]: ж\n"),
    "nested inline footnotes": (2_500, lambda n: "ж^[" * n + "ж" + "]" * n),
    "open inline footnotes": (10_000, lambda n: "ж^[" * n),
    "deep formula": (1_000, lambda n: f"ж ${'{' * n}x{'}' * n}$\n"),
    "fractions in a formula": (1_000, lambda n: r"ж $" + r"\frac{1}{" * n + "x" + "}" * n + "$\n"),
    "wide formula": (5_000, lambda n: f"ж ${'x+' * n}x$\n"),
    "formulas": (1_000, lambda n: "ж $x^2$\n" * n),
    "open formulas": (10_000, lambda n: "$ж " * n),
    "open display formulas": (5_000, lambda n: "$$\nж\n\n" * n),
    "scripts of a formula": (1_000, lambda n: f"ж $x{'^{x' * n}{'}' * n}$\n"),
    "dice of many terms": (2_500, lambda n: f"ж `dice: 1d6{'+1d6' * n}`\n"),
    "dice with many faces": (250_000, lambda n: f"ж `dice: {n}d{n}`\n"),
    "dice in parentheses": (2_500, lambda n: f"ж `dice: {'(' * n}1d6{')' * n}`\n"),
    "dice": (1_000, lambda n: numbered(n, "ж `dice: 1d6+@`\n")),
    "dice in text": (2_500, lambda n: numbered(n, "ж 2d6+@\n")),
    "roll table": (
        2_500,
        lambda n: (
            "| d100 | Result |\n| --- | --- |\n"
            + "".join(f"| {row % 100 + 1} | ж {row} |\n" for row in range(n))
            + "\n^big\n\nж `dice: [[#^big]]`.\n"
        ),
    ),
    "roll table of a large die": (
        250_000,
        lambda n: f"| d{n} | Result |\n| --- | --- |\n| 1-{n // 2} | ж |\n| {n // 2}-{n * 9} | ж |\n",
    ),
    "links to a missing text": (2_500, lambda n: "ж [[Nowhere]]\n" * n),
    "links to missing texts": (1_000, lambda n: numbered(n, "ж [[Nowhere @]]\n")),
    "links to missing headings": (
        1_000,
        lambda n: numbered(n, "# ж Heading @\n") + "\n" + numbered(n, "ж [[#Headimg @]]\n"),
    ),
    "links to headings": (1_000, lambda n: numbered(n, "# ж Heading @\n") + "\n" + numbered(n, "ж [[#ж Heading @]]\n")),
    "open wiki links": (10_000, lambda n: "[[ж" * n),
    "open embeds": (10_000, lambda n: "![[ж" * n),
    "open wiki links with labels": (10_000, lambda n: "[[ж|" * n),
    "long wiki link": (10_000, lambda n: f"[[{'ж#' * n}ж]]"),
    "block ids": (2_500, lambda n: numbered(n, "ж ^id@\n\n")),
    "equal block ids": (2_500, lambda n: "ж ^id\n\n" * n),
    "open comments": (10_000, lambda n: "ж %% ж\n\n" * (n | 1)),
    "open comments on a line": (10_000, lambda n: "%%x%% ж " * n + "%%"),
    "open comments of HTML": (10_000, lambda n: "ж <!-- \n\n" * n),
    "blocks that begin comments of HTML": (10_000, lambda n: "<!-- ж\n\n" * n),
    "open marks of Hugo": (10_000, lambda n: "ж {{< ж " * n),
    "marks of Hugo": (2_500, lambda n: "ж {{< ж >}}\n\n" * n),
    "open marks of Liquid": (10_000, lambda n: "ж {% ж {{ " * n),
    "marks of Liquid": (2_500, lambda n: "ж {% ж %}\n\n" * n),
    "components": (2_500, lambda n: "<Card ж={1}>\nж\n\n" * n),
    "open highlights": (10_000, lambda n: "==ж " * n),
    "open strikethrough": (10_000, lambda n: "~~ж " * n),
    "labels with a space": (5_000, lambda n: "**ж: ** ж\n" * n),
    "open labels": (10_000, lambda n: "**ж: " * n),
    "columns without end": (2_500, lambda n: numbered(n, "--- start-multi-column: a@\nж\n\n")),
    "columns in divs": (2_500, lambda n: "::: columns\nж\n" * n),
    "column breaks": (2_500, lambda n: "--- start-multi-column: a\nж\n" + "--- column-end ---\nж\n" * n),
    "definitions": (1_000, lambda n: numbered(n, "ж@\n: ж\n\n")),
    "definition with many parts": (5_000, lambda n: "ж\n" + ": ж\n" * n),
    "tasks": (2_500, lambda n: "- [x] ж\n" * n),
    "list": (5_000, lambda n: "- ж\n" * n),
    "list of numbers": (5_000, lambda n: "1. ж\n" * n),
    "list markers on one line": (5_000, lambda n: "- " * n + "ж"),
    "pasted bullets": (5_000, lambda n: "• ж\n" * n),
    "split quotes": (5_000, lambda n: "> ж\nж\n\n" * n),
    "labels in bold": (2_500, lambda n: numbered(n, "**Key @:** ж\n")),
    "inline fields": (2_500, lambda n: numbered(n, "Key @:: ж\n")),
    "inline fields in brackets": (2_500, lambda n: "ж [key:: ж] (key:: ж) " * n),
    "open inline fields": (10_000, lambda n: "[ж:: (ж:: " * n),
    "terms in bold": (1_000, lambda n: numbered(n, "**Goblin @**: ж\n\nж Goblin @\n\n")),
    "addresses": (2_500, lambda n: "ж http://example.org/ж www.example.org/ж\n" * n),
    "schemes": (10_000, lambda n: "http://" * n + "ж"),
    "at signs": (10_000, lambda n: "ж@" * n),
    "backslashes": (25_000, lambda n: "\\" * n + "ж"),
    "spaces at line ends": (25_000, lambda n: f"ж{' ' * n}\nж{' ' * n}ж\n"),
    "spaces in a heading": (25_000, lambda n: f"# ж{' ' * n}ж\n\n# ж{' #' * n}ж\n"),
    "spaces in a table": (25_000, lambda n: f"|ж{' ' * n}ж|{' ' * n}ж|\n|-|-|\n|ж{' ' * n}ж|ж|\n"),
    "spaces in a label": (25_000, lambda n: f"**ж{' ' * n}ж:{' ' * n}ж** ж\n\nж{' ' * n}ж:: ж\n"),
    "spaces in a link": (25_000, lambda n: f"[ж](ж{' ' * n}ж)\n\n[ж]:{' ' * n}ж ж\n\n[[ж{' ' * n}ж]]\n"),
    "odd spaces": (10_000, lambda n: "ж\u00a0\u2003" * n),
    "tabs": (25_000, lambda n: f"ж{chr(9) * n}ж\n"),
    "dashes": (25_000, lambda n: f"{'-' * n}ж\n\n{'- ' * n}ж\n"),
    "stars": (10_000, lambda n: "*" * n + "ж" + "*" * n),
    "stars and underscores": (10_000, lambda n: "*_" * n + "ж" + "_*" * n),
    "signs of a table": (10_000, lambda n: f"ж\n{'|-' * n}ж\n\nж|ж\n{'-|' * n}-ж\n"),
    "signs of a heading": (25_000, lambda n: f"{'#' * n} ж\n\nж\n{'=' * n}ж\n"),
    "combining marks": (100_000, lambda n: "# ж" + "\u0301" * n + "\n\nж\n"),
    "combining marks out of order": (
        25_000,
        lambda n: "# ж" + "\u0301\u0327" * n + "\n\n[[ж" + "\u0301\u0327" * n + "]]\n",
    ),
    "open fence": (25_000, lambda n: "```\n" + "ж\n" * n),
    "fences": (5_000, lambda n: "```\nж\n```\n" * n),
    "fences of different lengths": (
        100_000,
        lambda n: "".join("`" * length + "\nж\n" for length in range(3, isqrt(n))),
    ),
    "open statblock": (2_500, lambda n: "```statblock\nname: a\n" + numbered(n, "key@: ж\n")),
    "statblock with many actions": (
        2_500,
        lambda n: "```statblock\nname: ж\nactions:\n" + numbered(n, "  - name: Bite @\n    desc: ж 1d6\n") + "```\n",
    ),
    "statblocks": (250, lambda n: numbered(n, "```statblock\nname: ж @\nhp: @\n```\n\n")),
    "deep statblock": (
        2_500,
        lambda n: f"```statblock\nname: ж\ntraits: {'[{name: a, traits: ' * min(n, 99)}ж{'}]' * min(n, 99)}\n```\n",
    ),
    "aliases of YAML in a statblock": (10, lambda n: f"```statblock\nname: ж\n{doubling_aliases(n)}\n```\n"),
    "embeds of one part": (500, lambda n: "# a\n\nж\n\n# b\n\n" + "![[#a]]\n\n" * n),
    "images of a paragraph": (2_500, lambda n: "ж ![a](https://example.org/a.png)\n" * n),
    "pictures": (2_500, lambda n: numbered(n, "ж ![[picture@.png]]\n")),
    "indented code": (5_000, lambda n: "    ж\n\n" * n),
    "lists in quotes": (20_000, lambda n: "".join(f"{'> - ' * level}ж\n" for level in range(1, isqrt(n)))),
    "quotes after lists": (5_000, lambda n: "- ж\n> ж\n" * n),
    "rulers": (5_000, lambda n: "ж\n\n---\n\n" * n),
    "imports of MDX": (5_000, lambda n: "import ж from 'a'\n\nж\n\n" * n),
    "notes of MkDocs": (5_000, lambda n: '!!! note "ж"\n    ж\n\n' * n),
    "nested notes of MkDocs": (
        20_000,
        lambda n: "".join(f"{'    ' * level}!!! note\n" for level in range(isqrt(n) // 4)) + "ж\n",
    ),
}

ASCIIDOC: dict[str, tuple[int, Text]] = {
    "AsciiDoc: attributes that double": (
        10,
        lambda n: (
            ":a0: ж ж\n"
            + "".join(f":a{level + 1}: {{a{level}}}{{a{level}}}\n" for level in range(n))
            + f"\nж {{a{n}}}\n"
        ),
    ),
    "AsciiDoc: long attribute often": (1_000, lambda n: f":a: {'x' * n}\n\n" + "{a}\n" * n),
    "AsciiDoc: attributes": (2_500, lambda n: numbered(n, ":a@: ж\n") + "\n" + numbered(n, "{a@}\n")),
    "AsciiDoc: equal headings": (2_000, lambda n: "= ж\n\n" + "== ж\n\n" * n),
    "AsciiDoc: includes": (2_500, lambda n: "= ж\n\n" + "include::part.adoc[]\n\nж\n\n" * n),
    "AsciiDoc: ends without a condition": (2_500, lambda n: "ж\n\n" + "endif::a[]\nж\n" * n),
    "AsciiDoc: names in a condition": (
        100_000,
        lambda n: f"ж\n\nifndef::{'a,+' * n}[]\nж\nendif::[]\n\nifeval::[{' =' * n}]\n",
    ),
    "AsciiDoc: nested conditions": (
        2_500,
        lambda n: "ж\n\n" + "ifndef::a[]\n" * n + "ж\n" + "endif::[]\n" * n + "\nж\n",
    ),
    "AsciiDoc: open conditions": (2_500, lambda n: "ж\n\n" + "ifndef::a[]\nж\n" * n),
    "AsciiDoc: nested lists": (20_000, lambda n: "".join(f"{'*' * level} ж\n" for level in range(1, isqrt(n)))),
    "AsciiDoc: list": (5_000, lambda n: "* ж\n" * n),
    "AsciiDoc: nested blocks": (20_000, lambda n: "".join(f"{'=' * level}\nж\n\n" for level in range(4, isqrt(n)))),
    "AsciiDoc: open blocks": (2_500, lambda n: "====\nж\n\n****\nж\n\n" * (n | 1)),
    "AsciiDoc: stars": (10_000, lambda n: "*ж " * n),
    "AsciiDoc: underscores": (10_000, lambda n: "_ж " * n),
    "AsciiDoc: backticks": (10_000, lambda n: "`ж " * n),
    "AsciiDoc: pluses": (10_000, lambda n: "+ж " * n),
    "AsciiDoc: hashes": (10_000, lambda n: "#ж " * n),
    "AsciiDoc: double marks": (10_000, lambda n: "**ж __ж ##ж " * n),
    "AsciiDoc: nested marks": (2_500, lambda n: "**ж __ж " * n + "ж" + "__ ж** " * n),
    "AsciiDoc: carets and tildes": (10_000, lambda n: "ж^ж~" * n),
    "AsciiDoc: open references": (10_000, lambda n: "<<ж " * n),
    "AsciiDoc: open anchors": (10_000, lambda n: "[[ж " * n),
    "AsciiDoc: open attributes": (10_000, lambda n: "{ж " * n),
    "AsciiDoc: open macros": (10_000, lambda n: "link:ж[ж " * n),
    "AsciiDoc: open footnotes": (10_000, lambda n: "footnote:[ж " * n),
    "AsciiDoc: nested footnotes": (1_000, lambda n: "ж footnote:[ж " * n + "]" * n),
    "AsciiDoc: footnotes": (2_500, lambda n: "ж footnote:[ж]\n" * n),
    "AsciiDoc: open passthroughs": (10_000, lambda n: "pass:[ж +++ж " * (n | 1)),
    "AsciiDoc: quotation marks": (10_000, lambda n: '"`ж ' * n),
    "AsciiDoc: table with many cells": (5_000, lambda n: "|===\n" + "|ж |ж\n" * n + "|===\n"),
    "AsciiDoc: table with many columns": (2_500, lambda n: f'[cols="{n}*"]\n|===\n' + "|ж" * n + "\n|===\n"),
    "AsciiDoc: columns without cells": (100_000, lambda n: f'[cols="{n}*"]\n|===\n|ж\n|===\n'),
    "AsciiDoc: repeated cells": (100_000, lambda n: f"|===\n{n}*|ж\n|===\n"),
    "AsciiDoc: spans of cells": (100_000, lambda n: f"|===\n{n}.{n}+|ж\n|===\n"),
    "AsciiDoc: nested tables": (500, lambda n: "|===\na|\n!===\n!ж\n!===\n" * n),
    "AsciiDoc: long paragraph": (40_000, lambda n: "ж\n" * n),
    "AsciiDoc: long line": (50_000, lambda n: "ж " * n),
    "AsciiDoc: long word": (250_000, lambda n: "ж" * n),
    "AsciiDoc: terms": (1_000, lambda n: numbered(n, "ж@:: ж\n")),
    "AsciiDoc: levels of terms": (2_500, lambda n: f"ж{':' * n} ж\n" * 2),
    "AsciiDoc: continuations": (2_500, lambda n: "* ж\n" + "+\nж\n" * n),
    "AsciiDoc: block attributes": (10_000, lambda n: "[ж]\n" * n + "ж\n"),
    "AsciiDoc: attribute list": (10_000, lambda n: f"[{'a=1,' * n}]\nж\n"),
    "AsciiDoc: open quotes in an attribute list": (10_000, lambda n: "[" + 'a="' * n + "]\nж\n"),
    "AsciiDoc: comments": (5_000, lambda n: "// no\nж\n" * n),
    "AsciiDoc: ids": (2_500, lambda n: numbered(n, "[[id@]]\nж <<id@>>\n\n")),
    "AsciiDoc: admonitions": (5_000, lambda n: "NOTE: ж\n\n" * n),
    "AsciiDoc: spaces": (25_000, lambda n: f"ж{' ' * n}ж\n\n== ж{' ' * n}ж\n\n|===\n|ж{' ' * n}ж\n|===\n"),
}

VAULTS: dict[str, tuple[int, Callable[[int], Files]]] = {
    "notes of one name": (
        300,
        lambda n: {
            f"{at % 50}/{at}/Goblin.md": f"---\nharm: {at}\narmor: 3\n---\n\nж, like any [[Goblin]].\n"
            for at in range(n)
        },
    ),
    "notes of one title, and mentions": (
        300,
        lambda n: (
            notes(n, "Kings/@.md", "---\ntitle: Goblin King\nharm: @\narmor: 3\n---\n\nж\n")
            | notes(n, "Tales/@.md", "ж @ is of the Goblin King.\n")
        ),
    ),
    "notes of one alias": (
        350,
        lambda n: notes(n, "Kings/@.md", "---\naliases: [Goblin]\nharm: @\narmor: 3\n---\n\nж [[Goblin]].\n"),
    ),
    "names equal without case": (250, case_variants),
    "chain of statblocks": (
        150,
        lambda n: {
            f"{at}.md": f"```statblock\nname: S{at}\nextends: S{at + 1}\np{at % 50}: ж\n```\n" for at in range(n)
        },
    ),
    "list in a property": (
        2_500,
        lambda n: dict.fromkeys(
            ("Holders/Bag.md", "Holders/Box.md", "Holders/Cart.md"),
            "---\nweight: 3\nholds:\n" + numbered(n, "  - ж @\n") + "---\n\nж\n",
        ),
    ),
    "chain of embeds": (250, lambda n: notes(n, "@.md", "ж\n\n![[$]]\n")),
    "cycle of embeds": (250, lambda n: notes(n, "@.md", "ж\n\n![[$]]\n") | {f"{n}.md": "ж\n\n![[0]]\n"}),
    "embeds that double": (25, lambda n: notes(n, "@.md", "ж\n\n![[$]]\n\n![[$]]\n") | {f"{n}.md": "ж\n"}),
    "embeds of all in each": (
        1_000,
        lambda n: notes(isqrt(n), "@.md", "ж\n\n" + numbered(isqrt(n), "![[@]]\n\n")),
    ),
    "embeds of a long text": (
        10_000,  # paragraphs of all pages: each page shows the whole text
        lambda n: notes(isqrt(n), "@.md", "ж\n\n![[Long]]\n") | {"Long.md": "ж\n\n" * isqrt(n)},
    ),
    "notes that mention each other": (
        250,
        lambda n: notes(n, "@.md", "---\ntitle: Goblin @ King\n---\n\nж Goblin $ King\n"),
    ),
    "folders in folders": (25, lambda n: {"a/" * (n * 4) + "b.md": "ж\n"}),
    "tags of notes": (250, lambda n: notes(n, "@.md", "---\ntags: [a@, b/c@]\n---\n\nж\n")),
    "pages of a chapter with an entry each": (
        250,
        lambda n: game({"Text.md": "# ж\n\n" + numbered(n, f"## Goblin @\n\n{'ж ' * 100}\n\n")}),
    ),
    "one tag of all notes": (500, lambda n: notes(n, "@.md", "ж #a/b\n")),
    "properties of found kinds": (
        100,
        lambda n: {f"Things/{at}.md": front_matter(numbered(50, f"key{at % 20}x@: x @\n")) for at in range(n)},
    ),
    "folders of notes": (
        50,
        lambda n: {f"Folder {at // 3}/{at}.md": front_matter("harm: 1\narmor: 2") for at in range(n * 3)},
    ),
    "missing names in many notes": (100, lambda n: notes(n, "Goblin @.md", numbered(10, "ж [[Goblim @x@]]\n"))),
    "AsciiDoc: includes of texts": (
        100,
        lambda n: notes(n, "p@.adoc", "ж\n\ninclude::p$.adoc[]\n\ninclude::p$.adoc[]\n"),
    ),
    "AsciiDoc: includes of many parts": (
        500,
        lambda n: {
            "Text.adoc": numbered(n, "include::part.adoc[tags=a@]\n\n"),
            "part.adoc": numbered(n, "tag::a@[]\nж\nend::a@[]\n"),
        },
    ),
    "AsciiDoc: tags that overlap": (
        1_000,
        lambda n: {
            "Text.adoc": "include::part.adoc[tags=**;!b]\n",
            "part.adoc": numbered(n, "tag::a@[]\nж\n") + numbered(n, "end::a@[]\nж\n"),
        },
    ),
    "AsciiDoc: references between texts": (
        250,
        lambda n: notes(n, "p@.adoc", "= ж @\n\nж xref:p$.adoc[] <<p$.adoc#a,b>>\n"),
    ),
    "aliases of YAML in game.yaml": (10, lambda n: game({}, doubling_aliases(n))),
    "brackets in game.yaml": (10_000, lambda n: game({}, f"a: {'[' * n}\n")),
    "closed brackets in game.yaml": (10_000, lambda n: game({}, f"a: {'[' * n}{']' * n}\n")),
    "aliases of YAML in a kind": (10, lambda n: kind(doubling_aliases(n))),
    "brackets in a kind": (10_000, lambda n: kind(f"a: {'[' * n}\n")),
    "schemas in schemas of a kind": (
        100,
        lambda n: kind(f"  deep: {'{type: array, items: ' * n}{{type: string}}{'}' * n}\n"),
    ),
    "pattern of a kind that backtracks": (
        10,
        lambda n: game(
            {
                "kinds/skill.yaml": KIND.replace("{heading: 2}", "{heading: 2, pattern: '^(a+)+$'}"),
                "Text.md": f"# ж\n\n## {'a' * n}ж\n\nж\n",
            }
        ),
    ),
    "pattern of a kind in many texts": (
        100,
        lambda n: game(
            {
                "kinds/skill.yaml": KIND.replace("{heading: 2}", "{heading: 2, pattern: '^(a+)+$'}"),
                "Text.md": "# ж\n\n" + "## aaaaaaaaaaaж\n\nж\n" * n,
            }
        ),
    ),
    "deep formula of a calculator": (250, lambda n: calculator(f"{'(' * n}1{')' * n}")),
    "long formula of a calculator": (250, lambda n: calculator(f"1{' + 1' * n}")),
    "calculators": (100, lambda n: calculator(*(f"1 + {number}" for number in range(n)))),
}

WITH_MANUAL = {"library.yaml": "manual: docs\n", "Text.md": "ж\n"}
WITH_DESIGN = {"library.yaml": "site: look\n", "Text.md": "ж\n"}

OF_LIBRARIES: dict[str, tuple[int, Callable[[int], Files]]] = {
    "texts of a manual": (250, lambda n: WITH_MANUAL | notes(n, "docs/@.md", "# Step @\n\nRoll, then [[$]].\n")),
    "folders of a manual": (250, lambda n: WITH_MANUAL | notes(n, "docs/Part @/Step.md", "# Step @\n\nRoll.\n")),
    "headings of a page of a design": (
        2_500,
        lambda n: WITH_DESIGN | {"look/pages/Legal.md": "## Part\n\nRoll.\n\n" * n},
    ),
    "pages of a design": (250, lambda n: WITH_DESIGN | notes(n, "look/pages/Page @.md", "# Page @\n\nRoll.\n")),
    "notes named with signs": (
        250,
        lambda n: {f"{'!?' * (at % 50 + 1)}{'_' * (at // 50 + 1)}.md": "ж\n" for at in range(n)},
    ),
}

REFUSED = frozenset(
    (
        *("aliases of YAML in game.yaml", "brackets in game.yaml", "closed brackets in game.yaml"),
        *("aliases of YAML in a kind", "brackets in a kind", "schemas in schemas of a kind"),
        *("deep formula of a calculator", "long formula of a calculator", "pattern of a kind that backtracks"),
        "pattern of a kind in many texts",
    )
)
"""Inputs whose data files the compiler may refuse. All others make a website."""

SEARCHED: dict[str, tuple[int, Callable[[int], Files]]] = {
    "search of many notes": (300, lambda n: notes(n, "@.md", "# ж @\n\nж Goblin @ King\n")),
    "search of a long note": (10_000, lambda n: {"Long.md": numbered(n, "ж word@\n\n")}),
}

BUNDLED: dict[str, tuple[int, Callable[[int], Files]]] = {
    "bundle of many notes": (250, lambda n: notes(n, "@.md", "---\nharm: @\narmor: 3\n---\n\n# ж @\n\n[[$]]\n")),
    "bundle of sections with tables that roll": (
        500,
        lambda n: {"Text.md": numbered(n, f"## ж @\n\n{ROLLS}| 1-3 | ж |\n| 4-6 | ж |\n\n")},
    ),
    "bundle of tables that roll in one section": (
        500,
        lambda n: {"Text.md": numbered(n, f"ж\n\n{ROLLS}| 1-3 | ж @ |\n| 4-6 | ж |\n\n")},
    ),
    "bundle of a long table behind one like it": (
        2_500,
        lambda n: {"Text.md": f"{ROLLS}{EVEN_ROW * n}\nж\n\n{ROLLS}{EVEN_ROW * (n - 1)}| 2 | ж |\n"},
    ),
    "bundle of a table with many ranges": (
        2_500,
        lambda n: {"Text.md": ROLLS.replace("d6", f"d{n}") + numbered(n, "| @ | ж |\n")},
    ),
    "bundle of properties that differ in case": (
        250,
        lambda n: dict.fromkeys(
            ("Things/A.md", "Things/B.md", "Things/C.md"),
            front_matter("".join(f"{name.removesuffix('.md')}: x\n" for name in case_variants(n))),
        ),
    ),
    "bundle of many properties": (
        500,
        lambda n: dict.fromkeys(
            ("Things/A.md", "Things/B.md", "Things/C.md"), front_matter("harm: 1\n" + numbered(n, "key@: x @\n"))
        ),
    ),
    "bundle of commands of Foundry VTT": (2_500, lambda n: {"Text.md": "ж @UUID[x]{y} [[/roll 1d6]] " * n}),
    "bundle of links in tables": (1_000, lambda n: {"Text.md": ROLLS + "| 1-6 | [ж](Text.md) |\n" * n}),
}


def _of_texts(texts: dict[str, tuple[int, Text]], path: str, *, is_of_cmark: bool = False) -> list[Input]:
    def vault(text: Text) -> Callable[[int], Files]:
        return lambda size: {path: text(size)}

    return [Input(name, size, vault(text), is_of_cmark) for name, (size, text) in texts.items()]


def _of_strings(name: str, files: Mapping[str, str]) -> Iterator[Input]:
    def long(place: str) -> Callable[[int], Files]:
        return lambda size: strings.with_strings(files, strings.mixed(size), {place})

    for place in strings.places(files):
        yield Input(f"long string of a {name}: {place}", 25_000, long(place), options=("--bundle",))


def _of_constructs() -> Iterator[Input]:
    """A text of each construct in tests/data/constructs.yaml. The size is in bytes."""

    def repeated(construct: str, dialect: str) -> Callable[[int], Files]:
        suffix = "adoc" if dialect == "asciidoc" else "md"
        sources = f"sources: [{{glob: 'Text.{suffix}', dialect: {dialect}}}]\n"
        settings = {"game.yaml": "id: fen\ntitle: Fen\nversion: 1.0.0\nlicence: none\n" + sources}
        return lambda size: {
            **settings,
            f"Text.{suffix}": numbered(size // len(construct.encode()) + 1, construct) + "\n",
        }

    constructs: Mapping[str, list[str]] = read_yaml(ROOT / "tests" / "data" / "constructs.yaml")
    for dialect, texts in constructs.items():
        for text in texts:
            yield Input(f"{dialect}: {json.dumps(text, ensure_ascii=False)}", 15_000, repeated(text, dialect))


INPUTS = (
    *_of_texts(CMARK, "Text.md", is_of_cmark=True),
    *_of_texts(MARKDOWN, "Text.md"),
    *_of_texts(ASCIIDOC, "Text.adoc"),
    *(Input(name, size, files) for name, (size, files) in (VAULTS | OF_LIBRARIES).items()),
    *(Input(name, size, files, options=()) for name, (size, files) in SEARCHED.items()),
    *(Input(name, size, files, options=("--no-search", "--bundle")) for name, (size, files) in BUNDLED.items()),
    *_of_strings("vault", strings.VAULT),
    *_of_strings("game", strings.GAME),
    *_of_constructs(),
)
