"""The command `kismet ask`: what the rules say about a question, and where. `kismet mcp` answers with the same JSON."""

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.config.language.catalog import catalog
from kismet_build.mechanics.inputs import InputRule, input_fault
from kismet_build.mechanics.rules import (
    Answer,
    Calculation,
    Found,
    Rules,
    RulesError,
    Step,
    input_rule,
    named_games,
)
from kismet_build.mechanics.search.words import fold_words, stem
from kismet_build.render.components.value_text import format_value, interpolate

# --- values of a calculator's inputs in a question

WORD_OR_NUMBER = re.compile(r"(?<![\w.])[+−-]?\d+(?!\w)|\w+")
BEFORE, AFTER = (5, 3, 2, 1), (4, 2)
"""How much a word counts for a number after or before it, by distance.

Words usually precede their number: `defense 9`.
"""


class _Number(NamedTuple):
    value: int
    weights: Mapping[str, int]
    """How much each stem beside the number counts."""


class Given(NamedTuple):
    """The values in a question for the inputs of a calculator."""

    values: Mapping[str, Any]
    """By input name; inputs without a value are left out."""
    has_unused: bool
    """Whether the question has a number that belongs to no input."""


def given_values(question: str, rules: Rules, inputs: Sequence[InputRule]) -> Given:
    """The values in a question.

    A number belongs to the input whose label and unit fit the words beside the number best: `a speed of 8`. A number
    without such words belongs to the only input left, if the question has as many numbers as the calculator has inputs
    for numbers. A choice or an entity gets the option or name that is among the words. An
    option to tick is ticked if its label is among them.
    """
    words = [match.group() for match in WORD_OR_NUMBER.finditer(question)]
    numeric = [rule for rule in inputs if rule.type in ("integer", "number") and not rule.many]
    index = rules.index
    numbers = dict(_numbers(words, index.ignored))
    labels = {rule.name: [index.content(fold_words(rule.label)), fold_words(rule.unit)] for rule in numeric}
    scores = {
        (place, rule.name): score
        for place, number in numbers.items()
        for rule in numeric
        if input_fault(rule, number.value) is None and (score := _score(number, *labels[rule.name]))
    }
    given: dict[str, Any] = {}
    left = {**numbers}
    for place, name in sorted(scores, key=lambda pair: -scores[pair]):
        rivals = (other for of, other in scores if of == place and other not in (*given, name))
        if place in left and name not in given and all(scores[place, each] < scores[place, name] for each in rivals):
            given[name] = left.pop(place).value
    rest = [rule for rule in numeric if rule.name not in given]
    if len(numbers) == len(numeric) and len(rest) == len(left) == 1:
        ((_, number),) = left.items()
        if input_fault(rest[0], number.value) is None:
            given[rest[0].name], left = number.value, {}
    # The word before a number is a label: `bonus 6` is not a bonus die.
    told = (word for place, word in enumerate(words) if place + 1 not in numbers)
    stems = {stem(folded) for word in told for folded in fold_words(word)}
    for rule in inputs:
        named = _named(_options(rules, rule), stems) if rule.type in ("choice", "entity") and not rule.many else None
        if named is not None:
            given[rule.name] = named
        elif (
            rule.type == "boolean" and (label := index.content(fold_words(rule.label))) and stems >= {*map(stem, label)}
        ):
            given[rule.name] = True
    return Given(given, bool(left))


def _numbers(words: Sequence[str], ignored: Container[str]) -> Iterator[tuple[int, _Number]]:
    places = [place for place, word in enumerate(words) if word[-1].isdecimal() and word.lstrip("+−-").isdecimal()]
    for before, place, after in zip([-1, *places], places, [*places[1:], len(words)], strict=False):
        weights: dict[str, int] = {}
        for near, listed in ((BEFORE, words[before + 1 : place][::-1]), (AFTER, words[place + 1 : after])):
            telling = (folded for word in listed for folded in fold_words(word) if folded not in ignored)
            for weight, word in zip(near, telling, strict=False):
                weights[stem(word)] = max(weight, weights.get(stem(word), 0))
        yield place, _Number(int(words[place].replace("−", "-")), weights)


def _score(number: _Number, label: Sequence[str], unit: Sequence[str]) -> int:
    """How well the words beside a number fit the words of an input. The first word of the label counts more."""
    own = [*map(stem, label)]
    found = sum(3 * number.weights.get(word, 0) for word in {*own, *map(stem, unit)})
    return found + sum(number.weights.get(word, 0) for word in own[:1])


