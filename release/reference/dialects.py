"""The page of dialects: the rules that each adds to the one before it, with a sample and its HTML."""

import sys
from collections.abc import Callable
from typing import Any

from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.parse.markdown.dialects import ASCIIDOC, DIALECTS
from kismet_build.render.fragments.renderer import to_html
from release.reference.schemas import sentence

SAMPLES = {
    "bare_address": "See https://example.org/rules.",
    "block_id": "The light goes out. ^dark",
    "callout": "> [!tip]- For guides\n> Let them search.",
    "github_callout": "> [!NOTE]\n> Let them search.",
    "columns": "--- start-multi-column\n\nLeft.\n\n--- end-column ---\n\nRight.\n\n--- end-multi-column",
    "comment": "Seen. %%Not seen.%%",
    "comment_residue": "A rule.[[Bk2]](#_msocom_2)",
    "deep_heading": "####### Below the sixth",
    "definition": "Lantern\n: Gives light.",
    "double_tilde": "~~struck~~ and ~not struck~",
    "embed": "![[map.png]]",
    "footnote": "A rule.[^1]\n\n[^1]: An exception.",
    "highlight": "==Mark== this.",
    "inline_footnote": "A rule.^[An exception.]",
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
"""By rule of Markdown, a text that uses it."""
ASCIIDOC_SAMPLES = {
    "attributes": ("A name in braces is replaced by the value that was set.", ":die: d8\n\nRoll {die}."),
    "headings": ("The number of equals signs is the level.", "== Talents\n\n=== Wayfinding"),
    "marks": ("Words can be strong, stressed, in a fixed pitch or marked.", "*strong*, _stressed_, `fixed`, #marked#"),
    "lists": ("Bullets, numbers, and boxes that are ticked.", "* A lamp\n** Oil\n\n. Light it.\n. Carry it."),
    "terms": ("A term ends with two colons.", "Lantern:: Gives light."),
    "tables": ("A table is enclosed by lines of a bar and equals signs.", "|===\n| Roll | Finds\n\n| 1 | Moss\n|==="),
    "blocks": (
        "An aside begins with its kind; other blocks are enclosed by lines of signs.",
        "NOTE: Let them search.\n\n----\nAs typed.\n----",
    ),
    "question": (
        "An aside with this role is an open question of the rules.",
        "[NOTE.question]\nDoes light reach here?",
    ),
    "links": ("A link leads to an id or to a title.", "[#dark]\n== Darkness\n\nSee <<dark>>."),
    "footnotes": ("A footnote is written where its number appears.", "A rule.footnote:[An exception.]"),
    "passthrough": ("Words between pluses are kept as typed.", "+*not strong*+"),
}
"""Constructs of AsciiDoc, each with its meaning and a text that uses it."""
OPTIONS = {
    "dice_codes": ("`` `dice: 2d6` `` rolls.", "`dice: 2d6`"),
    "property_codes": (
        "Inline code of Dataview that names a property of its note shows the value.",
        "---\nhp: 12\n---\nIt has `= this.hp` points.",
    ),
    "picture_sizes": ("A number after a bar is the width of a picture.", "![[map.png|200]]"),
}
"""Options of the dialect of Obsidian, each with its meaning and a text that uses it."""
TITLES = {"commonmark": "CommonMark", "github": "GitHub", "obsidian": "Obsidian"}


def dialect_page() -> str:
    """The page of dialects."""
    texts = [
        "# Dialects\n\nA dialect is a way to write texts. `sources` in [game.yaml](game-yaml.md) gives each text its "
        "dialect; each dialect of Markdown has all of the one before it. Below each sample is the HTML that "
        "comes out.\n"
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
    "commonmark": "CommonMark 0.31.2, all of it, and nothing else: no tables, no repairs.",
    "github": "What GitHub adds, the ids that it gives to headings, and repairs of marks that other programs "
    "leave behind.",
    "obsidian": "What Obsidian and its most used plugins add. A line end is a line break, unless the vault has "
    "strict line breaks.",
    ASCIIDOC: "The constructs that rule books use, with the ids that Asciidoctor gives. A file that ends in `.adoc` is "
    "AsciiDoc.",
}


def _meaning(rule: Callable[..., None]) -> str:
    """The description of a rule: its docstring, or that of its module if its own only says that it adds the rule."""
    module = (sys.modules[rule.__module__].__doc__ or "").strip().split("\n\n")[0]
    own = (rule.__doc__ or "").strip()
    return " ".join(module.split()) if own.startswith(("Add", "Enable")) and "rule:" not in own else own


def _section(name: str, meaning: str, sample: str, dialect: str) -> str:
    html = to_html(read(Source("Page.md", sample + "\n"), dialect, lambda _: None).blocks).rstrip()
    language = "asciidoc" if dialect == ASCIIDOC else "md"
    return f"### `{name}`\n\n{meaning}\n\n````{language}\n{sample}\n````\n\n````html\n{html}\n````\n"
