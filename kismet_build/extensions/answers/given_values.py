"""Find the values of a calculator's inputs in a question."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.mechanics.inputs import InputRule, input_fault
from kismet_build.mechanics.rules import Rules
from kismet_build.mechanics.search.words import fold_words, stem

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
