"""Each way to write a roll table gives die and ranges in the pack, and can be rolled from its page and others."""

import json
import re
from pathlib import Path

import pytest

from tests.command import kismet, write_files

HEADER = "| {0} | Result |\n| --- | --- |\n"


def table(header: str, *results: str) -> str:
    return HEADER.format(header) + "".join(f"| {result} | Row of {result} |\n" for result in results)


TABLES = {
    "die": (table("d12", "1-6", "7–12"), "1d12", "1-6 7-12"),
    "counted": (table("1d12", "1 to 6", "7 - 12"), "1d12", "1-6 7-12"),
    "roll": (table("Roll", "1-3", "4-5", "6"), "1d6", "1-3 4-5 6"),
    "roll-hundred": (table("Roll", "1-2", "3-98", "99-00"), "1d100", "1-2 3-98 99-100"),
    "ukrainian": (table("Кидок", "1-4", "5-9", "0"), "1d10", "1-4 5-9 10"),
    "code": (table("dice: 1d100", "1-50", "51-100"), "1d100", "1-50 51-100"),
    "bold": (table("**d8**", "**1-4**", "**5-8**"), "1d8", "1-4 5-8"),
    "named": (table("Result (2d4)", "2-4", "5-8"), "2d4", "2-4 5-8"),
    "percent": (table("d%", "01-50", "51-99", "00"), "1d100", "1-50 51-99 100"),
    "hundred": (table("d100", "01-05", "06-95", "96-00"), "1d100", "1-5 6-95 96-100"),
    "zero": (table("d10", "1-5", "6-9", "0"), "1d10", "1-5 6-9 10"),
    "zero-zero": (table("d100", "1-60", "61-99", "0"), "1d100", "1-60 61-99 100"),
    "tens-and-ones": (table("d66", "11-36", "41-66"), "d66", "11-36 41-66"),
    "open": (table("2d6", "2-", "3-11", "12+"), "2d6", "*-2 3-11 12-*"),
    "signs": (table("2d6", "≤3", "4-9", "≥ 10"), "2d6", "*-3 4-9 10-*"),
    "words": (table("2d6", "3 or less", "4-9", "10 or more"), "2d6", "*-3 4-9 10-*"),
    "lists": (table("d6", "1,2", "3, 5-6", "4"), "1d6", "1,2 3,5-6 4"),
    "order": (table("d6", "4-6", "1-3"), "1d6", "4-6 1-3"),
    "misprint": (table("d100", "01-90", "91=94", "95-00"), "1d100", "1-90 91-94 95-100"),
    "twice": (table("d100", "1-75", "76-90", "90-100"), "1d100", "1-75 76-90 90-100"),
    "missing": (table("d100", "1-75", "76-99"), "1d100", "1-75 76-99"),
    "outside": (table("d6", "1-3", "4-6", "7"), "1d6", "1-3 4-6 7"),
    "unreachable": (table("d6", "1-3", "—", "4-6"), "1d6", "1-3  4-6"),
    "sentence": ("To see who comes, roll 1d6.\n\n" + table("Result", "1-3", "4-6"), "1d6", "1-3 4-6"),
    "heading": ("## Guests (d6)\n\n" + table("", "1-3", "4-6"), "1d6", "1-3 4-6"),
    "caption": ("**Table 3: Guests (2d4)**\n\n" + table("Roll", "2-4", "5-8"), "2d4", "2-4 5-8"),
    "callout": ("> [!info] Guests (d6)\n> " + table("Roll", "1-3", "4-6").replace("\n", "\n> "), "1d6", "1-3 4-6"),
    "german": (table("W20", "1-19", "20"), "1d20", "1-19 20"),
    "german-gap": (table("1W6", "1-3", "5-6"), "1d6", "1-3 5-6"),
    "german-words": (
        table("W20", "3 oder weniger", "4 bis 9", "10 und 11", "12 oder mehr"),
        "1d20",
        "*-3 4-9 10,11 12-*",
    ),
    "halves": (
        "| d6 | Loot | d6 | Loot |\n| - | - | - | - |\n| 1-2 | Rope | 5 | Hat |\n| 3-4 | Cup | 6 | Gem |\n",
        "1d6",
        "1-2@0,5@2 3-4@0,6@2",
    ),
    "side-by-side": (
        "Roll d100.\n\n| Minor | Medium | Major | Item |\n| - | - | - | - |\n"
        "| 01-20 | 01-10 | — | Ring |\n| 21-00 | 11-50 | 01-30 | Rod |\n| — | 51-00 | 31-00 | Staff |\n",
        "1d100",
        "1-20@0,1-10@1 21-100@0,11-50@1,1-30@2 51-100@1,31-100@2",
    ),
}
"""Names of notes with a table, its die in the pack, and its ranges: rows with spaces between, `@` before a column."""
FAULTY = {
    "misprint": 'has "91=94", which is read as 91-94',
    "twice": "has several rows for 90",
    "missing": "has no row for 100",
    "outside": "has 7, which cannot be rolled",
    "german-gap": "has no row for 4",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of a vault with a note for each table; the last one rolls on all of them."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "vault").mkdir()
    for name, (text, _, _) in TABLES.items():
        block_id = "\n> ^roll\n" if name == "callout" else "\n^roll\n"
        (folder / "vault" / f"{name}.md").write_text(f"Some words.\n\n{text}{block_id}", encoding="utf-8")
    codes = "".join(f"- `dice: [[{name}^roll]]`\n" for name in TABLES)
    (folder / "vault" / "codes.md").write_text(codes, encoding="utf-8")
    run = kismet("build", folder / "vault", "--out", folder / "public", "--no-search")
    assert run.status == 0, run.output
    return folder / "public"


def written(table: dict[str, object]) -> str:
    """The ranges of a table of the pack in the form of `TABLES`."""
    ranges: list[list[dict[str, int | None]]] = table["ranges"]  # type: ignore[assignment]
    columns = table.get("range_columns") or [[None] * len(row) for row in ranges]
    rows = []
    for row, of_row in zip(ranges, columns, strict=True):  # type: ignore[call-overload]
        parts = []
        for part, column in zip(row, of_row, strict=True):
            low, high = ("*" if end is None else str(end) for end in (part["min"], part["max"]))
            parts.append((low if low == high else f"{low}-{high}") + ("" if column is None else f"@{column}"))
        rows.append(",".join(parts))
    return " ".join(rows)


@pytest.mark.parametrize("name", TABLES)
def test_table_has_its_die_and_ranges_in_the_pack_and_on_its_page(built: Path, name: str) -> None:
    pack = json.loads((built / "data" / "vault" / "pack.json").read_text(encoding="utf-8"))
    (found,) = (table for table in pack["tables"] if table["source"]["path"] == f"{name}.md")
    _, die, ranges = TABLES[name]
    assert (found["die"], written(found)) == (die, ranges)
    page = (built / "vault" / name / "index.html").read_text(encoding="utf-8")
    (notation,) = re.findall(r'<table(?: class="\w+")? data-roll="([^"]+)"', page)
    assert notation.replace("%", "100") in (die, die.removeprefix("1"))
    rows = re.findall(r'<tr data-low="([^"]+)" data-high="([^"]+)"', page)
    assert len(rows) == sum(map(bool, ranges.split(" ")))


@pytest.mark.parametrize("name", TABLES)
def test_code_of_another_note_rolls_on_the_table(built: Path, name: str) -> None:
    page = (built / "vault" / "codes" / "index.html").read_text(encoding="utf-8")
    (rows,) = re.findall(rf'data-rows="([^"]+)"><a href="[^"]*/{name}/', page)
    lists = json.loads(rows.replace("&quot;", '"').replace("&#34;", '"'))
    assert all(isinstance(end, int) for _, *ends in lists for end in ends)
    assert len(lists) >= 2


def test_faults_are_reported(built: Path) -> None:
    diagnostics = json.loads((built / "data" / "vault" / "diagnostics.json").read_text(encoding="utf-8"))
    found = {item["path"]: item["message"] for item in diagnostics if item["code"] == "faulty-roll-table"}
    expected = {f"{name}.md": f"this table of {TABLES[name][1]} {fault}" for name, fault in FAULTY.items()}
    assert found == expected


GERMAN = {
    "words": "Schaden: 2W6+1 (mit Gift W20). Nicht W7, W20-Probe, XW6 oder WW20.\n",
    "heading": "## Gäste (W6)\n\n" + table("", "1-3", "4-6"),
    "caption": "**Tabelle 3: Gäste (2W4)**\n\n" + table("Wurf", "2-4", "5-8"),
    "sentence": "Wirf 1W6, um zu sehen, wer kommt.\n\n" + table("#", "1-3", "4-6"),
}
"""Names of notes with dice in German notation, in sentences and next to tables."""


@pytest.mark.parametrize(
    ("language", "dice"),
    [("de", ["2d4", "1d6", "1d6"]), ("de-AT", ["2d4", "1d6", "1d6"]), ("en", []), ("", ["2d4", "1d6", "1d6"])],
    ids=["de", "de-AT", "en", "plain vault"],
)
def test_german_dice_among_words_are_read_in_german_only(tmp_path: Path, language: str, dice: list[str]) -> None:
    game = f"id: vault\ntitle: Vault\nversion: 1.0.0\nlicence: none\nvault: true\nlanguage: {language}\n"
    game += "sources: [{glob: '**/*.md'}]\n"
    files = {"game.yaml": game} if language else {"Hinweis.md": "Wer nicht wirft, ist dran und wird oder ist eine.\n"}
    write_files(tmp_path / "vault", {**files, **{f"{name}.md": text for name, text in GERMAN.items()}})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    pack = json.loads((tmp_path / "public/data/vault/pack.json").read_text(encoding="utf-8"))
    assert sorted(table["die"] for table in pack["tables"] if table["die"]) == sorted(dice)
    assert [entry["expression"] for entry in pack["dice"]] == (["2d4", "1d6", "2d6+1", "d20"] if dice else [])
    page = (tmp_path / "public/vault/words/index.html").read_text(encoding="utf-8")
    assert re.findall('data-dice="(.*?)">(.*?)<', page) == ([("2d6+1", "2W6+1"), ("d20", "W20")] if dice else [])


def test_a_code_for_a_long_table_is_a_link_and_reported(tmp_path: Path) -> None:
    rows = "".join(f"| {number} | {'word ' * 80}| few |\n" for number in range(1, 101))
    text = f"| d100 | Long | Short |\n| --- | --- | --- |\n{rows}\n^long\n"
    codes = "`dice: [[Tables^long]]`, `dice: [[Tables^long|Short]]`"
    write_files(tmp_path / "vault", {"Tables.md": text, "Codes.md": f"---\nloot: '{codes}'\n---\n{codes}\n"})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    message = "2 dice codes cannot be rolled, because the table is too long: `dice: [[Tables^long]]`"
    assert f"warning[unreadable-dice]: {message}\n" in run.output
    assert "Codes.md:4:1" in run.output
    assert "Codes.md:2:8" in run.output
    page = (tmp_path / "public/vault/codes/index.html").read_text(encoding="utf-8")
    assert re.findall('class="table-roll" data-dice="(.*?)"', page) == ["d100"]
