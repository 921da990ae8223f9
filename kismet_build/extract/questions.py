"""Find the questions about the rules: callouts of the kind `question`, each with any ruling that settles it."""

import re

from kismet_build.model.book import Outline, Section
from kismet_build.model.nodes import Callout, plain_text, walk_blocks
from kismet_build.pack import QuestionBox

QUESTION = "question"
"""The kind of callout that marks a question."""
RULING = re.compile(r"(?:^|(?<=[\s.?!:)”\"]))(?:Ruling|Entscheidung|Regelung):\s*")
"""The word before a ruling, in English or German."""
QUOTATION = re.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"]+)\"|«([^«»]+)»")
"""The words in quotation marks in a question."""


def find_questions(outline: Outline, is_plain: bool) -> tuple[QuestionBox, ...]:
    """The question boxes of a document, in text order. In a plain vault, only boxes with a ruling are included.

    Users of Obsidian also use this callout for other purposes, so a box without a ruling may not be about the rules.
    """
    if QUESTION not in outline.chapter.source.text.casefold():
        return ()
    boxes = (
        _question(block, section)
        for section in outline.sections
        for block in walk_blocks(*section.blocks)
        if isinstance(block, Callout) and block.kind == QUESTION
    )
    return tuple(box for box in boxes if box.ruling or not is_plain)


def _question(callout: Callout, section: Section) -> QuestionBox:
    text = plain_text(*callout.children)
    readings, *ruling = RULING.split(text, maxsplit=1)
    quotations = (next(filter(None, match.groups())) for match in QUOTATION.finditer(text))
    return QuestionBox(
        title=plain_text(*callout.title) or section.anchor.title,
        callout=callout,
        section=section,
        readings=readings.strip(),
        ruling="".join(ruling).strip(),
        quotations=tuple(dict.fromkeys(quotations)),
    )
