"""`kismet mcp` lets a language model search, quote and calculate, and writes nothing but messages of the protocol."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import Client, MCPError

from kismet_build.driver.build_cache import CLOCK_TICK
from kismet_build.extensions.answers.mcp_server import MAX_TEXT, create_server
from kismet_build.extensions.answers.rules import LibraryRules
from tests.command import CONTENT, ROOT, kismet, write_files
from tests.small_library import CALCULATORS, TEXT, write_library

START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture
def court(tmp_path: Path) -> Path:
    folder = write_library(tmp_path / "texts")
    secret = "---\npublish: false\n---\n\n# Secret\n\nThe steward poisons the queen with hemlock.\n"
    return write_files(folder, {"calculators/court.yaml": CALCULATORS, "Secret.md": secret})


def call(library: Path | LibraryRules, tool: str, **arguments: object) -> dict[str, Any]:
    result = _call(library, tool, arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    content: dict[str, Any] = result.structured_content
    return content


def refusal(library: Path, tool: str, **arguments: object) -> str:
    result = _call(library, tool, arguments)
    assert result.is_error
    message = str(result.content[0].text)
    assert "Traceback" not in message
    return message.removeprefix(f"Error executing tool {tool}: ")


def _finish(run: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine in a thread of its own: a browser of another test may have an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, run).result()


def _call(library: Path | LibraryRules, tool: str, arguments: dict[str, object]) -> Any:
    rules = library if isinstance(library, LibraryRules) else LibraryRules(library, None)

    async def run() -> Any:
        async with Client(create_server(rules)) as client:
            return await client.call_tool(tool, arguments)

    return _finish(run)


def test_answers_have_a_passage_a_place_and_the_licence(court: Path) -> None:
    found = call(court, "search_rules", question="whisper", limit=1)
    assert [each["id"] for each in found["found"]] == ["ember-court/grace/whisper"]
    answer = call(court, "ask_rules", question="how many people hear a whisper")
    assert answer["found"]["passage"].startswith("Two people hear you, no more.")
    assert (answer["found"]["place"], answer["found"]["url"]) == (["Court", "Graces"], "ember-court/grace/whisper/")
    for reply in (found, answer):
        assert [game["licence"] for game in reply["games"]] == ["CC0 1.0"]
        assert reply["notes"] == []


def test_an_answer_has_the_calculation_of_the_question(court: Path) -> None:
    done = call(court, "ask_rules", question="odds of a far jump of 8")["calculator"]["calculation"]
    assert (done["inputs"]["speed"], done["result"]["value"]) == (8, 6)
    assert done["assumed"] == ["grace", "cold", "wind", "others"]


def test_what_the_rules_do_not_say_and_private_texts(court: Path) -> None:
    assert call(court, "ask_rules", question="xyzzy")["found"] is None
    assert "hemlock" not in str(call(court, "ask_rules", question="who poisons the queen with hemlock"))
    assert "unknown-entry" in refusal(court, "get_entry", id_or_name="Secret")


@pytest.mark.parametrize("name", ["ember-court/grace/bow", "Ember-Court/Grace/BOW", "bow"])
def test_an_entry_is_found_by_id_and_by_name(court: Path, name: str) -> None:
    entry = call(court, "get_entry", id_or_name=name)
    assert (entry["id"], entry["fields"]["cost"]) == ("ember-court/grace/bow", 2)
    assert entry["text"].startswith("You bend, and the room forgives you.")
    assert (entry["place"][0], entry["games"][0]["id"]) == ("Court", "ember-court")


def test_an_entry_has_its_rulings() -> None:
    library = LibraryRules(CONTENT / "kiss", None)
    rulings = call(library, "get_entry", id_or_name="Average")["rulings"]
    assert [ruling["text"].startswith("an exploding roll opens") for ruling in rulings] == [True]
    found = call(library, "search_rules", question="when are both conditions removed")["found"]
    assert {each["ruling"] for each in found} == {True, False}
    found = call(library, "search_rules", question="does an exploding roll open the base die")["found"]
    (average,) = (each for each in found if each["name"] == "Average")
    assert (average["ruling"], average["passage"].partition("?")[0]) == (
        True,
        "Does an exploding roll open the base die",
    )


@pytest.mark.parametrize("tool", ["get_entry", "calculate"])
def test_a_calculator_is_found_by_the_end_of_its_id(court: Path, tool: str) -> None:
    argument = {"get_entry": "id_or_name", "calculate": "id"}[tool]
    assert call(court, tool, **{argument: "far-jump"})["id"] == "ember-court/calculator/far-jump"
    assert 'did you mean "far-jump"?' in refusal(court, tool, **{argument: "far-jmup"})


def test_places_and_addresses_are_the_same_in_all_answers() -> None:
    library = LibraryRules(CONTENT / "kismet", None)
    for question in ("blown away", "wounds chart", "how likely is a hit", "acrobatics"):
        (found,) = call(library, "search_rules", question=question, limit=1)["found"]
        entry = call(library, "get_entry", id_or_name=found["id"])
        assert (entry["place"], entry["url"]) == (found["place"], found["url"])
    table = call(library, "get_entry", id_or_name="kismet/table/combat-rules-wounds-chart")
    assert table["place"] == ["Combat Rules", "Wound", "Wounds Chart"]


def test_addresses_are_complete_if_that_of_the_website_is_known(court: Path) -> None:
    write_files(court, {"library.yaml": "title: Court\nurl: https://court.example/rules/\n"})
    found = call(court, "search_rules", question="whisper", limit=1)["found"]
    assert found[0]["url"] == "https://court.example/rules/ember-court/grace/whisper/"


def test_everything_in_the_books_can_be_read_and_calculated() -> None:
    library = LibraryRules(CONTENT, None)
    items = [item for rules in library.current() for item in rules.items.values()]

    async def read() -> dict[str, Any]:
        async with Client(create_server(library)) as client:
            replies = {item["id"]: await client.call_tool("get_entry", {"id_or_name": item["id"]}) for item in items}
            assert [id for id, reply in replies.items() if reply.is_error] == []
            for calculator in (item["id"] for item in items if "inputs" in item):
                done = await client.call_tool("calculate", {"id": calculator})
                assert not done.is_error, done.content
            return {id: reply.structured_content for id, reply in replies.items()}

    replies = _finish(read)
    assert len(replies) == len(items) > 1_000
    for id, reply in replies.items():
        assert (reply["id"], reply["others"], len(reply["games"]), reply["notes"]) == (id, [], 1, [])
        assert reply["url"]
        assert reply["text"] or reply["kind"] == "section", id


def test_a_long_text_is_cut_with_a_note(court: Path) -> None:
    long = TEXT.replace("You bend, and", "You bend, " * 2_000 + "and")
    entry = call(write_files(court, {"1 Court.md": long}), "get_entry", id_or_name="bow")
    assert len(entry["text"]) == MAX_TEXT
    assert "characters are at its address" in entry["notes"][0]


def test_a_calculation_has_its_steps_with_citations(court: Path) -> None:
    done = call(court, "calculate", id="far-jump", values={"speed": 8})
    for printed in ("ember-court/far-jump", "ember-court/calculator/far-jump"):
        assert call(court, "calculate", id=printed, values={"speed": 8}) == done
    assert (done["result"]["value"], done["sentence"]) == (6, "With Bow you jump 6 tiles")
    assert [step["citation"]["quote"] for step in (*done["steps"], done["result"])] == ["You bend", "You bend"]
    takes = call(court, "get_entry", id_or_name=done["id"])["fields"]["inputs"][0]["takes"]
    assert takes == "a whole number from 0 to 20 tiles"


def test_odds_are_exact_and_few(court: Path) -> None:
    odds = call(court, "odds", expression="2d6")
    assert (odds["mean"], odds["outcomes"][0]) == (7, {"value": 2, "chance": 1 / 36, "fraction": "1/36"})
    at_least = call(court, "odds", expression="3d6", at_least=12)["at_least"]
    assert (at_least["value"], at_least["fraction"], odds["at_least"]) == (12, "3/8", None)
    assert call(court, "odds", expression="1d1000")["notes"] == ["800 more outcomes are not listed"]


def test_a_roll_with_states_of_both_sides() -> None:
    library = LibraryRules(CONTENT / "kismet", None)
    plain = call(library, "situation", roll="attack")["result"]["value"]
    blind = call(library, "situation", roll="attack", on=["Blind"], target=["prone"])
    assert blind["result"]["value"] < plain
    assert [(line["key"], line["quote"]) for line in blind["applied"]] == [
        ("on/kismet/condition/blind/1", "It attacks with a Penalty Die")
    ]
    key = blind["asked"][0]["key"]
    assert blind["asked"][0]["asks"] == ["melee Attack Rolls"]
    beside = call(library, "situation", roll="attack", on=["blind"], target=["prone"], answers={key: True})
    assert (len(beside["applied"]), beside["result"]["value"]) == (2, plain)
    assert "unknown-roll: " in refusal(CONTENT / "kismet", "situation", roll="jump")
    assert "unknown-game: choose a game: kismet, kiss" in refusal(CONTENT, "situation", roll="attack")


def test_a_game_is_asked_by_its_id_or_title() -> None:
    library = LibraryRules(CONTENT, None)
    for game in ("legend", "Legend", "KISS"):
        found = call(library, "search_rules", question="initiative", game=game)
        assert {each["id"] for each in found["games"]} == {game.lower()}
        answer = call(library, "ask_rules", question="initiative", game=game)
        assert {each["id"] for each in answer["games"]} <= {game.lower()}
    for tool in ("search_rules", "ask_rules"):
        named = call(library, tool, question="How does initiative work in Legend?")
        assert {each["id"] for each in named["games"]} == {"legend"}
    assert 'unknown-game: unknown game "chess": choose from kismet' in refusal(
        CONTENT, "ask_rules", question="initiative", game="chess"
    )


def test_a_roll_on_a_table() -> None:
    library = LibraryRules(CONTENT / "kismet", None)
    rolled = call(library, "roll_table", table="Wounds Chart", value=7)
    assert (rolled["id"], rolled["die"]) == ("kismet/table/combat-rules-wounds-chart", "1d10")
    assert rolled["cells"][0] == {"column": "Wound", "text": "Festering Wound"}
    assert (rolled["url"], rolled["games"][0]["id"]) == ("kismet/combat-rules/turn/#wounds-chart", "kismet")
    values = {call(library, "roll_table", table=rolled["id"])["value"] for _ in range(30)}
    assert len(values) > 1
    assert values < {*range(1, 11)} | {0}


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("calculate", {"id": "jump"}, "unknown-calculator: "),
        ("calculate", {"id": "far-jump", "values": {"luck": 1}}, "unknown-input: "),
        ("calculate", {"id": "far-jump", "values": {"speed": 21}}, "out-of-range: "),
        ("calculate", {"id": "share", "values": {"guests": 0}}, "zero: "),
        ("calculate", {"id": "far-jump", "values": 3}, "1 validation error"),
        ("odds", {"expression": "d"}, "dice: "),
        ("odds", {"expression": "3d6 >= 12"}, "dice: no d6 shows 12"),
        ("roll_table", {"table": "bow"}, "unknown-table: "),
        ("roll_table", {"table": "bow", "value": "much"}, "1 validation error"),
        ("get_entry", {"id_or_name": "__proto__"}, "unknown-entry: "),
        ("search_rules", {"question": "bow", "limit": 21}, "1 validation error"),
        ("search_rules", {"question": "a" * 10_001}, "1 validation error"),
        ("search_rules", {}, "1 validation error"),
    ],
)
def test_bad_arguments_are_errors_of_the_tool(
    court: Path, tool: str, arguments: dict[str, object], message: str
) -> None:
    assert refusal(court, tool, **arguments).startswith(message)


@pytest.mark.parametrize("question", ["", "12", "骰子", "a" * 10_000, "\n"])
def test_odd_questions_are_answered(court: Path, question: str) -> None:
    assert call(court, "ask_rules", question=question)["found"] is None


def test_resources_are_the_texts_of_entries(court: Path) -> None:
    async def read() -> str:
        async with Client(create_server(LibraryRules(court, None))) as client:
            with pytest.raises(MCPError, match="unknown id or name"):
                await client.read_resource("rules://ember-court/grace/stare")
            return str(await client.read_resource("rules://ember-court/grace/bow"))

    text = _finish(read)
    assert "the room forgives you" in text
    assert "CC0 1.0" in text


def test_a_changed_file_is_noticed(court: Path) -> None:
    library = LibraryRules(court, None)
    text = court / "1 Court.md"
    for cost in (4, 5):
        write_files(court, {text.name: TEXT.replace("**Cost:** 2", f"**Cost:** {cost}")})
        assert call(library, "get_entry", id_or_name="bow")["fields"]["cost"] == cost
    write_files(court, {"2 Park.md": "# Park\n\n## Graces\n\n### Stare\n\nNobody moves.\n\n**Cost:** 1\n"})
    assert call(library, "get_entry", id_or_name="stare")["text"].startswith("Nobody moves.")
    (court / "2 Park.md").unlink()
    write_files(court, {text.name: TEXT.replace("**Cost:** 2", "**Cost:** plenty")})
    reply = call(library, "search_rules", question="stare")
    assert "so the answer may lack what they affect" in reply["notes"][0]


def test_unchanged_files_are_compiled_once(court: Path) -> None:
    library = LibraryRules(court, None)
    time.sleep(2 * CLOCK_TICK / 1e9)  # files that are newer than that might have changed meanwhile
    rules = library.current()
    assert library.current() is rules


# --- the process


@contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process that ends with success and without a message on standard error."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kismet_build.cli", "mcp", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
        assert process.wait(20) == 0
        assert process.stderr
        assert process.stderr.read() == ""
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream
            try:
                stream.close()
            except BrokenPipeError:
                continue
        process.wait()


@contextmanager
def server(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has answered the first message of a client."""
    with started(folder) as process:
        assert request(process, 1, "initialize", START)["serverInfo"]["name"] == "kismet"
        yield process


