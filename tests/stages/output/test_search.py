"""Search answers the questions of players; an index is rebuilt only if its text changed."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from benchmarks.search_answers import GAMES, PARTS, ids_by_address, ids_of, questions_of
from kismet_build import cli
from kismet_build.driver import build_cache
from kismet_build.mechanics.search.index import Index
from kismet_build.mechanics.search.rank import rank
from kismet_build.mechanics.search.words import IRREGULAR, fold_words, stem
from kismet_build.output import search_index
from kismet_build.output.search_index import INDEX_FOLDER, SHARD_LIST, SearchIndexer, indexed_text_digest
from kismet_build.output.tree import replace_tree
from tests.command import NOT_HERE, ROOT, emitter_of, kismet, tree
from tests.conftest import BuiltTree
from tests.node import ASSETS, run_scripts
from tests.small_library import TEXT, write_library
from tests.yaml_file import read_yaml

RUN_QUERIES = """\
globalThis.answer = ({indexes, asked, words}) => {
  const known = indexes.map((index) => kismet.openIndex(index, words));
  const plain = (result) => {
    const { game, entry, unit, name } = result;
    const [type, title, address, above, ...aliases] = game.entries[entry];
    const below = [];
    for (let parent = above; parent >= 0; parent = game.entries[parent][3]) below.unshift(game.entries[parent][1]);
    const spelling = [title, ...aliases][name];
    const marked = kismet.markWords(spelling, result).map(([begin, end]) => spelling.slice(begin, end));
    const answers = kismet.isAnswer(result);
    return {
      name: title, kind: game.kinds[type]?.[0] ?? TYPES[type], address: `${game.game}/${address}`,
      below: below.join(" > "), marked: marked.join(" "), answers,
      passage: unit < 0 ? "" : game.units[entry][unit - game.first[entry]],
    };
  };
  const TYPES = {
    k: "Kind", b: "Board", t: "Tag", s: "Section", c: "Chapter", u: "Not written yet", x: "Calculator", y: "Sheet",
  };
  return asked.map((typed) => kismet.rankEntries(known, typed).found.map(plain));
};
"""
RUN_MEANT = """\
globalThis.answer = ({indexes, asked, words}) => {
  const known = indexes.map((index) => kismet.openIndex(index, words));
  return asked.map((typed) => kismet.rankEntries(known, typed).meant);
};
"""
RUN_SCORES = """\
globalThis.answer = ({indexes, asked, words}) => {
  const known = indexes.map((index) => kismet.openIndex(index, words));
  return asked.map((typed) => {
    const { found, meant, isWhole } = kismet.rankEntries(known, typed);
    return [meant, isWhole, found.map(({ game, entry, unit, name, score }) => [game.game, entry, unit, name, score])];
  });
};
"""
INDEXABLE = search_index.pagefind_program() is not None
needs_pagefind = pytest.mark.skipif(not INDEXABLE, reason=NOT_HERE + "Pagefind")


FOLDER = ROOT / "tests" / "search"
"""Questions of players with their answers for each game, and `ranking.yaml`."""


class Hit(NamedTuple):
    name: str
    kind: str
    address: str
    below: str
    marked: str
    passage: str
    """The sentence, row or field that has the words; empty if none has."""
    answers: bool


def index_of(folder: Path, game: str) -> Any:
    text = (folder / "assets" / f"{game}-search.js").read_text(encoding="utf-8")
    match = re.fullmatch(r".*\nkismet\.learn\((.*)\);\n", text, re.DOTALL)
    assert match
    return json.loads(match[1])


def search_words(content: BuiltTree) -> Any:
    """The words of `site/search/synonyms.yaml`, as the site has them."""
    script = (content.folder / "assets/search-words.js").read_text(encoding="utf-8")
    return json.loads(script.partition(" = ")[2].removesuffix(";\n"))


Ask = Callable[[str, Sequence[str]], list[list[Hit]]]
"""Searches a game for questions."""


class NameSearch:
    def __init__(self, indexes: list[Any], scratch: Path, words: Any = None) -> None:
        self.indexes = indexes
        self.words = words or {}
        self.scratch = scratch
        (scratch / "answer.js").write_text(RUN_QUERIES, encoding="utf-8")

    def __call__(self, *asked: str) -> list[list[Hit]]:
        scripts = [ASSETS / "search-text.js", ASSETS / "search-rank.js", self.scratch / "answer.js"]
        given = {"indexes": self.indexes, "asked": asked, "words": self.words}
        answers = run_scripts(scripts, given, self.scratch)
        return [[Hit(**hit) for hit in hits] for hits in answers]


@pytest.fixture(scope="module")
def seek(content: BuiltTree, tmp_path_factory: pytest.TempPathFactory) -> NameSearch:
    indexes = [index_of(content.folder, game) for game in ("kismet", "marchen")]
    return NameSearch(indexes, tmp_path_factory.mktemp("search"))


@pytest.fixture(scope="module")
def court(searched_by_pagefind: None, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - a fixture
    folder = tmp_path_factory.mktemp("court")
    assert kismet("build", write_library(folder / "texts"), "--out", folder / "out").status == 0
    return folder / "out"


@pytest.fixture(scope="module")
def meant(content: BuiltTree, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """What "Did you mean" offers for questions to all games."""
    scratch = tmp_path_factory.mktemp("meant")
    (scratch / "answer.js").write_text(RUN_MEANT, encoding="utf-8")
    scripts = [ASSETS / "search-text.js", ASSETS / "search-rank.js", scratch / "answer.js"]
    given = {"indexes": [index_of(content.folder, game) for game in GAMES], "words": search_words(content)}
    return lambda *asked: list(run_scripts(scripts, {**given, "asked": asked}, scratch))


# --- names


def test_exact_names_come_first(seek: NameSearch) -> None:
    names = [hit.name for hit in seek("level 1")[0]]
    exact = names.count("Level 1")
    assert exact > 1, "several games have this name"
    assert {*names[:exact]} == {"Level 1"}
    (hits,) = seek("prone")
    assert (hits[0].name, hits[0].kind, hits[0].address) == ("Prone", "Condition", "kismet/condition/prone/")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("PRONE", "Prone"),
        ("marchen", "Märchen Engine SRD"),
        ("märchen", "Märchen Engine SRD"),
        ("tier difficulty table", "Difficulty Tier Table"),
        ("diff tier", "Difficulty Tier Table"),
        ("role play points", "Role Play Points"),
        ("roleplay points", "Role Play Points"),
        ("role-play points", "Role Play Points"),
    ],
)
def test_search_ignores_case_accents_hyphens_and_word_order(seek: NameSearch, typed: str, name: str) -> None:
    assert name in [hit.name for hit in seek(typed)[0]]


@pytest.mark.parametrize("typed", ["prnoe", "pronne", "prine", "proen"])
def test_search_tolerates_one_typo_if_nothing_matches_exactly(seek: NameSearch, typed: str) -> None:
    assert "Prone" in [hit.name for hit in seek(typed)[0]]


@pytest.mark.parametrize(
    ("typed", "name"),
    [("xrone", "Prone"), ("stagered", "Staggered"), ("exaustion", "Exhaustion"), ("inititative", "Initiative")],
)
def test_first_letter_may_be_wrong_and_long_words_may_have_two_typos(seek: NameSearch, typed: str, name: str) -> None:
    passages = [f"{hit.name} {hit.passage}" for hit in seek(typed)[0]]
    assert name.casefold() in passages[0].casefold()


def test_what_no_text_has_is_not_found(seek: NameSearch) -> None:
    """Two typos in a short word, one in four letters, and a number within another find nothing."""
    assert seek("prxnx", "prxn", "xyzzy", "9999", "", "   ", "–") == [[], [], [], [], [], [], []]
    assert all(re.search(r"\b1\b", hit.passage) for hit in seek("roll a 1")[0][:1])


def test_matched_letters_are_marked_in_the_printed_spelling(seek: NameSearch) -> None:
    assert seek("marchen eng")[0][0].marked.casefold() == "märchen engine"
    assert "Role Play Points" in [hit.marked for hit in seek("roleplay po")[0]]


def test_alias_finds_its_entity(content: BuiltTree, seek: NameSearch) -> None:
    index = index_of(content.folder, "kismet")
    _, name, address, _, alias, *_ = next(row for row in index["entries"] if isinstance(row[0], int) and len(row) > 4)
    first = seek(alias)[0][0]
    assert (first.name, first.address) == (name, f"kismet/{address}")
    assert fold_words(first.marked) == [word for word in fold_words(alias) if word != "and"]


def test_hit_lists_the_headings_above_it(court: Path, tmp_path: Path) -> None:
    hits = NameSearch([index_of(court, "ember-court")], tmp_path)("whisper", "graces")
    assert [(hit.kind, hit.below) for hit in hits[0]] == [("Grace", "Court > Graces")]
    assert [(hit.name, hit.kind, hit.below) for hit in hits[1][:2]] == [
        ("Graces", "Kind", ""),
        ("Graces", "Section", "Court"),
    ]


def test_every_entry_leads_to_an_existing_page_and_anchor(content: BuiltTree) -> None:
    pages: dict[str, str] = {}
    for game in GAMES:
        for _, name, address, *_ in index_of(content.folder, game)["entries"]:
            page, _, place = address.partition("#")
            if page not in pages:
                pages[page] = (content.folder / game / page / "index.html").read_text(encoding="utf-8")
            assert not place or f'id="{unquote(place)}"' in pages[page], (game, name)
        pages.clear()


def test_index_has_all_entities_sections_and_calculators(content: BuiltTree) -> None:
    for file in sorted((content.folder / "data").glob("*/pack.json")):
        pack = json.loads(file.read_bytes())
        types = [row[0] for row in index_of(content.folder, pack["game"]["id"])["entries"]]
        assert sum(isinstance(kind, int) for kind in types) == sum(map(len, pack["entities"].values()))
        assert types.count("x") + types.count("y") == len(pack["calculators"])
        assert types.count("s") > 5


def test_words_of_the_index_are_folded_and_stemmed_as_those_of_a_question(content: BuiltTree, tmp_path: Path) -> None:
    (tmp_path / "answer.js").write_text(
        "globalThis.answer = (texts) =>"
        " texts.map((text) => kismet.foldWords(text).map((word) => [word, kismet.stemWord(word)]));",
        encoding="utf-8",
    )
    units = [unit for game in GAMES for units in index_of(content.folder, game)["units"] for unit in units]
    texts = [*units, "Märchen’s Größe, ½ of İstanbul", "がぎ 骰子 Ærø Þorn", *IRREGULAR]
    ours = [[[word, stem(word)] for word in fold_words(text)] for text in texts]
    assert run_scripts([ASSETS / "search-text.js", tmp_path / "answer.js"], texts, tmp_path) == ours


def test_python_computes_the_scores_of_the_search_box(content: BuiltTree, tmp_path: Path) -> None:
    """The words include misspelt, joined, split, strange and missing ones."""
    (tmp_path / "answer.js").write_text(RUN_SCORES, encoding="utf-8")
    random = Random(5)
    words = [word for game in GAMES for word in re.split("[| ]", index_of(content.folder, game)["words"])]
    spoilt = (lambda word: word, lambda word: word[::-1], lambda word: word[1:], lambda word: f"{word[:3]}x{word[3:]}")
    asked = [
        random.choice((" ", "", "-")).join(
            random.choice(spoilt)(random.choice(words)) for _ in range(random.randint(1, 6))
        )
        for _ in range(150)
    ]
    asked += [question for game in GAMES for question in questions_of(game, PARTS[0])]
    asked += [
        "",
        "  ",
        "5",
        "roll a 1",
        "how does initiative work in Legend",
        "combat in the Märchen Engine or in KISS",
        "how does KISS work",
        "legend",
        "\N{SLIGHTLY SMILING FACE}",
        "骰子 か\u3099",
        "Straße",
        "x" * 40,
        "cover " * 20,
    ]
    synonyms = search_words(content)
    for games in (("kismet",), ("kiss", "marchen", "legend")):
        indexes = [index_of(content.folder, game) for game in games]
        scripts = [ASSETS / "search-text.js", ASSETS / "search-rank.js", tmp_path / "answer.js"]
        theirs = run_scripts(scripts, {"indexes": indexes, "asked": asked, "words": synonyms}, tmp_path)
        known = [Index(index, synonyms) for index in indexes]
        for typed, expected in zip(asked, theirs, strict=True):
            found, meant, is_whole = rank(known, typed)
            ours = [[each.index.game, each.entry, each.unit, each.name, each.score] for each in found]
            assert [meant, is_whole, ours] == expected, typed


def test_each_sentence_of_the_books_is_a_unit(content: BuiltTree) -> None:
    """A search for the words of any sentence finds it, since the units hold the whole text."""
    for game in GAMES:
        pack = json.loads((content.folder / f"data/{game}/pack.json").read_bytes())
        units = index_of(content.folder, game)["units"]
        found = Counter(word for entry in units for unit in entry for word in fold_words(unit))
        texts = [entity["text"] for kind in pack["entities"].values() for entity in kind if "text" in entity]
        texts += [part["text"] for section in pack["sections"] for part in section["content"] if "text" in part]
        assert {word for text in texts for word in fold_words(text)} <= {*found}


def test_no_unit_repeats_the_start_of_the_next(content: BuiltTree) -> None:
    """The label of a field comes before the row with its value, not before the value alone."""
    for game in GAMES:
        for units in index_of(content.folder, game)["units"]:
            pairs = ((first.rpartition(": ")[2], after.partition(" · ")[0]) for first, after in pairwise(units))
            assert [pair for pair in pairs if pair[0] == pair[1]] == [], units


# --- did you mean


@pytest.mark.parametrize(
    "question",
    # The first three have a word that other games lack, the next one a word that only the synonyms have.
    ["What does prone do?", "When does a die explode?", "do modifiers stack", "shotgun", "prone", "prone grumbleflux"],
)
def test_no_correction_is_offered_if_a_game_or_the_synonyms_have_each_word(
    meant: Callable[..., list[str]], question: str
) -> None:
    assert meant(question) == [""]


def test_right_word_is_offered_for_a_misspelt_one(meant: Callable[..., list[str]]) -> None:
    assert meant("initative", "what does frightend do") == ["initiative", "frightened"]


# --- questions and laws


@pytest.fixture(scope="module")
def ask(content: BuiltTree, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Search one game as the site does, with the synonyms of all games."""
    words = search_words(content)
    scratch = tmp_path_factory.mktemp("ask")
    return lambda game, asked: NameSearch([index_of(content.folder, game)], scratch, words)(*asked)


