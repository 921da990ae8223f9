"""Replace the names in reference fields with the ids of the entities they name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from posixpath import basename
from typing import Any

from kismet_build.config.kind import FieldRule, Kind
from kismet_build.extract.value import WIKI_LINK, link_words
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, EntityNames

NameIndex = Mapping[str, Mapping[str, str]]
"""For each kind, the ids of its entities by normalized name, alias or note name."""


def reference_rules(kind: Kind) -> tuple[FieldRule, ...]:
    """The rules of the fields that name other entities, as a whole or in parts."""
    return tuple(rule for rule in kind.rules.values() if any(part.referenced_kinds for part in rule.with_parts()))


def build_name_index(kinds: Mapping[str, Kind], names: Sequence[EntityNames]) -> NameIndex:
    """The name index of the kinds that reference fields refer to. `names`: the names of all entities."""
    rules = [part for kind in kinds.values() for rule in reference_rules(kind) for part in rule.with_parts()]
    by_kind: dict[str, list[EntityNames]] = {
        kind_id: [] for kind_id in chain.from_iterable(rule.referenced_kinds for rule in rules)
    }
    for entity in names:
        if entity.kind in by_kind:
            by_kind[entity.kind].append(entity)
    return {kind_id: _ids_by_name(entities) for kind_id, entities in by_kind.items()}


def _ids_by_name(entities: Sequence[EntityNames]) -> dict[str, str]:
    """The ids of entities by normalized name, else alias, else note name.

    A name refers to the first entity that has it.
    """
    ids: dict[str, str] = {}
    for entity in entities:
        ids.setdefault(normalize(entity.name), entity.id)
    for entity in entities:
        for alias in entity.aliases:
            ids.setdefault(normalize(alias), entity.id)
    for entity in entities:
        if entity.note:
            ids.setdefault(normalize(entity.note), entity.id)
    return ids


def resolve_references(
    entity: Entity,
    rules: Sequence[FieldRule],
    kinds: Mapping[str, Kind],
    names: NameIndex,
    report: Report,
    dead_links: frozenset[str],
) -> Entity:
    """The entity with ids in place of the names of entities in its reference fields.

    Unknown names stay as words and are reported. `dead_links`: links that are already reported as `unresolved-link`.
    """
    fields, references = dict(entity.fields), {}
    for rule in rules:
        if rule.name in fields:
            resolver = _ReferenceResolver(entity, kinds, names, report, dead_links)
            fields[rule.name] = resolver.resolve(rule, fields[rule.name], rule.name)
            references[rule.name] = tuple(dict.fromkeys(resolver.ids))
    return replace(entity, fields=fields, references=references) if references else entity


@dataclass(frozen=True, slots=True)
class _ReferenceResolver:
    entity: Entity
    kinds: Mapping[str, Kind]
    names: NameIndex
    report: Report
    dead_links: frozenset[str]
    ids: list[str] = field(default_factory=list)

    def resolve(self, rule: FieldRule, value: Any, path: str) -> Any:
        match value:
            case None:
                return None
            case list() if rule.parts:
                return [self._resolve_parts(rule, item, f"{path}[{index}]") for index, item in enumerate(value)]
            case Mapping() if rule.parts:
                return self._resolve_parts(rule, value, path)
            case list() if rule.referenced_kinds:
                return list(dict.fromkeys(self._resolve_name(rule, item, path) for item in value))
            case _:
                return self._resolve_name(rule, value, path) if rule.referenced_kinds else value

    def _resolve_parts(self, rule: FieldRule, value: Mapping[str, Any], path: str) -> dict[str, Any]:
        return {name: self.resolve(rule.parts[name], part, f"{path}.{name}") for name, part in value.items()}

    def _resolve_name(self, rule: FieldRule, name: Any, path: str) -> Any:
        entity_id = _look_up(str(name), rule, self.kinds, self.names)
        if entity_id is None:
            link = WIKI_LINK.fullmatch(str(name).strip())
            if link and link["target"].strip() in self.dead_links:
                return link_words(name)
            titles = " or ".join(self.kinds[kind_id].title for kind_id in rule.referenced_kinds)
            span = self.entity.span_of(path)
            self.report(warning("unknown-reference", span, f'"{path}" is "{name}", but no {titles} has this name'))
            return link_words(name)
        self.ids.append(entity_id)
        return entity_id


def _look_up(name: str, rule: FieldRule, kinds: Mapping[str, Kind], names: NameIndex) -> str | None:
    """The id for a name, with or without the title of its kind: `Ember` or `Ember Charm`; `None` if it is unknown.

    A name may be a link, such as `[[Charms/Ember|the ember]]` in properties.
    """
    link = WIKI_LINK.fullmatch(name.strip())
    normalized = normalize(basename(link["target"]) if link else name)
    for kind_id in rule.referenced_kinds:
        title = normalize(kinds[kind_id].title)
        for candidate in (normalized, normalized.removesuffix(f" {title}")):
            if candidate in names[kind_id]:
                return names[kind_id][candidate]
    return None
