"""The compiled form of a game, which the later stages use: entities, facts about documents, and indexes."""

from kismet_build.pack.compiled_game import ELLIPSIS, ROW_METHODS, Pack, query
from kismet_build.pack.entity import Entity, EntityNames, calculator_subject, corrected_value, has_words, section_id
from kismet_build.pack.facts import BookTable, CitedPassage, DocumentFacts, Mention, OpenedFile, ParsedFile, QuestionBox
from kismet_build.pack.rolled_rows import MAX_ROLLED_CHARACTERS, find_column

__all__ = [
    "ELLIPSIS",
    "MAX_ROLLED_CHARACTERS",
    "ROW_METHODS",
    "BookTable",
    "CitedPassage",
    "DocumentFacts",
    "Entity",
    "EntityNames",
    "Mention",
    "OpenedFile",
    "Pack",
    "ParsedFile",
    "QuestionBox",
    "calculator_subject",
    "corrected_value",
    "find_column",
    "has_words",
    "query",
    "section_id",
]
