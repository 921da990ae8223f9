"""Compile one game: parse its texts, run the steps and the checks, and reuse the results of an earlier version."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from kismet_build import resolve
from kismet_build.config.discovery import relative_path
from kismet_build.config.game import Game
from kismet_build.config.kind import Kind
from kismet_build.config.load_game import kinds_in_words_of
from kismet_build.crossref.autolink import DocumentAutolinks, find_autolinks
from kismet_build.crossref.backlinks import (
    LinkMentions,
    effect_mentions,
    entity_places,
    field_mentions,
    find_link_mentions,
    join_places,
    unique_names,
)
from kismet_build.crossref.citations import cited_texts, find_citations, join_citations
from kismet_build.crossref.phrase_index import PhraseIndex, section_names
from kismet_build.crossref.roll_tables import find_roll_tables
from kismet_build.crossref.tags import find_tags
from kismet_build.driver.included_files import Files, parts_of
from kismet_build.driver.keep_going import adjust_severity, error_if_emptied, without_errors
from kismet_build.driver.parse_files import failed_text, open_files, parse_files, without_markup
from kismet_build.driver.select import Privacy, decide_privacy, select_documents
from kismet_build.extract import (
    all_names,
    dead_links,
    defines_rules,
    extract_document,
    extract_from_all,
    first_rule_terms,
    in_order_of_kinds,
    kinds_to_extract,
    known_names,
    label_kinds,
    names_of,
    names_of_other_kinds,
    new_ids,
    note_kinds,
    only_rule_terms,
    own_ids,
    rule_ids,
    rule_terms_of,
    rules_of_references,
    with_new_ids,
    with_references,
    without,
    without_fields,
)
from kismet_build.extract.chapter_data import TypedCells, chapter_properties, type_cells
from kismet_build.extract.found_kinds import FoundKind, add_kinds, found_kinds, texts_of_kinds
from kismet_build.extract.language import language_of, language_words
from kismet_build.extract.note_shape import machine_properties, note_shape
from kismet_build.extract.questions import find_questions
from kismet_build.extract.references import build_name_index
from kismet_build.extract.skipped_index_notes import skipped_index_notes
from kismet_build.lint import CHECKS
from kismet_build.lint.entities import odd_cells
from kismet_build.lint.likely_typo import likely_typo, typo_marks
from kismet_build.lint.looks_private import looks_secret, secret_marks
from kismet_build.lint.markup import (
    broken_markup,
    foreign_marks,
    foreign_markup,
    unescaped_space,
    unsafe_link,
    unshown_footnote,
)
from kismet_build.mechanics.calculator.calculation import available_calculators
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.book import Book, Outline
from kismet_build.model.diagnostic import (
    Diagnosed,
    Diagnostic,
    FailedText,
    Findings,
    Report,
    UnusableDefinition,
    has_errors,
    sort_diagnostics,
)
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.model.source import Span
from kismet_build.model.titles import display_titles
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import DocumentFacts, Entity, EntityNames, OpenedFile, Pack, ParsedFile, QuestionBox
from kismet_build.parse.composition import MAX_ADDED_OF_GAME
from kismet_build.resolve import (
    anchor_chapter,
    chapter_places,
    link_anchors,
    link_names,
    outline,
    resolve_links,
    section_slugs,
)
from kismet_build.resolve.chapters import heading_title, home_note, with_title
from kismet_build.resolve.link_index import LinkNames, LinkResolver
from kismet_build.resolve.navigation import in_order, labels, listing_of, navigation, navigation_tree, unknown_parents
from kismet_build.resolve.routes import Routes, routes_of
from kismet_build.resolve.statblocks import extend_statblocks, find_bases, find_statblocks

Result = TypeVar("Result")

MISSING_NAME_CODES = frozenset(
    (
        *("empty-kind", "missing-rule", "stale-citation", "stale-correction", "stale-migration"),
        *("unknown-part", "unknown-search-name", "unknown-subject", "unresolved-link"),
    )
)
"""Codes about unknown names.

