"""Document attributes (`:name: value`, `{name}`) and attribute lists (`[style#id.role%option,name=value]`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import basename, splitext
from typing import Any

from kismet_build.extensions.asciidoc.lines import Cursor, Line, MappedText, Segment
from kismet_build.extensions.asciidoc.state import MAX_EXPANDED, ParseState
from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Inline

ENTRY = re.compile(r":(!?\w[^:\s]*):(?:[ \t]+(.*))?")
REFERENCE = re.compile(
    r"(?P<literal>`\+\S.{0,300}?\+`|\+\+\+.{0,300}?\+\+\+|\+\{[\w-]+\}\+"
    r"|(?:stem|latexmath|asciimath):\[.{0,300}?(?<!\\)\])"
    r"|(?P<escape>\\)?\{(?P<name>\w[\w-]*|(?:counter2?|set):\w[\w-]*!?(?::[^{}\n]*)?)\}",
    re.DOTALL,
)
"""An attribute reference. Passthroughs are matched first, because a reference in a passthrough is plain text."""

KNOWN: Mapping[str, str] = {
    "amp": "&",
    "apos": "'",
    "asterisk": "*",
    "backslash": "\\",
    "backtick": "`",
    "blank": "",
    "brvbar": "¦",
    "caret": "^",
    "cpp": "C++",
    "deg": "°",
    "empty": "",
    "endsb": "]",
    "gt": ">",
    "ldquo": "“",
    "lsquo": "‘",
    "lt": "<",
    "nbsp": "\u00a0",
    "plus": "+",
    "pp": "++",
    "quot": '"',
    "rdquo": "”",
    "rsquo": "’",
    "sp": " ",
    "startsb": "[",
    "tilde": "~",
    "two-colons": "::",
    "two-semicolons": ";;",
    "vbar": "|",
    "wj": "\u2060",
    "zwsp": "\u200b",
}
"""Predefined attributes: characters that would be markup if typed."""

LATER_NAMES = {"numbered": "sectnums", "numbered!": "sectnums!", "!numbered": "!sectnums"}
"""The current names of attributes, by their former names."""
MAX_DIGITS = 12
"""Maximum number of digits of a counter."""
OFFSET = re.compile(r"[+-]?\d")
"""A value of the attribute `leveloffset`, which is added to the levels of headings."""
RELATIVE_OFFSET = re.compile(r"[+-]\d")
"""A value of `leveloffset` that is added to the current value."""

LIST_ITEM = re.compile(r"""\s*(?:([\w-]+)\s*=\s*)?(?:"((?:\\"|[^"])*)"|'((?:\\'|[^'])*)'|([^,]*))\s*(?:,|$)""")
"""One entry of an attribute list: an optional name, and a value in double, single or no quotes."""

SHORTHAND = re.compile(r"([.#%])([^.#%]*)")


def read_attribute_entry(cursor: Cursor, state: ParseState) -> bool:
    """Consume an attribute entry at the cursor. Returns whether there was one.

    After a backslash at the end of a line, the value continues in the next line.
    """
    text = cursor.text
    if text is None or not text.startswith(":"):
        return False
    match = ENTRY.fullmatch(text)
    if match is None:
        return False
    cursor.next_line()
    name, value = match[1].lower(), match[2] or ""
    while value.endswith("\\") and cursor.text:
        value = value[:-1].rstrip() + " " + cursor.next_line().text.strip()
    set_attribute(name, value, state)
    return True


def set_attribute(name: str, value: str, state: ParseState) -> None:
    """Set an attribute or, with an exclamation mark before or after its name, remove it."""
    name = LATER_NAMES.get(name, name)
    bare = name.strip("!")
    if bare in state.locked:
        return
    if bare != name:
        state.attributes.pop(bare, None)
        return
    value = substitute_attributes(value, state)
    if name == "leveloffset" and RELATIVE_OFFSET.fullmatch(value):
        outer = state.attributes.get(name, "")
        value = str(int(value) + (int(outer) if OFFSET.fullmatch(outer) else 0))
    state.attributes[name] = value


def given_attributes(options: Mapping[str, Any], path: str) -> tuple[dict[str, str], frozenset[str]]:
    """The attributes that `game.yaml` sets in the text with this path, and the names of the attributes that no text can
    change, as in Asciidoctor.

    False means that an attribute cannot be set. An at sign at the end of a value permits changes.
    """
    values: dict[str, str] = {}
    locked: set[str] = set()
    of_file = {"docname": splitext(basename(path))[0], "docfilesuffix": splitext(path)[1]}
    for name, value in {**of_file, **options.get("attributes", {})}.items():
        text = "" if value is True else str(value)
        if not text.endswith("@"):
            locked.add(name.lower())
        if value is not False:
            values[name.lower()] = text.removesuffix("@")
    return values, frozenset(locked)


def substitute_attributes(text: str, state: ParseState) -> str:
    """Replace the attribute references in a text. References to unknown attributes are kept."""

    def replacement(match: re.Match[str]) -> str:
        value = None if match["literal"] or match["escape"] else attribute_value(match["name"], state)
        return match[0] if value is None else value

    return REFERENCE.sub(replacement, text) if "{" in text else text


def attribute_value(name: str, state: ParseState) -> str | None:
    """The value of an attribute; `None` if it is not set, and the reference itself beyond `MAX_EXPANDED`."""
    directive, colon, rest = name.partition(":")
    if colon:
        return _run_directive(directive, rest, state)
    value = state.attributes.get(name.lower(), KNOWN.get(name.lower()))
    if value is None or len(value) <= state.expansion_left:
        state.expansion_left -= len(value or "")
        return value
    reference = f"{{{name}}}"
    if state.expansion_left > 0:
        offset = max(state.source.text.find(reference), 0)
        span = state.source.span(offset, offset + len(reference))
        message = (
            f"the attribute references in this text add more than {MAX_EXPANDED:,} characters; "
            "from here on, they are shown as written"
        )
        state.report(warning("missing-attribute", span, message))
        state.expansion_left = 0
    return reference


def _run_directive(directive: str, text: str, state: ParseState) -> str:
    """Run `{set:name:value}`, `{counter:name}`, or `{counter2:name}`, which counts but shows nothing."""
    name, _, value = text.partition(":")
    if directive == "set":
        set_attribute(name.lower(), value, state)
        return ""
    before = state.attributes.get(name.lower(), "")
    if before.isdecimal() and len(before) < MAX_DIGITS:
        count = str(int(before) + 1)
    elif len(before) == 1 and before.isalpha():
        count = chr(ord(before) + 1)
    else:
        count = value or "1"
    if name.lower() not in state.locked:
        state.attributes[name.lower()] = count
    return count if directive == "counter" else ""


def expand_attributes(content: MappedText, state: ParseState) -> tuple[MappedText, tuple[tuple[int, int], ...]]:
    """Replace attribute references in a mapped text.

    Also returns the ranges of the values, in which formatting marks are plain text.
    """
    if "{" not in content.text:
        return content, ()
    pieces: list[str] = []
    segments: list[Segment] = []
    value_ranges: list[tuple[int, int]] = []
    source_end = position = 0

    def copy_until(end: int) -> None:
        nonlocal position
        if end > source_end:
            segments.extend(_segments_of_range(content, source_end, end, position))
            pieces.append(content.text[source_end:end])
            position += end - source_end

    for match in REFERENCE.finditer(content.text):
        if match["literal"]:
            continue
        value = match[0][1:] if match["escape"] else attribute_value(match["name"], state)
        span = content.span(*match.span())
        if value is None:
            message = f'no attribute is named "{match["name"]}"'
            hint = f"set it with :{match['name']}: at the top, or write \\{match[0]} for the braces"
            state.report(warning("missing-attribute", span, message, hint))
            continue
        copy_until(match.start())
        segments.append(Segment(position, span.start, span.end - span.start))
        value_ranges.append((position, position + len(value)))
        pieces.append(value)
        position += len(value)
        source_end = match.end()
    copy_until(len(content.text))
    return MappedText(content.source, "".join(pieces), _distinct_positions(segments, content)), tuple(value_ranges)


def _segments_of_range(content: MappedText, start: int, end: int, target_position: int) -> list[Segment]:
    segments = []
    for index, segment in enumerate(content.segments):
        segment_end = (
            content.segments[index + 1].position if index + 1 < len(content.segments) else len(content.text) + 1
        )
        if segment.position < end and segment_end > start:
            skipped = max(start - segment.position, 0)
            offset = segment.offset + skipped if segment.source_length is None else segment.offset
            segments.append(Segment(target_position + max(segment.position - start, 0), offset, segment.source_length))
    return segments


def _distinct_positions(segments: list[Segment], content: MappedText) -> tuple[Segment, ...]:
    """The segments without segments of empty values: of segments at the same position, only the last is kept."""
    distinct: list[Segment] = []
    for segment in segments:
        if distinct and distinct[-1].position == segment.position:
            distinct.pop()
        distinct.append(segment)
    return tuple(distinct) or content.segments[:1]


@dataclass(slots=True)
class Attributes:
    """The attributes from the lines above a block."""

    style: str = ""
    typed: str = ""
    """The first positional entry as written: style, id, roles and options."""
    id: str = ""
    reftext: str = ""
    roles: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    positional: list[str] = field(default_factory=list)
    """The positional entries after the first."""
    title: Line | None = None
    parsed_title: tuple[Inline, ...] = ()
    """The title, once it has been parsed."""
    line: Line | None = None
    """The line with the id, or `None` without an id."""

    def add(self, text: str) -> None:
        positional: list[str] = []
        start = 0
        while start < len(text):
            match = LIST_ITEM.match(text, start)
            if match is None or match.end() == start:
                break
            start = match.end()
            name, double, single, bare = match.groups()
            value = next((quoted for quoted in (double, single) if quoted is not None), (bare or "").strip())
            value = value.replace('\\"', '"') if double is not None else value
            if name:
                self._add_named(name, value)
            else:
                positional.append(value)
        if positional:
            self.typed = positional[0]
            self._add_shorthand(positional[0])
            self.positional = positional[1:] or self.positional

    def _add_named(self, name: str, value: str) -> None:
        if name == "id":
            self.id = value
        elif name == "role":
            self.roles += value.split()
        elif name in ("options", "opts"):
            self.options |= {option.strip() for option in value.split(",") if option.strip()}
        elif name == "reftext":
            self.reftext = value
        self.named[name] = value

    def _add_shorthand(self, text: str) -> None:
        """Add `style#id.role%option`, in which each part is optional."""
        style = re.match(r"[^.#%]*", text)
        assert style is not None
        self.style = style[0].strip() or self.style
        for sign, value in SHORTHAND.findall(text, style.end()):
            if sign == "#":
                self.id = value.strip() or self.id
            elif sign == ".":
                self.roles.append(value.strip())
            else:
                self.options.add(value.strip())
