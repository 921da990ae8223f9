"""Replace links that embed files in texts for Docsify: `[name](file.md ':include')` alone on a line.

The date of the last change, `{docsify-updated}`, and `{docsify-ignore}` on a line of its own are left out. The title
of a tab, `<!-- tab:Title -->`, is shown.

https://docsify.js.org/#/embed-files
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath, splitext

from kismet_build.model.diagnostic import Diagnostic, Report, info, warning
from kismet_build.model.nodes import is_url
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in
from kismet_build.parse.inclusion import Inclusion
from kismet_build.parse.markdown.frontmatter import frontmatter

EMBED = re.compile(
    r"^[ \t]{0,3}\[[^\]\n]{0,500}\]\([ \t]{0,9}<?(?P<path>[^\s()<>]{1,500})>?[ \t]{1,9}"
    r"""(?P<quote>["'])(?P<options>[ \t]{0,9}:include(?:[ \t][^"'\n]{0,300})?)(?P=quote)[ \t]{0,9}\)[ \t]{0,99}$\n?""",
    re.MULTILINE,
)
DATE = "{docsify-updated}"
IGNORED = re.compile(r"[ \t]{0,3}(?:<!--[ \t]*)?\{docsify-ignore(?:-all)?\}(?:[ \t]*-->)?\s*")
TAB = re.compile(r"[ \t]{0,3}<!--[ \t]*tab:[ \t]*(?P<title>[^\n<>]{1,200}?)[ \t]*-->\s*", re.IGNORECASE)
MARK = re.compile(r"\{docsify-|<!--[ \t]*tab:", re.IGNORECASE)
OPTION = re.compile(r":(?P<name>[\w-]+)(?:=(?P<value>\S+))?")
FENCE = re.compile(r"[ \t]{0,99}(?P<fence>`{3,}|~{3,})")
FRAGMENT = re.compile(r"(?:###|///)[ \t]{0,9}\[(?P<name>[^\]\n]{1,200})\]")
"""The line before and after a named part of a file."""
MARKDOWN = (".md", ".markdown")
SHOWN_OTHERWISE = (".html", ".htm", ".mp3", ".mp4", ".ogg", ".wav", ".webm")
"""Suffixes of web pages and recordings, which are linked rather than included."""


def expand_docsify(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace links that embed files, and other marks. Returns the same source if it has neither."""
    has_files = ":include" in source.text and EMBED.search(source.text) is not None
    if not has_files and MARK.search(source.text) is None:
        return source
    inclusion = Inclusion(source, inputs, report)
    _add(list(lines_in(source)), inclusion)
    return inclusion.text.source(source)


def _add(lines: Iterable[Span], inclusion: Inclusion) -> None:
    """Add lines of a text, and the files that they embed. Lines in code blocks embed nothing."""
    fence = ""
    for line in lines:
        if (found := FENCE.match(line.text)) is not None:
            if not fence:
                fence = found["fence"]
            elif found["fence"].startswith(fence):
                fence = ""
        embed = EMBED.fullmatch(line.text) if not fence and ":include" in line.text else None
        if embed is None or not _embed(embed, line, inclusion):
            _add_line(line, bool(fence), inclusion)


def _add_line(line: Span, is_code: bool, inclusion: Inclusion) -> None:
    source, start = line.source, line.start
    if not is_code and IGNORED.fullmatch(line.text) is not None:
        start = line.end - line.text.endswith("\n")
    elif not is_code and (tab := TAB.fullmatch(line.text)) is not None:
        inclusion.text.replace(line, f"\n**{tab['title'].strip('*')}**\n\n")
        return
    while not is_code and (at := source.text.find(DATE, start, line.end)) >= 0:
        end = at + len(DATE)
        if source.text.count("`", line.start, at) % 2:
            inclusion.text.add(source.span(start, end))
        else:
            inclusion.text.add(source.span(start, at))
            message = f"kismet does not know when a text was changed, so {DATE} is left out"
            inclusion.report(info("foreign-markup", source.span(at, end), message))
        start = end
    inclusion.text.add(source.span(start, line.end))


def _embed(embed: re.Match[str], line: Span, inclusion: Inclusion) -> bool:
    """Add an embedded file: Markdown as it is, any other text as code. Returns `False` if the link must stay."""
    path, options = embed["path"], dict(OPTION.findall(embed["options"]))
    suffix = splitext(path)[1].casefold()
    kind = options.get("type", "markdown" if suffix in MARKDOWN else "code")
    if is_url(path) or kind not in ("markdown", "code") or ("type" not in options and suffix in SHOWN_OTHERWISE):
        return False
    folder = "" if path.startswith("/") else dirname(line.source.path)
    with inclusion.file([normpath(join(folder, path.lstrip("/")))], line) as source:
        if source is None:
            return True
        start = frontmatter(source, _ignore).start if kind == "markdown" else 0
        lines = [part for part in lines_in(source) if part.start >= start]
        if fragment := options.get("fragment", ""):
            lines = list(_fragment(lines, fragment))
            if not lines:
                message = f'this include shows nothing: the file has no part "{fragment}"'
                inclusion.report(warning("unresolved-include", line, message))
        if kind == "code":
            inclusion.add_code(line, suffix.removeprefix("."), source, lines)
        else:
            _add(lines, inclusion)
            inclusion.end_line(source, lines)
    return True


def _fragment(lines: Iterable[Span], name: str) -> Iterator[Span]:
    is_inside = False
    for line in lines:
        mark = FRAGMENT.search(line.text)
        if mark is not None and mark["name"] == name:
            if is_inside:
                return
            is_inside = True
        elif is_inside:
            yield line


def _ignore(_: Diagnostic) -> None:
    """Ignore a diagnostic, because the parser reports it later."""
