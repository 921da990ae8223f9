"""Every property that keeps a text private does so wherever it may be set, and whatever may show the text.

Each door has a note for each name of the table. The same notes with a value that publishes show that the door is open.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from kismet_build.config.obsidian import GARDEN_PROPERTY
from kismet_build.config.privacy import OF_THEMES, ROWS, Row
from tests.command import kismet, tree, write_files
from tests.privacy_rows import HIDING, PUBLISHING

Files = dict[str, str]
DOCS = "docs/"
"""The folder of the texts of MkDocs."""


class Marked(NamedTuple):
    """A note with a property. Its word is in its text, and nowhere else."""

    name: str
    value: str

    @property
    def slug(self) -> str:
        """A part of a file name, which is no secret."""
        return f"n-{self.name}"

    @property
    def word(self) -> str:
        return f"zyxquark{re.sub('[^a-z]', '', self.name)}"

    @property
    def line(self) -> str:
        return f"{self.name}: {self.value}"


def marked(table: Mapping[Row, tuple[str, ...]]) -> list[Marked]:
    """A note for each name, with the first value of its row that is a plain word."""
    values = {row: next(line.partition(": ")[2] for line in lines if ": " in line) for row, lines in table.items()}
    return [Marked(name, values[row]) for name, row in ROWS.items()]


def in_front(template: str) -> Callable[[Marked], Files]:
    """A note whose text begins with this template."""
    return lambda note: {f"{note.slug}.md": f"{template.replace('LINE', note.line)}\n{note.word}\n"}


def as_json(note: Marked) -> str:
    return json.dumps({note.name: note.value})


def shown_by(text: str, dialect: str = "md") -> Callable[[Marked], Files]:
    """A marked note, and a public one with a text that shows it. `NOTE` is its path without suffix."""

    def files(note: Marked) -> Files:
        word = note.word
        if dialect == "adoc":
            shown = f"= T{word}\n:{note.line}\n\n[[part]]\n{word}\n"
        else:
            properties = f"---\n{note.line}\naliases: [{word} alias]\ntags: [{word}-tag]\n---\n"
            shown = f"{properties}# Title\n\n{word}\n\n## Part\n\n{word} ^block\n"
        public = text.replace("NOTE", note.slug).replace("WORD", word)
        return {f"{note.slug}.{dialect}": shown, f"shows-{note.slug}.{dialect}": public}

    return files


def of_folder(settings: str, path: str = "", name: str = "", before: str = "") -> Callable[[Marked], Files]:
    """A note that inherits a property from a file in its folder."""

    def files(note: Marked) -> Files:
        folder = f"{path}{note.slug}"
        return {f"{folder}/{name}": settings.replace("LINE", note.line), f"{folder}/a.md": f"{before}{note.word}\n"}

    return files


def of_jekyll(notes: list[Marked]) -> Files:
    """Defaults for a folder in the configuration."""
    defaults = [{"scope": {"path": note.slug}, "values": {note.name: note.value}} for note in notes]
    return {"_config.yml": json.dumps({"defaults": defaults}), "index.md": "---\n---\nWelcome\n"}


class Door(NamedTuple):
    """A place where a property may be set, or one that shows what a note contains."""

    files: Callable[[Marked], Files]
    shared: Callable[[list[Marked]], Files] = lambda _: {"Home.md": "Welcome\n"}
    ignored: frozenset[str] = frozenset()
    """Names that mean something else there."""


def hugo(_: list[Marked]) -> Files:
    return {"hugo.toml": "", "content/_index.md": "---\ntitle: Welcome\n---\n"}


def with_navigation(notes: list[Marked]) -> Files:
    entries = [f"- {'Part:' * (number % 2)}\n  - {note.word}: {note.word}.md\n" for number, note in enumerate(notes)]
    return {"mkdocs.yml": "site_name: x\nnav:\n" + "".join(entries), f"{DOCS}Home.md": "Welcome\n"}


def mkdocs(_: list[Marked]) -> Files:
    return {"mkdocs.yml": "site_name: x\nplugins: [meta]\n", f"{DOCS}Home.md": "Welcome\n"}


DOORS = {
    "front matter": Door(in_front("---\nLINE\n---")),
    "indented front matter": Door(in_front("---\n    title: x\n    LINE\n---")),
    "broken front matter": Door(in_front("---\ntitle: Command: halt\n  LINE\n---")),
    "front matter without an end": Door(in_front("---\nLINE\n\n# Title\n")),
    "lines above a text": Door(in_front("LINE\n")),
    "lines below front matter": Door(in_front("---\ntitle: x\n---\nLINE\n")),
    "lines below a heading": Door(in_front("# Title\n\nLINE\n")),
    "front matter in JSON": Door(lambda note: {f"{note.slug}.md": f"---json\n{as_json(note)}\n---\n{note.word}\n"}),
    "JSON": Door(lambda note: {f"{note.slug}.md": f"{as_json(note)}\n\n{note.word}\n"}),
    "an attribute of AsciiDoc": Door(lambda note: {f"{note.slug}.adoc": f"= T\n:{note.line}\n\n{note.word}\n"}),
    "an included header": Door(
        lambda note: {
            f"{note.slug}.adoc": f"= T\ninclude::{note.slug}.txt[]\n\n{note.word}\n",
            f"{note.slug}.txt": f":{note.line}\n",
        }
    ),
    "an include": Door(shown_by("= Public\n\ninclude::NOTE.adoc[]\n", "adoc")),
    "a link in AsciiDoc": Door(shown_by("= Public\n\nxref:NOTE.adoc#part[]\n", "adoc")),
    "an embed": Door(shown_by("![[NOTE]]\n")),
    "an embed in a row": Door(shown_by("| a |\n|---|\n| ![[NOTE]] |\n")),
    "an embedded part": Door(shown_by("![[NOTE#Part]] ![[NOTE#^block]]\n")),
    "an alias": Door(shown_by("[[WORD alias|somebody]]\n")),
    "a tag": Door(shown_by("#town [[NOTE|somebody]]\n")),
    "a canvas": Door(
        lambda note: {
            **shown_by("![[NOTE.canvas]]\n")(note),
            f"{note.slug}.canvas": json.dumps({"nodes": [{"file": f"{note.slug}.md", "text": note.line}]}),
        }
    ),
    "an attachment": Door(
        lambda note: {
            f"{note.slug}.md": f"---\n{note.line}\n---\n![[{note.word}.png]]\n",
            f"{note.word}.png": "no picture",
        }
    ),
    "a marked attachment": Door(
        lambda note: {
            f"{note.slug}.html": f"---\n{note.line}\n---\n{note.word}",
            f"shows-{note.slug}.md": f"[page]({note.slug}.html)\n",
        }
    ),
    "defaults of Jekyll": Door(of_folder("", name="b.md", before="---\ntitle: x\n---\n"), of_jekyll, OF_THEMES),
    "a cascade of Hugo": Door(
        of_folder("---\ncascade: {LINE}\n---\n", "content/", "_index.md", "---\n---\n"), hugo, OF_THEMES
    ),
    "a section of Hugo": Door(of_folder("---\nLINE\n---\n", "content/", "_index.md", "---\n---\n"), hugo, OF_THEMES),
    "an entry of a navigation": Door(
        lambda note: {f"{DOCS}{note.word}.md": f"---\n{note.line}\n---\n{note.word}\n"}, with_navigation, OF_THEMES
    ),
    "properties of a folder in MkDocs": Door(of_folder("LINE\n", DOCS, ".meta.yml"), mkdocs, OF_THEMES),
}


def built(folder: Path, door: Door, notes: list[Marked]) -> dict[str, bytes]:
    """The files of the site with these notes, unpacked."""
    files = door.shared(notes)
    for note in notes:
        files |= door.files(note)
    run = kismet("build", write_files(folder / "vault", dict(files)), "--out", folder / "out")
    assert run.status == 0, run.output
    assert not [note for note in notes if note.word in run.output]
    return dict(unpacked(tree(folder / "out")))


def unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, content in files.items():
        yield path, gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def shows(files: Mapping[str, bytes], note: Marked) -> bool:
    """Whether a file has the word of a note in its name or content."""
    word = re.compile(rf"{note.word}(?![a-z])".encode(), re.IGNORECASE)
    return any(word.search(content) or word.search(path.encode()) for path, content in files.items())


@pytest.mark.parametrize("door", DOORS)
def test_what_a_property_hides_is_nowhere(door: str, tmp_path: Path) -> None:
    notes = [note for note in marked(HIDING) if note.name not in DOORS[door].ignored]
    files = built(tmp_path, DOORS[door], notes)
    assert [note.line for note in notes if shows(files, note)] == []


@pytest.mark.parametrize("door", DOORS)
def test_what_a_property_publishes_is_somewhere(door: str, tmp_path: Path) -> None:
    # With a note for Digital Garden, only such notes are published.
    notes = [note for note in marked(PUBLISHING) if note.name != GARDEN_PROPERTY]
    files = built(tmp_path, DOORS[door], notes)
    assert [note.line for note in notes if not shows(files, note)] == []
