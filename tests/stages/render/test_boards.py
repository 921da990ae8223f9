"""Boards: their definition in a game file, their parts, and parts that the text lacks."""

import re
from pathlib import Path

import pytest

from kismet_build.config.board import Board
from kismet_build.config.load_game import load_game
from kismet_build.driver.compile import compile_game
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.pack import Pack
from kismet_build.render.html.excerpt import prose
from kismet_build.render.pages.board import board_pages
from kismet_build.render.pages.print import MAX_PRINT_CARDS, print_pages
from kismet_build.render.site.outputs import page
from tests.custom_game import compile_custom_game
from tests.small_library import CALCULATORS, GAME, TEXT, write_library

TABLE = """
## Prices

| Thing | Price | Weight |
| ----- | ----- | ------ |
| [[#Bow\\|A bow]] | 2 | 1 |
| Rope  | 1     | 5      |
"""


def compiled(
    folder: Path, boards: str, text: str = TEXT + TABLE, calculators: str = CALCULATORS
) -> tuple[Pack, list[Diagnostic]]:
    write_library(folder, game=GAME + boards, text=text)
    (folder / "calculators").mkdir()
    (folder / "calculators" / "rules.yaml").write_text(calculators, encoding="utf-8")
    diagnostics: list[Diagnostic] = []
    return compile_game(load_game(folder / "game.yaml", folder, diagnostics.append), diagnostics.append), diagnostics


def board(folder: Path, *parts: str, calculators: str = CALCULATORS) -> str:
    lines = "".join(f"      - {part}\n" for part in parts)
    boards = f"boards:\n  - id: screen\n    title: Screen\n    parts:\n{lines}"
    pack, diagnostics = compiled(folder, boards, calculators=calculators)
    assert [diagnostic.message for diagnostic in diagnostics] == []
    [address] = [address for address, _ in board_pages(pack)]
    assert address == "ember-court/boards/screen/"
    return page(pack, address).article


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def diagnostic_lines(folder: Path, *parts: str, before: str = "  - id: screen\n    title: Screen\n") -> list[str]:
    lines = "".join(f"      - {part}\n" for part in parts)
    _, diagnostics = compiled(folder, f"boards:\n{before}    parts:\n{lines}")
    return [f"{diagnostic.span.line_range[0]} {diagnostic.code}: {diagnostic.message}" for diagnostic in diagnostics]


FIRST_LINE = GAME.count("\n") + 5
"""Line number of the first part of a board."""


def test_entities_are_listed_with_fields_and_links(tmp_path: Path) -> None:
    article = board(tmp_path, "{kind: grace, fields: [cost]}")
    assert "Graces Bow 2 Whisper 3" in words(article)
    assert 'href="../../../ember-court/grace/bow/index.html"' in article
    assert 'href="../../../ember-court/grace/index.html"' in article


def test_only_lists_entities_in_the_given_order(tmp_path: Path) -> None:
    article = board(tmp_path, "{kind: grace, fields: [cost], only: [whisper, bow], title: Manners}")
    assert "Manners Whisper 3 Bow 2" in words(article)


def test_where_filters_entities_by_field_value(tmp_path: Path) -> None:
    article = board(tmp_path, "{kind: grace, fields: [cost], where: {cost: 3}}")
    assert "Bow" not in words(article)
    assert "Whisper 3" in words(article)


def test_text_field_shows_the_first_sentence(tmp_path: Path) -> None:
    assert "Bow You bend, and the room forgives you." in words(board(tmp_path, "{kind: grace, fields: [text]}"))


def test_entities_as_a_table_have_a_column_for_each_field(tmp_path: Path) -> None:
    article = board(tmp_path, "{kind: grace, as: table, fields: [cost]}")
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)', article) == ["Grace", "Cost"]
    assert article.count("<tr>") == 3


def test_text_table_has_selected_columns_with_their_links(tmp_path: Path) -> None:
    article = board(tmp_path, "{table: Prices, fields: [price, thing]}")
    assert re.findall(r'<th scope="col">([^<]*)', article) == ["Price", "Thing"]
    assert 'href="../../../ember-court/court/index.html#prices"' in article.lower()
    assert "A bow</a>" in article


def test_calculator_part_is_a_table_of_results(tmp_path: Path) -> None:
    article = board(tmp_path, "{calculator: share}")
    assert "<kismet-calculator" not in article
    assert re.search(r'<th scope="row">3</th><td>4', article)
    assert 'href="../../../ember-court/calculators/share/index.html"' in article


def shown_results(article: str) -> tuple[list[str], dict[str, list[str]], list[str]]:
    """The column headers of a table of results, the results by row header, and the notes below the table."""
    (panel,) = re.findall(r'<table class="figures">.*', article, re.DOTALL)
    head, _, body = panel.partition("<tbody>")
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
    by_row = {heading: [words(cell) for cell in cells] for heading, *cells in rows}
    return re.findall(r'<th scope="col">([^<]*)', head), by_row, re.findall(r'class="said">(.*?)</p>', panel)


def test_results_are_for_the_default_of_the_second_input(tmp_path: Path) -> None:
    """The table once had columns for the bounds of this input and for a number between them."""
    columns, results, said = shown_results(board(tmp_path, "{calculator: far-jump}"))
    assert columns == ["Speed (tiles)", "Distance"]
    assert results["10"] == ["7 tiles"]
    assert ["Grace: Bow" in line for line in said] == [True]


