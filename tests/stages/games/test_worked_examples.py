"""Each worked example of the four rule books is checked by a calculator, and each calculator example is in a book."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.calculator import Calculator, Citation, Example
from kismet_build.mechanics.calculator.calculation import CalculationError, calculate, resolve_inputs
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.nodes import Block, Callout, Cell, Heading, Node, Paragraph, plain_text, walk
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from tests.command import CONTENT, GAMES, ROOT, RULEBOOKS, skip_without_originals
from tests.yaml_file import read_yaml

LISTS = {
    "kismet-examples.yaml": ("kismet", "2 CORE RULES"),
    "kismet-examples-combat.yaml": ("kismet", "10 COMBAT RULES"),
    "kiss-examples.yaml": ("kiss", "kiss"),
    "legend-examples.yaml": ("legend", "Gameplay Basics"),
    "marchen-examples.yaml": ("marchen", "Marchen Engine SRD"),
}
"""The lists of examples, collected by hand, with the game and the chapter of each list."""
MIN_CALCULATORS_AND_EXAMPLES = {"kismet": (80, 37), "kiss": (10, 3), "legend": (10, 3), "marchen": (12, 3)}
"""Minimum number of calculators and of worked examples of each game."""
FIGURE = re.compile(r"\d")
EXAMPLE = re.compile(r"(\bexamples?\b|\bfor instance\b)(.*?)(?=[.!?]\s+[A-Z]|$)", re.IGNORECASE | re.DOTALL)
"""The rest of a sentence after "example" or "for instance"."""
REFERENCE = re.compile(r"\bChapter \d+", re.IGNORECASE)

Fact = dict[str, Any]


def facts() -> list[Fact]:
    """All listed examples, with game, document and quotes as a list."""
    examples = []
    for name, (game, document) in LISTS.items():
        for fact in read_yaml(ROOT / "tests/facts" / name):
            quote = fact["quote"]
            quotes = [quote] if isinstance(quote, str) else quote
            examples.append({"game": game, "document": document, **fact, "quotes": [str(quote) for quote in quotes]})
    return examples


FACTS = facts()
USED = [fact for fact in FACTS if "calculator" in fact]


def name_of(fact: Fact) -> str:
    return f"{fact['game']}: {fact['heading']}: {fact['quotes'][0]}"


@cache
def compiled(game: str, folder: Path) -> Pack:
    if not folder.is_dir():
        skip_without_originals()
    diagnostics: list[Diagnostic] = []
    library = load_library(folder, CONTENT / game / "game.yaml", diagnostics.append)
    return compile_game(library.games[0], diagnostics.append)


def restated(game: str) -> Pack:
    return compiled(game, CONTENT / game)


def original(game: str) -> Pack:
    return compiled(game, RULEBOOKS / game)


all_games = pytest.mark.parametrize("game", GAMES)


def words(*nodes: Node) -> str:
    leaves = [node for node in walk(*nodes) if isinstance(node, Paragraph | Heading | Cell)]
    return normalize(" ".join(plain_text(leaf) for leaf in leaves))


def below(pack: Pack, document: str, heading: str) -> str:
    """The text of a section with its subsections; empty if there is no such heading."""
    blocks: list[Block] = []
    for section in pack.book.all_sections():
        here = Path(section.anchor.chapter.source.path).stem
        if normalize(here) == normalize(document) and any(
            normalize(above.title) == normalize(heading) for above in section.headings
        ):
            blocks.extend(section.blocks)
    return words(*blocks)


def same(fact: Fact, citation: Citation) -> bool:
    return (
        normalize(citation.document) == normalize(fact["document"])
        and normalize(citation.heading) == normalize(fact["heading"])
        and not {normalize(quote) for quote in citation.quotes}.isdisjoint(normalize(quote) for quote in fact["quotes"])
    )


def examples_of(calculators: dict[str, Calculator]) -> Iterator[tuple[Calculator, Example]]:
    for calculator in calculators.values():
        for example in calculator.examples:
            yield calculator, example


def has_example_with_figures(text: str) -> bool:
    """Whether a sentence contains "example" and then a figure that is not the number of a chapter."""
    return any(FIGURE.search(match[2]) for match in EXAMPLE.finditer(REFERENCE.sub("", text)))


@pytest.mark.parametrize("fact", FACTS, ids=name_of)
def test_listed_example_names_its_calculator_or_the_reason_for_none(fact: Fact) -> None:
    assert ("calculator" in fact) != ("why" in fact)
    assert fact["computes"]
    assert all(len(quote.split()) <= 8 for quote in fact["quotes"])


@pytest.mark.parametrize("edition", [restated, original])
@pytest.mark.parametrize("fact", FACTS, ids=name_of)
def test_quote_of_a_listed_example_is_in_its_section(fact: Fact, edition: Callable[[str], Pack]) -> None:
    written = below(edition(fact["game"]), fact["document"], fact["heading"])
    assert written, f'there is no "{fact["heading"]}"'
    assert any(normalize(quote) in written for quote in fact["quotes"]), fact["quotes"]


@pytest.mark.parametrize("fact", USED, ids=name_of)
def test_calculator_has_the_worked_example_as_its_example(fact: Fact) -> None:
    calculators = restated(fact["game"]).game.calculators
    assert fact["calculator"] in calculators
    examples = calculators[fact["calculator"]].examples
    assert any(same(fact, example.citation) for example in examples), [example.citation.quotes for example in examples]


@all_games
def test_every_calculator_example_is_in_the_text(game: str) -> None:
    invented = [
        (calculator.id, example.citation.quotes)
        for calculator, example in examples_of(dict(restated(game).game.calculators))
        if not any(same(fact, example.citation) for fact in USED if fact["game"] == game)
    ]
    assert invented == []


def test_every_example_callout_with_figures_is_listed() -> None:
    callouts = [
        node
        for chapter in restated("kismet").book.chapters
        for node in walk(*chapter.document.blocks)
        if isinstance(node, Callout) and node.kind == "example" and FIGURE.search(words(node))
    ]
    quotes = [normalize(quote) for fact in FACTS for quote in fact["quotes"]]
    missing = [words(callout)[:80] for callout in callouts if not any(quote in words(callout) for quote in quotes)]
    assert callouts
    assert missing == []


@all_games
def test_every_original_sentence_with_an_example_and_figures_is_listed(game: str) -> None:
    paragraphs = [
        normalize(plain_text(node))
        for chapter in original(game).book.chapters
        for node in walk(*chapter.document.blocks)
        if isinstance(node, Paragraph | Cell) and has_example_with_figures(plain_text(node))
    ]
    quotes = [normalize(quote) for fact in FACTS if fact["game"] == game for quote in fact["quotes"]]
    missing = [paragraph[:300] for paragraph in paragraphs if not any(quote in paragraph for quote in quotes)]
    assert paragraphs
    assert missing == []


def test_calculator_corrects_wrong_figures_of_the_original() -> None:
    wrong = {
        (calculator.slug, example.printed, example.result)
        for calculator, example in examples_of(dict(restated("kismet").game.calculators))
        if example.printed is not None
    }
    assert {("failing-die", 3, 4), ("roll-value", 5, 6)} <= wrong
    assert all(printed != result for _, printed, result in wrong)


@all_games
def test_number_of_calculators_and_examples_is_at_least_the_minimum(game: str) -> None:
    calculators = dict(restated(game).game.calculators)
    used = [fact for fact in USED if fact["game"] == game]
    assert (len(calculators), len(used)) >= MIN_CALCULATORS_AND_EXAMPLES[game]
    assert len(list(examples_of(calculators))) >= len(used) >= MIN_CALCULATORS_AND_EXAMPLES[game][1]


def test_weapons_have_damage_exactly_at_the_ranges_of_the_table() -> None:
    """A dash in the table stands for a missing result, not for a damage of 0."""
    pack = restated("kiss")
    calculator = pack.game.calculators["damage"]
    for weapon in pack.entities["weapon"]:
        for reach in ("Close", "Near", "Far"):
            inputs = resolve_inputs(pack.records, calculator, {"weapon": weapon.id, "range": reach})
            if weapon.fields[reach.lower()] is not None:
                assert calculate(pack.records, calculator, inputs).result
                continue
            with pytest.raises(CalculationError, match="out of reach"):
                calculate(pack.records, calculator, inputs)
