"""The packages of a bundle: a zip of all files, a package for npm, and a wheel for Python."""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.render.data.archives import tgz_file, zip_file
from kismet_build.render.data.json_writer import json_file
from kismet_build.render.data.pack_json import FORMAT
from kismet_build.render.fragments.markdown import escaped_text

MANIFEST = "manifest.json"
"""The file of a bundle that lists all others with size and SHA-256."""
SOURCES = SHIPPED / "site" / "bundle"
"""The folder of the files that are the same in the packages of all games."""
SCRIPTS = tuple(SHIPPED / "site" / "assets" / name for name in ("formula.js", "inputs.js"))
"""Scripts of the pages that run calculators, here too: they define `kismet.evaluate` and `kismet.inputs`."""
FOUNDRY_MANIFEST = "downloads/module.json"
"""The description of the module for Foundry VTT, beside its archive; the path is the same for all versions."""
FILE_NAME = re.compile(r"[^A-Za-z0-9.+]+")
"""Characters of a version that become `-` in the name of a file."""
PYTHON_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", re.ASCII)
"""A version that Python accepts as it is (PEP 440)."""
NPM_VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?", re.ASCII)
"""A version that can be written as npm wants it: with three numbers."""

NPM_EXAMPLE = """\
import {{ find, get, pack, textOf }} from "{package}";

// What a name means, what defines it first. Tables have rows and no text.
for (const found of find({name})) console.log(found.id, textOf(found), get(found.id) === found);
console.log(Object.keys(pack.entities).join(" "));
"""
"""The first program with the package for npm."""
PYTHON_EXAMPLE = """\
import {module} as data

# What a name means, what defines it first. Tables have rows and no text.
for found in data.find({name}):
    print(found["id"], data.text_of(found), data.get(found["id"]) is found)
print(*data.load()["entities"])
"""
"""The first program with the package for Python."""

Files = Mapping[str, bytes]
"""The content of files, by path."""


def with_manifest(files: Files) -> dict[str, bytes]:
    """Files with the manifest that lists them."""
    listed = [
        {"path": path, "size": len(content), "sha256": sha256(content).hexdigest()}
        for path, content in sorted(files.items())
    ]
    return {MANIFEST: json_file({"format": 1, "files": listed}), **files}


class ArchiveNames(NamedTuple):
    """The paths of the archives of a game below its data."""

    zip: str
    npm: str
    wheel: str
    """Named by the rules of wheels, since pip installs no other file."""
    foundry: str


def archive_names(game: str, version: str) -> ArchiveNames:
    """The paths of the archives of a game below its data."""
    stem = f"downloads/{game}-{FILE_NAME.sub('-', version).strip('-.') or '0'}"
    wheel = f"downloads/{_distribution(game)}-{python_version(version)}-py3-none-any.whl"
    return ArchiveNames(f"{stem}.zip", f"{stem}.tgz", wheel, f"{stem}-foundry.zip")


def npm_package(game: Mapping[str, Any], files: Files, types: bytes, name: str) -> bytes:
    """The package of a game for npm.

    `files`: data files and licence, by name. `types`: those for TypeScript. `name`: one that `find` knows.
    """
    description = {
        "name": package_name(game["id"]),
        "version": npm_version(game["version"]),
        "description": f"The rules of {game['title']} as data",
        "license": npm_licence(game["licence_id"]),
        "type": "module",
        "main": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": {"types": "./index.d.ts", "default": "./index.js"},
            "./formula.js": "./formula.js",
            "./*.json": "./*.json",
        },
        "sideEffects": [f"./{script.name}" for script in SCRIPTS],
        "engines": {"node": ">=20.10"},
    }
    members = {
        "package.json": json_file(description),
        **{name: (SOURCES / name).read_bytes() for name in ("index.js", "index.d.ts")},
        "format.js": f"export const FORMAT = {FORMAT};\n".encode(),
        **{script.name: script.read_bytes() for script in SCRIPTS},
        "types.d.ts": types,
        "README.md": _readme(game, "js", NPM_EXAMPLE, name).encode(),
        **files,
    }
    return tgz_file({f"package/{name}": content for name, content in with_manifest(members).items()})


