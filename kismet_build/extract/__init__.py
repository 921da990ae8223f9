"""Find the entities of every kind in a book, and fetch their fields."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from kismet_build.book import Book, Chapter
from kismet_build.diagnostic import Report
from kismet_build.entity import Entity
from kismet_build.extract.fetch import fetch
from kismet_build.extract.field import Fields
from kismet_build.extract.found import Found
from kismet_build.extract.match import matches
from kismet_build.extract.places import Places
from kismet_build.extract.refer import directory, resolved
from kismet_build.extract.value import names
from kismet_build.game import Game
from kismet_build.kind import Kind, template_keys
from kismet_build.model import Block
from kismet_build.name import fold, folder_name


def extract(book: Book, game: Game, report: Report) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a game by kind; what cannot be fetched is reported with its place."""
    places = Places(book)
    return _resolved(game, {kind.id: _found(game, kind, places, report) for kind in game.kinds.values()}, report)


def extract_again(
    book: Book, chapter: Chapter, game: Game, known: Mapping[str, Sequence[Entity]], report: Report
) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a book of which one chapter has a new version, where those of its other chapters are known.

    What the known ones refer to is as it was. Kinds whose entities may begin in one text and go on in another are
    looked for in all of them.
    """
    here, everywhere = Places(replace(book, chapters=(chapter,))), Places(book)
    order = {one.source: number for number, one in enumerate(book.chapters)}
    whole: dict[str, Sequence[Entity]] = {}
    for kind in game.kinds.values():
        if not _is_in_one_text(kind):
            whole[kind.id] = _found(game, kind, everywhere, report)
            continue
        others = [one for one in known[kind.id] if one.span.source in order]
        before = bisect_left(others, order[chapter.source], key=lambda one: order[one.span.source])
        whole[kind.id] = (*others[:before], *_found(game, kind, here, report), *others[before:])
    old = {one for entities in known.values() for one in entities}
    return _resolved(game, whole, report, old)


def _is_in_one_text(kind: Kind) -> bool:
    """Whether what a text holds of a kind depends on no other text."""
    return kind.repeated != "label" and all(one.how != "phrase" and not one.join for one in kind.matches)


def _found(game: Game, kind: Kind, places: Places, report: Report) -> tuple[Entity, ...]:
    """The entities of a kind, with words for what they refer to."""
    return _without_labels(kind, [_entity(game, kind, one, report) for one in matches(kind, places, report)])


def _resolved(
    game: Game, found: Mapping[str, Sequence[Entity]], report: Report, done: AbstractSet[Entity] = frozenset()
) -> dict[str, tuple[Entity, ...]]:
    """The entities with ids for what they refer to; those that are done already as they are."""
    by_name = {kind_id: directory(entities) for kind_id, entities in found.items()}
    return {
        kind_id: tuple(one if one in done else resolved(one, game.kinds, by_name, report) for one in entities)
        for kind_id, entities in found.items()
    }


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
            case "column" if fold(way.argument) in found.cells:
                return found.cells[fold(way.argument)].children
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
