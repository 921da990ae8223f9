"""Dice notation is found in text; a table can be rolled on only if each result occurs once."""

import json
import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kismet_build.mechanics.dice import parse, to_tree
from kismet_build.mechanics.dice.bounds import check_bounds
from kismet_build.mechanics.dice.find import MAX_CACHED, _parse_or_none, find_dice
from kismet_build.mechanics.dice.notation import DICE_CHAIN
from kismet_build.mechanics.dice.roll_table import detect_roll_table
from kismet_build.render.html.dice_buttons import ROLL_ATTRIBUTE, dice_trees, has_rolls, text_with_dice
from tests.conftest import BuiltTree

# --- dice in text


def rolled_notations(html: str) -> set[str]:
    """The notation of each dice button and roll table in the HTML of a page."""
    return {*map(unescape, ROLL_ATTRIBUTE.findall(html))}


def find_notations(text: str, *, goes_on: bool = False) -> list[tuple[str, str]]:
    return [(text[match.start : match.end], match.notation) for match in find_dice(text, goes_on=goes_on)]


FOUND = {
    "1d10+3": ["1d10+3"],
    "roll 2D6 − 1.": ["2d6-1"],
    "(d20), [1d4], “3d8”, 'd6'; 1d12: yes": ["d20", "1d4", "3d8", "d6", "1d12"],
    "1d6 or 2d6, then d%": ["1d6", "2d6", "d%"],
    "1d20 + 5 + 1d4": ["1d20+5+1d4"],
    "3d6 x 10 coins, 2d4×5, 1d6*3": ["3d6*10", "2d4*5", "1d6*3"],
    "4d6dl1, 2d20kh, 5d6>=5, 6d10 ≥ 8": ["4d6dl1", "2d20kh", "5d6>=5", "6d10>=8"],
    "2d6!kh1, 2d6!+3 and 2d6! + d8": ["2d6!kh1", "2d6!+3", "2d6!+d8"],
    "Roll 1d10!": ["1d10"],
    "a d8+, a d6+; d10+)": ["d8+", "d6+", "d10+"],
    "1d20 + your level, 1d8+Strength": ["1d20", "1d8"],
    "1d10+\u00a02": ["1d10+2"],
    "adv(d20+2) beats bonus(crit(1d10+3, 10, +5))": ["adv(d20+2)", "bonus(crit(1d10+3,10,+5))"],
    "floor(2d6/2) (but no max(1d6 without end": ["floor(2d6/2)", "1d6"],
    "1d6—a little": ["1d6"],
    "0012d6 and 00012d6, d: 100d6": ["0012d6", "100d6"],
}
NOT_DICE = [
    "3d, 2D and R2d2",
    "1d10s and 1d6th",
    "d17 d99 d0",
    "https://example.org/1d6?d20=2d6 and 1d6@example.org",
    "d20.example, v1.2d6, 1d6.5",
    "1d6-ish, a-1d6, 1d6–1, d4–d6, d4-d12",
    "1/2d6, 2d6/2, 2d6 x 2x",
    "1d10+ your level, 1d10+-2",
    "1d4’s",
    "99999d6, 9999d9999, 1000d1000, 0d6, 1d0",
    "1d6>=x 2d6kh9",
    "max(2, 3)",
    "max(1d6, your level)",
    "1d10+12abc",
]


@pytest.mark.parametrize("text", FOUND)
def test_dice_notation_is_found_in_text(text: str) -> None:
    assert [notation for _, notation in find_notations(text)] == FOUND[text]


@pytest.mark.parametrize("text", NOT_DICE)
def test_ambiguous_notation_is_not_taken_as_dice(text: str) -> None:
    assert find_notations(text) == []


def test_trailing_plus_is_not_part_of_dice_if_text_follows() -> None:
    assert find_notations("1d10+", goes_on=True) == [("1d10", "1d10")]
    assert find_notations("1d10+") == [("1d10+", "1d10+")]


WORDS = st.sampled_from(
    [
        "1d6",
        "d20",
        "d%",
        "2d6kh1",
        "+",
        "-",
        " ",
        "!",
        "x",
        "3",
        "(",
        ")",
        "max(",
        ",",
        ".",
        "\n",
        "–",
        "<b>",
        "&",
        "“",
        "d",
        ">=",
    ]
)


