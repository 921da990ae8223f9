"""A book as Typst files: its text as code, and its metadata as JSON."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kismet_build.config.autolink import AutolinkRange
from kismet_build.extensions.book.appendices import Appendix, boards, calculators, glossary
from kismet_build.extensions.book.facts import property_fields
from kismet_build.extensions.book.parts import Part, is_printed, is_title, parts, printed_entities
from kismet_build.extensions.book.pictures import COVER
from kismet_build.extensions.book.typst_fragments import CONTROL, Pieces, TypstFragments, filled, string, words
from kismet_build.model import nodes
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import is_url, plain_text, target_words
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.entity_text import field_words
from kismet_build.render.components.field import label
from kismet_build.render.fragments.holes import KeptFragments
from kismet_build.render.fragments.page_context import anchor_address, entity_starts, html_fragments, link_target
from kismet_build.render.fragments.renderer import link_as_written
from kismet_build.render.fragments.sanitize import is_safe_link
from kismet_build.render.pages.glossary import by_letter

PICTURES = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
"""The ends of file names of pictures that Typst can show."""
REGION = re.compile(r"\w+(?:-[a-z]{4})?-([a-z]{2})(?:-|$)", re.IGNORECASE)
"""The region of a language, such as `AT` of `de-AT`, https://www.rfc-editor.org/rfc/rfc5646#section-2.1."""
MAX_CONTENTS_LEVEL = 3
"""Deepest level of headings in the table of contents."""
MAX_CONTENTS = 200
"""A table of contents with more lines than this, about two pages, has fewer levels."""
PIXEL = 0.75
"""Size of a CSS pixel in points."""


class BookOptions(NamedTuple):
    """How a book is laid out."""

    paper: str = "a4"
    columns: int = 2
    for_print: bool = False
    """Whether the book is for a printing house: with bleed and crop marks, and in black."""


class TypstBook(NamedTuple):
    """The files of a book."""

    text: str
    """The content of `book.typ`."""
    data: Mapping[str, Any]
    """The content of `book.json`."""
    pictures: Mapping[str, str]
    """The path of each picture in the game, by its path in the book."""
    blocks: Sequence[Span]
    """The spans of blocks that may be too wide for the page, indexed by the block's number."""


def typst_book(pack: Pack, options: BookOptions) -> TypstBook:
    """A game as Typst files."""
    place = _Place(pack)
    chapters = [*place.chapters(parts(pack))]
    chapters += [
        place.appendix(appendix)
        for appendix in (
            *calculators(pack),
            *place.questions(),
            *glossary(pack, place.entity_place),
            *boards(pack, place.repeated_table),
        )
    ]
    return TypstBook(
        "\n".join(('#import "design.typ": *', "#layout-book({", *chapters, "})", "")),
        _data(pack, options, place),
        {path: file for file, path in place.pictures.items()},
        place.blocks,
    )


@cached_in_pack
def typst_fragments(pack: Pack) -> TypstFragments:
    """The Typst fragments of a pack."""
    html = html_fragments(pack)

    def shows_blocks(embed: nodes.Embed) -> bool:
        blocks = html.embed(embed)
        return blocks is not None and not (len(blocks) == 1 and isinstance(blocks[0], nodes.Paragraph))

    kept: KeptFragments[Pieces] = KeptFragments(html.kept.is_kept)
    return TypstFragments(
        terms=html.terms,
        link_words=html.link_words,
        heading_title=html.heading_title,
        shows_blocks=shows_blocks,
        kept=kept,
    )


