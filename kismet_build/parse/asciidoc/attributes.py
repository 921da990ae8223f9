"""`:name: value`, `{name}` and `[style#id.role%option,name=value]`: what an author sets, and asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Inline
from kismet_build.parse.asciidoc.lines import Cursor, Line, Passage, Run
from kismet_build.parse.asciidoc.state import ParseState

ENTRY = re.compile(r":(!?\w[^:\s]*):(?:[ \t]+(.*))?")
REFERENCE = re.compile(
    r"(?P<literal>`\+\S.{0,300}?\+`|\+\+\+.{0,300}?\+\+\+|\+\{[\w-]+\}\+)"
    r"|(?P<escape>\\)?\{(?P<name>\w[\w-]*)\}",
    re.DOTALL,
)
"""A name in braces; what is typed to be shown as it is has none."""

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
"""The characters that have a name, because they mean something where they are typed."""

LIST_ITEM = re.compile(r"""\s*(?:([\w-]+)\s*=\s*)?(?:"((?:\\"|[^"])*)"|'((?:\\'|[^'])*)'|([^,]*))\s*(?:,|$)""")
"""One entry of a list of attributes: a name if it has one, and a value in double, single or no quotes."""

SHORT = re.compile(r"([.#%])([^.#%]*)")


def entry(cursor: Cursor, state: ParseState) -> bool:
    """Read `:name: value` if that comes next; a value goes on where its line ends in a backslash."""
    text = cursor.text
    if text is None or not text.startswith(":"):
        return False
    found = ENTRY.fullmatch(text)
    if found is None:
        return False
    cursor.line()
    name, value = found[1].lower(), found[2] or ""
    while value.endswith("\\") and cursor.text:
        value = value[:-1].rstrip() + " " + cursor.line().text.strip()
    if name.startswith("!") or name.endswith("!"):
        state.attributes.pop(name.strip("!"), None)
    else:
        state.attributes[name] = substituted(value, state)
    return True


def substituted(text: str, state: ParseState) -> str:
    """A text with what its names stand for; a name that nobody set stays."""

    def value(found: re.Match[str]) -> str:
        known = None if found["literal"] or found["escape"] else look_up(found["name"], state)
        return found[0] if known is None else known

    return REFERENCE.sub(value, text) if "{" in text else text


def look_up(name: str, state: ParseState) -> str | None:
    """What a name stands for."""
    return state.attributes.get(name.lower(), KNOWN.get(name.lower()))


def with_values(words: Passage, state: ParseState) -> tuple[Passage, tuple[tuple[int, int], ...]]:
    """Words with what the names in them stand for, and where those values are: marks in them are plain letters."""
    if "{" not in words.text:
        return words, ()
    pieces: list[str] = []
    runs: list[Run] = []
    values: list[tuple[int, int]] = []
    done = at = 0

    def copy(end: int) -> None:
        nonlocal at
        if end > done:
            runs.extend(_runs(words, done, end, at))
            pieces.append(words.text[done:end])
            at += end - done

    for found in REFERENCE.finditer(words.text):
        if found["literal"]:
            continue
        value = found[0][1:] if found["escape"] else look_up(found["name"], state)
        span = words.span(*found.span())
        if value is None:
            message = f'no attribute is named "{found["name"]}"'
            hint = f"set it with :{found['name']}: at the top, or write \\{found[0]} for the words themselves"
            state.report(warning("missing-attribute", span, message, hint))
            continue
        copy(found.start())
        runs.append(Run(at, span.start, span.end - span.start))
        values.append((at, at + len(value)))
        pieces.append(value)
        at += len(value)
        done = found.end()
    copy(len(words.text))
    return Passage(words.source, "".join(pieces), _kept(runs, words)), tuple(values)


def _runs(words: Passage, start: int, end: int, at: int) -> list[Run]:
    """The runs of a part of some words, as they are when it stands at another place."""
    found = []
    for number, run in enumerate(words.runs):
        last = words.runs[number + 1].at if number + 1 < len(words.runs) else len(words.text) + 1
        if run.at < end and last > start:
            skipped = max(start - run.at, 0)
            place = run.place + skipped if run.size is None else run.place
            found.append(Run(at + max(run.at - start, 0), place, run.size))
    return found


def _kept(runs: list[Run], words: Passage) -> tuple[Run, ...]:
    """Runs, each at an index of its own: an empty value leaves its place to what follows."""
    kept: list[Run] = []
    for run in runs:
        if kept and kept[-1].at == run.at:
            kept.pop()
        kept.append(run)
    return tuple(kept) or words.runs[:1]


@dataclass(slots=True)
class Attributes:
    """What the lines above a block say about it."""

    style: str = ""
    typed: str = ""
    """The first entry without a name, as typed: the style with what is glued to it."""
    id: str = ""
    reftext: str = ""
    roles: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    positional: list[str] = field(default_factory=list)
    """The entries without a name from the second on."""
    title: Line | None = None
    title_words: tuple[Inline, ...] = ()
    """The same once it is read."""
    line: Line | None = None
    """The line with the style."""

    def add(self, text: str) -> None:
        """Read what stands between the brackets of one line."""
        positional: list[str] = []
        place = 0
        while place < len(text):
            found = LIST_ITEM.match(text, place)
            if found is None or found.end() == place:
                break
            place = found.end()
            name, double, single, bare = found.groups()
            value = next((one for one in (double, single) if one is not None), (bare or "").strip())
            value = value.replace('\\"', '"') if double is not None else value
            if name:
                self._name(name, value)
            else:
                positional.append(value)
        if positional:
            self.typed = positional[0]
            self._short(positional[0])
            self.positional = positional[1:] or self.positional

    def _name(self, name: str, value: str) -> None:
        if name == "id":
            self.id = value
        elif name == "role":
            self.roles += value.split()
        elif name in ("options", "opts"):
            self.options |= {one.strip() for one in value.split(",") if one.strip()}
        elif name == "reftext":
            self.reftext = value
        self.named[name] = value

    def _short(self, text: str) -> None:
        """`style#id.role%option`, each part optional."""
        style = re.match(r"[^.#%]*", text)
        assert style is not None
        self.style = style[0].strip() or self.style
        for sign, value in SHORT.findall(text, style.end()):
            if sign == "#":
                self.id = value.strip() or self.id
            elif sign == ".":
                self.roles.append(value.strip())
            else:
                self.options.add(value.strip())
