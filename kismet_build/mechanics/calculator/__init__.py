"""The definition of a calculator: inputs, steps, formula, result, examples and citations.

`schemas/calculator.schema.json` describes the data files that these records are read from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kismet_build.mechanics.formula import Tree
from kismet_build.mechanics.inputs import InputRule
from kismet_build.model.source import Source, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A reference to a passage of the text."""

    document: str
    """The file name of the document, without suffix."""
    heading: str
    """A heading above the passage, at any level."""
    quotes: tuple[str, ...]
    """Short quotes from the passage, one for each edition of the text. One of them must occur in the text."""
    span: Span
    """The span of the citation in the data file, which is its key in `Pack.cited`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input(InputRule):
    """An input of a calculator."""

    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An intermediate result, which later formulas may use by name."""

    name: str
    label: str
    formula: str
    tree: Tree
    type: str
    """The type, as in `Result`."""
    unit: str
    says: str
    """One short sentence that explains the step; empty if the label is enough."""
    citation: Citation | None
    """The citation of the step, or else of the calculator that it calls, if it always calls exactly one."""
    span: Span
    """The span of the formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a calculator: type and presentation."""

    type: Literal["number", "chance", "boolean", "text", "entity", "outcomes", "dice"]
    """`chance` is a number from 0 to 1; `outcomes` is a list of pairs of a value and its chance."""
    unit: str = ""
    label: str
    sentence: str
    """A template such as `A {rarity} sword needs DL {result}`, with names of inputs and steps, and `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An alternative formula, for a text that contradicts itself."""

    title: str
    formula: str
    tree: Tree
    citation: Citation
    span: Span
    """The span of the formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A worked example from the text."""

    inputs: Mapping[str, Any]
    """Values of inputs by name, as in the data file. Missing inputs have their defaults."""
    result: Any
    """The expected result."""
    printed: Any
    """The result that the text prints, if that is wrong; otherwise `None`."""
    citation: Citation
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A table that the calculator must agree with: for every entity of a kind, and every value of a range field."""

    kind: str
    inputs: Mapping[str, str]
    """For each input, the field of the entity that has its value."""
    given: Mapping[str, Any]
    """The values of inputs that are the same for all entities. All other inputs have their defaults."""
    result: str
    """The field with the expected result."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """The roll that a calculator describes."""

    dice: Tree
    add: Tree
    target: Tree | None
    """The number that the sum must reach; `None` if the sum itself is the result."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calculator:
    """A rule of the text as a formula with inputs."""

    id: str
    """`game/calculator/slug`."""
    title: str
    answers: str
    """The question that the calculator answers; may be empty."""
    inputs: tuple[Input, ...]
    """The inputs, in the order of positional arguments in formulas."""
    steps: tuple[Step, ...]
    formula: str
    tree: Tree
    result: Result
    citation: Citation
    examples: tuple[Example, ...]
    agreements: tuple[Agreement, ...]
    odds: Odds | None
    readings: tuple[Reading, ...]
    reason: str
    """Why `formula` is preferred to the alternative readings; empty without alternatives."""
    sheet: bool
    """Whether the calculator is a sheet, which the home page and the navigation list."""
    group: str
    """The name of the data file, without suffix. Calculators about the same subject share a file."""
    source: Source
    span: Span
    formula_span: Span

    @property
    def slug(self) -> str:
        """The local id: the last part of `id`, used in formulas and data files of the game."""
        return self.id.rsplit("/", 1)[1]

    def trees(self) -> Iterator[Tree]:
        """The trees of all its formulas."""
        yield from (step.tree for step in self.steps)
        yield self.tree
        yield from self.other_trees()

    def other_trees(self) -> Iterator[Tree]:
        """The trees of odds and alternative readings, which no other calculator uses."""
        if self.odds is not None:
            yield from (tree for tree in (self.odds.dice, self.odds.add, self.odds.target) if tree is not None)
        yield from (reading.tree for reading in self.readings)

    def citations(self) -> Iterator[Citation]:
        """All citations of the calculator and its parts; the calculator's own comes first."""
        yield self.citation
        yield from (step.citation for step in self.steps if step.citation is not None)
        yield from (reading.citation for reading in self.readings)
        yield from (example.citation for example in self.examples)


class FaultyCalculator(NamedTuple):
    """A calculator with mistakes. Its citations and, if its formulas can be computed, its examples are checked too."""

    slug: str
    citations: tuple[Citation, ...]
    calculator: Calculator | None


def called_calculators(*trees: Tree) -> Iterator[str]:
    """The local ids of the calculators that formulas call, with duplicates."""
    for node in formula_nodes(*trees):
        if node["node"] == "calculator":
            yield node["calculator"]


def formula_nodes(*trees: Tree) -> Iterator[Tree]:
    """All nodes of the trees, depth first."""
    pending = list(reversed(trees))
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.get("of", ())))