class _Place:
    """Fills the fragments of a book, from the first page to the last."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.fragments = typst_fragments(pack)
        self.contents: list[dict[str, Any]] = []
        self.pictures: dict[str, str] = {}
        """The path of each picture in the book, by its path in the game."""
        self.blocks: list[Span] = []
        self._levels: Mapping[Span, int] = {}
        self._section = ""
        self._seen: set[str] = set()
        """Ids of entities and names of places that the current section has linked so far."""
        self._seen_with_page: set[str] = set()
        self._seen_in_chapter: set[str] = set()
        self._questions = {box.callout.span: box.title for facts in pack.documents.values() for box in facts.questions}
        self._asked: dict[Span, tuple[int, str]] = {}
        self._footnotes: Mapping[str, nodes.FootnoteDefinition] = {}
        self._set_footnotes: set[tuple[str, str]] = set()
        self._path = ""
        self._placed: set[str] = set()
        self._embed_depth = 0

    # --- the order of the book

    def chapters(self, book_parts: Iterable[Part]) -> Iterator[str]:
        for part in book_parts:
            yield self._part(part)

    def _part(self, part: Part) -> str:
        chapter = part.chapter
        name = self.anchor_name(self.pack.book.outlines[chapter.source.path].anchors[0]) if chapter else ""
        name = name or f"folder {len(self._placed)}"
        self._enter(name, part.level, part.title)
        self._placed.add(name)
        self._seen_in_chapter = set()
        code = []
        if part.level > 1:
            code.append(f"section-title({part.level}, {string(name)}, {words(part.title)})")
        if chapter:
            self._levels = part.levels()
            self._path = chapter.source.path
            self._footnotes = {note.label: note for note in chapter.document.footnotes}
            if note := self.pack.note_entities.get(self._path):
                code += [self._definition_mark(note), self._facts(self.pack.by_id[note])]
            code.append(filled(self.fragments.blocks(part.blocks), self))
            code += [f"mark-place({self._place(anchor)})" for anchor in self._unplaced(chapter)]
        body = "{\n" + "\n".join(filter(None, code)) + "\n}"
        return f"chapter({string(name)}, {words(part.title)}, {body})" if part.level == 1 else body

    def _place(self, anchor: Anchor) -> str:
        """The name of an anchor's place as code; from now on, the place exists in the book.

        If the name exists already, as for a heading in a box that repeats the title, a number makes it unique. Links
        lead to the first place.
        """
        name = self.anchor_name(anchor)
        if name in self._placed:
            name = f"{name} {len(self._placed)}"
        self._placed.add(name)
        return string(name)

    def _unplaced(self, chapter: Chapter) -> Iterator[Anchor]:
        for anchor in self.pack.book.outlines[chapter.source.path].anchors[1:]:
            if self.anchor_name(anchor) not in self._placed and is_printed(self.pack, anchor.span):
                yield anchor

    def _facts(self, entity: Entity) -> str:
        facts = [
            f"({words(label(rule))}, {words(value)})"
            for rule in property_fields(self.pack, entity)
            if (value := field_words(self.pack, entity, rule))
        ]
        return f"statblock(none, {', '.join(facts)})" if facts else ""

    def _enter(self, name: str, level: int, title: str) -> None:
        self._section, self._seen, self._seen_with_page = name, set(), set()
        if level <= MAX_CONTENTS_LEVEL:
            self.contents.append({"level": level, "name": name, "title": title})

    def appendix(self, appendix: Appendix) -> str:
        self._enter(appendix.name, 1, appendix.title)
        code = []
        for number, (title, content) in enumerate(appendix.sections, 1):
            if title:
                name = f"{appendix.name} {number}"
                self._enter(name, 2, title)
                code.append(f"section-title(2, {string(name)}, {words(title)})")
            code.append(content)
        body = "{\n" + "\n".join(code) + "\n}"
        return f"chapter({string(appendix.name)}, {words(appendix.title)}, {body})"

    def questions(self) -> Iterator[Appendix]:
        """The appendix of the questions in the chapters written so far, with their rulings."""
        if self._asked:
            code = "\n".join(code for _, code in self._asked.values())
            yield Appendix("questions", self.pack.game.catalog.text("title.questions"), [("", code)])

    # --- names of places

    def anchor_name(self, anchor: Anchor) -> str:
        """The name of an anchor's place: its address on the website, followed by its number if it has one."""
        if isinstance(anchor.node, nodes.Heading) and is_title(anchor.node, anchor.chapter):
            anchor = self.pack.book.outlines[anchor.chapter.source.path].anchors[0]
        return f"{anchor_address(self.pack, anchor)}{anchor.number or ''}"

    def entity_place(self, entity: Entity) -> str:
        return self.anchor_name(entity.section.anchor)

    # --- holes

    def link(self, link: nodes.Link, *, is_in_heading: bool) -> str:
        found = link_target(self.pack, link)
        if found is None:
            if is_url(link.target) and is_safe_link(address := link_as_written(link).address):
                return f"web-link({string(address)}, "
            return "no-link("
        if isinstance(found, Entity):
            return self._reference(found.section.anchor, found.id, shows_page=not is_in_heading)
        entity = self.pack.link_entities.get(link.span) or ""
        return self._reference(found, entity, shows_page=not is_in_heading)

    def term(self, term: AutolinkRange) -> str:
        if term.anchor:
            anchor, entity = self.pack.book.anchor(term.anchor), ""
        else:
            found = self.pack.by_id[term.target]
            anchor, entity = found.section.anchor, found.id
        # Authors link where a reader needs the page number. Automatic links are everywhere, so only the first in a
        # chapter has one.
        name = self.anchor_name(anchor)
        is_first = term.ends_link and name not in self._seen_in_chapter
        self._seen_in_chapter |= {name} if is_first else set()
        return self._reference(anchor, entity, shows_page=is_first)

    def _reference(self, anchor: Anchor, entity: str, *, shows_page: bool = True) -> str:
        if not is_printed(self.pack, anchor.span):
            return "no-link("
        name = self.anchor_name(anchor)
        key = entity or name
        is_first = key not in self._seen
        self._seen.add(key)
        shows_page = shows_page and key not in self._seen_with_page and name != self._section
        self._seen_with_page |= {key} if shows_page else set()
        page = "true" if shows_page else "false"
        return f"reference({string(name)}, {page}, {string(entity if is_first else '')}, "

    def heading(self, heading: nodes.Heading) -> str:
        anchor = self.pack.book.anchor_at(heading.span)
        level = self._levels.get(heading.span)
        if anchor is None or self._embed_depth:
            return "subhead("
        place = self._place(anchor)
        if level is None:  # The heading is in a box.
            return f"mark-place({place}) + subhead("
        self._enter(self.anchor_name(anchor), level, anchor.numbered_title)
        return f"section-title({level}, {place}, "

    def starts(self, span: Span) -> str:
        if self._embed_depth:
            return ""
        start = entity_starts(self.pack, span.source.path).get(span)
        return "".join(map(self._definition_mark, (entity.id for entity in start.entities))) if start else ""

    def _definition_mark(self, entity_id: str) -> str:
        kind = entity_id.split("/")[1]
        return "" if kind in self.pack.internal_kinds else f"mark-definition({string(entity_id)});"

    def named(self, block: nodes.Block) -> str:
        anchor = None if self._embed_depth else self.pack.book.anchor_at(block.span)
        return "" if anchor is None else f"mark-place({self._place(anchor)});"

    def number(self, span: Span) -> int:
        """The index in `blocks` of a block that may be too wide for the page."""
        self.blocks.append(span)
        return len(self.blocks) - 1

    def image(self, image: nodes.Image, *, is_in_link: bool) -> str:
        """A picture with its alternative text, or only the text if the book cannot show the picture.

        In a link, the name of the file replaces a missing text.
        """
        alternative = plain_text(*image.children) or (target_words(image.target) if is_in_link else "")
        file = self.pack.book.attachment_of.get(image.span)
        if file is None or not PICTURES.search(file):
            return words(alternative)
        path = self.pictures.setdefault(file, f"pictures/{len(self.pictures)}{file[file.rindex('.') :].lower()}")
        width = f"{image.width * PIXEL:g}pt" if image.width else "auto"
        return f"picture({string(path)}, {string(alternative)}, {width})"

    def footnote(self, reference: nodes.FootnoteReference) -> str:
        path = reference.span.source.path
        notes = self._footnotes
        if path != self._path:
            notes = {note.label: note for note in self.pack.book.outlines[path].chapter.document.footnotes}
        note = notes.get(reference.label)
        if note is None:
            return f"super({words(reference.label)})"
        name = f"{path}^{reference.label}"
        if (path, reference.label) in self._set_footnotes:
            return f"footnote(label({string(name)}))"
        self._set_footnotes.add((path, reference.label))
        content = filled(self.fragments.content(note.children), self)
        return f"[#footnote({content})#label({string(name)})]"

    def embed(self, embed: nodes.Embed, *, is_inline: bool) -> str:
        blocks = html_fragments(self.pack).embed(embed)
        if blocks is None:
            return words(embed.label or target_words(embed.target))
        self._embed_depth += 1
        if is_inline and isinstance(first := blocks[0], nodes.Paragraph):
            code = filled(self.fragments.body(first.children), self)
        else:
            code = filled(self.fragments.blocks(blocks), self)
        self._embed_depth -= 1
        return code

    def repeated_table(self, table: nodes.Table) -> str:
        """The code of a table that a chapter contains too, without its caption."""
        self._embed_depth += 1
        code = filled(self.fragments.of(replace(table, caption=())), self)
        self._embed_depth -= 1
        return code

    def callout(self, callout: nodes.Callout, arguments: str) -> str:
        """A callout. A question becomes a line that refers to the appendix of questions."""
        title = self._questions.get(callout.span)
        if title is None:
            return f"callout({string(callout.kind)}, {arguments})"
        if callout.span not in self._asked:
            number = len(self._asked) + 1
            self._asked[callout.span] = (number, f"question-box({number}, {words(title)}, {arguments})")
        return f"question-line({self._asked[callout.span][0]}, {words(title)})"


