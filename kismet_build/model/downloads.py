"""Names of the packages of a game, and minification of scripts, for pages and exporters."""

import re
from typing import NamedTuple

LINKED_EXPORTS = frozenset({"foundry", "npm", "sqlite", "wheel", "zip"})
"""The exporters with files that the data page of a game links and explains."""
FOUNDRY_MANIFEST = "downloads/module.json"
"""The manifest of the Foundry VTT module, next to its archive; the path is the same for all versions."""
FILE_NAME = re.compile(r"[^A-Za-z0-9.+]+")
"""Characters of a version that become `-` in the name of a file."""
PYTHON_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", re.ASCII)
"""A version that Python accepts as it is (PEP 440)."""
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COMMENT_LINE = re.compile(r"//.*|/\*.*\*/|/\*\*|\*.*")
"""A line of JavaScript that is a comment or a part of a comment.

Lines of code in kismet's scripts never begin with `*`.
"""


class ArchiveNames(NamedTuple):
    """The paths of the archives of a game below its data."""

    zip: str
    npm: str
    wheel: str
    """The path of the wheel. The file name follows the rules for wheels, because pip rejects other names."""
    foundry: str


def archive_names(game: str, version: str) -> ArchiveNames:
    """The paths of the archives of a game below its data."""
    stem = f"downloads/{game}-{FILE_NAME.sub('-', version).strip('-.') or '0'}"
    wheel = f"downloads/{distribution_name(game)}-{python_version(version)}-py3-none-any.whl"
    return ArchiveNames(f"{stem}.zip", f"{stem}.tgz", wheel, f"{stem}-foundry.zip")


def package_name(game: str) -> str:
    """The name of the packages of a game. The suffix avoids names of other programs."""
    return f"{game}-data"


def distribution_name(game: str) -> str:
    """The name of the package of a game, as in the file name of its wheel."""
    return package_name(game).replace("-", "_")


def module_name(game: str) -> str:
    """The import name of the Python package of a game."""
    name = distribution_name(game)
    return f"_{name}" if name[0].isdigit() else name


def python_version(version: str) -> str:
    """A version in Python's format. If Python does not accept the version, it comes after `0+`."""
    if PYTHON_VERSION.fullmatch(version):
        return version
    local = re.sub(r"[^a-z0-9]+", ".", version.lower()).strip(".")
    return f"0+{local}" if local else "0"


def minify(name: str, content: bytes) -> bytes:
    """A CSS or JavaScript file without comments and indentation. Any other file is unchanged.

    In JavaScript, only comments that fill a line are removed, because telling other comments from strings takes a
    parser.
    """
    match name.rpartition(".")[2]:
        case "css":
            text = CSS_COMMENT.sub("", content.decode())
        case "js":
            text = content.decode()
        case _:
            return content
    lines = (line.strip() for line in text.splitlines())
    # In CSS a line may begin with the selector "*".
    is_script = name.endswith(".js")
    return "".join(f"{line}\n" for line in lines if line and not (is_script and COMMENT_LINE.fullmatch(line))).encode()