def _options(rules: Rules, rule: InputRule) -> Iterable[tuple[str, str]]:
    if rule.type == "choice":
        return ((option, option) for option in rule.options)
    of_kinds = (entity for kind in rule.kinds for entity in rules.entities.get(kind, ()))
    return ((name, each["id"]) for each in of_kinds for name in (each["name"], *rules.aliases[each["id"]]))


def _named(options: Iterable[tuple[str, str]], stems: set[str]) -> str | None:
    """The option whose words are all among the stems.

    Of several such options, the one with most words is returned; `None` without any, or if two have equally many.
    """
    sizes: dict[str, int] = {}
    for name, value in options:
        own = {stem(word) for word in fold_words(name)}
        if own and own <= stems:
            sizes[value] = max(len(own), sizes.get(value, 0))
    longest = [value for value, size in sizes.items() if size == max(sizes.values())]
    return longest[0] if len(longest) == 1 else None


ENGLISH = catalog("en")
"""The words in which commands answer."""
SEPARATOR = " › "
MAX_NEAREST = 3
"""Maximum number of places that follow an answer, or replace a missing one."""


class _Reply(NamedTuple):
    rules: Rules
    answer: Answer

    @property
    def score(self) -> tuple[bool, int]:
        """How well this game answers the question: higher is better."""
        found = (self.answer.found, self.answer.calculator, *self.answer.nearest[:1])
        return self.answer.found is not None, max((each.score for each in found if each), default=0)


def run(question: str, all_rules: Sequence[Rules], *, as_json: bool) -> str:
    """The output of the command for the rules of these games."""
    if as_json:
        return json.dumps(answer_json(question, all_rules), ensure_ascii=False)
    return "\n".join(_text(question, *_ask(question, all_rules)))


def answer_json(question: str, all_rules: Sequence[Rules]) -> dict[str, Any]:
    """What the rules say about a question, as JSON."""
    return _json(question, *_ask(question, all_rules))


def _ask(question: str, all_rules: Sequence[Rules]) -> tuple[_Reply | None, Sequence[tuple[Rules, Found]]]:
    """The best answer or `None`, and the nearest places, from the games that the question names or, if it names none,
    from all games.
    """
    replies = [_Reply(rules, rules.ask(question)) for rules in named_games(question, all_rules)]
    replies.sort(key=lambda reply: reply.score, reverse=True)
    nearest = [(reply.rules, found) for reply in replies for found in reply.answer.nearest]
    nearest = sorted(nearest, key=lambda each: -each[1].score)[:MAX_NEAREST]
    return replies[0] if replies and replies[0].answer.found else None, nearest


def _text(question: str, first: _Reply | None, nearest: Sequence[tuple[Rules, Found]]) -> Iterator[str]:
    if first and first.answer.found:
        found, calculator = first.answer.found, first.answer.calculator
        if found != calculator:
            yield _passage(found)
            yield f"  {_place(first.rules, found)}"
            yield from [""] if calculator else []
        if calculator:
            yield from _calculator_text(question, first.rules, calculator, found)
    else:
        yield "the rules do not say"
    if nearest:
        yield ""
        yield "See also:" if first else "The nearest places:"
    for rules, found in nearest:
        yield f"  {found.name}: {_passage(found)}" if found.passage else f"  {found.name}"
        yield f"    {_place(rules, found)}"
    for game in _games([*([first.rules] if first else []), *(rules for rules, _ in nearest)]):
        yield ""
        yield game["attribution"] or game["licence"]


def _passage(found: Found) -> str:
    return f"[editors’ ruling] {found.passage}" if found.ruling else found.passage


def _place(rules: Rules, found: Found) -> str:
    game = rules.pack["game"]
    titles = dict.fromkeys((game["title"], *found.place, found.name))
    return f"{SEPARATOR.join(titles)} ({address(rules, found.url)})"


def address(rules: Rules, url: str) -> str:
    """The address of a page, which is relative if the address of the website is not known."""
    return f"{rules.pack['game']['url'] or ''}{url}"


def _games(all_rules: Iterable[Rules]) -> list[Mapping[str, Any]]:
    return list({rules.pack["game"]["id"]: rules.pack["game"] for rules in all_rules}.values())


# --- calculators


