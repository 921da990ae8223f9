"""Infer the kinds of a plain vault: a folder whose notes share properties, labels, headings or subtitles is a kind.

A found kind is the text of a kind file, which `config.kind` reads like one that an author has written. The thresholds
were set on four vaults of others and tried on six, one at a time: docs/decisions/0010-found-kinds.md.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from posixpath import basename, dirname
from typing import Any, NamedTuple

from kismet_build.config.data_file import InvalidData
from kismet_build.config.kind import RESERVED_IDS, Kind, folder_pattern, parse_kind
from kismet_build.config.language.inflection import plural, singular
from kismet_build.config.library import PropertyRules
from kismet_build.config.observed_schema import FORMATS, observed_schema
from kismet_build.config.yaml import flow
from kismet_build.extract.match_result import LabelledText, bold_label, inline_fields, one_line, paragraphs, subtitle
from kismet_build.extract.notes import folder_path, is_index_note
from kismet_build.extract.statblocks import note_data, statblock_records
from kismet_build.extract.value import AMBIGUOUS_COMMA
from kismet_build.model.book import RESERVED_SLUGS
from kismet_build.model.nodes import Document, Heading, flatten_layout
from kismet_build.model.source import file_stem
from kismet_build.model.tag import tag_key
from kismet_build.model.text_cache import cached_texts
from kismet_build.model.text_normalization import folder_name, key_label, normalize, slug, title_case
from kismet_build.model.titles import display_title

MIN_NOTES = 3
"""Fewest notes of a kind. A folder often has three or four; two notes share fields by chance."""
SHARED = 0.8
"""Part of the notes of a folder that have a field which the folder shares.

At 0.6 notes with little in common became kinds; at 1.0 one odd note costs all entries of a folder.
"""
EXPECTED = 0.85
"""Part of the notes of a kind that have a field which is expected of the others. Less gives more `missing-field`."""
DISTINCT = 0.3
"""Smallest part of the shared fields of a group of notes that other notes lack, so that the group is its own kind.

At 0.2 one folder became two kinds, and two of its ten notes were in neither.
"""
RARE = 0.25
"""Largest part of the other notes that may have a field by which a group of notes is distinct.

No vault that was tried differs between 0.1 and 0.5.
"""
MIN_LABEL_SHARE = 0.03
"""Part of the notes of a kind that have a label which is a field. At 0.05 a field of three of 79 notes is lost."""
NUMERIC = 0.9
"""Part of the texts after a label that begin with a number, from which the field is a number.

