"""Match names in running text: lists of names after a lead-in, and names defined by a phrase."""

import re
from collections.abc import Iterator, Sequence

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Candidates, capture_groups
from kismet_build.extract.match_result import MatchResult
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Block, List, Paragraph, Strong, plain_text, walk_blocks
from kismet_build.model.pattern import Pattern
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

SEPARATOR = re.compile(r"[,;\n](?![^(]*\))")
"""The separators of names in a list: commas, semicolons and line breaks outside parentheses."""


def match_names(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    """Match the names after a lead-in: after its colon, or in the list or paragraphs after it."""
    leads = [normalize(lead).rstrip(":") for lead in match.argument]
    for candidate in candidates.for_match(match):
        blocks = candidate.section.blocks
        for index, block in enumerate(blocks):
            text = plain_text(block) if isinstance(block, Paragraph) else ""
            if not text or not any(normalize(text).startswith(lead) for lead in leads):
                continue
            after = text.partition(":")[2].strip()
            for list_text, span in [(after, block.span)] if after else _following_texts(blocks[index + 1 :]):
                offset = 0
                for name in _split(list_text, match.split):
                    start = span.text.find(name, offset)
                    offset = max(offset, start + len(name))
                    name_span = span.source.span(span.start + start, span.start + offset) if start >= 0 else span
                    if (groups := capture_groups(match.pattern, name)) is not None:
                        yield MatchResult(
                            title=name,
                            title_span=name_span,
                            captures=groups,
                            span=name_span,
                            section=candidate.section,
                            body=(),
                        )


def match_phrases(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    """Match the paragraphs that define names: for each name, the first paragraph that matches one of its patterns.

    A paragraph may be in a list item, a table cell or a definition.
    """
    missing: dict[str, tuple[Pattern, ...]] = dict(match.argument)
    for candidate in candidates.for_match(match):
        for block in walk_blocks(*candidate.section.blocks) if missing else ():
            text = " ".join(plain_text(block).split()) if isinstance(block, Paragraph) else ""
            for name, patterns in list(missing.items()) if text else ():
                found = next((found for pattern in patterns if (found := pattern.search(text)) is not None), None)
                if found is None:
                    continue
                del missing[name]
                yield MatchResult(
                    title=name,
                    title_span=locate(found.group(0), block.span),
                    captures=found.groupdict(),
                    span=block.span,
                    section=candidate.section,
                    body=(block,),
                )


def locate(words: str, span: Span) -> Span:
    """The part of a span with these words, separated by any white space; the whole span unless they occur exactly
    once.
    """
    text, start, end = span.source.text, span.start, span.end
    offset = text.find(words, start, end) if words.strip() else -1
    if offset >= 0:
        is_unique = text.find(words, offset + 1, end) < 0
        return span.source.span(offset, offset + len(words)) if is_unique else span
    pattern = r"\s+".join(map(re.escape, words.split()))
    occurrences = list(re.finditer(pattern, span.text)) if " " in words.strip() else []
    if len(occurrences) != 1:
        return span
    return span.source.span(start + occurrences[0].start(), start + occurrences[0].end())


def _following_texts(blocks: Sequence[Block]) -> Iterator[tuple[str, Span]]:
    """The texts after a lead-in: the items of a list, or the paragraphs up to the next label or another type of
    block.
    """
    if blocks and isinstance(blocks[0], List):
        for item in blocks[0].items:
            yield plain_text(*item.children[:1]), item.span
        return
    for block in blocks:
        text = plain_text(block) if isinstance(block, Paragraph) else ""
        if not text or isinstance(block.children[0], Strong) or text.endswith(":"):  # type: ignore[union-attr]
            return
        yield text, block.span


def _split(text: str, separator: Pattern | None) -> list[str]:
    parts = separator.split(text) if separator else SEPARATOR.split(text)
    return [name for part in parts if part and (name := " ".join(part.split()))]