LAWS = read_yaml(FOLDER / "ranking.yaml")
GOALS = {1: 0.85, 3: 0.95}
"""Share of the questions of a game that are answered in the first result, and in the first three."""


@pytest.mark.parametrize("game", GAMES)
def test_answers_of_questions_exist(content: BuiltTree, game: str) -> None:
    pack = json.loads((content.folder / f"data/{game}/pack.json").read_bytes())
    items = (*chain.from_iterable(pack["entities"].values()), *pack["sections"], *pack["calculators"])
    ids = {item["id"].removeprefix(f"{game}/") for item in items}
    unwritten = re.findall(
        r'id="(unwritten)-([^"]+)"', (content.folder / game / "index.html").read_text(encoding="utf-8")
    )
    ids |= {"/".join(parts) for parts in unwritten}
    answers = [answer for part in PARTS for answer in questions_of(game, part).values()]
    assert len(answers) >= 65
    assert set(chain.from_iterable(answers)) <= ids


@pytest.mark.parametrize("game", GAMES)
def test_no_question_is_in_two_parts(game: str) -> None:
    questions = [question for part in PARTS for question in questions_of(game, part)]
    assert len(questions) == len(set(questions))


@pytest.mark.parametrize("game", GAMES)
def test_search_answers_the_questions_of_players(content: BuiltTree, ask: Ask, game: str) -> None:
    ids = ids_by_address(content.folder, game)
    asked = questions_of(game, "tuned")
    places = []
    for answer, hits in zip(asked.values(), ask(game, [*asked]), strict=True):
        found = [ids_of(ids, hit.address) for hit in hits[:3]]
        places.append(next((place for place, ids_there in enumerate(found, 1) if ids_there & {*answer}), 9))
    for limit, share in GOALS.items():
        wrong = [question for question, place in zip(asked, places, strict=True) if place > limit]
        assert len(wrong) <= (1 - share) * len(asked), wrong


