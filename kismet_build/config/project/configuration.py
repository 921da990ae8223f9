"""Read the configuration of a site generator as data only: no code in it runs."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.data_file import UsageError
from kismet_build.model.diagnostic import Related, Report, Severity, info, warning
from kismet_build.model.source import Source, Span, encoding_fault, read_source

CODE = "invalid-project"
"""The code of the diagnostics about a project file."""
MAX_MEGABYTES = 2
"""Maximum size of a project file, in megabytes."""
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
        self._left_out: list[str] = []
        """Entries of the navigation for `report_left_out`."""

    def with_value(self, value: Any) -> "Configuration":
        """A configuration with other values from the same file."""
        configuration = Configuration(self.file, self.source, value, self.report, self._data)
        configuration._left_out = self._left_out
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

    def span(self, *keys: str) -> Span:
        """The span of a value. In TOML, it is the only line that assigns the last key, or the start of the file."""
        if self._data is not None:
            return self._data.span_of(*keys)
        lines = [*re.finditer(rf'^[ \t]*"?{re.escape(keys[-1])}"?[ \t]*=.*$', self.source.text, re.MULTILINE)]
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

    def patterns(self, *keys: str) -> tuple[str, ...]:
        """The patterns of texts that are not published, as in `lines`. Raises `UsageError` for a wrong type."""
        if not isinstance(self._at(keys), str | list | None):
            raise unknown_privacy(self.file, f"`{'.'.join(keys)}` is not a list")
        return self.lines(*keys)

    def _at(self, keys: Iterable[str]) -> Any:
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def _wrong(self, keys: tuple[str, ...], expected: str, instead: Any) -> Any:
        self.report(warning(CODE, self.span(*keys), f"`{'.'.join(keys)}` is not {expected}, so it is ignored"))
        return instead


def unknown_privacy(file: Path, reason: str) -> UsageError:
    """The error for a project file that may name private texts but cannot be read."""
    return UsageError(f"{file}: {reason}, so kismet cannot tell which texts are private")


def read_text(file: Path, report: Report, root: Path | None = None) -> Source | None:
    """Read a file that belongs to a project.

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
    """Read a YAML, TOML or JSON file.

    If it cannot be read, that is reported and the result is `None`. `root`: as in `read_text`.
    """
    source = read_text(file, report, root)
    if source is None:
        return None
    return (_toml if file.suffix == ".toml" else _yaml)(file, source, report)


def _yaml(file: Path, source: Source, report: Report) -> Configuration | None:
    plain = LOCAL_TAG.sub(lambda tag: " " * len(tag[0]), source.text)
    # Tags become spaces, which keeps all offsets. Generators accept a repeated key; here, the first value is used.
    readable = Source(source.path, plain, display_path=source.display_path)
    data = yaml.parse(readable, _as_warning(report), CODE, on_duplicate=lambda *_: None)
    if data is None:
        return None
    return Configuration(file, readable, data.value, report, data)


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
