"""Type the questions of `tests/search` into the search box, and count how many the first result answers, or one of the
first three. `make bench` runs this program. `--part held` and `--part second-held` ask other questions, which nobody
may look at while the ranking is changed (docs/decisions/0018-search-score.md). `--wrong` lists the questions that the
first result does not answer.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml
from playwright.sync_api import Page, sync_playwright

from benchmarks.programs import KISMET
from benchmarks.report import print_table
from tests.browser.conftest import ARGUMENTS, headless
from tests.browser.host import serve_folder

ROOT = Path(__file__).parent.parent
QUESTIONS = ROOT / "tests" / "search"
PARTS = ("tuned", "held", "second-held")
GAMES = ("kismet", "kiss", "legend", "marchen")
GOALS = {"first": 0.85, "first three": 0.95}
"""Minimum shares of a game's questions that must be answered by the first result, and by one of the first three."""
FIRST_RESULTS = """\
async (typed) => {
  const field = document.querySelector("dialog.search [role=combobox]");
  const status = document.querySelector("dialog.search [role=status]");
  status.textContent = "";
  field.value = typed;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const isDone = () => /result/i.test(status.textContent);
  while (!isDone()) await new Promise((done) => setTimeout(done, 10));
  const rows = [...document.querySelectorAll("dialog.search [role=option]")];
  const isBeside = (row) => row.matches(".answer") && row.href.includes("/calculators/");
  const text = (row) => [...row.children].map((part) => part.textContent).join(" ");
  return rows.filter((row) => !isBeside(row)).slice(0, 3).map((row) =>
    ({ href: row.href, text: text(row), passage: row.dataset.passage ?? "", isAnswer: row.matches(".answer") }));
}
"""
"""JavaScript that types a question and returns the first three results, without the calculator beside the answer."""


class Answer(NamedTuple):
    """The results of the search box for a question."""

    question: str
    expected: tuple[str, ...]
    """The ids of the entries that answer the question, without the game."""
    found: tuple[frozenset[str], ...]
    """The ids of each of the first three results."""

    @property
    def place(self) -> int | None:
        """Position of the first result that answers the question, from 1; `None` if none of the first three does."""
        return next((place for place, ids in enumerate(self.found, 1) if ids & {*self.expected}), None)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_answers", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="tuned", help="which questions to ask")
    parser.add_argument("--wrong", action="store_true", help="list the questions that are not answered first")
    parser.add_argument("--tree", type=Path, help="a tree that is built already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        tree = options.tree or Path(folder) / "public"
        if options.tree is None:
            command = [sys.executable, "-c", KISMET, "build", str(ROOT / "content"), "--out", str(tree), "--quiet"]
            subprocess.run(command, check=True)
        answers = ask_all(tree, options.part)
    print_answers(answers, show_wrong=options.wrong)


def print_answers(answers: dict[str, list[Answer]], *, show_wrong: bool) -> None:
    """Print the shares of each game and, with `show_wrong`, the questions that are not answered first."""
    rows = []
    for game, found in answers.items():
        shares = [sum(answer.place == 1 for answer in found), sum(answer.place is not None for answer in found)]
        met = all(share >= goal * len(found) for share, goal in zip(shares, GOALS.values(), strict=True))
        rows.append((game, len(found), *(f"{share / len(found):.0%}" for share in shares), "met" if met else "MISSED"))
    print_table("Questions answered by search", ("game", "questions", *GOALS, "verdict"), rows)
    if show_wrong:
        for game, found in answers.items():
            for answer in found:
                if answer.place != 1:
                    names = [next(iter(sorted(ids)), "?") for ids in answer.found]
                    print(
                        f"{game}: {answer.question!r} [{answer.place or '-'}] {', '.join(answer.expected)} not {names}"
                    )


def ask_all(tree: Path, part: str) -> dict[str, list[Answer]]:
    """Ask a part of the questions of each game in a browser."""
    with serve_folder(tree) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=headless(), args=list(ARGUMENTS))
        page = browser.new_context(service_workers="block").new_page()
        found = {
            game: [*_ask(page, f"{address}{game}/index.html", questions_of(game, part), ids_by_address(tree, game))]
            for game in GAMES
        }
        browser.close()
    return found


def questions_of(game: str, part: str) -> dict[str, tuple[str, ...]]:
    """A part of a game's questions, each with the ids that answer it, without the game."""
    file, key = ("second-held", game) if part == "second-held" else (game, part)
    questions = yaml.safe_load((QUESTIONS / f"{file}.yaml").read_text(encoding="utf-8"))[key]
    return {str(typed): (ids,) if isinstance(ids, str) else tuple(ids) for typed, ids in questions.items()}


def ids_by_address(tree: Path, game: str) -> dict[str, set[str]]:
    """Local ids of the entities, sections and calculators at each address, relative to the root of the site."""
    pack = json.loads((tree / "data" / game / "pack.json").read_bytes())
    entities = [entity for kind in pack["entities"].values() for entity in kind]
    ids: dict[str, set[str]] = {}
    for item in (*entities, *pack["sections"], *pack["calculators"]):
        ids.setdefault(item["url"], set()).add(item["id"].removeprefix(f"{game}/"))
    return ids


def _ask(
    page: Page, address: str, questions: Mapping[str, tuple[str, ...]], ids: dict[str, set[str]]
) -> Iterator[Answer]:
    page.goto(address)
    page.keyboard.press("/")
    page.wait_for_selector("dialog.search [role=combobox]")
    root = address.rsplit("/", 2)[0] + "/"
    for question, expected in questions.items():
        results = page.evaluate(FIRST_RESULTS, question)
        addresses = [result["href"].removeprefix(root).replace("index.html", "") for result in results]
        yield Answer(
            question=question,
            expected=expected,
            found=tuple(ids_of(ids, address) for address in addresses),
        )


def ids_of(ids: Mapping[str, set[str]], address: str) -> frozenset[str]:
    """The ids at an address, from `ids_by_address`, or an id such as `unwritten/races` for a chapter that is not
    written.
    """
    unwritten = address.partition("#unwritten-")[2]
    return frozenset({f"unwritten/{unwritten}"} if unwritten else ids.get(address, ()))


if __name__ == "__main__":
    main()
