"""All passes of a compilation, in their order. `driver/compile.py` runs them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from kismet_build import resolve
from kismet_build.config.game import Game
from kismet_build.config.load_game import kinds_in_words_of
from kismet_build.config.privacy import Verdict, privacy_of
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
from kismet_build.crossref.phrase_index import PhraseIndex
from kismet_build.crossref.roll_tables import find_roll_tables
from kismet_build.crossref.section_names import section_names
from kismet_build.crossref.tags import find_tags
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
from kismet_build.extract.cells import TypedCells, type_cells
from kismet_build.extract.chapter_properties import chapter_properties
from kismet_build.extract.found_kinds import add_kinds, found_kinds, texts_of_kinds
from kismet_build.extract.language import language_of, language_words
from kismet_build.extract.note_shape import machine_properties, note_shape
from kismet_build.extract.questions import find_questions
from kismet_build.extract.references import build_name_index
from kismet_build.extract.skipped_index_notes import skipped_index_notes
from kismet_build.lint.broken_markup import broken_markup
from kismet_build.lint.foreign_markup import foreign_marks, foreign_markup
from kismet_build.lint.likely_typo import likely_typo, typo_marks
from kismet_build.lint.looks_private import lookalikes, looks_secret, secret_marks
from kismet_build.lint.odd_value import odd_cells
from kismet_build.lint.unescaped_space import unescaped_space
from kismet_build.lint.unsafe_link import unsafe_link
from kismet_build.lint.unshown_footnote import unshown_footnote
from kismet_build.mechanics.calculator.calculation import available_calculators
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.nodes import Document
from kismet_build.model.source import Span
from kismet_build.model.titles import display_titles
from kismet_build.pack import DocumentFacts, Entity, QuestionBox
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
from kismet_build.resolve.places import is_garden_note, places, with_garden, with_given_properties
from kismet_build.resolve.routes import Routes, routes_of
from kismet_build.resolve.selection import (
    private_index,
    private_names,
    report_links,
    select,
    verdicts_at,
    with_attachments_of_drafts,
    without_private_links,
)
from kismet_build.resolve.statblocks import extend_statblocks, find_bases, find_statblocks


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the compilation: a function of its arguments alone, which are values from the rows above it.

    A pass with `document` runs for each document that has the first of these values, and its value has a result for
    each of these documents. Any other pass runs once. A function that reports diagnostics returns them, as `Diagnosed`.
    """

    name: str
    function: Callable[..., Any]
    document: tuple[str, ...] = ()
    """Names of values of which the function receives the entry for one document, or `None`."""
    game: tuple[str, ...] = ()
    """Names of values that the function receives for the entire game: by path, if they have a result for each document.

    `game.kinds` is an attribute of a value.
    """
    gives: str = ""
    """The value that the pass refines for all later passes; empty for a new value, which is named after the pass."""
    when: str = ""
    """A value of the entire game that must be true for the pass to run, or an empty string."""


def _documents(
    texts: Mapping[str, Document], verdicts: Mapping[str, Verdict], parts: frozenset[str]
) -> dict[str, Document]:
    public = select(texts, verdicts, private=False)
    return {path: document for path, document in public.items() if path not in parts}


