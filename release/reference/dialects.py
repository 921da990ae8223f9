"""The page of dialects: the rules that each dialect adds to the previous one, with a sample and its HTML."""

import sys
from collections.abc import Callable
from typing import Any

from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.parse.markdown.dialects import DIALECTS
from kismet_build.render.fragments.renderer import to_html
from release.reference.schemas import sentence

ASCIIDOC = "asciidoc"
SAMPLES = {
    "bare_address": "See https://example.org/rules.",
    "block_id": "The light goes out. ^dark",
    "callout": "> [!tip]- For guides\n> Let them search.",
    "github_callout": "> [!NOTE]\n> Let them search.",
    "columns": "--- start-multi-column\n\nLeft.\n\n--- end-column ---\n\nRight.\n\n--- end-multi-column",
    "comment_residue": "A rule.[[Bk2]](#_msocom_2)",
    "deep_heading": "####### Below the sixth",
    "definition": "Lantern\n: Gives light.",
    "double_tilde": "~~struck~~ and ~not struck~",
    "embed": "![[map.png]]",
    "footnote": "A rule.[^1]\n\n[^1]: An exception.",
    "foreign_markdown_element": "<div markdown>\nA *lamp*.\n</div>",
    "highlight": "==Mark== this.",
    "inline_field": "It lasts [Time:: an hour].",
    "inline_footnote": "A rule.^[An exception.]",
    "kramdown_attributes": "Light the lamp.\n{: .label }",
    "math": "$a^2$",
    "single_tilde": "~struck~",
    "spaced_label": "**Die: ** d8",
    "split_emphasis": "R_estoration_",
    "statblock": "```statblock\nname: Moth\nhp: 3\n```",
    "strikethrough": "~~struck~~",
    "table": "| Roll | Finds |\n| ---- | ----- |\n| 1    | Moss  |",
    "tag": "#creatures/moths",
    "task": "- [x] Light the lamp",
    "unescaped_space": "[Rules](First Steps.md)",
    "wiki_link": "[[First Steps#Talents|talents]]",
}
"""A sample text for each Markdown rule."""
ASCIIDOC_SAMPLES = {
    "attributes": ("A name in braces is replaced by its value.", ":die: d8\n\nRoll {die}."),
    "headings": ("The number of equals signs is the level.", "== Talents\n\n=== Wayfinding"),
    "marks": ("Text can be bold, italic, monospaced or highlighted.", "*strong*, _stressed_, `fixed`, #marked#"),
    "lists": ("Bulleted lists, numbered lists and checklists.", "* A lamp\n** Oil\n\n. Light it.\n. Carry it."),
    "terms": ("A term ends with two colons.", "Lantern:: Gives light."),
    "tables": ("Lines with a bar and equals signs enclose a table.", "|===\n| Roll | Finds\n\n| 1 | Moss\n|==="),
    "blocks": (
        "An admonition starts with its kind; lines of punctuation enclose other blocks.",
        "NOTE: Let them search.\n\n----\nAs typed.\n----",
    ),
    "question": (
        "An admonition with this role is an open question about the rules.",
        "[NOTE.question]\nDoes light reach here?",
    ),
    "links": ("A link refers to an id or a title.", "[#dark]\n== Darkness\n\nSee <<dark>>."),
    "footnotes": ("Write a footnote where its number should appear.", "A rule.footnote:[An exception.]"),
    "passthrough": ("Text between plus signs is kept as typed.", "+*not strong*+"),
}
"""AsciiDoc constructs, each with its meaning and a sample text."""
OPTIONS = {
    "comments": ("`%%words%%` is a comment, which is not published.", "Seen. %%Not seen.%%"),
    "dice_codes": ("`` `dice: 2d6` `` rolls.", "`dice: 2d6`"),
    "property_codes": (
        "Dataview inline code with the name of a property of its note shows the value.",
        "---\nhp: 12\n---\nIt has `= this.hp` points.",
    ),
    "picture_sizes": ("A number after a bar is the width of a picture.", "![[map.png|200]]"),
}
"""Options of the Obsidian dialect, each with its meaning and a sample text."""
TITLES = {"commonmark": "CommonMark", "github": "GitHub", "obsidian": "Obsidian"}


def dialect_page() -> str:
    """Return the page of dialects."""
    texts = [
        "# Dialects\n\nA dialect is a markup language. `sources` in [game.yaml](game-yaml.md) sets the dialect of each "
        "text. Each Markdown dialect includes the one before it. Below each sample is the resulting HTML.\n"
    ]
    known: tuple[Any, ...] = ()
    for name, title in TITLES.items():
        dialect = DIALECTS[name]
        texts.append(f"## {title}\n\n{LEADS[name]}\n")
        for rule in (rule for rule in dialect.rules if rule not in known):
            texts.append(_section(rule.__name__, sentence(_meaning(rule)), SAMPLES[rule.__name__], name))
        known = dialect.rules
    texts += [_section(name, *sample, "obsidian") for name, sample in OPTIONS.items()]
    texts.append(f"## AsciiDoc\n\n{LEADS[ASCIIDOC]}\n")
    texts += [_section(f"asciidoc-{name}", *sample, ASCIIDOC) for name, sample in ASCIIDOC_SAMPLES.items()]
    return "\n".join(texts)


LEADS = {
    "commonmark": "All of CommonMark 0.31.2 and nothing else: no tables, no repairs.",
    "github": "GitHub's additions, its ids for headings, and repairs of marks that other programs leave behind.",
    "obsidian": "The additions of Obsidian and its most used plugins. A line end is a line break, unless the vault "
    "uses strict line breaks.",
    ASCIIDOC: "The constructs used in rule books, with Asciidoctor's ids. A file that ends in `.adoc` is AsciiDoc.",
}


def _meaning(rule: Callable[..., None]) -> str:
    """Return the description of a rule: its docstring, or the docstring of its module if its own only says that it adds
    the rule.
    """
    module = (sys.modules[rule.__module__].__doc__ or "").strip().split("\n\n")[0]
    own = (rule.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(module.split()) if own.startswith(("Add", "Enable")) and "rule:" not in own else own


def _section(name: str, meaning: str, sample: str, dialect: str) -> str:
    html = to_html(read(Source("Page.md", sample + "\n"), dialect, lambda _: None).blocks).rstrip()
    language = "asciidoc" if dialect == ASCIIDOC else "md"
    return f"### `{name}`\n\n{meaning}\n\n````{language}\n{sample}\n````\n\n````html\n{html}\n````\n"