At 0.7 a rating is a number, and `1/4` is missing; at 1.0 one odd value makes a whole field text.
"""

MAX_VALUE_LENGTH = 100
"""Characters of a value that are compared with other values; longer ones are text."""
MAX_LABEL_LENGTH = 40
"""Characters of a label."""
MAX_ITEMS = 100
"""Items of a list, and labels of a note, that are looked at."""
MAX_FIELDS = 200
"""Fields of a kind; the most frequent ones are taken."""
MAX_NESTING = 3
"""Levels of maps in properties that become fields; deeper ones are values."""
MAX_HEADINGS = 3
"""Headings of a note that a subtitle alone shows to be one thing. At 6, one more folder of six vaults is a kind."""

MACHINE_PROPERTIES = frozenset(Path(__file__).with_name("machine_properties.txt").read_text("utf-8").split())
"""Properties that tell programs what to do with a note. They are no fields, unless an author says so."""

SORTING_PROPERTY = "weight"
"""The property by which Hugo sorts the notes of a folder. In other folders it is a field."""
SECTION_NOTE = "_index"
"""The name of the note about a folder in vaults for Hugo."""

WEAK_PROPERTIES = frozenset(
    (
        "author",
        "authors",
        "campaign",
        "categories",
        "category",
        "chapter",
        "description",
        "edition",
        "game",
        "id",
        "kind",
        "lang",
        "language",
        "licence",
        "license",
        "name",
        "order",
        "part",
        "series",
        "source",
        "sources",
        "status",
        "system",
        "type",
        "version",
        "world",
    )
)
"""Properties that notes of any kind have. They are fields, but do not make a kind."""

WEAK_LABELS = frozenset(
    (
        "attention",
        "caution",
        "danger",
        "example",
        "examples",
        "gm",
        "hint",
        "important",
        "info",
        "note",
        "notes",
        "optional",
        "sidebar",
        "summary",
        "tip",
        "todo",
        "variant",
        "warning",
    )
)
"""Labels that any text has. They are fields of no kind."""

SPLITTING_PROPERTIES = ("type", "kind", "category", "layout", "class")
"""Properties whose values may divide the notes of a folder into kinds."""

INTEGER = re.compile(r"[-+−]?\d{1,3}(?:,\d{3})+|[-+−]?\d+")
NUMBER = re.compile(r"[-+−]?\d+\.\d+")
DECIMAL = re.compile(rf"[-+−]?{AMBIGUOUS_COMMA.pattern}")
"""A number with a decimal comma, which is a text in YAML."""
LEADING_NUMBER = r"^[-+−]?\d[\d,]*(?=$|[ (;])"
"""The number at the start of a text."""
NUMBER_WITH_NOTE = re.compile(r"[-+−]?\d[\d,]*(?: \(.*\))?")
"""A number alone, or with a note such as `19 (natural armor)`. Other words after a number may be its unit."""
WIKI_LINK = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]")
ORDER_NUMBER = re.compile(r"\d+(?:[ ._-]|$)")


class Value(NamedTuple):
    """A value of a note, as far as the type of its field depends on it."""

    type: str
    """`integer`, `number`, `decimal`, `boolean`, `date`, `dice`, `link`, `text`, `object` or `any`."""
    text: str
    """The value as text; empty for a long one."""
    parts: "tuple[Occurrence, ...]" = ()
    """The values of an object."""


class Occurrence(NamedTuple):
    """A field source that has a value in a note."""

    method: str
    """`meta`, `inline`, `label`, `heading` or `subtitle`."""
    argument: str
    label: str
    """The name of the field as the author writes it."""
    is_list: bool
    values: tuple[Value, ...]
    parents: tuple[str, ...] = ()
    """The keys of the maps that a property is in."""

    @property
    def key(self) -> str:
        """The key of its field in the data."""
        return field_key(self.label)

    @property
    def way(self) -> str:
        """The field source in a kind file."""
        return f"{self.method}:{self.argument}" if self.argument else self.method


@dataclass(frozen=True, slots=True)
class NoteShape:
    """The facts about a note from which the kinds of its vault are inferred."""

    path: str
    names: tuple[str, ...]
    """Its title and aliases."""
    occurrences: tuple[Occurrence, ...]
    tags: tuple[str, ...]
    heading_count: int
    is_candidate: bool
    """Whether it may be an entry: it is no index, and its properties can be read."""
    statblocks: "tuple[StatblockShape, ...]" = ()

    @property
    def is_statblock(self) -> bool:
        """Whether the note as a whole is a statblock."""
        return any(shape.is_note for shape in self.statblocks)


@dataclass(frozen=True, slots=True)
class StatblockShape:
    """The facts about a statblock from which the kind of its layout is inferred."""

    kind: str
    """The kind that its layout names."""
    note: NoteShape
    """Its name and its values, like those of a note."""
    is_note: bool
    """Whether it is the record of its whole note."""


def machine_properties(rules: PropertyRules) -> frozenset[str]:
    """The field keys of the properties that are no fields in a game with these rules."""
    also, never = (frozenset(map(field_key, names)) for names in rules)
    return frozenset(map(field_key, MACHINE_PROPERTIES)) - also | never


def note_shape(document: Document, machine: frozenset[str]) -> NoteShape:
    """The contribution of a note. The text of its paragraphs is not part of it, apart from short labelled values.

    `machine`: the result of `machine_properties`.
    """
    path, metadata = document.source.path, note_data(document)
    statblocks = tuple(_statblock_shapes(document, machine))
    is_candidate = not document.has_invalid_metadata and not is_index_note(path)
    if not is_candidate:
        return NoteShape(path, (), (), (), 0, is_candidate=False, statblocks=statblocks)
    headings = [block for block in flatten_layout(document.blocks) if isinstance(block, Heading)]
    occurrences = (
        *_properties(metadata, 0, machine),
        *_inline_fields(document, machine),
        *_labels(document),
        *_headings(headings, file_stem(path)),
        *_subtitle(document),
    )
    names = (file_stem(path), *document.aliases[:MAX_ITEMS])
    tags = tuple(map(tag_key, document.tags))
    return NoteShape(path, names, occurrences, tags, len(headings), is_candidate=True, statblocks=statblocks)


def _statblock_shapes(document: Document, machine: frozenset[str]) -> Iterator[StatblockShape]:
    path = document.source.path
    for record in statblock_records(document):
        names = (record.name or file_stem(path), *(document.aliases[:MAX_ITEMS] if record.is_note else ()))
        data = {key: value for key, value in record.data.items() if normalize(key) != "name"}
        occurrences = (*_properties(data, 0, machine), *(_inline_fields(document, machine) if record.is_note else ()))
        shape = NoteShape(path, names, occurrences, (), 0, is_candidate=True)
        yield StatblockShape(record.kind, shape, record.is_note)


@cached_texts(4096)
def field_key(label: str) -> str:
    """The key in the data of a field that has this label in the text."""
    return slug(label).replace("-", "_")


def _properties(
    metadata: Mapping[str, Any],
    depth: int,
    machine: frozenset[str] = frozenset(),
    parents: tuple[str, ...] = (),
) -> Iterator[Occurrence]:
    """The values of properties. `depth`: the number of maps that they are in, of which `parents` are no list items."""
    for key, value in list(metadata.items())[:MAX_FIELDS]:
        if value in (None, {}) or field_key(key) in machine or "\n" in key or not key.strip():
            continue
        if isinstance(value, dict) and value and depth < MAX_NESTING:
            yield from _properties(value, depth + 1, parents=(*parents, key))
            continue
        items = value if isinstance(value, list) else [value]
        values = tuple(_data_value(item, depth + 1) for item in items[:MAX_ITEMS] if item is not None and item != "")
        if values:
            path = (*parents, key)
            yield Occurrence("meta", ".".join(path), " ".join(path), isinstance(value, list), values, parents)


def _data_value(value: Any, depth: int) -> Value:
    match value:
        case bool():
            return Value("boolean", str(value))
        case int():
            return Value("integer", str(value))
        case float():
            return Value("number", str(value))
        case str():
            text = " ".join(value.split())
            return Value(_type_of_text(text, is_data=True), text if len(text) <= MAX_VALUE_LENGTH else "")
        case dict() if depth <= MAX_NESTING and (parts := tuple(_properties(value, depth))):
            return Value("object", "", parts)
        case _:
            return Value("any", "")


def _text_value(text: str) -> Value:
    return Value(_type_of_text(text, is_data=False), text if len(text) <= MAX_VALUE_LENGTH else "")


def _type_of_text(text: str, *, is_data: bool) -> str:
    for name, form in FORMATS.items():
        if form.fullmatch(text):
            return name
    if WIKI_LINK.fullmatch(text):
        return "link"
    if is_data:
        return "decimal" if DECIMAL.fullmatch(text) else "text"
    if INTEGER.fullmatch(text):
        return "integer"
    return "number" if NUMBER.fullmatch(text) else "text"


def _inline_fields(document: Document, machine: frozenset[str]) -> Iterator[Occurrence]:
    if "::" not in document.source.text:
        return  # fast path: most notes have none
    by_key: dict[str, list[Any]] = defaultdict(list)
    for item in inline_fields(document.blocks):
        by_key[normalize(item.key)].append(item)
    for items in list(by_key.values())[:MAX_ITEMS]:
        key = items[0].key
        values = tuple(_text_value(item.value) for item in items[:MAX_ITEMS] if item.value)
        if values and field_key(key) not in machine:
            yield Occurrence("inline", key, key, len(values) > 1, values)


def _labels(document: Document) -> Iterator[Occurrence]:
    """The labels in bold that occur once in a note. A label that recurs belongs to several entities."""
    found: dict[str, list[LabelledText]] = defaultdict(list)
    for lines in paragraphs(document.blocks):
        for index, line in enumerate(lines):
            label = bold_label(line).strip("*_ ")
            if label[:1].isalpha() and 1 < len(label) <= MAX_LABEL_LENGTH and "::" not in line.text:
                found[normalize(label)].append(LabelledText(bold_label(line), lines, index))
    for name, labelled in list(found.items())[:MAX_ITEMS]:
        if len(labelled) == 1 and name not in WEAK_LABELS and labelled[0].text:
            label = labelled[0].label.strip("*_ ")
            yield Occurrence("label", label, label, is_list=False, values=(_text_value(labelled[0].text),))


def _headings(headings: Sequence[Heading], stem: str) -> Iterator[Occurrence]:
    counts = Counter(one_line(heading) for heading in headings)
    for title, count in list(counts.items())[:MAX_ITEMS]:
        is_label = 0 < len(title) <= MAX_LABEL_LENGTH and normalize(title) not in WEAK_LABELS
        if count == 1 and is_label and slug(title) != slug(stem):
            yield Occurrence("heading", title, title, is_list=False, values=(Value("text", ""),))


def _subtitle(document: Document) -> Iterator[Occurrence]:
    if (line := subtitle(document.blocks)) is not None:
        yield Occurrence("subtitle", "", "Subtitle", is_list=False, values=(_text_value(one_line(line)),))


# --- notes that are of one kind


@dataclass(frozen=True, eq=False)
class _Group:
    """Notes that may be of one kind."""

    folders: tuple[str, ...]
    """Globs of folders."""
    name: str
    """The name of the folder, or the value of the property that sets the notes apart."""
    notes: tuple[NoteShape, ...]
    condition: tuple[str, str] = ("", "")
    """A property or `tag`, and its value, which set the notes apart from others in the folder."""
    is_given: bool = False
    """Whether `folders` in `game.yaml` gives these folders one kind."""
    statblock: str = ""
    """The kind of a layout whose statblocks are of this kind too, and are among `notes`; empty for none."""
    without_statblocks: "_Group | None" = None
    """The group of the notes in the folders alone; `None` if there is no other, and for a group without statblocks."""

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of notes by field key."""
        return Counter(chain.from_iterable({o.key for o in note.occurrences} for note in self.notes))

    @cached_property
    def shared(self) -> dict[str, Occurrence]:
        """The most frequent source of each field that nearly all notes have, by key."""
        number = len(self.notes)
        keys = {key for key, count in self.counts.items() if count >= SHARED * number or (count == number - 1 >= 3)}
        ways: dict[str, Counter[str]] = defaultdict(Counter)
        first: dict[str, Occurrence] = {}
        for occurrence in chain.from_iterable(note.occurrences for note in self.notes):
            if occurrence.key in keys:
                ways[occurrence.key][occurrence.way] += 1
                first.setdefault(occurrence.way, occurrence)
        return {key: first[of_key.most_common(1)[0][0]] for key, of_key in ways.items()}

    @cached_property
    def evidence(self) -> tuple[Occurrence, ...]:
        """The shared fields that make these notes a kind; empty if they are none."""
        if len(self.notes) < MIN_NOTES or not self.folders:
            return ()
        by_method: dict[str, list[Occurrence]] = defaultdict(list)
        for key, occurrence in self.shared.items():
            if occurrence.method not in ("meta", "inline") or key not in WEAK_PROPERTIES:
                by_method[occurrence.method].append(occurrence)
        data, labels = (*by_method["meta"], *by_method["inline"]), by_method["label"]
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
        return tuple(by_method["heading"]) if len(by_method["heading"]) > 1 else ()


