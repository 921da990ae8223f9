"""`stale-citation`: a citation or a question box quotes words that the cited text does not contain.

docs/decisions/0013-calculators-follow-the-text.md says why this is a warning and not an error.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Book
from kismet_build.model.diagnostic import Diagnostic, Related, Report, warning
from kismet_build.model.nodes import plain_text, text_outside_callouts
from kismet_build.model.source import Span, file_stem
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

PUNCTUATION = ".,;:!?()\"'"
"""Characters at the ends of words that the search for similar text ignores."""

CONTEXT_WORDS = 3
"""Number of words that a hint quotes on either side of similar text."""

MAX_NAMES = 8
"""Maximum number of texts or headings listed in a hint."""

MAX_OWNERS = 3
"""Maximum number of calculators and subjects named in a message."""

HINT = "reread the passage; if the rule is still valid, quote its current words"


def stale_citation(pack: Pack, report: Report) -> None:
    """Report every citation, and every quotation in a question box, that is not found.

    All citations of the same missing document share one diagnostic.
    """
    owners: dict[Span, list[str]] = {}
    stale: dict[Span, Citation] = {}
    for owner, citation in _citations(pack.game):
        if citation.span not in pack.cited:
            stale[citation.span] = citation
            owners.setdefault(citation.span, []).append(owner)
    documents = {chapter.citation_name: file_stem(chapter.source.path) for chapter in pack.book.chapters}
    missing: dict[str, list[Citation]] = {}
    for span, citation in stale.items():
        if normalize(citation.document) not in documents:
            missing.setdefault(normalize(citation.document), []).append(citation)
        else:
            report(_diagnostic(_owner_names(owners[span]), citation, pack.book))
    for citations in missing.values():
        message = f'no document is called "{citations[0].document}"'
        names = sorted(documents.values())
        known = f"the texts are: {', '.join(names[:MAX_NAMES])}"
        hint = did_you_mean(citations[0].document, names, known)
        others = tuple(Related(other.span, "also cited here") for other in citations[1:])
        report(warning("stale-citation", citations[0].span, message, hint, others))
    _report_questions(pack, report)


def _report_questions(pack: Pack, report: Report) -> None:
    for facts in pack.documents.values():
        for box in facts.questions:
            for words in box.quotations:
                if pack.quoted_passage(box, words) is None:
                    blocks = (block for section in pack.sections_of_box(box) for block in section.blocks)
                    texts = [text_outside_callouts(block) for block in blocks]
                    similar = _similar_text([words], texts)
                    message = f'the sections that this question names do not contain the quoted words: "{words}"'
                    hint = "quote the current words, or link to the section that contains these"
                    hint = f'the closest match there is "{similar}"; {hint}' if similar else hint
                    report(warning("stale-citation", box.callout.span, message, hint))


def _citations(game: Game) -> Iterator[tuple[str, Citation]]:
    """Every citation with the id of its calculator or subject.

    Citations that a calculator inherits come after the calculators' own ones, and those of effects come last.
    """
    inherited = []
    for slug, calculator in game.calculators.items():
        for citation in calculator.citations():
            is_own = citation.span.source is calculator.source and (
                calculator.span.start <= citation.span.start < calculator.span.end
            )
            if is_own:
                yield slug, citation
            else:
                inherited.append((slug, citation))
    yield from inherited
    for faulty in game.faulty_calculators:
        yield from ((faulty.slug, citation) for citation in faulty.citations)
    for subject, effects in game.effects.items():
        yield from ((subject, effect.citation) for effect in effects)


def _owner_names(owners: Sequence[str]) -> str:
    names = [f'"{owner}"' for owner in dict.fromkeys(owners)]
    if len(names) > MAX_OWNERS:
        names[MAX_OWNERS:] = [f"{len(names) - MAX_OWNERS} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _diagnostic(owners: str, citation: Citation, book: Book) -> Diagnostic:
    cites = "cite" if " and " in owners else "cites"
    headings = list(_headings(book, citation.document))
    cited = [anchor for anchor in headings if normalize(anchor.title) == normalize(citation.heading)]
    if cited:
        quoted = '" or "'.join(citation.quotes)
        message = f'{owners} {cites} words that are not below "{cited[0].title}": "{quoted}"'
        related = tuple(Related(anchor.span, "the section that it cites") for anchor in cited)
        similar = _similar_text(citation.quotes, [plain_text(*book.embedded_blocks(anchor)) for anchor in cited])
        hint = f'the closest match there is "{similar}"; {HINT}' if similar else HINT
        return warning("stale-citation", citation.span, message, hint, related)
    titles = {normalize(anchor.title): anchor.title for anchor in headings}
    elsewhere = [
        file_stem(chapter.source.path)
        for chapter in book.chapters
        if any(normalize(anchor.title) == normalize(citation.heading) for anchor in book.anchors[chapter.source])
    ]
    known = ", ".join([*titles.values()][:MAX_NAMES])
    otherwise = f"its headings are: {known}" if known else "it has no headings"
    hint = did_you_mean(citation.heading, titles.values(), otherwise)
    if elsewhere:
        hint = f'"{elsewhere[0]}" has this heading: did you mean that document?'
    message = f'{owners} {cites} a heading that "{citation.document}" does not have: "{citation.heading}"'
    return warning("stale-citation", citation.span, message, hint)


def _similar_text(quotes: Sequence[str], texts: Sequence[str]) -> str:
    """The words most similar to a quote, with `CONTEXT_WORDS` on either side; empty if none are similar.

    More than half of the words of the quote must be the same.
    """
    similar, best_share = "", 0.5
    for quote in quotes:
        wanted = Counter(word.strip(PUNCTUATION) for word in normalize(quote).split())
        length = wanted.total()
        for words in map(str.split, texts):
            normalized = [normalize(word).strip(PUNCTUATION) for word in words]
            for start in range(len(words) - length + 1):
                share = (wanted & Counter(normalized[start : start + length])).total() / length
                if share > best_share:
                    similar = " ".join(words[max(0, start - CONTEXT_WORDS) : start + length + CONTEXT_WORDS])
                    best_share = share
    return similar


def _headings(book: Book, document: str) -> Iterator[Anchor]:
    for chapter in book.chapters:
        if chapter.citation_name == normalize(document):
            yield from (anchor for anchor in book.anchors[chapter.source] if 0 < anchor.level < BLOCK_LEVEL)
