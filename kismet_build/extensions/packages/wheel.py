"""A game's package for Python."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from kismet_build.extensions.packages.archive import DATA_FILES, SOURCES, licence, readme, with_manifest
from kismet_build.extensions.packages.types import python_types
from kismet_build.mechanics import rules
from kismet_build.model.archives import zip_file
from kismet_build.model.downloads import archive_names, distribution_name, module_name, package_name, python_version
from kismet_build.output.finished_data import FinishedData

ROOT = Path(rules.__file__).parent.parent
ENGINE = {
    "mechanics": ("inputs", "rules", "situation", "table_results"),
    "mechanics/search": ("__init__", "index", "rank", "words"),
    "mechanics/formula": ("__init__", "evaluation", "functions", "operators", "reading", "tree", "values"),
    "mechanics/dice": ("__init__", "bounds", "notation", "odds", "table_notation", "tree"),
    "model": ("suggestion", "text_cache", "text_normalization"),
}
"""The modules of which the package contains unchanged copies, by folder below `ROOT`."""
FORMAT_MODULE = '"""The data format that this package reads."""\n\nFORMAT = {format}\n'
EXAMPLE = """\
import {module} as data

# What the rules say to a question, or to a few words.
for place in data.search({name}, limit=3):
    print(place.id, place.name, place.passage, place.url)

# What a name means, what defines it first. Tables have rows and no text.
for found in data.find({name}):
    print(found["id"], data.text_of(found), data.get(found["id"]) is found)
print(*data.load()["entities"])
"""
"""The example program for the Python package."""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """The package for Python, to be installed with pip."""
    pack, game = data.pack, data.pack["game"]
    module = module_name(game["id"])
    version = python_version(game["version"])
    information = f"{distribution_name(game['id'])}-{version}.dist-info"
    members = with_manifest(
        {
            "__init__.py": (SOURCES / "loader.py").read_bytes(),
            "_format.py": FORMAT_MODULE.format(format=pack["format"]).encode(),
            "types.py": python_types(data.schema, pack["calculators"]).encode(),
            "py.typed": b"",
            "LICENSE": licence(pack),
            **{name: data.files[name] for name in DATA_FILES},
            **{path: (ROOT / path).read_bytes() for path in engine_files()},
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
        readme(pack, "python", EXAMPLE),
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
    yield archive_names(game["id"], game["version"]).wheel, zip_file(all_files)


def engine_files() -> list[str]:
    """The path of each module in `ENGINE`, which is the same below `ROOT` and below the package."""
    return [f"{folder}/{module}.py" for folder, modules in ENGINE.items() for module in modules]


def _record_hash(content: bytes) -> str:
    return urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()


def _line(text: str) -> str:
    return " ".join(text.split())


def _lines(lines: tuple[str, ...]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
