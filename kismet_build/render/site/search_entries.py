"""The search index of a game: its entries, the units of each, and the words in both.

docs/decisions/0018-search-score.md describes how results are ranked and measured.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import orjson

from kismet_build.config.data_file import SHIPPED
from kismet_build.config.kind import Kind
from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.config.yaml import parse
from kismet_build.mechanics.search.words import fold_words, indexed_words, stem
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Chapter
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.data.listing import Listing
from kismet_build.render.fragments.page_context import anchor_page
from kismet_build.render.html.addresses import calculator_address, fragment
from kismet_build.render.pages.calculators import calculators_in_order
from kismet_build.render.pages.overview import missing_documents
from kismet_build.render.site.search_units import CELL_SEPARATOR, search_units, section_key

SYNONYMS = SHIPPED / "site" / "search" / "synonyms.yaml"
FORMAT = 1
"""Version of the format of `search.json`; CHANGELOG.md describes each change."""
DEFINE_STORE = (
    "((globalThis.kismet ??= {}).known ??= {}, kismet.learn ??= (index) => (kismet.known[index.game] = index))"
)
"""JavaScript that defines `kismet.learn`, which stores an index. Each index contains it, because any may load first."""

Row = list[Any]
"""An entry of the index: type, name, address relative to the game, position of the parent entry (-1 for none), and
other names.

The type is the position of an entity's kind, or a letter: `k` the page of a kind, `b` board, `t` tag, `c` chapter, `s`
section, `x` calculator, `y` sheet, `u` a chapter that is not written yet.
"""


def search_index(pack: Pack) -> bytes:
    """The script with the search index of a game."""
    return learned(index_data(pack))


def learned(index: Mapping[str, Any]) -> bytes:
    """The script that stores an index."""
    return f"{DEFINE_STORE};\nkismet.learn(".encode() + orjson.dumps(index) + b");\n"


def search_file(pack: Pack) -> bytes:
    """A game's file `search.json`: its search index, with the synonyms of all games."""
    return orjson.dumps({"format": FORMAT, **index_data(pack), "synonyms": synonyms()}) + b"\n"


def game_list(packs: Sequence[Listing], starts: Sequence[str]) -> bytes:
    """The script `games.js`, which tells the search box which indexes it can load.

    It has the list of games or, in a library with many games, the prefixes of words that have an index.
    """
    if starts:
        return (
            b"Object.assign((globalThis.kismet ??= {}), { shelf: [], starts: "
            + orjson.dumps(" ".join(starts))
            + b" });\n"
        )
    games = sorted((pack["game"] for pack in packs), key=lambda game: (normalize(game["title"]), game["id"]))
    listed = orjson.dumps([[game["id"], game["title"], game["language"]] for game in games])
    return b"(globalThis.kismet ??= {}).shelf = " + listed + b";\n"


@lru_cache(maxsize=1)
def search_words() -> bytes:
    """The script `search-words.js` with the synonyms of search."""
    return b"(globalThis.kismet ??= {}).searchWords = " + orjson.dumps(synonyms()) + b";\n"


@lru_cache(maxsize=1)
def synonyms() -> Mapping[str, Any]:
    """The synonyms for all games, and the words that a search ignores."""
    faults: list[Diagnostic] = []
    data = parse(Source("synonyms.yaml", SYNONYMS.read_text(encoding="utf-8")), faults.append, "invalid-data")
    assert data is not None, faults
    return dict(data.value)


def index_data(pack: Pack) -> dict[str, Any]:
    """The index of a game.

    `entries`: a `Row` for each. `kinds`: title, ornament, colour, rank and id of each kind. `units`: the units of each
    entry. `words`: the stems, separated by `|`, each with its words. `postings`: for each word, the positions of the
    entries that have it in a name, and of the units that have it. `rulings`: the positions of the units that editors
    wrote. `restated`: the positions of sentences made from fields. The positions in these three are written as the
    difference from the one before. `whole`: whether the units are the entire text.
    """
    texts = {key: units for path in pack.documents for key, units in search_units(pack, path).items()}
    # A calculator is also found by the labels of its inputs.
    calculators = (each for each in calculators_in_order(pack) if each.inputs and not each.sheet)
    texts |= {each.id: ((CELL_SEPARATOR.join(rule.label for rule in each.inputs), "book"),) for each in calculators}
    kinds = [kind for kind in pack.game.kinds.values() if pack.entities.get(kind.id)]
    entries = _Entries(pack, {kind.id: position for position, kind in enumerate(kinds)})
    rows = entries.rows
    found = [[unit for key in keys for unit in texts.get(key, ())] for keys in entries.keys]
    units = [[text for text, _ in of_entry] for of_entry in found]
    sources = [source for _, source in chain.from_iterable(found)]
    words, found_in = postings(rows, units)
    return {
        "game": pack.game.id,
        "title": pack.game.title,
        "whole": pack.is_searched_whole,
        "kinds": [[kind.title, kind.ornament, kind.colour, _rank(pack, kind), kind.id] for kind in kinds],
        "entries": rows,
        "units": units,
        "rulings": _deltas(place for place, source in enumerate(sources) if source == "editors"),
        "restated": _deltas(place for place, source in enumerate(sources) if source == "fields"),
        "words": words,
        "postings": found_in,
        "search": [[name, *words] for name, words, _ in pack.game.definition.search_words],
    }


