"""Replace what a text in MDX takes from elsewhere: imported texts, exported constants, and paths of files.

https://docusaurus.io/docs/markdown-features/react#importing-markdown
"""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath

from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.inclusion import Inclusion
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.shortcodes import outside_code

IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Z]\w*)[ \t]+from[ \t]+['\"](?P<path>(?:\.{1,2}|@site)/[^'\"\n]+\.mdx?)['\"]",
    re.MULTILINE,
)
CONSTANT = re.compile(
    r"^export[ \t]+const[ \t]+(?P<name>\w+)[ \t]*=[ \t]*"
    r"(?:(?P<number>-?\d[\d.]*)|'(?P<single>[^'\\\n]*)'|\"(?P<double>[^\"\\\n]*)\")[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
USE = re.compile(
    r"(?P<code>`[^`\n]{1,500}`)|<(?P<component>[A-Z]\w*)(?P<attributes>(?:\s[^<>]{0,500}?)?)/>"
    r"|(?<!\\)\{(?P<value>[\w.]{1,100})\}"
    r"|(?<==)\{(?:require|useBaseUrl)\(\s*['\"](?P<file>[^'\"\n]{1,500})['\"]\s*\)(?:\.default)?\}"
)
FILES = ("{require(", "{useBaseUrl(")
STATIC = "@site/static/"
"""The folder of the files that the site has at its root."""
ATTRIBUTE = re.compile(r"(?P<key>[\w-]+)=(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|\{(?P<number>-?\d[\d.]*)\})")
SITE = "@site/"
"""The prefix of a path that is relative to the folder of the project file."""
OPTION = "site_folder"
"""The option with the path from the folder of the texts to the folder of the project file."""


def expand_docusaurus(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace imported texts, names of constants, and paths in code. Returns the same source if it has none."""
    has_files = any(mark in source.text for mark in FILES)
    if not has_files and IMPORT.search(source.text) is None and CONSTANT.search(source.text) is None:
        return source
    inclusion = Inclusion(source, inputs, report)
    _add(source, 0, inclusion, {})
    return inclusion.text.source(source)


def _add(source: Source, start: int, inclusion: Inclusion, given: Mapping[str, str]) -> None:
    """Add the text of a source from this offset on. `given`: values by name, such as `props.name`."""
    text = inclusion.text
    paths = {found["name"]: found["path"] for found in outside_code(source.text, IMPORT)}
    values = {**given, **_constants(source.text)}
    for found in outside_code(source.text, USE):
        if found.start() < start:
            continue
        span = source.span(*found.span())
        if found["component"] in paths:
            text.add(source.span(start, span.start))
            path = _path(paths[found["component"]], source, inclusion.inputs)
            with inclusion.file([path], span) as part:
                if part is not None:
                    _add(part, frontmatter(part, ignore).start, inclusion, _attributes(found["attributes"]))
            start = span.end
        elif found["file"]:
            text.add(source.span(start, span.start))
            path = found["file"]
            text.replace(span, f'"/{path.removeprefix(STATIC)}"' if path.startswith(STATIC) else f'"{path}"')
            start = span.end
        elif found["value"] in values:
            text.add(source.span(start, span.start))
            text.replace(span, values[found["value"]])
            start = span.end
    text.add(source.span(start, len(source.text)))


def _path(written: str, source: Source, inputs: Inputs) -> str:
    if written.startswith(SITE):
        return normpath(join(str(inputs.variables.get(OPTION, "")), written.removeprefix(SITE)))
    return normpath(join(dirname(source.path), written))


def _constants(text: str) -> dict[str, str]:
    found = outside_code(text, CONSTANT)
    return {
        constant["name"]: constant["number"] or constant["single"] or constant["double"] or "" for constant in found
    }


def _attributes(text: str) -> dict[str, str]:
    found = ATTRIBUTE.finditer(text)
    return {f"props.{each['key']}": each["double"] or each["single"] or each["number"] or "" for each in found}
