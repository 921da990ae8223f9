"""A game's package for npm."""

import re
from collections.abc import Iterator
from typing import Any

from kismet_build.config.data_file import SHIPPED
from kismet_build.extensions.packages.archive import DATA_FILES, SOURCES, licence, readme, with_manifest
from kismet_build.extensions.packages.types import typescript_types
from kismet_build.mechanics.calculator.calculation import CalculatorFormulas, library_of
from kismet_build.mechanics.formula import Tree, Vocabulary, parse
from kismet_build.mechanics.rules import records
from kismet_build.model.archives import tgz_file
from kismet_build.model.downloads import archive_names, minify, package_name
from kismet_build.model.json_writer import json_file
from kismet_build.output.finished_data import Data, FinishedData

NAMES = ("formula.js", "inputs.js", "search-text.js", "search-rank.js", "odds.js", "dice.js", "situation.js")
SCRIPTS = tuple(SHIPPED / "site" / "assets" / name for name in NAMES)
"""Scripts that are shared with the website. The website has their functions in `kismet`."""
VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?", re.ASCII)
"""A version that can be turned into npm's form, which has three numbers."""

EXAMPLE = """\
import {{ find, get, pack, search, textOf }} from "{package}";

// What the rules say to a question, or to a few words.
for (const place of search({name}, 3)) console.log(place.id, place.name, place.passage, place.url);

// What a name means, what defines it first. Tables have rows and no text.
for (const found of find({name})) console.log(found.id, textOf(found), get(found.id) === found);
console.log(Object.keys(pack.entities).join(" "));
"""
"""The example program for the npm package."""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """The package for npm, with types and working calculators."""
    pack, game = data.pack, data.pack["game"]
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
        # The comments for editors are in index.d.ts.
        **{file.name: minify(file.name, file.read_bytes()) for file in (SOURCES / "index.js", *SCRIPTS)},
        "index.d.ts": (SOURCES / "index.d.ts").read_bytes(),
        "format.js": f"export const FORMAT = {pack['format']};\n".encode(),
        "types.d.ts": typescript_types(data.schema, pack["calculators"]).encode(),
        "README.md": readme(pack, "js", EXAMPLE).encode(),
        "LICENSE": licence(pack),
        **{name: data.files[name] for name in DATA_FILES},
        "library.json": json_file(_library(pack)),
    }
    packed = tgz_file({f"package/{name}": content for name, content in with_manifest(members).items()})
    yield archive_names(game["id"], game["version"]).npm, packed


def npm_version(version: str) -> str:
    """A version in npm's form. If it cannot be converted, it is appended to `0.0.0-v`, with `-` between its words."""
    if numbers := VERSION.fullmatch(version):
        return ".".join(str(int(number or 0)) for number in numbers.groups())
    rest = re.sub(r"[^A-Za-z0-9]+", "-", version).strip("-")
    return f"0.0.0-v{rest}" if rest else "0.0.0"


def npm_licence(licence_id: str) -> str:
    """The licence in npm's form, which does not allow references to other licences."""
    is_known = licence_id and not licence_id.startswith("LicenseRef-")
    return licence_id if is_known else "SEE LICENSE IN LICENSE"


def _library(pack: Data) -> dict[str, Any]:
    """The entities and calculators used in formulas, for `formula.js`."""
    calculators = {_slug(entry): entry for entry in pack["calculators"]}
    inputs = {local: [input_["name"] for input_ in entry["inputs"]] for local, entry in calculators.items()}
    vocabulary = Vocabulary(inputs, dict.fromkeys(pack["kinds"], ""))
    aliases = {entity["id"]: entity["aliases"] for of_kind in pack["entities"].values() for entity in of_kind}
    formulas = {local: _formulas(entry, vocabulary) for local, entry in calculators.items()}
    return library_of(records(pack), aliases, formulas, [*calculators])


def _slug(item: Data) -> str:
    slug: str = item["id"].rpartition("/")[2]
    return slug


def _formulas(entry: Data, vocabulary: Vocabulary) -> CalculatorFormulas:
    odds = entry["odds"] or {}
    return CalculatorFormulas(
        {input_["name"]: input_.get("kinds", ()) for input_ in entry["inputs"]},
        [(step["name"], _located(step["ast"], parse(step["formula"], vocabulary))) for step in entry["steps"]],
        _located(entry["ast"], parse(entry["formula"], vocabulary)),
        [*filter(None, odds.values()), *(reading["ast"] for reading in entry["readings"])],
    )


def _located(tree: Tree, parsed: Tree) -> Tree:
    """A published tree with the offsets of its nodes in the formula, for messages about wrong values."""
    parts = [_located(part, other) for part, other in zip(tree.get("of", ()), parsed.get("of", ()), strict=True)]
    return {**tree, **({"of": parts} if "of" in tree else {}), "at": parsed["at"]}
