"""The command `kismet mcp`: a server of the Model Context Protocol that answers from the rules of a library."""

import errno
import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from kismet_build import __version__
from kismet_build.cli.messages import OK, print_problem
from kismet_build.config.data_file import UsageError
from kismet_build.extensions.answers.ask import address, answer_json, calculation_json, found_json, games_json, sentence
from kismet_build.extensions.answers.rules import RulesSource, rules_at
from kismet_build.mechanics.inputs import describe_input
from kismet_build.mechanics.rules import MAX_FOUND, Rules, RulesError, dice_odds, input_rule, label, named_games, pick
from kismet_build.mechanics.situation import Influence
from kismet_build.model.suggestion import did_you_mean, unknown
from kismet_build.model.text_normalization import normalize

HOST = "127.0.0.1"
"""The address at which the server answers over HTTP: this machine only."""
MAX_RESULTS = 20
"""Largest number of places that one search returns."""
MAX_QUESTION = 10_000
"""Maximum number of characters of a question."""
MAX_TEXT = 8_000
"""Maximum number of characters of an entry's text, and of its fields as JSON."""
MAX_OUTCOMES = 200
"""Maximum number of outcomes of a roll that are listed."""
MAX_DENOMINATOR = 10**12
"""Largest denominator of a chance that is also given as a fraction."""

INSTRUCTIONS = """\
Answers about the rules of {games} come from these tools, not from memory. Quote the passage, and name its place and
address. A passage is what fits the words best: if it does not answer the question, look at `nearest`, search with other
words, and otherwise say that the rules do not answer it, as you do if `found` is null. Name the attribution in `games`
when you quote. Use `calculate` and `odds` for numbers.
"""
RELATIVE = """\
Addresses without `https://` are relative to the folder into which `kismet build` writes the website.
"""
"""Added to the instructions if the address of the website is not known."""


class _Model(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)


class Game(_Model):
    """A game, with the licence and attribution that credit a quotation."""

    id: str
    title: str
    version: str
    licence: str
    licence_id: str | None
    attribution: str | None


class Found(_Model):
    """A place in the book that was found."""

    id: str | None
    """For get_entry; null for other pages, such as a list."""
    name: str
    kind: str
    passage: str
    """The words that fit best."""
    ruling: bool
    """Whether the passage is not from the book but by its editors: a question and their ruling.

    Say so when you quote it.
    """
    place: Sequence[str]
    """The titles of the chapter and headings above it."""
    url: str
    """The address of the place; relative to the folder of the built website if the library does not set `url`."""
    score: int


class Citation(_Model):
    """The passage that a step of a calculation follows."""

    document: str
    heading: str
    quote: str
    url: str | None
    """Null if the passage is no longer in the text."""


class Step(_Model):
    """A step of a calculation, or its result."""

    label: str
    value: Any
    unit: str
    citation: Citation | None


class Calculated(_Model):
    """The result of a calculator."""

    inputs: dict[str, Any]
    """The value of each input, including defaults."""
    assumed: list[str]
    """The inputs that were not given, so they have their defaults."""
    result: Step
    steps: list[Step]


class FoundCalculator(Found):
    """A calculator that answers."""

    calculation: Calculated | None
    """The result with the numbers in the question, and with defaults for all other inputs."""


class Reply(_Model):
    """The keys that all answers share."""

    games: list[Game]
    """The games that the answer is from."""
    notes: list[str]
    """Warnings: a text that was cut, or errors in the library that hide some entries."""


class SearchReply(Reply):
    """The places that fit a question."""

    found: list[Found]
    """The best first."""


class AskReply(Reply):
    """What the rules say about a question."""

    found: Found | None
    """The answer; null if the rules have none."""
    calculator: FoundCalculator | None
    nearest: list[Found]
    """Other places."""


class Named(_Model):
    """An entry that a name may also refer to."""

    id: str
    name: str


class Ruling(_Model):
    """A question that the book leaves open."""

    question: str
    """The id of the question."""
    text: str | None
    """The ruling of the editors; null if they have made none."""


class EntryReply(Reply):
    """An entry, section, table or calculator."""

    id: str
    name: str
    kind: str
    text: str
    """The complete text of the entry in the book; for a table, its rows."""
    place: list[str]
    """The titles of the chapter and headings above it."""
    url: str
    fields: dict[str, Any]
    """The values of the entry as data; for a calculator, its inputs and its formula."""
    rulings: list[Ruling]
    """Questions about the entry that the book leaves open, with the rulings of the editors."""
    others: list[Named]
    """Other items with this name."""


class CalculationReply(Reply, Calculated):
    """The result of a calculator."""

    id: str
    title: str
    sentence: str
    """The result in words."""
    url: str


