"""Index of all phrases that may become links: entity names and their inflected forms, and section names.

Running text refers to sections and tables by names from headings and captions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import NamedTuple

from kismet_build.config.autolink import (
    LOWER_NAME_PLACEHOLDER,
    NAME_PLACEHOLDER,
    AutolinkRules,
    fill,
)
from kismet_build.model.book import AnchorRef, Outline
from kismet_build.model.language import Language
from kismet_build.model.language.inflection import participles
from kismet_build.model.nodes import plain_text
from kismet_build.model.text_normalization import PLAIN_SPELLINGS, normalize, title_case
from kismet_build.pack import Entity, EntityNames

# --- names of sections

EXPLAINED = re.compile(r"(?P<name>.+?)\s*\((?P<abbreviation>[^()]*)\)")
"""A title with a parenthesis at its end: `Names of Power (NOP)`."""
TITLE_PARTS = re.compile(r"\s[-–—]\s|:\s")
"""Separators between a name and further words in a title: `Table 2-1: Tides`."""
ARTICLE = re.compile(r"\A(?:the|an?)\s+(?=\w)", re.IGNORECASE)
"""An English article at the start of a title. Running text omits this article."""


class SectionNames(NamedTuple):
    """The names of a section and of the tables in it."""

    id: str
    """The id of the section: `game/section/chapter-heading`."""
    anchor: AnchorRef
    titles: tuple[str, ...]
    captions: tuple[str, ...]
    """Captions of the tables in the section. A table without a caption is named by the title of the section."""
    is_entity: bool
    """Whether the section is an entity. If it is, its name links to the entity."""


def section_names(
    outline: Outline, entities: Sequence[Entity], game_id: str, language: Language
) -> tuple[SectionNames, ...]:
    """The names of all sections of a document with these entities, in text order."""
    return tuple(_names_of_sections(game_id, outline, entities, language))


def _names_of_sections(
    game_id: str, outline: Outline, entities: Sequence[Entity], language: Language
) -> Iterator[SectionNames]:
    starts = {entity.span.start for entity in entities if not entity.is_document}
    is_note = any(entity.is_document for entity in entities)
    headings = {
        title
        for section in outline.sections
        if section.anchor.level
        for title in _titles(section.anchor.title, language)
    }
    for section in outline.sections:
        anchor = section.anchor
        titles = tuple(dict.fromkeys(_titles(anchor.title, language)))
        captions = [plain_text(*table.caption) or anchor.title for table in section.tables]
        names = dict.fromkeys(name for caption in captions for name in _titles(caption, language))
        if not anchor.level:
            # A heading that repeats the title of the document is the better target.
            titles = tuple(title for title in titles if title not in headings)
        is_entity = anchor.span.start in starts if anchor.level else is_note
        yield SectionNames(f"{game_id}/section/{section.slug}", anchor.ref, titles, tuple(names), is_entity)


def _titles(title: str, language: Language) -> Iterator[str]:
    """The names in a title: without article and parenthesis, up to a separator, and an abbreviation in parentheses."""
    words = title.strip().rstrip(":")
    explained = EXPLAINED.fullmatch(words)
    if explained is not None:
        words = explained["name"]
        if (abbreviation := explained["abbreviation"]).isupper() and abbreviation.isalpha():
            yield abbreviation
    for name in dict.fromkeys((words, TITLE_PARTS.split(words, maxsplit=1)[0])):
        # A single word before a separator is too vague: `Table: Prices`.
        if name == words or " " in name:
            name = title_case(name) if name.isupper() else name
            yield ARTICLE.sub("", name) if language.is_english else name


# --- the index

WORD = re.compile(r"[^\W_]+")
JOINERS = "-‐‑–"
"""Characters that join two words or the numbers of a range."""
POSSESSIVE = re.compile(r"[’']s?(?!\w)")
"""Possessive endings of names: `Anna’s`, `Travis’`."""
FOLDED_SYMBOLS = {symbol: plain for symbol, plain in PLAIN_SPELLINGS.items() if not chr(symbol).isalpha()}
"""The part of the normalization table that leaves letters unchanged."""


class PhraseIndex:
    """All phrases that may become links, with the entities and sections they name."""

    def __init__(
        self,
        names: Sequence[EntityNames],
        sections: Mapping[str, Sequence[SectionNames]],
        game_id: str,
        language: Language,
        rules: AutolinkRules,
        kinds: Iterable[str],
        is_plain: bool,
    ) -> None:
        """Index the names of all entities and sections of a game in book order, by the rules of the game.

        `is_plain`: whether the game is a plain vault. In a plain vault, possible inflected names are not listed for
        review. `sections`: the sections of each document, by path.
        """
        self.linking = rules
        self.key = normalize if self.linking.any_case else _normalize_symbols
        """Returns the key of a phrase."""
        by_name: dict[str, list[EntityNames]] = {}
        phrases: dict[str, dict[str, None]] = {}
        plurals: dict[str, dict[str, None]] = {}
        inflected: dict[str, dict[str, None]] = {}
        finds_inflected = not is_plain and language.is_english and not rules.any_case
        unlinked_names: list[str] = []
        order = {kind: number for number, kind in enumerate(kinds)}
        for entity in sorted(names, key=lambda entity: order[entity.kind]):
            for name in dict.fromkeys((entity.name, *entity.aliases)):
                by_name.setdefault(normalize(name), []).append(entity)
                forms = self.linking.forms(entity.kind)
                if not forms and " " in name:
                    # Indexed without an entity, to keep a shorter name inside it from becoming a link.
                    unlinked_names.append(name)
                for form in forms:
                    if " " not in name and _is_plain_word(form, name, self.linking):
                        continue
                    phrase = fill(form, name)
                    self._add(phrases, phrase, entity.id)
                    self._add(plurals, language.regular_plural(phrase), entity.id)
                    if finds_inflected and phrase.istitle() and phrase.isalpha():
                        for participle in participles(phrase):
                            self._add(inflected, participle, entity.id)
        for key, named in plurals.items():
            phrases.setdefault(key, named)
        for name in unlinked_names:
            for phrase in (name, language.regular_plural(name)):
                if phrase:
                    phrases.setdefault(self.key(phrase), {})
        self.anchors: dict[str, AnchorRef] = {}
        """The places of the sections that a phrase may name, by id."""
        section_phrases = self._section_phrases(sections, by_name, language)
        for key, named in section_phrases.items():
            phrases.setdefault(key, named)
        by_title = {normalize(key): named for key, named in section_phrases.items()}
        section_words = {key for key in section_phrases if WORD.fullmatch(key)}
        for phrase, name in self.linking.also.items():
            phrases.pop(self.key(phrase), None)
            for entity in by_name.get(normalize(name), ()):
                if self.linking.forms(entity.kind):
                    self._add(phrases, phrase, entity.id)
            if normalize(name) not in by_name and (section := by_title.get(normalize(name))):
                phrases[self.key(phrase)] = section
        for phrase in self.linking.never:
            phrases[self.key(phrase)] = {}
        self.inflected = frozenset(inflected.keys() - phrases.keys())
        """Keys of phrases that may be inflected names, which are not linked."""
        for key in sorted(self.inflected):
            phrases[key] = inflected[key]
        self.phrases = {key: tuple(named) for key, named in phrases.items()}
        """Ids of the entities or the section that a phrase names, by its key. Empty for phrases that never link."""
        self.lengths = _lengths_by_first_word(self.phrases)
        initials = "".join(sorted({re.escape(word[0]) for word in self.lengths}))
        self._candidate_word = re.compile(rf"[{initials}][^\W_]*" if initials else r"(?!)")
        """Matches words that start like a phrase.

        Most words do not match, because most phrases start with a capital.
        """
        self.by_title: dict[str, frozenset[str]] = {}
        """The ids in `phrases` by normalized phrase, to look up headings, which may be in capitals."""
        for key, ids in self.phrases.items():
            if key in self.inflected:
                continue
            title = normalize(key)
            self.by_title[title] = self.by_title.get(title, frozenset()).union(ids)
        shared = {self.key(phrase): f"{game_id}/{kind}/" for phrase, kind in self.linking.shared.items()}
        for key, id_prefix in shared.items():
            ids = self.phrases.get(key, ())
            self.phrases[key] = tuple(entity_id for entity_id in ids if entity_id.startswith(id_prefix)) or ids
        self.also = frozenset(map(self.key, self.linking.also))
        """Keys of the phrases listed by the game. A single word listed in lower case is also linked in lower case."""
        self.common = (
            None if rules.common is None else frozenset(map(self.key, rules.common)) | (section_words - self.also)
        )

    def _add(self, phrases: dict[str, dict[str, None]], phrase: str, entity_id: str) -> None:
        # `within` finds whole words, so a phrase must start and end with a letter or digit.
        if phrase and phrase[0].isalnum() and phrase[-1].isalnum():
            phrases.setdefault(self.key(phrase), {})[entity_id] = None

    def _section_phrases(
        self, sections: Mapping[str, Sequence[SectionNames]], by_name: Iterable[str], language: Language
    ) -> dict[str, dict[str, None]]:
        """The id of the section that each phrase names, by its key.

        Names of entities are left out. A phrase that names several sections, or a section that is an entity, has no id.
        `by_name`: the normalized names of all entities.
        """
        entity_names = {*by_name, *(language.regular_plural(name) for name in by_name)} if sections else set()
        phrases: dict[str, dict[str, None]] = {}
        entity_sections: set[str] = set()
        for section in chain.from_iterable(sections.values()):
            self.anchors[section.id] = section.anchor
            if section.is_entity:
                entity_sections.add(section.id)
            for forms, names in (
                (self.linking.section_forms, section.titles),
                (self.linking.table_forms, section.captions),
            ):
                for form, name in product(forms, names):
                    for phrase in _section_forms(form, name, language):
                        if normalize(phrase) not in entity_names:
                            self._add(phrases, phrase, section.id)
        return {key: ids if len(ids) == 1 and entity_sections.isdisjoint(ids) else {} for key, ids in phrases.items()}

    def is_common(self, key: str) -> bool:
        """Whether a phrase is also an ordinary word. At the start of a sentence, it may be that word instead."""
        if self.common is None:
            return WORD.fullmatch(key) is not None and key not in self.also
        return key in self.common

    def may_occur_in(self, text: str) -> bool:
        """Whether a text may contain the first word of a phrase. This fast test rules out most texts."""
        if self.linking.any_case:
            if not text.isascii():
                return True
            text = text.casefold()
        return not self.lengths.keys().isdisjoint(self._candidate_word.findall(text))

    def within(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and key of each phrase in a text. The longest phrase at each word wins."""
        folded = text.casefold() if self.linking.any_case else text
        words = [match.span() for match in WORD.finditer(text)]
        index, count = 0, len(words)
        while index < count:
            start, end = words[index]
            first = folded[start:end] if len(folded) == len(text) else text[start:end]
            if first not in self.lengths and not first.isascii():
                first = self.key(first)
            next_index = index + 1
            for length in self.lengths.get(first, ()):
                if index + length > count:
                    continue
                end = words[index + length - 1][1]
                key = self.key(text[start:end])
                if key in self.phrases and _is_whole(text, start, end):
                    yield start, end, key
                    next_index = index + length
                    break
            index = next_index