@pytest.mark.parametrize("law", LAWS)
def test_law_of_ranking(ask: Ask, law: str) -> None:
    for game, cases in LAWS[law].items():
        answers = ask(game, [*cases])
        first = {typed: f"{hits[0].name} ({hits[0].kind})" for typed, hits in zip(cases, answers, strict=True)}
        assert first == cases


# --- full text search


def page(words: str, game: str = "court") -> bytes:
    return f'<html lang="en"><head></head><body><article data-pagefind-body><h1>{words}</h1></article>{game}'.encode()


def files(**pages: str) -> Any:
    return emitter_of([(f"court/{name}/index.html", page(words)) for name, words in pages.items()])


@needs_pagefind
def test_only_chapters_and_entity_pages_are_indexed(court: Path) -> None:
    assert (court / INDEX_FOLDER / "ember-court/pagefind.js").is_file()
    assert not list((court / INDEX_FOLDER).rglob("*ui*")), "files of Pagefind's own search box are not published"
    entry = json.loads((court / INDEX_FOLDER / "ember-court/pagefind-entry.json").read_bytes())
    assert entry["languages"]["en"]["page_count"] == 3, "a chapter and two cards"


@needs_pagefind
def test_index_is_independent_of_page_order(tmp_path: Path) -> None:
    replace_tree(files(one="Bow", two="Whisper", three="Stride"), tmp_path / "a")
    replace_tree(files(three="Stride", one="Bow", two="Whisper"), tmp_path / "b")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


