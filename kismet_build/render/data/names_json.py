"""The names of a game as data, each with the ids it may refer to."""

import re
from collections.abc import Iterator

from kismet_build.config.autolink import fill
from kismet_build.model.book import BLOCK_LEVEL
from kismet_build.model.json_writer import json_file
from kismet_build.model.language.inflection import numbers, participles
from kismet_build.model.nodes import plain_text
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack, section_id

FOLD = (
    "Unicode case folding; letters without accents (NFKD); ss for ß, ae for æ, oe for œ, o for ø, d for ð, th for þ, "
    "l for ł; plain quotes and dashes; single spaces, none at the ends"
)
"""How programs derive the key of a name before looking it up."""

MAX_INFLECTED_WORDS = 2
"""Titles with more words get no singular or plural form, because their last word is seldom the subject."""
SHORT_FORM = re.compile(r"(?P<name>(?P<initial>\w).*?) \((?P<short>(?i:(?P=initial))[^\W\d_]{1,4})\)")
"""A title with a name and its abbreviation, which share their first letter: `Long Name (LN)`."""

Names = dict[str, dict[str, None]]
"""The ids for each normalized name, as an ordered set."""


def names_file(pack: Pack) -> bytes:
    """The file `names.json`, which maps each name to the ids it may refer to.

    Entities with that name come first, then entities with that alias or spelling in the game file, sections with that
    title and tables with that caption, each in pack order. Among entities with the same name, those with automatic
    links come first. Other forms of an entity's name are included unless another entity has that name. Other forms of a
    section's or table's title are included unless anything else has that name.
    """
    names = _collect(_entity_names(pack))
    for name, ids in _collect(_forms(pack)).items():
        names.setdefault(name, ids)
    for name, ids in _collect(_places(pack)).items():
        names.setdefault(name, {}).update(ids)
    for name, ids in _collect(_place_forms(pack)).items():
        names.setdefault(name, ids)
    listed = {key: [*ids] for key, ids in sorted(names.items()) if key}
    return json_file({"fold": FOLD, "names": listed})


def _collect(pairs: Iterator[tuple[str, str]]) -> Names:
    names: Names = {}
    for name, meant in pairs:
        names.setdefault(normalize(name), {})[meant] = None
    return names


def _entity_names(pack: Pack) -> Iterator[tuple[str, str]]:
    rules = pack.game.definition.linking.rules
    entities = sorted(pack.all_entities(), key=lambda entity: not rules.forms(entity.kind))
    for entity in entities:
        yield entity.name, entity.id
    for entity in entities:
        yield from ((alias, entity.id) for alias in entity.aliases)
    spellings: dict[str, list[str]] = {}
    for spelling, name in rules.also.items():
        spellings.setdefault(normalize(name), []).append(spelling)
    for entity in entities:
        for name in (entity.name, *entity.aliases) if rules.forms(entity.kind) else ():
            yield from ((spelling, entity.id) for spelling in spellings.get(normalize(name), ()))


def _forms(pack: Pack) -> Iterator[tuple[str, str]]:
    is_english = pack.game.text_language.is_english
    for entity in pack.all_entities():
        forms = pack.game.definition.linking.rules.forms(entity.kind)
        for name in (entity.name, *entity.aliases):
            phrases = [phrase for form in forms if (phrase := fill(form, name)) != name]
            yield f"{name} {pack.kind(entity).title}", entity.id
            if (form := SHORT_FORM.fullmatch(entity.section.anchor.title)) and normalize(form["name"]) == normalize(
                name
            ):
                yield form["short"], entity.id
            yield from ((phrase, entity.id) for phrase in phrases)
            if is_english:
                yield from ((number, entity.id) for phrase in (name, *phrases) for number in numbers(phrase))
    if is_english:
        yield from _inflected_links(pack)


def _inflected_links(pack: Pack) -> Iterator[tuple[str, str]]:
    for path, facts in pack.documents.items():
        for link in pack.book.outlines[path].chapter.document.links if facts.link_entities else ():
            if (entity_id := facts.link_entities.get(link.span)) is not None:
                text = " ".join(plain_text(link).split())
                if text.isalpha() and normalize(text) in _participles(pack.by_id[entity_id]):
                    yield text, entity_id


def _participles(entity: Entity) -> frozenset[str]:
    names = (entity.name, *entity.aliases)
    return frozenset(normalize(form) for name in names if name.isalpha() for form in participles(name))


def _places(pack: Pack) -> Iterator[tuple[str, str]]:
    for section in pack.book.all_sections():
        if section.anchor.level < BLOCK_LEVEL:
            yield section.anchor.title, section_id(pack.game, section)
    for table in pack.tables:
        yield table.caption, table.id


def _place_forms(pack: Pack) -> Iterator[tuple[str, str]]:
    is_english = pack.game.text_language.is_english
    for title, place_id in _places(pack):
        if form := SHORT_FORM.fullmatch(title):
            yield from ((form["name"], place_id), (form["short"], place_id))
        if is_english and len(title.split()) <= MAX_INFLECTED_WORDS:
            yield from ((number, place_id) for number in numbers(title))
