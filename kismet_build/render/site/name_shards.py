"""The names of a library with many games, for searching all of them.

A prefix of words, such as `fi`, has a small index with the format of a game's index. The search box loads only those
for the prefixes of the typed words.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from kismet_build.mechanics.search.words import fold_words
from kismet_build.render.data.listing import Listing
from kismet_build.render.html.addresses import LazyFiles
from kismet_build.render.site.search_entries import learned, postings, synonyms

START = 2
"""Length of the shortest prefix. A shorter word is its own prefix."""
MAX_ROWS = 1_000
"""Maximum number of names in an index. A larger one is divided by the next letter."""
PARTIAL = "*"
"""Mark after a prefix whose index lacks names, because more than `MAX_ROWS` names have the same word."""
FOLDER = "search"
FIRST_IDEOGRAPH = "\u2e80"
"""In a word that begins with this character or a later one, as in Chinese and Japanese, the first character is a
prefix."""


class Name(NamedTuple):
    """A game, an entity or a calculator."""

    game: int
    """Number of the game in the library."""
    kind: Mapping[str, Any] | str
    """The kind of an entity; `g` for a game, `x` for a calculator."""
    name: str
    address: str
    """Address of the page from the root of the website, without its file name."""
    aliases: Sequence[str]


def name_shards(packs: Sequence[Listing]) -> tuple[Sequence[str], LazyFiles]:
    """The prefixes that have an index, in the form for `games.js`, and the scripts with the indexes."""
    games = [pack["game"] for pack in packs]
    names = [name for number, pack in enumerate(packs) for name in _names(number, pack)]
    shards = dict(sorted(_divided(names).items()))
    files = (
        (f"assets/{shard_name(start)}.js", partial(_shard, start, of_start, games))
        for start, of_start in shards.items()
    )
    return [start + PARTIAL * (len(found) > MAX_ROWS) for start, found in shards.items()], files


def shard_name(start: str) -> str:
    """The path of a prefix's index below `assets`, without `.js`: `search/66-69` for `fi`.

    `search-box.js` does the same.
    """
    return f"{FOLDER}/{'-'.join(f'{ord(letter):x}' for letter in start)}"


def _names(number: int, pack: Listing) -> Iterator[Name]:
    yield Name(number, "g", pack["game"]["title"], f"{pack['game']['id']}/", ())
    for kind, entities in pack["entities"].items():
        for entity in entities:
            yield Name(number, pack["kinds"][kind], entity["name"], entity["url"], entity["aliases"])
    for calculator in pack["calculators"]:
        yield Name(number, "x", calculator["title"], calculator["url"], ())


def _divided(names: Sequence[Name]) -> dict[str, list[Name]]:
    ignored = {word for listed in synonyms()["ignored"] for word in fold_words(listed)}
    by_word: defaultdict[str, dict[int, Name]] = defaultdict(dict)
    for number, name in enumerate(names):
        for spelling in (name.name, *name.aliases):
            words = {*fold_words(spelling)}
            for word in words - ignored or words:
                by_word[word][number] = name
    ideographs = {word: found for word, found in by_word.items() if word >= FIRST_IDEOGRAPH}
    others = {word: found for word, found in by_word.items() if word < FIRST_IDEOGRAPH}
    starts = chain(_by_start(others, START), _by_start(ideographs, 1))
    return {start: [*found.values()] for start, found in starts}


def _by_start(by_word: Mapping[str, dict[int, Name]], length: int) -> Iterator[tuple[str, dict[int, Name]]]:
    starts: defaultdict[str, dict[str, dict[int, Name]]] = defaultdict(dict)
    for word, names in by_word.items():
        starts[word[:length]][word] = names
    for start, words in starts.items():
        found = {number: name for names in words.values() for number, name in names.items()}
        longer = {word: names for word, names in words.items() if len(word) > length}
        if len(found) <= MAX_ROWS or not longer:
            yield start, dict(sorted(found.items()))
            continue
        if start in words:
            yield start, words[start]
        yield from _by_start(longer, length + 1)


def _shard(start: str, names: Sequence[Name], games: Sequence[Mapping[str, Any]]) -> bytes:
    if len(names) > MAX_ROWS:
        # Keep the names that a search for this word alone would show first.
        names = sorted(names, key=lambda name: (name.kind != "g", len(name.name.split()), name.name))[:MAX_ROWS]
    kinds: dict[tuple[str, ...], int] = {}
    rows: list[list[Any]] = []
    row_of_game: dict[int, int] = {}
    for name in names:
        if name.game not in row_of_game:
            game = games[name.game]
            row_of_game[name.game] = len(rows)
            rows.append(["g", game["title"], f"{game['id']}/", -1])
        if name.kind == "g":
            continue
        kind: Any = name.kind
        if not isinstance(kind, str):
            key = (kind["title"], kind["ornament"], kind["colour"])
            kind = kinds.setdefault(key, len(kinds))
        rows.append([kind, name.name, name.address, row_of_game[name.game], *name.aliases])
    words, found = postings(rows, [()] * len(rows))
    return learned(
        {
            "game": shard_name(start),
            "base": "",
            "title": "",
            "whole": True,
            "kinds": [[*key, 1, ""] for key in kinds],
            "entries": rows,
            "units": [[]] * len(rows),
            "rulings": [],
            "restated": [],
            "words": words,
            "postings": found,
            "search": [],
        }
    )
