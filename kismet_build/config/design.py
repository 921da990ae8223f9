"""Load the look of a library: a folder with a style sheet, images, fonts, pages, templates and words."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from kismet_build.config.catalog import DESIGN_FOLDER, Design, Sentence, Words, arguments_of, languages, read_catalog
from kismet_build.config.data_file import SHIPPED, InvalidData, is_inside, read_data, yaml_files
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, error, warning
from kismet_build.model.nodes import is_url
from kismet_build.model.source import Source, read_source
from kismet_build.model.text_normalization import folder_name

DESIGN_SUFFIXES = frozenset(
    (".css", ".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".ico", ".woff2", ".woff", ".ttf", ".otf")
)
"""Suffixes of the files of a design that are published."""
SHIPPED_TEMPLATES = SHIPPED / "site" / "templates"
TEMPLATES_FOLDER, WORDS_FOLDER, PAGES_FOLDER = "templates", "strings", "pages"
HOME_TEXT = "home.md"
HOME = ""
"""The address of the home page."""
INDEX = "index.html"
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
    "absent": "not_found",
}
"""The templates that a design may replace, each with its name in `site/templates`; the others may change."""
INLINE_CODE = re.compile(
    r"<style\b|<script\b(?![^>]*(?:\bsrc=|type=\"application/))|<[a-z][^>]*\s(?:style|on[a-z]+)=", re.IGNORECASE
)
"""Scripts and styles in a page, which the content security policy blocks."""


def load_design(folder: Path, name: str, data: Data, report: Report) -> Design:
    """The look of the website in a folder beside `library.yaml`. Raises `InvalidData` if something cannot be used."""
    root = folder / name
    if root.is_symlink() or not root.is_dir():
        report(error("invalid-library", data.span_of("site"), f'there is no folder "{name}" beside this file'))
        raise InvalidData(name)
    is_valid = True

    def count(diagnostic: Diagnostic) -> None:
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
                count(error("invalid-library", data.span_of("site"), message))
            pages[address] = str(path)
        elif path.parts[0] not in (TEMPLATES_FOLDER, WORDS_FOLDER):
            others.append(str(path))
    if others:
        message = f"these files in {name} have no use there, and are not published: {', '.join(others)}"
        hint = f"published are home.md, pages/*.md and files that end in {', '.join(sorted(DESIGN_SUFFIXES))}"
        count(warning("invalid-library", data.span_of("site"), message, hint))
    if "style.css" in files:
        _check_style(_read(root / "style.css", f"{name}/style.css", data, count), count)
    templates = tuple(_templates(root / TEMPLATES_FOLDER, f"{name}/{TEMPLATES_FOLDER}", data, count))
    words = tuple(_words(root, count))
    if not is_valid:
        raise InvalidData(name)
    return Design(folder=str(root), files=tuple(files), pages=tuple(pages.items()), templates=templates, words=words)


def link_address(target: str, design: Design) -> str:
    """The address from the root of the tree of what a link of the author names: a page or file; a URL as it is.

    The link may name the text of a page, with or without its folder and `.md`, another file of the folder of the
    design, or an address. The address of a page ends in `/`, that of the home page is empty.
    """
    path, mark, anchor = target.partition("#")
    if is_url(target):
        return target
    if path in design.files:
        return f"{DESIGN_FOLDER}{target}"
    path = path.removesuffix(".md")
    folder, _, name = path.rpartition("/")
    if folder.strip("./") in ("", PAGES_FOLDER) and name:
        if f"{folder_name(name)}/" in dict(design.pages):
            path = f"{folder_name(name)}/"
        elif f"{name}.md" == HOME_TEXT:
            path = HOME
    path = path.removeprefix("/").removesuffix(INDEX)
    is_file = not path or path.endswith("/") or "." in path.rpartition("/")[2]
    return f"{path}{'' if is_file else '/'}{mark}{anchor}"


def _read(file: Path, shown: str, data: Data, report: Report) -> Source:
    """A text of the design; an empty one if it cannot be read, which is reported."""
    try:
        return read_source(file, shown, file.as_posix())
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        report(error("invalid-library", data.span_of("site"), f"{shown} cannot be read: {why}"))
        return Source(shown, "", "", file.as_posix())


def _check_style(style: Source, report: Report) -> None:
    """Report a style sheet whose braces do not match: a browser would drop all rules after the place."""
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
    """The templates of a design: the name of each that is replaced, with the new source."""
    from jinja2 import TemplateSyntaxError  # imported on use: most libraries have none, and commands start faster

    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        source = _read(file, f"{shown}/{file.name}", data, report)
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
    """The words that a design changes or translates: one file a language in its folder `strings`."""
    for file in yaml_files(root / WORDS_FOLDER, root.resolve()):
        _, data = read_data(file, "invalid-library", "strings", report)
        shipped = read_catalog(file.stem)
        known: dict[str, Sentence] = shipped["pages"] | shipped["scripts"]
        sentences = []
        for key, value in data.value.items():
            forms = {"": value} if isinstance(value, str) else value
            if key not in known:
                near = get_close_matches(key, known, 3)
                hint = f"did you mean {' or '.join(near)}?" if near else "the keys are those of site/strings/en.yaml"
                report(error("invalid-library", data.span_of(key), f'no words have the key "{key}"', hint))
            elif unknown := {name for form in forms.values() for name in arguments_of(form)} - _arguments(known[key]):
                named = ", ".join(f"{{{name}}}" for name in sorted(_arguments(known[key]))) or "none"
                message = f"these words have no argument {{{min(unknown)}}}"
                report(error("invalid-library", data.span_of(key), message, f"their arguments: {named}"))
            else:
                sentences.append((key, tuple(sorted(forms.items()))))
        if file.stem not in languages() and (missing := len(known) - len(sentences)):
            message = f"{missing} of {len(known)} words of the website have no translation here, and stay English"
            report(warning("invalid-library", data.span_of(), message))
        yield Words(file.stem, tuple(sentences))


def _arguments(sentence: Sentence) -> set[str]:
    forms = (sentence,) if isinstance(sentence, str) else sentence.values()
    return {name for form in forms for name in arguments_of(form)}
