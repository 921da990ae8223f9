"""Extract the entities of all kinds, with their fields, from documents."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from kismet_build.config.kind import FieldRule, FieldSource, Kind, template_keys
from kismet_build.config.rule_terms import RULE_KIND, NamedTerm
from kismet_build.extract.candidates import Candidates
from kismet_build.extract.defined_terms import term_key
from kismet_build.extract.field import FieldExtractor
from kismet_build.extract.field_sources import fetch
from kismet_build.extract.match import find_matches
from kismet_build.extract.match_result import MatchResult
from kismet_build.extract.note_shape import field_key
from kismet_build.extract.references import NameIndex, reference_rules, resolve_references
from kismet_build.extract.value import split_names
from kismet_build.model import diagnostic
from kismet_build.model.book import Outline, ResolvedLinks
from kismet_build.model.language import Language
from kismet_build.model.nodes import Block
from kismet_build.model.pattern import UnusablePattern
from kismet_build.model.source import Span, file_stem
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Entity, EntityNames

MAX_NAMED_IDS = 20
"""Highest number in a new id that a diagnostic names. Above it, the message names no id."""
ALIASES_OF_NOTE = (FieldSource("meta", "aliases"), FieldSource("meta", "alias"))
"""The properties of a note with its aliases, unless its kind sets other field sources."""
MIN_LABEL_USES = 3
"""Minimum number of entities with the same id at which their name counts as a label."""


class KindsByReach(NamedTuple):
    """The kinds of a game, divided by whether their entities depend on other texts."""

    local: tuple[Kind, ...]
    """Kinds whose entities depend only on the text that defines them."""
    common: tuple[Kind, ...]
    """Kinds whose entities also depend on other texts. These entities are extracted from all texts together."""


class UnusableKind(diagnostic.UnusableDefinition):
    """Raised if the entities of a kind cannot be extracted because of an unusable pattern."""

    def __init__(self, kind: Kind, problem: UnusablePattern, outlines: Sequence[Outline]) -> None:
        message = f"{problem}, so no {kind.title} is read"
        hint = "let it match each text in one way only: for example, write a+ for (a+)+"
        # If the kind depends on several documents, the text that causes the error is unknown.
        texts = [outline.chapter.source.span(0, 0) for outline in outlines] if len(outlines) == 1 else []
        span = kind.data.span_of(*problem.pattern.keys)
        related = tuple(diagnostic.Related(text, "in this text") for text in texts)
        subject = diagnostic.Subject(diagnostic.KIND, kind.id, kind.source.full_span())
        super().__init__(kind.id, diagnostic.error("unusable-pattern", span, message, hint, related, subject))


def kinds_to_extract(
    kinds: Mapping[str, Kind], left_out: Collection[diagnostic.Subject], unusable: Collection[str]
) -> KindsByReach:
    """The kinds whose entities are extracted. `unusable`: the ids of kinds with a pattern that cannot be used."""
    ids = {subject.name for subject in left_out if subject.type == diagnostic.KIND}.union(unusable)
    extracted = [kind for kind in kinds.values() if kind.id not in ids]
    return KindsByReach(tuple(filter(_is_local, extracted)), tuple(kind for kind in extracted if not _is_local(kind)))


def _is_local(kind: Kind) -> bool:
    """Whether the entities of this kind in a document depend only on that document."""
    return kind.repeated != "label" and all(match.method != "phrase" and not match.join for match in kind.matches)


def extract_document(
    outline: Outline, game_id: str, language: Language, kinds: Sequence[Kind]
) -> diagnostic.Diagnosed[tuple[Entity, ...]]:
    """The entities of these kinds in one document. References in them are still names.

    A note that matches several kinds as a whole is an entity of the first.
    """
    candidates = Candidates((outline,))
    diagnostics: list[diagnostic.Diagnostic] = []
    entities: list[Entity] = []
    kind_of_note: Kind | None = None
    for kind in kinds:
        own_diagnostics: list[diagnostic.Diagnostic] = []
        for entity in _entities_of_kind(game_id, language, kind, candidates, own_diagnostics.append):
            if not _is_whole_note(entity):
                entities.append(entity)
            elif kind_of_note is None:
                kind_of_note = kind
                entities.append(entity)
            elif kind_of_note.id != kind.id:
                own_diagnostics = [_two_kinds(entity, kind_of_note, kind)]
        diagnostics += own_diagnostics
    return diagnostic.Diagnosed(tuple(entities), tuple(diagnostics))


def _is_whole_note(entity: Entity) -> bool:
    return entity.section.anchor.level == 0 and entity.span == entity.span.source.full_span()


def _two_kinds(entity: Entity, first: Kind, second: Kind) -> diagnostic.Diagnostic:
    message = f'this note matches the kinds "{first.id}" and "{second.id}", and is only an entry of "{first.id}"'
    hint = "make the conditions in x-match of one of them narrower"
    return diagnostic.warning("two-kinds", entity.span.source.span(0, 0), message, hint)


def extract_from_all(
    outlines: Mapping[str, Outline], game_id: str, language: Language, kinds: Sequence[Kind]
) -> diagnostic.Diagnosed[dict[str, tuple[Entity, ...]]]:
    """The entities of kinds that depend on several documents, by path. References in them are still names."""
    diagnostics: list[diagnostic.Diagnostic] = []
    entities: dict[str, list[Entity]] = {}
    candidates = Candidates(tuple(outlines.values()))
    for kind in kinds:
        for entity in _entities_of_kind(game_id, language, kind, candidates, diagnostics.append):
            entities.setdefault(entity.span.source.path, []).append(entity)
    return diagnostic.Diagnosed(
        {path: tuple(of_document) for path, of_document in entities.items()}, tuple(diagnostics)
    )


def in_order_of_kinds(
    local: Sequence[Entity], common: Sequence[Entity] | None, kinds: Mapping[str, Kind]
) -> tuple[Entity, ...]:
    """The entities of a document, in the order of their kinds. `common`: the entities of common kinds."""
    order = {kind: number for number, kind in enumerate(kinds)}
    return tuple(sorted((*local, *(common or ())), key=lambda entity: order[entity.kind]))


def note_kinds(kinds: Mapping[str, Kind]) -> frozenset[str]:
    """The ids of the lenient kinds."""
    return frozenset(kind.id for kind in kinds.values() if kind.is_lenient)


def label_kinds(kinds: Mapping[str, Kind]) -> frozenset[str]:
    """The ids of the kinds whose entities may turn out to be field labels."""
    return frozenset(kind.id for kind in kinds.values() if kind.repeated == "label")


def without_fields(
    entities: Sequence[Entity], lenient_kinds: Collection[str], label_kinds: Collection[str]
) -> tuple[Entity, ...]:
    """The entities of a document, without terms that are fields of its note.

    For example, `**Attack:** bite` in the text of a beast is a field, not a term.
    """
    notes = (entity for entity in entities if entity.kind in lenient_kinds and _is_whole_note(entity))
    fields = {key for note in notes for key in note.fields}
    return tuple(
        entity for entity in entities if entity.kind not in label_kinds or field_key(entity.name) not in fields
    )


def own_ids(entities: Sequence[Entity], lenient_kinds: Collection[str]) -> tuple[str, ...]:
    """The ids of the entities of lenient kinds in a document."""
    return tuple(entity.id for entity in entities if entity.kind in lenient_kinds)


def new_ids(own: Mapping[str, Sequence[str]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """By path, the ids that an earlier entity already has, each with a new, numbered id."""
    taken = set(chain.from_iterable(own.values()))
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    renamed: dict[str, list[tuple[str, str]]] = {}
    for path, ids in own.items():
        for entity_id in ids:
            if entity_id not in used:
                used.add(entity_id)
                continue
            new_id = entity_id
            while new_id in taken:
                numbers[entity_id] += 1
                new_id = f"{entity_id}-{numbers[entity_id] + 1}"
            taken.add(new_id)
            renamed.setdefault(path, []).append((entity_id, new_id))
    return {path: tuple(ids) for path, ids in renamed.items()}


def defines_rules(kinds: Mapping[str, Kind]) -> bool:
    """Whether the game has the kind `rule`.

    A rule becomes an entity only once, and only if no other entity has its name.
    """
    return RULE_KIND in kinds


def rule_ids(game_id: str, rule_terms: Sequence[tuple[NamedTerm, Span]]) -> frozenset[str]:
    """The ids of the rules listed in the game file. A listed rule may share its name with another entity."""
    return frozenset(f"{game_id}/{RULE_KIND}/{folder_name(term.name)}" for term, _ in rule_terms)


def rule_terms_of(entities: Sequence[Entity]) -> tuple[tuple[str, str], ...]:
    """The id of each rule with its `term_key`."""
    return tuple((entity.id, term_key(entity.name)) for entity in entities if entity.kind == RULE_KIND)


def names_of_other_kinds(entities: Sequence[Entity]) -> frozenset[str]:
    """The `term_key` of each name and alias of the entities that are not rules."""
    names = ((entity.name, *entity.aliases) for entity in entities if entity.kind != RULE_KIND)
    return frozenset(map(term_key, chain.from_iterable(names)))


def first_rule_terms(
    rules: Mapping[str, Sequence[tuple[str, str]]], names: Mapping[str, frozenset[str]], named: frozenset[str]
) -> dict[str, frozenset[str]]:
    """The ids of the rules that become entities. `named`: the result of `rule_ids`. All mappings are by path."""
    taken = frozenset(chain.from_iterable(names.values()))
    seen: set[str] = set()
    first: dict[str, frozenset[str]] = {}
    for path, of_document in rules.items():
        first[path] = frozenset(
            rule for rule, key in of_document if rule not in seen and (rule in named or key not in taken)
        )
        seen |= first[path]
    return first


def only_rule_terms(entities: Sequence[Entity], rules: frozenset[str]) -> tuple[Entity, ...]:
    """The entities of a document, without rules whose ids are not in `rules`."""
    return tuple(entity for entity in entities if entity.kind != RULE_KIND or entity.id in rules)


def with_new_ids(
    ids: Sequence[tuple[str, str]], entities: Sequence[Entity]
) -> diagnostic.Diagnosed[tuple[Entity, ...]]:
    """The entities of a document, with new ids in place of repeated ones. `ids`: each old id with the new one."""
    waiting: dict[str, list[str]] = {}
    for old_id, new_id in ids:
        waiting.setdefault(old_id, []).append(new_id)
    renamed: list[Entity] = []
    diagnostics: list[diagnostic.Diagnostic] = []
    for entity in reversed(entities):
        if not waiting.get(entity.id):
            renamed.append(entity)
            continue
        new_id = waiting[entity.id].pop()
        renamed.append(replace(entity, id=new_id))
        is_frequent = int(new_id.rpartition("-")[2]) > MAX_NAMED_IDS
        new = "one with a number" if is_frequent else f'the id "{new_id}"'
        message = f'"{entity.name}" has the id of another entry, so it gets {new}'
        span = entity.span.source.span(entity.span.start, entity.span.start)
        diagnostics.append(diagnostic.warning("repeated-name", span, message, "rename one of them"))
    return diagnostic.Diagnosed(tuple(reversed(renamed)), tuple(reversed(diagnostics)))


def without(entities: Sequence[Entity], left_out: Collection[diagnostic.Subject]) -> tuple[Entity, ...]:
    """The entities of a document, without entities that are left out because of errors."""
    texts = {subject.name for subject in left_out if subject.type == "text"}
    return tuple(
        entity for entity in entities if entity.subject not in left_out and entity.span.source.path not in texts
    )


def names_of(entities: Sequence[Entity]) -> tuple[EntityNames, ...]:
    """The names of the entities of a document."""
    return tuple(
        EntityNames(
            *(entity.kind, entity.id, entity.name, entity.aliases),
            file_stem(entity.span.source.path) if entity.is_document else "",
        )
        for entity in entities
    )


def all_names(of_documents: Mapping[str, Sequence[EntityNames]]) -> tuple[EntityNames, ...]:
    """The names of all entities, in book order."""
    return tuple(chain.from_iterable(of_documents.values()))


def _entities_of_kind(
    game_id: str, language: Language, kind: Kind, candidates: Candidates, report: diagnostic.Report
) -> tuple[Entity, ...]:
    """The entities of a kind. References in them are still names. Raises `UnusableKind`."""
    try:
        results = find_matches(kind, candidates, report)
        return _without_labels(kind, [_entity(game_id, language, kind, result, report) for result in results])
    except UnusablePattern as problem:
        raise UnusableKind(kind, problem, candidates.outlines) from problem


def rules_of_references(kinds: Mapping[str, Kind]) -> dict[str, tuple[FieldRule, ...]]:
    """The rules of the fields that refer to other entities, by kind."""
    return {kind.id: reference_rules(kind) for kind in kinds.values()}


def known_names(names: Sequence[EntityNames]) -> frozenset[str]:
    """The normalized names and aliases of these entities."""
    return frozenset(normalize(name) for entity in names for name in (entity.name, *entity.aliases))


def dead_links(links: ResolvedLinks, names: frozenset[str]) -> frozenset[str]:
    """The link targets of a document, without `#heading`, that lead to no document and name no entity."""
    targets = (
        link.target.partition("#")[0].strip() for link, target in links.unresolved if target and not target.anchor
    )
    return frozenset(target for target in targets if normalize(target) not in names)


def with_references(
    entities: Sequence[Entity],
    dead_links: frozenset[str],
    kinds: Mapping[str, Kind],
    rules: Mapping[str, tuple[FieldRule, ...]],
    names: NameIndex,
) -> diagnostic.Diagnosed[tuple[Entity, ...]]:
    """The entities of a document, with ids in place of the names of entities in their reference fields."""
    diagnostics: list[diagnostic.Diagnostic] = []
    with_ids = tuple(
        resolve_references(entity, rules[entity.kind], kinds, names, diagnostics.append, dead_links)
        if rules[entity.kind]
        else entity
        for entity in entities
    )
    return diagnostic.Diagnosed(with_ids, tuple(diagnostics))


def _entity(game_id: str, language: Language, kind: Kind, result: MatchResult, report: diagnostic.Report) -> Entity:
    fields: dict[str, Any] = {}
    diagnostics: list[diagnostic.Diagnostic] = []
    extractor = FieldExtractor(kind.title, diagnostics.append, language, kind.is_lenient)
    aliases: tuple[str, ...] = ()
    for rule in kind.rules.values():
        if rule.name in ("id", "aliases"):
            continue
        if rule.name == "name" and (fetched := fetch(rule.sources, result)):
            extractor.spans[rule.name] = fetched[0].span
            extractor.keep_printed(rule, fetched[:1], rule.name)
            first, *others = split_names(rule, str(fetched[0].value)) or ("",)
            fields["name"], aliases = first or None, tuple(others)
        else:
            fields[rule.name] = extractor.extract(rule, result)
    name = _name(kind, fields, result)
    rule_of_aliases = kind.rules.get("aliases")
    if rule_of_aliases is not None and rule_of_aliases.sources:
        fetched = fetch(rule_of_aliases.sources, result)
        aliases += tuple(name for alias in fetched for name in split_names(rule_of_aliases, str(alias.value)))
    elif result.is_document:
        fetched = fetch(ALIASES_OF_NOTE, result)
        aliases += (*(" ".join(str(alias.value).split()) for alias in fetched), " ".join(result.title.split()))
    chapter = result.section.anchor.chapter
    has_other_title = result.is_document and chapter.name != chapter.title and name == _title_words(result)
    own_name = chapter.name if has_other_title else name
    if has_other_title:
        aliases += (own_name,)
    if not kind.name:
        fields.pop("name", None)
    entity = Entity(
        id=f"{game_id}/{kind.id}/{folder_name(own_name)}",
        kind=kind.id,
        name=name,
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias and alias != name)),
        fields=fields,
        references={},
        span=result.span,
        field_spans=extractor.spans,
        field_texts=extractor.texts,
        corrections=tuple(extractor.corrections),
        unparsed=frozenset(extractor.unparsed),
        body=_body(kind, result),
        section=result.section,
    )
    for found in diagnostics:
        report(replace(found, subject=entity.subject))
    return entity


def _name(kind: Kind, fields: Mapping[str, Any], result: MatchResult) -> str:
    """The name of an entity: from the templates of its kind, else from the field `name`, else the matched title."""
    for template in kind.name:
        try:
            if all(fields[key] is not None for key in template_keys(template)):
                return " ".join(template.format(**fields).split())
        except (KeyError, IndexError):
            continue
    return str(fields.get("name") or _title_words(result))


def _title_words(result: MatchResult) -> str:
    return " ".join(result.title.split()).strip(" :")


def _body(kind: Kind, result: MatchResult) -> tuple[Block, ...]:
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
    """For a kind with `x-repeated: label`, the entities without labels and repetitions.

    An id that occurs at least `MIN_LABEL_USES` times is a label. If two entities share an id, the first stays.
    """
    if kind.repeated != "label":
        return tuple(entities)
    by_id: dict[str, list[Entity]] = {}
    for entity in entities:
        by_id.setdefault(entity.id, []).append(entity)
    return tuple(same_id[0] for same_id in by_id.values() if len(same_id) < MIN_LABEL_USES)