SELECTION = (
    Pass("garden notes", is_garden_note, ("text",)),
    Pass("folder rules", with_garden, game=("garden notes", "game.folder_rules", "game.finds_gardens")),
    Pass("places of texts", lambda texts, sources: places(texts, texts, sources), game=("text", "folder rules")),
    Pass("privacy", privacy_of, ("text", "places of texts"), ("excluded", "game.files.only")),
    Pass("verdicts", verdicts_at, game=("privacy", "game.files.listed_at")),
    Pass(
        "excluded with attachments",
        with_attachments_of_drafts,
        game=("excluded", "verdicts", "game.files.attachments", "game.project.publication"),
        gives="excluded",
        when="game.project",
    ),
    Pass(
        "text with all properties",
        with_given_properties,
        ("text", "places of texts"),
        ("game.project.property_names",),
        gives="text",
        when="game.project",
    ),
    Pass("private texts", lambda texts, verdicts: select(texts, verdicts, private=True), game=("text", "verdicts")),
    Pass("document", _documents, game=("text", "verdicts", "parts")),
    Pass("lookalikes", lookalikes, game=("verdicts", "document")),
    Pass("private names", private_names, ("private texts",)),
    Pass("addresses", routes_of, ("text",), ("game.project.routing",), when="game.project"),
    Pass("routes", Routes, game=("addresses", "game.project.routing"), when="game.project"),
    Pass("public aliases", attrgetter("aliases"), ("document",)),
    Pass(
        "private index",
        private_index,
        game=(
            *("public aliases", "private names", "verdicts", "undecoded"),
            *("game.files.attachments", "excluded", "game.unread", "routes"),
        ),
    ),
    Pass("withheld links", without_private_links, ("document",), ("private index",), when="private index"),
    Pass("reported links", report_links, game=("withheld links",), when="private index"),
    Pass("published document", attrgetter("document"), ("withheld links",), gives="document", when="private index"),
)
"""From `text`, all documents of a game, to `document`, the published ones. No later pass receives a private document.

`excluded`: the paths that settings keep private. `undecoded`: the paths of texts that cannot be read. `parts`: the
paths of texts that others include.
"""


def _document_facts(
    entities: tuple[Entity, ...],
    links: LinkMentions,
    autolinks: DocumentAutolinks,
    cells: TypedCells,
    roll_tables: Mapping[Span, RollTable],
    questions: tuple[QuestionBox, ...],
    tags: tuple[tuple[str, tuple[str, ...]], ...],
    properties: Mapping[str, Any],
) -> DocumentFacts:
    return DocumentFacts(
        entities=entities,
        link_entities=links.link_entities,
        link_sections=links.link_sections,
        mentions=autolinks.mentions,
        field_mentions=field_mentions(entities),
        autolinks=autolinks.autolinks,
        ambiguous_mentions=autolinks.ambiguous_mentions,
        cells=cells,
        roll_tables=roll_tables,
        questions=questions,
        tags=tags,
        properties=properties,
    )


def _available_game(game: Game, empty_kinds: frozenset[str]) -> Game:
    if not empty_kinds:
        return game
    return replace(game, calculators=available_calculators(game.calculators, set(empty_kinds)))


