"""Targets of fuzzing: functions of bytes that raise if a property does not hold.

They do not need atheris: `tests/laws/test_fuzz_targets.py` runs each on its seeds and on earlier findings.
docs/decisions/0034-measuring.md defines a finding.
"""

import gzip
import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game
from kismet_build.config.load_game import plain_game
from kismet_build.config.load_library import load_library
from kismet_build.config.privacy import Place, PublicationRules, privacy_of
from kismet_build.config.yaml import flow
from kismet_build.driver.build_cache import BuildCache, BuiltGame, GameRecord
from kismet_build.driver.compile import compile_documents
from kismet_build.driver.fingerprint import TreeSnapshot
from kismet_build.driver.json_values import UNREADABLE, from_json
from kismet_build.driver.json_values import to_json as to_record
from kismet_build.driver.publish import render_game
from kismet_build.driver.result import BuildResult, GameResult
from kismet_build.extensions.packages.archive import with_manifest
from kismet_build.extensions.sites.quartz import js_object
from kismet_build.extensions.sites.quartz.js_object import NotPlain
from kismet_build.mechanics.dice import DiceError, odds, to_tree
from kismet_build.mechanics.dice import parse as parse_dice
from kismet_build.mechanics.dice.bounds import check_bounds
from kismet_build.mechanics.dice.find import find_dice, read_dice_code
from kismet_build.mechanics.dice.roll_table import detect_roll_table
from kismet_build.mechanics.formula import FormulaError, evaluate
from kismet_build.mechanics.formula import parse as parse_formula
from kismet_build.mechanics.formula.functions import FUNCTIONS
from kismet_build.mechanics.formula.tree import MAX_NUMBER
from kismet_build.mechanics.formula.types.inference import infer
from kismet_build.model.archives import tgz_file, zip_file
from kismet_build.model.diagnostic import Diagnostic, Report, to_json, to_text
from kismet_build.model.dump import dump_blocks
from kismet_build.model.language import Language
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import (
    Cell,
    Document,
    FootnoteDefinition,
    FootnoteReference,
    Node,
    Property,
    RawBlock,
    RawInline,
    Row,
    Text,
    children,
    walk,
)
from kismet_build.model.source import Source
from kismet_build.output.entity_changes import compare_trees, previous_build, snapshot_entities
from kismet_build.output.search_index import SHARD_LIST, _read_shard_list
from kismet_build.output.tree import OutputFile, _owner, describe_file
from kismet_build.output.verify_bundle import BadBundle, verify_bundle
from kismet_build.pack import Pack
from kismet_build.parse import expand, read
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.render.data.pack_json import FORMAT
from kismet_build.render.fragments.renderer import to_html
from tests.case_page import page_files, read_page
from tests.command import kismet, write_files
from tests.exports import check_packs
from tests.hard import strings
from tests.hard.strings import places, with_strings
from tests.laws.test_reader_laws import ASCIIDOC, FRAGMENTS
from tests.small_library import CALCULATORS, GAME, KIND, TEXT
from tests.stages.mechanics.test_formula_types import ENVIRONMENT, NAMES, VOCABULARY


@dataclass(frozen=True)
class Target:
    test: Callable[[bytes], None]
    seeds: Callable[[], Iterable[str | bytes]]
    """Inputs to begin with."""
    tokens: Sequence[str] = ()
    """Parts of inputs, for the dictionary of the fuzzer."""
    max_bytes: int = 1_000
    """Maximum length of an input: one takes no more than a few milliseconds."""


FILE_MARK = "\x1e"
"""Begins a file in an input of several; the first line after it is the path."""
VERSION_MARK = "\x1d"
"""Precedes the files that the next version replaces."""


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def files_of(text: str) -> dict[str, str]:
    parts = (part.partition("\n") for part in text.split(FILE_MARK) if part)
    return {path: content for path, _, content in parts}


def input_of(files: Mapping[str, str]) -> str:
    return "".join(f"{FILE_MARK}{path}\n{content}" for path, content in files.items())


def fences(*info: str) -> Iterator[str]:
    """The inputs of the test pages with this info string."""
    for page in page_files():
        for case in read_page(page):
            yield from (fence.text for fence in case.fences if fence.info[: len(info)] == info)


