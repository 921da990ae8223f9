"""The catalog of the website's words: every language has all of them, and no other file has any."""

import ast
import gzip
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel import Locale
from jinja2 import Environment, nodes

from kismet_build.config.language.catalog import catalog
from kismet_build.config.language.strings import DEFAULT, Sentence, arguments_of, languages, read_strings
from kismet_build.render.site.assets import strings_script
from tests.command import ROOT
from tests.node import run_scripts

PACKAGE = ROOT / "kismet_build"
TEMPLATES = ROOT / "site" / "templates"
SITE = ROOT / "site"
ASSETS = SITE / "assets"
SHOWN_ATTRIBUTES = frozenset(("alt", "aria-label", "data-label", "label", "placeholder", "title"))
"""Attributes whose value a reader sees or hears."""
NO_WORDS = frozenset(("SQLite", "STR", "DEX", "CON", "INT", "WIS", "CHA", "Aa"))
"""Names in templates that are the same in every language. The capitals are those of a plugin's statblocks."""
TECHNICAL = re.compile(r"[\w/-]*[./_][\w./-]*|data-.*")
"""File names and ids, and the attributes of a tag whose start is in another macro."""
NO_WORD_ELEMENTS = frozenset(("code", "script", "style"))
MAX_SCRIPT_BYTES = 4_000
"""Compressed bytes of the words of scripts in one language: every page loads them."""
TRANSLATIONS = sorted(languages().keys() - {DEFAULT})


def sentences(language: str) -> Mapping[str, Sentence]:
    data = read_strings(language)
    return data["pages"] | data["scripts"]


def forms(sentence: Sentence) -> list[str]:
    return [sentence] if isinstance(sentence, str) else list(sentence.values())


def template_constants(node: nodes.Node) -> Iterator[str]:
    """The texts that a template expression may write: constants that are neither compared nor passed on."""
    match node:
        case nodes.Const(value=str() as value):
            yield value
        case nodes.CondExpr(expr1=first, expr2=second):
            yield from template_constants(first)
            if second is not None:
                yield from template_constants(second)
        case nodes.Concat() | nodes.Or() | nodes.Add():
            for child in node.iter_child_nodes():
                yield from template_constants(child)
        case nodes.Filter(node=nodes.Node() as filtered):
            yield from template_constants(filtered)
        case _:
            pass


def written_html(source: str) -> str:
    """The HTML of a template with all branches one after the other, and without the values of variables."""
    html = ""
    template = Environment(trim_blocks=True, lstrip_blocks=True).parse(source)
    for assignment in template.find_all(nodes.Assign):
        html += "".join(f"<p>{text}</p>" for text in template_constants(assignment.node))
    for output in template.find_all(nodes.Output):
        for child in output.nodes:
            html += child.data if isinstance(child, nodes.TemplateData) else "".join(template_constants(child))
    return html


class ShownWords(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.words += [value for name, value in attrs if name in SHOWN_ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not NO_WORD_ELEMENTS & {*self.open}:
            self.words.append(data)


def shown_words(html: str) -> list[str]:
    parser = ShownWords()
    parser.feed(html)
    parser.close()
    texts = (" ".join(text.split()) for text in parser.words)
    return [text for text in texts if re.search(r"[^\W\d_]{2,}", text) and not TECHNICAL.fullmatch(text)]


@pytest.mark.parametrize("file", sorted(TEMPLATES.glob("*.html")), ids=lambda file: file.stem)
def test_template_has_no_words_of_its_own(file: Path) -> None:
    found = [words for words in shown_words(written_html(file.read_text(encoding="utf-8"))) if words not in NO_WORDS]
    assert not found


def test_words_in_a_template_are_found() -> None:
    source = """{% set kind = "Spell" %}<p title="Why not">{{ "Yes" if good else "no" }}{{ t("key") }}</p>
    <b class="{{ "wide" if wide }}">{{ x or "Untitled" }}</b><code>pack.json</code>{% if a == "x y" %}{% endif %}"""
    assert shown_words(written_html(source)) == ["Spell", "Why not", "Yesno", "Untitled"]


# --- scripts and the style sheet

SCRIPT_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`|[{}]"""
    r"""|(?<=[(,=:\[!&|?{};\n>])\ */(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/""",
    re.DOTALL,
)
"""A comment, a string, the start of a template, a brace or a regular expression."""
TEMPLATE_PART = re.compile(r"(?:\\.|\$(?!\{)|[^`$\\])*", re.DOTALL)
SELECTOR_OR_TAG = re.compile(r"[.#<>=]|^input, |^[a-z-]+( [a-z]+)*( [a-z]+-[a-z]*)|^[a-z]+-[a-z-]+ ")
"""Strings with spaces that are not sentences: selectors, tags, lists of classes."""
SCRIPT_NAMES = frozenset(
    (
        "Enter",
        "Escape",
        "Tab",
        "/ Control+K",
        "light dark",
        "use strict",
        "take over",
        "Content-Type",
        "Markdown",
        "QuotaExceededError",
    )
)
"""Names of keys and the like, the same in every language."""
DIAGNOSTICS_IN_ENGLISH = frozenset(("odds.js",))
"""Scripts whose sentences are messages of errors, which no page shows."""
THROWN = frozenset(("the server is between two versions",))
CONTENT = re.compile(r"content:([^;}]*)")


