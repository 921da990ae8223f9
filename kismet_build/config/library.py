"""Load `library.yaml`: the settings of a library of games, and the folder with the look of its website."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from kismet_build.config.catalog import NO_DESIGN, Design, Sentence, Words, arguments_of, languages, read_catalog
from kismet_build.config.data_file import SHIPPED, InvalidData, is_inside, read_data, yaml_file, yaml_files
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, error, warning
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, Span, read_source
from kismet_build.model.text_normalization import folder_name

LIBRARY_FILE = "library"
"""Name of the file, without suffix."""

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
    "absent": "not_found",
}
"""The templates that a design may replace, each with its name in `site/templates`; the others may change."""
INLINE_CODE = re.compile(
    r"<style\b|<script\b(?![^>]*(?:\bsrc=|type=\"application/))|<[a-z][^>]*\s(?:style|on[a-z]+)=", re.IGNORECASE
)
"""Scripts and styles in a page, which the content security policy blocks."""


class PropertyRules(NamedTuple):
    """Which properties of notes become fields of found kinds, apart from the usual rule for each property."""

    also: frozenset[str] = frozenset()
    """Names of properties that become fields, although they usually tell programs what to do with a note."""
    never: frozenset[str] = frozenset()
    """Names of properties that do not become fields."""

    def with_game(self, game: "PropertyRules") -> "PropertyRules":
        """The rules of a library with those of a game, which count where they differ."""
        return PropertyRules(self.also - game.never | game.also, self.never - game.also | game.never)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryConfig:
    """The settings of a library; each is empty if it is not set."""

    title: str = ""
    language: str = ""
    """The language of the pages of the library: a BCP 47 tag."""
    url: str = ""
    """The URL at which the root of the tree is published, ending in `/`."""
    description: str = ""
    """One sentence."""
    exclude: Mapping[str, Span] = field(default_factory=dict)
    """Glob patterns of paths that are not published, each with its span."""
    only: Mapping[str, Any] = field(default_factory=dict)
    """Properties that a text must have to be published."""
    properties: PropertyRules = field(default_factory=PropertyRules)
    manual: tuple[str, Span] | None = None
    """The name of the folder of the manual, which is also its address, with its span."""
    design: Design = NO_DESIGN
    """The author's own look of the website."""
    pages: tuple[tuple[str, Document], ...] = ()
    """The pages of the design: addresses with texts, which are read when the pages of the library are rendered."""
    games: Mapping[str, str] = field(default_factory=dict)
    """The ids of the games that are published, by `folder_name` of their titles; set with `pages`."""
    link_spans: Mapping[str, Span] = field(default_factory=dict)
    """The spans of the links of the design, by title."""


def load_library_config(folder: Path, report: Report) -> LibraryConfig:
    """Load the settings from `library.yaml` in a folder; default settings without the file. Raises `InvalidData`."""
    file = yaml_file(folder, LIBRARY_FILE)
    if not is_inside(file, folder.resolve()):
        return LibraryConfig()
    _, data = read_data(file, "invalid-library", "library", report)
    settings: dict[str, Any] = {
        name: value.strip() if isinstance(value, str) else value for name, value in data.value.items()
    }
    settings["exclude"] = exclusions(data)
    settings["properties"] = property_rules(data)
    if "manual" in settings:
        settings["manual"] = settings["manual"], data.span_of("manual")
    place = settings.pop("site", None)
    links, policy = settings.pop("links", {}), settings.pop("policy", {})
    settings["design"] = (_load_design(folder, place, data, report) if place else NO_DESIGN)._replace(
        links=tuple(links.items()),
        policy=tuple((name, " ".join(sources)) for name, sources in policy.items()),
    )
    settings["link_spans"] = {title: data.span_of("links", title) for title in links}
    if "url" in settings:
        settings["url"] = settings["url"].rstrip("/") + "/"
    return LibraryConfig(**settings)


def exclusions(data: Data) -> dict[str, Span]:
    """The glob patterns of `exclude` in a valid data file, each with its span."""
    return {glob: data.span_of("exclude", index) for index, glob in enumerate(data.value.get("exclude", ()))}


def property_rules(data: Data) -> PropertyRules:
    """The `properties` in a valid data file."""
    rules = data.value.get("properties", {})
    return PropertyRules(frozenset(rules.get("also", ())), frozenset(rules.get("never", ())))


def _load_design(folder: Path, name: str, data: Data, report: Report) -> Design:
    """The look of the website in a folder beside `library.yaml`. Raises `InvalidData` if something cannot be used."""
    root = folder / name
    if root.is_symlink() or not root.is_dir():
        hint = "make it, or leave the key out"
        report(error("invalid-library", data.span_of("site"), f'there is no folder "{name}" beside this file', hint))
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
                hint = (
                    f"did you mean {' or '.join(near)}?"
                    if near
                    else "the page Words of the manual (kismet docs) has all keys"
                )
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
