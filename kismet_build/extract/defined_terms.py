"""Match terms defined in running text: by their defining sentences, or at a place named in `game.yaml`.

docs/decisions/0009-defined-terms.md reports how many terms are found by sentences alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kismet_build.config.rule_terms import NamedTerm, RuleTerms
from kismet_build.extract.candidates import CandidateSection
from kismet_build.extract.match_result import MatchResult
from kismet_build.model import nodes
from kismet_build.model.language.inflection import plural, singular
from kismet_build.model.nodes import plain_text, walk
from kismet_build.model.source import Span, file_stem
from kismet_build.model.text_normalization import normalize, title_case

MAX_WORDS = 5
"""Maximum number of words in a term. Longer bold text is a sentence."""
MAX_DEFINING_PARAGRAPHS = 2
"""Number of paragraphs at the start of a section in which a bold repetition of the title marks the definition."""
DETERMINER = r"(?:(?:an?|the|your|each|every|some|most) )?"
SUBJECT_BEFORE = re.compile(rf"(?:^|[.!?;:] |\(){DETERMINER}$", re.IGNORECASE)
"""Text before a term that is the subject of its sentence."""
SUBJECT_AFTER = re.compile(
    r"(?:,? \([^()]*\)|, [^,.;:]{1,40},)? "
    r"(?:(?:is|are) (?:an?|the|any|one|all|what|how|where|when|whatever|whoever)|means?|measures?|says|describes?|"
    r"represents?|refers? to|stands? for|lasts?)\b"
)
"""Text after a term that is the subject of a defining sentence."""
NAMED_BEFORE = re.compile(rf"\b(?:called|termed|named|known as) {DETERMINER}$", re.IGNORECASE)
"""Text before a term that its sentence introduces with a word such as "called"."""
INTRODUCED_BEFORE = re.compile(
    rf"\b(?:(?:this|that|it) is|(?:is|are|have|has|use|grants?) an?) {DETERMINER}$", re.IGNORECASE
)
"""Text before a term that its sentence introduces with words such as "is a"."""
INTRODUCED_AFTER = re.compile(r" \(|[.:;]|$")
"""Text after a term that its sentence introduces with words such as "is a"."""
ABBREVIATION = re.compile(r"\s*\(([A-Z][A-Za-z]{0,4}[A-Z])s?\)")
"""An abbreviation that follows a term."""
PARENTHESES = re.compile(r"\s*\([^()]*\)")
QUOTED = re.compile(r"[“„\"«]([^“”„\"«»]{1,60})[”“\"»]")


class _Definition(NamedTuple):
    """A part of a section that may define a term: a paragraph, a list item, or an item of a definition list."""

    span: Span
    body: tuple[nodes.Block, ...]
    term: tuple[nodes.Inline, ...]
    """The term of a definition list; empty for other parts."""
    paragraph: nodes.Paragraph | None
    """The first paragraph of the part; `None` if it has none."""
    is_aside: bool
    """Whether the part is in a callout, quotation or other group of blocks."""

    @property
    def own_body(self) -> tuple[nodes.Block, ...]:
        """The body without lists, because list items are separate parts."""
        return tuple(block for block in self.body if not isinstance(block, nodes.List))


@dataclass(frozen=True, eq=False)
class _SectionText:
    candidate: CandidateSection

    @cached_property
    def definitions(self) -> tuple[_Definition, ...]:
        """The parts of the section. Those that are asides come last."""
        return tuple(sorted(_definitions(self.candidate.section.blocks), key=lambda part: part.is_aside))

    @property
    def title(self) -> str:
        return self.candidate.section.anchor.title

    def whole(self, name: str, aliases: Iterable[str]) -> MatchResult:
        """The section, without its subsections, as the definition of a term. The section must have blocks."""
        section = self.candidate.section
        start = section.anchor.span if section.anchor.level else section.blocks[0].span
        span = start.source.span(start.start, max(block.span.end for block in section.blocks))
        return self._result(name, aliases, section.anchor.span, span, section.blocks)

    def part(self, name: str, aliases: Iterable[str], part: _Definition) -> MatchResult:
        return self._result(name, aliases, part.span, part.span, part.body)

    def _result(
        self, name: str, aliases: Iterable[str], title_span: Span, span: Span, body: tuple[nodes.Block, ...]
    ) -> MatchResult:
        return MatchResult(
            title=name,
            title_span=title_span,
            captures={},
            span=span,
            section=self.candidate.section,
            body=body,
            data={"aliases": list(dict.fromkeys(aliases))},
            data_span=title_span,
        )


def defined_terms(candidates: Iterable[CandidateSection], terms: RuleTerms) -> tuple[MatchResult, ...]:
    """The terms listed in `game.yaml` and the terms defined by a sentence, each at its first definition."""
    sections = [_SectionText(candidate) for candidate in candidates]
    known = {term_key(name) for term in terms.named for name in (term.name, *term.aliases)}
    known.update(map(term_key, terms.never))
    results = [result for term in terms.named if (result := _named_term(term, sections)) is not None]
    for section in sections:
        for result in _found_terms(section):
            if (key := term_key(result.title)) not in known:
                known.add(key)
                results.append(result)
    order = {section.candidate.outline.chapter.source: number for number, section in enumerate(sections)}
    return tuple(sorted(results, key=lambda result: (order[result.span.source], result.span.start)))


def _bare(words: str) -> str:
    return normalize(PARENTHESES.sub("", words).strip(" :"))


def term_key(words: str) -> str:
    """The key of a term: normalized, in the singular, without parentheses and a leading `the`."""
    return singular(_bare(words)).removeprefix("the ")


# --- terms listed in game.yaml


def _named_term(term: NamedTerm, sections: Sequence[_SectionText]) -> MatchResult | None:
    """The first definition of a term in a section with the title given in `game.yaml`, or `None`."""
    heading, chapter = normalize(term.heading), normalize(term.chapter)
    keys = {term_key(name) for name in (term.name, *term.aliases)}
    for section in sections:
        document = section.candidate.outline.chapter
        if heading not in (normalize(section.title), _bare(section.title)):
            continue
        if chapter and chapter not in (normalize(file_stem(document.source.path)), normalize(document.title)):
            continue
        aliases = (*term.aliases, *ABBREVIATION.findall(section.title if term_key(section.title) in keys else ""))
        if term_key(section.title) in keys and section.candidate.section.blocks:
            return section.whole(term.name, aliases)
        if (part := _part_with(keys, section.definitions)) is not None:
            return section.part(term.name, aliases, part)
    return None


def _part_with(keys: set[str], parts: Sequence[_Definition]) -> _Definition | None:
    """The first part that begins with a term, else the first that emphasizes or quotes it, else that contains it.

    `keys`: the `term_key` of each name of the term.
    """
    for part in parts:
        if part.term and term_key(plain_text(*part.term)) in keys:
            return part
        first = part.paragraph.children[0] if part.paragraph and part.paragraph.children else None
        if isinstance(first, nodes.Strong | nodes.Emphasis) and term_key(plain_text(first)) in keys:
            return part
    for part in parts:
        set_off = (plain_text(node) for node in walk(*part.own_body) if isinstance(node, nodes.Strong | nodes.Emphasis))
        if any(term_key(words) in keys for words in (*set_off, *QUOTED.findall(plain_text(*part.own_body)))):
            return part
    words = {spelling for key in keys for spelling in (key, normalize(plural(key)))}
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})(?!\w)")
    return next((part for part in parts if pattern.search(normalize(plain_text(*part.term, *part.own_body)))), None)


def _definitions(blocks: Sequence[nodes.Block], *, is_aside: bool = False) -> Iterator[_Definition]:
    """The parts of these blocks that may define a term, including parts of lists and groups."""
    for index, block in enumerate(blocks):
        match block:
            case nodes.Paragraph():
                body: tuple[nodes.Block, ...] = (block,)
                # A list or table introduced by a paragraph is part of its definition.
                if plain_text(block).rstrip().endswith(":"):
                    body += tuple(
                        after for after in blocks[index + 1 : index + 2] if isinstance(after, nodes.List | nodes.Table)
                    )
                span = block.span.source.span(block.span.start, body[-1].span.end)
                yield _Definition(span, body, (), block, is_aside)
            case nodes.List(items=items):
                for item in items:
                    yield from _item(item, (), is_aside=is_aside)
            case nodes.DefinitionList(items=definitions):
                for definition in definitions:
                    yield from _item(definition, definition.term, is_aside=is_aside)
            case nodes.Callout() | nodes.BlockQuote() | nodes.Div():
                yield from _definitions(block.children, is_aside=True)


def _item(
    item: nodes.ListItem | nodes.DefinitionItem, term: tuple[nodes.Inline, ...], *, is_aside: bool
) -> Iterator[_Definition]:
    first = item.children[0] if item.children else None
    yield _Definition(item.span, item.children, term, first if isinstance(first, nodes.Paragraph) else None, is_aside)
    yield from _definitions(item.children[1:], is_aside=is_aside)


# --- terms defined by a sentence


def _found_terms(section: _SectionText) -> Iterator[MatchResult]:
    title = term_key(section.title)
    for number, part in enumerate(part for part in section.definitions if not part.is_aside):
        for term, before, after in _bold_terms(part.paragraph):
            name, aliases = _name(term, after)
            if title == term_key(name) and number < MAX_DEFINING_PARAGRAPHS:
                yield section.whole(name, (*aliases, *ABBREVIATION.findall(section.title)))
            elif _is_defined(before, after):
                yield section.part(name, aliases, part)


def _bold_terms(paragraph: nodes.Paragraph | None) -> Iterator[tuple[str, str, str]]:
    inlines = paragraph.children if paragraph else ()
    for index, inline in enumerate(inlines):
        if not isinstance(inline, nodes.Strong):
            continue
        words = " ".join(plain_text(inline).split())
        if 0 < len(words.split()) <= MAX_WORDS and words[-1] not in ".,:;!?" and words[0].isalpha():
            before, after = plain_text(*inlines[:index]), plain_text(*inlines[index + 1 :])
            yield words, before.replace("\n", " "), after.replace("\n", " ")


def _is_defined(before: str, after: str) -> bool:
    is_subject = SUBJECT_BEFORE.search(before) and SUBJECT_AFTER.match(after)
    is_introduced = INTRODUCED_BEFORE.search(before) and INTRODUCED_AFTER.match(after)
    return bool(is_subject or is_introduced or NAMED_BEFORE.search(before))


def _name(words: str, after: str) -> tuple[str, tuple[str, ...]]:
    """The name of a term, and its abbreviations as aliases."""
    bare = PARENTHESES.sub("", words).strip()
    name = title_case(bare) if bare.islower() else bare
    return name, (*ABBREVIATION.findall(words), *ABBREVIATION.findall(after[:12]))