def script_strings(source: str) -> Iterator[str]:
    """The strings of a script, and the parts of its templates between their expressions."""
    open_templates: list[int] = []  # for each, the open braces in its expression
    position = 0
    while token := SCRIPT_TOKEN.search(source, position):
        position = token.end()
        match token[0][0]:
            case '"' | "'":
                yield token[0][1:-1]
                continue
            case "{" if open_templates:
                open_templates[-1] += 1
                continue
            case "}" if open_templates and open_templates[-1]:
                open_templates[-1] -= 1
                continue
            case "`":
                open_templates.append(0)
            case "}" if open_templates:
                pass
            case _:
                continue
        part = TEMPLATE_PART.match(source, position)
        assert part
        yield part[0]
        position = part.end() + (1 if source[part.end()] == "`" else 2)
        if source[part.end()] == "`":
            open_templates.pop()


def sentences_of_script(source: str) -> list[str]:
    """The strings that have two words, or one with a capital: those of one small word may be names."""
    return [
        string
        for string in script_strings(source)
        if re.search(r"(?:^|\s)[A-Z][a-z]+|[^\W\d_]{2,} [^\W\d_]{2,}", string)
        and not SELECTOR_OR_TAG.search(string)
        and string not in SCRIPT_NAMES | THROWN
    ]


@pytest.mark.parametrize("file", sorted([*ASSETS.glob("*.js"), SITE / "sw.js"]), ids=lambda file: file.name)
def test_script_has_no_words_of_its_own(file: Path) -> None:
    if file.name not in DIAGNOSTICS_IN_ENGLISH:
        assert not sentences_of_script(file.read_text(encoding="utf-8"))


def test_words_in_a_script_are_found() -> None:
    source = """// A comment
    const said = /"Not this"/.test(x) ? `Rolls: ${count ? `of ${count} rows` : "none"} in all` : "Copied";
    box.querySelector("li > a").textContent = 'two words'; return t("roll.roll");"""
    assert sentences_of_script(source) == ["Rolls: ", " in all", "Copied", "two words"]
    assert [*script_strings(source)][:4] == ["Rolls: ", "of ", " rows", "none"]


def test_style_sheets_show_no_words() -> None:
    contents = CONTENT.findall("".join(file.read_text(encoding="utf-8") for file in ASSETS.glob("*.css")))
    shown = [string for content in contents for string in re.findall(r'"([^"]*)"', content)]
    assert len(shown) > 20
    assert not [string for string in shown if re.search(r"[^\W\d_]{2,}", re.sub(r"\\[0-9A-Fa-f]+", "", string))]


@pytest.mark.parametrize("language", [*sorted(languages()), "fr"])
def test_script_of_a_language_is_small(language: str) -> None:
    assert len(gzip.compress(strings_script(language))) <= MAX_SCRIPT_BYTES


def test_sentences_of_scripts_have_no_double_brace() -> None:
    for language in languages():
        for key, sentence in read_strings(language)["scripts"].items():
            assert not re.search(r"\{\{|\}\}", "".join(forms(sentence))), key