def _distinctness(groups: Sequence[_Group], notes: Sequence[NoteShape]) -> float:
    """The part of their shared fields that groups do not share with the other notes; other notes count as 0."""
    all_counts = Counter(chain.from_iterable({o.key for o in note.occurrences} for note in notes))
    total = 0.0
    for group in groups:
        others = len(notes) - len(group.notes)
        keys = [key for key in group.shared if key not in WEAK_PROPERTIES]
        distinct = [key for key in keys if all_counts[key] - group.counts[key] < RARE * others]
        total += len(group.notes) * len(distinct) / max(len(keys), 1)
    return total / max(len(notes), 1)


def _are_one_kind(groups: Sequence[_Group], whole: _Group) -> bool:
    """Whether the kinds of subfolders are one with the other notes of a folder."""
    in_groups = {note.path for group in groups for note in group.notes}
    others = [note for note in whole.notes if note.path not in in_groups]
    keys = {occurrence.key for occurrence in whole.evidence}
    alike = sum(any(occurrence.key in keys for occurrence in note.occurrences) for note in others)
    return alike * 2 >= len(others) and _distinctness(groups, whole.notes) < DISTINCT


def _groups(notes: Sequence[NoteShape]) -> list[_Group]:
    """The groups of notes in a vault that are kinds, from its folders and from properties that set notes apart."""
    direct: dict[str, list[NoteShape]] = defaultdict(list)
    subfolders: dict[str, set[str]] = defaultdict(set)
    for note in notes:
        folder = dirname(note.path)
        direct[folder].append(note)
        while folder:
            parent = dirname(folder)
            subfolders[parent].add(folder)
            folder = parent

    def visit(folder: str) -> tuple[list[_Group], list[NoteShape]]:
        """The kinds in a folder, and all notes in it."""
        if not direct[folder] and len(subfolders[folder]) == 1:
            return visit(*subfolders[folder])
        visited = [visit(subfolder) for subfolder in sorted(subfolders[folder])]
        below = [group for groups, _ in visited for group in groups]
        all_notes = [*direct[folder], *chain.from_iterable(notes for _, notes in visited)]
        whole = _Group((f"{folder}/**" if folder else "**",), basename(folder), tuple(all_notes))
        if whole.evidence and (not below or (folder and _are_one_kind(below, whole))):
            return _divided(whole) or [whole], all_notes
        if not below:
            return _divided(whole), all_notes
        own = _Group((folder or ".",), basename(folder), tuple(direct[folder]))
        divided = _divided(own)
        return [*below, *(divided or ([own] if own.evidence else []))], all_notes

    return visit("")[0]


