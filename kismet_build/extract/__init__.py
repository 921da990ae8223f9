"""Extract the entities of all kinds, with their fields, from documents."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from kismet_build.config.game import Game
from kismet_build.config.kind import FieldRule, FieldSource, Kind, template_keys
from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.extract.candidates import Candidates
from kismet_build.extract.defined_terms import term_key
from kismet_build.extract.field import FieldExtractor
from kismet_build.extract.field_sources import fetch
from kismet_build.extract.inference import field_key
from kismet_build.extract.match import find_matches
from kismet_build.extract.match_result import MatchResult
from kismet_build.extract.references import NameIndex, build_name_index, reference_rules, resolve_references
from kismet_build.extract.skipped_index_notes import skipped_index_notes
from kismet_build.extract.value import split_names
from kismet_build.model.book import Outline, ResolvedLinks
from kismet_build.model.diagnostic import KIND, Diagnostic, Related, Report, Subject, error, warning
from kismet_build.model.memo import Memo, UnusableDefinition
from kismet_build.model.nodes import Block
from kismet_build.model.pattern import UnusablePattern
from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import folder_name, normalize
from kismet_build.pack import Entity, EntityNames

MAX_NAMED_IDS = 20
"""Entities of one id whose new id a diagnostic names. It says the same of the others, so that it is one message."""
ALIASES_OF_NOTE = (FieldSource("meta", "aliases"), FieldSource("meta", "alias"))
"""Where the other names of a note are, unless its kind says otherwise."""
MIN_LABEL_USES = 3
"""Minimum number of entities with the same id at which their name counts as a label of the text."""


@dataclass(frozen=True, slots=True)
class ExtractedEntities:
    """The entities of one document, and the diagnostics of their extraction."""

    entities: tuple[Entity, ...] = ()
    """Grouped by kind in the order of the game's kinds, then in the order of the text."""
    diagnostics: tuple[Diagnostic, ...] = ()


NOTHING = ExtractedEntities()
"""For documents without entities of a kind."""


class UnusableKind(UnusableDefinition):
    """The entities of a kind cannot be extracted, because one of its patterns cannot be searched."""

    def __init__(self, kind: Kind, problem: UnusablePattern, outlines: Sequence[Outline]) -> None:
        super().__init__(str(problem))
        self.kind = kind
        message = f"{problem}, so that no {kind.title} is read"
        hint = "write it so that a text can match it in one way only, such as a+ for (a+)+"
        # A kind that depends on several documents is extracted from all of them at once.
        texts = [outline.chapter.source.span(0, 0) for outline in outlines] if len(outlines) == 1 else []
        self.diagnostic = error(
            "unusable-pattern",
            kind.data.span_of(*problem.pattern.keys),
            message,
            hint,
            tuple(Related(text, "in this text") for text in texts),
            Subject(KIND, kind.id, kind.source.full_span()),
        )