class Outcome(_Model):
    """An outcome of a roll."""

    value: int
    chance: float
    fraction: str | None
    """The exact chance, such as 1/6; null if it is too long."""


class OddsReply(_Model):
    """The exact odds of a roll."""

    expression: str
    min: int
    max: int
    mean: float
    outcomes: list[Outcome]
    at_least: Outcome | None
    """The chance of the result `at_least` or a higher one."""
    notes: list[str]


class EffectOnRoll(_Model):
    """An effect of a state on a roll."""

    key: str
    """The key of this effect in `answers`."""
    input: str | None
    """The input of the calculator that takes the value of the effect; null if none does."""
    asks: list[str]
    """Conditions that the players must judge, and `given` if they must give the value of the effect."""
    values: list[Any]
    quote: str
    """The words of the book."""
    url: str | None


class SituationReply(Reply, Calculated):
    """The chance of a roll with states of both sides."""

    sentence: str
    """The result in words."""
    applied: list[EffectOnRoll]
    """Effects that change the chance."""
    asked: list[EffectOnRoll]
    """Effects that change the chance if `answers` says so."""
    left: list[EffectOnRoll]
    """Effects that do not change this chance, such as one on speed, and effects that another one replaces."""


class Cell(_Model):
    """A cell of a row, under the title of its column."""

    column: str
    text: str


class TableReply(Reply):
    """The result of a roll on a table."""

    id: str
    title: str
    die: str
    value: int
    """The result of the roll."""
    cells: list[Cell]
    """The cells of the row for this result."""
    url: str


class _Refusals(AbstractContextManager[None]):
    def __exit__(self, _type: object, problem: BaseException | None, _traceback: object) -> None:
        if isinstance(problem, RulesError):
            raise ToolError(f"{problem.code}: {problem.message}") from None
        if isinstance(problem, UsageError):
            raise ToolError(f"unreadable-library: {problem}") from None


