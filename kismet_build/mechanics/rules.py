"""The rules of one game as a library: search, look things up, calculate.

This library reads published data alone. Python packages contain unchanged copies of this file and of all that it
imports, so their imports are relative.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random, SystemRandom
from typing import Any, Literal, NamedTuple

from ..model.suggestion import unknown
from ..model.text_normalization import normalize
from .dice import DiceError, Distribution, odds, parse
from .dice.table_notation import check_counts, in_dice_notation
from .formula.evaluation import evaluate
from .formula.tree import FormulaError
from .formula.values import to_plain_value
from .inputs import InputError, InputRule, resolve
from .search.index import Index
from .search.rank import Result, answers, of_named_games, passage, rank
from .situation import GIVEN, SIDES, Influence, influences
from .table_results import TableResult, decided_columns, have_own_rolls, results_of

MAX_FOUND = 10
"""Default number of results of a search."""
MAX_NEAREST = 3
"""Number of results that follow an answer, or replace a missing one."""
MAX_PASSAGE, MAX_ANSWER = 140, 320
"""Maximum number of characters of a passage, and of a passage that answers a question, with added sentences, rows or
fields.
"""
TYPES = {
    **{"k": "kind", "b": "board", "t": "tag", "c": "chapter", "s": "section"},
    **{"x": "calculator", "y": "sheet", "u": "unwritten"},
}
"""The types of entries, by their letter in a search index."""


class Found(NamedTuple):
    """A place in the book that was found."""

    id: str | None
    """The id of the entity, section or calculator; `None` for other pages, such as the page of a kind."""
    name: str
    kind: str
    """The kind of an entity, or `section`, `chapter`, `calculator`, `sheet`, `board`, `tag`, `kind`, `unwritten`."""
    passage: str
    """The sentence, row or field that fits best, and short ones after it. Empty for a calculator."""
    ruling: bool
    """Whether the passage is not from the book but by its editors: a question that the book leaves open, and their
    ruling.
    """
    place: Sequence[str]
    """The titles of the chapter and the headings above the place."""
    url: str
    """The address of the place, relative to the address of the website."""
    score: int
    """How well the place fits: higher is better."""


class Answer(NamedTuple):
    """What the rules say about a question."""

    found: Found | None
    """The answer; `None` if the rules have none."""
    calculator: Found | None
    """A calculator for the answer, which may be the answer itself."""
    nearest: Sequence[Found]
    """Other places, the best first."""


class Step(NamedTuple):
    """A step of a calculation, or its result."""

    label: str
    value: Any
    """The value as in JSON: an id for an entity, the notation for dice."""
    unit: str
    citation: Mapping[str, Any] | None
    """The passage of the text, as in the data of the calculator."""


class Calculation(NamedTuple):
    """The result of a calculator."""

    id: str
    title: str
    inputs: Mapping[str, Any]
    """The value of each input, including defaults."""
    result: Step
    steps: Sequence[Step]


class TableRoll(NamedTuple):
    """The result of a roll on a table."""

    id: str
    die: str
    """The dice that are rolled, such as `1d10`."""
    value: int
    row: int
    """The position of the row in `rows` of the table."""
    columns: Sequence[str]
    """The titles of the columns in which the roll chooses a cell."""
    cells: Sequence[str]
    """The words of the cells in these columns."""


class Situation(NamedTuple):
    """The chance of a roll with states of both sides."""

    calculation: Calculation
    applied: Sequence[Influence]
    """The effects that change the chance."""
    asked: Sequence[Influence]
    """Effects that need an answer."""
    left: Sequence[Influence]
    """Effects that no input takes, and effects that another one replaces."""


class RulesError(ValueError):
    """A request for something that the rules do not have: a calculator, an input, a value or a result.

    `code` is the same as in the npm package. The codes are `unknown-calculator`; a fault of a value, such as
    `out-of-range`; the code of a formula without a result, such as `zero`; `dice`; for a roll on a table,
    `unknown-table`, `no-dice`, `unknown-column` or `no-row`; for a situation, `unknown-roll`, `unknown-state`,
    `unknown-effect` or `wrong-type`; or, for any name, `ambiguous-name`. `input` is the name of the refused input, or
    `None`.
    """

    def __init__(self, code: str, message: str, input: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.input = input


class Rules:
    """The rules of one game. `read` returns the content of a data file, such as `pack.json`."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    @cached_property
    def pack(self) -> Mapping[str, Any]:
        """The content of `pack.json`."""
        pack: Mapping[str, Any] = self._read("pack.json")
        return pack

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Every folded name with the ids that it may refer to; the id of the definition comes first."""
        names: Mapping[str, Sequence[str]] = self._read("names.json")["names"]
        return names

    @cached_property
    def items(self) -> Mapping[str, Any]:
        """Every entity, section, table and calculator, by id."""
        pack = self.pack
        lists = (*pack["entities"].values(), pack["sections"], pack["tables"], pack["calculators"])
        return {item["id"]: item for of_list in lists for item in of_list}

    @cached_property
    def _moved(self) -> Mapping[str, str]:
        return {migration["from"]: migration["to"] for migration in self._read("migrations.json")}

    def _with_id(self, id: str) -> Any:
        """The item with this id, or with the id that has replaced it; `None` if there is none."""
        seen = set()
        while id not in self.items and id in self._moved and id not in seen:
            seen.add(id)
            id = self._moved[id]
        return self.items.get(id)

    def find(self, name: str) -> list[Any]:
        """The entities, sections and tables that a name refers to; the definition comes first."""
        return [item for id in self.names.get(normalize(name), ()) if (item := self.items.get(id)) is not None]

    def meanings(self, name: str) -> list[Any]:
        """The items that an id or a name may mean, the most likely first.

        If there is an item with this id, current or earlier, with or without the game at the start, it is the only one.
        Otherwise they are the items that the name refers to, and the calculator whose id ends with it. `game/slug` is
        enough for a calculator.
        """
        game, id = self.pack["game"]["id"], name.strip().lower()
        with_id = (self._with_id(id), self._with_id(f"{game}/{id}"))
        named = next(([item] for item in with_id if item is not None), self.find(name))
        calculator = self._with_id(f"{game}/calculator/{id.removeprefix(f'{game}/')}")
        return named if calculator is None else [*named, calculator]

    def get(self, name: str, kind: str | None = None) -> Any:
        """The entity, section, table or calculator that an id or a name means, or `None`.

        The id may be an earlier one, and may lack the game at the start; the last part of its id is enough for a
        calculator. If a name fits several types of items, an entity precedes a section, and a section precedes a table.
        `kind`: find only entities of this kind. Raises `RulesError` if the name has several meanings.
        """
        return _only(name, [item for item in self.meanings(name) if kind is None or item.get("kind") == kind])

    def text(self, item: Any, form: Literal["text", "html"] = "text") -> str:
        """The complete text of an entity or a section, or an empty string for a table or a calculator."""
        if "content" not in item:
            return str(item[form]) if "kind" in item else ""
        parts = []
        for part in item["content"]:
            if "entity" in part:
                first, end = part.get("lines", {}).get(form, (0, None))
                parts.append("\n".join(self.items[part["entity"]][form].split("\n")[first:end]))
            else:
                parts.append(part[form])
        return "\n".join(filter(None, parts))

    # --- calculators and dice

    @cached_property
    def entities(self) -> Mapping[str, Sequence[dict[str, Any]]]:
        """Entities by kind, in text order, as records for formulas."""
        return records(self.pack)

    @cached_property
    def aliases(self) -> Mapping[str, Sequence[str]]:
        """Other names of entities, by id."""
        return {entity["id"]: entity["aliases"] for kind in self.pack["entities"].values() for entity in kind}

    @cached_property
    def kind_titles(self) -> Mapping[str, str]:
        """Titles by kind."""
        return {kind: described["title"] for kind, described in self.pack["kinds"].items()}

    @cached_property
    def _library(self) -> Mapping[str, Any]:
        calculators = {
            _slug(calculator): {
                "inputs": [given["name"] for given in calculator["inputs"]],
                "steps": [(step["name"], step["ast"]) for step in calculator["steps"]],
                "ast": calculator["ast"],
            }
            for calculator in self.pack["calculators"]
        }
        return {"entities": self.entities, "calculators": calculators, "result_cache": {}}

    def calculate(self, id: str, values: Mapping[str, Any] | None = None) -> Calculation:
        """Run a calculator, given by its id or the last part of the id.

        Inputs without a value have their defaults. Raises `RulesError`.
        """
        calculator = pick("calculator", id, self.meanings(id), self.pack["calculators"])
        return self._calculated(calculator, values or {})

    def _calculated(
        self, calculator: Mapping[str, Any], values: Mapping[str, Any], influences: Sequence[Influence] = ()
    ) -> Calculation:
        """The result of a calculator. The values of influences may be outside the range of their input."""
        inputs = {given["name"]: given for given in calculator["inputs"]}
        for name in values:
            if name not in inputs:
                raise RulesError("unknown-input", unknown("input", name, inputs), name)
        try:
            scope: dict[str, Any] = {
                name: resolve(self, input_rule(given), values.get(name, given["default"]))
                for name, given in inputs.items()
            }
            for influence in influences:
                given = inputs[str(influence.input)]
                rule = input_rule({**given, "many": True})
                fed = resolve(self, rule, influence.values) if rule.type == "entity" else influence.values
                scope[rule.name] = [*scope[rule.name], *fed] if given.get("many") else fed[-1]
            used = dict(scope)
            for step in calculator["steps"]:
                scope[step["name"]] = evaluate(step["ast"], scope, self._library)
            value = evaluate(calculator["ast"], scope, self._library)
        except InputError as problem:
            raise RulesError(problem.code, str(problem), problem.name) from None
        except FormulaError as problem:
            raise RulesError(problem.code, problem.message) from None
        steps = [
            Step(step["label"], to_plain_value(scope[step["name"]]), step["unit"], step["citation"])
            for step in calculator["steps"]
        ]
        result = calculator["result"]
        return Calculation(
            calculator["id"],
            calculator["title"],
            to_plain_value(used),
            Step(result["label"], to_plain_value(value), result["unit"], calculator["citation"]),
            steps,
        )

    def situation(
        self,
        roll: str,
        on: Sequence[str] = (),
        target: Sequence[str] = (),
        values: Mapping[str, Any] | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> Situation:
        """The chance of a roll with states of both sides. Raises `RulesError`.

        `roll` is the id of the roll. `on` has the states of the one who rolls, and `target` those of the other side. A
        state is the id, `kind/slug` or name of an entity with effects. `values` are the values of other inputs of the
        roll's calculator. `answers` has, by the key of an influence that needs an answer, `True` if its condition or
        exception applies, or its value, which implies that its condition applies.
        """
        rolls = {each["id"]: each for each in self.pack.get("rolls", ())}
        if roll not in rolls:
            raise RulesError("unknown-roll", unknown("roll", roll, rolls))
        names = ([each] if isinstance(each, str) else each for each in (on, target))
        with_effects = [entity for kind in self.pack["entities"].values() for entity in kind if entity["effects"]]
        states = {
            side: [pick("state", name, self.meanings(name), with_effects) for name in of_side]
            for side, of_side in zip(SIDES, names, strict=True)
        }
        calculator = self.items[rolls[roll]["calculator"]]
        many = frozenset(given["name"] for given in calculator["inputs"] if given.get("many"))
        answers = answers or {}
        sorted_ = influences(rolls, roll, many, states, answers, self.pack.get("circumstances", {}))
        keys = {influence.key for group in sorted_ for influence in group}
        if other := next((key for key in answers if key not in keys), None):
            raise RulesError("unknown-effect", f'the chosen states have no effect "{other}" on this roll')
        for influence in (each for group in sorted_ for each in group if GIVEN not in each.asks):
            if not isinstance(answers.get(influence.key, True), bool):
                raise RulesError("wrong-type", f'the answer to "{influence.key}" must be true or false')
        return Situation(self._calculated(calculator, values or {}, sorted_.applied), *sorted_)

    def roll_table(
        self, table: str, value: int | None = None, column: str | None = None, random: Random | None = None
    ) -> TableRoll:
        """Roll on a table, given by its id or a name, or look up the result `value`.

        Raises `RulesError`. `column` is the title of the column to roll on, if each column has a roll of its own; by
        default, it is the first. A result without a row is rolled again.
        """
        found = pick("table", table, self.meanings(table), self.pack["tables"])
        id, die, titles = found["id"], found["die"], found["columns"]
        if die is None:
            raise RulesError("no-dice", f"{id} does not say which dice to roll")
        results = [*results_of(found)]
        columns = sorted({result.column for result in results})
        own = {normalize(titles[at]): at for at in reversed(columns)} if have_own_rolls(columns) else {}
        if column is not None and normalize(column) not in own:
            raise RulesError("unknown-column", unknown("column", column, [titles[at] for at in columns] if own else ()))
        if own:
            rolled = columns[0] if column is None else own[normalize(column)]
            results = [result for result in results if result.column == rolled]

        def find_result(number: int) -> TableResult | None:
            return next((result for result in results if result.contains(number)), None)

        if value is None:
            chances = [(number, float(chance)) for number, chance in dice_odds(die).outcomes if find_result(number)]
            if not chances:
                raise RulesError("no-row", f"{id} has no row for any result of {die}")
            numbers, weights = zip(*chances, strict=True)
            value = (random or SystemRandom()).choices(numbers, weights)[0]
        result = find_result(value)
        if result is None:
            raise RulesError("no-row", f"{id} has no row for {value}")
        shown = decided_columns(len(titles), result.column, columns)
        cells = found["rows"][result.row]
        return TableRoll(id, die, value, result.row, [titles[at] for at in shown], [cells[at] for at in shown])

    # --- search

    @cached_property
    def index(self) -> Index:
        """The search index."""
        data = self._read("search.json")
        return Index(data, data["synonyms"])

    @cached_property
    def _ids(self) -> Mapping[tuple[str, ...], str]:
        """The ids of sections and calculators by type and address.

        For entities, which may share an address, the key also has the name.
        """
        pack = self.pack
        places = (("section", pack["sections"]), ("calculator", pack["calculators"]))
        return {
            **{(kind, item["url"]): item["id"] for kind, items in places for item in items},
            **{(kind, each["url"], each["name"]): each["id"] for kind, of in pack["entities"].items() for each in of},
        }

    @cached_property
    def _listed(self) -> Mapping[str, Found]:
        """By id, entities, sections and calculators as they are in the search index."""
        every = (self._entry(number) for number in range(len(self.index.entries)))
        return {found.id: found for found in every if found.id is not None}

    def place(self, item: Mapping[str, Any]) -> Sequence[str]:
        """The titles of the chapter and headings above an item, as in `Found`."""
        if found := self._listed.get(item["id"]):
            return found.place
        section = self._listed.get(item.get("section") or "")
        return [*section.place, section.name] if section else item["source"]["headings"]

    def search(self, question: str, limit: int = MAX_FOUND) -> list[Found]:
        """The places that fit some words or a question, the best first."""
        return [self._found(result, MAX_PASSAGE) for result in rank([self.index], question).found[:limit]]

    def ask(self, question: str) -> Answer:
        """The answer to a question, if the rules have one, and the places nearest to it."""
        found = rank([self.index], question).found
        best = answers(found)
        nearest = [result for result in found if result not in best][:MAX_NEAREST]
        return Answer(
            self._found(best[0], MAX_ANSWER) if best else None,
            self._found(best[-1], MAX_ANSWER) if best and best[-1].is_calculator else None,
            [self._found(result, MAX_PASSAGE) for result in nearest],
        )

    def _found(self, result: Result, most: int) -> Found:
        found = self._entry(result.entry)
        return found._replace(passage=passage(result, most), ruling=result.is_ruling, score=result.score)

    def _entry(self, number: int) -> Found:
        """An entry of the search index, without a passage."""
        index = self.index
        letter, name, address, *_ = index.entries[number]
        kind = index.kinds[letter][4] if isinstance(letter, int) else TYPES[letter]
        url = f"{index.game}/{address}"
        listed = {"chapter": "section", "sheet": "calculator"}.get(kind, kind)
        place = [index.entries[above][1] for above in index.headings_above(number)]
        id = self._ids.get((listed, url, name) if isinstance(letter, int) else (listed, url))
        return Found(id, name, kind, "", ruling=False, place=place[::-1], url=url, score=0)


def _slug(item: Mapping[str, Any]) -> str:
    slug: str = item["id"].rpartition("/")[2]
    return slug


def label(item: Mapping[str, Any]) -> str:
    """The words that name an item: the name of an entity, section or table, or the last part of a calculator's id."""
    named = (item.get(key) for key in ("name", "caption", *(("title",) if "content" in item else ())))
    return next(filter(None, named), _slug(item))


