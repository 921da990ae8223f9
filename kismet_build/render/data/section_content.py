"""The text of a document's sections and entities in the data, with each block stored once.

Blocks shared by a section and an entity are stored in the entity. The section then refers to the entity, with line
numbers if it has only part of the entity's text. `section_text` joins the parts of a section.
docs/decisions/0031-pack-format.md explains why it counts lines and not characters.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.book import Outline, Section
from kismet_build.model.nodes import plain_text, walk
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.entity_text import entity_text
from kismet_build.render.data.questions_json import question_ids
from kismet_build.render.fragments.markdown import to_markdown
from kismet_build.render.fragments.page_context import render_context
from kismet_build.render.fragments.renderer import Href, RenderContext, to_html

Data = Mapping[str, Any]


class EntityContent(NamedTuple):
    """The text of an entity, without question boxes."""

    html: str
    text: str
    """Includes sentences about facts that only the fields have."""


class DocumentContent(NamedTuple):
    """The text of the entities and sections of a document."""

    entities: Mapping[str, EntityContent]
    """The text of each entity, by id."""
    sections: Mapping[str, Data]
    """The `markdown` and `content` of each section, by slug."""


class _Run(NamedTuple):
    """Consecutive blocks of a section.

    They are a question box, blocks outside entities, or blocks that are also consecutive in an entity.
    """

    blocks: tuple[nodes.Block, ...]
    entity: Entity | None = None
    start: int = 0
    """Position of the first block in the entity's body."""
    question: str = ""
    """The id of the question, for a question box."""

    @property
    def end(self) -> int:
        return self.start + len(self.blocks)


def document_content(pack: Pack, outline: Outline, entities: Collection[Entity]) -> DocumentContent:
    """The text of a document's sections and of its entities. `entities`: all that the document defines."""
    texts = {entity.id: entity_text(pack, entity, is_data=True) for entity in entities}
    bodies = {entity.id: pack.rules_body(entity) for entity in entities}
    words = {entity_id: [plain_text(block) for block in body] for entity_id, body in bodies.items()}
    shared = [entity for entity in entities if _can_be_shared(entity, texts[entity.id], words[entity.id])]
    positions: defaultdict[int, list[tuple[Entity, int]]] = defaultdict(list)
    """By the source offset of a block: the entities that contain the block, each with its position in the entity's
    body."""
    for entity in shared:
        for position, block in enumerate(bodies[entity.id]):
            positions[block.span.start].append((entity, position))
    runs = {section.slug: [*_runs(section, positions, bodies, question_ids(pack))] for section in outline.sections}
    runs_of: defaultdict[str, list[_Run]] = defaultdict(list)
    for run in (run for of_section in runs.values() for run in of_section):
        if run.entity is not None:
            runs_of[run.entity.id].append(run)
    contents: dict[str, EntityContent] = {}
    lines: dict[tuple[str, int], dict[str, tuple[int, int]]] = {}
    for entity in entities:
        content, by_start = _entity_content(
            pack, bodies[entity.id], texts[entity.id], words[entity.id], runs_of[entity.id]
        )
        contents[entity.id] = content
        lines |= {(entity.id, start): of_run for start, of_run in by_start.items()}
    return DocumentContent(
        contents,
        {
            section.slug: {
                "markdown": to_markdown([*_own_blocks(section), *footnotes(section)], _id_context(pack)),
                "content": [part for run in runs[section.slug] if (part := _part(pack, section, run, lines))],
            }
            for section in outline.sections
        },
    )


def entity_content(pack: Pack, entity: Entity) -> EntityContent:
    """The text of one entity."""
    return _entity_content(pack, pack.rules_body(entity), entity_text(pack, entity, is_data=True), (), ())[0]


def footnotes(section: Section) -> tuple[nodes.FootnoteDefinition, ...]:
    """The footnotes that a section refers to, even if another section defines them."""
    return referenced_footnotes(section.blocks, section.anchor.chapter.document.footnotes)


def referenced_footnotes(
    blocks: Sequence[nodes.Block], defined: Sequence[nodes.FootnoteDefinition]
) -> tuple[nodes.FootnoteDefinition, ...]:
    """The footnotes that blocks refer to. `defined`: the footnotes of the document with the blocks."""
    if not defined:
        return ()
    by_label = {note.label: note for note in defined}
    references = (node.label for node in walk(*blocks) if isinstance(node, nodes.FootnoteReference))
    return tuple(by_label[label] for label in dict.fromkeys(references) if label in by_label)


def _can_be_shared(entity: Entity, text: str, words: Sequence[str]) -> bool:
    """Whether sections may refer to an entity's text instead of repeating it.

    Text is not shared if it has raw HTML, whose tags may span blocks, or footnotes, which are numbered across a text,
    or if it does not begin with the words of the entity's blocks, as for a table row.
    """
    own_words = "\n".join(filter(None, words))
    chapter = entity.section.anchor.chapter
    return (
        (not own_words or f"{text}\n".startswith(f"{own_words}\n"))
        and not any(isinstance(block, nodes.RawBlock) for block in entity.body)
        and not referenced_footnotes(entity.body, chapter.document.footnotes)
    )


