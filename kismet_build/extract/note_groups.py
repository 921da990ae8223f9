"""Group the notes of a vault into kinds. A folder is a kind if its notes share properties, labels or other fields.

The thresholds were set on four vaults, and each was tested on six other vaults: docs/decisions/0010-found-kinds.md.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from posixpath import basename, dirname

from kismet_build.extract.note_shape import NoteShape, Occurrence, Value
from kismet_build.model.source import file_stem

MIN_NOTES = 3
"""Minimum number of notes in a kind.

Folders often have only three or four notes; two notes may share fields by chance.
"""
SHARED = 0.8
"""Share of a folder's notes that must have a field for it to count as shared.

A field that only one of four or more notes lacks is also shared. At 0.6, notes with little in common became kinds.
At 1.0, a folder loses all its entities because of a single odd note.
"""
DISTINCT = 0.3
"""Minimum `distinctness` of groups of notes that are separate kinds.

At 0.2 one folder became two kinds, and two of its ten notes were in neither of them.
"""
RARE = 0.25
"""A field sets a group of notes apart if less than this share of the other notes has it.

All tested vaults give the same result from 0.1 to 0.5.
"""
MAX_HEADINGS = 3
"""Maximum number of headings in notes that are a kind only because of their subtitles.

At 6, one more folder became a kind.
"""


MIN_DESCRIBED_NOTES = 30
"""Minimum number of notes in a kind whose notes share only a description and a tag. Fewer notes may be chapters."""
SORTING_PROPERTIES = frozenset(("order", "weight"))
"""Properties that put notes into the order of a book."""
WEAK_PROPERTIES = frozenset(
    (
        *("author", "authors", "campaign", "categories", "category", "chapter", "description", "edition", "game"),
        *("icon", "id", "kind", "label", "lang", "language", "licence", "license", "menu", "name", "nav", "order"),
        *("part", "series", "source", "sources", "status", "system", "type", "version", "world"),
    )
)
"""Properties that notes of any kind have. They become fields, but are not evidence of a kind.

