"""The rules of one game: search them, look things up by id and name, calculate, and read the data.

To tell the results of `get` and `find` apart, use `if "die" in item:` for a table, and `if "kind" in item and
item["kind"] == "…":` for an entity.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, cast

from ._format import FORMAT
from .mechanics.dice import Distribution as Distribution
from .mechanics.rules import Answer as Answer
from .mechanics.rules import Calculation as Calculation
from .mechanics.rules import Found as Found
from .mechanics.rules import Rules, dice_odds
from .mechanics.rules import RulesError as RulesError
from .mechanics.rules import Situation as Situation
from .mechanics.rules import TableRoll as TableRoll
from .mechanics.situation import Influence as Influence
from .model.text_normalization import normalize

if TYPE_CHECKING:
    from .types import *  # noqa: F403
    from .types import GetFunction, Pack, PackItem

FORMATS = {"pack.json": FORMAT, "search.json": 1}
"""The version of each file's format that this package can read."""


class UnreadableData(Exception):
    """The data has a format that this package cannot read."""


def search(question: str, limit: int = 10) -> list[Found]:
    """Return the places that fit words or a question, the best first."""
    return _rules.search(question, limit)


def ask(question: str) -> Answer:
    """Return the answer to a question, if the rules have one, and the places nearest to it."""
    return _rules.ask(question)


def calculate(id: str, values: Mapping[str, Any] | None = None) -> Any:
    """Return the result of a calculator, given its id or the last part of the id, as in JSON. Raises `RulesError`.

    Inputs that are left out have their defaults.
    """
    return explain(id, values).result.value


def explain(id: str, values: Mapping[str, Any] | None = None) -> Calculation:
    """Return the result of a calculator with its steps, each with the passage that it is based on.

    Raises `RulesError`.
    """
    return _rules.calculate(id, values)


def odds(expression: str) -> Distribution:
    """Return the exact odds of a roll, such as `2d6+1` or `d20 adv`. Raises `RulesError`."""
    return dice_odds(expression)


def load() -> Pack:
    """Return the content of `pack.json`, which has everything in the book. Raises `UnreadableData`."""
    return cast("Pack", _rules.pack)


def names() -> dict[str, list[str]]:
    """Return every name, folded, with the ids that it may refer to. The id of the definition comes first."""
    return cast(dict[str, list[str]], _rules.names)


if TYPE_CHECKING:
    get: GetFunction
else:

    def get(name: str, kind: str | None = None) -> PackItem | None:
        """Return the entity, section, table or calculator that an id or a name means, or `None`.

        An id from an earlier version works, too. If several things have a name, entities take precedence over sections,
        and sections over tables. `kind`: find only entities of this kind, whose fields type checkers then know. Raises
        `RulesError` if the name has several meanings.
        """
        return _rules.get(name, kind)


def fold(name: str) -> str:
    """Return a name, folded as in `names.json`."""
    return normalize(name)


def find(name: str) -> list[PackItem]:
    """Return everything that a name refers to: entities, sections and tables, the definition first."""
    return _rules.find(name)


def text_of(item: PackItem, form: Literal["text", "html"] = "text") -> str:
    """Return the complete text of an entity or a section, or an empty string for a table or a calculator."""
    return _rules.text(item, form)


def _read(name: str) -> Any:
    try:
        data = json.loads((files(__name__) / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise UnreadableData(f"{name} cannot be read: {failure}") from None
    if name in FORMATS and (not isinstance(data, dict) or data.get("format") != FORMATS[name]):
        found = data.get("format") if isinstance(data, dict) else None
        raise UnreadableData(f"{name} has the format {found}; this package reads format {FORMATS[name]}")
    return data


def __getattr__(name: str) -> Any:
    """Return a type of the data. The types are imported on first use, because they take a third of the import time."""
    # Not `from . import types`, which would ask this function for `types`.
    return getattr(import_module(".types", __name__), name)


_rules = Rules(_read)
situation, roll_table = _rules.situation, _rules.roll_table
