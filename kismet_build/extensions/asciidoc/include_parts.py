"""Select the lines of an included file: `lines=1..5;7`, `tags=a;!b`."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

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


class _TagLine(NamedTuple):
    """A line where a tagged part starts or ends."""

    number: int
    name: str
    is_end: bool


@lru_cache(maxsize=16)
def _tag_lines(source: Source) -> tuple[Mapping[str, Sequence[_TagLine]], frozenset[int]]:
    """The lines with a tag by its name, and the numbers of all of them.

    Cached, because many includes may each select another part of one long file.
    """
    found: dict[str, list[_TagLine]] = {}
    for number, text in enumerate(source.text.split("\n")):
        if "::" in text and "[]" in text and (tag := TAG.search(text)):
            found.setdefault(tag[2], []).append(_TagLine(number, tag[2], bool(tag[1])))
    return found, frozenset(line.number for lines in found.values() for line in lines)


def _tagged(source: Source, wanted: dict[str, bool]) -> tuple[Sequence[int], tuple[str, ...]]:
    """The numbers of the lines in wanted parts, without the lines of the tags; and the wanted tags that are missing."""
    wildcard, base = _rules(wanted)
    of_names, tagged = _tag_lines(source)
    counting = of_names if wildcard is not None else [name for name in wanted if name in of_names]
    chosen: list[int] = []
    found: set[str] = set()
    open_tags: list[tuple[str, bool]] = []
    is_selected, first = base, 0
    for number, name, is_end in sorted(chain.from_iterable(of_names[name] for name in counting)):
        if is_selected:
            chosen += range(first, number)
        first = number + 1
        if is_end:
            if open_tags and open_tags[-1][0] == name:
                open_tags.pop()
            elif name in wanted:
                open_tags = _without_last(open_tags, name)
            is_selected = open_tags[-1][1] if open_tags else base
        else:
            is_selected = wanted[name] if name in wanted else bool(wildcard) and not (open_tags and not is_selected)
            found.update({name} & wanted.keys())
            open_tags.append((name, is_selected))
    if is_selected:
        chosen += range(first, len(source.line_starts))
    missing = tuple(name for name, is_wanted in wanted.items() if is_wanted and name not in found)
    return [number for number in chosen if number not in tagged], missing


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