class _Tools:
    """The tools of the server. All tools are coroutines, so they run one at a time: a call may compile the library."""

    def __init__(self, library: RulesSource) -> None:
        self._library = library

    async def search_rules(
        self,
        question: Annotated[str, Field(max_length=MAX_QUESTION)],
        limit: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = MAX_FOUND,
        game: str | None = None,
    ) -> SearchReply:
        """Find places in the rules by words or by a question, the best first, each with a passage to quote.

        Name the `game` that is played, by its id or title: otherwise the games that the question names are searched,
        or all.
        """
        with _Refusals():
            games = named_games(question, self._games(game))
            found = [(rules, each) for rules in games for each in rules.search(question, limit)]
        found = sorted(found, key=lambda each: -each[1].score)[:limit]
        return SearchReply(
            found=[Found(**found_json(rules, each)) for rules, each in found],
            **self._of_all([rules for rules, _ in found]),
        )

    async def ask_rules(
        self, question: Annotated[str, Field(max_length=MAX_QUESTION)], game: str | None = None
    ) -> AskReply:
        """Answer a question from the rules: a passage to quote, its place, and the result of a calculator if one fits.

        Name the `game` that is played, by its id or title: otherwise the games that the question names are searched, or
        all. If `found` is null, the rules do not answer the question. Say which inputs of a calculation are `assumed`:
        the question does not give them.
        """
        with _Refusals():
            answer = answer_json(question, self._games(game))
        return AskReply(**answer, notes=self._notes())

    async def get_entry(self, id_or_name: Annotated[str, Field(max_length=MAX_QUESTION)]) -> EntryReply:
        """Read an entry, section, table or calculator of the rules completely, by its id or its exact name."""
        with _Refusals():
            return self._entry(id_or_name)

    async def calculate(self, id: str, values: dict[str, Any] | None = None) -> CalculationReply:
        """Run a calculator of the rules; get_entry describes its inputs, and inputs that are left out have their
        defaults.

        Every step has the passage that it follows.
        """
        with _Refusals():
            rules, found = self._pick("calculator", id, "calculators")
            done = rules.calculate(found["id"], values)
        return CalculationReply(
            id=done.id,
            title=done.title,
            sentence=sentence(rules, done),
            url=address(rules, found["url"]),
            **calculation_json(rules, done, values or ()),
            **self._of_all([rules]),
        )

    async def odds(
        self, expression: Annotated[str, Field(max_length=MAX_QUESTION)], at_least: int | None = None
    ) -> OddsReply:
        """Give the exact probabilities of a roll, such as 1d10+3, 4d6kh3 or 5d6>=5, which counts the dice from 5 up.

        `at_least` also gives the chance of a result or a higher one: 12 for 3d6 that must reach 12.
        """
        with _Refusals():
            chances = dice_odds(expression)

        def outcome(value: int, chance: Fraction) -> Outcome:
            exact = str(chance) if chance.denominator <= MAX_DENOMINATOR else None
            return Outcome(value=value, chance=float(chance), fraction=exact)

        left_out = max(0, len(chances.outcomes) - MAX_OUTCOMES)
        return OddsReply(
            expression=expression,
            min=chances.low,
            max=chances.high,
            mean=float(chances.mean),
            outcomes=[outcome(value, chance) for value, chance in chances.outcomes[:MAX_OUTCOMES]],
            at_least=None if at_least is None else outcome(at_least, chances.at_least(at_least)),
            notes=[f"{left_out} more outcomes are not listed"] if left_out else [],
        )

    async def situation(
        self,
        roll: Annotated[str, Field(max_length=MAX_QUESTION)],
        on: Annotated[list[str], Field(max_length=MAX_RESULTS)] | None = None,
        target: Annotated[list[str], Field(max_length=MAX_RESULTS)] | None = None,
        values: dict[str, Any] | None = None,
        answers: dict[str, Any] | None = None,
        game: str | None = None,
    ) -> SituationReply:
        """Give the chance of a roll when its roller has the states `on`, and the other side the states `target`.

        A state is an entry, such as a condition, by its id or name. An unknown `roll` is refused with a list of the
        rolls. `values` are the values of other inputs, as in calculate. Whether an effect in `asked` counts depends on
        what happens in play: call again with `answers`, which has true, false or a value by the key of the effect.
        """
        with _Refusals():
            rules = self._game(game)
            found = rules.situation(roll, on or (), target or (), values, answers)
        given = [*(values or ()), *(influence.input for influence in found.applied)]

        def line(influence: Influence) -> EffectOnRoll:
            citation = influence.effect["citation"]
            return EffectOnRoll(
                key=influence.key,
                input=influence.input,
                asks=[*influence.asks],
                values=[*influence.values],
                quote=citation["quote"],
                url=citation["url"] and address(rules, citation["url"]),
            )

        return SituationReply(
            sentence=sentence(rules, found.calculation),
            applied=[*map(line, found.applied)],
            asked=[*map(line, found.asked)],
            left=[*map(line, found.left)],
            **calculation_json(rules, found.calculation, given),
            **self._of_all([rules]),
        )

    async def roll_table(
        self,
        table: Annotated[str, Field(max_length=MAX_QUESTION)],
        value: int | None = None,
        column: Annotated[str | None, Field(max_length=MAX_QUESTION)] = None,
    ) -> TableReply:
        """Roll on a table of the rules, by its id or exact name, or look up the result `value` that was rolled already.

        `column` chooses a column if each column of the table has a roll of its own.
        """
        with _Refusals():
            rules, found = self._pick("table", table, "tables")
            done = rules.roll_table(found["id"], value, column)
        return TableReply(
            id=done.id,
            title=_name(found),
            die=done.die,
            value=done.value,
            cells=[Cell(column=title, text=text) for title, text in zip(done.columns, done.cells, strict=True)],
            url=address(rules, found["url"]),
            **self._of_all([rules]),
        )

    async def entry_text(self, game: str, kind: str, entry: str) -> str:
        """The text of an entry or a section, with its address and the attribution of its game."""
        try:
            found = self._entry(f"{game}/{kind}/{entry}")
        except (RulesError, UsageError) as problem:
            raise ResourceNotFoundError(str(problem)) from None
        credit = found.games[0].attribution or found.games[0].licence
        return "\n\n".join(filter(None, (found.name, found.text, *found.notes, found.url, credit)))

    def _entry(self, id_or_name: str) -> EntryReply:
        all_rules = self._library.current()
        found = [(rules, item) for rules in all_rules for item in rules.meanings(id_or_name)]
        if not found:
            known = [word for rules in all_rules for id, item in rules.items.items() for word in (id, label(item))]
            hint = did_you_mean(id_or_name, known, "find it with search_rules")
            raise RulesError("unknown-entry", f'unknown id or name "{id_or_name}": {hint}')
        (rules, item), *others = found
        text, fields, notes = _text(rules, item), _fields(item), []
        if len(text) > MAX_TEXT:
            notes.append(f"the text is cut: {len(text) - MAX_TEXT} more characters are at its address")
        if len(json.dumps(fields)) > MAX_TEXT:
            fields = {}
            notes.append("the fields are left out: they are too long")
        url = address(rules, item["url"])
        return EntryReply(
            id=item["id"],
            name=_name(item),
            kind=item["id"].split("/")[1],
            text=text[:MAX_TEXT],
            place=[*rules.place(item)],
            url=url,
            fields=fields,
            rulings=[Ruling(**ruling) for ruling in item.get("rulings", ())],
            others=[Named(id=other["id"], name=_name(other)) for _, other in others[:MAX_RESULTS]],
            games=[Game(**game) for game in games_json([rules])],
            notes=[*notes, *self._notes()],
        )

    def _games(self, name: str | None) -> Sequence[Rules]:
        all_rules = self._library.current()
        if name is None:
            return all_rules
        heads = [(rules, rules.pack["game"]) for rules in all_rules]
        found = [rules for rules, head in heads if normalize(name) in (head["id"], normalize(head["title"]))]
        if not found:
            raise RulesError("unknown-game", unknown("game", name, [head["id"] for _, head in heads]))
        return found

    def _game(self, name: str | None) -> Rules:
        """The rules of the game with this id or title; without a name, the rules of the only game."""
        found = self._games(name)
        if len(found) != 1:
            ids = ", ".join(rules.pack["game"]["id"] for rules in found)
            raise RulesError("unknown-game", f"choose a game: {ids}" if ids else "this library has no games")
        return found[0]

    def _pick(self, noun: str, name: str, list_name: str) -> tuple[Rules, Any]:
        """The calculator or table that a name means in any of the games, preceded by the rules of its game."""
        all_rules = self._library.current()
        meanings = [item for rules in all_rules for item in rules.meanings(name)]
        found = pick(noun, name, meanings, [item for rules in all_rules for item in rules.pack[list_name]])
        return next((rules, found) for rules in all_rules if found["id"] in rules.items)

    def _of_all(self, all_rules: Sequence[Rules]) -> dict[str, Any]:
        return {"games": [Game(**game) for game in games_json(all_rules)], "notes": self._notes()}

    def _notes(self) -> list[str]:
        return [*filter(None, [self._library.warning])]


