"""Read the files of a served library, to compare them with those of a build."""

import re
from collections.abc import Collection, Mapping

from kismet_build.render.site.outputs import paths
from kismet_build.serve.served_library import ServedLibrary

UNSERVED = re.compile(r"sw\.js|(assets/.*-)?offline\.json|assets/pagefind/.*|data/manifest\.json|data/index\.json")
"""Files that list or describe all others, and the data index with digests; only a build has them."""


def served_paths(library: ServedLibrary) -> set[str]:
    version = library.newest
    if version is None:
        return set()
    return {*version._shared, *(path for pack in version.packs.values() for path in paths(pack))}


def served_files(library: ServedLibrary, asked: Collection[str] | None = None) -> dict[str, bytes]:
    """Return the newest version's files at these paths (default: all), except those that only a build has."""
    answers = {path: library.answer(path)() for path in (served_paths(library) if asked is None else asked)}
    return built_files({path: answer for path, answer in answers.items() if isinstance(answer, bytes)})


def built_files(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in tree.items() if not UNSERVED.fullmatch(path)}
