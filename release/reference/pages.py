"""Make the reference pages: for each, a file name in content/docs/reference/ and the content."""

import argparse
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction

from kismet_build.cli.arguments import CommandParser, command_parser
from kismet_build.cli.explain import diagnostic_codes
from kismet_build.config.data_file import shipped_schema
from kismet_build.config.pack_schema import pack_schema
from kismet_build.mechanics.dice import odds
from kismet_build.mechanics.dice import parse as parse_dice
from kismet_build.mechanics.formula import Vocabulary, evaluate, parse, plain_number
from release.reference.commands import example_of
from release.reference.dialects import dialect_page
from release.reference.dice_forms import FORMS
from release.reference.formula_entries import EXAMPLE_ENTITIES, EXAMPLE_SCOPE, FUNCTIONS, OPERATORS
from release.reference.formula_entries import Entry as FormulaEntry
from release.reference.look import template_page, word_page
from release.reference.schemas import Entry, file_entries, key_page, kind_entries, sentence, type_words
from tests.command import ROOT

VOCABULARY = Vocabulary(kinds=dict.fromkeys(EXAMPLE_ENTITIES, ""))
GENERATED_NOTE = "\n<!-- Made by `make docs`. Change the code, schema or text that it is made from. -->\n"
"""The last lines of each generated page. A reference page without them is handwritten."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the file name and the content of every generated reference page."""
    yield "game-yaml.md", game_page()
    yield "library-yaml.md", library_page()
    yield "templates.md", template_page()
    yield "words.md", word_page()
    yield "notes.md", (ROOT / "release" / "reference" / "notes.md").read_text(encoding="utf-8")
    yield "kinds.md", kind_page()
    yield "boards.md", board_page()
    yield "calculators.md", calculator_page()
    yield "effects.md", effect_page()
    yield "corrections.md", correction_page()
    yield "migrations.md", migration_page()
    yield "formulas.md", formula_page()
    yield "dice.md", dice_page()
    yield "dialects.md", dialect_page()
    yield "diagnostics.md", diagnostic_page()
    yield "commands.md", command_page()
    yield "data.md", data_page()


# --- data files


def _page(title: str, lead: str, name: str, entries: list[Entry]) -> str:
    return key_page(title, lead, [("", "", entries)], shipped_schema(name))


def game_page() -> str:
    """Return the page of game.yaml, without the keys of boards."""
    entries = [entry for entry in file_entries("game") if not entry.name.startswith("boards.")]
    lead = (
        f"{shipped_schema('game')['description']} Each game has one, in the folder of its texts or in another folder "
        "given with `kismet build --game`. [Boards](boards.md) have their own page."
    )
    return _page("game.yaml", lead, "game", entries)


def library_page() -> str:
    """Return the page of library.yaml."""
    lead = f"{shipped_schema('library')['description']} It is next to the folders of the games, or in a vault."
    return _page("library.yaml", lead, "library", file_entries("library"))


def board_page() -> str:
    """Return the page of boards, which are a part of game.yaml."""
    lead = (
        "A board is a page of cards and tables for use at the table: one screen, one sheet of paper. `boards` in "
        "[game.yaml](game-yaml.md) defines them; everything they show comes from the text."
    )
    return _page("Boards", lead, "game", [entry for entry in file_entries("game") if entry.name.startswith("boards")])


def calculator_page() -> str:
    """Return the page of calculators."""
    lead = (
        "A calculator computes a rule of the game. The files are `calculators/*.yaml` next to `game.yaml`; each maps "
        "ids to calculators. An id consists of lower case words joined by `-`. See also [formulas](formulas.md)."
    )
    return _page("Calculators", lead, "calculator", file_entries("calculator"))


def effect_page() -> str:
    """Return the page of effects."""
    description = shipped_schema("effects")["$defs"]["effect"]["description"]
    lead = (
        "`effects.yaml` next to `game.yaml` describes what conditions and other entities do: for each entity, given as "
        f"kind/slug, a list of effects. An effect has {description}."
    )
    return _page("Effects", lead, "effects", file_entries("effects"))


