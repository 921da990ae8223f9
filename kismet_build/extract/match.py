"""Find where the entities of a kind start: the few ways to match."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kismet_build import yaml12
from kismet_build.book import Book, Section
from kismet_build.diagnostic import Report, warning
from kismet_build.extract.found import Found
from kismet_build.kind import Kind, Match
from kismet_build.model import (
    Block,
    Callout,
    Cell,
    CodeBlock,
    DefinitionList,
    Div,
    Emphasis,
    Heading,
    Inline,
    List,
    Paragraph,
    Row,
    Strong,
    Table,
    Text,
    flow,
    plain_text,
    walk,
)
from kismet_build.name import fold
from kismet_build.source import Span

Matcher = Callable[[Kind, Book, Report], Iterator[Found]]


def matches(kind: Kind, book: Book, report: Report) -> Iterator[Found]:
    """Every place where an entity of the kind starts, in the order of the book."""
    return MATCHERS[kind.match.how](kind, book, report)


def _documents(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    for chapter in book.chapters:
        top = book.sections[chapter.source][0]
        span = chapter.source.whole()
        title = chapter.title
        if (captures := _captures(kind.match, title)) is not None:
            yield Found(
                title=title,
                title_span=chapter.source.span(0, 0),
                captures=captures,
                span=span,
                section=top,
                body=chapter.document.blocks,
                data=chapter.document.metadata,
            )


def _headings(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    for section in _sections(kind.match, book):
        anchor = section.anchor
        if anchor.level not in kind.match.argument or (captures := _captures(kind.match, anchor.title)) is None:
            continue
        body = book.extent(anchor)[1:]
        end = max((block.span.end for block in body), default=anchor.span.end)
        yield Found(
            title=anchor.title,
            title_span=anchor.span,
            captures=captures,
            span=anchor.span.source.span(anchor.span.start, end),
            section=section,
            body=body,
        )


def _rows(kind: Kind, book: Book, report: Report) -> Iterator[Found]:
    match = kind.match
    columns = _folded(match.argument)
    for section, table, header in _tables(match, book):
        if not columns & set(header):
            continue
        first = next(name for name in header if name in columns)
        for row in table.rows:
            cells = dict(zip(header, row.cells, strict=True))
            title = _words(cells[first])
            captures = _captures(match, title)
            if captures is None or not any(_words(cell) for cell in row.cells):
                continue
            single = replace(table, span=row.span, rows=(row,))
            found = Found(
                title=title,
                title_span=cells[first].span,
                captures=captures,
                span=row.span,
                section=section,
                body=(single,),
                cells=cells,
            )
            yield _joined(found, match, book, report) if match.join else found


def _joined(found: Found, match: Match, book: Book, report: Report) -> Found:
    """The row with the cells of the row of another table that has the same words in the column both have."""
    assert match.join is not None
    wanted, on = (_folded(names) for names in match.join)
    key = next((fold(_words(cell)) for name, cell in found.cells.items() if name in on), None)
    for _, table, header in _tables(match, book):
        if (
            not wanted & set(header)
            or not on & set(header)
            or any(cell in found.cells.values() for cell in table.header.cells)
        ):
            continue
        for row in table.rows:
            cells = dict(zip(header, row.cells, strict=True))
            if key is not None and any(fold(_words(cell)) == key for name, cell in cells.items() if name in on):
                single = replace(table, span=row.span, rows=(row,))
                return replace(found, cells={**cells, **found.cells}, body=(*found.body, single))
    names = " or ".join(f'"{name}"' for name in match.join[0])
    report(warning("unjoined-row", found.span, f"no row of a table with a column {names} goes with this one"))
    return found


def _terms(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    match = kind.match
    for section in _sections(match, book):
        if match.argument == "definition":
            yield from _definitions(match, section)
            continue
        starts = [(place, *lead) for place, block in enumerate(section.blocks) if (lead := _lead(match, block))]
        for number, (place, title, span, captures, rest) in enumerate(starts):
            until = starts[number + 1][0] if number + 1 < len(starts) else len(section.blocks)
            following = section.blocks[place + 1 : until]
            end = following[-1].span.end if following else section.blocks[place].span.end
            yield Found(
                title=title,
                title_span=span,
                captures=captures,
                span=span.source.span(section.blocks[place].span.start, end),
                section=section,
                body=(*rest, *following),
            )


Lead = tuple[str, Span, dict[str, str | None], tuple[Block, ...]]


def _lead(match: Match, block: Block) -> Lead | None:
    """The term that a paragraph begins with, and what is left of the paragraph without it."""
    if not isinstance(block, Paragraph) or not block.children:
        return None
    if match.argument == "plain":
        text = plain_text(block)
        found = match.pattern.search(text) if match.pattern else None
        if found is None:
            return None
        rest = _without(block, len(found.group(0)))
        return found.group(0), block.span, found.groupdict(), rest
    first, *others = block.children
    if not isinstance(first, Strong if match.argument == "strong" else Emphasis):
        return None
    title = " ".join(plain_text(first).split())
    # "**Dazed**: words" and "**Dazed:** words" are the same lead-in.
    colon = others and isinstance(others[0], Text) and others[0].value.lstrip().startswith(":")
    captures = _captures(match, title + ":" if colon and not title.endswith(":") else title)
    rest = _without(block, len(plain_text(first)))
    return None if captures is None else (title.rstrip(" :"), first.span, captures, rest)


def _without(paragraph: Paragraph, length: int) -> tuple[Paragraph, ...]:
    """A paragraph without its first words, and without the colon or dash and spaces after them."""
    left: list[Inline] = []
    for inline in paragraph.children:
        size = len(plain_text(inline)) if not left else 0
        if left or length < size or (length <= 0 and not isinstance(inline, Text)):
            if not left and isinstance(inline, Text):
                words = re.sub(r"^\s*[:–—-]?\s*", "", inline.value[max(length, 0) :])
                inline = replace(inline, value=words)
                if not words:
                    length = 0
                    continue
            left.append(inline)
        else:
            length -= size
    return (replace(paragraph, children=tuple(left)),) if left else ()


def _definitions(match: Match, section: Section) -> Iterator[Found]:
    for block in section.blocks:
        for item in block.items if isinstance(block, DefinitionList) else ():
            title = " ".join(plain_text(*item.term).split())
            if (captures := _captures(match, title)) is not None:
                yield Found(
                    title=title,
                    title_span=item.term[0].span if item.term else item.span,
                    captures=captures,
                    span=item.span,
                    section=section,
                    body=item.children,
                )


def _items(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    for section in _sections(kind.match, book):
        for block in section.blocks:
            for item in block.items if isinstance(block, List) else ():
                title = " ".join(plain_text(*item.children[:1]).split())
                if (captures := _captures(kind.match, title)) is not None:
                    yield Found(
                        title=title,
                        title_span=item.children[0].span if item.children else item.span,
                        captures=captures,
                        span=item.span,
                        section=section,
                        body=item.children,
                    )


def _names(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    """The names after a lead-in: on its own line, in the list that follows, or one in each short paragraph."""
    match = kind.match
    leads = [fold(lead).rstrip(":") for lead in match.argument]
    for section in _sections(match, book):
        for place, block in enumerate(section.blocks):
            text = plain_text(block) if isinstance(block, Paragraph) else ""
            lead = next((lead for lead in leads if fold(text).startswith(lead)), None)
            if lead is None:
                continue
            after = text.partition(":")[2].strip()
            following = [(after, block.span)] if after else list(_run(section.blocks[place + 1 :]))
            for words, span in following:
                for name in _separated(words):
                    captures = _captures(match, name)
                    if captures is not None:
                        at = span.text.find(name)
                        here = span.source.span(span.start + at, span.start + at + len(name)) if at >= 0 else span
                        yield Found(title=name, title_span=here, captures=captures, span=here, section=section, body=())


def _run(blocks: Sequence[Block]) -> Iterator[tuple[str, Span]]:
    """The list after a lead-in, or the paragraphs up to one that is a label or a sentence of its own."""
    if blocks and isinstance(blocks[0], List):
        for item in blocks[0].items:
            yield plain_text(*item.children[:1]), item.span
        return
    for block in blocks:
        text = plain_text(block) if isinstance(block, Paragraph) else ""
        if not text or isinstance(block.children[0], Strong) or text.endswith(":"):  # type: ignore[union-attr]
            return
        yield text, block.span


def _separated(words: str) -> list[str]:
    """Names between commas, semicolons or line ends, but not those between brackets."""
    return [name for part in re.split(r"[,;\n](?![^(]*\))", words) if (name := " ".join(part.split()))]


def _blocks(kind: Kind, book: Book, _report: Report) -> Iterator[Found]:
    wanted = _folded(kind.match.argument)
    for section in _sections(kind.match, book):
        for block in walk(*section.blocks):
            match block:
                case Callout(kind=name, title=words, children=body) if fold(name) in wanted:
                    title = " ".join(plain_text(*words).split())
                case Div(name=name, children=body) if fold(name) in wanted:
                    title = ""
                case _:
                    continue
            if (captures := _captures(kind.match, title)) is not None:
                yield Found(
                    title=title, title_span=block.span, captures=captures, span=block.span, section=section, body=body
                )


def _code(kind: Kind, book: Book, report: Report) -> Iterator[Found]:
    """A fence whose info is `kismet <kind>`: its YAML gives the fields by name."""
    for section in _sections(kind.match, book):
        for block in section.blocks:
            if not isinstance(block, CodeBlock) or block.info.split()[:2] != ["kismet", kind.id]:
                continue
            start = block.span.start + block.span.text.find("\n") + 1
            end = (
                block.span.end
                if not block.text.strip()
                else start + block.span.source.text[start : block.span.end].rfind("\n")
            )
            data = yaml12.parse(block.span.source, report, "invalid-data", start, end)
            if data is not None and isinstance(data.value, dict):
                title = str(data.value.get("name", ""))
                yield Found(
                    title=title,
                    title_span=block.span,
                    captures={},
                    span=block.span,
                    section=section,
                    body=(),
                    data=data.value,
                    data_span=block.span,
                )


MATCHERS: dict[str, Matcher] = {
    "document": _documents,
    "heading": _headings,
    "row": _rows,
    "term": _terms,
    "item": _items,
    "names": _names,
    "block": _blocks,
    "code": _code,
}


def _sections(match: Match, book: Book) -> Iterator[Section]:
    """The sections that the kind looks at: those below one of the headings that it names."""
    under = {fold(title) for title in match.under}
    for section in book.all_sections():
        above = section.headings[:-1] if match.how == "heading" else section.headings
        if not under or any(fold(anchor.title) in under for anchor in above):
            yield section


def _tables(match: Match, book: Book) -> Iterator[tuple[Section, Table, list[str]]]:
    for section in _sections(match, book):
        for block in flow(section.blocks):
            if isinstance(block, Table):
                yield section, block, [fold(_words(cell)) for cell in block.header.cells]


def _captures(match: Match, words: str) -> dict[str, str | None] | None:
    if match.pattern is None:
        return {}
    found = match.pattern.search(words)
    return None if found is None else found.groupdict()


def _folded(names: Sequence[str]) -> set[str]:
    return {fold(name) for name in names}


def _words(cell: Cell | Row | Heading) -> str:
    return " ".join(plain_text(cell).split())