def pick(noun: str, name: str, meanings: Sequence[Any], known: Sequence[Any]) -> Any:
    """The only item among the meanings of a name that is in `known`.

    `noun` is the word for such items in messages. Raises `RulesError`.
    """
    ids = [item["id"] for item in known]
    found = _only(name, [item for item in meanings if item["id"] in ids])
    if found is None:
        raise RulesError(f"unknown-{noun}", unknown(noun, name, dict.fromkeys(map(label, known)), ids))
    return found


def _only(name: str, items: Sequence[Any]) -> Any:
    """The first of the items that a name may mean, or `None`.

    Raises `RulesError` if another item of the same type follows.
    """
    alike = [item for item in items if _sort(item) == _sort(items[0])]
    if len(alike) > 1:
        ids = ", ".join(item["id"] for item in alike)
        raise RulesError("ambiguous-name", f'"{name}" has several meanings: choose from {ids}')
    return alike[0] if alike else None


def _sort(item: Mapping[str, Any]) -> str:
    """The type of an item: `entity`, or the second part of its id, such as `table`."""
    return "entity" if "kind" in item else item["id"].split("/")[1]


def named_games(question: str, all_rules: Sequence[Rules]) -> Sequence[Rules]:
    """The games that a question names, or all games if it names none."""
    named, _ = of_named_games([rules.index for rules in all_rules], question)
    return [rules for rules in all_rules if rules.index in named]


def dice_odds(expression: str) -> Distribution:
    """The exact odds of a roll in dice notation or in players' short forms: `2d6+1`, `d20 adv`. Raises `RulesError`."""
    roll = in_dice_notation(expression)
    try:
        check_counts(roll)
        return odds(parse(roll))
    except DiceError as problem:
        raise RulesError("dice", problem.message) from None


def records(pack: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The entities of a pack by kind, as records for formulas."""
    return {
        kind: [
            {
                **entity["fields"],
                "id": entity["id"],
                "slug": _slug(entity),
                "name": entity["name"],
                "kind": kind,
                "effects": [{key: effect[key] for key in effect if key != "citation"} for effect in entity["effects"]],
            }
            for entity in of_kind
        ]
        for kind, of_kind in pack["entities"].items()
    }


def input_rule(given: Mapping[str, Any]) -> InputRule:
    """The rule of an input in published data."""
    return InputRule(
        name=given["name"],
        label=given["label"],
        type=given["type"],
        unit=given.get("unit", ""),
        low=given.get("min"),
        high=given.get("max"),
        step=given.get("step"),
        default=given["default"],
        options=tuple(given.get("options", ())),
        kinds=tuple(given.get("kinds", ())),
        many=given.get("many", False),
    )
