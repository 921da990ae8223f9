"""Checks that calculators, effects and questions agree with the text: citations, worked examples and tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from kismet_build.config.calculator import formula_span
from kismet_build.config.game import Game
from kismet_build.mechanics.calculator import Agreement, Calculator, Citation, Example
from kismet_build.mechanics.calculator.calculation import CalculationError, calculate, equals_expected, resolve_inputs
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError, format_literal
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Book
from kismet_build.model.diagnostic import Diagnostic, Related, Report, error, warning
from kismet_build.model.nodes import plain_text, text_outside_callouts
from kismet_build.model.source import Span, file_stem
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack, calculator_subject

PUNCTUATION = ".,;:!?()\"'"
"""Characters at the ends of words that the search for similar text ignores."""
CONTEXT_WORDS = 3
"""Number of words that a hint quotes on either side of similar text."""
MAX_NAMES = 8
"""Maximum number of texts or headings listed in a hint."""
MAX_OWNERS = 3
"""Maximum number of calculators and subjects named in a message."""
REREAD_HINT = "reread the passage; if the rule is still valid, quote its current words"


def stale_citation(pack: Pack, report: Report) -> None:
    """Report every citation, and every quotation in a question box, that is not found.

    All citations of the same missing document share one diagnostic.
    docs/decisions/0013-calculators-follow-the-text.md says why this is a warning and not an error.
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
            report(_stale(_owner_names(owners[span]), citation, pack.book))
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


def _stale(owners: str, citation: Citation, book: Book) -> Diagnostic:
    cites = "cite" if " and " in owners else "cites"
    headings = list(_headings(book, citation.document))
    cited = [anchor for anchor in headings if normalize(anchor.title) == normalize(citation.heading)]
    if cited:
        quoted = '" or "'.join(citation.quotes)
        message = f'{owners} {cites} words that are not below "{cited[0].title}": "{quoted}"'
        related = tuple(Related(anchor.span, "the section that it cites") for anchor in cited)
        similar = _similar_text(citation.quotes, [plain_text(*book.embedded_blocks(anchor)) for anchor in cited])
        hint = f'the closest match there is "{similar}"; {REREAD_HINT}' if similar else REREAD_HINT
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


def wrong_example(pack: Pack, report: Report) -> None:
    """Report examples with a different result, and calculators without a result for their default inputs."""
    faulty = (faulty.calculator for faulty in pack.game.faulty_calculators if faulty.calculator is not None)
    for calculator in (*pack.game.calculators.values(), *faulty):
        if _check_defaults(pack, calculator, report):
            for example in calculator.examples:
                _check_example(pack, calculator, example, report)


def _check_defaults(pack: Pack, calculator: Calculator, report: Report) -> bool:
    """Whether a calculator has a result for its default inputs. If it does not, report it."""
    try:
        calculate(pack.records, calculator, resolve_inputs(pack.records, calculator, {}))
    except InputError as problem:
        span = next(given.span for given in calculator.inputs if given.name == problem.name)
        message = f'"{calculator.slug}" cannot run with its defaults: {problem}'
        hint = "change the default"
        report(error("invalid-calculator", span, message, hint, subject=calculator_subject(calculator)))
        return False
    except CalculationError as problem:
        span = formula_span(problem.span, problem.formula, problem.at)
        message = f'"{calculator.slug}" has no result for its defaults: {problem.message}'
        hint = problem.hint or "change the formula, or the defaults of the inputs"
        report(error("invalid-formula", span, message, hint, subject=calculator_subject(calculator)))
        return False
    return True


def _check_example(pack: Pack, calculator: Calculator, example: Example, report: Report) -> None:
    cited = pack.cited.get(example.citation.span)
    related = (Related(cited.span, "the text says so here"),) if cited else ()
    subject = calculator_subject(calculator)
    try:
        values = resolve_inputs(pack.records, calculator, example.inputs)
        result = calculate(pack.records, calculator, values).result
    except InputError as problem:
        report(
            error(
                "wrong-example", example.span, f'"{calculator.slug}" cannot take this: {problem}', "", related, subject
            )
        )
        return
    except CalculationError as problem:
        message = f'"{calculator.slug}" has no result for this: {problem.message}'
        report(error("wrong-example", example.span, message, "", related, subject))
        return
    if not equals_expected(result, example.result):
        actual = format_literal(to_plain_value(result))
        message = f'"{calculator.slug}" gives {actual} here, not {format_literal(example.result)}'
        hint = "correct the formula; if the text is wrong, write its number under `printed`"
        if isinstance(result, float) and isinstance(example.result, float) and abs(result - example.result) < 0.01:
            rounded = f"{100 * example.result:.6g} %"
            hint = f"if the text rounds, write the rounded number: result: {rounded}; otherwise {hint}"
        report(error("wrong-example", example.span, message, hint, related, subject))


