"""The random library has every kind of dependency, and every edit is made."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.command import tree
from tests.laws.edited_library import EDITS, KINDS, TEXT_SUFFIXES, EditedLibrary
from tests.laws.test_edits import Builds, Outcome


def _pattern(pattern: str) -> Callable[["Published"], bool]:
    return lambda published: re.search(pattern, published.sources, re.MULTILINE) is not None


@dataclass(frozen=True)
class Published:
    """The texts of a library, and the pages and data that were built from them."""

    sources: str
    """All texts."""
    pages: str
    """All pages."""
    packs: Sequence[Mapping[str, Any]]
    outcome: Outcome

    def entities(self, kind: str) -> list[Mapping[str, Any]]:
        return [entity for pack in self.packs for entity in pack["entities"].get(kind, ())]

    def reports(self, code: str) -> bool:
        return any(f"[{code}]" in diagnostic for diagnostic in self.outcome.diagnostics)

    def has_nested_embed(self) -> bool:
        depth = 0
        embeds: list[int] = []
        for tag in re.findall(r"<div[^>]*>|</div>", self.pages):
            depth += 1 if tag != "</div>" else -1
            embeds = [start for start in embeds if start <= depth]
            if tag == '<div class="embed">':
                if embeds:
                    return True
                embeds.append(depth)
        return False

    def is_joined_over_two_texts(self) -> bool:
        """Whether a grade has its number from a table of another text."""
        paths = {
            table["source"]["path"]
            for pack in self.packs
            for table in pack["tables"]
            if table["columns"] == ["Pace", "DL"]
        }
        grades = self.entities("grade")
        return any(grade["fields"]["dl"] is not None and grade["source"]["path"] not in paths for grade in grades)

    def refers_to_another_text(self) -> bool:
        paths = {
            entity["id"]: entity["source"]["path"] for kind in ("grace", "wound") for entity in self.entities(kind)
        }
        wounds = [wound for wound in self.entities("wound") if wound["fields"]["remedy"]]
        return any(paths.get(wound["fields"]["remedy"], "") not in ("", wound["source"]["path"]) for wound in wounds)


DEPENDENCIES: dict[str, Callable[[Published], bool]] = {
    "link by path": _pattern(r"\[\[\w[^]#|\n]*/[^]#\n]*\|"),
    "link by file name": _pattern(r"\[\[\w[^]#|/\n]*\]\]"),
    "link by alias": lambda published: published.reports("alias-link"),
    "link to a heading": _pattern(r"\[\[\w[^]#\n]*#\w[^]#|\n]*\]\]"),
    "link to a heading below another": _pattern(r"\[\[[^]#\n]+#[^]#\n]+#"),
    "link to a block": _pattern(r"(?<!!)\[\[[^]#\n]+#\^"),
    "link in its own text": _pattern(r"\[\[#"),
    "Markdown link": _pattern(r"\[there\]\(<[^#>\n]*>\)"),
    "Markdown link to a heading": _pattern(r"\[there\]\(<[^>]*#"),
    "AsciiDoc link": _pattern(r"xref:|<<"),
    "ambiguous link": lambda published: published.reports("ambiguous-link"),
    "link without a target": lambda published: published.reports("unresolved-link"),
    "link to an attachment": _pattern(r"(?<!!)\[\[\w+\.(?:png|pdf|svg)\]\]"),
    "embed of a document": _pattern(r"!\[\[[^]#|\n]*\]\]"),
    "embed of a section": _pattern(r"!\[\[[^]#\n]*#\w"),
    "embed of a block": _pattern(r"!\[\[[^]#\n]*#\^"),
    "embed of an attachment": _pattern(r"!\[\[\w+\.(?:png|pdf|svg)"),
    "embed": lambda published: '<div class="embed">' in published.pages,
    "nested embed": Published.has_nested_embed,
    "footnote": lambda published: 'class="footnotes"' in published.pages,
    "roll table": lambda published: any(
        table["columns"][0] == "d4" for pack in published.packs for table in pack["tables"]
    ),
    "tag that is written in two ways": _pattern(r"(?s)court/night.*court/Night|court/Night.*court/night"),
    "tags with one slug": lambda published: "/tags/moor/reed_bed/" in published.pages,
    "tag of an entity": lambda published: any("tags" in place for place in published.entities("place")),
    "folder page": lambda published: '<body class="folder' in published.pages,
    "board": lambda published: '<body class="board' in published.pages,
    "redirect from an alias": lambda published: 'http-equiv="refresh"' in published.pages,
    "join over two texts": Published.is_joined_over_two_texts,
    "repeated label": lambda published: (
        published.sources.count("**Note**") > 2
        and bool(signs := published.entities("sign"))
        and not any(sign["name"] == "Note" for sign in signs)
    ),
    "reference to another text": Published.refers_to_another_text,
    "shared name": lambda published: (
        len({pack["game"]["id"] for pack in published.packs}) == 1
        and any(
            entity["name"] == other["name"]
            for entity in published.entities("grace")
            for other in published.entities("sign")
        )
    ),
    "automatic link": lambda published: any(grace["found_links"] for grace in published.entities("grace")),
    "automatic link of a plural": lambda published: (
        re.search(r'<a class="term"[^>]*>(?:Ashes|Boxes|Allies|\w+s)</a>', published.pages) is not None
    ),
    "effect with a citation": lambda published: any(grace["effects"] for grace in published.entities("grace")),
    "calculator with a citation": lambda published: any(
        calculator["citation"].get("source") for pack in published.packs for calculator in pack["calculators"]
    ),
    "citation that is not found": lambda published: published.reports("stale-citation"),
    "plain vault": lambda published: any(pack["game"]["version"] == "0" for pack in published.packs),
    "two games": lambda published: len(published.packs) == 2,
    **{
        f"entity of the kind {kind}": lambda published, kind=kind: bool(published.entities(kind))  # type: ignore[misc]
        for kind in (*KINDS, "term")
    },
}
"""Whether a library has a dependency of each kind."""


def test_every_dependency_is_in_some_libraries(scratch: Path) -> None:
    found: Counter[str] = Counter()
    rare = set(DEPENDENCIES)
    for seed in range(40):
        if not rare:
            break
        library = EditedLibrary(scratch / str(seed) / "vault", seed)
        outcome = Builds(library.folder, scratch).fresh()
        texts = (file for file in library.folder.rglob("*") if file.suffix in TEXT_SUFFIXES)
        published = Published(
            sources="\n".join(file.read_text(encoding="utf-8") for file in texts),
            pages="\n".join(content.decode() for path, content in outcome.files.items() if path.endswith(".html")),
            packs=[
                json.loads(content)
                for path, content in outcome.files.items()
                if path.endswith("/pack.json") and not path.startswith("data/schemas/")
            ],
            outcome=outcome,
        )
        found.update(name for name, holds in DEPENDENCIES.items() if holds(published))
        rare = {name for name in DEPENDENCIES if found[name] < 2}
    assert rare == set()


def test_every_edit_is_made(tmp_path: Path) -> None:
    missing = {edit.__name__.lstrip("_") for edit in EDITS}
    for seed in range(100):
        library = EditedLibrary(tmp_path / str(seed), seed)
        missing -= {library.edit().name for _ in range(6)}
        if not missing:
            break
    assert missing == set()


def test_undo_restores_the_files(tmp_path: Path) -> None:
    library = EditedLibrary(tmp_path, 1)
    before = tree(tmp_path)
    edits = [library.edit() for _ in range(9)]
    assert tree(tmp_path) != before
    for _ in edits:
        library.undo()
    assert tree(tmp_path) == before