@pytest.mark.parametrize("language", [*sorted(languages()), "fr"])
def test_scripts_have_the_sentences_and_numbers_that_pages_have(language: str, tmp_path: Path) -> None:
    words = catalog(language)
    cases = []
    for key, sentence in read_strings(words.language)["scripts"].items():
        names = arguments_of(sentence)
        for number in (0, 1, 2, 5, 21, 1234, 1234567):
            values = {name: number if name == "n" else f"<{name} $& {number}>" for name in sorted(names)}
            cases.append((key, values))
            if "n" not in names:
                break
    answer = tmp_path / "answer.js"
    answer.write_text(
        """globalThis.answer = ({ cases, digits }) => ({
          sentences: cases.map(([key, values]) => kismet.t(key, values)),
          numbers: digits.map((number) => [kismet.decimal(number), kismet.percent(number)]),
          sign: kismet.percent(""),
        });""",
        encoding="utf-8",
    )
    digits = ["0.5", "12", "99.9"]
    found = run_scripts([answer], {"cases": cases, "digits": digits}, tmp_path, language)
    assert found["sentences"] == [words.text(key, **values) for key, values in cases]
    assert found["numbers"] == [[words.number(number), words.percent(number)] for number in digits]
    assert found["sign"] == words.percent_sign


# --- keys


def used_keys() -> Iterator[str]:
    """The keys that templates, Python and scripts use, as they are written there."""
    for file in TEMPLATES.glob("*.html"):
        for call in Environment().parse(file.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "t":
                assert isinstance(call.args[0], nodes.Const), f"{file.name}: a key is written out"
                yield call.args[0].value
    for file in (file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] != "mechanics"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
                yield node.value
    for file in ASSETS.glob("*.js"):
        yield from SCRIPT_KEY.findall(file.read_text(encoding="utf-8"))


KEY = re.compile(r"[a-z]+\.(?!(html|js|json|md|py|txt|yaml)$)[a-z_]+")
SCRIPT_KEY = re.compile(r'\bt\("([a-z]+\.[a-z_]+)"')


def test_each_key_is_used_and_there_is_no_other() -> None:
    known, used = sentences(DEFAULT).keys(), {*used_keys()}
    assert not known - used
    areas = {key.partition(".")[0] for key in known}
    assert not {key for key in used - known if key.partition(".")[0] in areas}


def test_script_uses_only_words_of_scripts() -> None:
    known = read_strings(DEFAULT)["scripts"].keys()
    used = {key for file in ASSETS.glob("*.js") for key in SCRIPT_KEY.findall(file.read_text(encoding="utf-8"))}
    assert used <= known


# --- languages


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translation_has_the_keys_and_arguments_of_english(language: str) -> None:
    english, translated = read_strings(DEFAULT), read_strings(language)
    for part in ("pages", "scripts"):
        assert list(translated[part]) == list(english[part])
    for key, sentence in sentences(language).items():
        arguments = arguments_of(sentences(DEFAULT)[key])
        assert arguments_of(sentence) == arguments, key


@pytest.mark.parametrize("language", sorted(languages()))
def test_sentence_has_a_form_for_each_plural_category_of_its_language(language: str) -> None:
    categories = {*Locale.parse(language).plural_form.tags, "other"}
    for key, sentence in sentences(language).items():
        if not isinstance(sentence, str):
            assert {*sentence} == categories, key


def test_sentence_shows_its_arguments_as_text_and_as_html() -> None:
    words = catalog("en")
    assert words.text("source.quote", quote="a < b", place="Rolls") == "“a < b”, Rolls"
    assert words.html("source.quote", quote="a < b", place="Rolls") == "“a &lt; b”, Rolls"


def test_words_between_backticks_are_code_in_html() -> None:
    assert "<code>(v 0.6)</code>" in catalog("en").html("data.address", address="(v 0.6)")
    assert "<code>kismet/kind/name</code>" in catalog("en").html("data.ids", game="kismet", names="")


def test_number_decides_the_form_of_a_sentence_and_is_grouped() -> None:
    words = catalog("en")
    assert [words.text("count.entries", n=n) for n in (0, 1, 2, 1234)] == [
        "0 entries",
        "1 entry",
        "2 entries",
        "1,234 entries",
    ]


def test_words_of_a_language_without_a_file_are_english() -> None:
    assert catalog("fr").language == catalog("en-GB").language == catalog("tlh-x-y").language == "en"