def _divided(whole: _Group) -> list[_Group]:
    """The kinds into which a property or tag divides notes: its values recur, each with fields of its own."""
    for name in (*SPLITTING_PROPERTIES, "tag"):
        by_value: dict[str, list[NoteShape]] = defaultdict(list)
        for note in whole.notes:
            if value := _dividing_value(note, name):
                by_value[value].append(note)
        groups = [
            _Group(whole.folders, value, tuple(notes), (name, value))
            for value, notes in by_value.items()
            if len(notes) >= MIN_NOTES
        ]
        groups = [group for group in groups if group.evidence]
        if whole.evidence and sum(len(group.notes) for group in groups) < SHARED * len(whole.notes):
            continue
        if len(groups) > 1 and _distinctness(groups, whole.notes) >= DISTINCT:
            return groups
    return []


def _dividing_value(note: NoteShape, name: str) -> str:
    if name == "tag":
        return note.tags[0].partition("/")[0] if note.tags else ""
    values = [o.values for o in note.occurrences if o.method == "meta" and o.argument.casefold() == name]
    return values[0][0].text if len(values) == 1 and len(values[0]) == 1 and values[0][0].type == "text" else ""


# --- the texts of kind files


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field of a found kind."""

    key: str
    schema: Mapping[str, Any]
    """Its schema in a kind file."""
    count: int
    """Number of notes that have it."""


@dataclass(frozen=True, slots=True)
class FoundKind:
    """A kind that is inferred from the notes of a vault."""

    id: str
    title: str
    folders: tuple[str, ...]
    note_count: int
    head: str
    """The text of the kind file before its fields."""
    fields: tuple[FoundField, ...]

    @property
    def text(self) -> str:
        """The kind file without comments, which has no numbers that change with each note."""
        return self.head + "".join(f"  {found.key}: {flow(found.schema)}\n" for found in self.fields)

    def commented_text(self, entities: Sequence[Mapping[str, Any]]) -> str:
        """The kind file for a reader, with what the fields of these entities hold as comments."""
        fields = ""
        for found in self.fields:
            values = _values_comment(observed_schema(found.schema, [entity.get(found.key) for entity in entities]))
            comment = f"  # {found.count} of {self.note_count} notes{values}\n" if found.count else ""
            fields += f"{comment}  {found.key}: {flow(found.schema)}\n"
        return f"# Found in {self.note_count} notes. Change it as you like.\n{self.head}{fields}"


def _values_comment(schema: Mapping[str, Any]) -> str:
    """The end of a comment about a field: the choices or bounds of its values; empty if there are none."""
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
    language: str,
    properties: PropertyRules,
    folders: Sequence[tuple[str, str]],
    infers_kinds: bool,
) -> tuple[FoundKind, ...]:
    """The kinds of a game with this title that its notes define, in the order of the notes.

    `taken`: ids that they cannot have. `folders`: globs of folders, each with the id of the kind that the author gives
    it, where kinds are not inferred. Only the names of an English vault get a plural; in another language the name
    stays as it is.
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
    """The kinds, and those that the `texts` of kind files define. `order`: the ids of the kinds that come first."""
    found = {}
    for kind_id, text in texts:
        # Notes with names that a kind file cannot have stay pages.
        with suppress(InvalidData):
            found[kind_id] = parse_kind(kind_id, text, lambda _: None)
    by_id = {**kinds, **found}
    return {kind_id: by_id[kind_id] for kind_id in (*order, *by_id) if kind_id in by_id}


