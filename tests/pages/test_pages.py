"""Check the Markdown pages of this folder, which tests/conftest.py collects; tests/case_page.py parses them.

`pytest tests/pages/checks/unresolved-link.md` runs one page. With `::` and a heading at the end, it runs one case.

Inputs are `md DIALECT [NAME.md]`, `adoc asciidoc [NAME.adoc]`, `yaml kind` (its first line is `# <id>`), `yaml game`,
`yaml library`, `yaml effects`, `yaml corrections`, `yaml migrations`, `yaml calculators [NAME.yaml]` and
`link to NAME`, a symbolic link to the path in the fence, and `adoc included NAME.adoc`, a file that others include;
expectations are `model`, `model ids` (with the ids of headings), `diagnostics [DIALECT]`, `html`, `html rolls` (with
buttons for dice and roll tables), `text markdown`, `json entities`, and parts of `json sections`, `json tables`,
`json corrections`, `json names` and `json questions`.
Several texts of a case without a kind have the same meaning in several dialects: the expectations hold for each. A
case with a kind, and every page of checks/, is compiled as one game; a case of vaults/ without `yaml game` is a folder
of texts without game.yaml. There `text kinds` is the output of `kismet check` about the found kinds.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from kismet_build.config.data_file import InvalidData
from kismet_build.config.library import load_library_config
from kismet_build.config.load_game import plain_game
from kismet_build.config.load_library import load_library
from kismet_build.crossref.roll_tables import roll_table_of
from kismet_build.driver.found_kinds import kinds_list, kinds_summary
from kismet_build.model import pattern
from kismet_build.model.diagnostic import Diagnostic, sort_diagnostics
from kismet_build.model.dump import dump_blocks
from kismet_build.model.source import Source, read_source
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.entity_text import entity_text
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.markdown import to_markdown
from kismet_build.render.fragments.renderer import RenderContext, to_html
from kismet_build.render.html.dice_buttons import dice_roll_attributes, text_with_dice
from kismet_build.render.site.outputs import render
from tests.case_page import PAGES, Case, Fence, page_files, read_expanded, read_page, rewrite
from tests.command import ROOT

TEXTS = ("md", "adoc")
INPUTS = (*TEXTS, "yaml", "link")
EXPECTATIONS = ("model", "diagnostics", "html", "json", "text")
SEARCH_SECONDS = 0.2
"""Processor time that the search of a pattern may take here."""
USUAL_NAMES = {"md": "Page.md", "adoc": "Page.adoc"}
ROLLS = RenderContext(
    fragments=HtmlFragments(text=text_with_dice, dice_roll=dice_roll_attributes, roll_table=roll_table_of)
)
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
    dialect: str
    diagnostics: list[Diagnostic]
    model: str = ""
    html: str = ""
    rolls: str = ""
    pack: Pack | None = None
    with_ids: str = ""
    markdown: str = ""


def check_case(case: Case, folder: Path, *, update: bool) -> None:
    """Compare the expected outputs of a case with the actual ones; with `update`, rewrite those that differ."""
    unknown = [fence.info for fence in case.fences if fence.info[0] not in INPUTS + EXPECTATIONS]
    assert not unknown, f"neither an input nor an expectation: {unknown}"
    expectations = [fence for fence in case.fences if fence.info[0] in EXPECTATIONS]
    assert expectations, "this case has no expectation"
    # Cases of patterns that take too long wait for this limit.
    with patch.object(pattern, "MAX_SEARCH_SECONDS", SEARCH_SECONDS):
        results = [compile_case(case, folder)] if is_game(case) else [read_text(fence, case) for fence in texts(case)]
    assert results, "this case has no input"
    for result in results:
        for fence in expectations:
            if fence.info[0] == "diagnostics" and fence.info[1:] not in ((), (result.dialect,)):
                continue
            actual = actual_text(fence, result, case)
            if update and not same(fence, actual):
                rewrite(case, fence.info, actual)
            elif not same(fence, actual):
                assert actual == fence.text.rstrip("\n"), f"{fence.info} of {result.dialect}"
        expects_diagnostics = any(
            fence.info in (("diagnostics",), ("diagnostics", result.dialect)) for fence in expectations
        )
        if not expects_diagnostics:
            assert diagnostic_lines(result.diagnostics, hints=True) == "", "unexpected diagnostics"


def is_game(case: Case) -> bool:
    return case.page.parent.name in ("checks", "vaults") or bool(case.inputs("yaml") or case.inputs("json"))


def is_plain_vault(case: Case) -> bool:
    """Whether the case is a folder of texts without game.yaml."""
    return case.page.parent.name == "vaults" and not case.inputs("yaml")


def read_text(fence: Fence, case: Case) -> Result:
    diagnostics: list[Diagnostic] = []
    dialect = fence.info[1]
    document = read_expanded(Source(name_of(fence), fence.text), dialect, case.included, diagnostics.append)
    html = to_html(document.blocks).rstrip("\n")
    rolls = to_html(document.blocks, ROLLS).rstrip("\n")
    shown = (*document.properties, *document.blocks)
    with_ids = dump_blocks(shown, heading_ids=True)
    markdown = to_markdown(document.blocks, RenderContext())
    return Result(dialect, diagnostics, dump_blocks(shown), html, rolls, with_ids=with_ids, markdown=markdown)


def compile_case(case: Case, folder: Path) -> Result:
    """Write the case as a small library and compile it as the command does."""
    from kismet_build.driver.compile import compile_documents

    diagnostics: list[Diagnostic] = []
    dialects = {name_of(fence): fence.info[1] for fence in texts(case)}
    assert len(dialects) == len(texts(case)), "two texts of this case have the same name"
    write_case(case, folder)
    shown = " ".join(dict.fromkeys(dialects.values()))
    try:
        if is_plain_vault(case):
            load_library_config(folder, diagnostics.append)
            game = replace(plain_game(folder), id="game")
        else:
            (game,) = load_library(folder, None, diagnostics.append).games
    except InvalidData:
        return Result(shown, diagnostics)
    sources = [read_source(file, file.relative_to(folder).as_posix(), file.name) for file, _ in game.files.texts]
    options = game.definition.dialect_options
    documents = tuple(
        read_expanded(source, dialects.get(source.path, "obsidian"), case.included, diagnostics.append, options)
        for source in sources
    )
    pack = compile_documents(game, documents, diagnostics.append)
    blocks = tuple(block for document in documents for block in document.blocks)
    return Result(shown, diagnostics, dump_blocks(blocks), to_html(blocks).rstrip("\n"), pack=pack)


def write_case(case: Case, folder: Path) -> None:
    for fence in texts(case):
        write(folder / name_of(fence), fence.text)
    for fence in case.inputs("link"):
        if os.name == "nt":
            pytest.skip("links need a privilege on Windows")
        (folder / fence.info[2]).symlink_to(fence.text.strip())
    if is_plain_vault(case):
        return
    (folder / "kinds").mkdir(parents=True)
    write(folder / "game.yaml", USUAL_GAME)
    for fence in case.inputs("yaml"):
        if fence.info[1] in ("game", "library", "effects", "corrections", "migrations"):
            write(folder / f"{fence.info[1]}.yaml", fence.text)
        elif fence.info[1] == "calculators":
            write(folder / "calculators" / (fence.info[2] if len(fence.info) > 2 else "rules.yaml"), fence.text)
        else:
            kind = re.match(r"# ([a-z0-9-]+)\n", fence.text)
            assert kind, "the first line of a kind is a comment with its id"
            write(folder / "kinds" / f"{kind[1]}.yaml", fence.text)


def texts(case: Case) -> list[Fence]:
    return [fence for fence in case.fences if fence.info[0] in TEXTS and fence.info[1] != "included"]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def name_of(fence: Fence) -> str:
    return fence.info[2] if len(fence.info) > 2 else USUAL_NAMES[fence.info[0]]


def same(fence: Fence, actual: str) -> bool:
    if fence.info[0] == "json" and fence.text.strip():
        return bool(json.loads(fence.text) == json.loads(actual))
    return fence.text.rstrip("\n") == actual


def actual_text(fence: Fence, result: Result, case: Case) -> str:
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
        case ("text", "kinds"):
            assert result.pack is not None, "the game could not be read"
            return "\n".join((*kinds_list(result.pack), kinds_summary(result.pack).rpartition("; ")[2]))
        case ("text", "markdown"):
            return result.markdown
        case ("json", "sections" | "tables" | "corrections" | "names" | "questions" as member):
            assert result.pack is not None, "the game could not be read"
            return record_lines(published_records(result.pack, member), json.loads(fence.text or "[{}]"))
        case ("json", "entities"):
            assert result.pack is not None, "the game could not be read"
            return entity_lines(result.pack, with_text='"text":' in fence.text)
        case _:
            raise AssertionError(f"unknown expectation: {' '.join(fence.info)}")


def published_records(pack: Pack, member: str) -> list[dict[str, Any]]:
    name = member if member in ("names", "questions") else "pack"
    data = json.loads(render(pack, f"data/{pack.game.id}/{name}.json"))
    return [data[member]] if member == "names" else list(data[member])


def record_lines(records: list[dict[str, Any]], expected: list[dict[str, Any]]) -> str:
    """The records, each on a line, with the keys that any of the expected records has."""
    keys = {key for record in expected for key in record}
    shown = [{key: value for key, value in record.items() if key in keys} for record in records]
    return "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in shown) + "\n]"


def diagnostic_lines(diagnostics: list[Diagnostic], *, hints: bool) -> str:
    lines = []
    for diagnostic in sort_diagnostics(diagnostic.original for diagnostic in diagnostics):
        line, column = diagnostic.span.source.line_and_column(diagnostic.span.start)
        path = "" if diagnostic.span.source.path in USUAL_NAMES.values() else f"{diagnostic.span.source.path}:"
        lines.append(f"{path}{line}:{column} {diagnostic.severity} {diagnostic.code}: {diagnostic.message}")
        if hints and diagnostic.hint:
            lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)


def entity_lines(pack: Pack, *, with_text: bool) -> str:
    """All entities as JSON, one per line: id, name, aliases (if any), the fields and, with `with_text`, the text."""

    def record(entity: Entity) -> dict[str, object]:
        aliases = {"aliases": list(entity.aliases)} if entity.aliases else {}
        text = {"text": entity_text(pack, entity)} if with_text else {}
        return {"id": entity.id, "name": entity.name, **aliases, **entity.fields, **text}

    rows = ",\n".join("  " + json.dumps(record(entity), ensure_ascii=False) for entity in pack.all_entities())
    return f"[\n{rows}\n]" if rows else "[]"


PAGE = """\
## A link is read