@pytest.mark.parametrize("at", [[3], [1, 4, 9], [9, 4], list(range(10))])
def test_results_are_for_the_values_that_the_author_chose(tmp_path: Path, at: list[int]) -> None:
    speed = "speed: {label: Speed, type: integer, min: 0, max: 20, default: 6}"
    guests = "guests: {label: Guests, type: integer, min: 0, max: 9, default: 3}"
    calculators = CALCULATORS.replace(guests, f"{speed}\n    {guests}").replace("12 / guests", "10 * speed + guests")
    article = board(tmp_path, f"{{calculator: share, at: {at}}}", calculators=calculators)
    columns, results, _ = shown_results(article)
    assert columns == list(map(str, at))
    assert results["20"] == [str(200 + value) for value in at]


def test_columns_of_results_can_be_entities(tmp_path: Path) -> None:
    columns, results, said = shown_results(board(tmp_path, "{calculator: far-jump, at: [whisper, Bow]}"))
    assert columns == ["Whisper", "Bow"]
    assert results["10"] == ["8 tiles", "7 tiles"]
    assert not any("Grace" in line for line in said)


def test_wide_part_has_a_class_and_board_has_its_column_count(tmp_path: Path) -> None:
    article = board(tmp_path, "{kind: grace, wide: true}")
    assert 'class="panel panel-wide' in article
    assert 'data-columns="3"' in article


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("{kind: gracy}", 'there is no kind "gracy"'),
        ("{kind: grace, fields: [price]}", 'Grace has no field "price"'),
        ("{kind: grace, where: {price: 1}}", 'Grace has no field "price"'),
        ("{calculator: sharing}", 'there is no calculator "sharing"'),
        ("{kind: grace, table: Prices}", 'a part can have "kind" or "table", not both'),
        ("{table: Prices, only: [rope]}", 'a table has no key "only"'),
        ("{calculator: share, fields: [guests]}", 'a calculator has no key "fields"'),
        ("{kind: grace, at: [2]}", 'a kind has no key "at"'),
    ],
)
def test_invalid_part_is_reported_with_its_line(tmp_path: Path, part: str, message: str) -> None:
    assert diagnostic_lines(tmp_path, "{kind: grace}", part) == [f"{FIRST_LINE + 1} invalid-game: {message}"]


def test_two_boards_with_the_same_id_are_reported(tmp_path: Path) -> None:
    twice = "  - {id: screen, title: One, parts: [{kind: grace}]}\n  - id: screen\n    title: Two\n"
    (line,) = diagnostic_lines(tmp_path, "{kind: grace}", before=twice)
    assert line.endswith('invalid-game: there are two boards "screen"')


def test_game_without_boards_has_no_board_pages(tmp_path: Path) -> None:
    pack, diagnostics = compiled(tmp_path, "")
    assert diagnostics == []
    boards: tuple[Board, ...] = pack.game.boards
    assert boards == ()
    assert list(board_pages(pack)) == []


# --- print


def test_print_page_has_all_chapters_and_unique_ids(tmp_path: Path) -> None:
    other = "# Court\n\n## Graces\n\nSee [[1 Court#Whisper|the other]] and [[#Graces]].[^1]\n\n[^1]: A note.\n"
    (tmp_path / "2 Yard.md").write_text(other, encoding="utf-8")
    pack, _ = compiled(tmp_path, "", TEXT + "\nOnce.[^1]\n\n[^1]: Another note.\n")
    whole = page(pack, "ember-court/print/")
    ids = re.findall(r'id="([^"]*)"', whole.article)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'href="#([^"]*)"', whole.article))
    assert links <= set(ids)
    assert {"court", "yard", "court.whisper", "yard.graces", "court.fn:1", "yard.fn:1"} <= set(ids)
    assert 'href="#court.whisper"' in whole.article
    assert "index.html" not in whole.article.replace('href="cards/index.html"', "")


def test_kind_with_too_many_entities_has_no_print_cards(tmp_path: Path) -> None:
    many = "# Court\n\n## Graces\n\n" + "".join(f"### G{n}\n\n**Cost:** 1\n\n" for n in range(MAX_PRINT_CARDS + 1))
    pack, _ = compiled(tmp_path, "", many)
    assert [address for address, _ in print_pages(pack)] == ["ember-court/print/"]


def test_long_text_goes_on_at_the_next_print_card(tmp_path: Path) -> None:
    long = TEXT.replace("You bend, and the room forgives you.", "You bend, and the room forgives you. " * 60)
    pack, _ = compiled(tmp_path, "", long)
    cards = page(pack, "ember-court/print/cards/").article
    words = " ".join(re.findall(r'<p class="paper-words">([^<]*)</p>', cards))
    assert words.count("You bend, and the room forgives you.") == 60
    assert "Two people hear you, no more." in words
    assert "…" not in words
    assert "<small>1/" in cards


def test_print_card_leaves_out_tables_and_drawings(tmp_path: Path) -> None:
    words = "You bend, and the room forgives you."
    drawn = TEXT.replace(words, f"{words}\n\n> [!example]\n> So it looks:\n>\n> ```text\n> |x|\n> ```")
    pack, _ = compiled(tmp_path, "", drawn)
    cards = page(pack, "ember-court/print/cards/").article
    assert "So it looks:" in cards
    assert "|x|" not in cards


# --- excerpts


def test_excerpt_divides_the_items_of_a_list(tmp_path: Path) -> None:
    text = "## Deeds\n\nFor example:\n\n- run\n- hide,\n  or seek\n- It ends.\n- rest\n\n| a |\n|---|\n| 1 |\n\nDone.\n"
    pack = compile_custom_game(tmp_path, {}, {"Deeds": text})
    assert (
        prose(pack.book.outlines["Deeds.md"].sections[-1].blocks)
        == "For example: run; hide, or seek; It ends. rest Done."
    )