def _without_sorting(shapes: Sequence[NoteShape]) -> tuple[NoteShape, ...]:
    """The notes without the weights that sort them.

    Weights sort the notes of a folder with an `_index` note if they are integers and all differ.
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
    title: str, taken: Sequence[str], shapes: Sequence[NoteShape], language: str
) -> tuple[FoundKind, ...]:
    notes = [shape for shape in shapes if shape.is_candidate and not shape.is_statblock]
    groups = _with_ids(title, taken, _groups(notes))
    return _kinds_of_groups(title, _with_statblocks(groups, taken, shapes), language)


def _with_statblocks(
    groups: Mapping[str, _Group], taken: Sequence[str], shapes: Sequence[NoteShape]
) -> Mapping[str, _Group]:
    """The groups with those of statblocks. Statblocks are of the kind of a folder if it has the same id."""
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
            result[kind_id] = _Group((), name, tuple(notes), statblock=kind)
    return result


def _kinds_of_folders(
    folders: Sequence[tuple[str, str]], shapes: Sequence[NoteShape], language: str
) -> tuple[FoundKind, ...]:
    """The kinds that the author gives to folders. `folders`: globs, each with the id of the kind."""
    globs_of_kind: dict[str, list[str]] = defaultdict(list)
    for glob, kind_id in folders:
        globs_of_kind[kind_id].append(glob if "*" in glob else f"{glob.rstrip('/')}/**")
    groups: dict[str, _Group] = {}
    for kind_id, globs in globs_of_kind.items():
        patterns = [folder_pattern(glob) for glob in globs]
        notes = tuple(
            shape
            for shape in shapes
            if shape.is_candidate and any(pattern.fullmatch(folder_path(shape.path)) for pattern in patterns)
        )
        name = basename(globs[0].removesuffix("/**"))
        if _kind_id(name) != kind_id:
            title = title_case(kind_id.replace("-", " "))
            name = _plural(title, language)
        groups[kind_id] = _Group(tuple(globs), name, notes, is_given=True)
    return _kinds_of_groups("", groups, language)


def _kinds_of_groups(title: str, groups: Mapping[str, _Group], language: str) -> tuple[FoundKind, ...]:
    kind_of_name: dict[str, set[str]] = defaultdict(set)
    for kind_id, group in groups.items():
        for name in chain.from_iterable(note.names for note in group.notes):
            kind_of_name[normalize(name)].add(kind_id)
    has_statblocks = any(group.statblock for group in groups.values())
    return tuple(
        _found_kind(kind_id, title, group, kind_of_name, language, has_statblocks=has_statblocks)
        for kind_id, group in groups.items()
    )


def _with_ids(title: str, taken: Sequence[str], groups: Sequence[_Group]) -> dict[str, _Group]:
    """The groups by id. Groups of folders with the same name are one kind if they have the same fields."""
    by_id: dict[str, list[_Group]] = defaultdict(list)
    for group in groups:
        by_id[_kind_id(group.name or title)].append(group)
    reserved = {*taken, *RESERVED_IDS, *RESERVED_SLUGS}
    result: dict[str, _Group] = {}
    for kind_id, same_name in by_id.items():
        first = same_name[0]
        folders = tuple(dict.fromkeys(chain.from_iterable(group.folders for group in same_name)))
        merged = _Group(folders, first.name, tuple(chain.from_iterable(g.notes for g in same_name)), first.condition)
        is_same = len({group.condition for group in same_name}) == 1
        if len(same_name) > 1 and (not is_same or _distinctness(same_name, merged.notes) >= DISTINCT):
            parts = [
                (_kind_id(f"{basename(dirname(g.folders[0].removesuffix('/**')))} {g.name}"), g) for g in same_name
            ]
        else:
            parts = [(kind_id, merged)]
        for own_id, group in parts:
            free_id = f"{own_id}-note" if own_id in reserved else own_id
            number = 2
            while free_id in result:
                free_id, number = f"{own_id}-{number}", number + 1
            result[free_id] = group
    return result


def _plural(name: str, language: str) -> str:
    return plural(name) if language == "en" else name


def _kind_id(name: str) -> str:
    return folder_name(singular(_words(name)))


def _words(name: str) -> str:
    """The name of a folder as words."""
    shown = display_title(name)
    return " ".join((shown if " " in shown else re.sub(r"[-_]+", " ", shown)).split()) or name


def _found_kind(
    kind_id: str,
    title: str,
    group: _Group,
    kind_of_name: Mapping[str, set[str]],
    language: str,
    *,
    has_statblocks: bool,
) -> FoundKind:
    words = _words(group.name or title)
    singular_name = singular(words)
    is_one = bool(group.condition[0]) or not group.folders  # named by the value of a property, or by a statblock
    plural_name = words if singular_name != words else _plural(words, language) if is_one else words
    matches: list[Mapping[str, Any]] = [{"statblock": group.statblock}] if group.statblock else []
    if group.folders:
        matches.append(_document_match(group.without_statblocks or group, has_statblocks=has_statblocks))
    match = matches[0] if len(matches) == 1 else matches
    head = (
        f"title: {flow(_shown(singular_name))}\nx-plural: {flow(_shown(plural_name))}\nx-lenient: true\n"
        f"x-match: {flow(match)}\nrequired: [id, name]\nadditionalProperties: false\nproperties:\n"
        "  id: {type: string, x-from: slug}\n"
    )
    fields = tuple(_fields(kind_id, group, kind_of_name))
    return FoundKind(kind_id, _shown(singular_name), group.folders, len(group.notes), head, fields)


def _document_match(group: _Group, *, has_statblocks: bool) -> Mapping[str, Any]:
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
    # Notes must have the evidence of the kind. With a single field of evidence they need not: a note without it is
    # reported as a missing field. That does not hold for a subtitle, which is optional.
    if not group.is_given and (len(keys) > 1 or keys == {"subtitle"}):
        match["with"] = _evidence_ways(group, keys)
    if has_statblocks and not group.is_given:
        match["without"] = "statblock"
    return match


def _evidence_ways(group: _Group, keys: Collection[str]) -> list[str]:
    """The field sources that show a note to be of the kind, the usual ones first."""
    is_heading = any(occurrence.method == "heading" for occurrence in group.evidence)
    all_ways = (o for note in group.notes for o in note.occurrences if o.key in keys)
    ways = dict.fromkeys(o.way for o in all_ways if is_heading or o.method != "heading")
    return [*dict.fromkeys((*(occurrence.way for occurrence in group.evidence), *ways))]


def _shown(words: str) -> str:
    """Words as a title. Capital letters that the author wrote stay, as in `NPC`."""
    return title_case(words) if words.islower() else words[:1].upper() + words[1:]


@dataclass(eq=False)
class _FieldFacts:
    """The occurrences of one field in the notes of a kind."""

    label: str
    parents: tuple[str, ...] = ()
    notes: int = 0
    ways: dict[str, Occurrence] = field(default_factory=dict)
    is_list: bool = False
    values: list[Value] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The label without the keys of the maps that the field is in."""
        return self.label.removeprefix(" ".join(self.parents)).strip()


