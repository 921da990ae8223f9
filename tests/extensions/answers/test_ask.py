"""`kismet ask` prints the passage, its place and the number of a calculator, or that the rules do not say."""

import json
from pathlib import Path

import pytest

from kismet_build.extensions.answers.ask import given_values
from kismet_build.extensions.answers.rules import LibraryRules
from kismet_build.mechanics.rules import input_rule
from tests.command import CONTENT, kismet, write_files
from tests.small_library import CALCULATORS, TEXT, write_library


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_library(tmp_path_factory.mktemp("ask") / "texts")
    write_files(folder, {"calculators/court.yaml": CALCULATORS})
    write_files(
        folder, {"Secret.md": "---\npublish: false\n---\n\n# Secret\n\nThe steward poisons the queen with hemlock.\n"}
    )
    return folder


def ask(folder: Path, *arguments: str) -> str:
    run = kismet("ask", *arguments, folder)
    assert (run.status, run.err) == (0, "")
    return run.out


def test_an_answer_has_its_passage_and_its_place(court: Path) -> None:
    answer, place, *_ = ask(court, "how many people hear a whisper").splitlines()
    assert answer.startswith("Two people hear you, no more.")
    assert place == "  Ember Court › Court › Graces › Whisper (ember-court/grace/whisper/)"


def test_the_folder_may_come_first(court: Path) -> None:
    question = "how many people hear a whisper?"
    assert kismet("ask", court, question).out == ask(court, question)


def test_a_passage_has_the_sentence_before(court: Path) -> None:
    assert ask(court, "what follows bow").startswith("Two people hear you, no more. It follows Bow.")


def test_a_passage_does_not_say_its_row_again() -> None:
    row = json.loads(ask(CONTENT / "kiss", "hide armor", "--json"))["found"]
    assert (row["id"], row["passage"].count("Hide Armor")) == ("kiss/armor/hide-armor", 1)


def test_a_calculator_takes_the_numbers_of_the_question(court: Path) -> None:
    title, sentence, values, assumed, *_ = ask(court, "odds of a far jump of 8").splitlines()
    assert (title, sentence) == ("Far Jump", "  With Bow you jump 6 tiles")
    assert (values, assumed.split(", ")[:2]) == ("  for Speed 8 tiles", ["  assumed: Grace Bow", "Cold no"])
    assert "  assumed: Speed 6 tiles, Grace Bow" in ask(court, "odds of a far jump")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("chance to hit with modifier 7 against defense 9", {"modifier": 7, "defense": 9}),
        ("defense 9, my attack is +7", {"modifier": 7, "defense": 9}),
        ("chance to hit with a modifier of 7 against 9", {"modifier": 7, "defense": 9}),
        ("chance to hit with attack modifier −2", {"modifier": -2}),
        ("chance to hit defense 9 with a Penalty Die", {"defense": 9, "die": "penalty"}),
        ("chance to hit with attack bonus 7", {"modifier": 7}),
        ("a Bonus or a Penalty Die", {}),
        ("modifier 99", {}),
        ("7 on 3d6", {}),
    ],
)
def test_words_say_which_input_a_number_is_for(question: str, values: dict[str, object]) -> None:
    (rules,) = LibraryRules(CONTENT / "kismet", None).current()
    inputs = rules.get("chance-to-hit")["inputs"]
    assert given_values(question, rules, [*map(input_rule, inputs)]).values == values


def test_a_named_game_is_asked() -> None:
    for named, game in (("Legend", "legend"), ("the Märchen Engine", "marchen"), ("kiss", "kiss")):
        answer = json.loads(ask(CONTENT, f"how does an attack work in {named}", "--json"))
        assert {answer["game"], *(each["id"] for each in answer["games"])} == {game}
        # The place does not have to contain the name of the game.
        alone = json.loads(ask(CONTENT / game, "how does an attack work", "--json"))
        assert answer["found"] == alone["found"]


def test_what_the_rules_do_not_say(court: Path) -> None:
    assert ask(court, "xyzzy").splitlines()[0] == "the rules do not say"
    assert "hemlock" not in ask(court, "who poisons the queen with hemlock"), "a private text"


def test_a_ruling_is_marked(tmp_path: Path) -> None:
    """The passage of a ruling has no words of the book, and a passage of the book has no words of a ruling."""
    text = TEXT.replace(
        "You bend,", "> [!question] Deep?\n> How deep is not said. **Ruling:** as deep as a king.\n\nYou bend,"
    )
    folder = write_library(tmp_path, text=text)
    ruled, place, *_ = ask(folder, "how deep is a bow").splitlines()
    assert ruled == "[editors’ ruling] Deep? How deep is not said. Ruling: as deep as a king."
    assert place.startswith("  Ember Court › Court › Graces › Bow ")
    found = [json.loads(ask(folder, asked, "--json"))["found"] for asked in ("how deep is a bow", "the room forgives")]
    assert [(each["id"], each["ruling"]) for each in found] == [
        ("ember-court/grace/bow", True),
        ("ember-court/grace/bow", False),
    ]
    assert "king" not in found[1]["passage"]


def test_json_has_ids_addresses_and_the_licence(court: Path) -> None:
    answer = json.loads(ask(court, "whisper", "--json"))
    assert (answer["game"], answer["found"]["id"]) == ("ember-court", "ember-court/grace/whisper")
    assert answer["found"]["place"] == ["Court", "Graces"]
    assert [game["licence"] for game in answer["games"]] == ["CC0 1.0"]
    nothing = json.loads(ask(court, "xyzzy", "--json"))
    assert (nothing["game"], nothing["found"], nothing["nearest"]) == (None, None, [])


def test_built_data_answers_as_the_library_does(court: Path, tmp_path: Path) -> None:
    """A website, a bundle and a package have the same index, and are not compiled."""
    assert kismet("build", court, "--out", tmp_path / "site", "--bundle", "--no-search").status == 0
    asked = "how many people hear a whisper"
    downloads = tmp_path / "site" / "data" / "ember-court" / "downloads"
    bundles = [
        tmp_path / "site",
        *downloads.glob("*.whl"),
        *downloads.glob("*.tgz"),
        downloads / "ember-court-1.0.0.zip",
    ]
    assert len(bundles) == 4
    assert {ask(bundle, asked) for bundle in bundles} == {ask(court, asked)}
    (tmp_path / "broken.zip").write_bytes((downloads / "ember-court-1.0.0.zip").read_bytes()[:-100])
    run = kismet("ask", asked, tmp_path / "broken.zip")
    assert (run.status, run.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("question", ["", "12", "骰子", "__proto__", "a" * 10_000, "bow whisper " * 1_000, "\n"])
def test_odd_questions_are_answered_at_once(court: Path, question: str) -> None:
    assert ask(court, question)


def test_errors_of_the_library_are_not_silent(tmp_path: Path) -> None:
    write_library(tmp_path)
    text = tmp_path / "1 Court.md"
    text.write_text(text.read_text(encoding="utf-8").replace("**Cost:** 2", "**Cost:** plenty"), encoding="utf-8")
    run = kismet("ask", "whisper", tmp_path)
    assert run.status == 0
    assert "1 error, so the answer may lack" in run.err
    assert kismet("ask", "whisper", tmp_path / "nothing").status == 2