def send(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


def request(process: subprocess.Popen[str], id: int, method: str, parameters: object) -> Any:
    """The result of a request, whose answer must be the next line."""
    send(process, json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))
    assert process.stdout
    answer = json.loads(process.stdout.readline())
    assert answer["id"] == id
    return answer["result"]


def test_a_client_over_standard_input_and_output(court: Path) -> None:
    with server(court) as process:
        for rubbish in ("rubbish", "{}", "[1, 2]", "\0", "[" * 100_000, '{"jsonrpc": "2.0", "method": "nothing"}'):
            send(process, rubbish)
        tools = request(process, 2, "tools/list", {})["tools"]
        names = [tool["name"] for tool in tools]
        assert names == ["search_rules", "ask_rules", "get_entry", "calculate", "odds", "situation", "roll_table"]
        assert all(tool["outputSchema"] and tool["annotations"]["readOnlyHint"] for tool in tools)
        answer = request(process, 3, "tools/call", {"name": "get_entry", "arguments": {"id_or_name": "bow"}})
        assert answer["structuredContent"]["id"] == "ember-court/grace/bow"
        assert process.stdin
        process.stdin.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(court: Path, number: signal.Signals) -> None:
    with server(court) as process:
        process.send_signal(number)


def test_a_client_that_closes_early(court: Path) -> None:
    with server(court) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.close()
        send(process, '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}')
        process.stdin.close()