@given(st.lists(WORDS, max_size=12).map("".join) | st.text(max_size=30), st.booleans())
@example("\u212ad6", False)
@example("１d6 ²d6", False)
def test_found_dice_can_be_parsed_and_the_text_is_unchanged(text: str, goes_on: bool) -> None:
    end = 0
    for match in find_dice(text, goes_on=goes_on):
        assert end <= match.start < match.end <= len(text)
        end = match.end
        assert parse(match.notation) == match.expression
        check_bounds(match.expression)
        assert next(find_dice(match.notation)).notation == match.notation
    shown = unescape(re.sub("<[^>]*>", "", text_with_dice(text, goes_on)))
    assert shown.replace("\N{MINUS SIGN}", "-") == text.replace("\N{MINUS SIGN}", "-")


def test_many_expressions_fill_no_memory() -> None:
    text = ", ".join(f"1d6+{number}" for number in range(2 * MAX_CACHED))
    assert len(find_notations(text)) == 2 * MAX_CACHED
    assert _parse_or_none.cache_info().currsize <= MAX_CACHED


def test_long_texts_are_searched_without_quadratic_time() -> None:
    for text in ("1d6+" * 20_000, "max(" * 20_000 + "d6", "1d6 x " * 20_000, "d" * 50_000 + "6", "adv(d6" * 10_000):
        assert len(list(find_dice(text))) >= 0


# --- tables

ROLL_TABLES = [
    ("Roll", ["1-5", "6", "7", "8", "9", "10"], "1d10"),
    ("ROLL", ["1–2", "3—4", "5 to 6"], "1d6"),
    ("d6", ["1", "2", "3", "4", "5", "6"], "1d6"),
    ("Roll (2d6)", ["2-6", "7", "8-12"], "2d6"),
    ("2d6", ["2-", "3-11", "12+"], "2d6"),
    ("2d6", ["≤ 3", "4-9", "10 or more"], "2d6"),
    ("2d6", ["< 4", "4 to 9", "> 9"], "2d6"),
    ("1d20", ["2-20", "1"], "1d20"),
    ("d%", ["01-50", "51–99", "00"], "1d100"),
    ("1d100", ["01-95", "96-00"], "1d100"),
    ("1d100", ["01-95", "96-99", "0"], "1d100"),
    ("d100", ["00-49", "50-99"], "1d100"),
    ("1d10", ["1-9", "0"], "1d10"),
    ("1d4+1", ["2", "3-5"], "1d4+1"),
    ("d66", ["11-36", "41-66"], "d66"),
    ("D66", ["11-16", "21 - 26", "31-36, 41-46", "51-66"], "d66"),
    ("d6", ["1, 3-5", "2 or 6"], "1d6"),
    ("d6 or d8", ["1-4", "5-8"], "1d8"),
    ("d1000", ["1-500", "501-1000"], "1d1000"),
]
OTHER_TABLES = [
    ("Level", ["1", "2", "3"]),
    ("Die", ["10", "1"]),
    ("Roll", ["10", "1"]),
    ("Roll", ["1-2", "2-3"]),
    ("Roll", ["1", "2", "2"]),
    ("Roll", ["0-5", "6"]),
    ("Roll", ["2", "3"]),
    ("Roll", ["1", "2+"]),
    ("Roll", ["3-1", "4"]),
    ("Roll", ["1-6"]),
    ("Roll", []),
    ("Roll", ["1", "many"]),
    ("Roll", ["1-5000", "5001-9999"]),
    ("d6 or d8", ["1", "2"]),
    ("d20", ["1", "2"]),
    ("Damage (1d6)", ["Sword", "Bow"]),
    ("Rolling stock", ["1", "2"]),
    ("", ["1", "2"]),
]


def column(cells: list[str]) -> list[list[str]]:
    return [[cell, "words"] for cell in cells]


