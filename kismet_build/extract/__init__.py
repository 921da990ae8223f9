"""Find the entities of every kind in a book, and fetch their fields."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
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
from kismet_build.extract.refer import Directory, directories, referring, resolved
from kismet_build.extract.value import names
from kismet_build.game import Game
from kismet_build.kind import Kind, template_keys
from kismet_build.model import Block
from kismet_build.name import fold, folder_name


def extract(book: Book, game: Game, report: Report) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a game by kind; what cannot be fetched is reported with its place."""
    places = Places(book)
    found = {kind.id: _found(game, kind, places, report) for kind in game.kinds.values()}
    return _resolved(game, found, directories(game.kinds, found), report)


def extract_again(
    book: Book, chapter: Chapter, game: Game, known: Mapping[str, Sequence[Entity]], report: Report
) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a book of which one chapter has a new version, where those of its other chapters are known.

    What the known ones refer to is as it was. Kinds whose entities may begin in one text and go on in another are
    looked for in all of them.
    """
    here, everywhere = Places(replace(book, chapters=(chapter,))), Places(book)
    new: dict[str, Sequence[Entity]] = {}
    around: dict[str, tuple[Sequence[Entity], Sequence[Entity]]] = {}
    for kind in game.kinds.values():
        is_here = _is_in_one_text(kind)
        new[kind.id] = _found(game, kind, here if is_here else everywhere, report)
        around[kind.id] = _around(known[kind.id], book, chapter) if is_here else ((), ())
    whole = {kind_id: (*before, *new[kind_id], *after) for kind_id, (before, after) in around.items()}
    done = _resolved(game, new, directories(game.kinds, whole), report)
    return {kind_id: (*before, *done[kind_id], *after) for kind_id, (before, after) in around.items()}


def _around(known: Sequence[Entity], book: Book, chapter: Chapter) -> tuple[Sequence[Entity], Sequence[Entity]]:
    """Of entities in the order of the book, those before a chapter, and those after it; none of its old version."""
    number = book.chapters.index(chapter)

    def place(entity: Entity) -> int:
        # The text of the old version is in the book no more.
        anchors = book.anchors.get(entity.span.source)
        return book.chapters.index(anchors[0].chapter) if anchors else number

    start = end = bisect_left(known, number, key=place)
    while end < len(known) and place(known[end]) == number:
        end += 1
    return known[:start], known[end:]


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
