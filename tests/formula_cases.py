"""Random formula trees with their inputs, and a lossless JSON encoding of values."""

import random
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import inf, isfinite, isnan, nan
from typing import Any

from kismet_build.mechanics.calculator import formula_nodes
from kismet_build.mechanics.formula import FormulaError, Tree, Vocabulary, evaluate, parse
from kismet_build.mechanics.formula.functions import FUNCTIONS, Function
from tests.sample import sample

BITS = "$bits"
"""Key of an object that encodes the bits of a number, used for numbers that JSON would change or cannot express."""

DICE = ("1d10", "1d10+3", "bonus(1d10)", "penalty(1d10+2)", "4d6kh3", "crit(1d10, 10, +5)", "2d6>=5")
ODD_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 0.1, 1 / 3, 0.49999999999999994, 5e-324, 1e-300, 1e300)
LARGE = (2.0**53, 2.0**53 - 1, -(2.0**53), 2.0**53 + 2, -(2.0**53) - 2, 1e308, inf, -inf, nan)
TEXTS = ("axe", "bow", "", "Ünicode – 😀", "axe-2", "constructor", "__proto__")
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "__proto__", "constructor", "nobody", "valueof")


@dataclass(frozen=True, slots=True)
class Case:
    tree: Tree
    scope: Mapping[str, Any]
    library: int
    """Index in `LIBRARIES`."""


Record = dict[str, Any]


def entities() -> dict[str, list[Record]]:
    """Records with fields of all types: some are missing, some are named like inherited JavaScript properties."""
    rows: list[Record] = [
        {"slug": f"row-{n}", "rank": n, "levels": {"min": 2 * n - 1, "max": 2 * n}, "fails": None if n % 2 else n}
        for n in range(1, 6)
    ]
    things: list[Record] = [
        {"slug": "axe", "weight": 2.5, "tags": ["melee", "heavy"], "reach": {"min": 1, "max": None}},
        {"slug": "bow", "weight": 1, "tags": [], "owner": "row-2", "constructor": 7, "reach": {"min": 5, "max": 20}},
        {
            "slug": "axe-2",
            "tags": ["melee"],
            "weight": -0.0,
            "effects": [{"die": "bonus", "of": ["axe"]}, {"die": None}],
        },
        {"slug": "odd", "weight": nan, "tags": [1, None, True, 2.5], "effects": [{"die": "penalty"}]},
    ]
    records_by_kind: dict[str, list[Record]] = {"tier": rows, "thing-of-note": things, "nothing": []}
    return {
        kind: [
            {"id": f"g/{kind}/{record['slug']}", "name": record["slug"].title(), "kind": kind, **record}
            for record in records
        ]
        for kind, records in records_by_kind.items()
    }


CALCULATORS: Mapping[str, tuple[str, str, dict[str, str]]] = {
    "half": ("x", "floor(x / 2)", {}),
    "rank-of": ("level", "lookup(tier, levels = level).rank", {}),
    "steps": ("x, y", "if y > 0 then b / y else a", {"a": "half(x) + y", "b": "a * a"}),
    "weights": ("list", "sum(list.weight)", {}),
    "circle": ("x", "circle(x + 1)", {}),
    "nought": ("", "5", {}),
    "double-0": ("x", "x + 1", {}),
    **{f"double-{n}": ("x", f"double_{n - 1}(x) + double_{n - 1}(x)", {}) for n in range(1, 13)},
    "nested-0": ("x", "x", {}),
    **{f"nested-{n}": ("x", f"-nested_{n - 1}(x)", {}) for n in range(1, 120)},
}
"""Inputs, formula and steps of each calculator."""


def library() -> dict[str, Any]:
    inputs = {name: [word for word in names.split(", ") if word] for name, (names, _, _) in CALCULATORS.items()}
    vocabulary = Vocabulary(inputs, {"tier": "rank"})
    return {
        "entities": entities(),
        "calculators": {
            name: {
                "inputs": inputs[name],
                "steps": [[step, parse(text, vocabulary)] for step, text in steps.items()],
                "ast": parse(formula, vocabulary),
            }
            for name, (_, formula, steps) in CALCULATORS.items()
        },
    }


SEEDS = sample(range(3, 8), 5)
"""Seeds of the random trees; `make test` uses one of them."""
TREES_PER_SEED = 4_100
"""Random trees for each seed. Five seeds give 20,500; the tests require at least 20,000."""
LIBRARIES: tuple[dict[str, Any], ...] = (library(), {}, {"entities": {}, "calculators": {}})


