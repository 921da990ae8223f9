"""Extract the entities of all kinds, with their fields, from a book."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from kismet_build.config.game import Game
from kismet_build.config.kind import Kind, template_keys
from kismet_build.extract.candidates import Candidates
from kismet_build.extract.field import FieldExtractor
from kismet_build.extract.field_sources import fetch
from kismet_build.extract.match import find_matches
from kismet_build.extract.match_result import MatchResult
from kismet_build.extract.references import NameIndex, build_name_index, reference_rules, resolve_references
from kismet_build.extract.value import split_names
from kismet_build.model.book import Book, Chapter
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Block
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Entity

MIN_LABEL_USES = 3
"""Minimum number of entities with the same id at which their name counts as a label of the text."""


def extract(book: Book, game: Game, report: Report) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a game by kind, in the order of the book. Missing and unreadable fields are reported."""
    candidates = Candidates(book)
    entities = {kind.id: _entities_of_kind(game, kind, candidates, report) for kind in game.kinds.values()}
    return _with_references(game, entities, build_name_index(game.kinds, entities), report)


@dataclass(frozen=True, slots=True)
class Known:
    """The entities of a book, and the indexes that `extract_again` needs to update them after an edit."""

    entities: Mapping[str, tuple[Entity, ...]]
    names: NameIndex
    order: Mapping[str, int]
    """The position of each text in the book, by its path."""
    own: tuple[Entity, ...] | None = None
    """The entities of the edited text; `None` if entities of other texts changed too."""

    @classmethod
    def of(cls, book: Book, game: Game, entities: Mapping[str, tuple[Entity, ...]]) -> "Known":
        """Index the entities of a whole build."""
        order = {chapter.source.path: index for index, chapter in enumerate(book.chapters)}
        return cls(entities, build_name_index(game.kinds, entities), order)


def extract_again(book: Book, chapter: Chapter, game: Game, known: Known, report: Report) -> Known:
    """The entities of a book after an edit of one chapter. The entities of the other chapters are reused.

    The references of reused entities are not resolved anew. Kinds that depend on several texts are extracted from
    all texts.
    """
    here, everywhere = Candidates(replace(book, chapters=(chapter,))), Candidates(book)
    new: dict[str, Sequence[Entity]] = {}
    around: dict[str, slice] = {}
    for kind in game.kinds.values():
        is_here = _is_in_one_text(kind)
        new[kind.id] = _entities_of_kind(game, kind, here if is_here else everywhere, report)
        around[kind.id] = _place(known, kind.id, chapter.source.path) if is_here else slice(None)
    old = {kind_id: known.entities[kind_id][place] for kind_id, place in around.items()}
    names = known.names
    if any(_names_of(new[kind_id]) != _names_of(old[kind_id]) for kind_id in names):
        names = build_name_index(game.kinds, _exchanged(known.entities, around, new))
    done = _with_references(game, new, names, report)
    is_alone = not any((new[kind_id] or old[kind_id]) and place == slice(None) for kind_id, place in around.items())
    return Known(
        _exchanged(known.entities, around, done),
        names,
        known.order,
        tuple(chain.from_iterable(done.values())) if is_alone else None,
    )


def _place(known: Known, kind_id: str, path: str) -> slice:
    """The range of the entities of one text among all entities of a kind, which are in the order of the book."""

    def place(entity: Entity) -> int:
        return known.order[entity.span.source.path]

    entities, number = known.entities[kind_id], known.order[path]
    return slice(bisect_left(entities, number, key=place), bisect_right(entities, number, key=place))


def _exchanged(
    entities: Mapping[str, tuple[Entity, ...]], places: Mapping[str, slice], new: Mapping[str, Sequence[Entity]]
) -> dict[str, tuple[Entity, ...]]:
    """The entities of each kind, where the given ranges are replaced with the new entities."""
    exchanged = {}
    for kind_id, place in places.items():
        of_kind = list(entities[kind_id])
        of_kind[place] = new[kind_id]
        exchanged[kind_id] = tuple(of_kind)
    return exchanged