def _runs(
    section: Section,
    positions: Mapping[int, Sequence[tuple[Entity, int]]],
    bodies: Mapping[str, Sequence[nodes.Block]],
    questions: Mapping[Span, str],
) -> Iterator[_Run]:
    blocks = _own_blocks(section)
    if footnotes(section) or any(isinstance(block, nodes.RawBlock) for block in blocks):
        yield _Run(blocks)
        return
    start = waiting = 0
    while start < len(blocks):
        found = max(
            (
                _Run(blocks[start : start + length], entity, position)
                for entity, position in positions.get(blocks[start].span.start, ())
                if (length := _shared_length(blocks[start:], bodies[entity.id][position:]))
            ),
            key=lambda run: len(run.blocks),
            default=None,
        )
        if found is None:
            start += 1
            continue
        if waiting < start:
            yield from _own_runs(blocks[waiting:start], questions)
        yield found
        start = waiting = start + len(found.blocks)
    if waiting < start:
        yield from _own_runs(blocks[waiting:], questions)


def _own_runs(blocks: Sequence[nodes.Block], questions: Mapping[Span, str]) -> Iterator[_Run]:
    for question, run in groupby(blocks, lambda block: questions.get(block.span, "")):
        yield _Run(tuple(run), question=question)


def _shared_length(blocks: Sequence[nodes.Block], others: Sequence[nodes.Block]) -> int:
    length = 0
    for block, other in zip(blocks, others, strict=False):
        if block is not other and block != other:
            break
        length += 1
    return length


def _own_blocks(section: Section) -> tuple[nodes.Block, ...]:
    return tuple(block for block in section.blocks if not isinstance(block, nodes.FootnoteDefinition))


def _entity_content(
    pack: Pack, body: Sequence[nodes.Block], text: str, words: Sequence[str], runs: Sequence[_Run]
) -> tuple[EntityContent, dict[int, dict[str, tuple[int, int]]]]:
    """The text of an entity, and the line ranges of each run in its HTML and its text, by the start of the run.

    There is no range for a form (HTML or text) that consists only of the run. `body`: the blocks of the entity without
    question boxes. `words`: the plain text of each block.
    """
    borders = sorted({0, len(body), *(border for run in runs for border in (run.start, run.end))})
    parts = [*pairwise(borders)]
    html, html_lines = _joined([_html(pack, body[start:end]) for start, end in parts])
    own_words, text_lines = _joined(["\n".join(filter(None, words[start:end])) for start, end in parts])
    lines = {}
    for run in runs:
        part = borders.index(run.start)
        of_run = {"html": html_lines[part], "text": text_lines[part]}
        if len(run.blocks) == len(body):
            of_run = {} if text == own_words else {"text": text_lines[part]}
        lines[run.start] = of_run
    return EntityContent(html, text), lines


def _joined(parts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The joined parts of a text, and for each part its first line and the line after its last one."""
    lines: list[tuple[int, int]] = []
    end = 0
    for part in parts:
        start, end = end, end + (part.count("\n") + 1 if part else 0)
        lines.append((start, end))
    return "\n".join(filter(None, parts)), lines


def _part(
    pack: Pack, section: Section, run: _Run, lines: Mapping[tuple[str, int], Mapping[str, tuple[int, int]]]
) -> dict[str, Any] | None:
    if run.entity is not None:
        of_run = lines[run.entity.id, run.start]
        return {"entity": run.entity.id, **({"lines": of_run} if of_run else {})}
    notes = footnotes(section)
    part = {
        **({"question": run.question} if run.question else {}),
        "html": _html(pack, run.blocks, notes),
        "text": "\n".join(filter(None, (plain_text(*run.blocks), *(plain_text(*note.children) for note in notes)))),
    }
    return part if part["html"] or part["text"] else None


def _html(pack: Pack, blocks: Sequence[nodes.Block], notes: Sequence[nodes.FootnoteDefinition] = ()) -> str:
    return to_html(blocks, data_context(pack), {note.label: note for note in notes}).rstrip("\n")


@cached_in_pack
def data_context(pack: Pack) -> RenderContext:
    """The context of HTML in data: links start at the root of the website and end in `/`."""
    return replace(render_context(pack, ""), for_site=False)


@cached_in_pack
def _id_context(pack: Pack) -> RenderContext:
    """The context of Markdown in data: links into the book have the target's id as their address."""
    context = data_context(pack)

    def href(link: nodes.Link) -> Href:
        target = pack.link_entities.get(link.span) or pack.link_sections.get(link.span)
        return Href(target) if target else context.href(link)

    def term_address(term: AutolinkRange) -> str:
        return term.target

    return replace(context, href=href, term_address=term_address)
