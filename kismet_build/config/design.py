"""Load the design of a library: its own style sheet, images, pages, words and templates."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from kismet_build.config.data_file import SHIPPED, InvalidData, is_inside, read_data, yaml_files
from kismet_build.config.strings import Sentence, arguments_of, languages, read_strings
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, error, warning
from kismet_build.model.source import Source, read_source
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name

DESIGN_FOLDER = "assets/site/"
"""Folder of the published files of a design."""
DESIGN_SUFFIXES = frozenset(
    (".css", ".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".ico", ".woff2", ".woff", ".ttf", ".otf")
)
"""Suffixes of the files of a design that are published."""
SHIPPED_TEMPLATES = SHIPPED / "site" / "templates"
TEMPLATES_FOLDER, WORDS_FOLDER, PAGES_FOLDER = "templates", "strings", "pages"
HOME_TEXT = "home.md"
PUBLIC_TEMPLATES = {
    "page": "layout",
    "head": "base",
    "header": "layout_header",
    "footer": "layout_footer",
    "home": "article_library",
    "game": "article_home",
    "chapter": "article_chapter",
    "entity": "article_entity",
    "kind": "article_kind",
    "calculator": "calculator",
    "board": "article_board",
    "not-found": "not_found",
}
"""The templates that a design may replace, each with its name in `site/templates`; the others may change."""
INLINE_CODE = re.compile(
    r"<style\b|<script\b(?![^>]*(?:\bsrc=|type=\"application/))|<[a-z][^>]*\s(?:style|on[a-z]+)=", re.IGNORECASE
)
"""Inline scripts and styles, which the content security policy blocks."""


class Words(NamedTuple):
    """An author's own sentences in one language.

    Each has its key, and its forms by plural category; `""` is the category of a sentence without plural forms.
    """

    language: str
    sentences: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class Design(NamedTuple):
    """The author's changes of the look of the website. `site` in `library.yaml` names the folder."""

    folder: str = ""
    """The path of the folder; empty for none."""
    files: tuple[str, ...] = ()
    """Paths in the folder of the files that are published: style sheet, images, fonts."""
    pages: tuple[tuple[str, str], ...] = ()
    """Addresses of pages outside of a game, empty for the home page, each with the path of its text in the folder."""
    templates: tuple[tuple[str, str], ...] = ()
    """Names of templates of the website without `.html`, each with the source that takes its place."""
    words: tuple[Words, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """Links of the footer: titles with addresses, which are URLs or relative to the root of the tree."""
    policy: tuple[tuple[str, str], ...] = ()
    """Directives of the content security policy, each with the further sources that it allows."""

    def file(self, *names: str) -> str:
        """The address in the tree of the first of these files that exists; empty if none does."""
        return next((f"{DESIGN_FOLDER}{name}" for name in names if name in self.files), "")

    @property
    def style(self) -> str:
        """The address of the style sheet, which pages load after that of the website; empty for none."""
        return self.file("style.css")

    @property
    def logo(self) -> str:
        """The address of the image beside the name of the library; empty for none."""
        return self.file("logo.svg", "logo.png", "logo.webp")

    @property
    def icon(self) -> str:
        """The address of the icon of all pages; empty for none."""
        return self.file("favicon.svg", "favicon.png", "favicon.ico")


NO_DESIGN = Design()


def load_design(folder: Path, name: str, data: Data, report: Report) -> Design:
    """Load the design in a folder beside `library.yaml`. Raises `InvalidData` if a part of it is invalid."""
    root = folder / name
    if root.is_symlink() or not root.is_dir():
        report(error("invalid-library", data.span_of("site"), f'there is no folder "{name}" beside this file'))
        raise InvalidData(name)
    is_valid = True

    def report_fault(diagnostic: Diagnostic) -> None:
        nonlocal is_valid
        is_valid = is_valid and diagnostic.severity is not Severity.ERROR
        report(diagnostic)

    files, others = [], []
    pages: dict[str, str] = {}
    for file in sorted(file for file in root.rglob("*") if is_inside(file, root.resolve())):
        path = PurePosixPath(file.relative_to(root))
        if path.suffix.lower() in DESIGN_SUFFIXES:
            files.append(str(path))
        elif str(path) == HOME_TEXT:
            pages[""] = str(path)
        elif path.parts[0] == PAGES_FOLDER and path.suffix == ".md":
            address = f"{folder_name(path.stem)}/"
            if address in pages:
                message = f"{pages[address]} and {path} in {name} have one address: {address}"
                report_fault(error("invalid-library", data.span_of("site"), message))
            pages[address] = str(path)
        elif path.parts[0] not in (TEMPLATES_FOLDER, WORDS_FOLDER):
            others.append(str(path))
    if others:
        message = f"these files in {name} have no use there, and are not published: {', '.join(others)}"
        hint = f"published are home.md, pages/*.md and files that end in {', '.join(sorted(DESIGN_SUFFIXES))}"
        report_fault(warning("invalid-library", data.span_of("site"), message, hint))
    if "style.css" in files:
        _check_style(_read_text(root / "style.css", f"{name}/style.css", data, report_fault), report_fault)
    templates = tuple(_templates(root / TEMPLATES_FOLDER, f"{name}/{TEMPLATES_FOLDER}", data, report_fault))
    words = tuple(_words(root, report_fault))
    if not is_valid:
        raise InvalidData(name)
    return Design(folder=str(root), files=tuple(files), pages=tuple(pages.items()), templates=templates, words=words)


def _read_text(file: Path, shown: str, data: Data, report: Report) -> Source:
    """Read a text of the design; if it cannot be read, report that and return an empty text."""
    try:
        return read_source(file, shown, file.as_posix())
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        report(error("invalid-library", data.span_of("site"), f"{shown} cannot be read: {why}"))
        return Source(shown, "", "", file.as_posix())


def _check_style(style: Source, report: Report) -> None:
    """Report a style sheet whose braces do not match, because browsers ignore the rules after the mismatch."""
    text = re.sub(
        r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
        lambda match: " " * len(match[0]),
        style.text,
        flags=re.DOTALL,
    )
    opened: list[int] = []
    for brace in re.finditer("[{}]", text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif not opened:
            report(error("invalid-library", style.span(*brace.span()), "this brace closes nothing"))
            return
        else:
            opened.pop()
    if opened:
        report(error("invalid-library", style.span(opened[-1], opened[-1] + 1), "this brace is never closed"))


def _templates(folder: Path, shown: str, data: Data, report: Report) -> Iterator[tuple[str, str]]:
    """The templates that a design replaces: the name in `site/templates` and the new source."""
    from jinja2 import TemplateSyntaxError  # imported on use: most libraries have none, and commands start faster

    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        source = _read_text(file, f"{shown}/{file.name}", data, report)
        if file.suffix != ".html" or file.stem not in PUBLIC_TEMPLATES:
            known = ", ".join(f"{name}.html" for name in PUBLIC_TEMPLATES)
            report(
                error(
                    "invalid-library", source.span(0, 0), f'no template is named "{file.name}"', f"there are: {known}"
                )
            )
            continue
        name = PUBLIC_TEMPLATES[file.stem]
        try:
            missing = _macros((SHIPPED_TEMPLATES / f"{name}.html").read_text(encoding="utf-8")) - _macros(source.text)
        except TemplateSyntaxError as problem:
            start = source.line_starts[problem.lineno - 1]
            report(
                error("invalid-library", source.span(start, start), f"this template is wrong here: {problem.message}")
            )
            continue
        if missing:
            message = f"this template has no macro {', '.join(sorted(missing))}"
            hint = f'each can call the original: {{% import "default/{name}.html" as default %}}'
            report(error("invalid-library", source.span(0, 0), message, hint))
            continue
        if inline := INLINE_CODE.search(source.text):
            message = "browsers ignore scripts and styles that stand in a page, because the content policy forbids them"
            hint = "put styles into style.css; a script of another website needs `policy` in library.yaml"
            report(warning("invalid-library", source.span(*inline.span()), message, hint))
        yield name, source.text


def _macros(template: str) -> set[str]:
    """The names of the macros of a template. Raises `TemplateSyntaxError`."""
    from jinja2 import Environment
    from jinja2.nodes import Macro

    return {macro.name for macro in Environment(autoescape=True).parse(template).find_all(Macro)}


def _words(root: Path, report: Report) -> Iterator[Words]:
    """The words that a design changes or translates: one file for each language in its folder `strings`."""
    for file in yaml_files(root / WORDS_FOLDER, root.resolve()):
        _, data = read_data(file, "invalid-library", "strings", report)
        shipped = read_strings(file.stem)
        known: dict[str, Sentence] = shipped["pages"] | shipped["scripts"]
        sentences = []
        for key, value in data.value.items():
            if key not in known:
                hint = did_you_mean(key, known, "the keys are those of site/strings/en.yaml")
                report(error("invalid-library", data.span_of(key), f'no words have the key "{key}"', hint))
            elif unknown := arguments_of(value) - arguments_of(known[key]):
                named = ", ".join(f"{{{name}}}" for name in sorted(arguments_of(known[key]))) or "none"
                message = f"these words have no argument {{{min(unknown)}}}"
                report(error("invalid-library", data.span_of(key), message, f"their arguments: {named}"))
            else:
                forms = {"": value} if isinstance(value, str) else value
                sentences.append((key, tuple(sorted(forms.items()))))
        if file.stem not in languages() and (missing := len(known) - len(sentences)):
            message = f"{missing} of {len(known)} words of the website have no translation here, and stay English"
            report(warning("invalid-library", data.span_of(), message))
        yield Words(file.stem, tuple(sentences))
