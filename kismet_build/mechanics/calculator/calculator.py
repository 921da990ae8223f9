"""Calculators: rules that compute, each with what it needs, its formula and the passage that it comes from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kismet_build.mechanics.formula import Tree
from kismet_build.model.source import Source, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The passage that something comes from."""

    document: str
    """The name of its file without the suffix."""
    heading: str
    """The heading below which it stands, at any depth."""
    quotes: tuple[str, ...]
    """A few words that stand there; one for each edition of the text, of which one is enough."""
    span: Span
    """Where the citation stands in the data file: its key in `Pack.cited`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One thing that a calculator must be told."""

    name: str
    label: str
    group: str = ""
    """What a form writes above it and its neighbours of the same group."""
    type: Literal["integer", "number", "boolean", "choice", "entity"]
    unit: str = ""
    """One of the units of schemas/calculator.schema.json; empty for a plain number."""
    low: float | None = None
    """The least number that makes sense; `None` for what is no number."""
    high: float | None = None
    step: float | None = None
    """By how much a number goes up at a time; `None` for what is no number."""
    default: Any
    """A number, a boolean, an option, `slug` or `kind/slug` of an entity, or a tuple of those where there are many."""
    options: tuple[str, ...] = ()
    """What a choice is made from."""
    kinds: tuple[str, ...] = ()
    """The kinds that an entity is picked from."""
    many: bool = False
    """Several entities may be picked, or none."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A result on the way, which the formulas after it may use."""

    name: str
    label: str
    formula: str
    tree: Tree
    type: str
    """As for a result."""
    unit: str
    says: str
    """One short sentence of why; empty where the label is enough."""
    citation: Citation | None
    """Its own, or that of the one calculator that it asks."""
    span: Span
    """Of its formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a calculator gives."""

    type: Literal["number", "chance", "boolean", "text", "entity", "outcomes", "dice"]
    """A chance is a number from 0 to 1; outcomes are pairs of a value and its chance."""
    unit: str = ""
    label: str
    sentence: str
    """A template such as `A {rarity} sword needs DL {result}`: names of inputs, of steps, and `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Another way to read a text that contradicts itself."""

    title: str
    formula: str
    tree: Tree
    citation: Citation
    span: Span
    """Of its formula in the data file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A case that the text works out."""

    inputs: Mapping[str, Any]
    """As the data file has them; what is left out has its default."""
    result: Any
    """What the rule gives."""
    printed: Any
    """What the text prints where that is another figure; `None` where it is the result."""
    citation: Citation
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A table that must give what the calculator gives: every entity of a kind, every value of a range."""

    kind: str
    inputs: Mapping[str, str]
    """For each input the field that it is taken from."""
    given: Mapping[str, Any]
    """The inputs that are the same for every entity; the rest have their defaults."""
    result: str
    """The field that holds the result."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """The roll that a calculator is about."""

    dice: Tree
    add: Tree
    target: Tree | None
    """What the sum must reach; `None` where the roll is its own result."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calculator:
    """A rule that computes."""

    id: str
    """`game/calculator/slug`."""
    title: str
    inputs: tuple[Input, ...]
    """In the order in which other formulas give them."""
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
    """Why the formula was chosen among the readings; empty where there are none."""
    sheet: bool
    """It has a page of its own."""
    group: str
    """The stem of its file: calculators of one subject stand in one file."""
    source: Source
    span: Span
    formula_span: Span

    @property
    def slug(self) -> str:
        """The last part of its id, by which the formulas and files of its game know it."""
        return self.id.rsplit("/", 1)[1]

    def trees(self) -> Iterator[Tree]:
        """Every formula of it, parsed."""
        yield from (step.tree for step in self.steps)
        yield self.tree
        if self.odds is not None:
            yield from (tree for tree in (self.odds.dice, self.odds.add, self.odds.target) if tree is not None)
        yield from (reading.tree for reading in self.readings)

    def citations(self) -> Iterator[Citation]:
        """Every passage that it cites, its own first."""
        yield self.citation
        yield from (step.citation for step in self.steps if step.citation is not None)
        yield from (reading.citation for reading in self.readings)
        yield from (example.citation for example in self.examples)


def asked(*trees: Tree) -> Iterator[str]:
    """The local ids of the calculators that some formulas ask, each as often as it is asked."""
    for node in nodes(*trees):
        if node["node"] == "calculator":
            yield node["calculator"]


def nodes(*trees: Tree) -> Iterator[Tree]:
    """Every node of some formulas."""
    waiting = list(reversed(trees))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.get("of", ())))


def fits(one: Input, value: Any) -> bool:
    """Whether an input can have a value, as data files and programs give it."""
    match one.type:
        case "integer" | "number":
            assert one.low is not None
            assert one.high is not None
            number = isinstance(value, int | float) and not isinstance(value, bool) and one.low <= value <= one.high
            return number and (one.type == "number" or float(value).is_integer())
        case "boolean":
            return isinstance(value, bool)
        case "choice":
            return value in one.options
        case _:
            listed = value if one.many and isinstance(value, list | tuple) else [value]
            return all(isinstance(name, str) for name in listed)


def shown(value: Any) -> str:
    """A value as an author would write it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case list() | tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
        case None:
            return "nothing"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def wanted(one: Input) -> str:
    """What an input can be, in words."""
    match one.type:
        case "integer" | "number":
            unit = f" {one.unit}" if one.unit else ""
            sort = "a whole number" if one.type == "integer" else "a number"
            return f"{sort} from {shown(one.low)} to {shown(one.high)}{unit}"
        case "boolean":
            return "true or false"
        case "choice":
            return "one of " + ", ".join(one.options)
        case _:
            return ("names of " if one.many else "the name of a ") + " or ".join(one.kinds)
