"""Find the entities of every kind in a book, and fetch their fields."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from kismet_build.config.game import Game
from kismet_build.config.kind import Kind, template_keys
from kismet_build.extract.candidates import Places
from kismet_build.extract.field import Fields
from kismet_build.extract.field_sources import fetch
from kismet_build.extract.match import matches
from kismet_build.extract.match_result import Found
from kismet_build.extract.references import Directory, directories, referring, resolved
from kismet_build.extract.value import names
from kismet_build.model.book import Book, Chapter
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Block
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Entity


def extract(book: Book, game: Game, report: Report) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a game by kind; what cannot be fetched is reported with its place."""
    places = Places(book)
    found = {kind.id: _found(game, kind, places, report) for kind in game.kinds.values()}
    return _resolved(game, found, directories(game.kinds, found), report)


@dataclass(frozen=True, slots=True)
class Known:
    """The entities of a book, and what is needed to have them again where one chapter has a new version."""

    entities: Mapping[str, tuple[Entity, ...]]
    names: Directory
    """What others call them by."""
    order: Mapping[str, int]
    """Where in the book each text stands, by its path."""
    own: tuple[Entity, ...] | None = None
    """Those of the new version, where no others changed."""

    @classmethod
    def of(cls, book: Book, game: Game, entities: Mapping[str, tuple[Entity, ...]]) -> "Known":
        """What is known of a book that was just made."""
        order = {chapter.source.path: place for place, chapter in enumerate(book.chapters)}
        return cls(entities, directories(game.kinds, entities), order)


def extract_again(book: Book, chapter: Chapter, game: Game, known: Known, report: Report) -> Known:
    """The entities of a book of which one chapter has a new version, where those of its other chapters are known.

    What the known ones refer to is as it was. Kinds whose entities may begin in one text and go on in another are
    looked for in all of them.
    """
    here, everywhere = Places(replace(book, chapters=(chapter,))), Places(book)
    new: dict[str, Sequence[Entity]] = {}
    around: dict[str, slice] = {}
    for kind in game.kinds.values():
        is_here = _is_in_one_text(kind)
        new[kind.id] = _found(game, kind, here if is_here else everywhere, report)
        around[kind.id] = _place(known, kind.id, chapter.source.path) if is_here else slice(None)
    old = {kind_id: known.entities[kind_id][place] for kind_id, place in around.items()}
    names = known.names
    if any(_names_of(new[kind_id]) != _names_of(old[kind_id]) for kind_id in names):
        names = directories(game.kinds, _exchanged(known.entities, around, new))
    done = _resolved(game, new, names, report)
    is_alone = not any((new[kind_id] or old[kind_id]) and place == slice(None) for kind_id, place in around.items())
    return Known(
        _exchanged(known.entities, around, done),
        names,
        known.order,
        tuple(chain.from_iterable(done.values())) if is_alone else None,
    )


def _place(known: Known, kind_id: str, path: str) -> slice:
    """Where among the entities of a kind those of a text stand; all are in the order of the book."""

    def place(entity: Entity) -> int:
        return known.order[entity.span.source.path]

    entities, number = known.entities[kind_id], known.order[path]
    return slice(bisect_left(entities, number, key=place), bisect_right(entities, number, key=place))


def _exchanged(
    entities: Mapping[str, tuple[Entity, ...]], places: Mapping[str, slice], new: Mapping[str, Sequence[Entity]]
) -> dict[str, tuple[Entity, ...]]:
    """The entities with others at these places."""
    found = {}
    for kind_id, place in places.items():
        several = list(entities[kind_id])
        several[place] = new[kind_id]
        found[kind_id] = tuple(several)
    return found


def _names_of(entities: Sequence[Entity]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.id, one.name, one.aliases) for one in entities]


def _is_in_one_text(kind: Kind) -> bool:
    """Whether what a text holds of a kind depends on no other text."""
    return kind.repeated != "label" and all(one.how != "phrase" and not one.join for one in kind.matches)


def _found(game: Game, kind: Kind, places: Places, report: Report) -> tuple[Entity, ...]:
    """The entities of a kind, with words for what they refer to."""
    return _without_labels(kind, [_entity(game, kind, one, report) for one in matches(kind, places, report)])


def _resolved(
    game: Game, found: Mapping[str, Sequence[Entity]], names: Directory, report: Report
) -> dict[str, tuple[Entity, ...]]:
    """The entities with ids for what they refer to."""
    done: dict[str, tuple[Entity, ...]] = {}
    for kind_id, entities in found.items():
        rules = referring(game.kinds[kind_id])
        done[kind_id] = tuple(resolved(one, rules, game.kinds, names, report) if rules else one for one in entities)
    return done


def _entity(game: Game, kind: Kind, found: Found, report: Report) -> Entity:
    fields: dict[str, Any] = {}
    reading = Fields(kind.title, report)
    aliases: tuple[str, ...] = ()
    for rule in kind.rules.values():
        if rule.name in ("id", "aliases"):
            continue
        if rule.name == "name" and (words := fetch(rule.ways, found)):
            reading.spans[rule.name] = words[0].span
            first, *others = names(rule, str(words[0].value)) or ("",)
            fields["name"], aliases = first or None, tuple(others)
        else:
            fields[rule.name] = reading.of(rule, found)
    if "aliases" in kind.rules:
        rule = kind.rules["aliases"]
        aliases += tuple(name for words in fetch(rule.ways, found) for name in names(rule, str(words.value)))
    name = _name(kind, fields, found)
    if not kind.name:
        fields.pop("name", None)
    return Entity(
        id=f"{game.id}/{kind.id}/{folder_name(name)}",
        kind=kind.id,
        name=name,
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != name)),
        fields=fields,
        references={},
        span=found.span,
        field_spans=reading.spans,
        body=_body(kind, found),
        section=found.section,
    )


def _name(kind: Kind, fields: Mapping[str, Any], found: Found) -> str:
    """The name by the templates of the kind, by its field `name`, or by the words that were matched."""
    for template in kind.name:
        try:
            if all(fields[key] is not None for key in template_keys(template)):
                return " ".join(template.format(**fields).split())
        except (KeyError, IndexError):
            continue
    return str(fields.get("name") or " ".join(found.title.split()).strip(" :"))


def _body(kind: Kind, found: Found) -> tuple[Block, ...]:
    """What an entity says: the cell or the paragraph that the kind names, else all that was matched."""
    for way in kind.body:
        match way.how:
            case "column" if normalize(way.argument) in found.cells:
                return found.cells[normalize(way.argument)].children
            case "cell" if int(way.argument) <= len(found.row):
                return found.row[int(way.argument) - 1].children
            case "paragraph" if found.paragraph is not None:
                return (found.paragraph,)
    return found.body


def _without_labels(kind: Kind, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """The entities, each name once and none that leads in many places, if the kind says that such words are labels."""
    if kind.repeated != "label":
        return tuple(entities)
    places: dict[str, list[Entity]] = {}
    for entity in entities:
        places.setdefault(entity.id, []).append(entity)
    return tuple(same[0] for same in places.values() if len(same) < 3)
