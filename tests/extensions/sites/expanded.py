"""Expand a text in memory, for tests."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.source import Source
from kismet_build.parse import Expand
from kismet_build.parse.composition import Inputs


class Expanded(NamedTuple):
    source: Source
    text: str
    messages: list[str]
    """`code path:line message` of each diagnostic."""
    is_same: bool
    """Whether the expander returned the source itself."""


def expand(
    expander: Expand,
    text: str,
    files: Mapping[str, str] | None = None,
    variables: Mapping[str, Any] | None = None,
    path: str = "texts/page.md",
) -> Expanded:
    """Expand a text next to other files, given by their paths. A path that ends with `/` is a folder."""
    given = files or {}
    sources = {name: Source(name, content) for name, content in given.items()}

    def fault(name: str) -> str:
        return "it is a folder" if f"{name}/" in given else "it does not exist"

    source = Source(path, text)
    found: list[Diagnostic] = []
    result = expander(source, Inputs(sources.get, variables or {}, fault), found.append)
    messages = []
    for diagnostic in found:
        span = diagnostic.span.original
        line, _ = span.source.line_and_column(span.start)
        messages.append(f"{diagnostic.code} {span.source.path}:{line} {diagnostic.message}")
    return Expanded(result, result.text, messages, result is source)
