"""Questions about the rules, with any rulings, from question boxes and calculators with several readings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.model.json_writer import json_file
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import UniqueNames, folder_name
from kismet_build.pack import Pack, QuestionBox, section_id
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.data.calculator_json import citation_data, place_data
from kismet_build.render.fragments.page_context import anchor_address, render_context
from kismet_build.render.fragments.renderer import to_html
from kismet_build.render.html.addresses import calculator_address

FORMAT = 1
"""Version of the format of `questions.json`; CHANGELOG.md describes each change."""


class Question(NamedTuple):
    """A question with its published id."""

    id: str
    """An id of the form `game/question/title`."""
    origin: QuestionBox | Calculator
    section: Section | None
    """The section that the question is about; `None` if the book no longer contains a calculator's quotation."""

    @property
    def slug(self) -> str:
        return self.id.rpartition("/")[2]

    @property
    def title(self) -> str:
        return self.origin.title

    @property
    def ruling(self) -> str:
        """The ruling as plain text; empty if the question is open."""
        return self.origin.ruling if isinstance(self.origin, QuestionBox) else self.origin.reason


def question_count(pack: Pack) -> int:
    """The number of questions."""
    boxes = sum(len(facts.questions) for facts in pack.documents.values())
    return boxes + sum(bool(calculator.readings) for calculator in pack.game.calculators.values())


def questions(pack: Pack) -> list[Question]:
    """The question boxes in book order, then the calculators with several readings."""
    taken = UniqueNames()

    def question(origin: QuestionBox | Calculator, section: Section | None) -> Question:
        return Question(f"{pack.game.id}/question/{taken.add(folder_name(origin.title), 2)}", origin, section)

    listed = [question(box, box.section) for facts in pack.documents.values() for box in facts.questions]
    for calculator in pack.game.calculators.values():
        if calculator.readings:
            cited = pack.cited.get(calculator.citation.span)
            listed.append(question(calculator, cited.section if cited else None))
    return listed


@cached_in_pack
def question_ids(pack: Pack) -> Mapping[Span, str]:
    """The id of each question box, by its span."""
    return {
        question.origin.callout.span: question.id
        for question in questions(pack)
        if isinstance(question.origin, QuestionBox)
    }


def questions_file(pack: Pack) -> bytes:
    """A game's file `questions.json`."""
    listed = questions(pack)
    data = {
        "$schema": "../schemas/questions.schema.json",
        "format": FORMAT,
        "game": pack.game.id,
        "questions": [_question(pack, question) for question in listed],
    }
    return json_file(data)


def _question(pack: Pack, question: Question) -> dict[str, Any]:
    origin = question.origin
    is_box = isinstance(origin, QuestionBox)
    return {
        "id": question.id,
        "kind": "box" if is_box else "calculator",
        "state": "ruled" if question.ruling else "open",
        "title": question.title,
        **(_box(pack, origin) if isinstance(origin, QuestionBox) else _calculator(pack, origin)),
        "ruling": question.ruling or None,
        "section": section_id(pack.game, question.section) if question.section else None,
    }


def _box(pack: Pack, box: QuestionBox) -> dict[str, Any]:
    return {
        "text": box.readings,
        "html": to_html(box.callout.children, replace(render_context(pack, ""), for_site=False)),
        "quotes": [_quote(pack, box, words) for words in box.quotations],
        "url": anchor_address(pack, box.section.anchor),
        "source": place_data(box.callout.span, _headings(box.section)),
    }


def _calculator(pack: Pack, calculator: Calculator) -> dict[str, Any]:
    citations = (calculator.citation, *(reading.citation for reading in calculator.readings))
    quotes = []
    for citation in citations:
        data, cited = citation_data(pack, citation), pack.cited.get(citation.span)
        source = None if cited is None else place_data(cited.span, _headings(cited.section))
        quotes.append({"text": data["quote"], "url": data["url"], "source": source})
    return {
        "text": "\n".join(reading.title for reading in calculator.readings),
        "html": "",
        "quotes": quotes,
        "url": calculator_address(calculator),
        "source": quotes[0]["source"],
    }


def _quote(pack: Pack, box: QuestionBox, words: str) -> dict[str, Any]:
    match pack.quoted_passage(box, words):
        case section, block:
            url = anchor_address(pack, section.anchor)
            return {"text": words, "url": url, "source": place_data(block.span, _headings(section))}
        case _:
            return {"text": words, "url": None, "source": None}


def _headings(section: Section) -> tuple[str, ...]:
    return tuple(anchor.title for anchor in section.headings)
