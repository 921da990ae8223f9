"""Match terms: run-in heads of paragraphs and list items, terms of definition lists, list items."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Candidates, capture_groups
from kismet_build.extract.defined_terms import defined_terms
from kismet_build.extract.labels import WEAK_LABELS
from kismet_build.extract.match_result import MatchResult
from kismet_build.model import nodes
from kismet_build.model.book import Section
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

Lead = tuple[str, Span, dict[str, str | None], tuple[nodes.Block, ...]]
"""A term at the start of a paragraph, its span, its captured groups, and the rest of the paragraph."""

TERM_SEPARATOR = re.compile(r"\s*:\s|\s*:$|\s+[–—-]\s|\s*—")
"""The separator between a term and its definition: a colon, an em dash, or another dash between spaces."""
SENTENCE = re.compile(r"[^.!?…]{1,600}[.!?…](?=\s|$|[\"”’)\]])", re.DOTALL)
"""The first sentence of an explanation."""
MIN_SENTENCE_WORDS = 3
"""Minimum number of words in a sentence that explains a term. Fewer words are a value."""
MAX_TERM_WORDS = 5
"""Maximum number of words in a term that a sentence explains. More words are advice followed by its reason."""
OUTCOMES = ("disclaimer", "exception", "failure", "hit", "miss", "step", "success", "trigger")
"""Further labels that are not terms even if a sentence follows them."""
MAX_TERM_LENGTH = 60
"""Maximum length of a term in bold, in characters. Longer bold text is a sentence."""


def match_terms(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    """Match the terms of the type in `match.argument`; `schemas/kind.schema.json` lists the types under `term`."""
    if match.argument == "defined":
        yield from defined_terms(candidates.for_match(match), match.rule_terms)
        return
    for candidate in candidates.for_match(match):
        match match.argument:
            case "definition":
                yield from _definitions(match, candidate.section)
            case "explained" if _is_dialogue(candidate.section.blocks):
                pass
            case "lead" | "explained":
                yield from _leads(match, candidate.section, candidate.section.blocks)
            case _:
                yield from _paragraph_terms(match, candidate.section)


def match_items(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    """Match the items of lists. The title is the first block of the item."""
    for candidate in candidates.for_match(match):
        for block in candidate.section.blocks:
            for item in block.items if isinstance(block, nodes.List) else ():
                title = " ".join(plain_text(*item.children[:1]).split())
                if (groups := capture_groups(match.pattern, title)) is not None:
                    yield MatchResult(
                        title=title,
                        title_span=item.children[0].span if item.children else item.span,
                        captures=groups,
                        span=item.span,
                        section=candidate.section,
                        body=item.children,
                    )


def _paragraph_terms(match: Match, section: Section) -> Iterator[MatchResult]:
    """Paragraphs that begin with a term. The body of each extends to the next such paragraph.

    After the last of several terms, other paragraphs belong to it only if an earlier term also has such paragraphs. A
    callout whose title names another term does not belong to any body.
    """
    leads = [(index, *lead) for index, block in enumerate(section.blocks) if (lead := _lead(match, block))]
    starts = [lead[0] for lead in leads]
    ends = [*starts, len(section.blocks)][1:]
    parts = [section.blocks[start + 1 : end] for start, end in zip(starts, ends, strict=True)]
    if len(parts) > 1 and not any(isinstance(block, nodes.Paragraph) for part in parts[:-1] for block in part):
        parts[-1] = tuple(takewhile(lambda block: not isinstance(block, nodes.Paragraph), parts[-1]))
    patterns = [_term_pattern(title) for _, title, *_ in leads]
    for (index, title, span, groups, rest), part, own in zip(leads, parts, patterns, strict=True):
        following = tuple(block for block in part if not _names_another(block, own, patterns))
        end = following[-1].span.end if following else section.blocks[index].span.end
        yield MatchResult(
            title=title,
            title_span=span,
            captures=groups,
            span=span.source.span(section.blocks[index].span.start, end),
            section=section,
            body=(*rest, *following),
        )


def _term_pattern(title: str) -> re.Pattern[str]:
    """The pattern of the names in a term such as `Lamp/Lantern`, in normalized text."""
    names = [re.escape(name) for part in title.split("/") if (name := normalize(part))]
    return re.compile(rf"(?<!\w)(?:{'|'.join(names or ['(?!)'])})(?!\w)")


def _names_another(block: nodes.Block, own: re.Pattern[str], terms: Sequence[re.Pattern[str]]) -> bool:
    """Whether a block is a callout whose title names one of `terms` and not the term of `own`."""
    if not isinstance(block, nodes.Callout):
        return False
    title = normalize(plain_text(*block.title))
    return own.search(title) is None and any(term.search(title) for term in terms)


def _lead(match: Match, block: nodes.Block) -> Lead | None:
    """The term at the start of a paragraph; `None` if the block is not a paragraph with a matching term."""
    if not isinstance(block, nodes.Paragraph) or not block.children:
        return None
    if match.argument == "plain":
        text = plain_text(block)
        found = match.pattern.search(text) if match.pattern else None
        if found is None:
            return None
        return found.group(0), block.span, found.groupdict(), _without_term(block, len(found.group(0)))
    first, *others = block.children
    if not isinstance(first, nodes.Strong if match.argument == "strong" else nodes.Emphasis):
        return None
    title = " ".join(plain_text(first).split())
    # Patterns expect the colon in the term, as in "**Dazed:** text", so add the colon for "**Dazed**: text".
    has_colon = others and isinstance(others[0], nodes.Text) and others[0].value.lstrip().startswith(":")
    groups = capture_groups(match.pattern, title + ":" if has_colon and not title.endswith(":") else title)
    rest = _without_term(block, len(plain_text(first)))
    return None if groups is None else (title.rstrip(" :"), first.span, groups, rest)


def _leads(match: Match, section: Section, blocks: tuple[nodes.Block, ...]) -> Iterator[MatchResult]:
    """Paragraphs and list items that begin with a bold term and its definition.

    Lists inside an item are searched only if the item has no such term.
    """
    for block in blocks:
        match block:
            case nodes.Paragraph():
                if (lead := _bold_term(match, block)) is not None:
                    yield _result(lead, block, section, ())
            case nodes.List(items=items):
                for item in items:
                    first = item.children[0] if item.children else None
                    lead = _bold_term(match, first, item.children[1:]) if isinstance(first, nodes.Paragraph) else None
                    if lead is not None:
                        yield _result(lead, item, section, item.children[1:])
                    else:
                        nested = tuple(child for child in item.children if isinstance(child, nodes.List))
                        yield from _leads(match, section, nested)


def _is_dialogue(blocks: Sequence[nodes.Block]) -> bool:
    """Whether the same bold name starts two paragraphs, as in an example of play. A term is explained only once."""
    leads = ((block, *block.children[:1]) for block in blocks if isinstance(block, nodes.Paragraph))
    names = [
        normalize(plain_text(first).rstrip(" :"))
        for block, *firsts in leads
        for first in firsts
        if isinstance(first, nodes.Strong) and ":" in plain_text(block)
    ]
    return len(set(names)) < len(names)


def _bold_term(match: Match, paragraph: nodes.Paragraph, following: tuple[nodes.Block, ...] = ()) -> Lead | None:
    """The bold term before a colon or dash and a definition; `None` for bold sentences and bold labels.

    A label is followed by at most one word, and `following` is empty.
    """
    first, *others = paragraph.children or (None,)
    if not isinstance(first, nodes.Strong):
        return None
    title = " ".join(plain_text(first).split())
    after = plain_text(*others)
    is_separated = title.endswith(":") or TERM_SEPARATOR.match(after)
    title = title.rstrip(" :")
    is_sentence = not 0 < len(title) <= MAX_TERM_LENGTH or title[-1] in ".!?;,"
    definition = [word for word in re.findall(r"[^\W\d_]+", after) if len(word) > 1]
    if not is_separated or is_sentence or (len(definition) < 2 and not following):
        return None
    if match.argument == "explained" and not _is_explained(title, plain_text(*others, *following)):
        return None
    groups = capture_groups(match.pattern, title)
    return None if groups is None else (title, first.span, groups, _without_term(paragraph, len(plain_text(first))))


def _is_explained(title: str, after: str) -> bool:
    """Whether `after` begins with a sentence that may explain the title, and the title is not a common label."""
    words = [normalize(word) for word in title.split()]
    if not title[:1].isalpha() or re.search(r"[\d,.]", title) or len(words) > MAX_TERM_WORDS:
        return False
    if not WEAK_LABELS.union(OUTCOMES).isdisjoint((words[0], words[-1])):
        return False
    sentence = SENTENCE.match(after.lstrip(" :–—-\n"))
    return sentence is not None and len(sentence[0].split()) >= MIN_SENTENCE_WORDS


def _result(
    lead: Lead, block: nodes.Paragraph | nodes.ListItem, section: Section, following: tuple[nodes.Block, ...]
) -> MatchResult:
    title, span, groups, rest = lead
    return MatchResult(
        title=title, title_span=span, captures=groups, span=block.span, section=section, body=(*rest, *following)
    )


def _without_term(paragraph: nodes.Paragraph, length: int) -> tuple[nodes.Paragraph, ...]:
    """A paragraph without its first `length` characters and the separator after these; empty if nothing remains."""
    rest: list[nodes.Inline] = []
    for inline in paragraph.children:
        size = len(plain_text(inline)) if not rest else 0
        if rest or length < size or (length <= 0 and not isinstance(inline, nodes.Text)):
            if not rest and isinstance(inline, nodes.Text):
                text = re.sub(r"^\s*[:–—-]?\s*", "", inline.value[max(length, 0) :])
                inline = nodes.Text(inline.span, text)
                if not text:
                    length = 0
                    continue
            rest.append(inline)
        else:
            length -= size
    return (replace(paragraph, children=tuple(rest)),) if rest else ()


def _definitions(match: Match, section: Section) -> Iterator[MatchResult]:
    """The terms of definition lists. A term without a definition shares the definition of the next term."""
    for block in section.blocks:
        definition: tuple[nodes.Block, ...] = ()
        results: list[MatchResult] = []
        for item in reversed(block.items) if isinstance(block, nodes.DefinitionList) else ():
            definition = item.children or definition
            title = " ".join(plain_text(*item.term).split())
            if (groups := capture_groups(match.pattern, title)) is not None:
                term_span = item.span
                if item.term:
                    term_span = item.span.source.span(item.term[0].span.start, item.term[-1].span.end)
                results.append(
                    MatchResult(
                        title=title,
                        title_span=term_span,
                        captures=groups,
                        span=item.span,
                        section=section,
                        body=definition,
                    )
                )
        yield from reversed(results)
