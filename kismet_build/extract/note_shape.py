"""The shape of a note: its fields and the types of their values, from which the kinds of a vault are inferred."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from posixpath import basename, dirname
from typing import Any, NamedTuple

from kismet_build.config.library import PropertyRules
from kismet_build.config.observed_schema import FORMATS
from kismet_build.extract import labels
from kismet_build.extract.match_result import BRACKETS, inline_fields, one_line, subtitle
from kismet_build.extract.statblocks import note_data, statblock_records
from kismet_build.extract.value import AMBIGUOUS_COMMA
from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, info
from kismet_build.model.nodes import flatten_layout, walk_blocks
from kismet_build.model.source import file_stem
from kismet_build.model.tag import tag_key
from kismet_build.model.text_cache import cached_texts
from kismet_build.model.text_normalization import bare_label, normalize, normalize_label, slug

MAX_VALUE_LENGTH = 100
"""Maximum length of a value whose text is kept, in characters."""
ANY_UNCERTAIN = ("",)
"""Stands for the keys of all labels in italics before a colon, until these keys are known."""
MAX_LABELS_OF_LINE = 20
"""Maximum number of words in bold or italics within a line that are examined as labels."""
MAX_ITEMS = 100
"""Maximum number of list items, and of labels in a note, that are examined."""
MAX_FIELDS = 200
"""Maximum number of fields in a kind. The most frequent fields are kept."""
MAX_NESTING = 3
"""Maximum depth of nested maps whose properties become fields. Deeper maps are values."""


MACHINE_PROPERTIES = frozenset(Path(__file__).with_name("machine_properties.txt").read_text("utf-8").split())
"""Properties that tell programs what to do with a note. Such properties are fields only if the author asks for them."""


INTEGER = re.compile(r"[-+−]?\d{1,3}(?:,\d{3})+|[-+−]?\d+")
NUMBER = re.compile(r"[-+−]?\d+\.\d+")
DECIMAL = re.compile(rf"[-+−]?{AMBIGUOUS_COMMA.pattern}")
"""A number with a decimal comma. YAML reads such a number as text."""
WIKI_LINK = re.compile(r"\[\[([^\]|#]*)[^\]]*\]\]")


class Value(NamedTuple):
    """The facts about a value that decide the type of its field."""

    type: str
    """`integer`, `number`, `decimal`, `boolean`, `date`, `dice`, `link`, `text`, `object` or `any`."""
    text: str
    """The value as text; empty for a long value, an object and `any`."""
    parts: "tuple[Occurrence, ...]" = ()
    """The values of an object."""


class Occurrence(NamedTuple):
    """A field source with a value in a note."""

    method: str
    """`meta`, `inline`, `label`, `tag`, `brackets`, `heading` or `subtitle`."""
    argument: str
    label: str
    """The name of the field as the author writes it."""
    is_list: bool
    values: tuple[Value, ...]
    parents: tuple[str, ...] = ()
    """The keys of the maps around a property."""
    needs: tuple[str, ...] = ()
    """Keys of fields. If there are any, nearly all notes of a kind must have this field or one of those."""
    ends: tuple[tuple[str, Value], ...] = ()
    """The keys of the fields that may follow on the line, in order.

    With each comes the value that ends before it, in case it is a field.
    """
    line_label: str = ""
    """The key of the label at the start of the line, or empty. The occurrence is a field only if that label is."""
    is_header: bool = False
    """Whether the label is in the header of a table, such as `Range | 30`. It is a field only if its values differ."""

    @property
    def key(self) -> str:
        return field_key(self.label)

    @property
    def way(self) -> str:
        return f"{self.method}:{self.argument}" if self.argument else self.method


@dataclass(frozen=True, slots=True)
class NoteShape:
    """The facts about a note that are needed to infer the kinds of its vault."""

    path: str
    names: tuple[str, ...]
    """The file name, or the name of a statblock, and the aliases of the note."""
    occurrences: tuple[Occurrence, ...]
    tags: tuple[str, ...]
    heading_count: int
    is_candidate: bool
    """Whether the note may be an entity: it is not an index, and its properties can be read."""
    statblocks: "tuple[StatblockShape, ...]" = ()

    @property
    def is_statblock(self) -> bool:
        return any(shape.is_note for shape in self.statblocks)


@dataclass(frozen=True, slots=True)
class StatblockShape:
    """The facts about a statblock that are needed to infer the kind of its layout."""

    kind: str
    """The kind named by the layout."""
    note: NoteShape
    """The name and the values of the statblock, in the form of a note."""
    is_note: bool
    """Whether the statblock is the record of the whole note."""


def machine_properties(rules: PropertyRules) -> frozenset[str]:
    """The field keys of the properties that are not fields, by these rules."""
    also, never = (frozenset(map(field_key, names)) for names in rules)
    return frozenset(map(field_key, MACHINE_PROPERTIES)) - also | never


def note_shape(document: nodes.Document, machine: frozenset[str]) -> Diagnosed[NoteShape]:
    """The shape of a note. `machine`: the result of `machine_properties`."""
    path, metadata = document.source.path, note_data(document)
    statblocks = tuple(_statblock_shapes(document, machine))
    is_candidate = not document.has_invalid_metadata and not is_index_note(path)
    if not is_candidate:
        return Diagnosed(NoteShape(path, (), (), (), 0, is_candidate=False, statblocks=statblocks))
    headings = [block for block in flatten_layout(document.blocks) if isinstance(block, nodes.Heading)]
    labelled = tuple(_labels(document, {normalize(one_line(heading)) for heading in headings}))
    occurrences = (
        *_properties(metadata, 0, machine),
        *_inline_fields(document, machine),
        *labelled[:MAX_ITEMS],
        *_values_in_tags(document),
        *_in_brackets(document),
        *_headings(headings, file_stem(path)),
        *_subtitle(document),
    )
    names = (file_stem(path), *document.aliases[:MAX_ITEMS])
    tags = tuple(map(tag_key, document.tags))
    shape = NoteShape(path, names, occurrences, tags, len(headings), is_candidate=True, statblocks=statblocks)
    return Diagnosed(shape, _unread_labels(document, len(labelled)) if len(labelled) > MAX_ITEMS else ())


def _unread_labels(document: nodes.Document, number: int) -> tuple[Diagnostic]:
    message = f"this note has {number} labels, and only the first {MAX_ITEMS} can be fields"
    hint = "divide the note, or write properties"
    return (info("unread-labels", document.source.span(0, 0), message, hint),)


def _statblock_shapes(document: nodes.Document, machine: frozenset[str]) -> Iterator[StatblockShape]:
    path = document.source.path
    for record in statblock_records(document):
        names = (record.name or file_stem(path), *(document.aliases[:MAX_ITEMS] if record.is_note else ()))
        data = {key: value for key, value in record.data.items() if normalize(key) != "name"}
        occurrences = (*_properties(data, 0, machine), *(_inline_fields(document, machine) if record.is_note else ()))
        shape = NoteShape(path, names, occurrences, (), 0, is_candidate=True)
        yield StatblockShape(record.kind, shape, record.is_note)


@cached_texts(4096)
def field_key(label: str) -> str:
    """The data key of a field with this label in the text."""
    return slug(label).replace("-", "_")


def _properties(
    metadata: Mapping[str, Any],
    depth: int,
    machine: frozenset[str] = frozenset(),
    parents: tuple[str, ...] = (),
) -> Iterator[Occurrence]:
    """The values of properties.

    `depth`: number of enclosing maps. `parents`: the keys of these maps, except within lists.
    """
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


def _inline_fields(document: nodes.Document, machine: frozenset[str]) -> Iterator[Occurrence]:
    if "::" not in document.source.text:
        return  # fast path: most notes have no inline fields
    by_key: dict[str, list[Any]] = defaultdict(list)
    for item in inline_fields(document.blocks):
        by_key[normalize(item.key)].append(item)
    for items in list(by_key.values())[:MAX_ITEMS]:
        key = items[0].key
        values = tuple(_text_value(item.value) for item in items[:MAX_ITEMS] if item.value)
        if values and field_key(key) not in machine:
            yield Occurrence("inline", key, key, len(values) > 1, values)


def _labels(document: nodes.Document, headings: Collection[str]) -> Iterator[Occurrence]:
    """The labels that occur once in a note. A label that recurs belongs to several entities.

    Uncertain labels with the name of a heading in the note are left out, because the field is the text below the
    heading.
    """
    found: dict[str, list[Occurrence]] = defaultdict(list)
    for block in walk_blocks(*document.blocks):
        match block:
            case nodes.Paragraph():
                lines = labels.labelled_lines(block)
                # A line with a label does not continue the value above it, even after a soft line break.
                lines = tuple(line._replace(is_soft=line.is_soft and not labels.leading_label(line)) for line in lines)
                occurrences = [o for index in range(len(lines)) for o in _labels_of_line(lines, index)]
            case nodes.Table() | nodes.DefinitionList():
                occurrences = [*_labels_of_pairs(block)]
            case _:
                continue
        for occurrence in occurrences:
            found[normalize_label(occurrence.argument)].append(occurrence)
    uncertain = (o.key for occurrences in found.values() for o in occurrences if o.needs == ANY_UNCERTAIN)
    any_uncertain = tuple(islice(dict.fromkeys(uncertain), MAX_ITEMS))
    for name, occurrences in found.items():
        certain = [occurrence for occurrence in occurrences if not occurrence.needs]
        is_heading = not certain and name in headings
        if len(certain or occurrences) == 1 and name not in labels.WEAK_LABELS and not is_heading:
            for occurrence in certain or occurrences:
                yield occurrence._replace(needs=any_uncertain) if occurrence.needs == ANY_UNCERTAIN else occurrence


def _labels_of_line(lines: tuple[labels.Line, ...], index: int) -> Iterator[Occurrence]:
    """The label of a line, and words within the line that are labels if nearly all notes of the kind have them.

    Words in italics before a colon are also labels if nearly all notes have another label of this form.
    """
    line = lines[index]
    label = labels.leading_label(line)
    if not label or "::" in line.text:
        return
    within = [found for found in labels.labels_within(line) if _is_label(found.label)][:MAX_LABELS_OF_LINE]
    starts = [labels.LabelledText(label, lines, index)]
    for found in within:
        starts.append(labels.LabelledText(found.label, (line._replace(inlines=line.inlines[found.position :]),), 0))
    for number, start in enumerate(starts):
        if not _is_label(start.label) or not (text := start.text):
            continue
        name = bare_label(start.label)
        following = within[number:]
        ends = tuple(
            (field_key(bare_label(found.label)), _text_value(labels.value_before(text.partition(found.label)[0])))
            for found in following
        )
        is_certain = not number and labels.has_plain_label(line)
        has_colon = line.text[len(label) :].lstrip().startswith(":")
        needs = () if is_certain else ANY_UNCERTAIN if has_colon else (field_key(name),)
        # `**Bite**` may name a part of the note. If it does, the words after it belong to the text of that part.
        line_label = field_key(bare_label(label)) if number and (labels.has_plain_label(line) or not has_colon) else ""
        value = _text_value(text)
        yield Occurrence("label", name, name, False, (value,), needs=needs, ends=ends, line_label=line_label)


def _labels_of_pairs(block: nodes.Table | nodes.DefinitionList) -> Iterator[Occurrence]:
    """The labels of a table or definition list. Labels of a table count only if nearly all notes have one of them."""
    lines = labels.lines_of_pairs(block)
    header = block.header.cells[0].span if isinstance(block, nodes.Table) and len(lines) > 1 else None
    has_header = bool(lines) and lines[0].inlines[0].span == header
    names = [bare_label(labels.leading_label(line)) for line in lines]
    of_table = tuple(map(field_key, names[has_header:])) if isinstance(block, nodes.Table) else ()
    for index, line in enumerate(lines):
        labelled = labels.LabelledText(labels.leading_label(line), lines, index)
        if text := labelled.text:
            name, value = names[index], _text_value(text)
            is_header = has_header and not index
            needs = (field_key(name),) if is_header else of_table
            yield Occurrence("label", name, name, False, (value,), needs=needs, is_header=is_header)


def _is_label(label: str) -> bool:
    name = bare_label(label)
    return name[:1].isalpha() and 1 < len(name) <= labels.MAX_LABEL_LENGTH


def _values_in_tags(document: nodes.Document) -> Iterator[Occurrence]:
    """The values at the end of nested tags: 8 of `#Creature/Level/8`.

    A number counts if nearly all notes have one. A word counts only if there is another such tag, because
    `#Creature/Undead` alone is an ordinary nested tag.
    """
    values: dict[str, list[str]] = {}
    for tag in document.tags[:MAX_ITEMS]:
        prefix, _, value = tag.rpartition("/")
        if prefix and value:
            values.setdefault(prefix, []).append(value)
    for prefix, texts in values.items():
        root, _, name = prefix.rpartition("/")
        beside = [other for other in values if other != prefix and root and other.startswith(f"{root}/")]
        is_number = all(map(INTEGER.fullmatch, texts))
        if root and (is_number or beside):
            needs = tuple(field_key(other.rpartition("/")[2]) for other in ([prefix] if is_number else beside))
            label = name.replace("-", " ").replace("_", " ")
            found = tuple(map(_text_value, texts))
            yield Occurrence("tag", prefix, label, len(texts) > 1, found, needs=needs)


def _in_brackets(document: nodes.Document) -> Iterator[Occurrence]:
    """The number after a word in brackets at the end of a heading that starts a note: 2 of `Pilot (Rank 2)`."""
    first = document.blocks[0] if document.blocks else None
    if isinstance(first, nodes.Heading) and (found := BRACKETS.search(one_line(first))):
        word, number = found[1].strip(), found[2]
        yield Occurrence("brackets", word, word, False, (_text_value(number),), needs=(field_key(word),))


def _headings(headings: Sequence[nodes.Heading], stem: str) -> Iterator[Occurrence]:
    counts = Counter(one_line(heading) for heading in headings)
    for title, count in list(counts.items())[:MAX_ITEMS]:
        is_label = 0 < len(title) <= labels.MAX_LABEL_LENGTH and normalize(title) not in labels.WEAK_LABELS
        if count == 1 and is_label and slug(title) != slug(stem):
            yield Occurrence("heading", title, title, is_list=False, values=(Value("text", ""),))


def _subtitle(document: nodes.Document) -> Iterator[Occurrence]:
    if (line := subtitle(document.blocks)) is not None:
        yield Occurrence("subtitle", "", "Subtitle", is_list=False, values=(_text_value(one_line(line)),))


INDEX_NAME = re.compile(r"(?:readme|home|index|_?index(?:[ _-]of)?[ _-].*|_.*index|moc|.* moc)", re.IGNORECASE)
"""Names of files that list other notes."""


def folder_path(path: str) -> str:
    """The folder of a file, in the form that `folder_pattern` matches: empty for the root, otherwise `/...`."""
    folder = dirname(path)
    return f"/{folder}" if folder else ""


def is_index_note(path: str) -> bool:
    """Whether a note lists the notes of its folder: it has a name such as `README` or `Home`, or that of its folder."""
    stem, folder = file_stem(path), basename(dirname(path))
    return INDEX_NAME.fullmatch(stem.strip("_ ")) is not None or bool(folder and slug(stem) == slug(folder))
