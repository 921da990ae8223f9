"""Load the design of a library: its own style sheet, images, pages, words and templates. docs/decisions/0020-looks.md
says which of the website's templates and CSS properties are public.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import walk
from os.path import islink
from pathlib import Path, PurePosixPath
from string import Formatter
from typing import NamedTuple
from urllib.parse import urlsplit

from kismet_build.config.data_file import SHIPPED, is_folder, is_inside, read_data, yaml_file, yaml_files
from kismet_build.config.data_reader import DataReader
from kismet_build.config.language.strings import COUNT, Sentence, arguments_of, is_language, languages, read_strings
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Report, error, warning
from kismet_build.model.nodes import is_url
from kismet_build.model.source import Source, encoding_fault, read_regular_file, read_source
from kismet_build.model.suggestion import did_you_mean
from kismet_build.model.text_normalization import folder_name

# --- colours

BACKGROUNDS = {"light": ("#FBF8F1", "#F1EBDD"), "dark": ("#15131B", "#1F1C28")}
"""The page and panel backgrounds of each colour scheme; the same as in the style sheet of the site."""
BAR_TINT = 0.16
"""Share of the accent in the colour of the top bar, from 0 to 1."""
MIN_CONTRAST = 4.5
"""Minimum contrast ratio of text: WCAG 2.2, success criterion 1.4.3."""


def min_contrast(colour: str, scheme: str) -> float:
    """The lowest contrast ratio between a colour and the backgrounds of a scheme: `light` or `dark`."""
    return min(_contrast(colour, background) for background in BACKGROUNDS[scheme])


def bar_colours(accent: Sequence[str] | None) -> tuple[str, str]:
    """The colours of the top bar in the light and the dark scheme: the panel colour, tinted with any accent."""
    panels = [backgrounds[1] for backgrounds in BACKGROUNDS.values()]
    light, dark = (_mix(*pair) for pair in zip(panels, accent or panels, strict=True))
    return light, dark


def _contrast(first: str, second: str) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mix(ground: str, tint: str) -> str:
    channels = ((int(ground[start : start + 2], 16), int(tint[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(below + (above - below) * BAR_TINT):02X}" for below, above in channels)


# --- files of the design

DESIGN_FOLDER = "assets/site/"
"""The folder, in the published tree, for the files of a design."""
STYLE_NAMES = ("style.css",)
LOGO_NAMES = ("logo.svg", "logo.png", "logo.webp")
ICON_NAMES = ("favicon.svg", "favicon.png", "favicon.ico")
"""File names with a special purpose in a design, by preference; the first that exists is used."""
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
    "not-found": "not_found",
}
"""The templates that a design may replace, each with its name in `site/templates`.

Other templates may change at any time.
"""
INLINE_CODE = re.compile(
    r"<style\b|<script\b(?![^>]*(?:\bsrc=|type=\"application/))|<[a-z][^>]*\s(?:style|on[a-z]+)=", re.IGNORECASE
)
"""Scripts and styles in a page, which the content security policy blocks."""
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CSS_COMMENT_OR_STRING = re.compile(rf"{CSS_COMMENT.pattern}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
CSS_ADDRESS = re.compile(
    r"(?:url\(\s*|@import\s+(?=[\"']))(?P<address>\"[^\"\n]*\"|'[^'\n]*'|[^)\"'\s]+)", re.IGNORECASE
)
MAKE_READABLE = "make it readable, or move it out of the folder"
"""A hint for files that cannot be read."""


class Words(NamedTuple):
    """An author's own sentences in one language: by key, the forms of each sentence by plural category.

    A sentence without plural forms has the category `""`.
    """

    language: str
    sentences: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class Design(NamedTuple):
    """The author's changes to the look of the website, from the folder that `site` in `library.yaml` names."""

    folder: str = ""
    """The path of the folder; empty without a design."""
    files: tuple[str, ...] = ()
    """The published files, such as style sheet, images and fonts, as paths in the folder."""
    pages: tuple[tuple[str, str], ...] = ()
    """Pages that do not belong to a game: by address (empty for the home page), the path of the page's text in the
    folder.
    """
    templates: tuple[tuple[str, str], ...] = ()
    """Names of templates of the website, without `.html`, each with the source that replaces it."""
    words: tuple[Words, ...] = ()
    nav: tuple[tuple[str, str], ...] = ()
    """The entries of the navigation: each title with an address, which is a URL or relative to the root."""
    links: tuple[tuple[str, str], ...] = ()
    """The links at the foot of all pages: titles and addresses as in `nav`."""
    policy: tuple[tuple[str, str], ...] = ()
    """Directives of the content security policy, each with the sources to allow in addition."""

    def file(self, *names: str) -> str:
        """The address in the tree of the first of these files that exists, or an empty string."""
        return next((f"{DESIGN_FOLDER}{name}" for name in names if name in self.files), "")

    @property
    def style(self) -> str:
        """The address of the style sheet, which pages load after the website's own, or an empty string."""
        return self.file(*STYLE_NAMES)

    @property
    def logo(self) -> str:
        """The address of the image next to the library's name, or an empty string."""
        return self.file(*LOGO_NAMES)

    @property
    def icon(self) -> str:
        """The address of the icon of the website, or an empty string."""
        return self.file(*ICON_NAMES)


