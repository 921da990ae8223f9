"""Find properties in the lines above a text that no parser reads, so that the marks among them still count.

Front matter that is broken, repeated, indented or in a form such as `---json` still says what its author meant.
"""

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Any, NamedTuple

from kismet_build.config.answers import visible

MAX_HEAD = 200_000
"""Maximum number of characters of properties that are examined."""
MAX_FLOW_VALUE = 1_000
"""Maximum length of a value between braces."""
BEFORE = re.compile(r"(?>(?:\s|<!--.*?-->)*)", re.DOTALL)
"""What may stand before properties: spaces and comments."""
FENCE = re.compile(r"(?P<fence>-{1,9}|\+{3,9}|;{3,9}|={3,9}|`{3,9}|~{3,9})[^\S\n]*[\w-]*[^\S\n]*(?:\n|\Z)")
"""The line above properties, with the name of their language."""
BELOW_HEAD = re.compile(r"(?:[^\S\n]*[.+;=`~-]{3,9}[^\S\n]*\n)?\s*(?:#+[ \t][^\n]*\n\s*)?")
"""What may stand between properties and others below them: a closing line, and the first heading."""
HEADING = re.compile(r"^#+[ \t]", re.MULTILINE)
BLANK_LINE = re.compile(r"^[^\S\n]*$", re.MULTILINE)
PROPERTY = re.compile(
    r"""
    (?:^(?P<indent>[^\S\n]*)(?P<question>[?][^\S\n]+)?(?:[*-][^\S\n]+)?|(?P<flow>[{,])\s*+)
    (?>(?:[!&][^\s,\[\]{}]*[^\S\n]+)*)
    ["'`“‘]?(?P<name>[^\W\d_][\w.-]*+(?:[ ][\w.-]++){0,3})[?!]?["'`”’]?[^\S\n]*+
    (?(question)\n?[^\S\n]*+)
    (?:::?|=|：|＝)(?!//)(?=(?P<value>[^\n]{0,10000}+))  # limited, because a long line may have many properties
    """,
    re.MULTILINE | re.VERBOSE,
)
BELOW = re.compile(r"(?:\n(?:[^\S\n]+|(?=-))(?![^\n]*[:=][ \t])[^\n]*+)+")
"""The lines of a value below its name: a list, or text after `|` and `>`."""
BEFORE_VALUE = re.compile(r"(?:[!&][^\s,\[\]{}]*\s+)*")
"""The type and the anchor of a value in YAML."""
QUOTED = re.compile(r"([\"'])((?:\\.|(?!\1).)*)\1")
COMMENT = re.compile(r"(?:^|\s)(?:#|//|<!--).*", re.DOTALL)


class Head(NamedTuple):
    """The part of a text that may have properties, in any form."""

    text: str
    end: int
    """Its end in the text."""
    is_marked: bool = True
    """Whether lines above and below, or braces, say that these are properties. If not, they may be a sentence."""


def heads_of(text: str) -> Iterator[Head]:
    """The parts of a text that may have properties: at its start, and below the first one or the first heading."""
    text = visible(text[:MAX_HEAD].replace("\0", ""))
    first = _head_at_start(text)
    if first is not None:
        yield first
    below = BELOW_HEAD.match(text, first.end if first else 0)
    if below is not None and below.end() and PROPERTY.match(text, below.end()):
        yield _bare_head(text, below.end())


def _head_at_start(text: str) -> Head | None:
    before = BEFORE.match(text)
    start = before.end() if before else 0
    if text.startswith("{", start):
        end = _end_of_json(text, start)
        return Head(text[start:end], end)
    opening = FENCE.match(text, start)
    if opening is None:
        return _bare_head(text, start) if PROPERTY.match(text, start) else None
    start = opening.end()
    closing = re.compile(rf"^[^\S\n]*(?:{re.escape(opening['fence'])}|-{{3}}|\.\.\.)[^\S\n]*$", re.MULTILINE)
    found = closing.search(text, start)
    end = found.start() if found else _next(HEADING, text, start)
    return Head(text[start:end], end)


def _bare_head(text: str, start: int) -> Head:
    """The lines from a property up to a blank line."""
    end = _next(BLANK_LINE, text, start)
    return Head(text[start:end], end, is_marked=False)


def _end_of_json(text: str, start: int) -> int:
    try:
        return JSONDecoder(strict=False).raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return _next(re.compile(r"^\}|(?<=\})$|(?=\n\n)", re.MULTILINE), text, start) + 1


def _next(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.search(text, start)
    return found.start() if found else len(text)


def unread_properties(head: str, *, at_top: bool) -> Iterator[tuple[str, Any]]:
    """The names and values of the properties in the lines above a text, from `head_of`.

    A name may occur twice. `at_top`: whether to leave out those inside other properties.
    """
    is_flow = head.startswith("{")
    pairs = [*PROPERTY.finditer(head)]
    least = min((found["indent"] for found in pairs if not found["flow"]), key=len, default="")
    for found in pairs:
        if at_top and not is_flow and (found["flow"] or found["indent"] != least):
            continue
        yield found["name"], _value(head, found, is_flow=is_flow or bool(found["flow"]))


def _value(head: str, found: re.Match[str], *, is_flow: bool) -> Any:
    value = found["value"].strip()
    if is_flow:
        value = value[:MAX_FLOW_VALUE]  # the rest of the line has the values of the other properties
    if value[:1] in ("", "|", ">", "#") and (below := BELOW.match(head, found.end("value"))) is not None:
        value = " ".join(line.strip().removeprefix("- ").strip() for line in below[0].split("\n") if line.strip())
    value = BEFORE_VALUE.sub("", value, count=1)
    if (quoted := QUOTED.match(value)) is not None:
        return quoted[2]
    value = COMMENT.sub("", value)
    if value.startswith("["):
        return [item.strip(" \"'") for item in value[1:].partition("]")[0].split(",") if item.strip()]
    if value.startswith("{"):
        return {"": value} if value.strip("{} ") else {}
    return re.split(r"[,}]", value, maxsplit=1)[0].strip() if is_flow else value.rstrip(", ").strip()