METHODS = ("meta", "inline", "label", "heading", "subtitle")
"""Methods of field sources, the one that counts before the others first."""
METHODS_WITHOUT_HEADINGS = tuple(method for method in METHODS if method != "heading")


def _fields(kind_id: str, group: _Group, kind_of_name: Mapping[str, set[str]]) -> Iterator[FoundField]:
    name_ways = _name_ways(group)
    yield FoundField("name", {"type": "string", "x-from": [*name_ways, "title"] if name_ways else "title"}, 0)
    aliases = {"type": "array", "items": {"type": "string"}, "x-from": ["meta:aliases", "meta:alias"]}
    yield FoundField("aliases", aliases, 0)
    # Text below other headings is the body of the note.
    methods = METHODS if {o.method for o in group.evidence} == {"heading"} else METHODS_WITHOUT_HEADINGS
    facts = _facts((note.occurrences for note in group.notes), methods)
    for key in ("id", "name", "aliases"):
        facts.pop(key, None)
    number = len(group.notes)
    frequent = {
        key: known
        for key, known in facts.items()
        if any(o.method in ("meta", "inline") for o in known.ways.values())
        or (
            any(o.method in ("label", "subtitle") for o in known.ways.values())
            and known.notes >= max(min(MIN_NOTES, number / 2), MIN_LABEL_SHARE * number)
        )
        or key in group.shared
    }
    if len(frequent) > MAX_FIELDS:
        order = sorted(frequent, key=lambda key: -frequent[key].notes)[:MAX_FIELDS]
        frequent = {key: frequent[key] for key in frequent if key in order}
    objects: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for key, known in frequent.items():
        is_expected = known.notes >= EXPECTED * number or known.notes == number - 1 >= 2
        for own_key, schema in _field_schemas(key, known, kind_id, kind_of_name, is_expected=is_expected):
            top = _add_field(objects, known, own_key, schema, facts)
            counts[top] = max(counts.get(top, 0), known.notes)
    for key, schema in objects.items():
        yield FoundField(key, schema, counts[key])