def _data(pack: Pack, options: BookOptions, place: _Place) -> dict[str, Any]:
    game, catalog = pack.game, pack.game.catalog
    region = REGION.match(game.language)
    index = _index(pack)
    contents = place.contents
    if index:
        contents.append({"level": 1, "name": "index", "title": catalog.text("paper.index")})
    cover = game.definition.book.cover
    imprint = [", ".join(game.authors), game.definition.book.date, game.licence, game.attribution, *game.notices]
    return {
        "title": game.title,
        "version": game.version,
        "authors": ", ".join(game.authors),
        "author-names": list(game.authors),
        "language": game.language.partition("-")[0],
        "region": region[1] if region else None,
        "rtl": catalog.is_right_to_left,
        "accent": game.definition.face.accent[0] if game.definition.face.accent else "#5A2A88",
        "faces": list(game.definition.book.families),
        "emblem": game.definition.face.emblem.decode() or None,
        "cover": f"pictures/{COVER}{cover.suffix.lower()}" if cover else None,
        "date": game.definition.book.date or None,
        "imprint": [line for line in imprint if line],
        "options": {"paper": options.paper, "columns": options.columns, "print": options.for_print},
        "words": {
            "page": catalog.text("paper.page"),
            "contents": catalog.text("title.contents"),
            "index": catalog.text("paper.index"),
            "see": catalog.text("glossary.see"),
            "continued": catalog.text("paper.continued"),
            "version": catalog.text("data.version", version=game.version),
            "examples": catalog.text("calculators.examples"),
        },
        "contents": _shortened(contents),
        "index": index,
    }


