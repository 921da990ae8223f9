"""Names that start an entity in running text: those of a list after a lead-in, and those that a phrase defines."""

import re
from collections.abc import Iterator, Sequence

from kismet_build.config.kind import Match
from kismet_build.extract.candidates import Places, captures
from kismet_build.extract.match_result import Found
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Block, List, Paragraph, Strong, plain_text, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

SEPARATOR = re.compile(r"[,;\n](?![^(]*\))")
"""Between two names: commas, semicolons and line ends, but not those between brackets."""


def names(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    """The names after a lead-in: on its own line, in the list that follows, or one in each short paragraph."""
    leads = [normalize(lead).rstrip(":") for lead in match.argument]
    for place in places.of(match):
        blocks = place.section.blocks
        for number, block in enumerate(blocks):
            text = plain_text(block) if isinstance(block, Paragraph) else ""
            if not text or not any(normalize(text).startswith(lead) for lead in leads):
                continue
            after = text.partition(":")[2].strip()
            for words, span in [(after, block.span)] if after else _run(blocks[number + 1 :]):
                at = 0
                for name in _separated(words, match.split):
                    found = span.text.find(name, at)
                    at = max(at, found + len(name))
                    here = span.source.span(span.start + found, span.start + at) if found >= 0 else span
                    if (groups := captures(match.pattern, name)) is not None:
                        yield Found(
                            title=name,
                            title_span=here,
                            captures=groups,
                            span=here,
                            section=place.section,
                            body=(),
                        )


def phrases(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    """For each name the paragraph, item, cell or definition in which one of its patterns is first found."""
    wanted: dict[str, tuple[re.Pattern[str], ...]] = dict(match.argument)
    for place in places.of(match):
        for block in walk_blocks(*place.section.blocks) if wanted else ():
            text = " ".join(plain_text(block).split()) if isinstance(block, Paragraph) else ""
            for name, patterns in list(wanted.items()) if text else ():
                found = _first(patterns, text)
                if found is None:
                    continue
                del wanted[name]
                yield Found(
                    title=name,
                    title_span=exact(found.group(0), block.span),
                    captures=found.groupdict(),
                    span=block.span,
                    section=place.section,
                    body=(block,),
                )


def _first(patterns: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    for pattern in patterns:
        if (found := pattern.search(text)) is not None:
            return found
    return None


def exact(words: str, around: Span) -> Span:
    """Where some words stand in a part of a text, with any space for each of theirs; all of it if that is not sure."""
    text, start, end = around.source.text, around.start, around.end
    at = text.find(words, start, end) if words.strip() else -1
    if at >= 0:
        is_sure = text.find(words, at + 1, end) < 0
        return around.source.span(at, at + len(words)) if is_sure else around
    places = list(re.finditer(r"\s+".join(map(re.escape, words.split())), around.text)) if " " in words.strip() else []
    if len(places) != 1:
        return around
    return around.source.span(start + places[0].start(), start + places[0].end())


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


def _separated(words: str, split: re.Pattern[str] | None) -> list[str]:
    parts = re.split(split or SEPARATOR, words)
    return [name for part in parts if part and (name := " ".join(part.split()))]