# --- over HTTP


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a process that answers over HTTP. A signal must end it, even while a client waits."""
    with started(folder, "--port", 0) as process:
        assert process.stdout
        url = process.stdout.readline().split()[2]
        yield url
        waiting = HTTPConnection(urlsplit(url).netloc, timeout=20)
        waiting.request("GET", "/mcp", headers={"Accept": "text/event-stream"})
        assert waiting.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        waiting.close()


def posted(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=20)
    types = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/mcp", body, {**types, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


LIST = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


def test_a_client_over_http(court: Path) -> None:
    async def read(url: str) -> Any:
        async with Client(url) as client:
            return await client.call_tool("get_entry", {"id_or_name": "bow"})

    with served(court) as url:
        for body in (b"rubbish", b"[" * 100_000, b"{}"):
            assert posted(url, body, {}) == 400
        assert posted(url, b" " * 5_000_000, {}) == 413
        assert _finish(lambda: read(url)).structured_content["id"] == "ember-court/grace/bow"


def test_other_hosts_and_websites_are_refused(court: Path) -> None:
    with served(court) as url:
        assert posted(url, LIST, {"Host": "court.example"}) == 421
        for origin in ("https://court.example", "null"):
            assert posted(url, LIST, {"Origin": origin}) == 403
        assert posted(url, LIST, {"Origin": f"http://{urlsplit(url).netloc}"}) == 200


def test_a_port_in_use_is_named(court: Path) -> None:
    with served(court) as url:
        run = kismet("mcp", court, "--port", str(urlsplit(url).port))
        assert (run.status, run.err) == (
            3,
            f"kismet: port {urlsplit(url).port} of 127.0.0.1 is in use; choose another one\n",
        )