Such codes are not reported while a text is unreadable, because that text may define the name.
"""


def compile_game(
    game: Game,
    report: Report,
    progress: Progress = no_progress,
    jobs: int = 1,
    previous: Pack | None = None,
    changed: Collection[Path] | None = None,
    *,
    previous_tree: Path | None = None,
    failures: Sequence[FailedText] = (),
) -> Pack:
    """Parse, resolve, extract, cross-reference and lint one game.

    A text that cannot be read or compiled does not stop the other texts: a diagnostic names the faulty text. Raises
    `OSError` for a machine fault.

    `previous` is the pack of an earlier version of the game; its results are reused if their inputs are the same.
    `changed` are the files that may have changed since; a known text is read again only if it is or includes one of
    them. `None` means all files, for example if the definitions of the game differ. `previous_tree` and `failures`: as
    in `BuildOptions`.
    """
    known = previous.files if previous is not None and changed is not None else {}
    changed_paths = {relative_path(file, game.files.folder) for file in changed or ()}
    unread = [
        (file, dialect)
        for file, dialect in game.files.texts
        if file not in known or file in (changed or ()) or not changed_paths.isdisjoint(known[file].inputs)
    ]
    memo, files = Memo(previous.memo if previous else None), Files(game)
    opened = {**{file: parsed.opened for file, parsed in known.items()}, **open_files(game, unread, files, previous)}
    opened = {file: opened[file] for file, _ in game.files.texts}
    privacy = _decide_privacy(game, opened, files, memo)
    to_parse = {file: text for file, text in opened.items() if file in dict(unread) or text.source is None}
    parsed = parse_files(game, to_parse, privacy.included, previous, progress, jobs)
    texts = {file: parsed[file] if file in parsed else known[file] for file in opened}
    if len(parsed) < len(texts) and (_exceed_the_budget(texts) or _exceed_the_budget(known)):
        # The budget is for the first texts of the game, not for those that happen to be known.
        texts = parse_files(game, opened, privacy.included.with_new_budget(), None, progress, jobs)
    texts |= parse_files(game, _no_longer_parts(texts), privacy.included.with_new_budget(), None, progress, jobs)
    progress(f"{game.title}: linking", 0, 0)
    for failure in failures:
        texts = _without_failure(texts, failure)
    pack = _without_failures(lambda texts: _compile_texts(game, texts, privacy, memo, previous_tree), texts)
    for diagnostic in pack.diagnostics:
        report(diagnostic)
    return pack


def private_texts(game: Game) -> Mapping[str, str]:
    """The paths of the texts of a game that are not published, each with the reason, without compiling it."""
    files = Files(game)
    return _decide_privacy(game, open_files(game, game.files.texts, files), files, Memo()).reasons


def _decide_privacy(game: Game, opened: dict[Path, OpenedFile], files: Files, memo: Memo) -> Privacy:
    """Decide which texts are private. A text on which this fails is left out of `opened`."""
    while True:
        try:
            return decide_privacy(game, opened, files, memo)
        except FailedText as failure:
            for file, text in opened.items():
                if text.path == failure.path and text.source:
                    said = failed_text(failure, text.source.span(0, 0))
                    opened[file] = OpenedFile(None, None, (*text.diagnostics, said))


def _exceed_the_budget(files: Mapping[Path, ParsedFile]) -> bool:
    return sum(parsed.added for parsed in files.values()) >= MAX_ADDED_OF_GAME


def _without_failures(step: Callable[[Mapping[Path, ParsedFile]], Result], texts: Mapping[Path, ParsedFile]) -> Result:
    """The result of a step for the texts of a game. A text on which the step fails is reduced until it succeeds."""
    while True:
        try:
            return step(texts)
        except FailedText as failure:
            texts = _without_failure(texts, failure)


def _no_longer_parts(texts: Mapping[Path, ParsedFile]) -> dict[Path, OpenedFile]:
    """The texts that were parts of others when they were last read, but are not any more."""
    unparsed = {file: parsed.opened for file, parsed in texts.items() if not parsed.is_parsed}
    if not unparsed:
        return {}
    parts = parts_of(parsed.document.source for parsed in texts.values() if parsed.document is not None)
    return {file: opened for file, opened in unparsed.items() if opened.path not in parts}


def _without_failure(texts: Mapping[Path, ParsedFile], failure: FailedText) -> dict[Path, ParsedFile]:
    """The texts after a step failed on one: only its words are kept, or nothing if the words failed, too."""
    result = dict(texts)
    for file, parsed in texts.items():
        document = parsed.document
        if document is not None and document.source.path == failure.path:
            has_failed = any(diagnostic.code == "failed-text" for diagnostic in parsed.diagnostics)
            said = failed_text(failure, document.source.span(0, 0), has_words=not has_failed)
            words = None if has_failed else without_markup(document)
            result[file] = parsed._replace(document=words, diagnostics=(said,))
    return result


def _compile_texts(
    game: Game, texts: Mapping[Path, ParsedFile], privacy: Privacy, memo: Memo, previous_tree: Path | None
) -> Pack:
    """Raises `FailedText` if a step fails for a text."""
    selected = select_documents(game, texts, privacy, memo)
    documents, private = selected.documents, privacy.reasons
    diagnostics = [*selected.diagnostics]
    pack = compile_documents(selected.game, documents, diagnostics.append, memo)
    if len(documents) < len(selected.public):
        diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code not in MISSING_NAME_CODES]
    if previous_tree is not None:
        diagnostics = [error_if_emptied(diagnostic, pack, previous_tree, private) for diagnostic in diagnostics]
    ordered = tuple(sort_diagnostics(adjust_severity(pack, diagnostics)))
    if game.options.keeps_going and has_errors(ordered):
        pack = without_errors(
            lambda game, report, last: compile_documents(game, documents, report, Memo(last.memo)),
            selected.game,
            pack,
            ordered,
        )
    shown = tuple(sort_diagnostics(diagnostic.original for diagnostic in ordered))
    return replace(pack, diagnostics=shown, files=texts, private=private, until=selected.until)


def compile_documents(game: Game, documents: Sequence[Document], report: Report, memo: Memo | None = None) -> Pack:
    """Resolve, extract, cross-reference and lint the documents that are published.

    `memo` has the results of the previous compilation: a step runs only if its inputs changed.
    """
    findings = Findings()
    by_path = {document.source.path: document for document in documents}
    pack = _compile(game, by_path, memo or Memo(), findings)
    for diagnostic in (*findings.diagnostics, *game.faults):
        report(diagnostic)
    for check in CHECKS:
        with watched():
            check(pack, report)
    return pack


def kinds_of_notes(pack: Pack) -> tuple[FoundKind, ...]:
    """The kinds that the notes of a game define."""
    memo: Memo = pack.memo
    return memo.result(found_kinds)


# docs/decisions/0029-steps.md says why values are compared.
def _compile(written_game: Game, texts: Mapping[str, Document], memo: Memo, findings: Findings) -> Pack:
    """From the published documents of a game to its pack. Raises `FailedText` if a step fails for a document."""
    bases = findings.of(memo.once(find_bases, memo.each(find_statblocks, texts)))
    documents = {**texts, **memo.each(extend_statblocks, (bases, texts))}
    machine = memo.once(machine_properties, written_game.kind_rules.properties)
    game = _with_found_kinds(written_game, documents, machine, memo, findings)
    language, vault = game.text_language, game.vault

    # resolve: the order of the documents, their parts, and what links lead to
    titles = memo.once(display_titles, tuple(documents), game.is_plain)
    tree, tree_labels, ordered = None, dict[str, str](), documents
    if vault.is_site:
        listings = memo.each(listing_of, documents, vault.listing)
        tree = findings.of(memo.once(navigation_tree, listings, titles, vault))
        tree_labels = memo.once(labels, tree)
        findings.of(memo.once(unknown_parents, documents, tree))
        ordered = memo.once(in_order, documents, tree)
    chapters = memo.once(chapter_places, tuple(ordered), game.kinds, titles, game.definition.split, tree_labels)
    book_navigation = memo.once(navigation, tree, chapters, titles)
    anchors = memo.each(anchor_chapter, (ordered, chapters))
    slugs = memo.once(section_slugs, memo.each(resolve.section_names, anchors))
    outlines = memo.each(outline, (anchors, slugs))
    routes = None
    if vault.is_site:
        routes = memo.once(Routes, memo.each(routes_of, ordered, vault.routing), vault.routing)
    names_of_links = memo.once(
        LinkNames,
        memo.each(link_names, (ordered, anchors)),
        memo.once(_published, game.files.attachments, game.withheld),
        routes,
        memo.each(_included, ordered),
    )
    index = memo.once(LinkResolver, names_of_links, memo.each(link_anchors, anchors))
    links = memo.each(resolve_links, ordered, index)

    # extract: entities, and what else texts say in a form
    own_entities = _entities(game, outlines, memo, findings)
    names = memo.once(all_names, memo.each(names_of, own_entities))
    dead = memo.each(dead_links, links, memo.once(known_names, names))
    rules, name_index = memo.once(rules_of_references, game.kinds), memo.once(build_name_index, game.kinds, names)
    entities = findings.of_each(memo.each(with_references, (own_entities, dead), game.kinds, rules, name_index))
    findings.of(memo.once(skipped_index_notes, outlines, game.kinds, entities))
    cells = memo.each(type_cells, outlines, language)
    questions = memo.each(find_questions, outlines, game.is_plain)
    properties = memo.each(chapter_properties, (ordered, entities), machine)

    # crossref: mentions, automatic links, dice, tags, citations
    places = memo.once(join_places, memo.each(entity_places, (outlines, entities)))
    by_name = memo.once(unique_names, names)
    mentions = memo.each(find_link_mentions, (outlines, links, entities), game.id, places, by_name)
    linking = game.definition.linking.rules
    linked = memo.each(section_names, (outlines, entities), game.id, language) if linking.links_sections else {}
    phrases = memo.once(PhraseIndex, names, linked, game.id, language, linking, game.kinds, game.is_plain)
    autolinks = memo.each(find_autolinks, (outlines, entities, mentions), game.id, phrases)
    roll_tables = memo.each(find_roll_tables, outlines, language)
    tags = memo.each(find_tags, (outlines, entities), game.id)
    found = {
        path: _StepResults(
            *(entities[path], mentions[path], autolinks[path], cells[path]),
            *(roll_tables[path], questions[path], tags[path], properties[path]),
        )
        for path in entities
    }
    facts = memo.each(_document_facts, found)
    available = memo.once(_available_game, game, memo.once(_empty_kinds, game.kinds, names))
    cited = memo.once(
        cited_texts,
        outlines,
        entities,
        available.id,
        available.calculators,
        available.effects,
        available.faulty_calculators,
    )
    citations = memo.once(join_citations, memo.each(find_citations, cited))
    _check_documents(ordered, memo, findings)
    return Pack(
        game=available,
        book=Book(outlines=outlines, links=links, navigation=book_navigation),
        documents=facts,
        effect_mentions=memo.once(effect_mentions, available.id, available.effects, names),
        cited=citations,
        memo=memo,
    )


def _with_found_kinds(
    game: Game, documents: Mapping[str, Document], machine: frozenset[str], memo: Memo, findings: Findings
) -> Game:
    """The game with the language, the kinds and the title that the notes of a vault define."""
    rules = game.kind_rules
    if not rules.find_kinds:
        return game
    spoken = game
    if rules.from_folders:
        words = memo.each(language_words, documents)
        language = memo.once(language_of, words, game.language, game.has_written_language)
        spoken = memo.once(_in_language, game, language, memo.once(kinds_in_words_of, language, game.kinds))
    shapes = findings.of_each(memo.each(note_shape, documents, machine))
    found = memo.once(
        found_kinds,
        *(shapes, spoken.title, spoken.kinds, spoken.text_language),
        *(rules.properties, rules.folders, rules.from_folders),
    )
    # The kinds depend only on the texts of the kind files, which the number of notes does not change.
    kinds = memo.once(add_kinds, spoken.kinds, memo.once(texts_of_kinds, found), rules.order)
    typed = memo.once(_with_kinds, spoken, kinds)
    if not rules.from_folders:
        return typed
    home = memo.once(home_note, documents, game.files.folder_name)
    return memo.once(with_title, typed, memo.each(heading_title, home))


def _entities(
    game: Game, outlines: Mapping[str, Outline], memo: Memo, findings: Findings
) -> Mapping[str, tuple[Entity, ...]]:
    """The entities of each document, with unique ids, without the values of their references."""
    unusable: dict[str, Diagnostic] = {}
    while True:
        kinds = memo.once(kinds_to_extract, game.kinds, game.left_out, frozenset(unusable))
        try:
            of_each = memo.each(extract_document, outlines, game.id, game.text_language, kinds.local)
            of_all = Diagnosed(dict[str, tuple[Entity, ...]]())
            if kinds.common:
                of_all = memo.once(extract_from_all, outlines, game.id, game.text_language, kinds.common)
        except UnusableDefinition as problem:
            # A kind whose pattern is too slow for one text has no entities in others, whichever came first.
            unusable[problem.name] = problem.diagnostic
        else:
            break
    findings.diagnostics += unusable.values()
    local, common = findings.of_each(of_each), findings.of(of_all)
    of_both = {path: common.get(path) for path in outlines}
    entities = memo.each(in_order_of_kinds, (local, of_both), game.kinds)
    if lenient := memo.once(note_kinds, game.kinds):
        entities = memo.each(without_fields, entities, lenient, memo.once(label_kinds, game.kinds))
        ids = memo.once(new_ids, memo.each(own_ids, entities, lenient))
        entities = {**entities, **findings.of_each(memo.each(with_new_ids, (ids, entities)))}
    if memo.once(defines_rules, game.kinds):
        named = memo.once(rule_ids, game.id, game.definition.linking.terms)
        terms, others = memo.each(rule_terms_of, entities), memo.each(names_of_other_kinds, entities)
        entities = memo.each(only_rule_terms, (entities, memo.once(first_rule_terms, terms, others, named)))
    return memo.each(without, entities, game.left_out) if game.left_out else entities


def _check_documents(documents: Mapping[str, Document], memo: Memo, findings: Findings) -> None:
    """The checks of one document alone. `lint.CHECKS` has those of the whole game."""
    for check in (broken_markup, odd_cells, unescaped_space, unshown_footnote, unsafe_link):
        findings.of_each(memo.each(check, documents))
    findings.of(memo.once(foreign_markup, memo.each(foreign_marks, documents)))
    findings.of(memo.once(likely_typo, memo.each(typo_marks, documents)))
    findings.of(memo.once(looks_secret, memo.each(secret_marks, documents)))


# --- small steps


def _included(document: Document) -> frozenset[str]:
    return document.source.included


def _published(attachments: Sequence[str], withheld: Collection[str]) -> tuple[str, ...]:
    return tuple(path for path in attachments if path not in withheld)


def _in_language(game: Game, language: str, kinds: Mapping[str, Kind]) -> Game:
    return replace(game, language=language, kinds=kinds)


def _with_kinds(game: Game, kinds: Mapping[str, Kind]) -> Game:
    return replace(game, kinds=kinds)


def _empty_kinds(kinds: Collection[str], names: Iterable[EntityNames]) -> frozenset[str]:
    return frozenset(kinds) - {entity.kind for entity in names}


def _available_game(game: Game, empty_kinds: frozenset[str]) -> Game:
    if not empty_kinds:
        return game
    return replace(game, calculators=available_calculators(game.calculators, set(empty_kinds)))


class _StepResults(NamedTuple):
    """The results of the steps for one document, from which its facts are made."""

    entities: tuple[Entity, ...]
    links: LinkMentions
    autolinks: DocumentAutolinks
    cells: TypedCells
    roll_tables: Mapping[Span, RollTable]
    questions: tuple[QuestionBox, ...]
    tags: tuple[tuple[str, tuple[str, ...]], ...]
    properties: Mapping[str, object]


def _document_facts(found: _StepResults) -> DocumentFacts:
    return DocumentFacts(
        entities=found.entities,
        link_entities=found.links.link_entities,
        link_sections=found.links.link_sections,
        mentions=found.autolinks.mentions,
        field_mentions=field_mentions(found.entities),
        autolinks=found.autolinks.autolinks,
        ambiguous_mentions=found.autolinks.ambiguous_mentions,
        cells=found.cells,
        roll_tables=found.roll_tables,
        questions=found.questions,
        tags=found.tags,
        properties=found.properties,
    )