def _names_of(entities: Sequence[Entity]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(entity.id, entity.name, entity.aliases) for entity in entities]


def _is_in_one_text(kind: Kind) -> bool:
    """Whether the entities that a text defines depend on no other text."""
    return kind.repeated != "label" and all(match.method != "phrase" and not match.join for match in kind.matches)


def _entities_of_kind(game: Game, kind: Kind, candidates: Candidates, report: Report) -> tuple[Entity, ...]:
    """The entities of a kind; their references are still names."""
    results = find_matches(kind, candidates, report)
    return _without_labels(kind, [_entity(game, kind, result, report) for result in results])


def _with_references(
    game: Game, entities: Mapping[str, Sequence[Entity]], names: NameIndex, report: Report
) -> dict[str, tuple[Entity, ...]]:
    """The entities by kind, with the names in their reference fields replaced by ids."""
    with_ids: dict[str, tuple[Entity, ...]] = {}
    for kind_id, of_kind in entities.items():
        rules = reference_rules(game.kinds[kind_id])
        with_ids[kind_id] = tuple(
            resolve_references(entity, rules, game.kinds, names, report) if rules else entity for entity in of_kind
        )
    return with_ids


def _entity(game: Game, kind: Kind, result: MatchResult, report: Report) -> Entity:
    fields: dict[str, Any] = {}
    extractor = FieldExtractor(kind.title, report)
    aliases: tuple[str, ...] = ()
    for rule in kind.rules.values():
        if rule.name in ("id", "aliases"):
            continue
        if rule.name == "name" and (fetched := fetch(rule.sources, result)):
            extractor.spans[rule.name] = fetched[0].span
            first, *others = split_names(rule, str(fetched[0].value)) or ("",)
            fields["name"], aliases = first or None, tuple(others)
        else:
            fields[rule.name] = extractor.extract(rule, result)
    if "aliases" in kind.rules:
        rule = kind.rules["aliases"]
        fetched = fetch(rule.sources, result)
        aliases += tuple(name for alias in fetched for name in split_names(rule, str(alias.value)))
    name = _name(kind, fields, result)
    if not kind.name:
        fields.pop("name", None)
    return Entity(
        id=f"{game.id}/{kind.id}/{folder_name(name)}",
        kind=kind.id,
        name=name,
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != name)),
        fields=fields,
        references={},
        span=result.span,
        field_spans=extractor.spans,
        body=_body(kind, result),
        section=result.section,
    )


def _name(kind: Kind, fields: Mapping[str, Any], result: MatchResult) -> str:
    """The name from the templates of the kind, or else from the field `name`, or else the matched title."""
    for template in kind.name:
        try:
            if all(fields[key] is not None for key in template_keys(template)):
                return " ".join(template.format(**fields).split())
        except (KeyError, IndexError):
            continue
    return str(fields.get("name") or " ".join(result.title.split()).strip(" :"))


def _body(kind: Kind, result: MatchResult) -> tuple[Block, ...]:
    """The text of an entity: the cell or paragraph that the kind names, or else the body of the match."""
    for source in kind.body:
        match source.method:
            case "column" if normalize(source.argument) in result.cells:
                return result.cells[normalize(source.argument)].children
            case "cell" if int(source.argument) <= len(result.row):
                return result.row[int(source.argument) - 1].children
            case "paragraph" if result.paragraph is not None:
                return (result.paragraph,)
    return result.body


def _without_labels(kind: Kind, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """For a kind with `x-repeated: label`, drop labels and repetitions; entities of other kinds are unchanged.

    An id that occurs at least `MIN_LABEL_USES` times is a label. Of two entities with one id the first stays.
    """
    if kind.repeated != "label":
        return tuple(entities)
    by_id: dict[str, list[Entity]] = {}
    for entity in entities:
        by_id.setdefault(entity.id, []).append(entity)
    return tuple(same_id[0] for same_id in by_id.values() if len(same_id) < MIN_LABEL_USES)