def correction_page() -> str:
    """Return the page of corrections."""
    lead = f"`corrections.yaml` next to `game.yaml` has, {shipped_schema('corrections')['description']}."
    return _page("Corrections", lead, "corrections", file_entries("corrections"))


def migration_page() -> str:
    """Return the page of migrations."""
    lead = f"{sentence(shipped_schema('migrations')['description'])} The file is a list."
    return _page("Migrations", lead, "migrations", file_entries("migrations"))


def kind_page() -> str:
    """Return the page of kinds, in parts."""
    root = shipped_schema("kind")
    entries = kind_entries()
    parts = [
        ("", "", [entry for entry in entries if entry.name in root["properties"]]),
        (
            "Where entities start",
            f"The keys of `x-match`: {root['$defs']['match']['description']}.",
            [entry for entry in entries if entry.name.startswith("x-match.")],
        ),
        (
            "Fields",
            "These keys go into a field of `properties`, along with JSON Schema keys such as `type`, `enum`, "
            "`minimum` and `description`.",
            [
                entry
                for entry in entries
                if not entry.name.startswith(("x-match.", "x-from.")) and entry.name not in root["properties"]
            ],
        ),
        (
            "Where values come from",
            sentence(f"The forms of `x-from`: {root['$defs']['way']['description']}"),
            [entry for entry in entries if entry.name.startswith("x-from.")],
        ),
    ]
    lead = f"{root['description']} A kind is a file in the folder `kinds`; the name of the file is the id of the kind."
    return key_page("Kinds", lead, parts, root)


# --- formulas and dice


def formula_page() -> str:
    """Return the page of formulas: functions, then operators."""
    names = ", ".join(f"`{name}` is {json.dumps(value)}" for name, value in EXAMPLE_SCOPE.items())
    entities = "".join(
        f"- `{kind}`: "
        + "; ".join(
            ", ".join(f"{key} {json.dumps(value)}" for key, value in record.items() if key != "id")
            for record in records
        )
        + "\n"
        for kind, records in EXAMPLE_ENTITIES.items()
    )
    lead = (
        "A formula computes a value from inputs and earlier steps. It has numbers (`3`, `2.5`), numbers with a unit "
        "(`30[feet]`), texts in quotation marks, `true`, `false`, `none`, lists (`[1, 2]`), names of inputs and steps, "
        "operators, functions, and other calculators, called by their id with `_` instead of `-`. Types and units are "
        "checked before anything is computed: feet cannot be added to hours.\n\n"
        f"In the examples, {names}, and there are these entities:\n\n{entities}"
    )
    texts = [f"# Formulas\n\n{lead}\n## Functions\n"]
    texts += [_formula_entry(name, entry) for name, entry in FUNCTIONS.items()]
    texts += ["## Operators\n"]
    texts += [_formula_entry(name, entry) for name, entry in OPERATORS.items()]
    return "\n".join(texts)


def _formula_entry(name: str, entry: FormulaEntry) -> str:
    arguments = "".join(f"- `{argument}`: {meaning}\n" for argument, meaning in entry.arguments.items())
    results = "\n".join(f"{formula}  =  {_formula_result(formula)}" for formula in entry.examples)
    return f"### `{name}`\n\n`{entry.form}`\n\n{entry.meaning}\n\n{arguments}\n```\n{results}\n```\n"


def _formula_result(formula: str) -> str:
    value = evaluate(parse(formula, VOCABULARY), EXAMPLE_SCOPE, {"entities": EXAMPLE_ENTITIES, "calculators": {}})
    if isinstance(value, float):
        value = plain_number(round(value, 6))
    return json.dumps(value)


