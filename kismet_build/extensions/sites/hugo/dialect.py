"""The Markdown of Hugo: Goldmark, and the shortcodes of Hugo and of its usual themes."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from posixpath import dirname, join, normpath, split, splitext
from typing import Any
from urllib.parse import quote

from kismet_build.config.sources.defaults import Defaults, cascade, properties_by_default
from kismet_build.extensions.sites.hugo.shortcode import shortcode
from kismet_build.extensions.sites.hugo.shortcodes import expand_own_shortcodes
from kismet_build.extensions.sites.shared.inclusion import Inclusion
from kismet_build.extensions.sites.shared.rules import SHARED, typographic_symbols, with_options
from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.rules.attribute_list import block_attributes
from kismet_build.parse.markdown.rules.bare_address import bare_address
from kismet_build.parse.markdown.rules.box import alert
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.lists import definition
from kismet_build.parse.markdown.rules.marks import single_tilde, strikethrough

# --- shortcodes whose result is part of the Markdown: references, parameters and included files
#
# Hugo runs these shortcodes before it reads the Markdown, also in code: https://gohugo.io/content-management/shortcodes/.
# The rules of the dialect read all other shortcodes.

NAMES = ("ref", "relref", "param", "include", "readfile", "readFile")
SHORTCODE = re.compile(
    rf"\{{\{{[<%][ \t]{{0,9}}(?P<name>{'|'.join(NAMES)})[ \t]+(?P<arguments>[^\n]{{1,500}}?)[ \t]*/?[>%]\}}\}}"
)
ARGUMENT = re.compile(r'(?:(\w+)[ \t]*=[ \t]*)?(?:"([^"]*)"|`([^`]*)`|([^\s"`]+))')
TEXT_SUFFIXES = (".md", ".markdown", ".adoc", ".html")
CONTENT = "content"
"""The name of the folder with all texts of a site of Hugo."""


def expand_hugo(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace references, parameters, included files and the site's own shortcodes.

    Returns the same source if there are none.
    """
    if SHORTCODE.search(source.text) is not None:
        composer = _Composer(Inclusion(source, inputs, report))
        composer.add(source, 0)
        source = composer.inclusion.text.source(source)
    return expand_own_shortcodes(source, inputs, _content_folder(source.path), report)


class _Composer:
    def __init__(self, inclusion: Inclusion) -> None:
        self.inclusion = inclusion
        self.page = inclusion.source
        self.content = _content_folder(self.page.path)
        """The path of the folder with all texts."""
        folder, name = split(self.page.path)
        # A page in its own folder, `storm/index.md`, counts as `storm.md` in the folder above.
        self.folders = [dirname(folder) if name.startswith("index.") else folder]
        """The folders that a path may be relative to: from the folder of the page up to the folder of all texts."""
        while self.folders[-1] not in ("", self.content):
            self.folders.append(dirname(self.folders[-1]))
        self._parameters: Mapping[str, Any] | None = None
        self._passed: Mapping[str, Any] = {}
        """The properties that the page inherits from the folders around it or from the site."""

    def add(self, source: Source, start: int) -> None:
        text = self.inclusion.text
        for found in SHORTCODE.finditer(source.text, start):
            text.add(source.span(start, found.start()))
            span, start = source.span(*found.span()), found.end()
            given = {name or "path": first or second or third for name, first, second, third in _arguments(found)}
            path = given.get("path") or given.get("file") or given.get("name") or ""
            match found["name"]:
                case "ref" | "relref":
                    text.replace(span, self._target(path))
                case "param":
                    text.replace(span, self._parameter(path, span))
                case _:
                    self._include(path, span)
        text.add(source.span(start, len(source.text)))

    def _include(self, path: str, span: Span) -> None:
        folders = (self.content, dirname(self.content)) if path.startswith("/") else (*self.folders, "")
        paths = [normpath(join(folder, path.lstrip("/"))) for folder in folders]
        with self.inclusion.file([*paths, *(f"{path}.md" for path in paths)], span) as source:
            if source is not None:
                self.add(source, frontmatter(source, ignore, json_properties=True).start)

    def _target(self, reference: str) -> str:
        """The link target for the text that a reference names: its path from the folder of the game."""
        name, mark, fragment = reference.partition("#")
        ending = mark + quote(fragment)
        if not name:
            return ending
        for folder in [self.content] if name.startswith("/") else self.folders:
            path = normpath(join(folder, name.strip("/")))
            forms = (
                (path,)
                if splitext(path)[1] in TEXT_SUFFIXES
                else (f"{path}.md", f"{path}/_index.md", f"{path}/index.md")
            )
            for form in map(normpath, forms):
                if self.inclusion.inputs.read(form) is not None:
                    return quote(f"/{form}") + ending
        return (quote(name.strip("/")) or "/") + ending  # a name, which may belong to a text in any folder

    def _passed_down(self) -> Iterator[Defaults]:
        """The properties to inherit: from the innermost folder outwards, then from the site."""
        for folder in self.folders:
            index = self.inclusion.inputs.read(normpath(join(folder, "_index.md")))
            properties = frontmatter(index, ignore, json_properties=True).data if index is not None else None
            yield from cascade(_by_name(properties, "cascade"))
        yield from cascade(self.inclusion.inputs.variables.get("cascade"))

    def _parameter(self, name: str, span: Span) -> str:
        if self._parameters is None:
            self._parameters = frontmatter(self.page, ignore, json_properties=True).data or {}
            path = self.page.path.removeprefix(f"{self.content}/")
            self._passed = properties_by_default(path, self._passed_down())
        of_page, above, of_site = self._parameters, self._passed, self.inclusion.inputs.variables.get("params")
        for values in (of_page, of_page.get("params"), above, above.get("params"), of_site):
            value: Any = values
            for part in name.split("."):
                value = _by_name(value, part)
            if isinstance(value, (str, int, float)):
                return str(value).lower() if isinstance(value, bool) else str(value)
        message = f'neither the page nor the site has the parameter "{name}", so nothing is shown'
        self.inclusion.report(info("foreign-markup", span, message))
        return ""


def _arguments(shortcode: re.Match[str]) -> list[tuple[str, str, str, str]]:
    return ARGUMENT.findall(shortcode["arguments"])


def _content_folder(path: str) -> str:
    """The path of the folder `content`, which has all texts of the site; empty without such a folder."""
    folders = dirname(path).split("/")
    return "/".join(folders[: folders.index(CONTENT) + 1]) if CONTENT in folders else ""


def _by_name(values: Any, name: str) -> Any:
    """The value with this name. Hugo ignores the case of names."""
    if not isinstance(values, Mapping):
        return None
    return next((value for key, value in values.items() if str(key).casefold() == name.casefold()), None)


HUGO = SHARED.plus(
    "hugo",
    strikethrough,
    single_tilde,
    alert,
    bare_address,
    definition,
    footnote,
    shortcode,
    typographic_symbols,
    block_attributes,
    heading_id=github_id,
    code_attributes=True,
    json_properties=True,
    code_shortcodes=True,
    www_protocol="https",
)


dialect = dialect_functions(partial(with_options, HUGO), expand_hugo)
"""If the option `emoji` is true, `:dragon:` is an emoji."""
