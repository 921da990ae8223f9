"""Read the configuration of a site generator as data only: no code in it runs."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.data_file import UsageError, unknown_privacy
from kismet_build.model.diagnostic import Diagnostic, Related, Report, Severity, info, warning
from kismet_build.model.source import Source, Span, encoding_fault, read_source

CODE = "invalid-project"
"""The code of the diagnostics about a project file."""
MAX_MEGABYTES = 2
"""Maximum size of a project file, in megabytes."""
CODE_SUFFIXES = (".ts", ".js", ".mjs", ".cjs")
"""Suffixes of programs, of which a source reads the text: they have no values."""
MAX_PATH = 250
"""Maximum number of characters of a path in a project file."""
LOCAL_TAG = re.compile(r"(?<=[\s,\[{])!(?!!)[A-Za-z]\w*(?=\s)")
"""A YAML tag that only the loader of a generator knows, such as `!ENV`. The value is read as if it had no tag."""
TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


class Configuration:
    """The values of a configuration file. A value of the wrong type is reported and replaced by an empty value."""

    def __init__(self, file: Path, source: Source, value: Any, report: Report, data: yaml.Data | None = None) -> None:
        self.file = file
        self.source = source
        self.value: dict[str, Any] = value if isinstance(value, dict) else {}
        self.report = report
        self._data = data
        self._tags: Sequence[int] = ()
        """The offsets of values with types that only the generator knows."""
        self._left_out: list[str] = []
        """Entries of the navigation for `report_left_out`."""

    def with_value(self, value: Any) -> "Configuration":
        """A configuration with other values from the same file."""
        configuration = Configuration(self.file, self.source, value, self.report, self._data)
        configuration._left_out, configuration._tags = self._left_out, self._tags
        return configuration

    def below(self, key: str) -> "Configuration":
        return self.with_value(self.mapping(key))

    def leave_out(self, entry: str) -> None:
        """Remember an entry of the navigation for `report_left_out`."""
        self._left_out.append(entry)

    def report_left_out(self) -> None:
        """Report the entries that `leave_out` remembered, in one diagnostic."""
        position, spans = 0, []
        for entry in self._left_out:
            found = self.source.text.find(entry, position)
            position = max(found, position)
            spans.append(self.source.span(position, position + len(entry) if found >= 0 else position))
        words = f"{len(spans)} entries of the navigation lead to other websites, so they are left out"
        if len(spans) == 1:
            words = f'the entry "{self._left_out[0]}" of the navigation leads to another website, so it is left out'
        for span in spans[:1]:
            self.report(info(CODE, span, words, related=tuple(Related(other, "also here") for other in spans[1:])))

    def span(self, *keys: str | int) -> Span:
        """The span of a value. In TOML, it is the only line that assigns the last key, or the start of the file."""
        if self._data is not None:
            return self._data.span_of(*keys)
        lines = [*re.finditer(rf'^[ \t]*"?{re.escape(str(keys[-1]))}"?[ \t]*=.*$', self.source.text, re.MULTILINE)]
        return self.source.span(*lines[0].span()) if len(lines) == 1 else self.source.span(0, 0)

    def text(self, *keys: str) -> str:
        """The string or number at these keys, on one line; empty if the value is missing."""
        value = self._at(keys)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return " ".join(str(value).split())
        return "" if value in (None, True, False) else self._wrong(keys, "a text", "")

    def mapping(self, *keys: str) -> dict[str, Any]:
        """The mapping at these keys; empty if the value is missing."""
        value = self._at(keys)
        return value if isinstance(value, dict) else {} if value is None else self._wrong(keys, "a mapping", {})

    def lines(self, *keys: str) -> tuple[str, ...]:
        """The list of strings at these keys, or the lines of a single string without comments; empty if the value is
        missing.
        """
        value = self._at(keys)
        if isinstance(value, str):
            return tuple(line for line in map(str.strip, value.splitlines()) if line and not line.startswith("#"))
        items = value if isinstance(value, list) else [] if value is None else self._wrong(keys, "a list", [])
        return tuple(str(item) for item in items if isinstance(item, str | int | float))

    # --- settings that decide about privacy: what is not understood stops the build

    def closed_lines(self, *keys: str) -> tuple[str, ...]:
        """The list of strings at these keys, or the lines of a single string without comments.

        Raises `UsageError` for anything else, and for a value with a type that only the generator knows.
        """
        value = self.closed(*keys)
        if isinstance(value, str):
            return tuple(line for line in map(str.strip, value.splitlines()) if line and not line.startswith("#"))
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.unknown("is not a list of texts", *keys)
        return tuple(value)

    def closed_path(self, *keys: str) -> str:
        """The path at these keys; empty if the value is missing. Raises `UsageError` for anything else."""
        value = self.closed(*keys)
        if not isinstance(value, str | None) or "\0" in (value or "") or len(value or "") > MAX_PATH:
            raise self.unknown("is not a path", *keys)
        return (value or "").strip()

    def closed_mapping(self, *keys: str) -> dict[str, Any]:
        """The mapping at these keys; empty if the value is missing. Raises `UsageError` for anything else."""
        value = self.closed(*keys)
        if not isinstance(value, dict | None):
            raise self.unknown("is not a map", *keys)
        return value or {}

    def closed(self, *keys: str) -> Any:
        """The value at these keys. Raises `UsageError` if only the generator knows its type, such as `!ENV`."""
        span = self.span(*keys)
        if self._at(keys) is not None and any(span.start <= tag <= span.end for tag in self._tags):
            raise self.unknown("has a type that only the generator knows", *keys)
        return self._at(keys)

    def closed_plugin(self, name: str, options: Any) -> "Configuration":
        """The options of a plugin in the list or the map `plugins`. Raises `UsageError` if they are not understood."""
        listed = self.value.get("plugins")
        places = (
            [number for number, item in enumerate(listed) if isinstance(item, dict) and name in item]
            if isinstance(listed, list)
            else []
        )
        span = self.span("plugins", *places[-1:], name)
        if any(span.start <= tag <= span.end for tag in self._tags):
            raise self.unknown(f'has options of "{name}" with a type that only the generator knows', "plugins")
        if not isinstance(options, dict | None):
            raise self.unknown(f'has options of "{name}" that are not a map', "plugins")
        return Configuration(self.file, self.source, options, self.report)

    def check_names(self, *names: str) -> None:
        """Raise `UsageError` for a key that is one of these names in another spelling, such as `exclude-docs`."""
        folded = {_folded(name): name for name in names}
        for key in self.value:
            meant = folded.get(_folded(key), key)
            if meant != key:
                raise self.unknown(f'is no setting; it may mean "{meant}"', key)

    def unknown(self, reason: str, *keys: str) -> UsageError:
        """The error for a setting that may keep texts private but is not understood."""
        place = self.span(*keys) if keys else self.source.span(0, 0)
        name = f"`{'.'.join(keys)}` " if keys else ""
        return self.unknown_at(*place.source.line_and_column(place.start), f"{name}{reason}")

    def unknown_at(self, line: int, column: int, reason: str) -> UsageError:
        """The error for a place that may keep texts private but is not understood."""
        return unknown_privacy(f"{self.file}:{line}:{column}", reason)

    # ---

    def _at(self, keys: Iterable[str]) -> Any:
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def _wrong(self, keys: tuple[str, ...], expected: str, instead: Any) -> Any:
        self.report(warning(CODE, self.span(*keys), f"`{'.'.join(keys)}` is not {expected}, so it is ignored"))
        return instead


def _folded(key: str) -> str:
    return key.casefold().replace("-", "_").replace("_", "").removesuffix("s")


def reject(file: Path) -> Report:
    """A report that raises `UsageError` for a file that cannot be read."""

    def raise_fault(fault: Diagnostic) -> None:
        line, column = fault.span.source.line_and_column(fault.span.start)
        raise unknown_privacy(f"{file}:{line}:{column}", fault.message)

    return raise_fault


def read_text(file: Path, report: Report, root: Path | None = None) -> Source | None:
    """Read a file that belongs to a site.

    If it does not exist or cannot be read, that is reported and the result is `None`. `root` is the folder that the
    file must be in after links are followed; usually its own.
    """
    shown = file.as_posix()
    folder = root or (None if file.name.startswith(".") else file.parent)
    try:
        return read_source(file, file.name, shown, folder, MAX_MEGABYTES)
    except UnicodeDecodeError as failure:
        _, span, message, hint = encoding_fault(failure, file.name, shown)
        report(warning(CODE, span, message, hint))
    except FileNotFoundError:
        message = "this file does not exist, so the navigation follows from the texts"
        report(warning(CODE, Source(file.name, "", display_path=shown).full_span(), message))
    except OSError as failure:
        span = Source(file.name, "", display_path=shown).full_span()
        report(warning(CODE, span, f"this cannot be read: {failure.strerror}"))
    return None


def read_configuration(file: Path, report: Report, root: Path | None = None) -> Configuration | None:
    """Read a YAML, TOML or JSON file, or the text of a file of code.

    If it cannot be read, that is reported and the result is `None`. `root`: as in `read_text`.
    """
    source = read_text(file, report, root)
    if source is None:
        return None
    if file.suffix in CODE_SUFFIXES:
        return Configuration(file, source, {}, report)
    return (_toml if file.suffix == ".toml" else _yaml)(file, source, report)


def _yaml(file: Path, source: Source, report: Report) -> Configuration | None:
    # Tags become spaces, which keeps all offsets.
    plain = LOCAL_TAG.sub(lambda tag: " " * len(tag[0]), source.text)
    readable = Source(source.path, plain, display_path=source.display_path)
    data = yaml.parse(readable, _as_warning(report), CODE, merges=True)
    if data is None:
        return None
    configuration = Configuration(file, readable, data.value, report, data)
    configuration._tags = [tag.start() for tag in LOCAL_TAG.finditer(source.text)]
    return configuration


def _toml(file: Path, source: Source, report: Report) -> Configuration | None:
    import tomllib  # imported on use, because few libraries have TOML

    try:
        value = json.loads(json.dumps(tomllib.loads(source.text), default=str))
    except (ValueError, RecursionError) as problem:
        words, offset = str(problem) or "it is nested too deeply", 0
        if (place := TOML_PLACE.search(words)) is not None:
            words = words[: place.start()]
            offset = min(source.line_starts[int(place[1]) - 1] + int(place[2]) - 1, len(source.text))
        report(warning(CODE, source.span(offset, offset), f"this is not valid TOML: {words}"))
        return None
    return Configuration(file, source, value, report)


def _as_warning(report: Report) -> Report:
    """A report that turns errors into warnings, because the texts are published in spite of them."""
    return lambda diagnostic: report(replace(diagnostic, severity=Severity.WARNING))
