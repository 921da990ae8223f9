"""The Markdown pages of this folder are tests: see ARCHITECTURE.md, "Tests", and tests/page.py for their form.

Inputs are `md DIALECT [NAME.md]`, `adoc asciidoc [NAME.adoc]`, `yaml kind` (its first line is `# <id>`), `yaml game`,
`yaml library`, `yaml effects` and `yaml calculators [NAME.yaml]`; expectations are `model`, `model ids` (with the ids
of headings), `diagnostics [DIALECT]`, `html`, `html rolls` (with what can be rolled told apart) and `json entities`.
Several texts of a case without a kind say the same in several dialects: what is expected holds for each. A case with
a kind, and every page of checks/, is compiled as one game.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from kismet_build.config.data_file import InvalidData
from kismet_build.config.game import load_game
from kismet_build.config.library import load_library_config
from kismet_build.model.diagnostic import Diagnostic, in_order
from kismet_build.model.nodes import plain_text
from kismet_build.model.source import Source, read_source
from kismet_build.pack import Entity, Pack
from kismet_build.parse import read
from kismet_build.render.html.dice_buttons import roll_table_of, text_with_dice
from kismet_build.render.html.renderer import RenderContext, to_html
from tests.model_text import model_text, model_text_with_ids
from tests.page import Case, Fence, pages, read_page, rewrite

TESTS = Path(__file__).parent
TEXTS = ("md", "adoc")
INPUTS = (*TEXTS, "yaml")
EXPECTATIONS = ("model", "diagnostics", "html", "json")
USUAL_NAMES = {"md": "Page.md", "adoc": "Page.adoc"}
ROLLS = RenderContext(text=text_with_dice, roll_table=roll_table_of)
USUAL_GAME = """\
id: game
title: Game
version: 1.0.0
licence: none
kinds: kinds
sources: [{glob: "**/*.md"}, {glob: "**/*.adoc"}]
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What an input came to."""

    dialect: str
    diagnostics: list[Diagnostic]
    model: str = ""
    html: str = ""
    rolls: str = ""
    pack: Pack | None = None
    with_ids: str = ""


def cases() -> list[object]:
    return [
        pytest.param(case, id=f"{page.relative_to(TESTS).as_posix()}::{case.title}")
        for page in pages(TESTS)
        for case in read_page(page)
    ]


@pytest.mark.parametrize("case", cases())
def test_page(case: Case, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    unknown = [fence.info for fence in case.fences if fence.info[0] not in INPUTS + EXPECTATIONS]
    assert not unknown, f"this is neither an input nor an expectation: {unknown}"
    expectations = [fence for fence in case.fences if fence.info[0] in EXPECTATIONS]
    assert expectations, "this case expects nothing"
    is_game = case.page.parent.name == "checks" or bool(case.inputs("yaml") or case.inputs("json"))
    results = [compile_case(case, tmp_path)] if is_game else [read_text(fence) for fence in texts(case)]
    assert results, "this case has no input"
    for result in results:
        for fence in expectations:
            if fence.info[0] == "diagnostics" and fence.info[1:] not in ((), (result.dialect,)):
                continue
            actual = say(fence, result, case)
            if pytestconfig.getoption("--update") and not same(fence, actual):
                rewrite(case, fence.info, actual)
            elif not same(fence, actual):
                assert actual == fence.text.rstrip("\n"), f"{fence.info} of {result.dialect}"
        told = any(fence.info in (("diagnostics",), ("diagnostics", result.dialect)) for fence in expectations)
        if not told:
            assert diagnostic_lines(result.diagnostics, hints=True) == "", "these are not expected"


def read_text(fence: Fence) -> Result:
    diagnostics: list[Diagnostic] = []
    dialect = fence.info[1]
    document = read(Source(name_of(fence), fence.text), dialect, diagnostics.append)
    html = to_html(document.blocks).rstrip("\n")
    rolls = to_html(document.blocks, ROLLS).rstrip("\n")
    with_ids = model_text_with_ids(document.blocks)
    return Result(dialect, diagnostics, model_text(document.blocks), html, rolls, with_ids=with_ids)


def compile_case(case: Case, folder: Path) -> Result:
    """Write the case as a small library and compile it as the command does."""
    from kismet_build.build.pipeline import compile_documents

    diagnostics: list[Diagnostic] = []
    dialects = {name_of(fence): fence.info[1] for fence in texts(case)}
    assert len(dialects) == len(texts(case)), "two texts of this case have one name"
    for fence in texts(case):
        write(folder / name_of(fence), fence.text)
    (folder / "kinds").mkdir()
    write(folder / "game.yaml", USUAL_GAME)
    for fence in case.inputs("yaml"):
        if fence.info[1] in ("game", "library"):
            write(folder / f"{fence.info[1]}.yaml", fence.text)
        elif fence.info[1] == "effects":
            write(folder / "effects.yaml", fence.text)
        elif fence.info[1] == "calculators":
            write(folder / "calculators" / (fence.info[2] if len(fence.info) > 2 else "rules.yaml"), fence.text)
        else:
            kind = re.match(r"# ([a-z0-9-]+)\n", fence.text)
            assert kind, "the first line of a kind is a comment with its id"
            write(folder / "kinds" / f"{kind[1]}.yaml", fence.text)
    shown = " ".join(dict.fromkeys(dialects.values()))
    try:
        load_library_config(folder, diagnostics.append)
        game = load_game(folder / "game.yaml", folder, diagnostics.append)
    except InvalidData:
        return Result(shown, diagnostics)
    sources = [read_source(file, file.relative_to(folder).as_posix(), file.name) for file, _ in game.files]
    documents = tuple(read(source, dialects[source.path], diagnostics.append) for source in sources)
    pack = compile_documents(game, documents, diagnostics.append)
    blocks = tuple(block for document in documents for block in document.blocks)
    return Result(shown, diagnostics, model_text(blocks), to_html(blocks).rstrip("\n"), pack=pack)


def texts(case: Case) -> list[Fence]:
    """The rules texts of a case, in the order of the page."""
    return [fence for fence in case.fences if fence.info[0] in TEXTS]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def name_of(fence: Fence) -> str:
    return fence.info[2] if len(fence.info) > 2 else USUAL_NAMES[fence.info[0]]


def same(fence: Fence, actual: str) -> bool:
    if fence.info[0] == "json" and fence.text.strip():
        return bool(json.loads(fence.text) == json.loads(actual))
    return fence.text.rstrip("\n") == actual


def say(fence: Fence, result: Result, case: Case) -> str:
    """A result in the form of an expectation."""
    match fence.info:
        case ("model", "ids"):
            return result.with_ids
        case ("model", *_):
            return result.model
        case ("html", "rolls"):
            return result.rolls
        case ("html", *_):
            return result.html
        case ("diagnostics", *_):
            return diagnostic_lines(result.diagnostics, hints=case.shows_hints)
        case ("json", "entities"):
            assert result.pack is not None, "the game could not be read"
            return entity_lines(result.pack, with_text='"text":' in fence.text)
        case _:
            raise AssertionError(f"an expectation of this name is not known: {' '.join(fence.info)}")


def diagnostic_lines(diagnostics: list[Diagnostic], *, hints: bool) -> str:
    lines = []
    for one in in_order(diagnostics):
        line, column = one.span.source.place(one.span.start)
        path = "" if one.span.source.path in USUAL_NAMES.values() else f"{one.span.source.path}:"
        lines.append(f"{path}{line}:{column} {one.severity} {one.code}: {one.message}")
        if hints and one.hint:
            lines.append(f"  hint: {one.hint}")
    return "\n".join(lines)


def entity_lines(pack: Pack, *, with_text: bool) -> str:
    """Every entity as JSON, one a line: id, name, aliases where there are any, then its own fields."""

    def record(entity: Entity) -> dict[str, object]:
        aliases = {"aliases": list(entity.aliases)} if entity.aliases else {}
        text = {"text": plain_text(*entity.body)} if with_text else {}
        return {"id": entity.id, "name": entity.name, **aliases, **entity.fields, **text}

    rows = ",\n".join("  " + json.dumps(record(entity), ensure_ascii=False) for entity in pack.every())
    return f"[\n{rows}\n]" if rows else "[]"