def extract(
    outlines: Mapping[str, Outline], links: Mapping[str, ResolvedLinks], game: Game, memo: Memo, report: Report
) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of each document, by its path. Missing and unreadable fields are reported.

    The entities of some kinds depend on several documents: these are extracted from all documents at once.
    """
    found = _extract_all(outlines, game, memo, report)
    kind_ids = tuple(game.kinds)
    extracted = {
        path: memo.run("entities", path, _in_order_of_kinds, kind_ids, tuple(parts)) for path, parts in found.items()
    }
    lenient_kinds = frozenset(kind.id for kind in game.kinds.values() if kind.is_lenient)
    if lenient_kinds:
        label_kinds = frozenset(kind.id for kind in game.kinds.values() if kind.repeated == "label")
        extracted = {
            path: memo.run("entities without fields", path, _without_fields, entities, lenient_kinds, label_kinds)
            for path, entities in extracted.items()
        }
        own_ids = tuple(
            (path, memo.run("own ids", path, _own_ids, entities, lenient_kinds)) for path, entities in extracted.items()
        )
        new_ids = memo.run("new ids", "", _new_ids, own_ids)
        for path in new_ids:
            renamed = memo.run("renamed entities", path, _with_new_ids, extracted[path], new_ids[path])
            extracted[path] = renamed.entities
            found[path].append(renamed)
    if RULE_KIND in game.kinds:
        extracted = _with_rule_terms(extracted, game, memo)
    if game.left_out:
        extracted = {
            path: memo.run("published entities", path, _without, entities, game.left_out)
            for path, entities in extracted.items()
        }
    names = tuple(memo.run("names of entities", path, _names_of, entities) for path, entities in extracted.items())
    kinds = tuple(game.kinds.values())
    index = memo.run("name index", "", _name_index, kinds, names)
    rules = memo.run("reference rules", "", _reference_rules, kinds)
    all_names = memo.run("all names", "", _all_names, names)
    dead_links = {path: memo.run("dead links", path, _dead_links, links[path], all_names) for path in extracted}
    resolved = {
        path: memo.run("references", path, _with_references, game.kinds, rules, entities, index, dead_links[path])
        for path, entities in extracted.items()
    }
    for parts in (*found.values(), resolved.values()):
        for part in parts:
            for diagnostic in part.diagnostics:
                report(diagnostic)
    entities = {path: of_document.entities for path, of_document in resolved.items()}
    for diagnostic in skipped_index_notes(outlines, game.kinds.values(), entities):
        report(diagnostic)
    return entities


def _extract_all(
    outlines: Mapping[str, Outline], game: Game, memo: Memo, report: Report
) -> dict[str, list[ExtractedEntities]]:
    """The entities of each document, by its path. A kind with an unusable pattern has none, in any document."""
    left_out = {subject.name for subject in game.left_out if subject.type == KIND}
    kinds = [kind for kind in game.kinds.values() if kind.id not in left_out]
    while True:
        try:
            return _extract_kinds(kinds, outlines, game, memo)
        except UnusableKind as problem:
            # The entities of this kind in other documents go as well: which of them were read first must not matter.
            kinds.remove(problem.kind)
            report(problem.diagnostic)


def _extract_kinds(
    kinds: Sequence[Kind], outlines: Mapping[str, Outline], game: Game, memo: Memo
) -> dict[str, list[ExtractedEntities]]:
    """The entities of some kinds in each document, by its path. Raises `UnusableKind`."""
    local_kinds = tuple(filter(_is_local, kinds))
    found = {
        path: [memo.run("extract", path, _extract_document, game.id, game.language, local_kinds, outline)]
        for path, outline in outlines.items()
    }
    all_outlines = tuple(outlines.values())
    for kind in kinds:
        if not _is_local(kind):
            of_kind = memo.run(
                "extract from all", kind.id, _extract_from_all, game.id, game.language, kind, all_outlines
            )
            for path in outlines:
                found[path].append(memo.run(f"extract {kind.id}", path, _unchanged, of_kind.get(path, NOTHING)))
    return found


def _is_local(kind: Kind) -> bool:
    """Whether the entities of a kind that a document defines depend on no other document."""
    return kind.repeated != "label" and all(match.method != "phrase" and not match.join for match in kind.matches)


def _extract_document(game_id: str, language: str, kinds: Sequence[Kind], outline: Outline) -> ExtractedEntities:
    """The entities of these kinds in one document; their references are still names."""
    candidates = Candidates((outline,))
    diagnostics: list[Diagnostic] = []
    entities: list[Entity] = []
    kind_of_note: Kind | None = None
    for kind in kinds:
        own_diagnostics: list[Diagnostic] = []
        for entity in _entities_of_kind(game_id, language, kind, candidates, own_diagnostics.append):
            if not _is_whole_note(entity):
                entities.append(entity)
            elif kind_of_note is None:
                kind_of_note = kind
                entities.append(entity)
            elif kind_of_note is not kind:
                own_diagnostics = [_two_kinds(entity, kind_of_note, kind)]
        diagnostics += own_diagnostics
    return ExtractedEntities(tuple(entities), tuple(diagnostics))


def _is_whole_note(entity: Entity) -> bool:
    return entity.section.anchor.level == 0 and entity.span == entity.span.source.full_span()


def _two_kinds(entity: Entity, first: Kind, second: Kind) -> Diagnostic:
    message = f'this note is of the kinds "{first.id}" and "{second.id}", and is an entry of "{first.id}" only'
    hint = "make the conditions in x-match of one of them narrower"
    return warning("two-kinds", entity.span.source.span(0, 0), message, hint)


def _extract_from_all(
    game_id: str, language: str, kind: Kind, outlines: Sequence[Outline]
) -> dict[str, ExtractedEntities]:
    """The entities of a kind that depends on several documents, by path; their references are still names."""
    diagnostics: list[Diagnostic] = []
    entities: dict[str, list[Entity]] = {}
    for entity in _entities_of_kind(game_id, language, kind, Candidates(outlines), diagnostics.append):
        entities.setdefault(entity.span.source.path, []).append(entity)
    reports: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        reports.setdefault(diagnostic.span.source.path, []).append(diagnostic)
    return {
        path: ExtractedEntities(tuple(entities.get(path, ())), tuple(reports.get(path, ())))
        for path in {**entities, **reports}
    }


def _unchanged(entities: ExtractedEntities) -> ExtractedEntities:
    """A pass that returns the previous object if the entities of a document are equal to those before."""
    return entities


def _in_order_of_kinds(kinds: Sequence[str], parts: Sequence[ExtractedEntities]) -> tuple[Entity, ...]:
    order = {kind: number for number, kind in enumerate(kinds)}
    entities = chain.from_iterable(part.entities for part in parts)
    return tuple(sorted(entities, key=lambda entity: order[entity.kind]))


def _without_fields(
    entities: Sequence[Entity], lenient_kinds: Collection[str], label_kinds: Collection[str]
) -> tuple[Entity, ...]:
    """The entities of a document without the bold labels of its fields: `**Attack:** bite` of a beast is no term."""
    notes = (entity for entity in entities if entity.kind in lenient_kinds and _is_whole_note(entity))
    fields = {key for note in notes for key in note.fields}
    return tuple(
        entity for entity in entities if entity.kind not in label_kinds or field_key(entity.name) not in fields
    )


def _own_ids(entities: Sequence[Entity], lenient_kinds: Collection[str]) -> tuple[str, ...]:
    """The ids of the entities of lenient kinds."""
    return tuple(entity.id for entity in entities if entity.kind in lenient_kinds)


def _new_ids(own_ids: Sequence[tuple[str, Sequence[str]]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """By path, the ids that an entity before has, each with a number that makes it unique."""
    taken = set(chain.from_iterable(ids for _, ids in own_ids))
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    new_ids: dict[str, list[tuple[str, str]]] = {}
    for path, ids in own_ids:
        for entity_id in ids:
            if entity_id not in used:
                used.add(entity_id)
                continue
            new_id = entity_id
            while new_id in taken:
                numbers[entity_id] += 1
                new_id = f"{entity_id}-{numbers[entity_id] + 1}"
            taken.add(new_id)
            new_ids.setdefault(path, []).append((entity_id, new_id))
    return {path: tuple(ids) for path, ids in new_ids.items()}


def _with_rule_terms(
    extracted: Mapping[str, tuple[Entity, ...]], game: Game, memo: Memo
) -> dict[str, tuple[Entity, ...]]:
    """The entities of each document, with each rule once, and without the rules that are entities of other kinds.

    A rule that the game file names may have the name of another entity.
    """
    named = frozenset(f"{game.id}/{RULE_KIND}/{folder_name(term.name)}" for term, _ in game.rule_terms)
    rules, names = [], []
    for path, entities in extracted.items():
        rules.append((path, memo.run("rule terms", path, _rule_terms_of, entities)))
        names.append(memo.run("names of other kinds", path, _names_of_other_kinds, entities))
    first = memo.run("first rule terms", "", _first_rule_terms, tuple(rules), tuple(names), named)
    return {
        path: memo.run("entities with rule terms", path, _only_rule_terms, entities, first[path])
        for path, entities in extracted.items()
    }


def _rule_terms_of(entities: Sequence[Entity]) -> tuple[tuple[str, str], ...]:
    """The id of each rule, and the form in which the spellings of its name are equal."""
    return tuple((entity.id, term_key(entity.name)) for entity in entities if entity.kind == RULE_KIND)


def _names_of_other_kinds(entities: Sequence[Entity]) -> frozenset[str]:
    names = ((entity.name, *entity.aliases) for entity in entities if entity.kind != RULE_KIND)
    return frozenset(map(term_key, chain.from_iterable(names)))


def _first_rule_terms(
    rules: Sequence[tuple[str, Sequence[tuple[str, str]]]], names: Sequence[frozenset[str]], named: frozenset[str]
) -> dict[str, frozenset[str]]:
    """By path, the ids of the rules that are entities."""
    taken = frozenset(chain.from_iterable(names))
    seen: set[str] = set()
    first: dict[str, frozenset[str]] = {}
    for path, of_document in rules:
        first[path] = frozenset(
            rule for rule, key in of_document if rule not in seen and (rule in named or key not in taken)
        )
        seen |= first[path]
    return first


def _only_rule_terms(entities: Sequence[Entity], rules: frozenset[str]) -> tuple[Entity, ...]:
    return tuple(entity for entity in entities if entity.kind != RULE_KIND or entity.id in rules)


def _with_new_ids(entities: Sequence[Entity], new_ids: Sequence[tuple[str, str]]) -> ExtractedEntities:
    """The entities with these new ids: of several with one id, the last ones are renamed."""
    waiting: dict[str, list[str]] = {}
    for old_id, new_id in new_ids:
        waiting.setdefault(old_id, []).append(new_id)
    renamed: list[Entity] = []
    diagnostics: list[Diagnostic] = []
    for entity in reversed(entities):
        if not waiting.get(entity.id):
            renamed.append(entity)
            continue
        new_id = waiting[entity.id].pop()
        renamed.append(replace(entity, id=new_id))
        is_frequent = int(new_id.rpartition("-")[2]) > MAX_NAMED_IDS
        new = "one with a number" if is_frequent else f'the id "{new_id}"'
        message = f'"{entity.name}" has the id of another entry, and gets {new}'
        span = entity.span.source.span(entity.span.start, entity.span.start)
        diagnostics.append(warning("repeated-name", span, message, "give one of them another name"))
    return ExtractedEntities(tuple(reversed(renamed)), tuple(reversed(diagnostics)))


def _without(entities: Sequence[Entity], left_out: Collection[Subject]) -> tuple[Entity, ...]:
    texts = {subject.name for subject in left_out if subject.type == "text"}
    return tuple(
        entity for entity in entities if entity.subject not in left_out and entity.span.source.path not in texts
    )


def _names_of(entities: Sequence[Entity]) -> tuple[EntityNames, ...]:
    return tuple(
        EntityNames(entity.kind, entity.id, entity.name, entity.aliases, _note_name(entity)) for entity in entities
    )


def _note_name(entity: Entity) -> str:
    return file_stem(entity.span.source.path) if entity.is_document else ""


def _name_index(kinds: Sequence[Kind], names: Sequence[Sequence[EntityNames]]) -> NameIndex:
    return build_name_index({kind.id: kind for kind in kinds}, tuple(chain.from_iterable(names)))


def _entities_of_kind(
    game_id: str, language: str, kind: Kind, candidates: Candidates, report: Report
) -> tuple[Entity, ...]:
    """The entities of a kind; their references are still names. Raises `UnusableKind`."""
    try:
        results = find_matches(kind, candidates, report)
        return _without_labels(kind, [_entity(game_id, language, kind, result, report) for result in results])
    except UnusablePattern as problem:
        raise UnusableKind(kind, problem, candidates.outlines) from problem


def _reference_rules(kinds: Sequence[Kind]) -> dict[str, tuple[FieldRule, ...]]:
    return {kind.id: reference_rules(kind) for kind in kinds}


def _all_names(of_documents: Sequence[Sequence[EntityNames]]) -> frozenset[str]:
    """The normalized names and aliases of all entities."""
    names = chain.from_iterable(of_documents)
    return frozenset(normalize(name) for entity in names for name in (entity.name, *entity.aliases))


def _dead_links(links: ResolvedLinks, names: frozenset[str]) -> frozenset[str]:
    """The targets without a heading of the links of a document that lead to no document and name no entity."""
    targets = (
        link.target.partition("#")[0].strip() for link, target in links.unresolved if target and not target.anchor
    )
    return frozenset(target for target in targets if normalize(target) not in names)


def _with_references(
    kinds: Mapping[str, Kind],
    rules: Mapping[str, tuple[FieldRule, ...]],
    entities: Sequence[Entity],
    names: NameIndex,
    dead_links: frozenset[str],
) -> ExtractedEntities:
    """The entities of a document, with the names in their reference fields replaced by ids."""
    diagnostics: list[Diagnostic] = []
    with_ids = tuple(
        resolve_references(entity, rules[entity.kind], kinds, names, diagnostics.append, dead_links)
        if rules[entity.kind]
        else entity
        for entity in entities
    )
    return ExtractedEntities(with_ids, tuple(diagnostics))


def _entity(game_id: str, language: str, kind: Kind, result: MatchResult, report: Report) -> Entity:
    fields: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
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
    if not kind.name:
        fields.pop("name", None)
    entity = Entity(
        id=f"{game_id}/{kind.id}/{folder_name(name)}",
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
    for diagnostic in diagnostics:
        report(replace(diagnostic, subject=entity.subject))
    return entity


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
