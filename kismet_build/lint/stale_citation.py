"""A citation whose words are not where it says."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import BLOCK, Anchor, Book
from kismet_build.model.diagnostic import Diagnostic, Related, Report, warning
from kismet_build.model.nodes import plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

SIGNS = ".,;:!?()\"'"
"""What stands at the ends of words and is no part of them."""

AROUND = 3
"""So many words are shown on either side of the nearest ones."""

SHOWN = 3
"""So many are named that have the citation in common."""

CURE = "read the passage again, and quote what stands there now if the rule still says so"


def stale_citation(pack: Pack, report: Report) -> None:
    """Report every citation that is not found; those of a document that is not there at all once together."""
    owners: dict[Span, list[str]] = {}
    stale: dict[Span, Citation] = {}
    for owner, citation in _citations(pack.game):
        if citation.span not in pack.cited:
            stale[citation.span] = citation
            owners.setdefault(citation.span, []).append(owner)
    documents = {chapter.key for chapter in pack.book.chapters}
    missing: dict[str, list[Citation]] = {}
    for span, citation in stale.items():
        if normalize(citation.document) not in documents:
            missing.setdefault(normalize(citation.document), []).append(citation)
        else:
            report(_stale(_named(owners[span]), citation, pack.book))
    for citations in missing.values():
        message = f'no document is called "{citations[0].document}"'
        close = get_close_matches(normalize(citations[0].document), sorted(documents), n=1)
        hint = f'did you mean "{close[0]}"?' if close else ""
        others = tuple(Related(other.span, "it is cited here, too") for other in citations[1:])
        report(warning("stale-citation", citations[0].span, message, hint, others))


def _citations(game: Game) -> Iterator[tuple[str, Citation]]:
    """Every citation with the id of what it is for; what only takes it over from another comes after that one."""
    taken = []
    for local, calculator in game.calculators.items():
        for citation in calculator.citations():
            own = citation.span.source is calculator.source and (
                calculator.span.start <= citation.span.start < calculator.span.end
            )
            if own:
                yield local, citation
            else:
                taken.append((local, citation))
    yield from taken
    for subject, effects in game.effects.items():
        yield from ((subject, effect.citation) for effect in effects)


def _named(owners: Sequence[str]) -> str:
    names = [f'"{owner}"' for owner in dict.fromkeys(owners)]
    if len(names) > SHOWN:
        names[SHOWN:] = [f"{len(names) - SHOWN} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _stale(owners: str, citation: Citation, book: Book) -> Diagnostic:
    cites = "cite" if " and " in owners else "cites"
    headings = list(_headings(book, citation.document))
    named = [anchor for anchor in headings if normalize(anchor.title) == normalize(citation.heading)]
    if named:
        quoted = '" or "'.join(citation.quotes)
        message = f'{owners} {cites} words that do not stand below "{named[0].title}": "{quoted}"'
        related = tuple(Related(anchor.span, "the section that it cites") for anchor in named)
        near = _nearest(citation, [plain_text(*book.extent(anchor)) for anchor in named])
        hint = f'the nearest words there are "{near}"; {CURE}' if near else CURE
        return warning("stale-citation", citation.span, message, hint, related)
    titles = {normalize(anchor.title): anchor.title for anchor in headings}
    close = get_close_matches(normalize(citation.heading), list(titles), n=1)
    hint = f'did you mean "{titles[close[0]]}"?' if close else ""
    message = f'{owners} {cites} a heading that "{citation.document}" does not have: "{citation.heading}"'
    return warning("stale-citation", citation.span, message, hint)


def _nearest(citation: Citation, texts: Sequence[str]) -> str:
    """The words most like a quote, with those around them; none where less than half of it is there."""
    best, most = "", 0.5
    for quote in citation.quotes:
        wanted = Counter(word.strip(SIGNS) for word in normalize(quote).split())
        number = wanted.total()
        for words in map(str.split, texts):
            folded = [normalize(word).strip(SIGNS) for word in words]
            for place in range(len(words) - number + 1):
                common = (wanted & Counter(folded[place : place + number])).total() / number
                if common > most:
                    best, most = " ".join(words[max(0, place - AROUND) : place + number + AROUND]), common
    return best


def _headings(book: Book, document: str) -> Iterator[Anchor]:
    for chapter in book.chapters:
        if chapter.key == normalize(document):
            yield from (anchor for anchor in book.anchors[chapter.source] if 0 < anchor.level < BLOCK)