def _name(item: Mapping[str, Any]) -> str:
    return next(str(item[key]) for key in ("name", "title", "caption", "id") if item.get(key))


def _text(rules: Rules, item: Mapping[str, Any]) -> str:
    """The complete text of an item. For a table, it is the rows; for a calculator, the passage that it follows."""
    if "rows" in item:
        return "\n".join(" | ".join(row) for row in (item["columns"], *item["rows"]))
    if citation := item.get("citation"):
        return str(citation["quote"])
    return rules.text(item)


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    if "inputs" in item:
        return {
            "inputs": [{**given, "takes": describe_input(input_rule(given))} for given in item["inputs"]],
            "formula": item["formula"],
        }
    return dict(item.get("fields", {}))


def create_server(library: RulesSource) -> MCPServer:
    """The server for a library. Raises `UsageError` if the library cannot be loaded."""
    games = [rules.pack["game"] for rules in library.current()]
    instructions = INSTRUCTIONS.format(games=", ".join(game["title"] for game in games))
    server = MCPServer(
        "kismet",
        title="Rules",
        version=__version__,
        instructions=instructions + ("" if all(game["url"] for game in games) else RELATIVE),
        log_level="ERROR",
    )
    tools = _Tools(library)
    reads_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (
        tools.search_rules,
        tools.ask_rules,
        tools.get_entry,
        tools.calculate,
        tools.odds,
        tools.situation,
        tools.roll_table,
    ):
        server.add_tool(tool, annotations=reads_only)
    server.resource("rules://{game}/{kind}/{entry}", mime_type="text/plain")(tools.entry_text)
    return server


def serve(path: Path, game_file: Path | None, port: int | None) -> None:
    """Serve a library until the client closes standard input, or over HTTP at a port of this machine until a signal.

    Raises `UsageError`, and `OSError` if it cannot listen at the port.
    """
    library = rules_at(path, game_file)
    server = create_server(library)
    listening = None if port is None else _listen(port)
    if library.warning:
        print_problem(library.warning)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The SDK would first wait for the next line of the client. Nothing needs cleaning up.
        signal.signal(number, lambda *_: os._exit(OK))
    if listening is not None:
        _serve_http(server, listening)
        return
    try:
        server.run()
    except* BrokenPipeError:
        pass  # the client closed its end early


def _listen(port: int) -> socket.socket:
    """A socket that listens at a port of this machine; for port 0, at a free one. Raises `OSError`."""
    try:
        return socket.create_server((HOST, port))
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            raise
        raise OSError(failure.errno, f"port {port} of {HOST} is in use; choose another one") from failure


def _serve_http(server: MCPServer, listening: socket.socket) -> None:
    """Answer over streamable HTTP. The SDK refuses requests that name another host or come from another website.

    An answer is one JSON document and no session is kept, so clients that never return cost nothing.
    """
    app = server.streamable_http_app(host=HOST, stateless_http=True, json_response=True)
    web = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0))
    print(f"answering at http://{HOST}:{listening.getsockname()[1]}/mcp (press Ctrl-C to stop)", flush=True)
    web.run(sockets=[listening])
