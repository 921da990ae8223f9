"""Find the entities of every kind in a book, and fetch their fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from kismet_build.book import Book
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
    found = {
        kind.id: _without_labels(kind, [_entity(game, kind, one, report) for one in matches(kind, places, report)])
        for kind in game.kinds.values()
    }
    by_name = {kind_id: directory(entities) for kind_id, entities in found.items()}
    return {
        kind_id: tuple(resolved(entity, game.kinds, by_name, report) for entity in entities)
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