@pytest.mark.parametrize(("header", "cells", "die"), ROLL_TABLES)
def test_table_with_every_result_once_is_a_roll_table(header: str, cells: list[str], die: str) -> None:
    table = detect_roll_table([header, "Words"], column(cells))
    assert table is not None
    assert table.die == die
    assert table.faults == ()
    lists = [[part.split(",") for part in table.bounds(row)] for row in range(len(cells))]
    assert all(int(low) <= int(high) for lows, highs in lists for low, high in zip(lows, highs, strict=True))


@pytest.mark.parametrize(("header", "cells"), OTHER_TABLES)
def test_other_table_is_not_a_roll_table(header: str, cells: list[str]) -> None:
    assert detect_roll_table([header, "Words"], column(cells)) is None


FAULTY_TABLES = [
    ("d6", ["1", "2", "3"], ["has no row for 4-6"]),
    ("Roll", ["1", "2", "4"], ["has no row for 3"]),
    ("2d6", ["1-6", "7-12"], ["has 1, which cannot be rolled"]),
    ("d66", ["11-36", "41-67"], ["has 67, which cannot be rolled"]),
    ("d100", ["01-75", "76-90", "90-99"], ["has no row for 100", "has several rows for 90"]),
    ("d100", ["01-90", "91=94", "95-00"], ['has "91=94", which is read as 91-94']),
    ("d6", ["4-1", "5", "6", "2-3"], ["has no row for 1, 4", 'has the reversed range "4-1"']),
    ("d6", [str(number) for number in range(1, 10_000)], ["has 7, 8, 9, 10, 11 and 9988 more, which cannot be rolled"]),
]


@pytest.mark.parametrize(("header", "cells", "messages"), FAULTY_TABLES)
def test_faults_of_a_roll_table_are_named(header: str, cells: list[str], messages: list[str]) -> None:
    table = detect_roll_table([header, "Words"], column(cells))
    assert table is not None
    assert [fault.message for fault in table.faults] == messages


@pytest.mark.parametrize("faces", DICE_CHAIN)
def test_roll_table_has_a_row_for_each_result_of_a_die(faces: int) -> None:
    table = detect_roll_table(["Roll"], [[str(face)] for face in range(1, faces + 1)])
    assert table is not None
    assert table.rows == tuple(((face, face, 0),) for face in range(1, faces + 1))


def test_words_around_a_table_name_its_dice() -> None:
    cells = column(["1-3", "4-6"])
    assert detect_roll_table(["Weather", "Words"], cells, ("", "Roll 1d6", "")) is not None
    assert detect_roll_table(["Level", "Words"], column(["1-3", "5-6"]), ("", "Roll 1d6", "")) is None
    faulty = detect_roll_table(["Result", "Words"], column(["1-3", "5-6"]), ("", "", "Weather (1d6)"))
    assert faulty is not None
    assert [fault.message for fault in faulty.faults] == ["has no row for 4"]


def test_columns_with_words_between_them_continue_one_another() -> None:
    rows = [["1-2", "Rain", "5-6", "Sun"], ["3-4", "Fog", "—", ""]]
    table = detect_roll_table(["d6", "Weather", "d6", "Weather"], rows)
    assert table is not None
    assert table.rows == (((1, 2, 0), (5, 6, 2)), ((3, 4, 0),))


def test_columns_that_have_every_result_need_no_dice_in_their_headers() -> None:
    rows = [["1-3", "1-5", "1", "Rain"], ["4-6", "6", "2", "Fog"]]
    table = detect_roll_table(["Hills", "Coast", "Days", "Weather"], rows, ("Weather (d6)",))
    assert table is not None
    assert table.columns == (0, 1)


@pytest.mark.parametrize("die", ["d6", "1d6", "W6"])
def test_a_first_row_below_empty_headers_may_name_the_dice(die: str) -> None:
    rows = [[die, "Room"], ["1-3", "Cellar"], ["5-6", "Tower"]]
    table = detect_roll_table(["", ""], rows)
    assert table is not None
    assert table.notation in ("d6", "1d6")
    assert [len(ranges) for ranges in table.rows] == [0, 1, 1]
    assert [fault.message for fault in table.faults] == ["has no row for 4"]
    assert detect_roll_table(["", ""], [["Die", "Room"], *rows[1:]]) is None