def _is_plain_word(form: str, name: str, rules: AutolinkRules) -> bool:
    """Whether a form turns a one-word name into an ordinary word in lower case."""
    return form == LOWER_NAME_PLACEHOLDER or (form == NAME_PLACEHOLDER and name.islower() and not rules.any_case)


def _section_forms(form: str, name: str, language: Language) -> Iterator[str]:
    """The spellings of the name of a section or table that may be linked.

    A single word must be as written. A phrase of several words may also be in lower case, in the singular or plural.
    """
    if form == NAME_PLACEHOLDER and " " not in name:
        if not name.islower():
            yield name
        return
    names = [name, title_case(name), name.lower()]
    if form == NAME_PLACEHOLDER:
        names += [
            other
            for word in names
            for other in (language.regular_plural(word), language.regular_singular(word))
            if other
        ]
    for phrase in (form.replace(NAME_PLACEHOLDER, word) for word in names):
        yield phrase
        yield phrase[:1].upper() + phrase[1:]


def _normalize_symbols(phrase: str) -> str:
    """Normalize white space, quotes and dashes, but not the case of letters."""
    if phrase.isalnum():
        return phrase
    return " ".join((phrase if phrase.isascii() else phrase.translate(FOLDED_SYMBOLS)).split())


def _lengths_by_first_word(phrases: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
    """For each first word, the numbers of words in the phrases that begin with it, longest first."""
    lengths: dict[str, set[int]] = {}
    for phrase in phrases:
        words = WORD.findall(phrase)
        lengths.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(numbers, reverse=True)) for first, numbers in lengths.items()}


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is not part of a longer word. A possessive ending may follow it."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in JOINERS + "_'’" and before:
        return False
    if after in ("'", "’"):
        return POSSESSIVE.match(text, end) is not None or not text[end + 1 : end + 2].isalnum()
    return not after or after not in JOINERS + "_" or not text[end + 1 : end + 2].isalnum()