@cache
def cases() -> tuple[Case, ...]:
    """Return the same trees in every run: most are valid, many are not, a few are too deep or too long."""
    return tuple(case for seed in SEEDS for case in _grown(seed))


def _grown(seed: int) -> Iterator[Case]:
    chance = random.Random(seed)
    for _ in range(TREES_PER_SEED):
        grower = _Grower(chance)
        kind = chance.random()
        if kind < 0.02:
            tree = grower.tower(chance.randint(150, 230))
        elif kind < 0.03:
            tree = grower.called(f"double-{chance.randint(8, 12)}")
        elif kind < 0.04:
            tree = grower.called(chance.choice(("circle", "nested-40", "nested-64", "nested-70", "nested-119")))
        else:
            tree = grower.tree(chance.choice(SORTS), chance.choice((1, 2, 2, 3, 3, 4, 5)))
        # Unused names would only make the case longer.
        used = {node["name"] for node in formula_nodes(tree) if node["node"] == "name"}
        scope = {name: value for name, value in grower.scope().items() if name in used}
        yield Case(tree, scope, 0 if chance.random() < 0.95 else chance.randint(1, 2))


SORTS = (*["number"] * 7, *["boolean"] * 4, "numbers", "pairs", "record", "records", "values", "text", "none", "dice")
"""Types of trees; repeated types are chosen more often."""


