"""Find the entities of every kind in a book, and fetch their fields."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kismet_build.book import Book
from kismet_build.diagnostic import Report, error, warning
from kismet_build.entity import Entity
from kismet_build.extract.fetch import Words, fetch
from kismet_build.extract.found import Found
from kismet_build.extract.match import matches
from kismet_build.extract.value import NOTHING, Unreadable, empty, names, value
from kismet_build.game import Game
from kismet_build.kind import FieldRule, Kind, Way
from kismet_build.model import Block
from kismet_build.name import fold, slug
from kismet_build.source import Span


def extract(book: Book, game: Game, report: Report) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of a game by kind; what cannot be fetched is reported with its place."""
    found = {
        kind.id: tuple(_entity(game, kind, place, report) for place in matches(kind, book, report))
        for kind in game.kinds.values()
    }
    directory = {kind_id: _directory(entities) for kind_id, entities in found.items()}
    return {
        kind_id: tuple(_resolved(entity, game, directory, report) for entity in entities)
        for kind_id, entities in found.items()
    }


def _entity(game: Game, kind: Kind, found: Found, report: Report) -> Entity:
    fields: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    aliases: tuple[str, ...] = ()
    for rule in kind.rules.values():
        if rule.name in ("id", "aliases"):
            continue
        words = _fetch(rule, found)
        if words is not None:
            spans[rule.name] = words.span
        if rule.name == "name" and words is not None:
            first, *others = names(rule, str(words.values[0])) or ("",)
            fields["name"], aliases = first or None, tuple(others)
        else:
            fields[rule.name] = _value(rule, words, found, kind, report)
    if "aliases" in kind.rules and (words := _fetch(kind.rules["aliases"], found)):
        aliases += tuple(name for text in words.values for name in names(kind.rules["aliases"], str(text)))
    name = _name(kind, fields, found)
    if not kind.name:
        fields.pop("name", None)
    return Entity(
        id=f"{game.id}/{kind.id}/{slug(name)}",
        kind=kind.id,
        name=name,
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != name)),
        fields=fields,
        references={},
        span=found.span,
        field_spans=spans,
        body=_body(kind, found),
        section=found.section,
    )


def _name(kind: Kind, fields: Mapping[str, Any], found: Found) -> str:
    """The name by the templates of the kind, by its field `name`, or by the words that were matched."""
    for template in kind.name:
        try:
            if all(fields[key] is not None for key in _keys(template)):
                return " ".join(template.format(**fields).split())
        except (KeyError, IndexError):
            continue
    return str(fields.get("name") or " ".join(found.title.split()).strip(" :"))


def _keys(template: str) -> list[str]:
    return [part.partition("}")[0] for part in template.split("{")[1:]]


def _fetch(rule: FieldRule, found: Found) -> Words | None:
    for way in rule.ways:
        words = fetch(way, found)
        if words is not None:
            return words
    return None


def _value(rule: FieldRule, words: Words | None, found: Found, kind: Kind, report: Report) -> Any:
    may_be_empty, nothing = empty(rule)
    blank = words is None or all(isinstance(word, str) and fold(word) in NOTHING for word in words.values)
    if blank or words is None:
        if not may_be_empty and rule.required:
            hint = f"it is looked for by: {', '.join(map(_shown, rule.ways)) or 'nothing'}"
            report(error("empty-field", found.title_span, f'this {kind.title} has no "{rule.name}"', hint))
        return nothing
    try:
        return value(rule, words.values)
    except Unreadable as wanted:
        printed = " ".join(str(words.values[0]).split())
        report(error("unreadable-field", words.span, f'"{rule.name}" is "{printed[:60]}", which is not {wanted}'))
        return nothing


def _shown(way: Way) -> str:
    argument = f":{way.argument}" if way.argument else ""
    return way.how + argument + (f" ~ {way.pattern.pattern}" if way.pattern else "")


def _body(kind: Kind, found: Found) -> tuple[Block, ...]:
    """What an entity says: of a row the cells that the kind names, else all that was matched."""
    for way in kind.body:
        cell = found.cells.get(fold(way.argument)) if way.how == "column" else None
        if cell is not None:
            return cell.children
    return found.body


def _directory(entities: tuple[Entity, ...]) -> dict[str, str]:
    """Every name and alias of some entities, folded, with the id; the first entity of a name has it."""
    found: dict[str, str] = {}
    for entity in entities:
        found.setdefault(fold(entity.name), entity.id)
    for entity in entities:
        for alias in entity.aliases:
            found.setdefault(fold(alias), entity.id)
    return found


def _resolved(entity: Entity, game: Game, directory: Mapping[str, Mapping[str, str]], report: Report) -> Entity:
    """The entity with the words of its referring fields turned into ids; unknown words stay and are reported."""
    kind = game.kinds[entity.kind]
    fields, references = dict(entity.fields), {}
    for rule in kind.rules.values():
        written = fields.get(rule.name)
        if not rule.refers or written is None:
            continue
        ids: list[str] = []
        words = written if isinstance(written, list) else [written]
        for place, word in enumerate(words):
            found = _look_up(str(word), rule, game, directory)
            if found is None:
                titles = " or ".join(game.kinds[name].title for name in rule.refers)
                span = entity.field_spans.get(rule.name, entity.span)
                report(warning("unknown-reference", span, f'"{rule.name}" names no {titles}: "{word}"'))
            else:
                words = [*words[:place], found, *words[place + 1 :]]
                ids.append(found)
        fields[rule.name] = list(dict.fromkeys(words)) if isinstance(written, list) else words[0]
        references[rule.name] = tuple(dict.fromkeys(ids))
    return replace(entity, fields=fields, references=references) if references else entity


def _look_up(word: str, rule: FieldRule, game: Game, directory: Mapping[str, Mapping[str, str]]) -> str | None:
    """The id for a word such as `Ember Charm`: the name alone, or followed by the title of its kind."""
    name = fold(word)
    for kind_id in rule.refers:
        title = fold(game.kinds[kind_id].title)
        for candidate in (name, name.removesuffix(f" {title}")):
            if candidate in directory[kind_id]:
                return directory[kind_id][candidate]
    return None