def dice_page() -> str:
    """Return the page of dice notation."""
    lead = (
        'Dice in texts (`` `dice: 2d6+1` `` in a vault), in formulas (`dice("2d6+1")`) and on the command line '
        "(`kismet odds 2d6+1`) use the same notation. The command line and the dice roller of the website also accept "
        "the short forms `d20 adv`, `4dF`, `1d6 vs 1d8` and `3d6>4`, which they read as `3d6>=5`. Odds are exact. Each "
        "example shows its lowest and highest result and its mean."
    )
    texts = [f"# Dice\n\n{lead}\n"]
    for form in FORMS:
        rows = "\n".join(_odds_line(expression) for expression in form.examples)
        texts.append(f"## `{form.name}`\n\n{form.meaning}\n\n```\n{rows}\n```\n")
    return "\n".join(texts)


def _odds_line(expression: str) -> str:
    distribution = odds(parse_dice(expression))
    mean = Fraction(distribution.mean)
    shown = f"{plain_number(round(float(mean), 4))}"
    return f"{expression}  =  {distribution.low} to {distribution.high}, mean {shown}"


# --- diagnostics


def diagnostic_page() -> str:
    """Return the page of diagnostics, made from lint/manual."""
    lead = (
        "The problems that `kismet check` and `kismet build` report, by code. An error prevents its game from being "
        "published, a warning does not. `kismet explain CODE` prints the same text."
    )
    texts = [f"# Diagnostics\n\n{lead}\n"]
    for file in diagnostic_codes().values():
        text = file.read_text(encoding="utf-8").strip()
        code, _, rest = text.removeprefix("# ").partition("\n")
        texts.append(f"## `{code}`\n{rest}\n")
    return "\n".join(texts)


# --- commands


def command_page() -> str:
    """Return the page of commands and their options."""
    texts = [
        "# Commands\n\nAll commands of `kismet`. In the examples, `my-game` is the folder written by `kismet new "
        "my-game`.\n"
    ]
    for name, parser in commands(command_parser()).items():
        about = sentence(parser.description or "")
        examples = "\n".join(parser.examples)
        texts.append(f"## `kismet {name}`\n\n{about}\n\n```sh\n{examples}\n```\n")
        for action in shown_actions(parser):
            written, meaning = option_of(action)
            example = example_of(name, written, parser.examples[0])
            texts.append(f"### `kismet {name} {written}`\n\n{sentence(meaning)}\n\n```sh\n{example}\n```\n")
    return "\n".join(texts)


def commands(parser: CommandParser, prefix: str = "") -> dict[str, CommandParser]:
    """Return the parser of each command, by name, such as `build` or `data verify`."""
    found: dict[str, CommandParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps: Mapping[str, str | None] = {choice.dest: choice.help for choice in action._choices_actions}
            for name, child in action.choices.items():
                child.description = child.description or helps.get(name) or ""
                inside = commands(child, f"{prefix}{name} ")
                found |= inside or {f"{prefix}{name}": child}
    return found


def shown_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the options and arguments listed in the help of a command, except `--help`."""
    return [
        action
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and action.help != argparse.SUPPRESS
    ]


def option_of(action: argparse.Action) -> tuple[str, str]:
    """Return the spelling and the meaning of an option or argument."""
    name = action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
    return name, (action.help or "").replace("%%", "%")


# --- data


def data_page() -> str:
    """Return the page of addresses and data: its handwritten part, followed by the keys of the pack."""
    page = (ROOT / "content" / "docs" / "reference" / "data.md").read_text(encoding="utf-8")
    texts = [page.partition("## Keys of the pack\n")[0].rstrip("\n") + "\n"]
    root = pack_schema()
    texts.append("## Keys of the pack\n\nThe keys of each type of object in `pack.json`.\n")
    for name, schema in root["$defs"].items():
        rows = [
            f"- `{key}`: {type_words(value, root) or 'see its type'}; {value['description']}"
            for key, value in schema.get("properties", {}).items()
            if isinstance(value, dict) and "description" in value
        ]
        if rows:
            texts.append(f"### `pack.{name}`\n\n{sentence(schema.get('description', ''))}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(texts)