@needs_pagefind
def test_index_is_rebuilt_only_if_the_text_changed_or_is_forced(tmp_path: Path, started_indexes: list[str]) -> None:
    out = tmp_path / "out"
    replace_tree(files(one="Bow"), out)
    before = tree(out)
    replace_tree(files(one="Bow"), out)
    assert (started_indexes, tree(out)) == (["court"], before)
    replace_tree(files(one="Bend"), out)
    assert started_indexes == ["court"] * 2
    assert tree(out)[f"{INDEX_FOLDER}/court/{SHARD_LIST}"] != before[f"{INDEX_FOLDER}/court/{SHARD_LIST}"]
    replace_tree(files(one="Bend"), out, force=True)
    assert started_indexes == ["court"] * 3


@needs_pagefind
def test_change_outside_the_article_does_not_rebuild_the_index(tmp_path: Path) -> None:
    replace_tree(emitter_of([("court/index.html", page("Bow", "old footer"))]), tmp_path / "out")
    shard_list = (tmp_path / "out" / INDEX_FOLDER / "court" / SHARD_LIST).read_bytes()
    replace_tree(emitter_of([("court/index.html", page("Bow", "new footer"))]), tmp_path / "out")
    assert (tmp_path / "out" / INDEX_FOLDER / "court" / SHARD_LIST).read_bytes() == shard_list