def wheel(game: Mapping[str, Any], files: Files, types: bytes, name: str) -> bytes:
    """The wheel of a game.

    `files`: data files and licence, by name. `types`: those for Python. `name`: one that `find` knows.
    """
    module = module_name(game["id"])
    version = python_version(game["version"])
    information = f"{_distribution(game['id'])}-{version}.dist-info"
    members = with_manifest(
        {
            "__init__.py": (SOURCES / "loader.py").read_bytes(),
            "_format.py": f'"""The format of the data that this package reads."""\n\nFORMAT = {FORMAT}\n'.encode(),
            "types.py": types,
            "py.typed": b"",
            **files,
        }
    )
    metadata = (
        "Metadata-Version: 2.1",
        f"Name: {package_name(game['id'])}",
        f"Version: {version}",
        f"Summary: {_line('The rules of ' + game['title'] + ' as data')}",
        f"License: {_line(game['licence_id'] or game['licence'] or 'not stated')}",
        "Requires-Python: >=3.11",
        "Description-Content-Type: text/markdown",
        "",
        _readme(game, "python", PYTHON_EXAMPLE, name),
    )
    tags = ("Wheel-Version: 1.0", "Generator: kismet-build", "Root-Is-Purelib: true", "Tag: py3-none-any")
    all_files = {
        **{f"{module}/{name}": content for name, content in members.items()},
        f"{information}/METADATA": _lines(metadata),
        f"{information}/WHEEL": _lines(tags),
    }
    record = f"{information}/RECORD"
    hashes = (f"{path},sha256={_record_hash(content)},{len(content)}" for path, content in all_files.items())
    all_files[record] = _lines((*hashes, f"{record},,"))
    return zip_file(all_files)


def _readme(game: Mapping[str, Any], language: str, example: str, name: str) -> str:
    """The text that registries and people read first."""
    names = {"package": package_name(game["id"]), "module": module_name(game["id"])}
    code = example.format(**names, name=json.dumps(name, ensure_ascii=False))
    site = f"<{game['url']}{game['id']}/downloads/> explains each file and field." if game["url"] else ""
    parts = (
        f"# {names['package']}",
        f"The rules of {escaped_text(game['title'])}, version {escaped_text(game['version'])}, as data: entities by "
        "kind, sections with all words of the book, tables with typed cells, and calculators. Each has an id that "
        "never changes.",
        f"```{language}\n{code}```",
        "All of it is typed: an editor shows the fields of each kind and what they mean. `migrations.json` lists ids "
        "that changed.",
        site,
        escaped_text(game["licence"]),
        escaped_text(game["attribution"]),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def package_name(game: str) -> str:
    """The name of the packages of a game. With the ending, none is that of a program."""
    return f"{game}-data"


def _distribution(game: str) -> str:
    """The name of the package of a game in the name of its wheel."""
    return package_name(game).replace("-", "_")


def module_name(game: str) -> str:
    """The name by which Python imports the data of a game."""
    name = _distribution(game)
    return f"_{name}" if name[0].isdigit() else name


def python_version(version: str) -> str:
    """A version as Python wants it. What it does not know stands after `0+`."""
    if PYTHON_VERSION.fullmatch(version):
        return version
    local = re.sub(r"[^a-z0-9]+", ".", version.lower()).strip(".")
    return f"0+{local}" if local else "0"


def npm_version(version: str) -> str:
    """A version as npm wants it. What it does not know stands after `0.0.0-`."""
    if numbers := NPM_VERSION.fullmatch(version):
        return ".".join(str(int(number or 0)) for number in numbers.groups())
    rest = re.sub(r"[^A-Za-z0-9]+", "-", version).strip("-")
    return f"0.0.0-v{rest}" if rest else "0.0.0"


def npm_licence(licence_id: str) -> str:
    """The licence as npm wants it, which knows no references to other licences."""
    is_known = licence_id and not licence_id.startswith("LicenseRef-")
    return licence_id if is_known else "SEE LICENSE IN LICENSE"


def _record_hash(content: bytes) -> str:
    return urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()


def _line(text: str) -> str:
    return " ".join(text.split())


def _lines(lines: tuple[str, ...]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
