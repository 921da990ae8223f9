"""Shipped schemas: their patterns mean the same in each engine, and invalid values are reported."""

import copy
import json
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from kismet_build.config import yaml as yaml12
from kismet_build.config.data_file import InvalidData, schema_validator, shipped_schema
from kismet_build.config.kind import load_kind
from kismet_build.config.library import load_library_config
from kismet_build.config.load_game import load_game
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.model.diagnostic import Diagnostic, Report
from kismet_build.model.source import Source
from tests.command import GAMES, ROOT
from tests.node import run_scripts
from tests.sample import sample
from tests.small_library import GAME, write_library

SCHEMAS = ROOT / "schemas"

# --- patterns

STRINGS = (
    *("", "abc", "abc\n", "a-b-1", "a/b/c", "x-from\n", "#a1B2c3", "{} \r", "a.\n"),
    *("é", "Ж", "١٢", "²", "𝔘", "😀"),
    *("one two three four five six seven eight nine", "a b c\ufeffd e f g h\u0085i", "\x1c", "column:\u2028"),
    "https://a.example/b\n",
)
"""Twenty strings on which regular expression engines can disagree."""

ANSWER = """\
globalThis.answer = ([patterns, strings]) => patterns.map((pattern) => {
  const compiled = new RegExp(pattern, "u");
  return strings.map((string) => compiled.test(string));
});
"""


def patterns_in(schema: Any) -> Iterator[str]:
    """All regular expressions of a schema; for a kind, without keys that only the compiler reads."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        if isinstance(schema.get("patternProperties"), dict):
            yield from schema["patternProperties"]
        for key, part in schema.items():
            if not key.startswith("x-"):
                yield from patterns_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from patterns_in(part)


def published_schemas(folder: Path) -> list[Any]:
    library = write_library(folder)
    game = load_game(library / "game.yaml", library, lambda _: None)
    files = render_library([compile_game(game, lambda _: None)])
    return [json.loads(content) for path, content in files if path.startswith("data/schemas/")]


def test_schema_patterns_match_the_same_strings_in_every_regex_engine(tmp_path: Path) -> None:
    schemas = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in SCHEMAS.rglob("*.*")]
    published = published_schemas(tmp_path / "court")
    patterns = sorted({pattern for schema in (*schemas, *published) for pattern in patterns_in(schema)})
    assert len(set(STRINGS)) == 20
    assert len(patterns) > 20
    script = tmp_path / "answer.js"
    script.write_text(ANSWER, encoding="utf-8")
    in_node = run_scripts([script], [patterns, STRINGS], tmp_path)
    for pattern, expected in zip(patterns, in_node, strict=True):
        schema = {"pattern": pattern}
        assert [*map(Draft202012Validator(schema).is_valid, STRINGS)] == expected, f"Python: {pattern}"
        assert [*map(schema_validator(schema), STRINGS)] == expected, f"Rust: {pattern}"


# --- rejected values

MUTATIONS = int(os.environ.get("KISMET_MUTATIONS", "40"))
"""Number of changes for each diagnostic code, of which `make test` tries half; a million includes all, for hours."""
WRONG_VALUES: tuple[Any, ...] = (None, True, -1.5, "", "—", "((", [], [[]], {}, {"no such key": 1})
"""Values of all types, most of which are invalid for any key."""
REMOVED = object()
PATTERNS = {
    "invalid-game": ("game", "content/*/game.yaml"),
    "invalid-kind": ("kind", "schemas/*/*.yaml"),
    "invalid-calculator": ("calculator", "content/*/calculators/*.yaml"),
    "invalid-effects": ("effects", "content/*/effects.yaml"),
    "invalid-corrections": ("corrections", "content/*/corrections.yaml"),
    "invalid-library": ("library", "content/library.yaml"),
}
"""The schema and the data files of each diagnostic code."""

Place = tuple[str | int, ...]


@pytest.fixture(scope="module")
def data_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all shipped data files, licences and emblems; the library file also sets its address."""
    folder = tmp_path_factory.mktemp("shipped")
    for pattern in (*(pattern for _, pattern in PATTERNS.values()), "content/*/LICENSE*", "content/*/*.svg"):
        for file in ROOT.glob(pattern):
            copied = folder / file.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copied)
    with (folder / "content/library.yaml").open("a", encoding="utf-8") as library:
        library.write("url: https://rules.example/\n")
    return folder


