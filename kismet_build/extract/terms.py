"""Terms that start an entity: words set off at the head of a paragraph or item, terms of definition lists, items."""

import re
from collections.abc import Iterator
from dataclasses import replace

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Places, captures
from kismet_build.extract.match_result import Found
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import (
    Block,
    DefinitionList,
    Emphasis,
    Inline,
    List,
    ListItem,
    Paragraph,
    Strong,
    Text,
    plain_text,
)
from kismet_build.model.source import Span

Lead = tuple[str, Span, dict[str, str | None], tuple[Block, ...]]
"""A term, where it stands, what was captured in it, and what is left of its paragraph."""

SET_OFF = re.compile(r"\s*:\s|\s*:$|\s+[–—-]\s|\s*—")
"""What stands between a term and its meaning: a colon, or a dash with space around it."""
LONGEST = 60
"""Characters that a term has at most; what is longer is a sentence in bold."""


def terms(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    """Every term of the sort that a kind asks for."""
    for place in places.of(match):
        match match.argument:
            case "definition":
                yield from _definitions(match, place.section)
            case "lead":
                yield from _leads(match, place.section, place.section.blocks)
            case _:
                yield from _starts(match, place.section)


def items(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    """Every item of a list."""
    for place in places.of(match):
        for block in place.section.blocks:
            for item in block.items if isinstance(block, List) else ():
                title = " ".join(plain_text(*item.children[:1]).split())
                if (groups := captures(match.pattern, title)) is not None:
                    at = item.children[0].span if item.children else item.span
                    yield Found(
                        title=title,
                        title_span=at,
                        captures=groups,
                        span=item.span,
                        section=place.section,
                        body=item.children,
                    )


def _starts(match: Match, section: Section) -> Iterator[Found]:
    """Paragraphs that begin with a term; each runs to the next one."""
    starts = [(number, *lead) for number, block in enumerate(section.blocks) if (lead := _lead(match, block))]
    for count, (number, title, span, groups, rest) in enumerate(starts):
        until = starts[count + 1][0] if count + 1 < len(starts) else len(section.blocks)
        following = section.blocks[number + 1 : until]
        end = following[-1].span.end if following else section.blocks[number].span.end
        yield Found(
            title=title,
            title_span=span,
            captures=groups,
            span=span.source.span(section.blocks[number].span.start, end),
            section=section,
            body=(*rest, *following),
        )


def _lead(match: Match, block: Block) -> Lead | None:
    """The term that a paragraph begins with, and what is left of the paragraph without it."""
    if not isinstance(block, Paragraph) or not block.children:
        return None
    if match.argument == "plain":
        text = plain_text(block)
        found = match.pattern.search(text) if match.pattern else None
        if found is None:
            return None
        return found.group(0), block.span, found.groupdict(), _without(block, len(found.group(0)))
    first, *others = block.children
    if not isinstance(first, Strong if match.argument == "strong" else Emphasis):
        return None
    title = " ".join(plain_text(first).split())
    # "**Dazed**: words" and "**Dazed:** words" are the same lead-in.
    colon = others and isinstance(others[0], Text) and others[0].value.lstrip().startswith(":")
    groups = captures(match.pattern, title + ":" if colon and not title.endswith(":") else title)
    rest = _without(block, len(plain_text(first)))
    return None if groups is None else (title.rstrip(" :"), first.span, groups, rest)


def _leads(match: Match, section: Section, blocks: tuple[Block, ...]) -> Iterator[Found]:
    """Paragraphs and items whose bold words are set off from a meaning; what stands inside such an item is its own."""
    for block in blocks:
        match block:
            case Paragraph():
                if (lead := _set_off(match, block)) is not None:
                    yield _term(lead, block, section, ())
            case List(items=items_):
                for item in items_:
                    first = item.children[0] if item.children else None
                    lead = _set_off(match, first, item.children[1:]) if isinstance(first, Paragraph) else None
                    if lead is not None:
                        yield _term(lead, item, section, item.children[1:])
                    else:
                        yield from _leads(match, section, tuple(b for b in item.children if isinstance(b, List)))


def _set_off(match: Match, paragraph: Paragraph, following: tuple[Block, ...] = ()) -> Lead | None:
    """A term in bold, set off from what it means by a colon or a dash; a bold sentence is none, nor is a bold label."""
    first, *others = paragraph.children or (None,)
    if not isinstance(first, Strong):
        return None
    title = " ".join(plain_text(first).split())
    after = plain_text(*others)
    is_set_off = title.endswith(":") or SET_OFF.match(after)
    title = title.rstrip(" :")
    meaning = [word for word in re.findall(r"[^\W\d_]+", after) if len(word) > 1]
    if not is_set_off or not 0 < len(title) <= LONGEST or title[-1] in ".!?;," or (len(meaning) < 2 and not following):
        return None
    groups = captures(match.pattern, title)
    return None if groups is None else (title, first.span, groups, _without(paragraph, len(plain_text(first))))


def _term(lead: Lead, block: Paragraph | ListItem, section: Section, following: tuple[Block, ...]) -> Found:
    title, span, groups, rest = lead
    return Found(
        title=title, title_span=span, captures=groups, span=block.span, section=section, body=(*rest, *following)
    )


def _without(paragraph: Paragraph, length: int) -> tuple[Paragraph, ...]:
    """A paragraph without its first words, and without the colon or dash and spaces after them."""
    left: list[Inline] = []
    for inline in paragraph.children:
        size = len(plain_text(inline)) if not left else 0
        if left or length < size or (length <= 0 and not isinstance(inline, Text)):
            if not left and isinstance(inline, Text):
                words = re.sub(r"^\s*[:–—-]?\s*", "", inline.value[max(length, 0) :])
                inline = Text(inline.span, words)
                if not words:
                    length = 0
                    continue
            left.append(inline)
        else:
            length -= size
    return (replace(paragraph, children=tuple(left)),) if left else ()


def _definitions(match: Match, section: Section) -> Iterator[Found]:
    """The terms of definition lists; of several terms before one meaning each has it."""
    for block in section.blocks:
        meaning: tuple[Block, ...] = ()
        found: list[Found] = []
        for item in reversed(block.items) if isinstance(block, DefinitionList) else ():
            meaning = item.children or meaning
            title = " ".join(plain_text(*item.term).split())
            if (groups := captures(match.pattern, title)) is not None:
                at = item.span
                if item.term:
                    at = at.source.span(item.term[0].span.start, item.term[-1].span.end)
                found.append(
                    Found(title=title, title_span=at, captures=groups, span=item.span, section=section, body=meaning)
                )
        yield from reversed(found)
