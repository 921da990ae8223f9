"""Ask the questions of `tests/search/natural` in a browser, and count how many the first result answers, or one of the
first three. A result is right if the passage with the answer is in its line, or on the first screen of its target on a
phone. `--half held` asks the questions that nobody may look at while search is changed. `--wrong` lists the questions
that the first result does not answer. `--vault NAME=DIR` asks the questions of a vault that is not in this repository.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.programs import KISMET
from benchmarks.report import print_table
from benchmarks.search_answers import FIRST_RESULTS, GAMES, QUESTIONS, ROOT
from kismet_build.mechanics.search.words import fold_words
from tests.browser.conftest import ARGUMENTS, headless
from tests.browser.host import serve_folder

NATURAL = QUESTIONS / "natural"
PHONE = {"width": 390, "height": 844}
VISIBLE = """\
() => {
  const words = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { top, bottom, width } = range.getBoundingClientRect();
    if (width && bottom > 0 && top < innerHeight) words.push(texts.currentNode.data);
    else words.push("\\n");
  }
  return words.join(" ");
}
"""
"""JavaScript that returns the text of the page in the viewport."""


class Found(NamedTuple):
    """What the search box shows for a question."""

    question: str
    place: int | None
    """Position of the first result that answers the question, from 1; `None` if none of the first three does."""
    shown: str
    """The text of the first result."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.natural_questions", description=__doc__)
    parser.add_argument("--half", choices=("work", "held", "asked"), default="work")
    parser.add_argument("--vault", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    folders = {name: Path(folder) for name, _, folder in (given.partition("=") for given in options.vault)}
    rows: list[tuple[Any, ...]] = []
    total: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="questions-") as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=headless(), args=list(ARGUMENTS))
        for texts, games in (
            ({"content": ROOT / "content"}, GAMES),
            *(({name: folder}, (name,)) for name, folder in folders.items()),
        ):
            ((name, folder),) = texts.items()
            tree = Path(scratch) / name
            subprocess.run(
                [sys.executable, "-c", KISMET, "build", str(folder), "--out", str(tree), "--quiet"], check=False
            )
            with serve_folder(tree) as address:
                context = browser.new_context(viewport=PHONE, service_workers="block")  # type: ignore[arg-type]
                for game in games:
                    book = yaml.safe_load((NATURAL / f"{game}-{options.half}.yaml").read_text(encoding="utf-8"))
                    home = address + (f"{game}/" if game in GAMES else _only_game(tree))
                    found, refused = ask(context, home, book)
                    total += found
                    rows.append(
                        (
                            game,
                            *_shares(found),
                            f"{refused} of {len(book['unanswerable']) + len(book.get('invented', ()))}",
                        )
                    )
                    if options.wrong:
                        for each in found:
                            if each.place != 1:
                                print(f"{game}: {each.question!r} [{each.place or '-'}] {each.shown[:120]}")
                context.close()
        browser.close()
    rows.append(("all", *_shares(total), ""))
    print_table("Natural questions", ("book", "questions", "first", "first three", "refused"), rows)


def _only_game(tree: Path) -> str:
    listed = json.loads((tree / "data" / "index.json").read_bytes())
    return f"{listed['games'][0]['id']}/"


def _shares(found: Sequence[Found]) -> tuple[int, str, str]:
    first, three = sum(each.place == 1 for each in found), sum(each.place is not None for each in found)
    return len(found), f"{first / len(found):.0%}", f"{three / len(found):.0%}"


def ask(context: BrowserContext, home: str, book: Any) -> tuple[list[Found], int]:
    """Ask the questions of a book. Also returns how many of the questions without an answer get none."""
    page, place = context.new_page(), context.new_page()
    page.goto(f"{home}index.html")
    page.keyboard.press("/")
    page.wait_for_selector("dialog.search [role=combobox]")
    page.wait_for_timeout(500)
    found = [_answer(page, place, question) for question in book["questions"]]
    nowhere = [*book["unanswerable"], *book.get("invented", ())]
    refused = sum(not any(row["isAnswer"] for row in page.evaluate(FIRST_RESULTS, str(asked))) for asked in nowhere)
    page.close()
    place.close()
    return found, refused


def _answer(page: Page, place: Page, question: Any) -> Found:
    rows = page.evaluate(FIRST_RESULTS, question["ask"])
    passages = [
        [answer["passage"]] if isinstance(answer["passage"], str) else answer["passage"]
        for answer in question["answers"]
    ]
    right = next(
        (number for number, row in enumerate(rows, 1) if any(_has(text, passages) for text in _texts(place, row))), None
    )
    return Found(question["ask"], right, rows[0]["text"] if rows else "")


def _texts(place: Page, row: Any) -> Iterator[str]:
    yield row["text"]
    mark = f"{'' if '#' in row['href'] else '#'}:~:text={row['passage']}" if row["passage"] else ""
    place.goto("about:blank")
    place.goto(row["href"] + mark)
    place.wait_for_timeout(150)
    yield place.evaluate(VISIBLE)


def _has(text: str, passages: Sequence[Sequence[str]]) -> bool:
    words = f" {' '.join(fold_words(text))} "
    return any(all(f" {' '.join(fold_words(part))} " in words for part in passage) for passage in passages)


if __name__ == "__main__":
    main()