def load(folder: Path, file: Path, report: Report) -> None:
    content, path = folder / "content", file.relative_to(folder)
    if path.name == "library.yaml":
        load_library_config(content, report)
        return
    name = GAMES[0] if path.parts[1] == "common" else path.parts[1]
    if path.parts[1] == "common":
        load_kind(file, report)
    for fault in load_game(content / name / "game.yaml", content / name, report).faults:
        report(fault)


def read_value(text: str) -> Any:
    data = yaml12.parse(Source("data.yaml", text), lambda diagnostic: pytest.fail(diagnostic.message), "invalid-data")
    assert data is not None
    return data.value


def places(value: Any, *path: str | int) -> Iterator[tuple[Place, Any]]:
    yield path, value
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, *path, key)


def changes(value: Any) -> Iterator[tuple[Place, Any]]:
    """Each key removed, an unknown key added to each mapping, and each value replaced by other types."""
    for path, part in places(value):
        if path:
            yield path, REMOVED
        if isinstance(part, dict):
            yield (*path, "no such key"), 1
        yield from ((path, wrong) for wrong in WRONG_VALUES if type(wrong) is not type(part))


def changed(value: Any, path: Place, new: Any) -> Any:
    if not path:
        return new
    whole = copy.deepcopy(value)
    parent = whole
    for key in path[:-1]:
        parent = parent[key]
    if new is REMOVED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = new
    return whole


UNKNOWN_WORDS = {"invalid-effects": "unknown-effect-word"}
"""For a code, the code for words that only the game knows: a misspelled key is reported once, under that code."""


@pytest.mark.parametrize("code", PATTERNS)
def test_value_rejected_by_the_schema_is_reported_in_its_file(code: str, data_files: Path) -> None:
    schema, pattern = PATTERNS[code]
    files = {file: file.read_text(encoding="utf-8") for file in sorted(data_files.glob(pattern))}
    values = {file: read_value(text) for file, text in files.items()}
    possible = [(file, *change) for file, value in values.items() for change in changes(value)]
    chosen = random.Random(0).sample(possible, min(MUTATIONS, len(possible)))
    # JSON is YAML, and faster to write.
    texts = [json.dumps(changed(values[file], path, new), ensure_ascii=False, indent=1) for file, path, new in chosen]
    is_valid = schema_validator(shipped_schema(schema))
    refused = [not is_valid(read_value(text)) for text in texts]
    assert sum(refused) > len(refused) / 2, "too few rejected changes for a meaningful test"
    for (file, path, new), text, is_refused in sample([*zip(chosen, texts, refused, strict=True)], 2):
        file.write_text(text, encoding="utf-8")
        diagnostics: list[Diagnostic] = []
        is_loaded = False
        with suppress(InvalidData):
            load(data_files, file, diagnostics.append)
            is_loaded = True
        file.write_text(files[file], encoding="utf-8")
        change = f"{file.name}: {path} {'left out' if new is REMOVED else new!r}"
        own = [
            diagnostic
            for diagnostic in diagnostics
            if diagnostic.code in (code, UNKNOWN_WORDS.get(code))
            and Path(diagnostic.span.source.display_path or "").name == file.name
        ]
        assert own or not is_refused, change
        assert diagnostics or is_loaded, change
        assert len({(diagnostic.span, diagnostic.message) for diagnostic in diagnostics}) == len(diagnostics), change
        assert all(
            0 <= diagnostic.span.start <= diagnostic.span.end <= len(diagnostic.span.source.text)
            for diagnostic in diagnostics
        ), change


def test_files_with_the_suffix_yml_are_read_like_yaml(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_library(tmp_path / name, game=GAME.replace("ember-court", "court"))
    other = tmp_path / "two"
    (other / "game.yaml").rename(other / "game.yml")
    for kind in (other / "kinds").iterdir():
        kind.rename(kind.with_suffix(".yml"))
    (other / "effects.yml").write_text("grace/bow: 1", encoding="utf-8")
    games = [load_library(tmp_path / name, None, lambda _: None).games[0] for name in ("one", "two")]
    assert [*games[1].kinds] == [*games[0].kinds]
    assert games[1].title == games[0].title
    assert [fault.code for fault in games[1].faults] == ["invalid-effects"]


def test_version_is_published_as_it_is_written(tmp_path: Path) -> None:
    write_library(tmp_path, game=GAME.replace("version: 1.0.0", "version: 1.10"))
    assert load_library(tmp_path, None, lambda _: None).games[0].version == "1.10"