def test_other_column_with_the_same_empty_header_holds_no_results() -> None:
    table = detect_roll_table(["", ""], [["1-3", "5"], ["4-6", "10"]], ("Roll 1d6",))
    assert table is not None
    assert table.columns == (0,)
    assert table.faults == ()


def test_columns_side_by_side_are_for_several_rolls() -> None:
    rows = [["1-3", "1-5", "Rain"], ["4-6", "—", "Fog"], ["—", "6", "Sun"]]
    table = detect_roll_table(["d6", "d6", "Weather"], rows)
    assert table is not None
    assert table.rows == (((1, 3, 0), (1, 5, 1)), ((4, 6, 0),), ((6, 6, 1),))
    assert table.columns == (0, 1)
    assert table.is_parallel
    assert table.faults == ()


# --- the content


def test_dice_of_the_text_are_published_with_their_lines(built: BuiltTree) -> None:
    pack = json.loads((built.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    assert {"1d10", "2d10", "1d10+1", "2d10+1"} <= {roll["expression"] for roll in pack["dice"]}
    for roll in pack["dice"]:
        assert roll["tree"] == json.loads(json.dumps(to_tree(parse(roll["expression"]))))
        line = (
            (built.texts / roll["source"]["path"]).read_text(encoding="utf-8").splitlines()[roll["source"]["line"] - 1]
        )
        assert roll["expression"] in re.sub(r"\s", "", line).lower()


def test_published_dice_are_those_of_the_chapter_pages(built: BuiltTree) -> None:
    pack = json.loads((built.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    shown: list[str] = []
    for chapter in ("core-rules", "combat-rules"):
        page = (built.folder / "kismet" / chapter / "print/index.html").read_text(encoding="utf-8")
        text = page.partition('<div class="text">')[2] or page
        shown += re.findall(r'<span class="dice" data-dice="([^"]*)"', text)
    assert [roll["expression"] for roll in pack["dice"]] == [unescape(notation) for notation in shown]


def test_the_roll_table_of_kismet_is_found(built: BuiltTree) -> None:
    files = (file for file in (built.folder / "kismet/combat-rules").rglob("index.html") if "print" not in file.parts)
    (page,) = (page for file in files if "data-roll=" in (page := file.read_text(encoding="utf-8")))
    assert re.findall(r'data-roll="([^"]*)"', page) == ["1d10"]
    assert re.findall(r'data-low="(\d+)" data-high="(\d+)"', page) == [
        ("1", "5"),
        *((str(face), str(face)) for face in range(6, 11)),
    ]
    listed = (built.folder / "kismet/wound/index.html").read_text(encoding="utf-8")
    assert re.findall(r'data-roll="([^"]*)"', listed) == ["1d10"]


def test_roll_scripts_are_only_on_pages_with_rolls(built: BuiltTree) -> None:
    pages = list(built.folder.rglob("*.html"))
    rolling = [page for page in pages if has_rolls(page.read_text(encoding="utf-8"))]
    assert 3 <= len(rolling) < len(pages)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert ("assets/roll.js" in text) == (page in rolling), page
        # Exact odds are on demand.
        assert "assets/odds.js" not in text, page


def test_dice_trees_of_a_page_are_those_of_its_rolls() -> None:
    page = '<span class="dice" data-dice="5d6&gt;=5">5d6≥5</span> <table data-roll="d%"><tr></tr></table> data-dice="7"'
    assert dice_trees(rolled_notations(page)) == {"5d6>=5": to_tree(parse("5d6>=5")), "d%": to_tree(parse("d%"))}
    assert not has_rolls('<button class="dice">')


def test_roll_tables_are_published_with_the_results_of_each_row(built: BuiltTree) -> None:
    pack = json.loads((built.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    tables = {table["caption"]: table for table in pack["tables"]}
    wounds = tables["WOUNDS CHART"]
    assert wounds["die"] == "1d10"
    assert [row[0] for row in wounds["rows"]][:2] == ["1-5", "6"]
    assert wounds["ranges"][:2] == [[{"min": 1, "max": 5}], [{"min": 6, "max": 6}]]
    others = [table for table in pack["tables"] if table["die"] is None]
    assert others
    assert all(table["ranges"] == [[] for _ in table["rows"]] for table in others)