@needs_pagefind
def test_page_written_after_other_games_is_indexed(tmp_path: Path) -> None:
    unsorted = [("a/index.html", page("Bow")), ("b/index.html", page("Bend")), ("a/late/index.html", page("Whisper"))]
    replace_tree(emitter_of(unsorted), tmp_path / "unsorted")
    replace_tree(emitter_of(sorted(unsorted)), tmp_path / "sorted")
    assert tree(tmp_path / "unsorted") == tree(tmp_path / "sorted")


@needs_pagefind
def test_stopped_indexer_leaves_no_process_running(tmp_path: Path) -> None:
    indexer = SearchIndexer(tmp_path, None, tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a/index.html").write_bytes(page("Bow"))
    indexer.add("a/index.html", indexed_text_digest("a/index.html", page("Bow")))
    indexer.add("b/index.html", "digest of another text")
    (job,) = indexer.running.values()
    indexer.stop()
    assert job.process.returncode is not None
    assert not (tmp_path / INDEX_FOLDER / "a").exists()
    assert not job.pages.exists()


@pytest.mark.usefixtures("searched_by_pagefind")
def test_build_without_pagefind_prints_one_line_and_writes_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(search_index, "pagefind_program", lambda: None)
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)  # the texts are as old as the test
    texts = write_library(tmp_path / "texts")
    assert cli.main(["build", str(texts), "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().err
    assert printed == ("kismet: search does not cover the entire text: Pagefind is not available for this machine\n"), (
        "one line, and no error"
    )
    assert index_of(tmp_path / "out", "ember-court")["title"] == "Ember Court"
    assert not (tmp_path / "out" / INDEX_FOLDER).exists()
    assert cli.main(["build", str(texts), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == "", "an unchanged build does not repeat it"


@pytest.mark.usefixtures("searched_by_pagefind")
@needs_pagefind
def test_build_after_a_failure_of_pagefind_indexes_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "pagefind"
    broken.write_text("#!/bin/sh\nkill -9 $$\n", encoding="utf-8")
    broken.chmod(0o755)
    command = ["build", str(write_library(tmp_path / "texts")), "--out", str(tmp_path / "out"), "--quiet"]
    with monkeypatch.context() as patch:
        patch.setattr(search_index, "pagefind_program", lambda: broken)
        assert cli.main(command) == 0
    assert capsys.readouterr().err == (
        "kismet: search does not cover the entire text: Pagefind was killed by signal 9\n"
    )
    assert cli.main(command) == 0
    assert capsys.readouterr().err == ""
    assert (tmp_path / "out" / INDEX_FOLDER).exists()


def test_pagefind_failure_is_reported_and_the_site_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "pagefind"
    broken.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(search_index, "pagefind_program", lambda: broken)
    monkeypatch.setattr(search_index, "pagefind_version", lambda: "0")
    assert replace_tree(files(one="Bow"), tmp_path / "out").search_problem == "Pagefind failed: no room left"
    assert (tmp_path / "out/court/one/index.html").is_file()
    assert not (tmp_path / "out" / INDEX_FOLDER / "court").exists()


@pytest.mark.usefixtures("searched_by_pagefind")
def test_game_with_errors_keeps_its_search_index(tmp_path: Path) -> None:
    games = tmp_path / "games"
    for name in ("one", "two"):
        write_library(games / name)
        file = games / name / "game.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("id: ember-court", f"id: {name}"), encoding="utf-8")
    assert kismet("build", games, "--out", tmp_path / "out").status == 0
    before = tree(tmp_path / "out")
    (games / "one/1 Court.md").write_text(TEXT.replace("**Cost:** 2", "**Cost:** dear"), encoding="utf-8")
    assert kismet("build", games, "--out", tmp_path / "out").status == 1
    after = tree(tmp_path / "out")
    ours = [path for path in before if path.startswith((f"{INDEX_FOLDER}/one", "assets/one-search"))]
    assert ours
    assert {path: after.get(path) for path in ours} == {path: before[path] for path in ours}
