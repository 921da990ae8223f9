"""Select the lines of an included file: `lines=1..5;7`, `tags=a;!b`."""

import re
from collections.abc import Mapping, Sequence

from kismet_build.model.source import Source

PARTS = frozenset(("lines", "tag", "tags"))
"""The attributes of an include that select a part of the included file."""
TAG = re.compile(r"\b(?:tag|(end))::([^\s\[]+)\[\](?=[ \r]|$)")
"""A line of an included file where a tagged part starts or ends; usually in a comment."""


def selected_lines(source: Source, named: Mapping[str, str]) -> tuple[Sequence[int], tuple[str, ...]]:
    """The numbers of the included lines, counted from 0, and the selected tags that are not in the file.

    `named`: the attributes of the include. Without a selection, all lines are included.
    """
    count = len(source.line_starts)
    if "lines" in named:
        return _lines_in(named["lines"], count), ()
    wanted = _tags(named)
    return _tagged(source, wanted) if wanted else (range(count), ())


def _separated(text: str) -> list[str]:
    return [part.strip() for part in text.split("," if "," in text else ";")]


def _lines_in(text: str, count: int) -> Sequence[int]:
    """The numbers of the lines in ranges such as `1..5;7`, counted from 0.

    A range without a positive end extends to the last line.
    """
    chosen = bytearray(count)
    for part in _separated(text):
        first, dots, last = part.partition("..")
        start = _number(first)
        end = (_number(last) if _number(last) >= 0 and last else count) if dots else start
        start, end = max(start, 1), min(end, count)
        if start <= end:
            chosen[start - 1 : end] = b"\1" * (end - start + 1)
    # As in Asciidoctor, an empty selection selects all lines.
    return [number for number, is_chosen in enumerate(chosen) if is_chosen] if text.strip() else range(count)


def _number(text: str) -> int:
    match = re.match(r"\s*-?\d{1,9}", text)
    return int(match[0]) if match else 0


def _tags(named: Mapping[str, str]) -> dict[str, bool]:
    """The tags that an include names. True: the parts with the tag are wanted; false: they are left out."""
    typed = [named["tag"]] if "tag" in named else _separated(named.get("tags", ""))
    return {tag.removeprefix("!"): not tag.startswith("!") for tag in typed if tag not in ("", "!")}


def _tagged(source: Source, wanted: dict[str, bool]) -> tuple[Sequence[int], tuple[str, ...]]:
    """The numbers of the lines in wanted parts, without the lines of the tags; and the wanted tags that are missing."""
    wildcard, base = _rules(wanted)
    chosen: list[int] = []
    found: set[str] = set()
    open_tags: list[tuple[str, bool]] = []
    is_selected = base
    for number, text in enumerate(source.text.split("\n")):
        tag = TAG.search(text) if "::" in text and "[]" in text else None
        if tag is None:
            if is_selected:
                chosen.append(number)
        elif tag[1]:
            if open_tags and open_tags[-1][0] == tag[2]:
                open_tags.pop()
            elif tag[2] in wanted:
                open_tags = _without_last(open_tags, tag[2])
            is_selected = open_tags[-1][1] if open_tags else base
        elif tag[2] in wanted:
            is_selected = wanted[tag[2]]
            found.add(tag[2])
            open_tags.append((tag[2], is_selected))
        elif wildcard is not None:
            is_selected = wildcard and not (open_tags and not is_selected)
            open_tags.append((tag[2], is_selected))
    return chosen, tuple(name for name, is_wanted in wanted.items() if is_wanted and name not in found)


def _rules(wanted: dict[str, bool]) -> tuple[bool | None, bool]:
    """Whether parts with unlisted tags are wanted (`None`: like the text around them), and whether untagged lines are.

    Removes the wildcards from `wanted`.
    """
    first = next(iter(wanted))
    if "**" in wanted:
        base = wanted.pop("**")
        if "*" in wanted:
            return wanted.pop("*"), base
        return (True if not base and wanted and not next(iter(wanted.values())) else None), base
    if "*" in wanted:
        wildcard = wanted.pop("*")
        return wildcard, not wildcard if first == "*" else False
    return None, True not in wanted.values()


def _without_last(open_tags: list[tuple[str, bool]], name: str) -> list[tuple[str, bool]]:
    for index in range(len(open_tags) - 1, -1, -1):
        if open_tags[index][0] == name:
            return open_tags[:index] + open_tags[index + 1 :]
    return open_tags
