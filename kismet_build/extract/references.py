"""Turn the words of fields that refer to other entities into their ids, once all entities are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from kismet_build.config.kind import FieldRule, Kind
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity

Directory = Mapping[str, Mapping[str, str]]
"""For each kind the ids of its entities by folded name or alias."""


def directory(entities: Sequence[Entity]) -> dict[str, str]:
    """Every name and alias of some entities, folded, with the id; the first entity of a name has it."""
    found: dict[str, str] = {}
    for entity in entities:
        found.setdefault(normalize(entity.name), entity.id)
    for entity in entities:
        for alias in entity.aliases:
            found.setdefault(normalize(alias), entity.id)
    return found


def referring(kind: Kind) -> tuple[FieldRule, ...]:
    """The fields of a kind that name other entities, in themselves or in their parts."""
    return tuple(rule for rule in kind.rules.values() if any(one.refers for one in rule.every()))


def directories(kinds: Mapping[str, Kind], found: Mapping[str, Sequence[Entity]]) -> Directory:
    """The directories of those kinds whose entities others name."""
    rules = [one for kind in kinds.values() for rule in referring(kind) for one in rule.every()]
    return {
        kind_id: directory(found[kind_id])
        for kind_id in dict.fromkeys(chain.from_iterable(one.refers for one in rules))
    }


def resolved(
    entity: Entity, rules: Sequence[FieldRule], kinds: Mapping[str, Kind], names: Directory, report: Report
) -> Entity:
    """The entity with the words of its referring fields turned into ids; unknown words stay and are reported."""
    fields, references = dict(entity.fields), {}
    for rule in rules:
        if rule.name in fields:
            resolving = _Resolving(entity, kinds, names, report)
            fields[rule.name] = resolving.value(rule, fields[rule.name], rule.name)
            references[rule.name] = tuple(dict.fromkeys(resolving.ids))
    return replace(entity, fields=fields, references=references) if references else entity


@dataclass(frozen=True, slots=True)
class _Resolving:
    """One field of one entity, with the ids that were found in it."""

    entity: Entity
    kinds: Mapping[str, Kind]
    names: Directory
    report: Report
    ids: list[str] = field(default_factory=list)

    def value(self, rule: FieldRule, written: Any, path: str) -> Any:
        """The value with ids for words."""
        match written:
            case None:
                return None
            case list() if rule.parts:
                return [self.parts(rule, one, f"{path}[{number}]") for number, one in enumerate(written)]
            case Mapping() if rule.parts:
                return self.parts(rule, written, path)
            case list() if rule.refers:
                return list(dict.fromkeys(self.word(rule, one, path) for one in written))
            case _:
                return self.word(rule, written, path) if rule.refers else written

    def parts(self, rule: FieldRule, written: Mapping[str, Any], path: str) -> dict[str, Any]:
        return {name: self.value(rule.parts[name], one, f"{path}.{name}") for name, one in written.items()}

    def word(self, rule: FieldRule, word: Any, path: str) -> Any:
        found = _look_up(str(word), rule, self.kinds, self.names)
        if found is None:
            titles = " or ".join(self.kinds[name].title for name in rule.refers)
            span = self.entity.place_of(path)
            self.report(warning("unknown-reference", span, f'"{path}" names no {titles}: "{word}"'))
            return word
        self.ids.append(found)
        return found


def _look_up(word: str, rule: FieldRule, kinds: Mapping[str, Kind], names: Directory) -> str | None:
    """The id for a word such as `Ember Charm`: the name alone, or followed by the title of its kind."""
    name = normalize(word)
    for kind_id in rule.refers:
        title = normalize(kinds[kind_id].title)
        for candidate in (name, name.removesuffix(f" {title}")):
            if candidate in names[kind_id]:
                return names[kind_id][candidate]
    return None
