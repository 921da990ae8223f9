"""Rules that the whole code base follows."""

import ast
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kismet_build.config.data_file import InvalidData
from kismet_build.config.game import Game
from kismet_build.config.load_game import load_game
from kismet_build.driver.compile import compile_documents
from kismet_build.extensions.packages.wheel import engine_files
from kismet_build.model.diagnostic import Diagnostic, to_json, to_text
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.render.site.outputs import paths, render
from tests.command import CONTENT, GAME_FILE, GAMES, ROOT, kismet, kismet_process, tree
from tests.conftest import BuiltTree
from tests.sample import examples, sample
from tests.small_library import GAME, KIND, TEXT, write_library

PACKAGE = ROOT / "kismet_build"
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
}

IN_WHEELS = {
    ".".join(("kismet_build", *Path(path).with_suffix("").parts)).removesuffix(".__init__") for path in engine_files()
}
"""The modules that packages for Python contain as they are."""


@cache
def syntax(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


# --- layers

LAYERS = (
    ("model",),
    ("mechanics",),
    ("config",),
    ("pack",),
    ("parse", "resolve", "extract", "crossref", "lint", "render", "output"),
    ("driver",),
    ("serve",),
    ("cli",),
    ("extensions",),
)
"""The parts of `kismet_build`, the lowest layer first: a module imports its own part and lower layers."""

RENDER_LAYERS = (("html",), ("fragments",), ("components",), ("data",), ("pages",), ("site",), ("",))
"""The folders of `render`, the lowest first; its `__init__` is above them."""

TOP = {"__init__.py", "py.typed"}
"""The files at the top of the package; all others are in a folder."""


def part(module: str, depth: int = 1) -> str:
    return [*module.split("."), "", ""][depth]


def layer(module: str) -> tuple[int, int]:
    """The layer of a module, and that of its folder in `render`."""
    outer = next(number for number, parts in enumerate(LAYERS) if part(module) in parts)
    inner = part(module, 2) if part(module) == "render" else ""
    return outer, next(number for number, parts in enumerate(RENDER_LAYERS) if inner in parts)


def is_allowed(importing: str, imported: str) -> bool:
    above, below = layer(importing), layer(imported)
    if part(importing) == part(imported):
        return part(importing) != "render" or above > below or part(importing, 2) == part(imported, 2)
    return above[0] > below[0]


def imports(module: str) -> Iterator[tuple[str, int]]:
    """All modules that a module imports, anywhere in the file, with the line."""
    for node in ast.walk(syntax(module)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            is_relative = node.level > 0
            is_expected = is_relative == (module in IN_WHEELS)
            assert is_expected or (not is_relative and not str(node.module).startswith("kismet_build")), (
                f"{module}:{node.lineno}: modules in packages for Python have relative imports, no others do"
            )
            imported = str(node.module)
            if is_relative:
                folder = MODULES[module].relative_to(ROOT).parts[: -node.level]
                imported = ".".join((*folder, imported))
            for alias in node.names:
                whole = f"{imported}.{alias.name}"
                yield whole if whole in MODULES else imported, node.lineno


def test_modules_import_only_lower_layers() -> None:
    upward = [
        f"{importing}:{line} imports {imported}"
        for importing in sorted(MODULES.keys() - {"kismet_build"})
        for imported, line in imports(importing)
        if imported.startswith("kismet_build.") and not is_allowed(importing, imported)
    ]
    assert not upward, "\n".join(upward)


SHARED_BY_SITES = "kismet_build.extensions.sites.shared"
"""What the sites of several generators share, and imports none of them."""


def extension(module: str) -> list[str]:
    parts = module.split(".")
    return parts[1 : 4 if part(module, 2) == "sites" else 3] if part(module) == "extensions" else []


def test_the_core_imports_no_extension_and_no_extension_another() -> None:
    """The driver could import what is above it late, inside a function."""
    wrong = [
        f"{importing}:{line} imports {imported}"
        for importing in sorted(MODULES)
        for imported, line in imports(importing)
        if imported.startswith("kismet_build.extensions.") and extension(imported) != extension(importing)
        if extension(importing)[:2] != ["extensions", "sites"] or not imported.startswith(SHARED_BY_SITES)
    ]
    assert not wrong, "\n".join(wrong)


def test_extensions_import_only_what_is_public_of_the_commands() -> None:
    imported = {name for module in MODULES if extension(module) for name, _ in imports(module)}
    of_commands = {name for name in imported if part(name) in ("cli", "serve")}
    assert of_commands <= {f"kismet_build.cli.{name}" for name in ("build_part", "command", "messages")}


def test_package_root_has_only_the_listed_files() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} == TOP


def test_only_the_mkdocs_plugin_imports_mkdocs() -> None:
    importing = {module for module in MODULES for name, _ in imports(module) if name.split(".")[0] == "mkdocs"}
    assert importing <= {"kismet_build.extensions.mkdocs"}


OF_VERSIONS = {f"kismet_build.extensions.packages.{name}" for name in ("command", "release")}
"""The modules about versions, which also read bundles and trees."""


def test_exporters_see_nothing_but_finished_data() -> None:
    """Exporters of other packages get neither `Pack` nor `Game`, and all exporters can run on an existing tree."""
    may_import = re.compile(
        r"kismet_build\.(extensions\.packages|model|mechanics)\b"
        r"|kismet_build\.(config\.data_file|output\.(exporters|finished_data|entity_changes))$"
    )
    other = [
        f"{module}:{line} imports {name}"
        for module in MODULES
        if extension(module)[1:] == ["packages"] and module not in OF_VERSIONS
        for name, line in imports(module)
        if name.startswith("kismet_build.") and not may_import.match(name)
    ]
    assert not other, "\n".join(other)


def test_one_module_reads_entry_points_and_only_when_it_is_asked() -> None:
    """Reading the entry points of all packages takes longer than many commands."""
    places = {
        (module, node in syntax(module).body)
        for module in MODULES
        for node in ast.walk(syntax(module))
        if isinstance(node, ast.ImportFrom) and "entry_points" in {alias.name for alias in node.names}
    }
    assert places == {("kismet_build.model.entry_points", False)}


def test_nothing_is_stored_as_a_pickle() -> None:
    """`multiprocessing` pickles for the pipes between this program's own processes, and Dask between machines."""
    unsafe = {"pickle", "pickletools", "cloudpickle", "copyreg", "dill", "joblib", "shelve"}
    pickling = {module for module in MODULES for name, line in imports(module) if name in unsafe}
    assert pickling == {"kismet_build.extensions.cluster.dask", "kismet_build.extensions.cluster.worker"}


COMPILED = ("resolve", "extract", "crossref")
"""The folders whose functions are steps. A value that they compare may come from an earlier compilation."""


def test_only_the_driver_knows_that_results_are_kept() -> None:
    importing = {module for module in MODULES for name, _ in imports(module) if name == "kismet_build.model.memo"}
    assert importing == {"kismet_build.driver.compile", "kismet_build.driver.select"}


def test_steps_compare_values_and_not_objects() -> None:
    """Empty mappings of two compilations are equal; a comparison by identity once caused a full build."""
    modules = [module for module in MODULES if part(module) in COMPILED]
    identities = [
        f"{module}:{node.lineno} {ast.unparse(node)}"
        for module in (*modules, "kismet_build.driver.select", "kismet_build.driver.compile")
        for node in ast.walk(syntax(module))
        if isinstance(node, ast.expr) and (compares_identity(node) or is_call_of_id(node))
    ]
    assert not identities, "\n".join(identities)


def compares_identity(node: ast.expr) -> bool:
    """Whether an expression compares the identity of a value that is neither a constant nor a type."""
    return (
        isinstance(node, ast.Compare)
        and any(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
        and not any(map(is_unique, (node.left, *node.comparators)))
    )


def is_unique(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.Call(func=ast.Name(id="type")):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name[0].isupper()  # classes, members of enumerations and sentinels begin with a capital
        case _:
            return False


def is_call_of_id(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "id" and isinstance(node.ctx, ast.Load)


CATCHING_ALL = {
    "kismet_build.driver.parse_files": "a text that cannot be parsed does not stop the others",
    "kismet_build.driver.publish": "nor does one that cannot be rendered",
    "kismet_build.extensions.cluster.worker": "nor does a game that a worker cannot build",
    "kismet_build.extensions.cluster.dask": "an address that Dask cannot use gives one line",
    "kismet_build.model.entry_points": "a package that cannot be imported gives one line",
    "kismet_build.config.sources": "so does a source that fails",
    "kismet_build.driver.books": "so does a format of a book that fails",
    "kismet_build.output.exporters": "and an exporter that fails leaves the tree without its files",
    "kismet_build.model.memo": "nor does one that a step fails for",
    "kismet_build.serve.session": "a page that cannot be made does not end the server",
    "kismet_build.cli.arguments": "nor does a command of another package that cannot be added",
    "kismet_build.cli.program": "no traceback reaches a user",
}
"""The modules that catch all exceptions, in one place each."""


def test_few_modules_catch_all_exceptions() -> None:
    catching = [
        module
        for module in MODULES
        for node in ast.walk(syntax(module))
        if isinstance(node, ast.ExceptHandler)
        and re.search(r"\b(Base)?Exception\b", ast.unparse(node.type) if node.type else "Exception")
    ]
    assert sorted(catching) == sorted(CATCHING_ALL)


@pytest.mark.parametrize("module", MODULES)
def test_no_pattern_repeats_a_group_possessively(module: str) -> None:
    """Python before 3.11.5 finds nothing with `(?:a+|b)++`, so all links of a vault were text. Atomic groups work."""
    possessive = re.compile(r"(?:^|[^\\(])\)(?:[*+?]|\{[\d,]+\})\+")
    constants = [node for node in ast.walk(syntax(module)) if isinstance(node, ast.Constant)]
    assert [node.lineno for node in constants if isinstance(node.value, str) and possessive.search(node.value)] == []


# --- games are data

PLAIN_WORDS = {
    "hourglass": "an emoji",
    "[craft]": "an example of brackets in AsciiDoc",
    "charisma": "of the statblocks of an Obsidian plugin",
    "constant": "plain English",
    "critical": "a form of dice notation",
    "disable": "to stop garbage collection",
    "extra steps": "of an evaluation",
    "knives": "an irregular plural",
    "legend": "an element of HTML",
    "month": "a part of an address in Jekyll and Hugo",
    "save": "to write a file",
    "strike": "an example of an id",
    "watch": "to look for changes of files",
    "wisdom": "of the statblocks of an Obsidian plugin",
}
"""Names in the facts that are also words of the compiler or plain English, with their meaning in the code."""


def game_words() -> set[str]:
    """The names of all kinds and entities of the games, and the titles of the games.

    A single word that another book has in lower case is a common word and belongs to no game.
    """
    titles = {yaml.safe_load(file.read_text(encoding="utf-8"))["title"] for file in CONTENT.glob("*/game.yaml")}
    words = titles - {"Kismet"}
    books = {game: [*CONTENT.glob(f"{game}/*.md"), *CONTENT.glob(f"{game}/*.adoc")] for game in GAMES}
    lower_case = {
        game: {word for file in files for word in re.findall(r"[a-z]+", file.read_text(encoding="utf-8"))}
        for game, files in books.items()
    }
    for game in GAMES:
        facts = yaml.safe_load((ROOT / f"tests/facts/{game}.yaml").read_text(encoding="utf-8"))
        common = {word for other in GAMES if other != game for word in lower_case[other]}
        words |= {name for kind in facts if (name := kind.replace("-", " ")) not in common}
        for entities in facts.values():
            names = {name for entity in entities for name in (entity["name"], *entity.get("aliases", ()))}
            words |= {name for name in names if name.casefold() not in common}
    is_dice_or_number = re.compile(r"d?\d+")
    return {word.casefold() for word in words if not is_dice_or_number.fullmatch(word)} - set(PLAIN_WORDS)


def program_files() -> Iterator[Path]:
    """The files of the compiler, its schemas and its site. Manual pages and the data of games may use any word.

    So may the synonyms of search: they are what players of one game call a thing of another.
    """
    for folder, pattern in ((PACKAGE, "**/*"), (ROOT / "schemas", "*.json"), (ROOT / "site", "**/*")):
        for file in sorted(folder.glob(pattern)):
            is_text = file.suffix in (".py", ".md", ".yaml", ".json", ".html", ".js", ".css")
            may_use_any = {"shipped", "manual"} & {*file.parts} or file == ROOT / "site/search/synonyms.yaml"
            if file.is_file() and is_text and not may_use_any:
                yield file


def test_compiler_contains_no_words_of_a_game() -> None:
    names = sorted(game_words(), key=len, reverse=True)
    pattern = re.compile(r"(?<![a-z])(" + "|".join(re.escape(n).replace(r"\ ", "[ _-]") for n in names) + r")(?![a-z])")
    matches = []
    for file in program_files():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            matches += [f"{file.relative_to(ROOT)}:{number}: {hit[0]}" for hit in pattern.finditer(line.casefold())]
    assert not matches, "\n".join(matches)


def test_law_of_words_knows_those_of_each_game_and_no_common_ones() -> None:
    words = game_words()
    assert {
        "dodge",
        "attack rolls",
        "stress threshold",
        "fury bonus",
        "technology level",
        "märchen engine",
    } - words <= {
        "attack rolls",
        "technology level",
        "stress threshold",
    }
    assert not words & {"rope", "average", "easy", "guard", "d10"}
    read = {file.relative_to(ROOT).as_posix() for file in program_files()}
    assert {"schemas/effects.schema.json", "site/templates/effect.html", "kismet_build/cli/arguments.py"} <= read
    assert not any(name.startswith(("kismet_build/lint/manual/", "schemas/kismet/", "content/")) for name in read)


# --- diagnostics

TESTED_ELSEWHERE = {
    "failed-text": "a text that the compiler fails on would be mended; see test_bad_notes.py",
    "unreadable-text": "a page of tests can always be read; see test_bad_notes.py",
    "invalid-encoding": "a page of tests cannot hold a byte that is not UTF-8; see test_commands.py",
    "invalid-project": "a page of tests has no project file; see test_projects.py",
    "project-file": "a page of tests has no project file; see test_projects.py",
    "missing-letter": "a page of tests makes no book; see test_book.py",
    "outside-page": "a page of tests makes no book; see test_book.py",
    "unmatched-book-text": "a page of tests has no book; see test_book.py",
    "unnamed-picture": "a page of tests makes no book; see test_book.py",
    "unset-picture": "a page of tests makes no book; see test_book.py",
}


def codes() -> set[str]:
    takes_code = {"Diagnostic": 0}
    for tree_ in map(syntax, MODULES):
        for node in ast.walk(tree_):
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                names = [argument.arg for argument in node.args.args]
                if "code" in names:
                    takes_code[node.name] = names.index("code") - (names[0] == "self")
    codes = set()
    for tree_ in map(syntax, MODULES):
        for node in ast.walk(tree_):
            if isinstance(node, ast.Call) and not is_log(node) and (called := name_of(node.func)) in takes_code:
                place = takes_code[called]
                arguments = [
                    *node.args[place : place + 1],
                    *(keyword.value for keyword in node.keywords if keyword.arg == "code"),
                ]
                codes |= {
                    argument.value
                    for argument in arguments
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                }
    return codes


def is_log(call: ast.Call) -> bool:
    """Whether a call writes to the log of MkDocs, whose methods have the names of severities."""
    return isinstance(call.func, ast.Attribute) and name_of(call.func.value) == "LOG"


def name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


NEW_FUNCTIONS = re.compile(
    r"\b(toSpliced|toSorted|toReversed|groupBy|fromAsync|withResolvers|isWellFormed|toWellFormed|union|intersection"
    r"|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\("
)
"""Functions of JavaScript that browsers of 2022 and Node 18 do not have."""


@pytest.mark.parametrize("script", sorted((ROOT / "site").rglob("*.js")), ids=lambda script: script.name)
def test_scripts_call_no_function_that_browsers_of_2022_lack(script: Path) -> None:
    """Calling a missing function ends the script: search failed on an old phone."""
    assert NEW_FUNCTIONS.findall(script.read_text(encoding="utf-8")) == []


def test_every_diagnostic_code_has_a_manual_page_and_a_test_page() -> None:
    manual = {file.stem for file in (PACKAGE / "lint" / "manual").glob("*.md")}
    pages = {file.stem for file in (ROOT / "tests/pages/checks").glob("*.md")}
    assert len(codes()) > 10
    assert codes() == manual
    assert codes() - set(TESTED_ELSEWHERE) == pages


@pytest.mark.parametrize("page", sorted((PACKAGE / "lint" / "manual").glob("*.md")), ids=lambda page: page.stem)
def test_manual_page_has_title_severity_and_closed_code_blocks(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.match(rf"# {page.stem}\n\nSeverity: (error|warning|info)\n\n\S", text)
    assert text.count("\n```") % 2 == 0


def test_every_command_is_in_the_contract() -> None:
    contract = (ROOT / "docs/CONTRACT.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    ([a-z]+)  ", kismet("--help").out, re.MULTILINE)
    assert {"build", "check", "explain", "new"} <= set(commands)
    assert [command for command in commands if f"\nkismet {command} " not in contract] == []


# --- decisions

DECISION = re.compile(r"docs/decisions/(\d{4}-[a-z0-9-]+\.md)")
"""A citation of a decision, by its path, so that a search finds every citation."""
SHORT_CITATION = re.compile(r"\bdecisions?[ /]\d{2,4}\b(?!-)")
CITING_SUFFIXES = frozenset((".py", ".js", ".css", ".html", ".json", ".yaml"))
CITING_FOLDERS = ("kismet_build", "site", "schemas", "tests", "benchmarks")


def test_each_decision_is_cited_beside_the_code_that_it_explains() -> None:
    decisions = {file.name for file in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    assert sorted(name[:4] for name in decisions) == [f"{number + 1:04d}" for number in range(len(decisions))]
    cited = set()
    for folder in CITING_FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in CITING_SUFFIXES:
                text = file.read_text(encoding="utf-8")
                assert not SHORT_CITATION.search(text), file
                cited.update(DECISION.findall(text))
    assert cited == decisions, "a decision that nothing cites, or a citation of a missing one"


# --- reproducible builds


@pytest.mark.parametrize("seed", sample(["0", "4711"], 2))
def test_output_is_independent_of_folder_hash_seed_time_zone_and_locale(
    content: BuiltTree, tmp_path: Path, seed: str
) -> None:
    shutil.copytree(CONTENT, tmp_path / "elsewhere/content")
    shutil.copytree(ROOT / "schemas", tmp_path / "elsewhere/schemas")
    env = {"PYTHONHASHSEED": seed, "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    run = kismet_process("build", "--out", tmp_path / "out", "--jobs", "2", cwd=tmp_path / "elsewhere", env=env)
    assert run.status == 0, run.output
    here, there = tree(content.folder), tree(tmp_path / "out")
    assert sorted(here) == sorted(there)
    assert [path for path in here if here[path] != there[path]] == []


def test_output_has_no_path_of_the_build_machine(content: BuiltTree) -> None:
    for path, data in tree(content.folder).items():
        assert str(ROOT).encode() not in data, path


# --- no input raises

FRAGMENTS = [
    *TEXT.splitlines(keepends=True),
    *(
        "---\n",
        "```start-multi-column\nID: a\n```\n",
        "--- column-end ---\n",
        "=== end-multi-column\n",
        "> [!note]- Title\n",
    ),
    *(
        "[[",
        "]]",
        "[[#Bow]]",
        "![[1 Court]]",
        "![[#Graces|x]]",
        "%%",
        "==",
        "^id\n",
        "[^1]",
        "[^1]: Note\n",
        "**",
        "_",
        "`",
    ),
    *(
        "| A | B |\n| - | - |\n| 1 | 2 |\n",
        "| A |\n|---|---|\n",
        "|",
        "- ",
        "· ",
        "o\u00a0",
        "1. ",
        "    ",
        "\t",
        "\u00a0",
        "\n",
        "\n\n",
    ),
    *(
        "```kismet grace\nname: Nod\ncost: 1\n```\n",
        "name: [",
        "<div>\n",
        "<script>",
        "&amp;",
        "\\",
        "\u2028",
        "\x00",
        "😀",
        "é",
    ),
]
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=30).map("".join)
)


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Game:
    folder = write_library(tmp_path_factory.mktemp("court"))
    return load_game(folder / "game.yaml", folder, lambda _: None)


@pytest.fixture(scope="module")
def full_game() -> Game:
    return load_game(GAME_FILE, GAME_FILE.parent, lambda _: None)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(text=TEXTS, dialect=st.sampled_from(sorted(DIALECTS.ours)), other=TEXTS)
def test_any_text_compiles_and_all_spans_are_within_the_text(court: Game, text: str, dialect: str, other: str) -> None:
    check_compiles(court, text, dialect, other)


ROWS = [
    "| Level | Heroic Gained |\n|---|---|\n| x | – |\n",
    "| Roll | Wound |\n|--|--|\n| 6-1 | A/B |\n",
    "| 1-2-3 |\n",
]


@settings(max_examples=examples(50, 3), suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(st.integers(0, 10**6) | st.sampled_from(ROWS), max_size=25))
def test_shuffled_rule_book_does_not_raise(full_game: Game, pieces: list[int | str]) -> None:
    text = full_game.files.texts[0][0].read_text(encoding="utf-8").splitlines(keepends=True)
    check_compiles(full_game, "".join(text[p % len(text)] if isinstance(p, int) else p for p in pieces), "obsidian", "")


DIGEST = "0" * 64


def check_compiles(game: Game, text: str, dialect: str, other: str) -> None:
    diagnostics: list[Diagnostic] = []
    sources = (Source("1 Court.md", text, DIGEST), Source("2 Yard.md", other, DIGEST))
    documents = tuple(read(source, dialect, diagnostics.append) for source in sources)
    pack = compile_documents(game, documents, diagnostics.append)
    for diagnostic in diagnostics:
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            assert 0 <= span.start <= span.end <= len(span.source.text)
        assert to_text(diagnostic)
        assert to_json(diagnostic)
    for entity in pack.all_entities():
        for span in (entity.span, *entity.field_spans.values()):
            assert 0 <= span.start <= span.end <= len(span.source.text)
    assert len([render(pack, path) for path in paths(pack) if path.startswith("data/")]) >= 4


MUTATIONS = [
    "[",
    "{",
    "}",
    ": ",
    "- ",
    "\t",
    "x-",
    "&a ",
    "*a ",
    "!!int ",
    "**",
    "/",
    "..",
    "(",
    "~",
    "'",
    "null",
    "{name!r}",
]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 400), length=st.integers(0, 6), new=st.text(max_size=10) | st.sampled_from(MUTATIONS))
@example(cut=64, length=0, new="!!int ")
@example(cut=101, length=0, new="*")
@pytest.mark.parametrize("name", ["game.yaml", "kinds/grace.yaml"])
def test_mutated_data_file_does_not_raise(tmp_path: Path, name: str, cut: int, length: int, new: str) -> None:
    folder = write_library(tmp_path)
    valid = {"game.yaml": GAME, "kinds/grace.yaml": KIND + "x-name: ['{name}', '{cost}']\nx-body: 'label:Cost'\n"}[name]
    place = cut % len(valid)
    (folder / name).write_text(valid[:place] + new + valid[place + length :], encoding="utf-8")
    found: list[Diagnostic] = []
    try:
        game = load_game(folder / "game.yaml", folder, found.append)
    except InvalidData:
        assert found
    else:
        check_compiles(game, TEXT, "obsidian", "")
    for diagnostic in found:
        assert to_text(diagnostic)