def _facts(of_notes: Iterable[Sequence[Occurrence]], methods: Sequence[str]) -> dict[str, _FieldFacts]:
    """The facts of all fields, by key, from the occurrences in each note."""
    facts: dict[str, _FieldFacts] = {}
    for of_note in of_notes:
        by_key: dict[str, list[Occurrence]] = defaultdict(list)
        for occurrence in of_note:
            if occurrence.method in methods:
                by_key[occurrence.key].append(occurrence)
        for key, occurrences in by_key.items():
            first = min(occurrences, key=lambda o: METHODS.index(o.method))
            known = facts.setdefault(key, _FieldFacts(first.label, first.parents))
            known.notes += 1
            known.is_list = known.is_list or first.is_list
            known.values.extend(first.values)
            for occurrence in occurrences:
                known.ways.setdefault(occurrence.way, occurrence)
    return facts


def _add_field(
    schemas: dict[str, dict[str, Any]],
    known: _FieldFacts,
    key: str,
    schema: dict[str, Any],
    facts: Mapping[str, _FieldFacts],
) -> str:
    """Add the schema of a field, or of a property in a map to that of the map. The result is the key at the top."""
    if not known.parents or field_key(known.parents[0]) in facts:
        schemas[key] = schema
        return key
    properties = schemas
    for parent in known.parents:
        empty = {"title": _title(parent), "type": ["object", "null"], "properties": {}}
        properties = properties.setdefault(field_key(parent), empty).get("properties", properties)
    part = {name: value for name, value in schema.items() if name != "x-expected"}
    if properties == schemas or field_key(known.name) in properties:
        # The property is a map in one note and a value in another.
        schemas[key] = part
        return key
    properties[field_key(known.name)] = part | {"title": _title(known.name)}
    return field_key(known.parents[0])


def _name_ways(group: _Group) -> list[str]:
    """The field sources of a property or an inline field `name`; none if one of its values is no text."""
    named = [o for note in group.notes for o in note.occurrences if o.key == "name" and o.method in ("meta", "inline")]
    if any(value.type in ("object", "any", "boolean") for occurrence in named for value in occurrence.values):
        return []
    return list(dict.fromkeys(occurrence.way for occurrence in sorted(named, key=lambda o: METHODS.index(o.method))))


