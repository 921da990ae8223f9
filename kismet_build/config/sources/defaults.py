"""Properties that a configuration gives to many texts: `defaults` of Jekyll, `cascade` of Hugo."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, splitext
from typing import Any, NamedTuple

from kismet_build.config.discovery import path_matches, patterns_without_braces


class Defaults(NamedTuple):
    """Default properties for some texts. A text's own properties take precedence."""

    values: Mapping[str, Any]
    paths: tuple[str, ...] = ()
    """Glob patterns in lower case, one of which must match a form of the path (`_names`); empty for all texts."""
    kinds: tuple[str, ...] = ()
    """Glob patterns, one of which must match a name of `_kinds`; empty for all texts."""
    languages: tuple[str, ...] = ()
    """Glob patterns, one of which must match the language; empty for all texts."""

    def hold_for(self, path: str, language: str = "") -> bool:
        """Whether the text at this path has these properties. An empty `language` matches every pattern."""
        return (
            (not self.paths or any(path_matches(name, pattern) for name in _names(path) for pattern in self.paths))
            and _any_matches(_kinds(path), self.kinds)
            and (not language or _any_matches((language,), self.languages))
        )


class GivenProperties(NamedTuple):
    """The sources of the properties that texts do not set themselves."""

    defaults: tuple[Defaults, ...] = ()
    """Defaults from the configuration. For each property, the first that has it is used."""
    passed_down: str = ""
    """The property by which an `_index` sets properties of all texts in its folder, such as `cascade`."""
    language: str = ""
    """The language of the texts, if the site has several."""


def properties_by_default(path: str, defaults: Iterable[Defaults], language: str = "") -> dict[str, Any]:
    """The default properties of the text at a path.

    For each property, the first of the `defaults` that has it is used.
    """
    found: dict[str, Any] = {}
    for entry in defaults:
        if entry.hold_for(path, language):
            found = {**entry.values, **found}
    return found


def cascade(value: Any) -> tuple[Defaults, ...]:
    """Read the properties that a text or a configuration passes down: a map, or a list of maps with targets."""
    return tuple(_passed_down(entry) for entry in (value if isinstance(value, list) else [value]) if _is_map(entry))


def _passed_down(entry: Mapping[str, Any]) -> Defaults:
    targets = [entry[key] for key in ("_target", "target") if _is_map(entry.get(key))]
    target = {str(key).casefold(): str(value) for of_key in targets for key, value in of_key.items()}
    values = {str(key): value for key, value in entry.items() if key not in ("_target", "target")}
    patterns = (glob_patterns(target[key]) if target.get(key) else () for key in ("path", "kind", "lang"))
    return Defaults(values, *patterns)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def glob_patterns(pattern: str) -> tuple[str, ...]:
    """Translate a glob pattern with `{a,b}` and stars that match slashes, into patterns for `path_matches`."""
    found = patterns_without_braces(pattern.casefold().strip("/"))
    # Two stars within a name also match slashes; two stars at the end match at least one name.
    inside = [re.sub(r"(?<=[^/*])\*\*|\*\*(?=[^/*])", "*/**/*", name) for name in found]
    return tuple(dict.fromkeys(re.sub(r"(?:^|(?<=/))\*\*$", "**/*", name.strip("/")) for name in [*found, *inside]))


def _names(path: str) -> Sequence[str]:
    """The forms of a path that patterns may match: with and without suffix and, for an index, the folder."""
    folded = path.casefold()
    stem = splitext(folded)[0]
    is_index = basename(stem) in ("index", "_index")
    return (folded, stem, stem.rpartition("/")[0]) if is_index else (folded, stem)


def _kinds(path: str) -> tuple[str, ...]:
    """The kinds that a path implies: that of the page, and the collection whose folder begins with `_`."""
    collection = next((folder[1:] for folder in path.split("/")[:-1] if folder.startswith("_")), "pages")
    if not basename(path).startswith("_index."):
        return ("page", collection)
    return ("section", "taxonomy", "term") if "/" in path else ("home",)


def _any_matches(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