# docs/decisions/0029-passes.md says why the passes are a table and why values are compared.
PASSES = (
    # resolve
    Pass("statblocks", find_statblocks, ("document",)),
    Pass("bases", find_bases, game=("statblocks",)),
    Pass("extended statblocks", extend_statblocks, ("bases", "document"), gives="document"),
    # only for a plain vault, and for a game whose notes define kinds
    Pass("language words", language_words, ("document",), when="game.kind_rules.from_folders"),
    Pass(
        "language",
        language_of,
        game=("language words", "game.language", "game.has_written_language"),
        when="game.kind_rules.from_folders",
    ),
    Pass(
        "kinds in words of",
        kinds_in_words_of,
        game=("language", "game.kinds"),
        when="game.kind_rules.from_folders",
    ),
    Pass(
        "game with language",
        lambda game, language, kinds: replace(game, language=language, kinds=kinds),
        game=("game", "language", "kinds in words of"),
        gives="game",
        when="game.kind_rules.from_folders",
    ),
    Pass("machine properties", machine_properties, game=("game.kind_rules.properties",)),
    Pass("note shape", note_shape, ("document",), ("machine properties",), when="game.kind_rules.find_kinds"),
    Pass(
        "found kinds",
        found_kinds,
        game=(
            *("note shape", "game.title", "game.kinds", "game.text_language"),
            *(
                "game.kind_rules.properties",
                "game.kind_rules.folders",
                "game.kind_rules.from_folders",
            ),
        ),
        when="game.kind_rules.find_kinds",
    ),
    # The following passes depend only on the texts of the kind files, which the number of notes does not change.
    Pass("texts of kinds", texts_of_kinds, game=("found kinds",), when="game.kind_rules.find_kinds"),
    Pass(
        "kinds",
        add_kinds,
        game=("game.kinds", "texts of kinds", "game.kind_rules.order"),
        when="game.kind_rules.find_kinds",
    ),
    Pass(
        "game with kinds",
        lambda game, kinds: replace(game, kinds=kinds),
        game=("game", "kinds"),
        gives="game",
        when="game.kind_rules.find_kinds",
    ),
    Pass(
        "home note",
        home_note,
        game=("document", "game.files.folder_name"),
        when="game.kind_rules.from_folders",
    ),
    Pass("home title", heading_title, ("home note",)),
    Pass(
        "titled game",
        with_title,
        game=("game", "home title"),
        gives="game",
        when="game.kind_rules.from_folders",
    ),
    # resolve
    Pass("unordered paths", tuple, game=("document",)),
    Pass("display titles", display_titles, game=("unordered paths", "game.is_plain")),
    Pass("listing", listing_of, ("document",), ("game.project.listing",), when="game.project"),
    Pass("navigation tree", navigation_tree, game=("listing", "display titles", "game.project"), when="game.project"),
    Pass("labels", labels, game=("navigation tree",), when="game.project"),
    Pass("unknown parents", unknown_parents, game=("document", "navigation tree"), when="game.project"),
    Pass("ordered documents", in_order, game=("document", "navigation tree"), gives="document", when="game.project"),
    Pass("paths", tuple, game=("document",)),
    Pass(
        "chapter places",
        chapter_places,
        game=("paths", "game.kinds", "display titles", "game.definition.split", "labels"),
    ),
    Pass("navigation", navigation, game=("navigation tree", "chapter places", "display titles")),
    Pass("anchors", anchor_chapter, ("document", "chapter places")),
    Pass("section names", resolve.section_names, ("anchors",)),
    Pass("section slugs", section_slugs, game=("section names",)),
    Pass("outline", outline, ("anchors", "section slugs")),
    Pass("aliases", link_names, ("document", "anchors")),
    Pass(
        "attachments",
        lambda attachments, withheld: tuple(path for path in attachments if path not in withheld),
        game=("game.files.attachments", "game.withheld"),
    ),
    Pass("public addresses", routes_of, ("document",), ("game.project.routing",), when="game.project"),
    Pass("public routes", Routes, game=("public addresses", "game.project.routing"), when="game.project"),
    Pass("included", lambda document: document.source.included, ("document",)),
    Pass("link names", LinkNames, game=("aliases", "attachments", "public routes", "included")),
    Pass("link anchors", link_anchors, ("anchors",)),
    Pass("link index", LinkResolver, game=("link names", "link anchors")),
    Pass("links", resolve_links, ("document",), ("link index",)),
    # extract
    Pass("extracted kinds", kinds_to_extract, game=("game.kinds", "game.left_out", "unusable kinds")),
    Pass("extract", extract_document, ("outline",), ("game.id", "game.text_language", "extracted kinds.local")),
    Pass(
        "extract from all",
        extract_from_all,
        game=("outline", "game.id", "game.text_language", "extracted kinds.common"),
        when="extracted kinds.common",
    ),
    Pass("entities", in_order_of_kinds, ("extract", "extract from all"), ("game.kinds",)),
    Pass("note kinds", note_kinds, game=("game.kinds",)),
    Pass("label kinds", label_kinds, game=("game.kinds",)),
    Pass(
        "entities without fields",
        without_fields,
        ("entities",),
        ("note kinds", "label kinds"),
        gives="entities",
        when="note kinds",
    ),
    Pass("own ids", own_ids, ("entities",), ("note kinds",), when="note kinds"),
    Pass("new ids", new_ids, game=("own ids",), when="note kinds"),
    Pass("renamed entities", with_new_ids, ("new ids", "entities"), gives="entities", when="note kinds"),
    Pass("has rules", defines_rules, game=("game.kinds",)),
    Pass("named rules", rule_ids, game=("game.id", "game.definition.linking.terms"), when="has rules"),
    Pass("rule terms", rule_terms_of, ("entities",), when="has rules"),
    Pass("names of other kinds", names_of_other_kinds, ("entities",), when="has rules"),
    Pass(
        "first rule terms",
        first_rule_terms,
        game=("rule terms", "names of other kinds", "named rules"),
        when="has rules",
    ),
    Pass(
        "entities with rule terms",
        only_rule_terms,
        ("entities", "first rule terms"),
        gives="entities",
        when="has rules",
    ),
    Pass("published entities", without, ("entities",), ("game.left_out",), gives="entities", when="game.left_out"),
    Pass("names of entities", names_of, ("entities",)),
    Pass("names", all_names, game=("names of entities",)),
    Pass("name index", build_name_index, game=("game.kinds", "names")),
    Pass("reference rules", rules_of_references, game=("game.kinds",)),
    Pass("known names", known_names, game=("names",)),
    Pass("dead links", dead_links, ("links",), ("known names",)),
    Pass(
        "references",
        with_references,
        ("entities", "dead links"),
        ("game.kinds", "reference rules", "name index"),
        gives="entities",
    ),
    Pass("skipped index notes", skipped_index_notes, game=("outline", "game.kinds", "entities")),
    Pass("cells", type_cells, ("outline",), ("game.text_language",)),
    Pass("questions", find_questions, ("outline",), ("game.is_plain",)),
    Pass("chapter properties", chapter_properties, ("document", "entities"), ("machine properties",)),
    # crossref
    Pass("entity places", entity_places, ("outline", "entities")),
    Pass("places", join_places, game=("entity places",)),
    Pass("unique names", unique_names, game=("names",)),
    Pass(
        "link mentions",
        find_link_mentions,
        ("outline", "links", "entities"),
        ("game.id", "places", "unique names"),
    ),
    Pass(
        "linked sections",
        section_names,
        ("outline", "entities"),
        ("game.id", "game.text_language"),
        when="game.definition.linking.rules.links_sections",
    ),
    Pass(
        "phrases",
        PhraseIndex,
        game=(
            *("names", "linked sections"),
            *("game.id", "game.text_language", "game.definition.linking.rules", "game.kinds", "game.is_plain"),
        ),
    ),
    Pass("autolinks", find_autolinks, ("outline", "entities", "link mentions"), ("game.id", "phrases")),
    Pass("roll tables", find_roll_tables, ("outline",), ("game.text_language",)),
    Pass("tags", find_tags, ("outline", "entities"), ("game.id",)),
    Pass(
        "facts",
        _document_facts,
        (
            *("entities", "link mentions", "autolinks", "cells"),
            *("roll tables", "questions", "tags", "chapter properties"),
        ),
    ),
    Pass(
        "empty kinds",
        lambda kinds, names: frozenset(kinds) - {entity.kind for entity in names},
        game=("game.kinds", "names"),
    ),
    Pass("available game", _available_game, game=("game", "empty kinds"), gives="game"),
    Pass(
        "cited texts",
        cited_texts,
        game=("outline", "entities", "game.id", "game.calculators", "game.effects", "game.faulty_calculators"),
    ),
    Pass("citations", find_citations, ("cited texts",)),
    Pass("cited", join_citations, game=("citations",)),
    Pass("effect mentions", effect_mentions, game=("game.id", "game.effects", "names")),
    # lint: checks of one document; the checks of the whole game follow
    Pass("broken markup", broken_markup, ("document",)),
    Pass("odd cells", odd_cells, ("document",)),
    Pass("foreign marks", foreign_marks, ("document",)),
    Pass("foreign markup", foreign_markup, game=("foreign marks",)),
    Pass("typo marks", typo_marks, ("document",)),
    Pass("likely typos", likely_typo, game=("typo marks",)),
    Pass("secret marks", secret_marks, ("document",)),
    Pass("looks secret", looks_secret, game=("secret marks",)),
    Pass("unescaped spaces", unescaped_space, ("document",)),
    Pass("unshown footnotes", unshown_footnote, ("document",)),
    Pass("unsafe links", unsafe_link, ("document",)),
)
"""From `document`, the published documents of a game, to the facts of `Pack`.

`unusable kinds`: the ids of the kinds whose patterns cannot be searched.
"""
