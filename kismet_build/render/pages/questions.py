"""The page of open questions, rulings and corrections."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.model.book import Anchor, Chapter
from kismet_build.pack import Pack, QuestionBox
from kismet_build.render.components.entity_text import ShownCorrection, shown_corrections
from kismet_build.render.data.questions_json import Question, question_count, questions
from kismet_build.render.fragments.page_context import anchor_address, render_context
from kismet_build.render.fragments.renderer import to_html
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, entity_href, path_to_root
from kismet_build.render.html.escape import with_minus
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.page import Entry, Page


class ShownQuestion(NamedTuple):
    """A question as the page shows it."""

    id: str
    title: str
    is_open: bool
    text: Markup
    """The readings and the ruling of a box; empty for a calculator."""
    readings: tuple[str, ...]
    """The calculator's alternative readings of the rule."""
    ruling: str
    """Why the calculator's formula was chosen."""
    place: PageLink | None


def has_questions_page(pack: Pack) -> bool:
    """Whether the game has any question or correction."""
    return bool(question_count(pack)) or next(linked_corrections(pack, pack.book.chapters), None) is not None


def questions_page(pack: Pack) -> Page:
    """The page with all question boxes and all calculators with several readings, by chapter, and the corrections."""
    address, words = f"{pack.game.id}/questions/", pack.game.catalog
    title = words.text("title.questions")
    groups = [
        (group_title, f"_{number}", [_shown(pack, address, question) for question in group])
        for number, (group_title, group) in enumerate(questions_by_chapter(pack))
    ]
    listed = [question for *_, group in groups for question in group]
    corrections = [*linked_corrections(pack, pack.book.chapters)]
    article = macro("article_questions", "article", words)(
        title=title,
        groups=groups,
        total=len(listed),
        open_total=sum(question.is_open for question in listed),
        corrections=corrections,
        root=path_to_root(address),
    )
    return Page(
        address=address,
        title=title,
        role="questions",
        article=article,
        contents=(
            *(
                entry
                for group_title, group_id, shown in groups
                for entry in (
                    Entry(1, group_title, group_id),
                    *(Entry(2, question.title, question.id) for question in shown),
                )
            ),
            *((Entry(1, words.text("questions.corrections"), "_corrections"),) if corrections else ()),
        ),
        breadcrumbs=(PageLink(f"{pack.game.id}/", pack.game.title),),
        description=words.text("questions.description", game=pack.game.title),
    )


def questions_by_chapter(pack: Pack) -> Iterator[tuple[str, list[Question]]]:
    """The questions by the title of their chapter. Questions of calculators that cite no chapter come last."""
    positions = {chapter.source: position for position, chapter in enumerate(pack.book.chapters)}
    listed = sorted(
        questions(pack),
        key=lambda question: positions[question.section.anchor.chapter.source] if question.section else len(positions),
    )
    for chapter, group in groupby(listed, key=_chapter):
        yield chapter.title if chapter else pack.game.catalog.text("title.calculators"), [*group]


def _chapter(question: Question) -> Chapter | None:
    return question.section.anchor.chapter if question.section else None


def linked_corrections(pack: Pack, chapters: Iterable[Chapter]) -> Iterator[tuple[PageLink, ShownCorrection]]:
    """The corrections in these chapters, in order, each with a link to the entity or section that it corrects."""
    for chapter in chapters:
        for entity in pack.by_source.get(chapter.source, ()):
            link = PageLink(entity_href(pack, entity.id, ""), entity.name)
            yield from ((link, correction) for correction in shown_corrections(pack, entity))
        for section in pack.book.sections[chapter.source]:
            link = _place(pack, section.anchor)
            yield from ((link, correction) for correction in shown_corrections(pack, section))


def _place(pack: Pack, anchor: Anchor) -> PageLink:
    return PageLink(anchor_address(pack, anchor, INDEX), anchor.shown_title)


def _shown(pack: Pack, address: str, question: Question) -> ShownQuestion:
    origin = question.origin
    if isinstance(origin, QuestionBox):
        place = _place(pack, origin.section.anchor)
        text = Markup(to_html(origin.callout.children, render_context(pack, address, end=INDEX)))
        return ShownQuestion(question.slug, with_minus(question.title), not question.ruling, text, (), "", place)
    place = PageLink(f"{calculator_address(origin)}{INDEX}", pack.game.catalog.text("title.calculator"))
    readings = tuple(reading.title for reading in origin.readings)
    return ShownQuestion(
        question.slug, with_minus(question.title), False, Markup(), readings, with_minus(origin.reason), place
    )