def postings(rows: Sequence[Row], units: Sequence[Sequence[str]]) -> tuple[str, list[list[list[int]]]]:
    """The `words` and `postings` of an index."""
    ignored = {word for listed in synonyms()["ignored"] for word in fold_words(listed)}
    in_names: defaultdict[str, dict[int, None]] = defaultdict(dict)
    in_units: defaultdict[str, dict[int, None]] = defaultdict(dict)
    number = 0
    for entry, (_, name, _, _, *aliases) in enumerate(rows):
        for word in (word for spelling in (name, *aliases) for word in indexed_words(spelling)):
            in_names[word][entry] = None
        for text in units[entry]:
            for word in indexed_words(text):
                if word not in ignored:
                    in_units[word][number] = None
            number += 1
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted({*in_names, *in_units}):
        groups[stem(word)].append(word)
    ordered = sorted(groups.items())
    text = "|".join(" ".join((key, *words)) for key, words in ordered)
    return text, [
        [_deltas(in_names.get(word, ())), _deltas(in_units.get(word, ()))] for _, words in ordered for word in words
    ]


def _deltas(positions: Iterable[int]) -> list[int]:
    """The differences between positions, which take fewer digits than the positions."""
    before, found = 0, []
    for position in positions:
        found.append(position - before)
        before = position
    return found


def _rank(pack: Pack, kind: Kind) -> int:
    """Rank of a kind among entities with the same name: first rule terms, then kinds with automatic links."""
    if kind.id == RULE_KIND:
        return 0
    return 1 if pack.game.definition.linking.rules.forms(kind.id) else 2


class _Entries:
    """The entries of a game, and for each the keys of its units."""

    def __init__(self, pack: Pack, kind_positions: Mapping[str, int]) -> None:
        self.rows: list[Row] = []
        self.keys: list[list[str]] = []
        self._pack = pack
        self._prefix = len(pack.game.id) + 1
        self._of_entity: dict[str, int] = {}
        self._of_anchor: dict[Anchor, int] = {}
        defined: dict[tuple[Source, int], list[Entity]] = defaultdict(list)
        for entity in pack.all_entities():
            defined[entity.span.source, entity.span.start].append(entity)
        for chapter in pack.book.chapters:
            self._add_chapter(chapter, defined, kind_positions)
        for entity in pack.all_entities():
            if entity.id not in self._of_entity:
                self._add_entity(entity, kind_positions, self._of_anchor.get(entity.section.anchor, -1))
        for kind in (pack.game.kinds[kind_id] for kind_id in kind_positions):
            if not kind.is_internal:
                self._add("k", kind.plural, f"{kind.id}/", -1, kind.title)
        for board in pack.game.boards:
            self._add("b", board.title, f"boards/{board.id}/", -1)
        for tag in pack.tags.values():
            self._add("t", f"#{tag.name}", f"tags/{tag.slug}/", -1, tag.name.rsplit("/", 1)[-1])
        for calculator in calculators_in_order(pack):
            cited = pack.cited.get(calculator.citation.span)
            above = self._of_anchor.get(cited.section.anchor, -1) if cited and cited.section else -1
            address = calculator_address(calculator)[self._prefix :]
            letter = "y" if calculator.sheet else "x"
            self._add(letter, calculator.title, address, above, calculator.slug.replace("-", " "), key=calculator.id)
        for document in missing_documents(pack):
            self._add("u", document.title, f"#{document.anchor_id}", -1)

    def _add(self, row_type: int | str, name: str, address: str, above: int, *aliases: str, key: str = "") -> int:
        self.rows.append([row_type, name, address, above, *aliases])
        self.keys.append([key])
        return len(self.rows) - 1

    def _add_entity(self, entity: Entity, kind_positions: Mapping[str, int], above: int) -> int:
        address = self._pack.addresses.entities[entity.id][self._prefix :]
        row = self._add(kind_positions[entity.kind], entity.name, address, above, *entity.aliases, key=entity.id)
        self._of_entity[entity.id] = row
        return row

    def _add_chapter(
        self, chapter: Chapter, defined: Mapping[tuple[Source, int], Sequence[Entity]], kinds: Mapping[str, int]
    ) -> None:
        """Add a chapter and its headings.

        A heading that defines an entity or repeats the title gets no entry of its own.
        """
        above: list[tuple[int, int]] = []
        title = normalize(chapter.title)
        for anchor in self._pack.book.anchors[chapter.source]:
            if anchor.level >= BLOCK_LEVEL:
                continue
            while above and above[-1][0] >= anchor.level:
                above.pop()
            parent = above[-1][1] if above else -1
            key = section_key(chapter.source.path, anchor.id)
            if not anchor.level:
                note = self._pack.note_entities.get(chapter.source.path)
                if note is not None:
                    row = self._add_entity(self._pack.by_id[note], kinds, -1)
                else:
                    row = self._add("c", chapter.title, self._address(anchor), -1, key=key)
            elif entities := defined.get((chapter.source, anchor.span.start)):
                for entity in entities:
                    if entity.id not in self._of_entity:
                        self._add_entity(entity, kinds, parent)
                row = self._of_entity[entities[0].id]
            elif anchor.level == 1 and above and normalize(anchor.title).endswith(title):
                # A top-level heading that ends in the chapter's title repeats the title, possibly after breadcrumb
                # links.
                row = parent
                self.keys[row].append(key)
            else:
                row = self._add("s", anchor.shown_title, self._address(anchor), parent, key=key)
            self._of_anchor[anchor] = row
            above.append((anchor.level, row))

    def _address(self, anchor: Anchor) -> str:
        return f"{anchor_page(self._pack, anchor)}{fragment(anchor.id)}"[self._prefix :]
