"""Statblocks: code blocks with the info string `statblock` and YAML content (Obsidian's Fantasy Statblocks)."""

from dataclasses import replace
from pathlib import Path

from markdown_it.token import Token

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Diagnostic, Severity, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import MappedText, ParseState
from kismet_build.parse.markdown.yaml_values import MAX_LEVELS, ValueReader, YamlValue, hide_links, show_links

KEYS = {
    use: frozenset(keys.split())
    for use, _, keys in (
        line.partition(":") for line in Path(__file__).with_name("statblock_keys.txt").read_text("utf-8").splitlines()
    )
}
OPTIONS = KEYS["options"]
"""Keys, in lower case, that are options of the plugin rather than properties."""
EXTENDS_KEYS = KEYS["extends"]
"""Keys whose value names one or more other statblocks from which this one takes properties."""


def statblock(parser: Parser) -> None:
    """Add the rule."""
    parser.transforms.append(_read_statblocks)


def _read_statblocks(tokens: list[Token], state: ParseState) -> None:
    """Turn statblock code blocks into tokens with values. A statblock that cannot be read stays a code block."""
    for token in tokens:
        if token.type == "fence" and token.info.split()[:1] == ["statblock"]:
            value = _Reader(token, state).read()
            if value is not None:
                token.type, token.meta["statblock"] = "statblock", value


class _Reader:
    def __init__(self, token: Token, state: ParseState) -> None:
        self.state = state
        self.content = _content(token, state.source)
        self.yaml_source = Source(state.source.path, hide_links(token.content))
        self.span = state.source.span(*token.meta["span"])

    def read(self) -> YamlValue | None:
        """The properties of the statblock as a map; `None` if an error was reported."""
        data = yaml.parse(self.yaml_source, self.report, "invalid-statblock", on_duplicate=self.report_duplicate)
        if data is None:
            return None
        if not isinstance(data.value, dict) or not data.value:
            first = self.state.source.span(self.span.start, self.span.start + len(self.span.text.split("\n", 1)[0]))
            message = "this statblock has no properties, so it is shown as written"
            self.state.report(warning("invalid-statblock", first, message, "write them as name: value"))
            return None
        return ValueReader(self.content).value(data.node, MAX_LEVELS)

    def report(self, diagnostic: Diagnostic) -> None:
        """Report an error from the YAML parser. Only this statblock is affected."""
        span = self.source_span(diagnostic.span.start, diagnostic.span.end)
        message = f"{diagnostic.message}; the statblock is shown as written"
        self.state.report(replace(diagnostic, severity=Severity.WARNING, span=span, message=message))

    def report_duplicate(self, key: str, span: Span, _first: Span) -> None:
        message = f'the key "{show_links(key)}" occurs twice; the first one counts'
        self.state.report(warning("invalid-statblock", self.source_span(span.start, span.end), message))

    def source_span(self, start: int, end: int) -> Span:
        return self.state.source.span(*self.content.source_range(start, end))


def _content(token: Token, source: Source) -> MappedText:
    """The content of a code block, mapped to the source. Each line of it is the end of a source line."""
    assert token.map is not None
    segments = []
    position = 0
    # An unclosed block may end without a line end, or without a line.
    lines = token.content.removesuffix("\n").split("\n") if token.content else []
    for number, line in enumerate(lines, token.map[0] + 1):
        end = source.line_starts[number] + len(source.line(number + 1))
        segments.append((position, max(end - len(line), 0)))
        position += len(line) + 1
    return MappedText(token.content, tuple(segments))