def _field_schemas(
    key: str, known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]], *, is_expected: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The key and the schema of a field, and of the text beside a number."""
    ways = [o.way for o in sorted(known.ways.values(), key=lambda o: METHODS.index(o.method))]
    methods = {o.method for o in known.ways.values()}
    schema: dict[str, Any] = {"title": _title(known.label)}
    source: Any = ways[0] if len(ways) == 1 else ways
    texts = [value.text for value in known.values]
    numeric = [text for text in texts if NUMBER_WITH_NOTE.fullmatch(text)]
    if "meta" not in methods and not known.is_list and len(numeric) >= NUMERIC * len(texts):
        is_plain = all(INTEGER.fullmatch(text) for text in texts)
        sources = [{**_way(way), "pattern": LEADING_NUMBER} for way in ways]
        number_source = source if is_plain else sources[0] if len(sources) == 1 else sources
        has_decimals = any(AMBIGUOUS_COMMA.search(text) for text in numeric)
        schema |= {"type": ["number" if has_decimals else "integer", "null"], "x-from": number_source}
        yield key, schema | ({"x-expected": True} if is_expected else {})
        if not is_plain:
            printed = {"title": f"{_title(known.label)} (text)", "type": ["string", "null"], "x-from": source}
            yield f"{key}_text", printed
        return
    schema |= _type(known, kind_id, kind_of_name)
    schema["x-from"] = source
    if is_expected:
        schema["x-expected"] = True
    if methods == {"heading"}:
        schema["x-free"] = True
    yield key, schema


def _way(way: str) -> dict[str, Any]:
    method, _, argument = way.partition(":")
    return {method: argument or True}


def _title(label: str) -> str:
    """The name of a property as the author spells it; a key such as `hp`, `save_dc` as words."""
    is_key = label.islower() and " " not in label
    return key_label(label) if is_key else label[:1].upper() + label[1:]


def _type(known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]]) -> dict[str, Any]:
    """The type of a field, and the kind that it refers to."""
    if known.is_list and {value.type for value in known.values} == {"object"}:
        facts = _facts((value.parts for value in known.values), METHODS)
        properties: dict[str, dict[str, Any]] = {}
        for key, part in list(facts.items())[:MAX_FIELDS]:
            for own_key, schema in _field_schemas(key, part, kind_id, kind_of_name, is_expected=False):
                _add_field(properties, part, own_key, schema, facts)
        return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}}
    referenced = _referenced_kind(known, kind_id, kind_of_name)
    item = {"type": "string"} if referenced else _item_type(known)
    refers = {"x-refers": [referenced]} if referenced else {}
    if known.is_list:
        return {"type": ["array", "null"], "items": item, **refers}
    if "type" not in item:
        return item
    types = item["type"]
    return {**item, "type": [*(types if isinstance(types, list) else [types]), "null"], **refers}


def _item_type(known: _FieldFacts) -> dict[str, Any]:
    types = {value.type for value in known.values}
    if "decimal" in types:
        # `1,5` may be a list of two numbers, `0,5` is a number.
        are_numbers = types <= {"decimal", "integer", "number"} and any(map(_has_no_whole, known.values))
        types = types - {"decimal"} | {"number" if are_numbers else "text"}
    if types & {"object", "any"}:
        return {"type": "string"}
    if len(types) == 1 and types <= FORMATS.keys():
        return {"type": "string", "format": next(iter(types))}
    if types in ({"integer", "number"}, {"number"}):
        return {"type": "number"}
    names: list[str] = [name for name in ("integer", "number", "boolean") if name in types]
    names += ["string"] if types - {"integer", "number", "boolean"} else []
    return {"type": names[0] if len(names) == 1 else names}


def _has_no_whole(value: Value) -> bool:
    return value.type == "decimal" and value.text.lstrip("-+−").startswith("0,")


def _referenced_kind(known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]]) -> str:
    """The kind whose entries the values name; empty if they do not."""
    types = {value.type for value in known.values}
    if not types <= {"link", "text"} or not known.values:
        return ""
    is_linked = types == {"link"}
    votes: Counter[str] = Counter()
    for value in known.values:
        match = WIKI_LINK.fullmatch(value.text)
        kinds = kind_of_name.get(normalize(basename(match[1]) if match else value.text), ())
        votes.update(kind for kind in kinds if is_linked or kind != kind_id)
    for kind, count in votes.most_common(1):
        distinct = len({value.text for value in known.values})
        if count >= (SHARED if is_linked else 1) * len(known.values) and (is_linked or distinct > 1):
            return kind
    return ""