NO_DESIGN = Design()


def load_design(folder: Path, name: str, data: Data, report: Report) -> Design:
    """Load the design from a folder next to `library.yaml`. Raises `InvalidData` if a part of it is invalid."""
    root = folder / name
    reader = DataReader(data, "invalid-library", report)
    if islink(root) or not is_folder(root):
        hint = "create it, or remove the key"
        reader.refuse(("site",), f'there is no folder "{name}" next to this file', hint)
        reader.finish()
    if yaml_file(root, "game").is_file():
        message = f'"{name}" is the folder of a game, so it cannot be the folder of the design'
        reader.refuse(("site",), message, "name a separate folder, such as look")
        reader.finish()
    files, others = [], []
    pages: dict[str, str] = {}
    for file in _files(root, name, reader):
        path = PurePosixPath(file.relative_to(root))
        shown = f"{name}/{path}"
        if path.suffix.lower() in DESIGN_SUFFIXES:
            files.append(str(path))
            _check_file(file, shown, reader)
        elif str(path) == HOME_TEXT:
            pages[HOME] = str(path)
            _read(file, shown, reader)
        elif path.parts[0] == PAGES_FOLDER and path.suffix == ".md":
            address = f"{folder_name(path.stem)}/"
            source = _read(file, shown, reader)
            if address in pages:
                message = f'"{address}" is also the address of {name}/{pages[address]}'
                reader.report(error("invalid-library", source.span(0, 0), message, "rename one of them"))
            pages[address] = str(path)
        elif path.parts[0] not in (TEMPLATES_FOLDER, WORDS_FOLDER):
            others.append(str(path))
    if others:
        message = f"these files in {name} are not used or published: {', '.join(others)}"
        hint = f"only home.md and pages/*.md are published, and files that end in {', '.join(sorted(DESIGN_SUFFIXES))}"
        reader.report(warning("invalid-library", data.span_of("site"), message, hint))
    for misnamed, known in _misnamed(files):
        message = f"{name}/{misnamed} is published, but nothing uses it"
        reader.report(warning("invalid-library", data.span_of("site"), message, f"rename it to {' or '.join(known)}"))
    if "style.css" in files:
        style = _read(root / "style.css", f"{name}/style.css", reader)
        _check_style(style, reader.report)
        _check_addresses(
            style, files, " ".join(chain.from_iterable(data.value.get("policy", {}).values())), reader.report
        )
    templates = tuple(_templates(root / TEMPLATES_FOLDER, f"{name}/{TEMPLATES_FOLDER}", reader))
    words = tuple(_words(root, reader.report))
    reader.finish()
    return Design(folder=str(root), files=tuple(files), pages=tuple(pages.items()), templates=templates, words=words)


def _files(root: Path, name: str, reader: DataReader) -> Iterator[Path]:
    """Hidden files and links out of the folder are left out. A folder that cannot be listed is reported."""
    found = []

    def refuse(problem: OSError) -> None:
        folder = Path(problem.filename or root).relative_to(root)
        message = f"{Path(name, folder).as_posix()} cannot be listed: {problem.strerror}"
        reader.refuse(("site",), message, MAKE_READABLE)

    for folder, _, names in walk(root, onerror=refuse):
        found += [Path(folder, file) for file in names]
    yield from (file for file in sorted(found) if is_inside(file, root.resolve()))


