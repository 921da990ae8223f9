"""Names and documents of the project: no retired term, no citation of a missing file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ROOT

PACKAGE = ROOT / "kismet_build"
MODULES = sorted(PACKAGE.rglob("*.py"))
CITING = ("*.py", "*.js", "*.css", "*.html", "*.toml", "*.yml", "*.yaml", "*.md")
DOCUMENTS = ("ARCHITECTURE", "CHANGELOG", "CONTRACT", "CONTRIBUTING", "GLOSSARY", "README", "SECURITY")
CITED = re.compile(rf"(?<![\w./-])((?:[\w.-]+/)*(?:{'|'.join(DOCUMENTS)}|(?:docs|kismet_build|tests)/[\w/.-]+)\.md)\b")
"""A document of the project, or a Markdown file at a path of the repository."""


def retired_terms() -> list[tuple[str, ...]]:
    """The first column of the table "Retired names" in docs/GLOSSARY.md, each as its words in lower case."""
    table = (ROOT / "docs/GLOSSARY.md").read_text(encoding="utf-8").partition("## Retired names")[2]
    rows = re.findall(r"^\| ([\w, ]+) \| .+ \|$", table, re.MULTILINE)
    return [tuple(words_of(term.strip())) for row in rows[1:] for term in row.split(",")]


def words_of(name: str) -> list[str]:
    """The words of an identifier: `PhraseIndex`, `phrase_index` and `PHRASE_INDEX` are all phrase, index."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names_in(file: Path) -> Iterator[str]:
    yield file.stem
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def contains(words: list[str], term: tuple[str, ...]) -> bool:
    singular = [word.removesuffix("s") for word in words]
    wanted = [word.removesuffix("s") for word in term]
    return any(singular[start : start + len(wanted)] == wanted for start in range(len(words)))


def test_the_glossary_lists_retired_terms() -> None:
    assert ("self", "link") in retired_terms()
    assert contains(words_of("SelfLinks"), ("self", "link"))
    assert not contains(words_of("LinkSelf"), ("self", "link"))


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_name_uses_a_retired_term(file: Path) -> None:
    used = {
        f"{name}: {' '.join(term)}"
        for name in names_in(file)
        for term in retired_terms()
        if contains(words_of(name), term)
    }
    assert not used


def test_every_cited_document_exists() -> None:
    missing = []
    folders = [ROOT / name for name in ("kismet_build", "tests", "benchmarks", "site", "schemas", "docs", ".ci")]
    files = [file for folder in folders for pattern in CITING for file in folder.rglob(pattern)]
    # Their documents are those of the sites that they write.
    write_sites = {ROOT / "tests/stages/config/test_other_programs.py", *(ROOT / "tests/extensions/sites").glob("*.py")}
    write_sites |= {ROOT / "tests/laws/test_kept_settings.py", ROOT / "tests/stages/config/test_sources.py"}
    for file in sorted({*files, *ROOT.glob("*.md"), ROOT / "Makefile"} - write_sites):
        for cited in CITED.findall(file.read_text(encoding="utf-8")):
            if not (ROOT / cited).is_file() and not (file.parent / cited).is_file():
                missing.append(f"{file.relative_to(ROOT)}: {cited}")
    assert not missing, "\n".join(missing)


def test_sample_of_the_readme_is_that_of_the_first_page_of_the_manual() -> None:
    """`tests/stages/release/test_manual.py` runs that page, so the sample is true."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first_page = (ROOT / "content/docs/index.md").read_text(encoding="utf-8")
    sample = re.findall(r"^```(?:md|text)\n.*?^```", readme, re.MULTILINE | re.DOTALL)
    assert len(sample) == 2
    assert [fence for fence in sample if fence not in first_page] == []


def anchors(page: Path) -> set[str]:
    """The ids that GitHub gives to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_each_place_that_the_contract_names_exists() -> None:
    """For each promise that moved to the manual, its page, heading and tests exist."""
    text = (ROOT / "docs/CONTRACT.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([\w/.-]+\.md)(?:#([\w-]+))?` \| ([^|]+) \|$", text, re.MULTILINE)
    links = re.findall(r"\]\(\.\./content/docs/([\w/.-]+\.md)(?:#([\w-]+))?\)", text)
    assert len(rows) > 20
    tests = [test for *_, cell in rows for test in re.findall(r"`([^`]+)`", cell)]
    assert len(tests) >= len(rows)
    folders = (ROOT / "tests/stages", ROOT / "tests")
    assert [test for test in tests if not any((folder / test).exists() for folder in folders)] == []
    places = {*links, *((page, anchor) for page, anchor, _ in rows)}
    manual = ROOT / "content/docs"
    assert [place for place in places if place[1] and place[1] not in anchors(manual / place[0])] == []
    assert [page for page, _ in places if not (manual / page).is_file()] == []


STILTED = re.compile(
    r"\b(?:is|are) no (?!longer\b|more\b)\w|which is not (?:an?|nothing|one)\b|fault of (?:it|kismet)\b"
)
"""Turns of phrase that a message replaces by "is not a", "must be" and "internal error"."""
MAX_SO_THAT = 48
"""Maximum uses of "so that" in the package. It states a purpose; consequences follow "so" or a full stop."""
MESSAGE_FUNCTIONS = ("error", "warning", "info", "UsageError", "refuse")


def messages_in(file: Path) -> Iterator[str]:
    """The words of the messages and hints of a module: the arguments of calls that report, and what is built for them.

    A string that is assigned to `message` or `hint` before the call is one of them.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            parts = node.args if name in MESSAGE_FUNCTIONS else []
        elif isinstance(node, ast.Assign):
            targets = {target.id for target in node.targets if isinstance(target, ast.Name)}
            parts = [node.value] if targets & {"message", "hint", "reason"} else []
        for part in parts:
            for piece in ast.walk(part):
                if isinstance(piece, ast.Constant) and isinstance(piece.value, str):
                    yield piece.value


def test_messages_are_idiomatic() -> None:
    existential = re.compile(r"\bthere (?:is|are) no \w")
    stilted = [
        f"{file.relative_to(PACKAGE)}: {message}"
        for file in MODULES
        for message in messages_in(file)
        if STILTED.search(existential.sub("", message))
    ]
    assert not stilted, "\n".join(stilted)


def test_pages_of_the_checks_are_idiomatic() -> None:
    pages = sorted((PACKAGE / "lint/manual").glob("*.md"))
    assert pages
    existential = re.compile(r"\bthere (?:is|are) no \w")
    stilted = [page.name for page in pages if STILTED.search(existential.sub("", page.read_text(encoding="utf-8")))]
    assert not stilted


def test_so_that_is_rare() -> None:
    files = [*MODULES, *PACKAGE.rglob("*.md")]
    assert sum(file.read_text(encoding="utf-8").count("so that") for file in files) <= MAX_SO_THAT