def _calculator_text(question: str, rules: Rules, calculator: Found, found: Found) -> Iterator[str]:
    given, calculation = _calculated(question, rules, calculator, found)
    yield calculator.name
    if calculation is None:
        yield f"  run it with values: kismet calc {calculator.id}"
        return
    yield f"  {sentence(rules, calculation)}"
    values = _values(rules, calculation)
    for word, is_given in (("for", True), ("assumed:", False)):
        shown = [
            f"{described['label']} {format_value(*values[described['name']], ENGLISH)}"
            for described in rules.items[calculation.id]["inputs"]
            if (described["name"] in given) is is_given
        ]
        if shown:
            yield f"  {word} {', '.join(shown)}"
    yield f"  other values: kismet calc {calculation.id}"


def sentence(rules: Rules, calculation: Calculation) -> str:
    """The result in words."""
    result = rules.items[calculation.id]["result"]
    values = {
        **_values(rules, calculation),
        "result": (_shown(rules, calculation.result.value), result["type"], result["unit"]),
    }
    return interpolate(result["sentence"], values, ENGLISH)


def _values(rules: Rules, calculation: Calculation) -> dict[str, tuple[Any, str, str]]:
    """Value, type and unit of each input and step, by name."""
    calculator = rules.items[calculation.id]
    inputs = {
        described["name"]: (_shown(rules, calculation.inputs[described["name"]]), "", described.get("unit", ""))
        for described in calculator["inputs"]
    }
    steps = {
        step["name"]: (_shown(rules, done.value), step["type"], step["unit"])
        for step, done in zip(calculator["steps"], calculation.steps, strict=True)
    }
    return inputs | steps


def _calculated(
    question: str, rules: Rules, calculator: Found, found: Found | None
) -> tuple[Mapping[str, Any], Calculation | None]:
    """The input values from the question and the entry `found`, and the result of the calculator with these values and
    defaults for the rest.

    The result is `None` if the formula fails, or if a number in the question belongs to no input.
    """
    inputs = [input_rule(each) for each in rules.items[calculator.id or ""]["inputs"]]
    given, has_unused = given_values(question, rules, inputs)
    kind = rules.items.get(found.id or "", {}).get("kind") if found else None
    taking = [rule.name for rule in inputs if rule.type == "entity" and not rule.many and kind in rule.kinds]
    if found and len(taking) == 1:
        given = {taking[0]: found.id, **given}
    try:
        return given, None if has_unused else rules.calculate(calculator.id or "", given)
    except RulesError:
        return given, None


def _shown(rules: Rules, value: Any) -> Any:
    if isinstance(value, list):
        return [_shown(rules, part) for part in value]
    entity = rules.items.get(value) if isinstance(value, str) else None
    return entity["name"] if entity else value


# --- JSON


def _json(question: str, first: _Reply | None, nearest: Sequence[tuple[Rules, Found]]) -> dict[str, Any]:
    game = first.rules.pack["game"] if first else None
    calculator = first.answer.calculator if first else None
    return {
        "question": question,
        "game": game["id"] if game else None,
        "found": found_json(first.rules, first.answer.found) if first and first.answer.found else None,
        "calculator": _calculator_json(question, first.rules, calculator, first.answer.found)
        if first and calculator
        else None,
        "nearest": [found_json(rules, found) for rules, found in nearest],
        "games": games_json([*([first.rules] if first else []), *(rules for rules, _ in nearest)]),
    }


def games_json(all_rules: Iterable[Rules]) -> list[dict[str, Any]]:
    """Title, licence and attribution of each game, to credit a quotation."""
    keys = ("id", "title", "version", "licence", "licence_id", "attribution")
    return [{key: game[key] for key in keys} for game in _games(all_rules)]


def found_json(rules: Rules, found: Found) -> dict[str, Any]:
    """A place in the book, as JSON."""
    return {**found._asdict(), "url": address(rules, found.url)}


def _calculator_json(question: str, rules: Rules, calculator: Found, found: Found | None) -> dict[str, Any]:
    given, calculation = _calculated(question, rules, calculator, found)
    return {**found_json(rules, calculator), "calculation": calculation and calculation_json(rules, calculation, given)}


def calculation_json(rules: Rules, calculation: Calculation, given: Container[str]) -> dict[str, Any]:
    """Inputs, result and steps of a calculation, as JSON. `given` has the names of the inputs that do not have their
    defaults.
    """
    return {
        "inputs": calculation.inputs,
        "assumed": [name for name in calculation.inputs if name not in given],
        "result": _step_json(rules, calculation.result),
        "steps": [_step_json(rules, step) for step in calculation.steps],
    }


def _step_json(rules: Rules, step: Step) -> dict[str, Any]:
    cited = step.citation
    url = cited and cited["url"] and address(rules, cited["url"])
    return {**step._asdict(), "citation": cited and {**cited, "url": url}}