def wrong_figure(pack: Pack, report: Report) -> None:
    """Report each wrong number of a worked example that the text still prints."""
    for calculator in pack.game.calculators.values():
        for example in calculator.examples:
            printed = pack.misprint(example)
            if printed is None:
                continue
            result = format_literal(example.result)
            message = f'the text says {format_literal(printed)} here, but its rule "{calculator.title}" gives {result}'
            related = (Related(example.span, "the worked example"),)
            span = pack.cited[example.citation.span].span
            report(warning("wrong-figure", span, message, f"write {result}", related))


MAX_VALUES = 10_000
"""Maximum number of input values compared for one entity."""


def table_disagrees(pack: Pack, report: Report) -> None:
    """Report every entity whose field differs from the result of a calculator, and agreements that compare nothing."""
    for calculator in pack.game.calculators.values():
        for agreement in calculator.agreements:
            entities = pack.entities[agreement.kind]
            compared = [_compare(pack, calculator, agreement, entity, report) for entity in entities]
            if entities and not any(compared):
                kind = pack.game.kinds[agreement.kind]
                message = f'"{calculator.slug}" is not compared with any {kind.title}: none has all of these fields'
                report(error("table-disagrees", agreement.span, message, subject=calculator_subject(calculator)))


def _compare(pack: Pack, calculator: Calculator, agreement: Agreement, entity: Entity, report: Report) -> bool:
    """Report the first value that disagrees. Returns whether any value was compared."""
    expected = _field(entity, agreement.result)
    is_compared = False
    for given in _inputs(agreement, entity):
        if expected is None:
            break
        is_compared = True
        try:
            values = resolve_inputs(pack.records, calculator, {**agreement.given, **given})
            result = to_plain_value(calculate(pack.records, calculator, values).result)
        except (InputError, CalculationError) as problem:
            outcome = f"has no result ({problem})"
        else:
            if _agrees(result, expected):
                continue
            outcome = f"gives {format_literal(result)}"
        inputs = ", ".join(f"{name} {format_literal(value)}" for name, value in given.items())
        field = f'"{agreement.result}" of "{entity.name}"'
        message = f'{field} is {_in_words(expected)}, but "{calculator.slug}" {outcome} for {inputs}'
        place = entity.span_of(agreement.result)
        related = (Related(agreement.span, "this says that they agree"),)
        report(error("table-disagrees", place, message, "", related, calculator_subject(calculator)))
        break
    return is_compared


def _inputs(agreement: Agreement, entity: Entity) -> Iterator[Mapping[str, Any]]:
    """Inputs of the calculator from the fields of an entity: each number of a range, each item of a list."""
    fields = [_field(entity, field) for field in agreement.inputs.values()]
    if not any(field is None for field in fields):
        for values in islice(product(*map(_single_values, fields)), MAX_VALUES):
            yield dict(zip(agreement.inputs, values, strict=True))


def _field(entity: Entity, field: str) -> Any:
    """The value of a field or of a part of a field, such as `good.bonus`; `None` if it is missing."""
    value: Any = {**entity.fields, "id": entity.id, "slug": entity.slug, "name": entity.name}
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _single_values(value: Any) -> Iterator[Any]:
    match value:
        case {"min": low, "max": None}:
            yield low  # an open range has no end, so compare its first number
        case {"min": low, "max": high}:
            yield from range(low, min(high, low + MAX_VALUES) + 1)
        case list():
            yield from value
        case _:
            yield value


def _agrees(result: Any, expected: Any) -> bool:
    match expected:
        case {"min": low, "max": high}:
            return isinstance(result, int | float) and low <= result and (high is None or result <= high)
        case _:
            return equals_expected(result, expected)


def _in_words(value: Any) -> str:
    match value:
        case {"min": low, "max": None}:
            return f"{low} or more"
        case {"min": low, "max": high}:
            return f"{low} to {high}"
        case _:
            return format_literal(value)