def check_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Each names a range of its text and can be printed."""
    for diagnostic in diagnostics:
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            assert 0 <= span.start <= span.end <= len(span.source.text), diagnostic
        assert to_text(diagnostic)
        json.dumps(to_json(diagnostic))


def check_place(offset: int, text: str) -> None:
    assert 0 <= offset <= len(text), offset


# --- readers

INDENTED = re.compile(r".*(?:\n[ \t].*)*")
"""The rest of a line, and the indented lines below it."""
WORD = re.compile(r"[A-Za-z]{3,}")
"""A word that must not get lost."""
UNSHOWN = r"&\#?\w+; | %[0-9a-fA-F]{2} | \\."
MARKDOWN_UNSHOWN = rf"""{UNSHOWN}
    | \A(---|\+\+\+)[ \t]*\n(?:.|\n)*?^\1[ \t]*$    # properties, which another target tests
    | ^[\s>*+0-9.)-]*\[(?:[^\]\\]|\\(?:.|\n))*\]:.*(?:\n.*)?     # the definition of a link
    | \{{:[^}}\n]*\}}                                           # an attribute list of kramdown
    | (<summary>[^<]*</summary>\s*(\{{:.*\s*)?)?^[-*+] .*\n\{{:toc.*      # the place of its table of contents
    | <\w+[^<>]*\smarkdown\b[^<>]*> | <summary> | </\w+>       # the tags of an element whose Markdown is read
    """
OBSIDIAN_UNSHOWN = rf"""{MARKDOWN_UNSHOWN}
    | \( [^()\[\]:\n]+ ::  # the key of an inline field in round brackets
    | %% (?:.|\n)*                                         # a comment, and what may be inside or behind it
    | ^.*?(?P<fence>`{{3,}}|~{{3,}}).*(?:multi-column|column-settings|statblock)(?:.|\n)*?
        (?:^[ \t>*+-]*(?P=fence)[`~]*[ \t]*$|\Z)
    | ^.*(?:multi-column|columns|column-?break|column-end|end-column|:::).*$
    | dice[+-]?(?:mod)?:[^`]*
    | `\s*=\s*this[^`]*                                     # a property, whose value is shown
    | \[\[[^\n]*\][^)\n]*\)                                # residue of a comment, a link in the label of another
    """
ASCIIDOC_UNSHOWN = rf"""{UNSHOWN}
    | \[(?:[^\]\n]|\n(?!\n))*\] | \{{[^}}\n]*\}} | \(\([^)]*\) | <<[^,>]* | \b(?:anchor|pass):[^[\n]* | \w+: | ^:.*$
    | ^\w+::.*$ | [.]adoc
    """
ASCIIDOC_COMMENTS = r"^////+(?:.|\n)*|^//.*$"  # also in what looks like a reference
ASCIIDOC_ATTRIBUTES = r"^\[.*\]$"  # also behind a reference that never closes
ASCIIDOC_IMAGE = r"\bimage:.*(?:\n.+)*"  # also behind what looks like the beginning of a reference
ASCIIDOC_FENCE = r"^```.*$"  # the options behind the language
UNSHOWN_IN = {
    name: [re.compile(pattern, re.MULTILINE | re.VERBOSE) for pattern in patterns]
    for name, *patterns in (
        ("github", MARKDOWN_UNSHOWN),
        ("obsidian", OBSIDIAN_UNSHOWN),
        ("asciidoc", ASCIIDOC_UNSHOWN, ASCIIDOC_COMMENTS, ASCIIDOC_ATTRIBUTES, ASCIIDOC_IMAGE, ASCIIDOC_FENCE),
    )
}
"""Text that each dialect does not show: comments, settings, definitions, names of characters."""


def check_reader(data: bytes, dialect: str) -> None:
    text = text_of(data)
    diagnostics: list[Diagnostic] = []
    document = read(Source("Page.md", text), dialect, diagnostics.append)
    check_diagnostics(diagnostics)
    check_spans((*document.blocks, *document.properties), 0, len(text))
    check_words(document, diagnostics)
    check_html(document)
    # Worker processes send documents.
    assert repr(pickle.loads(pickle.dumps(document))) == repr(document)


def check_spans(nodes: Iterable[Node], start: int, end: int) -> None:
    """Nodes are inside their parents, in order. Cells and rows may repeat, and aliases are elsewhere."""
    at, image = start, ""
    for node in nodes:
        assert 0 <= node.span.start <= node.span.end <= len(node.span.source.text), node
        if isinstance(node, Property):
            continue
        # AsciiDoc: the value of an attribute, and a line of attributes shown as plain text. Obsidian: the words,
        # links and commas of a property that code shows, each at the place of the code.
        is_value = node.span.text.startswith(("{", "[")) or node.span.text.lstrip("`").lstrip().startswith("=")
        # AsciiDoc: a caption in the brackets of the image above it.
        is_caption = image != "" and node.span.text in image
        image = node.span.text if node.span.text.startswith("image::") else ""
        is_moved = isinstance(node, FootnoteDefinition | Row | Cell) or is_value or is_caption
        if not is_moved:
            assert at <= node.span.start, node
            assert node.span.end <= end, node
            at = node.span.end
        check_spans(children(node), node.span.start, node.span.end)


def check_words(document: Document, diagnostics: Iterable[Diagnostic]) -> None:
    """Each word is in the document, in text that the dialect does not show, or in the span of a diagnostic."""
    text = document.source.text
    dump = "\n".join((dump_blocks(document.blocks), dump_blocks(document.properties)))
    kept = (dump + json.dumps(document.metadata, ensure_ascii=False, default=str)).casefold()
    lost = [match for match in WORD.finditer(text) if match[0].casefold() not in kept]
    if not lost:
        return
    unshown = [match.span() for pattern in UNSHOWN_IN[document.dialect] for match in pattern.finditer(text)]
    for _, start, end in (found.span for found in diagnostics):
        # Include the rest of the line and the indented lines below: a repeated key's span lacks its value.
        match = INDENTED.match(text, end)
        unshown.append((start, match.end() if match else end))
    for match in lost:
        assert any(start < match.end() and match.start() < end for start, end in unshown), f"lost: {match}"


def check_html(document: Document) -> None:
    """The words of the document are in its HTML, outside of tags."""
    html = to_html(document.blocks)
    nodes = [*walk(*document.blocks)]
    hidden = unshown_nodes(nodes)
    if not any(isinstance(node, RawBlock | RawInline) for node in nodes):
        shown = unescape(re.sub(r"<[^>]*>", "", html) + "".join(re.findall(r' alt="([^"]*)"', html)))
        for node in nodes:
            if isinstance(node, Text) and id(node) not in hidden:
                assert all(word in shown for word in WORD.findall(node.value)), f"not shown: {node.value!r}"


def unshown_nodes(nodes: Sequence[Node]) -> set[int]:
    """The ids of the nodes in footnotes that no page shows, which a diagnostic reports."""
    notes = [node for node in nodes if isinstance(node, FootnoteDefinition)]
    counting = {note.label: note for note in notes}
    inside = {*map(id, walk(*notes))}
    labels = [node.label for node in nodes if isinstance(node, FootnoteReference) and id(node) not in inside]
    shown: dict[str, FootnoteDefinition] = {}
    while labels:
        label = labels.pop()
        if label in counting and label not in shown:
            shown[label] = counting[label]
            labels += [node.label for node in walk(shown[label]) if isinstance(node, FootnoteReference)]
    return inside - {*map(id, walk(*shown.values()))}


def obsidian(data: bytes) -> None:
    """Any text is a document in the dialect of Obsidian.

    Spans are ordered and nested; each word is kept or reported; the HTML has the words; pickling changes nothing.
    """
    check_reader(data, "obsidian")


def github(data: bytes) -> None:
    """Any text is a document in the dialect of GitHub. The properties are those of `obsidian`."""
    check_reader(data, "github")


def asciidoc(data: bytes) -> None:
    """Any text is a document in AsciiDoc. The properties are those of `obsidian`."""
    check_reader(data, "asciidoc")


# --- data

YAML_TOKENS = (
    *("---\n", "...\n", "- ", "? ", ": ", "{", "}", "[", "]", ", ", "&a ", "*a", "<<: *a\n", "!!int ", "!!set ", "!x "),
    *("|\n", ">-\n", "|2+\n", "'", '"', "\\u2028", "\\x00", "#", "%YAML 1.1\n", "~", "null", "true", ".inf", ".nan"),
    *("0o7", "0x1F", "1e9", "-0", "[[A]]", "`dice: 1d6`", "title: ", "tags: ", "aliases: ", "\t", "  ", "\n", "\u2028"),
    *("+++\n", 'a = "b"\n', "[a]\n", "[[a]]\n", "1979-05-27", "a.b = 1\n", "statblock", "name: ", "extends: "),
)


def yaml_texts(data: bytes) -> None:
    """Any text is YAML or a diagnostic: as a data file, as front matter (with TOML), and as a statblock.

    The values are plain data whose spans are in the text, and are the same after they are written and read again.
    """
    text = text_of(data)
    for on_duplicate in (None, lambda *_: None):
        diagnostics: list[Diagnostic] = []
        source = Source("Page.yaml", text)
        parsed = yaml.parse(source, diagnostics.append, "invalid-kind", on_duplicate=on_duplicate)
        check_diagnostics(diagnostics)
        assert (parsed is None) == bool(diagnostics)
        if parsed is not None:
            check_value(parsed)
    for fence in ("---", "+++"):
        for wiki_links in (True, False):
            diagnostics = []
            page = Source("Page.md", f"{fence}\n{text}\n{fence}\nWords.\n")
            properties = frontmatter(page, diagnostics.append, wiki_links=wiki_links)
            check_diagnostics(diagnostics)
            assert properties.data is not None or diagnostics
            properties.values()
            json.dumps(properties.data)
    check_reader(f"---\n{text}\n---\n\n```statblock\n{text}\n```\n".encode(), "obsidian")


def check_value(parsed: yaml.Data) -> None:
    """The spans of all values are in the text; the value is the same after it is written and read."""
    paths: list[tuple[tuple[str | int, ...], Any]] = [((), parsed.value)]
    while paths:
        path, value = paths.pop()
        span = parsed.span_of(*path)
        assert 0 <= span.start <= span.end <= len(span.source.text), path
        if len(path) < 6:
            items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            paths += [((*path, key), item) for key, item in [*items][:20]]
    diagnostics: list[Diagnostic] = []
    again = yaml.parse(Source("Again.yaml", flow(parsed.value)), diagnostics.append, "invalid-kind")
    assert again is not None, diagnostics
    assert again.value == parsed.value, flow(parsed.value)


DATA_FILES = (
    *("game.yaml", "library.yaml", "kinds/grace.yaml", "calculators/jump.yaml", "effects.yaml"),
    *("corrections.yaml", "migrations.yaml"),
    *(".obsidian/app.json", ".obsidian/templates.json"),
)
"""Files that may be in an input."""


def data_files(data: bytes) -> None:
    """Any data files load or are refused with a diagnostic; a library that loads is compiled and rendered."""
    files = {"game.yaml": GAME, "kinds/grace.yaml": KIND, "1 Court.md": TEXT}
    for path, content in files_of(text_of(data)).items():
        if path in DATA_FILES:
            files[path] = content
    diagnostics: list[Diagnostic] = []
    with TemporaryDirectory(prefix="fuzz-") as name:
        folder = write_files(Path(name), files)
        try:
            library = load_library(folder, None, diagnostics.append)
        except UsageError:
            pass
        else:
            for game in library.games:
                render(compile_texts(game, {"1 Court.md": TEXT}, diagnostics.append))
    check_diagnostics(diagnostics)


def data_file_seeds() -> Iterator[str]:
    for text in fences("yaml", "kind"):
        yield input_of({"kinds/grace.yaml": text})
    for text in fences("yaml", "calculators"):
        yield input_of({"calculators/jump.yaml": text})
    for name in ("game", "effects", "library", "corrections", "migrations"):
        for text in fences("yaml", name):
            yield input_of({f"{name}.yaml": text})
    yield input_of({"kinds/grace.yaml": KIND})
    yield input_of({"calculators/jump.yaml": CALCULATORS})
    yield input_of({"game.yaml": GAME})
    yield input_of({".obsidian/app.json": '{"userIgnoreFilters": ["1", "/C.*t/"]}', ".obsidian/templates.json": "{}"})


DATA_TOKENS = (
    *YAML_TOKENS,
    *("x-match: ", "x-from: ", "x-name: ", "x-body: ", "x-refers: ", "heading: ", "under: ", "row: ", "document: true"),
    *("label:", "column:", "inline:", "property:", "heading:", "subtitle", "slug", "title", "pattern: ", "anyOf: "),
    *("properties: ", "type: ", "required: ", "formula: ", "inputs: ", "steps: ", "result: ", "citation: ", "quote: "),
    *(
        "boards: ",
        "rolls: ",
        "words: ",
        "against: ",
        "order: ",
        "folders: ",
        "exclude: ",
        "only: ",
        "language: ",
        "sources: ",
        "glob: ",
        "linking: ",
    ),
    *("$ref: ", "$defs: ", "(?=a)", "(a+)+$", "{name}", "{cost}", "[tiles]", "lookup(", "sum(", "examples: "),
    *(
        "split: ",
        "search: ",
        "rules: ",
        "linking: ",
        "section: ['{}']",
        "x-text: ",
        "mends: ",
        "from: ",
        "to: ",
        "date: ",
    ),
)

# --- formulas and dice

TAGS = ["melee", "heavy"]
AXES = [
    {
        **{"id": f"g/axe/{slug}", "slug": slug, "name": slug.title(), "kind": "axe", "weight": weight},
        **{"rarity": rarity, "tags": TAGS[:number], "reach": {"min": 0, "max": number}, "price": price, "uses": 1},
        "levels": [{"level": level, "cost": level or None, "parts": TAGS[:level]} for level in range(number)],
        "blows": {"2d6": number, "near": {"min": 1, "max": None} if number else None},
    }
    for number, (slug, weight, rarity, price) in enumerate(
        (("axe", 2.5, "common", 3), ("great-axe", 4, "rare", "priceless"), ("old-axe", 0, "common", None))
    )
]
ROWS = [
    {"id": f"g/row/{rank}", "slug": f"row-{rank}", "name": f"Row {rank}", "kind": "row", "rank": rank, "dl": 2 * rank}
    for rank in range(1, 4)
]
FORMULAS = {
    "to-feet": (["distance"], "distance * 5[feet/tiles]"),
    "cost": (["of", "how"], "if how == 'buy' then of.weight * 2 else of.weight"),
    "limit": (["rank"], "if rank > 2 then none else rank"),
}


@cache
def formula_library() -> dict[str, Any]:
    return {
        "entities": {"axe": AXES, "row": ROWS},
        "calculators": {
            name: {"inputs": inputs, "steps": [], "ast": parse_formula(formula, VOCABULARY)}
            for name, (inputs, formula) in FORMULAS.items()
        },
    }


@cache
def formula_scope() -> dict[str, Any]:
    """A value of its type for each name in `NAMES`."""
    return {
        **{"level": 3, "speed": 6, "time": 0.5, "rounds": 0, "money": -2, "ready": True, "how": "sell"},
        **{"axe": AXES[1], "axes": AXES, "either": ROWS[0], "die": parse_formula('dice("2d6+1")')},
    }


def formulas(data: bytes) -> None:
    """Any text is a formula or a `FormulaError` at a place in it.

    The tree is plain data and has the same value after JSON. A formula whose type is inferred has no error of types.
    Numbers are exact.
    """
    text = text_of(data)
    try:
        tree = parse_formula(text, VOCABULARY)
    except FormulaError as error:
        check_place(error.at, text)
        return
    problems: list[FormulaError] = []
    infer(tree, NAMES, ENVIRONMENT, problems)
    for problem in problems:
        check_place(problem.at, text)
    value = formula_value(tree)
    assert value == formula_value(json.loads(json.dumps(tree)))
    # All other type errors are numbers out of range.
    assert problems or not (value[0] == "unknown" or str(value[1]).startswith("this must be ")), value


def formula_value(tree: Mapping[str, Any]) -> tuple[str, Any]:
    try:
        value = evaluate(dict(tree), formula_scope(), formula_library())
    except FormulaError as error:
        return error.code, error.message
    values = [value]
    while values:
        item = values.pop()
        if isinstance(item, list):
            values += item
        elif isinstance(item, int | float) and not isinstance(item, bool):
            assert -MAX_NUMBER <= item <= MAX_NUMBER, item
    return "value", json.dumps(value)


FORMULA_TOKENS = (
    *NAMES,
    *("if ", " then ", " else ", " and ", " or ", "not ", " in ", "true", "false", "none", "+", "-", "*", "/", "//"),
    *(
        "%",
        "==",
        "!=",
        "<=",
        ">=",
        "<",
        ">",
        "?",
        ":",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "=",
        "'",
        "[tiles]",
        "[feet/tiles]",
    ),
    *(f"{name}(" for name in FUNCTIONS),
    *("lookup(row, ", "lookup(axe, ", "where(axes, ", "dice('2d6')", "to_feet(", "cost("),
    *(
        "limit(",
        ".weight",
        ".rarity",
        ".tags",
        "[feet/tiles]",
        ".reach.min",
        ".price",
        ".levels",
        ".cost",
        ".parts",
        ".blows.2d6",
    ),
    *(".near", ".dl", ".rank", ".name", "'buy'", "'priceless'", "0.5", "9007199254740991", "of = ", "how = "),
)
FORMULA_SEEDS = (
    *("level + 1", "max(0, speed - 2 * 3)", "speed * 5[feet/tiles]", "1 / time", "sum(axes.weight)", "axe.tags[0]"),
    *("mean([[money, 0.5], [0, 0.5]])", "tries(money, [[1[gold pieces], 1]]) * 1[rounds]", "lookup(row, level).dl"),
    *("chance(dice('1d10'), level)", "where(axes, tags = ['melee', 'heavy'], owner = none).weight", "-2 ** 3"),
    *("if axe.price == none or axe.price == 'priceless' then 0 else axe.price", "how == 'buy' ? 1 : 2"),
    *("cost(how = 'buy', of = axe)", "if ready then none else speed", "not ready or level == 1", "'heavy' in axe.tags"),
    *("if limit(level) == none then 3 else limit(level) + 1", "count(axes.levels.parts)", "either.name", "die"),
    *("tries_spread(3, [[1, 0.5], [2, 0.5]])", "successes(level, 2, 0.5)", "level // 0", "round(-2.5) % 2"),
)


def dice(data: bytes) -> None:
    """Any text is a dice expression or a `DiceError` at a place in it, and is searched for expressions.

    Chances add up to one. A found expression is parsed as the same one on its own. Any table is a roll table or not.
    """
    text = text_of(data)
    for expression in (text, *text.split("\n")[:4]):
        check_dice(expression)
    for goes_on in (False, True):
        end = 0
        for match in find_dice(text, goes_on=goes_on):
            assert end <= match.start < match.end <= len(text)
            end = match.end
            assert parse_dice(match.notation) == match.expression
            assert next(find_dice(match.notation)).notation == match.notation
    header, *rows = [line.split("|") for line in text.split("\n")]
    width = len(header)
    cells = [[*row, *[""] * width][:width] for row in rows]
    for language in map(Language, ("en", "de")):
        table = detect_roll_table(header, cells, language=language)
        if table is not None:
            assert len(table.rows) == len(cells)
            check_dice(table.die)


def check_dice(text: str) -> None:
    notation = read_dice_code(text)
    assert read_dice_code(notation) == notation
    try:
        expression = parse_dice(text)
        size = check_bounds(expression)
    except DiceError as error:
        check_place(error.position, text)
        return
    distribution = odds(expression)
    assert sum(chance for _, chance in distribution.outcomes) == 1
    assert size.low <= distribution.low <= distribution.high <= size.high
    json.dumps(to_tree(expression))


DICE_TOKENS = (
    *(
        "d6",
        "2d6",
        "d%",
        "d66",
        "W20",
        "2W6",
        "kh",
        "kl1",
        "dh",
        "dl2",
        "!",
        "+",
        "-",
        "−",
        "×",
        "*",
        "/",
        ">=",
        "<=",
        "≥",
    ),
    *(
        "max(",
        "min(",
        "adv(",
        "dis(",
        "bonus(",
        "penalty(",
        "crit(",
        "step(",
        "floor(",
        "ceil(",
        ")",
        ", ",
        "999999999",
    ),
    *("|", "\n", "d100|", "Roll|", "1-2", "3–5", "12+", "≤3", "0", "(6+)"),
)
DICE_SEEDS = (
    *("2d6+3", "4d6kh3", "d6!", "5d6>=5", "floor((2d6+3)/2)", "bonus(1d10+3)", "crit(1d10, 10, +5)", "step(d6, +1)"),
    *("Roll 2d6+1 and 1d4, or d66.", "2W6 + 1", "d6+ + 3", "adv(d20+2)", "min(d6, d8)", "1d6+-2", "d6 x 3"),
    *(
        "d6|Result\n1-2|A\n3-5|B\n6|C",
        "d100|X\n01-50|A\n51-00|B",
        "2d6|a|2d6|b\n2-7|x|2|y\n8+|z|3-12|q",
        "W20|a\n1-20|b\n|",
    ),
)

# --- queries over the notes of a vault


@cache
def vault() -> Game:
    with TemporaryDirectory(prefix="fuzz-") as name:
        return replace(plain_game(Path(name)), id="vault", title="Vault")


def compile_texts(game: Game, texts: Mapping[str, str], report: Report, memo: Memo | None = None) -> Pack:
    sources = [Source(path, text, "0" * 64) for path, text in sorted(texts.items())]
    documents = tuple(read(source, "asciidoc" if ".adoc" in source.path else "obsidian", report) for source in sources)
    files = tuple((Path(path), "obsidian") for path in sorted(texts))
    return compile_documents(game.with_files(texts=files), documents, report, memo)


def render(pack: Pack) -> dict[str, bytes]:
    files: dict[str, bytes] = {}

    def collect(path: str, content: bytes) -> OutputFile:
        files[path] = content
        return describe_file(path, content)

    for _ in render_game(pack, collect):
        pass
    check_packs(files)
    return files


PATH = re.compile(r"(?!.*(^|/)[./])(?=[^/])[^\0-\x1f\\]{1,450}\.(?:md|adoc)(?<!/\.md)")


def queries(data: bytes) -> None:
    """Any notes are a vault: inline fields, statblocks that extend others, tags, links, embeds, dice codes, folders.

    Each word of a document is in a file. After an edit the files are those of a build from nothing.
    """
    check_edit(data, vault())


def check_edit(data: bytes, game: Game) -> None:
    before, _, after = text_of(data).partition(VERSION_MARK)
    notes = {path: text for path, text in files_of(before).items() if PATH.fullmatch(path)}
    edited = {path: text for path, text in files_of(after).items() if PATH.fullmatch(path)}
    if not notes:
        return
    memo = Memo()
    compile_notes(notes, memo, game)
    if edited:
        notes = {path: text for path, text in {**notes, **edited}.items() if text}
        if not notes:
            return
        pack, diagnostics = compile_notes(notes, Memo(memo), game)
        fresh, fresh_diagnostics = compile_notes(notes, Memo(), game)
        assert diagnostics == fresh_diagnostics
        files, fresh_files = render(pack), render(fresh)
        assert files.keys() == fresh_files.keys()
        assert not [path for path in files if files[path] != fresh_files[path]]
        check_words_of_files(fresh, files)


def check_words_of_files(pack: Pack, files: Mapping[str, bytes]) -> None:
    texts = (content for path, content in files.items() if path.endswith((".html", ".json", ".md")))
    shown = unescape(b"\n".join(texts).decode())
    for chapter in pack.book.chapters:
        hidden = unshown_nodes(chapter.document.nodes)
        for node in chapter.document.nodes:
            if isinstance(node, Text) and id(node) not in hidden:
                assert all(word in shown for word in WORD.findall(node.value)), f"not in a file: {node.value!r}"


def compile_notes(notes: Mapping[str, str], memo: Memo, game: Game | None = None) -> tuple[Pack, list[str]]:
    diagnostics: list[Diagnostic] = []
    pack = compile_texts(game or vault(), notes, diagnostics.append, memo)
    check_diagnostics(diagnostics)
    return pack, sorted(map(to_text, diagnostics))


def query_seeds() -> Iterator[str]:
    for page in page_files():
        for case in read_page(page):
            if page.parent.name in ("vaults", "checks", "extract"):
                texts = {
                    fence.info[2] if len(fence.info) > 2 else "Page.md": fence.text
                    for fence in case.inputs("md")
                    if fence.info[1] == "obsidian"
                }
                if texts and len(input_of(texts)) < 3000 and page.stem != "oversized-embed":  # it takes seconds
                    yield input_of(texts) + VERSION_MARK + input_of(dict([*texts.items()][-1:]))
    yield (
        input_of({"Beasts/Crow.md": "---\nharm: 1\ntags: [bird]\n---\n\nPrey:: [[Vole]]\n\n#Moor/Bog\n"})
        + input_of({"Beasts/Vole.md": "---\nharm: 2\n---\n\n```statblock\nname: Vole\nextends: Crow\nhp: 2\n```\n"})
        + VERSION_MARK
        + input_of({"Beasts/Vole.md": "---\nharm: '1,5'\n---\n\n`dice: [[Crow#^a]]` ![[Crow]]\n"})
    )


QUERY_TOKENS = (
    *(
        FILE_MARK,
        VERSION_MARK,
        "Crow.md\n",
        "Beasts/Vole.md\n",
        "Beasts/Beasts.md\n",
        "index.md\n",
        "README.md\n",
        "A.adoc\n",
    ),
    *(
        "Prey:: ",
        "[harm:: 2]",
        "(harm:: [[Vole]])",
        "**Cost:** 3\n",
        "```statblock\n",
        "name: Vole\n",
        "extends: Crow\n",
    ),
    *("statblock: inline\n", "layout: ", "#Moor/Bog", "tags: [a/b]\n", "aliases: [C]\n", "extends: Crow\n", "^id\n"),
    *(
        "`dice: 1d6`",
        "`dice: [[Crow^t]]`",
        "| d6 | A |\n| - | - |\n| 1 | a |\n",
        "![[Crow]]",
        "[[Vole#A|b]]",
        "[x](Beasts/)",
    ),
    *(
        "---\n",
        "```\n",
        "# Vole\n",
        "## Cost\n",
        "title: ",
        "language: de\n",
        "harm: 1,5\n",
        "harm: [1, 2]\n",
        "- a: 1\n  b: 2\n",
    ),
    *(
        "type: beast\n",
        "*Small beast*\n",
        "LIST FROM #Moor",
        "```dataview\n",
        'TABLE harm FROM "Beasts"\n',
        "W20",
        "2W6",
    ),
)

# --- strings of any length

MAX_STRING = 5_000
"""Characters of a string."""


def long_strings(data: bytes) -> None:
    """Any string of any length may be at each place of a vault and of a game. Each word is in a file.

    The first line names the place, and the second one gives the number of repetitions of the rest.
    """
    place, _, rest = text_of(data).partition("\n")
    number, _, part = rest.partition("\n")
    count = int(number) if re.fullmatch(r"[0-9]{1,4}", number) else 1
    string = " ".join((part * min(count, MAX_STRING // max(len(part), 1))).split("\n"))
    texts = with_strings(strings.VAULT, string, {place})
    if all(PATH.fullmatch(path) for path in texts):
        pack, _ = compile_notes(texts, Memo())
        check_words_of_files(pack, render(pack))
    diagnostics: list[Diagnostic] = []
    with TemporaryDirectory(prefix="fuzz-") as name:
        files = with_strings(strings.GAME, string, {place})
        try:
            library = load_library(write_files(Path(name), files), None, diagnostics.append)
        except UsageError:
            pass
        else:
            render(compile_texts(library.games[0], {"Text.md": files["Text.md"]}, diagnostics.append))
    check_diagnostics(diagnostics)


def long_string_seeds() -> Iterator[str]:
    # Around the length of one line of a card, of several, and of a card.
    for count, part in ((30, "x"), (9, "crow "), (540, "x"), (23, f"{'x' * 16} "), (900, "ab-"), (150, "crow stone ")):
        for place in (*places(strings.VAULT), *places(strings.GAME)):
            yield f"{place}\n{count}\n{part}"


# --- what is read back

JSON_FILES = ("data/g/pack.json", "data/g/grace.json", "data/schemas/g/grace.json", SHARD_LIST, "owner.json")
"""Files that are read back from the output folder."""


def bundles(data: bytes) -> None:
    """Any bytes in a cache or in the output folder are read, or count as missing.

    The first byte selects how they are read: `r` is the record of a build, `g` that of its games.
    """
    kind, content = data[:1], data[1:]
    if kind == b"r":
        with suppress(*UNREADABLE):
            build = from_json(BuildCache, content)
            assert from_json(BuildCache, to_record(build)).digests == build.digests
    elif kind == b"g":
        with suppress(*UNREADABLE):
            from_json(dict[str, GameRecord], content)
    elif kind:
        with TemporaryDirectory(prefix="fuzz-") as name:
            tree = Path(name)
            (tree / "g").mkdir()
            (tree / "g/index.html").touch()
            (tree / "data/schemas/g").mkdir(parents=True)
            (tree / "data/g").mkdir()
            for path in JSON_FILES:
                (tree / path).write_bytes(content)
            previous = previous_build(tree, "g")
            assert previous is None or [*previous.files()]
            assert compare_trees(tree, tree) == []
            snapshot_entities(tree)
            _read_shard_list(tree)
            _owner(tree / "owner.json")


def bundle_seeds() -> Iterator[bytes]:
    diagnostics: list[Diagnostic] = []
    pack = compile_texts(
        vault(), {"A/Crow.md": "---\nharm: 1\n---\n[[B]] `dice: 1d6`\n", "B.md": TEXT}, diagnostics.append
    )
    game = GameResult(id="g", title="G", chapters=2, entities=0, diagnostics=(*diagnostics,), private={"A": "a"})
    result = BuildResult(games=(game,), retained=frozenset(("g",)), is_published=True, diagnostics=(*diagnostics,))
    files = {"A/Crow.md": (1, 2, 3, 4, 5)}
    tree = TreeSnapshot({"public": (1, "a/b", "c")}, (1, 2, 3, 4))
    file = describe_file("g/index.html", b"<html>", search=True)
    games = to_record({"g": GameRecord("0", frozenset({"zip"}), BuiltGame(game, (file,), {"zip": (file,)}))}).decode()
    yield b"g" + games.encode()
    yield b"r" + to_record(BuildCache(("A",), {"A/Crow.md": "0"}, tree, result, games, files))
    for path, content in render(pack).items():
        if path.endswith(".json") and len(content) < 6000:
            yield b"j" + content
    yield b'j{"since": "2026-01-01T00:00:00+00:00", "process": 1}'
    yield b'j[["a", "b", 1, 2]]'
    yield b'j{"entities": [{"id": "g/grace/a", "name": "A", "aliases": [], "fields": {}, "effects": null, "text": ""}]}'


BUNDLE_TOKENS = (
    *("r", "g", "j", '"sources"', '"value"', '"warning"', "[0,0,0]", "false", "-1"),
    *('{"', '": ', "[", "]", "}", '"game"', '"id"', '"entities"', '"sections"', '"source"', "null", "1e999", "[[[["),
)


# --- bundles from other people


def archives(data: bytes) -> None:
    """Any bytes are a whole bundle, or are refused with a reason.

    The first byte selects what the others are: an archive (`a`), a tar archive to compress (`t`), or the files of a
    bundle (`f`; `m` gets a manifest), of which a zip and a tar archive get the same answer.
    """
    kind, content = data[:1], data[1:]
    with TemporaryDirectory(prefix="fuzz-") as name:
        if kind in (b"a", b"t"):
            bundle = Path(name, "bundle")
            bundle.write_bytes(content if kind == b"a" else gzip.compress(content, 1))
            is_whole(bundle)
        elif kind in (b"f", b"m"):
            files = {path: text.encode() for path, text in files_of(text_of(content)).items() if PLAIN.fullmatch(path)}
            if kind == b"m":
                files = with_manifest(files)
            packed = Path(name, "bundle.zip"), Path(name, "bundle.tgz")
            packed[0].write_bytes(zip_file(files))
            packed[1].write_bytes(tgz_file(files))
            assert is_whole(packed[0]) == is_whole(packed[1])


def is_whole(bundle: Path) -> bool:
    try:
        assert verify_bundle(bundle).titles
    except BadBundle:
        return False
    return True


PLAIN = re.compile(r"[a-z0-9._/-]{1,60}")
"""Paths that a zip and a tar archive store identically."""


def archive_seeds() -> Iterator[bytes]:
    pack = {"format": FORMAT, "game": {"title": "Court", "version": "1"}}
    texts = {"g/pack.json": json.dumps(pack), "g/grace.json": "{}"}
    module = {"id": "g-data", "title": "G", "version": "1", "flags": {"g-data": {"format": FORMAT}}}
    wheel = {**texts, "g.dist-info/RECORD": "g/grace.json,sha256=RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o,2\n"}
    for files in (texts, wheel, {"module.json": json.dumps(module), "packs/a.json": "{}"}):
        yield b"m" + input_of(files).encode()
        whole = with_manifest({path: text.encode() for path, text in files.items()})
        yield b"f" + input_of({path: content.decode() for path, content in whole.items()}).encode()
        yield b"a" + zip_file(whole)
        yield b"a" + tgz_file(whole)
        yield b"t" + gzip.decompress(tgz_file(whole))[:8_000]


ARCHIVE_TOKENS = (
    *("a", "t", "f", "m", FILE_MARK, "PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "\x1f", "ustar"),
    *("pack.json\n", "manifest.json\n", "module.json\n", "a.dist-info/RECORD\n", "schemas/", "../", "/", "sha256="),
    *('"format"', '"files"', '"path"', '"size"', '"sha256"', '"game"', '"flags"', '"id"', "2", "1", "[", "{", "]", "}"),
)


# --- expanders

TEMPLATE_VALUES = {"title": "Ash", "number": 3, "lamps": ["tin", {"oil": 2}], "deep": {"er": None}}
VARIABLES: Mapping[str, Mapping[str, Any]] = {
    "jekyll": {"site": {**TEMPLATE_VALUES, "defaults": [{"values": {"mood": "grim"}}]}},
    "mkdocs": {"extra": TEMPLATE_VALUES, "plugins": ["macros"], "snippets": {"auto_append": "a.md"}},
    "hugo": {"params": TEMPLATE_VALUES},
}
EXPANDER_TOKENS = (
    *("{% if site.title == nil %}", "{% elsif page.a contains 'b' %}", "{% else %}", "{% endif %}", "{% endfor %}"),
    *("{% for x in site.lamps limit:1 reversed %}", "{% for x in (1..9) %}", "{% case site.number %}"),
    *("{% when 3, 4 %}", "{% endcase %}", "{% capture a %}", "{% endcapture %}"),
    *("{% assign a = site.deep | join: ',' %}", "{{ a | upcase }}", "{{ x.oil | plus: 2 | date: '%Y' }}"),
    *("{{ site.lamps[1] | where: 'oil', 2 }}", "{%- raw -%}", "{% endraw %}", "{% include a.md b=site.title %}"),
    *("{% include_relative a.md %}", "{{ include.b | slice: 1, 2 }}", "{% comment %}", "{% highlight yaml %}"),
    *("{% endhighlight %}", "{% link a b.md %}", "{{ '/a' | absolute_url }}", "{% endcomment %}", '--8<-- "a.md"\n'),
    *('--8<-- "a.md:1:2"\n', "--8<--\n", "a.md\n", '--8<-- "a.md:one"\n', "# --8<-- [start:one]\n"),
    *("# --8<-- [end:one]\n", ";--8<--\n", "{{ title }}", "{{ deep.er }}", '{{< ref "a#b" >}}'),
    *("{{% relref path=a %}}", '{{< param "deep.er" >}}', '{{% include "a" %}}', "{{< readfile file=/a.md >}}"),
    *("---\na: b\n---\n", f"{FILE_MARK}a.md\n", f"{FILE_MARK}_includes/a.md\n", f"{FILE_MARK}page.md\n"),
    *("include::a.md[]\n", "ifdef::a[]\n", "endif::[]\n"),
)


def expanders(data: bytes) -> None:
    """A composed text consists of its pieces, each of which is in an original file."""
    texts = files_of(f"{FILE_MARK}page.md\n{text_of(data)}")
    sources = {path: Source(path, content) for path, content in texts.items()}
    for dialect in ("asciidoc", "hugo", "jekyll", "mdbook", "mkdocs"):
        diagnostics: list[Diagnostic] = []
        inputs = Inputs(sources.get, VARIABLES.get(dialect, {}), lambda _: "it does not exist")
        composed = expand(sources["page.md"], dialect, inputs, diagnostics.append)
        check_diagnostics(diagnostic.original for diagnostic in diagnostics)
        starts = [piece.start for piece in composed.pieces]
        assert starts == sorted(set(starts)), composed.pieces
        for start in starts:
            span = composed.span(start, len(composed.text)).original
            assert span.source in (*sources.values(), composed), span
            assert 0 <= span.start <= span.end <= len(span.source.text), span


MARK = 'publish: "false"'
CLOSING = re.compile(r"^[^\S\n]*(?:[-\u2010-\u2015\u2212]{3,}|\.\.\.)[^\S\n]*$", re.MULTILINE)
"""A line that ends properties."""
PRIVACY_TOKENS = (
    *(
        "a: b",
        "a:\n  - b",
        "- c",
        "a: [",
        "]",
        "a: {",
        "}",
        "a: |",
        "a: >-",
        "a: 'b",
        'a: "b',
        "? a",
        "  b",
        "\tb",
        "#",
    ),
    *(
        "publish: true",
        "draft: false",
        "<<: *a",
        "&a",
        "!!str",
        "a: b: c",
        "\u2028",
        "<!--",
        "-->",
        "%%",
        "```",
        "{{x}}",
    ),
)
SETTINGS_TOKENS = (
    *(
        "export default",
        "const a: B = ",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ";",
        ":",
        "...",
        "=>",
        "`${",
        "/[/]/",
        "//",
    ),
    *("configuration", "ignorePatterns", "plugins", "filters", "'a'", '"b"', "Plugin.ExplicitPublish()", "as const"),
    *("satisfies B", "x?", "|", "/*", "*/"),
)


def privacy(data: bytes) -> None:
    """A line that keeps a text private does so among any others, unless YAML says that it is a part of a text."""
    before, _, after = CLOSING.sub("x", text_of(data)).partition(VERSION_MARK)
    text = f"---\n{before}\n{MARK}\n{after}\n---\nWords.\n"
    document = read(Source("Page.md", text), "obsidian", lambda _: None)
    is_words = not document.has_invalid_metadata and any(MARK in item for item in strings_in(document.metadata))
    found = privacy_of(document, [Place("Page.md", PublicationRules())], (), ())
    assert found.reason or is_words, text


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (*value, *value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_in(item)


def settings_in_code(data: bytes) -> None:
    """What is read of a program is a plain text that stands in it, or it is refused."""
    text = text_of(data)
    with suppress(NotPlain):
        for key in ("ignorePatterns", "filters"):
            value = js_object.member(js_object.exported_object(Source("quartz.config.ts", text)), key)
            for found in js_object.texts(value) if value else ():
                assert f"'{found}'" in text or f'"{found}"' in text, found


# --- paths

NAMED_PATHS = (
    *(("library.yaml", f"{key}: {value}\n") for key, value in (("manual", "@"), ("site", "@"), ("exclude", "[@]"))),
    *(("library.yaml", f"{key}: {value}\n") for key, value in (("only", "[@]"), ("files", "[@]"), ("licence", "@"))),
    *(("game.yaml", f"{GAME}{key}: @\n") for key in ("start", "licence_file")),
    *(("game.yaml", f"{GAME}book: {{{key}: @}}\n") for key in ("cover", "design", "fonts")),
    ("game.yaml", GAME.replace("kinds: kinds", "kinds: @")),
    ("game.yaml", GAME.replace("'**/*.md'", "@")),
    *(("mkdocs.yml", f"site_name: A\n{key}: @\n") for key in ("docs_dir", "INHERIT", "exclude_docs", "nav")),
    *(("hugo.toml", f"title = 'A'\n{key} = @\n") for key in ("contentDir", "theme", "themesDir", "dataDir")),
    ("hugo.toml", "title = 'A'\n[[module.mounts]]\nsource = @\ntarget = 'content'\n"),
    *(("_config.yml", f"title: A\n{key}: @\n") for key in ("source", "includes_dir", "collections_dir", "exclude")),
    ("book.toml", "[book]\ntitle = 'A'\nsrc = @\n"),
    *((".obsidian/app.json", f'{{"{key}": @}}') for key in ("attachmentFolderPath", "newFileFolderPath")),
    (".obsidian/app.json", '{"userIgnoreFilters": [@]}'),
    (".obsidian/templates.json", '{"folder": @}'),
    *(("Text.md", text) for text in ("[a](<@>)", "![[@]]", "![a](@)", "---\nbanner: @\n---\n", "<img src=@>\n")),
    *(("Text.adoc", text) for text in ("include::@[]\n", "image::@[]\n", "link:@[a]\n", "xref:@[a]\n")),
)
"""Files in which something is named by a path, with `@` in its place."""


def paths(data: bytes) -> None:
    """Any path in any setting or text ends a command as documented. The first byte selects where it is written."""
    file, template = NAMED_PATHS[data[0] % len(NAMED_PATHS)] if data else NAMED_PATHS[0]
    path = text_of(data[1:])
    written = path.replace("\n", "") if file.startswith("Text") else json.dumps(path)
    with TemporaryDirectory(prefix="fuzz-") as name:
        write_files(Path(name), {"Note.md": "Words.\n", "index.md": "Words.\n", file: template.replace("@", written)})
        run = kismet("check", name)
        assert run.status in (0, 1, 2), run.output
        assert "internal error" not in run.output, run.output


def path_seeds() -> Iterator[bytes]:
    for place in range(len(NAMED_PATHS)):
        yield from (bytes([place]) + path.encode() for path in ("Note.md", "\0", "a" * 300, "../" * 40, "/dev/zero"))


PATH_TOKENS = (
    *(
        "\0",
        "a" * 300,
        "..",
        "../",
        "/",
        "//",
        ".",
        "~",
        "~root/",
        "C:\\",
        "\\\\a\\",
        "%00",
        "%2e%2e/",
        "file:///",
        "*",
    ),
    *("**/", "[", "{a,b}", "$HOME", "/dev/zero", "/proc/self/mem", "\u202e", "é", "e\u0301", " ", ".md", "#", "?", "|"),
)

TARGETS: Mapping[str, Target] = {
    "obsidian": Target(obsidian, lambda: fences("md", "obsidian"), [*FRAGMENTS, *QUERY_TOKENS[2:]], 600),
    "github": Target(github, lambda: (*fences("md", "github"), *fences("md", "commonmark")), FRAGMENTS, 600),
    "asciidoc": Target(asciidoc, lambda: fences("adoc", "asciidoc"), ASCIIDOC, 600),
    "yaml": Target(yaml_texts, lambda: (*YAML_TOKENS, KIND, GAME, CALCULATORS), YAML_TOKENS, 600),
    "data_files": Target(data_files, data_file_seeds, DATA_TOKENS, 2_000),
    "formulas": Target(formulas, lambda: FORMULA_SEEDS, FORMULA_TOKENS, 300),
    "dice": Target(dice, lambda: DICE_SEEDS, DICE_TOKENS, 200),
    "queries": Target(queries, query_seeds, QUERY_TOKENS, 2_000),
    "long_strings": Target(long_strings, long_string_seeds, [*places(strings.VAULT), *places(strings.GAME)], 300),
    "bundles": Target(bundles, bundle_seeds, BUNDLE_TOKENS, 8_000),
    "expanders": Target(expanders, lambda: EXPANDER_TOKENS, EXPANDER_TOKENS, 600),
    "archives": Target(archives, archive_seeds, ARCHIVE_TOKENS, 12_000),
    "privacy": Target(privacy, lambda: PRIVACY_TOKENS, PRIVACY_TOKENS, 300),
    "paths": Target(paths, path_seeds, PATH_TOKENS, 600),
    "settings_in_code": Target(settings_in_code, lambda: SETTINGS_TOKENS, SETTINGS_TOKENS, 600),
}
"""The targets by name."""