def _misnamed(files: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Files named like a known one except for case or suffix, each with the known names, if none of these exists."""
    for path in files:
        for known in (STYLE_NAMES, LOGO_NAMES, ICON_NAMES):
            is_alike = path.casefold().rpartition(".")[0] == known[0].rpartition(".")[0]
            if is_alike and not any(name in files for name in known):
                yield path, known


def _check_file(file: Path, shown: str, reader: DataReader) -> None:
    try:
        content = read_regular_file(file)
    except OSError as problem:
        message = f"{shown} cannot be read: {problem.strerror}"
        reader.refuse(("site",), message, MAKE_READABLE)
        return
    if not content.strip() and file.suffix != ".css":
        reader.refuse(("site",), f"{shown} is empty", "save it again, or delete it")
    elif file.suffix.lower() == ".svg" and b"<svg" not in content:
        hint = "save it as SVG, or correct its suffix"
        reader.refuse(("site",), f"{shown} is not an SVG image", hint)


def link_address(target: str, design: Design) -> str:
    """The address, from the root of the tree, of the page or file that an author's link names; a URL stays unchanged.

    The link may name the text of a page, with or without its folder and `.md`, another file in the folder of the
    design, or an address. The address of a page ends in `/`, except for the home page, whose address is empty.
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


def _read(file: Path, shown: str, reader: DataReader) -> Source:
    """Read a text file of the design. An unreadable file is reported, and the result is an empty source."""
    try:
        return read_source(file, shown, file.as_posix())
    except OSError as problem:
        message = f"{shown} cannot be read: {problem.strerror}"
        reader.refuse(("site",), message, MAKE_READABLE)
    except UnicodeDecodeError as failure:
        _, span, message, hint = encoding_fault(failure, shown, file.as_posix())
        reader.report(error("invalid-library", span, message, hint))
    return Source(shown, "", "", file.as_posix())


def _check_style(style: Source, report: Report) -> None:
    text = CSS_COMMENT_OR_STRING.sub(lambda match: " " * len(match[0]), style.text)
    rest = text.lstrip()
    start = len(text) - len(rest)

    def refuse(place: int, message: str, hint: str) -> None:
        report(error("invalid-library", style.span(place, place + 1), message, hint))

    if rest.startswith("<") or (rest and not re.search("[{@/\"']", rest)):
        refuse(start, "this is not a style sheet", "write CSS rules: body { color: black }")
        return
    opened: list[int] = []
    for mark in re.finditer(r"[{}\"']|/\*", text):
        match mark[0]:
            case "{":
                opened.append(mark.start())
            case "}" if opened:
                opened.pop()
            case "}":
                refuse(mark.start(), "this brace has no opening brace", "delete it")
                return
            case "/*":
                refuse(mark.start(), "this comment is never closed", "close it with */")
                return
            case _:
                refuse(
                    mark.start(), "this quotation mark is not closed on its line", "close it at the end of the value"
                )
                return
    if opened:
        refuse(opened[-1], "this brace is never closed", "close it with } at the end of its rule")


def _check_addresses(style: Source, files: Collection[str], policy: str, report: Report) -> None:
    for match in CSS_ADDRESS.finditer(CSS_COMMENT.sub(lambda match: " " * len(match[0]), style.text)):
        address = match["address"].strip("\"' ")
        path = re.split("[?#]", address)[0].removeprefix("./")
        span = style.span(*match.span("address"))
        if is_url(address):
            host = urlsplit(address).netloc
            if not address.startswith("data:") and host not in policy:
                message = f"browsers do not load this: the content policy does not allow {host}"
                hint = "copy it into this folder, or allow the address with policy in library.yaml"
                report(warning("invalid-library", span, message, hint))
        elif path and not path.startswith(("/", "../")) and path not in files:
            message = f'there is no file "{path}" next to this style sheet'
            report(warning("invalid-library", span, message, did_you_mean(path, files, "add it")))


def _templates(folder: Path, shown: str, reader: DataReader) -> Iterator[tuple[str, str]]:
    """Yield the name of each replaced template with the source that replaces it."""
    from jinja2 import TemplateSyntaxError  # imported on use, because most libraries do not need it

    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        source = _read(file, f"{shown}/{file.name}", reader)
        if file.suffix != ".html" or file.stem not in PUBLIC_TEMPLATES:
            known = ", ".join(f"{name}.html" for name in PUBLIC_TEMPLATES)
            reader.report(
                error(
                    "invalid-library", source.span(0, 0), f'there is no template "{file.name}"', f"choose from: {known}"
                )
            )
            continue
        name = PUBLIC_TEMPLATES[file.stem]
        try:
            wanted = _macros((SHIPPED_TEMPLATES / f"{name}.html").read_text(encoding="utf-8"))
            own = _macros(source.text)
        except TemplateSyntaxError as problem:
            start = source.line_starts[problem.lineno - 1]
            reader.report(
                error(
                    "invalid-library", source.span(start, start), f"this template has an error here: {problem.message}"
                )
            )
            continue
        if missing := wanted.keys() - own.keys():
            message = f"this template has no macro {', '.join(sorted(missing))}"
            hint = f'each can call the original: {{% import "default/{name}.html" as default %}}'
            reader.report(error("invalid-library", source.span(0, 0), message, hint))
            continue
        if others := [macro for macro, arguments in wanted.items() if own[macro][: len(arguments)] != arguments]:
            message = f'the macro "{others[0]}" in this template must take the same arguments as the original'
            hint = f"its arguments: {', '.join(wanted[others[0]])}"
            reader.report(error("invalid-library", source.span(0, 0), message, hint))
            continue
        if inline := INLINE_CODE.search(source.text):
            message = "browsers ignore scripts and styles inside a page, because the content policy forbids them"
            hint = "put styles into style.css; a script from another website needs `policy` in library.yaml"
            reader.report(warning("invalid-library", source.span(*inline.span()), message, hint))
        yield name, source.text


def _macros(template: str) -> dict[str, list[str]]:
    from jinja2 import Environment
    from jinja2.nodes import Macro

    macros = Environment(autoescape=True).parse(template).find_all(Macro)
    return {macro.name: [argument.name for argument in macro.args] for macro in macros}


def _words(root: Path, report: Report) -> Iterator[Words]:
    for file in yaml_files(root / WORDS_FOLDER, root.resolve()):
        _, data = read_data(file, "invalid-library", "strings", report)
        reader = DataReader(data, "invalid-library", report)
        if not is_language(file.stem):
            message = f'"{file.stem}" is not a language code, so no page uses these words'
            reader.refuse((), message, "name the file after a language: de.yaml, pt.yaml")
            continue
        shipped = read_strings(file.stem)
        known: dict[str, Sentence] = shipped["pages"] | shipped["scripts"]
        sentences = []
        for key, value in data.value.items():
            forms = {"": value} if isinstance(value, str) else value
            if key not in known:
                hint = did_you_mean(key, known, "see all keys on the page Words of the manual (kismet docs)")
                reader.refuse((key,), f'the website has no words with the key "{key}"', hint)
            elif fault := _fault_of_words(forms, known[key]):
                reader.refuse((key,), *fault)
            else:
                sentences.append((key, tuple(sorted(forms.items()))))
        if file.stem not in languages() and (missing := len(known) - len(sentences)):
            message = f"{missing} of {len(known)} texts of the website are not translated here and stay in English"
            hint = "see all keys on the page Words of the manual (kismet docs)"
            report(warning("invalid-library", data.span_of(), message, hint))
        yield Words(file.stem, tuple(sentences))


def _fault_of_words(forms: Mapping[str, str], known: Sentence) -> tuple[str, str] | None:
    wanted = arguments_of(known)
    if "" not in forms and COUNT not in wanted:
        return "this text has no number to choose a plural form by", "write a single text"
    for form in forms.values():
        try:
            parts = [part for part in Formatter().parse(form) if part[1] is not None]
        except ValueError:
            return "there is an unmatched brace", "write {{ or }} for a brace in the text"
        for _, name, spec, conversion in parts:
            if name not in wanted:
                named = ", ".join(f"{{{argument}}}" for argument in sorted(wanted)) or "none"
                return f"this text has no argument {{{name}}}", f"its arguments: {named}"
            if spec or conversion:
                return f"{{{name}}} has something after the name", f"write only {{{name}}}"
    return None