def _index(pack: Pack) -> list[dict[str, Any]]:
    """The lines of the index: a name with the ids of its entities, or an alias with the name that it stands for."""
    entities = printed_entities(pack)
    ids: dict[str, list[str]] = {}
    for entity in entities:
        ids.setdefault(entity.name, []).append(entity.id)
    aliases = {alias: entity.name for entity in entities for alias in entity.aliases if alias not in ids}
    return [
        {"letter": letter.sign, "name": name, "ids": ids.get(name, []), "see": aliases.get(name, "")}
        for letter in by_letter((name, name, name) for name in (*ids, *aliases))
        for name in letter.rows
    ]


def _shortened(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    level = MAX_CONTENTS_LEVEL
    while level > 1 and sum(line["level"] <= level for line in contents) > MAX_CONTENTS:
        level -= 1
    return [line for line in contents if line["level"] <= level]


def book_json(book: TypstBook, unreadable: Sequence[str]) -> bytes:
    """A book's metadata as JSON. `unreadable`: the paths of pictures that cannot be read."""
    data = _without_controls({**book.data, "unreadable": unreadable})
    return json.dumps(data, ensure_ascii=False, sort_keys=True).encode()


def _without_controls(value: Any) -> Any:
    """Data without control characters, for which no font has a sign."""
    match value:
        case str():
            return CONTROL.sub("", value)
        case dict():
            return {key: _without_controls(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_controls(item) for item in value]
        case _:
            return value