class _Grower:
    """Grows one tree. `at` counts its nodes, so each node has a different position."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.places = 0
        self.strange = chance.random() < 0.4
        """Whether wrong types and unusual numbers are allowed."""

    def node(self, sort: str, **rest: Any) -> Tree:
        self.places += 1
        return {"node": sort, **rest, "at": self.places}

    def call(self, name: str, *of: Tree) -> Tree:
        return self.node("call", name=name, of=list(of))

    def scope(self) -> dict[str, Any]:
        """Return a value for each name; in unusual cases some have the wrong type."""
        things = LIBRARIES[0]["entities"]["thing-of-note"]
        scope = {
            "a": self.number(),
            "b": self.number(),
            "c": self.chance.random() < 0.5,
            "d": self.chance.choice(TEXTS),
            "e": [self.number() for _ in range(self.chance.randint(0, 4))],
            "f": self.chance.choice(things),
            "g": self.chance.sample(things, self.chance.randint(0, 4)),
            "h": self.chance.choice(PARSED_DICE),
            "i": None,
            "j": [[n, 0.25] for n in range(self.chance.randint(0, 4))],
            "k": {"min": 1, "max": 3},
        }
        if self.strange:
            scope[self.chance.choice(("a", "e", "g", "j", "__proto__", "constructor"))] = self.chance.choice(
                (self.number(), None, "text", [], [None], [[1]], {"id": "g/tier/row-1"}, {}, True, {"min": 2})
            )
        return scope

    def number(self) -> float:
        chance = self.chance.random()
        if chance < 0.5 or not self.strange:
            return float(self.chance.randint(-5, 30))
        if chance < 0.6:
            return self.chance.uniform(-1000, 1000)
        return self.chance.choice(LARGE) if chance < 0.7 else self.chance.choice(ODD_NUMBERS)

    def tower(self, height: int) -> Tree:
        tree = self.node("name", name="a")
        for _ in range(height):
            match self.chance.randint(0, 3):
                case 0:
                    tree = self.call("negate", tree)
                case 1:
                    tree = self.call("+", self.node("number", value=1), tree)
                case 2:
                    tree = self.node("if", of=[self.node("boolean", value=True), tree, self.node("none")])
                case _:
                    tree = self.call("max", tree, self.node("number", value=0))
        return tree

    def called(self, calculator: str) -> Tree:
        inputs = LIBRARIES[0]["calculators"].get(calculator, {"inputs": ["x"]})["inputs"]
        of = [self.tree("records" if name == "list" else "number", 1) for name in inputs]
        return self.node("calculator", calculator=calculator, inputs=inputs, of=of)

    def tree(self, sort: str, depth: int) -> Tree:
        """Return a tree with a value of a sort; in unusual cases occasionally of another sort."""
        if self.strange and self.chance.random() < 0.06:
            sort = self.chance.choice(SORTS)
        if depth > 0 and self.chance.random() < 0.08:
            return self.node("if", of=[self.tree(operand_sort, depth - 1) for operand_sort in ("boolean", sort, sort)])
        ways = LEAVES if depth <= 0 or self.chance.random() < 0.1 else BRANCHES
        return self.chance.choice(ways[sort])(self, depth - 1)


Way = Callable[[_Grower, int], Tree]
PARSED_DICE = tuple(parse(f'dice("{expression}")') for expression in DICE)


def _name(*names: str) -> Way:
    def grow(g: _Grower, _: int) -> Tree:
        return g.node("name", name=g.chance.choice(NAMES if g.strange and g.chance.random() < 0.1 else names))

    return grow


def _literal(sort: str, pick: Callable[[_Grower], Any]) -> Way:
    return lambda g, _: g.node(sort, value=pick(g))


def _apply(name: str, *sorts: str) -> Way:
    return lambda g, depth: g.call(name, *(g.tree(sort, depth) for sort in sorts))


def _some(name: str, most: int = 4) -> Way:
    return lambda g, depth: g.call(name, *(g.tree("number", depth) for _ in range(g.chance.randint(1, most))))


SORTS_OF: Mapping[str, tuple[str, ...]] = {
    "number": ("number",),
    "plain number": ("number",),
    "numbers": ("numbers",),
    "list": ("numbers", "records"),
    "dice": ("dice",),
    "outcomes": ("pairs",),
    "dice or outcomes": ("dice", "pairs"),
}
"""The sorts of value that an argument accepts."""


def _calls(name: str, function: Function) -> Iterator[Way]:
    """Return the ways to call a function: with each sort that its arguments accept, and with several numbers."""
    takes = [argument.takes for argument in function.arguments.values()]
    yield from (_apply(name, *sorts) for sorts in product(*(SORTS_OF[sort] for sort in takes)))
    if takes == ["numbers"]:
        yield _some(name)


def _list(sort: str) -> Way:
    return lambda g, depth: g.node("list", of=[g.tree(sort, depth) for _ in range(g.chance.randint(0, 3))])


def _field(sort: str, *names: str) -> Way:
    def grow(g: _Grower, depth: int) -> Tree:
        name = g.chance.choice(("constructor", "__proto__", "nothing") if g.chance.random() < 0.05 else names)
        return g.node("field", field=name, of=[g.tree(sort, depth)])

    return grow


def _lookup(kind: str, field: str, sort: str) -> Way:
    def grow(g: _Grower, depth: int) -> Tree:
        where = g.chance.choice(("constructor", "__proto__", "nothing")) if g.chance.random() < 0.05 else kind
        return g.node("lookup", kind=where, field=field, of=[g.tree(sort, depth)])

    return grow


def _where(field: str, sort: str, *more: str) -> Way:
    return lambda g, depth: g.node(
        "where",
        fields=[field, *more],
        of=[g.tree("records", depth), g.tree(sort, depth), *(g.tree("text", 0) for _ in more)],
    )


def _known(*names: str) -> Way:
    def grow(g: _Grower, _: int) -> Tree:
        return g.called(g.chance.choice(("constructor", "nobody") if g.chance.random() < 0.05 else names))

    return grow


def _dice(g: _Grower, _: int) -> Tree:
    return {**g.chance.choice(PARSED_DICE), "at": g.node("none")["at"]}


def _small(g: _Grower) -> float:
    number = g.chance.randint(0, 12) if g.chance.random() < 0.8 else g.number()
    return number if isfinite(number) else 0.1


def _slug(g: _Grower) -> Tree:
    return g.node("text", value=g.chance.choice(("axe", "bow", "row-1", "row-5", "odd")))


LEAVES: Mapping[str, tuple[Way, ...]] = {
    "number": (_literal("number", _small), _name("a", "b")),
    "boolean": (_literal("boolean", lambda g: g.chance.random() < 0.5), _name("c")),
    "text": (_literal("text", lambda g: g.chance.choice(TEXTS)), _name("d")),
    "numbers": (_name("e"), _list("number")),
    "pairs": (_name("j"),),
    "record": (_name("f"),),
    "records": (_name("g"),),
    "dice": (_name("h"), _dice),
    "values": (_name("e", "g", "j"), _list("none")),
    "none": (lambda g, _: g.node("none"), _name("i")),
}
"""For each type, the trees of that type without children."""

BRANCHES: Mapping[str, tuple[Way, ...]] = {
    "number": (
        *(_apply(name, "number", "number") for name in ("+", "-", "*", "/", "//", "%")),
        _apply("negate", "number"),
        *(way for name, function in FUNCTIONS.items() for way in _calls(name, function)),
        lambda g, _: g.call("successes", *(g.node("number", value=v) for v in (g.chance.randint(0, 9), 2, 0.3))),
        _field("record", "weight", "constructor"),
        _known("half", "rank-of", "steps", "weights", "nought", "double-2", "nested-3"),
    ),
    "boolean": (
        *(_apply(name, "number", "number") for name in ("<", "<=", ">", ">=", "==", "!=")),
        *(
            _apply(name, sort, sort)
            for name in ("==", "!=")
            for sort in ("text", "record", "none", "boolean", "values")
        ),
        _apply("==", "values", "number"),
        _apply("not", "boolean"),
        *(_apply(name, "boolean", "boolean") for name in ("and", "or")),
        _apply("in", "number", "numbers"),
        _apply("in", "text", "values"),
        _apply("in", "record", "records"),
    ),
    "text": (_field("record", "slug", "name", "owner", "id"), _literal("text", lambda g: g.chance.choice(TEXTS))),
    "numbers": (_list("number"), _field("records", "weight"), _list("number")),
    "pairs": (
        lambda g, _: g.node(
            "list",
            of=[
                g.node("list", of=[g.node("number", value=g.chance.randint(0, 5)), g.node("number", value=chance)])
                for chance in g.chance.choice(((0.5, 0.5), (1.0,), (0.25, 0.25, 0.5), (0.1, 0.2, 0.3, 0.4), (0.0,), ()))
            ],
        ),
        _list("numbers"),
    ),
    "record": (
        _lookup("tier", "rank", "number"),
        _lookup("tier", "levels", "number"),
        _lookup("tier", "fails", "none"),
        _lookup("thing-of-note", "reach", "number"),
        lambda g, _: g.node("lookup", kind="thing-of-note", field="weight", of=[_slug(g)]),
        lambda g, _: g.node("lookup", kind="tier", field="slug", of=[_slug(g)]),
        _field("record", "reach"),
    ),
    "records": (
        lambda g, _: g.node("list", of=[g.tree("record", 0) for _ in range(g.chance.randint(0, 3))]),
        _where("slug", "text"),
        _where("tags", "text"),
        _where("tags", "values", "kind"),
        _where("weight", "numbers"),
        _where("owner", "none"),
        _field("records", "effects"),
    ),
    "dice": (_dice,),
    "values": (_list("text"), _list("record"), _field("records", "tags", "slug", "weight"), _list("values")),
    "none": (_field("record", "owner", "nothing"), lambda g, _: g.node("none")),
}
"""For each type, the generators that compute it from other values."""


# --- encoding for JSON


def encode(value: Any) -> Any:
    """Return a value as JSON, with infinities and NaN encoded as bits."""
    match value:
        case float() if not isfinite(value):
            return {BITS: bits(value)}
        case Mapping():
            return {key: encode(member) for key, member in value.items()}
        case list() | tuple():
            return [encode(item) for item in value]
        case _:
            return value


def bits(number: float) -> str:
    """Return the 64 bits of a double in hexadecimal; all NaN values are equal."""
    return struct.pack(">d", nan if isnan(number) else number).hex()


def encode_result(value: Any) -> Any:
    """Return a result for comparison, with each number encoded as bits."""
    match value:
        case bool() | str() | None:
            return value
        case int() | float():
            return {BITS: bits(value)}
        case Mapping():
            return {key: encode_result(member) for key, member in value.items()}
        case _:
            return [encode_result(item) for item in value]


def answer(case: Case) -> Any:
    try:
        return {"value": encode_result(evaluate(case.tree, case.scope, LIBRARIES[case.library]))}
    except FormulaError as error:
        return {"code": error.code, "at": error.at}


ANSWER = """\
(() => {
  const view = new DataView(new ArrayBuffer(8));
  const unpack = (value) => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(unpack);
    if (Object.hasOwn(value, "$bits")) {
      view.setBigUint64(0, BigInt("0x" + value.$bits));
      return view.getFloat64(0);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpack(one)]));
  };
  const show = (value) => {
    if (typeof value === "number") {
      view.setFloat64(0, value);
      return { $bits: Number.isNaN(value) ? "7ff8000000000000" : view.getBigUint64(0).toString(16).padStart(16, "0") };
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(show);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, show(one)]));
  };
  globalThis.answer = ({ libraries, cases }) => {
    const known = libraries.map(unpack);
    return cases.map(([tree, scope, library]) => {
      try {
        return { value: show(kismet.evaluate(tree, unpack(scope), known[library])) };
      } catch (error) {
        return error.code ? { code: error.code, at: error.at } : { thrown: String(error.stack ?? error) };
      }
    });
  };
})();
"""
"""Defines the function `answer`, which evaluates the cases with the site's script."""


def question() -> Any:
    return {
        "libraries": encode(LIBRARIES),
        "cases": [[case.tree, encode(case.scope), case.library] for case in cases()],
    }


@cache
def answers() -> tuple[Any, ...]:
    return tuple(map(answer, cases()))
