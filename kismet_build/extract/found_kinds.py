"""Make the kind files of a plain vault: one for each kind found in its notes.

`config.kind` reads these kind files like the kind files of authors.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from posixpath import basename, dirname
from typing import Any

from kismet_build.config.data_file import InvalidData
from kismet_build.config.kind import RESERVED_IDS, Kind, folder_pattern, parse_kind
from kismet_build.config.library import PropertyRules
from kismet_build.config.observed_schema import observed_schema
from kismet_build.config.yaml import flow
from kismet_build.extract.found_fields import FoundField, found_fields
from kismet_build.extract.note_groups import DISTINCT, MIN_NOTES, SHARED, NoteGroup, distinctness, note_groups
from kismet_build.extract.note_shape import NoteShape, Value, folder_path
from kismet_build.model.book import RESERVED_SLUGS
from kismet_build.model.language import Language
from kismet_build.model.language.inflection import singular
from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import folder_name, normalize, title_case
from kismet_build.model.titles import display_title

SORTING_PROPERTY = "weight"
"""The property by which Hugo sorts the notes in a folder. In vaults for other programs, it is a field."""
SECTION_NOTE = "_index"
"""The name of a note about its folder in Hugo vaults."""


@dataclass(frozen=True, slots=True)
class FoundKind:
    """A kind inferred from the notes of a vault."""

    id: str
    title: str
    folders: tuple[str, ...]
    note_count: int
    head: str
    """The text of the kind file before its fields."""
    fields: tuple[FoundField, ...]

    @property
    def text(self) -> str:
        """The kind file without comments, which would change with every edited note."""
        return self.head + "".join(f"  {found.key}: {flow(found.schema)}\n" for found in self.fields)

    def commented_text(self, entities: Sequence[Mapping[str, Any]]) -> str:
        """The kind file with a comment on each field: how many notes have it and, if possible, with which values."""
        fields = ""
        for found in self.fields:
            values = _values_comment(observed_schema(found.schema, [entity.get(found.key) for entity in entities]))
            comment = f"  # {found.count} of {self.note_count} notes{values}\n" if found.count else ""
            fields += f"{comment}  {found.key}: {flow(found.schema)}\n"
        return f"# Found in {self.note_count} notes. Change it as you like.\n{self.head}{fields}"


def _values_comment(schema: Mapping[str, Any]) -> str:
    """The end of a comment about a field: the choices or bounds of its values, or an empty string."""
    if "items" in schema:
        return _values_comment(schema["items"])
    choices = schema.get("enum") or next((option["enum"] for option in schema.get("anyOf", ()) if "enum" in option), ())
    if choices:
        return f": {', '.join(map(str, choices))}"
    if "minimum" in schema and "maximum" in schema:
        return f": {schema['minimum']} to {schema['maximum']}"
    return ""


def found_kinds(
    shapes: Mapping[str, NoteShape],
    title: str,
    taken: Iterable[str],
    language: Language,
    properties: PropertyRules,
    folders: Sequence[tuple[str, str]],
    infers_kinds: bool,
) -> tuple[FoundKind, ...]:
    """The kinds found in the notes of the game with this title.

    `taken`: ids that are already in use. `folders`: globs of folders, each with the kind id that the author assigns to
    the folder. They are not used if `infers_kinds`.
    """
    notes = tuple(shapes.values())
    if SORTING_PROPERTY not in properties.also:
        notes = _without_sorting(notes)
    if infers_kinds:
        return _inferred_kinds(title, tuple(taken), notes, language)
    return _kinds_of_folders(folders, notes, language)


def texts_of_kinds(kinds: Sequence[FoundKind]) -> tuple[tuple[str, str], ...]:
    """The id and the text of each kind file."""
    return tuple((kind.id, kind.text) for kind in kinds)


def add_kinds(kinds: Mapping[str, Kind], texts: Sequence[tuple[str, str]], order: Sequence[str]) -> dict[str, Kind]:
    """The kinds, and the kinds in those of these kind files that are valid. `order`: the ids that come first."""
    found = {}
    for kind_id, text in texts:
        # If the names of notes cannot be used in a kind file, the notes remain ordinary pages.
        with suppress(InvalidData):
            found[kind_id] = parse_kind(kind_id, text, lambda _: None)
    by_id = {**kinds, **found}
    return {kind_id: by_id[kind_id] for kind_id in (*order, *by_id) if kind_id in by_id}


def _without_sorting(shapes: Sequence[NoteShape]) -> tuple[NoteShape, ...]:
    """The notes without weights that only sort them.

    Weights sort the notes of a folder if it has an `_index` note and its weights are distinct integers.
    """
    sections = {dirname(shape.path) for shape in shapes if file_stem(shape.path) == SECTION_NOTE}
    weights: dict[str, list[Value]] = defaultdict(list)
    for shape in shapes if sections else ():
        for occurrence in shape.occurrences:
            if occurrence.way == f"meta:{SORTING_PROPERTY}" and dirname(shape.path) in sections:
                weights[dirname(shape.path)] += occurrence.values
    sorted_folders = {
        folder
        for folder, values in weights.items()
        if {value.type for value in values} == {"integer"} and len({value.text for value in values}) == len(values)
    }
    return tuple(
        replace(shape, occurrences=tuple(o for o in shape.occurrences if o.way != f"meta:{SORTING_PROPERTY}"))
        if dirname(shape.path) in sorted_folders
        else shape
        for shape in shapes
    )


def _inferred_kinds(
    title: str, taken: Sequence[str], shapes: Sequence[NoteShape], language: Language
) -> tuple[FoundKind, ...]:
    notes = [shape for shape in shapes if shape.is_candidate and not shape.is_statblock]
    groups = _with_ids(title, taken, _joined(note_groups(notes)), language)
    return _kinds_of_groups(title, _with_statblocks(groups, taken, shapes), language)


def _with_statblocks(
    groups: Mapping[str, NoteGroup], taken: Sequence[str], shapes: Sequence[NoteShape]
) -> Mapping[str, NoteGroup]:
    """The groups, with the groups of statblocks added, except those whose id is taken.

    Statblocks join the kind of a folder with the same id.
    """
    by_kind: dict[str, list[NoteShape]] = defaultdict(list)
    for shape in chain.from_iterable(shape.statblocks for shape in shapes):
        by_kind[shape.kind].append(shape.note)
    result = dict(groups)
    for kind, notes in by_kind.items():
        kind_id = f"{kind}-statblock" if kind in {*RESERVED_IDS, *RESERVED_SLUGS} else kind
        if kind_id in taken:
            continue
        if (group := groups.get(kind_id)) is not None:
            notes = [*notes, *group.notes]
            result[kind_id] = replace(group, notes=tuple(notes), statblock=kind, without_statblocks=group)
        else:
            name = title_case(kind.replace("-", " "))
            result[kind_id] = NoteGroup((), name, tuple(notes), statblock=kind)
    return result


def _kinds_of_folders(
    folders: Sequence[tuple[str, str]], shapes: Sequence[NoteShape], language: Language
) -> tuple[FoundKind, ...]:
    globs_of_kind: dict[str, list[str]] = defaultdict(list)
    for glob, kind_id in folders:
        globs_of_kind[kind_id].append(glob if "*" in glob else f"{glob.rstrip('/')}/**")
    groups: dict[str, NoteGroup] = {}
    for kind_id, globs in globs_of_kind.items():
        patterns = [folder_pattern(glob) for glob in globs]
        notes = tuple(
            shape
            for shape in shapes
            if shape.is_candidate and any(pattern.fullmatch(folder_path(shape.path)) for pattern in patterns)
        )
        name = basename(globs[0].removesuffix("/**"))
        if _kind_id(name, language) != kind_id:
            title = title_case(kind_id.replace("-", " "))
            name = language.plural(title)
        groups[kind_id] = NoteGroup(tuple(globs), name, notes, is_given=True)
    return _kinds_of_groups("", groups, language)


def _kinds_of_groups(title: str, groups: Mapping[str, NoteGroup], language: Language) -> tuple[FoundKind, ...]:
    kind_of_name: dict[str, set[str]] = defaultdict(set)
    for kind_id, group in groups.items():
        for name in chain.from_iterable(note.names for note in group.notes):
            kind_of_name[normalize(name)].add(kind_id)
    has_statblocks = any(group.statblock for group in groups.values())
    return tuple(
        _found_kind(kind_id, title, group, kind_of_name, language, has_statblocks=has_statblocks)
        for kind_id, group in groups.items()
    )


def _joined(groups: Sequence[NoteGroup]) -> list[NoteGroup]:
    """The groups, after joining folders whose names end in the same word and that share their fields.

    The folders `Bard Subclasses`, `Cleric Subclasses` and `Druid Subclasses` are one kind, `Subclass`.
    """
    by_word: dict[str, list[NoteGroup]] = defaultdict(list)
    for number, group in enumerate(groups):
        words = _words(group.name).split()
        is_folder = len(words) > 1 and group.folders and not group.condition[0]
        by_word[singular(words[-1]) if is_folder else f"/{number}"].append(group)
    return list(chain.from_iterable(map(_joined_if_alike, by_word.values())))


def _joined_if_alike(groups: Sequence[NoteGroup]) -> Sequence[NoteGroup]:
    keys = [set(group.shared) for group in groups]
    if len(groups) < MIN_NOTES or len(set.intersection(*keys)) < SHARED * len(set.union(*keys)):
        return groups
    folders = tuple(chain.from_iterable(group.folders for group in groups))
    notes = tuple(chain.from_iterable(group.notes for group in groups))
    return [NoteGroup(folders, _words(groups[0].name).split()[-1], notes, has_folders=True)]


def _with_ids(
    title: str, taken: Sequence[str], groups: Sequence[NoteGroup], language: Language
) -> dict[str, NoteGroup]:
    """The groups by id. Folders with the same name and the same fields become one kind."""
    by_id: dict[str, list[NoteGroup]] = defaultdict(list)
    for group in groups:
        by_id[_kind_id(group.name or title, language)].append(group)
    reserved = {*taken, *RESERVED_IDS, *RESERVED_SLUGS}
    result: dict[str, NoteGroup] = {}
    for kind_id, same_name in by_id.items():
        first = same_name[0]
        folders = tuple(dict.fromkeys(chain.from_iterable(group.folders for group in same_name)))
        merged = NoteGroup(folders, first.name, tuple(chain.from_iterable(g.notes for g in same_name)), first.condition)
        is_same = len({group.condition for group in same_name}) == 1
        if len(same_name) > 1 and (not is_same or distinctness(same_name, merged.notes) >= DISTINCT):
            parts = [
                (_kind_id(f"{basename(dirname(g.folders[0].removesuffix('/**')))} {g.name}", language), g)
                for g in same_name
            ]
        else:
            parts = [(kind_id, merged if len(same_name) > 1 else first)]
        for own_id, group in parts:
            free_id = f"{own_id}-note" if own_id in reserved else own_id
            number = 2
            while free_id in result:
                free_id, number = f"{own_id}-{number}", number + 1
            result[free_id] = group
    return result


def _kind_id(name: str, language: Language) -> str:
    return folder_name(language.singular(_words(name)))


def _words(name: str) -> str:
    shown = display_title(name)
    return " ".join((shown if " " in shown else re.sub(r"[-_]+", " ", shown)).split()) or name


def _found_kind(
    kind_id: str,
    title: str,
    group: NoteGroup,
    kind_of_name: Mapping[str, set[str]],
    language: Language,
    *,
    has_statblocks: bool,
) -> FoundKind:
    words = _words(group.name or title)
    singular_name = language.singular(words)
    is_one = bool(group.condition[0]) or not group.folders  # named by the value of a property, or by a statblock
    plural_name = words if singular_name != words else language.plural(words) if is_one else words
    matches: list[Mapping[str, Any]] = [{"statblock": group.statblock}] if group.statblock else []
    if group.folders:
        matches.append(_document_match(group.without_statblocks or group, has_statblocks=has_statblocks))
    match = matches[0] if len(matches) == 1 else matches
    head = (
        f"title: {flow(_shown(singular_name))}\nx-plural: {flow(_shown(plural_name))}\nx-lenient: true\n"
        f"x-match: {flow(match)}\nrequired: [id, name]\nadditionalProperties: false\nproperties:\n"
        "  id: {type: string, x-from: slug}\n"
    )
    fields = tuple(found_fields(kind_id, group, kind_of_name))
    return FoundKind(kind_id, _shown(singular_name), group.folders, len(group.notes), head, fields)


def _document_match(group: NoteGroup, *, has_statblocks: bool) -> Mapping[str, Any]:
    match: dict[str, Any] = {
        "document": True,
        "folder": group.folders[0] if len(group.folders) == 1 else [*group.folders],
    }
    name, value = group.condition
    if name == "tag":
        match["tag"] = value
    elif name:
        match["property"] = {name: value}
    keys = {occurrence.key for occurrence in group.evidence}
    # Notes must have the evidence of the kind. If the evidence is a single field other than the subtitle, a note
    # without it is an entity, and `missing-field` reports the note.
    if not group.is_given and (len(keys) > 1 or keys == {"subtitle"}):
        match["with"] = _evidence_ways(group, keys)
    if has_statblocks and not group.is_given:
        match["without"] = "statblock"
    return match


def _evidence_ways(group: NoteGroup, keys: Collection[str]) -> list[str]:
    is_heading = any(occurrence.method == "heading" for occurrence in group.evidence)
    all_ways = (o for note in group.notes for o in note.occurrences if o.key in keys)
    ways = dict.fromkeys(o.way for o in all_ways if is_heading or o.method != "heading")
    return [*dict.fromkeys((*(occurrence.way for occurrence in group.evidence), *ways))]


def _shown(words: str) -> str:
    """Words as a title, keeping the author's capital letters, as in `NPC`."""
    return title_case(words) if words.islower() else words[:1].upper() + words[1:]
