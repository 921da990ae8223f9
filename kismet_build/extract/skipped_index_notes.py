"""`skipped-index-note`: a note has the properties of a kind, but is not an entity because of its name."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import dirname

from kismet_build.config.kind import Kind, NoteConditions
from kismet_build.extract.field_sources import nested_value
from kismet_build.extract.match import meets_conditions
from kismet_build.extract.note_groups import WEAK_PROPERTIES
from kismet_build.extract.note_shape import is_index_note
from kismet_build.extract.statblocks import note_data
from kismet_build.model.book import Outline
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, info
from kismet_build.model.nodes import Document
from kismet_build.pack import Entity


def skipped_index_notes(
    outlines: Mapping[str, Outline], kinds: Mapping[str, Kind], entities: Mapping[str, Sequence[Entity]]
) -> Diagnosed[None]:
    """Report the index notes that have the properties of entities. `entities`: by path of the document."""
    return Diagnosed(None, tuple(_skipped(outlines, kinds.values(), entities)))


def _skipped(
    outlines: Mapping[str, Outline], kinds: Collection[Kind], entities: Mapping[str, Sequence[Entity]]
) -> Iterator[Diagnostic]:
    """One diagnostic for each kind, with all index notes that have its usual properties.

    A note about the folder of the kind is not reported.
    """
    index_notes = [
        outline.chapter
        for path, outline in outlines.items()
        if is_index_note(path) and not any(entity.is_document for entity in entities[path])
    ]
    if not index_notes:
        return
    notes_of_kind: dict[str, list[Document]] = {kind.id: [] for kind in kinds}
    for path, of_document in entities.items():
        for entity in of_document:
            if entity.is_document:
                notes_of_kind[entity.kind].append(outlines[path].chapter.document)
    for kind in kinds:
        conditions = [match.note for match in kind.matches if match.note and match.note.folders]
        usual = _usual_properties(kind, notes_of_kind[kind.id]) if conditions else set()
        chapters = [
            chapter
            for chapter in index_notes
            if usual
            and usual <= _properties(kind, chapter.document)
            and any(_would_be_entry(condition, chapter.document) for condition in conditions)
        ]
        if chapters:
            first, *others = (chapter.source.span(0, 0) for chapter in chapters)
            message = (
                f'{len(chapters)} notes have the properties of "{kind.plural}", but do not count as such '
                "because of their names"
                if others
                else f'"{chapters[0].title}" has the properties of "{kind.plural}", but does not count as such '
                "because of its name"
            )
            hint = (
                "a note named Home, Index, README or like its folder is about the folder; "
                "to make it an entry, rename it or move it out"
            )
            yield info("skipped-index-note", first, message, hint, tuple(Related(span, "also here") for span in others))


def _would_be_entry(conditions: NoteConditions, document: Document) -> bool:
    """Whether a note would be an entity if it had another name. A note about the folder of the kind would not."""
    own_folders = {folder.rstrip("*/") for folder in conditions.folders}
    return dirname(document.source.path) not in own_folders and meets_conditions(conditions, document)


def _usual_properties(kind: Kind, documents: Collection[Document]) -> set[str]:
    """The fields that most notes of a kind have as properties."""
    counts = Counter(name for document in documents for name in _properties(kind, document))
    return {name for name, count in counts.items() if count * 2 > len(documents)}


def _properties(kind: Kind, document: Document) -> set[str]:
    """The fields of a kind that a note has as properties, without properties that notes of any kind have."""
    data = note_data(document)
    return {
        rule.name
        for rule in kind.rules.values()
        if rule.name not in WEAK_PROPERTIES
        and any(
            source.method == "meta" and nested_value(data, source.argument) not in (None, "", [], {})
            for source in rule.sources
        )
    }
