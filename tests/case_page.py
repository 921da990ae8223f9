"""Read and rewrite test pages: Markdown files with inputs and expected outputs in four-backtick fences."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse import NO_OPTIONS, expand, read
from kismet_build.parse.composition import Inputs

PAGES = Path(__file__).parent / "pages"
FENCE = "````"


def page_files() -> list[Path]:
    return sorted(PAGES.rglob("*.md"))


@dataclass(frozen=True, slots=True)
class Fence:
    """One input or expected output."""

    info: tuple[str, ...]
    """The words after the opening fence. Everything after the second word is one name, including spaces."""
    text: str
    first: int
    """The line after the opening fence, counted from 0."""
    end: int
    """The line of the closing fence, counted from 0."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a test page: a statement with its inputs and expected outputs."""

    page: Path
    title: str
    line: int
    """The line of its heading, counted from 0."""
    fences: tuple[Fence, ...]
    shows_hints: bool
    """Whether the page lists hints below its diagnostics; if so, hints are compared in all of its cases."""

    def inputs(self, sort: str) -> tuple[Fence, ...]:
        return tuple(fence for fence in self.fences if fence.info[0] == sort)

    @property
    def included(self) -> dict[str, str]:
        return {fence.info[2]: fence.text for fence in self.inputs("adoc") if fence.info[1] == "included"}


def read_expanded(
    source: Source,
    dialect: str,
    included: Mapping[str, str],
    report: Report,
    options: Mapping[str, Any] = NO_OPTIONS,
) -> Document:
    sources = {path: Source(path, text) for path, text in included.items()}
    inputs = Inputs(sources.get, options, lambda _: "the file does not exist")
    return read(expand(source, dialect, inputs, report), dialect, report, options)


def is_page(file: Path) -> bool:
    return file.suffix == ".md" and file.is_relative_to(PAGES)


def read_page(page: Path) -> list[Case]:
    text = page.read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").parse(text)
    titles: list[tuple[str, int]] = []
    fences: list[list[Fence]] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            assert token.map is not None
            titles.append((tokens[place + 1].content, token.map[0]))
            fences.append([])
        elif token.type == "fence" and token.level == 0 and token.markup.startswith(FENCE):
            assert titles, f"{page}: there is a fence before the first case"
            fences[-1].append(_fence(token, page, text))
    assert len({title for title, _ in titles}) == len(titles), f"{page}: two cases have the same heading"
    shows_hints = any(
        line.lstrip().startswith("hint:")
        for case in fences
        for fence in case
        if fence.info[0] == "diagnostics"
        for line in fence.text.split("\n")
    )
    return [Case(page, *title, tuple(own), shows_hints) for title, own in zip(titles, fences, strict=True)]


def _fence(token: Token, page: Path, text: str) -> Fence:
    assert token.map is not None
    first, end = token.map[0] + 1, token.map[1] - 1
    closing = text.split("\n")[end]
    assert end >= first, f"{page}:{first}: this fence is never closed"
    assert closing.strip() == token.markup, f"{page}:{first}: this fence is never closed"
    info = tuple(token.info.split(maxsplit=2))
    assert info, f"{page}:{first}: this fence has no info string"
    return Fence(info, token.content, first, end)


def rewrite(case: Case, info: tuple[str, ...], text: str) -> None:
    fresh = next(current for current in read_page(case.page) if current.title == case.title)
    fence = next(candidate for candidate in fresh.fences if candidate.info == info)
    lines = case.page.read_text(encoding="utf-8").split("\n")
    lines[fence.first : fence.end] = text.split("\n") if text else []
    case.page.write_text("\n".join(lines), encoding="utf-8")