A `description` is evidence in a catalogue: see `NoteGroup.evidence`.
"""


SPLITTING_PROPERTIES = ("type", "kind", "category", "layout", "class")
"""Properties whose values may divide the notes of a folder into kinds."""
ORDER_NUMBER = re.compile(r"\d+(?:[ ._-]|$)")
NUMBERED = re.compile(r"[^\W\d_]+[ _-]?\d+")
"""A folder name of a word and a number, such as `Part 1`."""


@dataclass(frozen=True, eq=False)
class NoteGroup:
    """Notes that may be of one kind."""

    folders: tuple[str, ...]
    """Globs of folders; empty for statblocks."""
    name: str
    """The name of the folder, or the property value or layout that distinguishes the notes."""
    notes: tuple[NoteShape, ...]
    condition: tuple[str, str] = ("", "")
    """The property or `tag`, and its value, that distinguish the notes from other notes in the folder."""
    has_folders: bool = False
    """Whether the notes of several folders are one kind, and have their folder as a field."""
    is_given: bool = False
    """Whether `folders` in `game.yaml` assigns the kind to these folders."""
    statblock: str = ""
    """The kind of a layout whose statblocks also belong to this kind and are among `notes`; empty if there is none."""
    without_statblocks: "NoteGroup | None" = None
    """The same group without statblocks; `None` unless statblocks were added to the notes of folders."""

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(chain.from_iterable({o.key for o in note.occurrences} for note in self.notes))

    @cached_property
    def shared(self) -> dict[str, Occurrence]:
        """The most frequent source of each field that nearly all of the notes have, by key."""
        number = len(self.notes)
        keys = {key for key, count in self.counts.items() if count >= SHARED * number or (count == number - 1 >= 3)}
        ways: dict[str, Counter[str]] = defaultdict(Counter)
        first: dict[str, Occurrence] = {}
        values: dict[str, set[tuple[bool, tuple[Value, ...]]]] = defaultdict(set)
        for occurrence in chain.from_iterable(note.occurrences for note in self.notes):
            if occurrence.key in keys and (not occurrence.line_label or occurrence.line_label in keys):
                values[occurrence.key].add((occurrence.is_header, occurrence.values))
                ways[occurrence.key][occurrence.way] += 1
                first.setdefault(occurrence.way, occurrence)
        # A table header that is the same in all notes, such as `Property | Value`, is not a label with a value.
        headers = {key for key, of_key in values.items() if [is_header for is_header, _ in of_key] == [True]}
        return {key: first[of_key.most_common(1)[0][0]] for key, of_key in ways.items() if key not in headers}

    def fields_of(self, note: NoteShape) -> tuple[Occurrence, ...]:
        """The occurrences in a note that are fields if these notes are a kind."""
        shared = self.shared.keys()
        found = (o for o in note.occurrences if not o.needs or o.key in shared or not shared.isdisjoint(o.needs))
        found = (o for o in found if not o.line_label or o.line_label in shared)
        return tuple(chain.from_iterable(_parts(o) if o.key in self._divided_maps else (o,) for o in found))

    @cached_property
    def _divided_maps(self) -> set[str]:
        """The keys of lists whose items are parts of one map in all notes: `mods: [{str: 1}, {dex: 2}]`.

        Items with a name are separate things, even if a note has a single item.
        """
        keys: dict[str, bool] = {}
        for occurrence in chain.from_iterable(note.occurrences for note in self.notes):
            parts = [part.key for value in occurrence.values for part in value.parts]
            is_map = occurrence.is_list and all(value.type == "object" for value in occurrence.values)
            is_divided = is_map and len(set(parts)) == len(parts) and "name" not in parts
            keys[occurrence.key] = keys.get(occurrence.key, True) and is_divided
        return {key for key, is_divided in keys.items() if is_divided}

    @cached_property
    def evidence(self) -> tuple[Occurrence, ...]:
        """The shared fields that identify these notes as a kind; empty if they are not a kind."""
        if len(self.notes) < MIN_NOTES or not self.folders:
            return ()
        by_method: dict[str, list[Occurrence]] = defaultdict(list)
        for key, occurrence in self.shared.items():
            if occurrence.method not in ("meta", "inline") or WEAK_PROPERTIES.isdisjoint(
                (key, *occurrence.parents[:1])
            ):
                by_method[occurrence.method].append(occurrence)
        data, labels = (*by_method["meta"], *by_method["inline"], *by_method["tag"]), by_method["label"]
        is_book = sum(ORDER_NUMBER.match(file_stem(note.path)) is not None for note in self.notes) * 2 > len(self.notes)
        is_root = not self.folders[0].strip("*/.")
        if len(data) > is_root + is_book:
            return (*data, *labels)
        if len(data) + len(labels) > 1 or (labels and by_method["subtitle"]):
            return (*data, *labels)
        if is_book or is_root:
            return ()
        is_short = sum(note.heading_count <= MAX_HEADINGS for note in self.notes) >= SHARED * len(self.notes)
        if by_method["subtitle"] and is_short:
            return tuple(by_method["subtitle"])
        if len(by_method["heading"]) > 1:
            return tuple(by_method["heading"])
        is_described = "description" in self.shared and SORTING_PROPERTIES.isdisjoint(self.shared)
        return (self.shared["description"],) if is_described and self._is_catalogue else ()

    @property
    def _is_catalogue(self) -> bool:
        tags = Counter(chain.from_iterable(set(note.tags) for note in self.notes))
        return len(self.notes) >= MIN_DESCRIBED_NOTES and max(tags.values(), default=0) >= SHARED * len(self.notes)


def _parts(occurrence: Occurrence) -> Iterator[Occurrence]:
    parents = (*occurrence.parents, occurrence.label.removeprefix(" ".join(occurrence.parents)).strip())
    for part in chain.from_iterable(value.parts for value in occurrence.values):
        label, argument = f"{occurrence.label} {part.label}", f"{occurrence.argument}.{part.argument}"
        yield part._replace(label=label, argument=argument, parents=(*parents, *part.parents))


def distinctness(groups: Sequence[NoteGroup], notes: Sequence[NoteShape]) -> float:
    """The share of each group's shared fields that are rare in other notes, as an average over `notes`.

    Notes outside the groups count as 0.
    """
    all_counts = Counter(chain.from_iterable({o.key for o in note.occurrences} for note in notes))
    total = 0.0
    for group in groups:
        others = len(notes) - len(group.notes)
        keys = [key for key in group.shared if key not in WEAK_PROPERTIES]
        distinct = [key for key in keys if all_counts[key] - group.counts[key] < RARE * others]
        total += len(group.notes) * len(distinct) / max(len(keys), 1)
    return total / max(len(notes), 1)


def _are_one_kind(groups: Sequence[NoteGroup], whole: NoteGroup) -> bool:
    in_groups = {note.path for group in groups for note in group.notes}
    others = [note for note in whole.notes if note.path not in in_groups]
    keys = {occurrence.key for occurrence in whole.evidence}
    alike = sum(any(occurrence.key in keys for occurrence in note.occurrences) for note in others)
    return alike * 2 >= len(others) and distinctness(groups, whole.notes) < DISTINCT


def note_groups(notes: Sequence[NoteShape]) -> list[NoteGroup]:
    """The groups of notes in a vault that are kinds, formed by folder and by distinguishing property."""
    direct: dict[str, list[NoteShape]] = defaultdict(list)
    subfolders: dict[str, set[str]] = defaultdict(set)
    for note in notes:
        folder = dirname(note.path)
        direct[folder].append(note)
        while folder:
            parent = dirname(folder)
            subfolders[parent].add(folder)
            folder = parent

    def visit(folder: str) -> tuple[list[NoteGroup], list[NoteShape]]:
        """The kinds in a folder, and all of its notes."""
        if not direct[folder] and len(subfolders[folder]) == 1:
            return visit(*subfolders[folder])
        visited = [visit(subfolder) for subfolder in sorted(subfolders[folder])]
        below = [group for groups, _ in visited for group in groups]
        all_notes = [*direct[folder], *chain.from_iterable(notes for _, notes in visited)]
        whole = NoteGroup((f"{folder}/**" if folder else "**",), _name_of(folder), tuple(all_notes))
        if whole.evidence and (not below or (folder and _are_one_kind(below, whole))):
            return _divided(whole) or [whole], all_notes
        if not below:
            return _divided(whole), all_notes
        own = NoteGroup((folder or ".",), _name_of(folder), tuple(direct[folder]))
        divided = _divided(own)
        return [*below, *(divided or ([own] if own.evidence else []))], all_notes

    return visit("")[0]


def _name_of(folder: str) -> str:
    """The name of a folder, or of the folder around it if the name is only a word and a number, such as `Part 1`."""
    while NUMBERED.fullmatch(basename(folder)) and dirname(folder):
        folder = dirname(folder)
    return basename(folder)


def _divided(whole: NoteGroup) -> list[NoteGroup]:
    """The kinds into which a property or tag divides notes, if its values recur and each value goes with other
    fields.
    """
    for name in (*SPLITTING_PROPERTIES, "tag"):
        by_value: dict[str, list[NoteShape]] = defaultdict(list)
        for note in whole.notes:
            if value := _dividing_value(note, name):
                by_value[value].append(note)
        groups = [
            NoteGroup(whole.folders, value, tuple(notes), (name, value))
            for value, notes in by_value.items()
            if len(notes) >= MIN_NOTES
        ]
        groups = [group for group in groups if group.evidence]
        if whole.evidence and sum(len(group.notes) for group in groups) < SHARED * len(whole.notes):
            continue
        if len(groups) > 1 and distinctness(groups, whole.notes) >= DISTINCT:
            return groups
    return []


def _dividing_value(note: NoteShape, name: str) -> str:
    if name == "tag":
        return note.tags[0].partition("/")[0] if note.tags else ""
    values = [o.values for o in note.occurrences if o.method == "meta" and o.argument.casefold() == name]
    return values[0][0].text if len(values) == 1 and len(values[0]) == 1 and values[0][0].type == "text" else ""