````md obsidian
[[Moves]]
````

````diagnostics
not this
````

## A word is read

````md obsidian
word
````

````model
````
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    return tmp_path / "page.md"


def test_case_with_another_result_fails_and_update_rewrites_it(page: Path, tmp_path: Path) -> None:
    for case in read_page(page):
        with pytest.raises(AssertionError):
            check_case(case, tmp_path, update=False)
    assert page.read_text(encoding="utf-8") == PAGE
    for case in read_page(page):
        check_case(case, tmp_path, update=True)
    for case in read_page(page):
        check_case(case, tmp_path, update=False)
    assert page.read_text(encoding="utf-8") == PAGE.replace("not this\n", "").replace(
        "````model\n", '````model\nParagraph\n  Text "word"\n'
    )


def test_every_page_is_collected_and_a_case_can_be_run_alone() -> None:
    first, *others = page_files()
    case = f"{first}::{read_page(first)[0].title}"
    command: list[str | Path] = [sys.executable, "-m", "pytest", "--collect-only", "-qq", case]
    command += [folder for folder in sorted(PAGES.iterdir()) if folder.is_dir() and folder != first.parent]
    command += [page for page in others if page.parent == first.parent]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    counts = {page: len(read_page(page)) for page in others} | {first: 1}
    assert len(counts) > 80
    expected = [f"{page.relative_to(ROOT).as_posix()}: {count}" for page, count in counts.items()]
    assert sorted(run.stdout.split("\n\n")[0].splitlines()) == sorted(expected)
