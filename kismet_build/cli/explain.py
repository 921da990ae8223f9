"""Answer `kismet explain WORD` from the manual: diagnostics, and the entries of its reference."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.model.suggestion import did_you_mean

DIAGNOSTICS = Path(__file__).parent.parent / "lint" / "manual"
"""Manual pages of the diagnostics."""
REFERENCE = SHIPPED / "content" / "docs" / "reference"
"""The reference pages of the manual, which `make docs` writes."""

FENCE = re.compile(r"^(`{3,})")
ENTRY = re.compile(r"^(#{2,3}) `(.+)`$")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
MAX_PRINTED = 3
"""Maximum number of entries with the same name that are printed in full; more are only listed."""


class Entry(NamedTuple):
    """A section of the reference about a key, a function, an option or the like."""

    page: str
    """The title of the page that the entry is on, such as `game.yaml`."""
    name: str
    """The name of the entry, such as `boards.parts.as`, `chance` or `kismet build --out`."""
    text: str

    @property
    def names(self) -> set[str]:
        """The words that `kismet explain` accepts for the entry, in lower case."""
        last = self.name.rpartition(".")[2] or self.name
        words = self.name.removeprefix("kismet ")
        option = words.rpartition(" ")[2].lstrip("-")
        return {name.casefold() for name in (self.name, last, words, option) if name}

    @property
    def first_line(self) -> str:
        """The first line below the heading."""
        return next(filter(None, self.text.splitlines()[1:]), "")

    @property
    def full_name(self) -> str:
        """The name with its page, such as `game.yaml:boards.parts.as`."""
        return f"{self.page}:{self.name}"


def explain(word: str) -> tuple[str, str]:
    """The text about a word, and an empty message. For an unknown word, an empty text and an error message."""
    diagnostics = diagnostic_codes()
    if word in diagnostics:
        return diagnostics[word].read_text(encoding="utf-8").rstrip(), ""
    entries = [*reference_entries()]
    folded = " ".join(word.casefold().split())
    found = _matches(entries, folded)
    if len(found) > MAX_PRINTED:
        listed = "\n".join(f"{f'kismet explain {entry.full_name!r}':46} {entry.first_line}" for entry in found)
        return f'"{word}" has several meanings:\n\n{listed}', ""
    if found:
        return "\n\n".join(f"{entry.text}\n\nIn the manual: {entry.page}" for entry in found), ""
    pages = {name: file for file in sorted(REFERENCE.glob("*.md")) for name in _page_names(file)}
    if file := pages.get(folded):
        return _overview(file), ""
    known = {name for entry in entries for name in entry.names} | set(diagnostics) | set(pages)
    otherwise = "kismet explain lists all diagnostics, kismet docs opens the manual"
    hint = did_you_mean(folded.rpartition(":")[2], sorted(known), otherwise)
    return "", f'there is no diagnostic "{word}", and no key, function, option, command or page: {hint}'


def _page_names(file: Path) -> set[str]:
    """The words that `kismet explain` accepts for a page: `game.yaml`, `effects`, `effects.yaml`, `effects.md`."""
    title = TITLE.search(file.read_text(encoding="utf-8"))
    names = {file.stem, file.name, f"{file.stem}.yaml", *([title[1]] if title else [])}
    return {name.casefold() for name in names}


def _overview(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    title = TITLE.search(text)
    assert title, file
    lead = text[title.start() :].partition("\n## ")[0].rstrip()
    lines = [f"{entry.name:30} {entry.first_line}" for entry in _entries(title[1], text)]
    return "\n".join((lead, "", *lines, "", f"In the manual: {title[1]}"))


def _matches(entries: list[Entry], folded: str) -> list[Entry]:
    """The entries that a word names; a prefix such as `game.yaml:` limits them to one page."""
    page, colon, rest = folded.partition(":")
    if colon and (of_page := [entry for entry in entries if entry.page.casefold() == page]):
        entries, folded = of_page, rest
        if exact := [entry for entry in entries if folded == entry.name.casefold()]:
            return exact
    return [entry for entry in entries if folded in entry.names]


def diagnostic_codes() -> dict[str, Path]:
    """The page of each diagnostic, by code."""
    return {file.stem: file for file in sorted(DIAGNOSTICS.glob("*.md"))}


def reference_entries() -> Iterator[Entry]:
    """Every entry of the reference, except diagnostics."""
    for file in sorted(REFERENCE.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        title = TITLE.search(text)
        if title and file.stem != "diagnostics":
            yield from _entries(title[1], text)


def _entries(page: str, text: str) -> Iterator[Entry]:
    """The entries of a page: each heading in backticks, with the text below it."""
    name, lines, fence = "", list[str](), ""
    for line in (*text.splitlines(), "# end"):
        if opening := FENCE.match(line):
            fence = "" if fence == opening[1] else fence or opening[1]
        heading = not fence and line.startswith(("# ", "## ", "### "))
        if heading and name:
            yield Entry(page, name, "\n".join(lines).strip())
        if heading:
            entry = ENTRY.match(line)
            name, lines = entry[2] if entry else "", []
        lines.append(line)
