"""Contents that a game's exports share: the licence, the manifest, the README, and files of all games."""

import json
from collections.abc import Mapping
from hashlib import sha256

from kismet_build.config.data_file import SHIPPED
from kismet_build.model.downloads import module_name, package_name
from kismet_build.model.json_writer import json_file
from kismet_build.model.markdown_text import escaped_text
from kismet_build.output.finished_data import Data

# --- rights


def rights(pack: Data) -> dict[str, str]:
    """The members with the licence and the attribution, for records that are used on their own."""
    return {key: pack["game"][key] for key in ("licence_id", "attribution")}


def licence(pack: Data) -> bytes:
    """The file `LICENSE`: title, licence, identifier, attribution, notices and, if available, the full text."""
    game = pack["game"]
    parts = (game["licence"], game["licence_id"], game["attribution"], *game["notices"], pack.get("licence_text", ""))
    return ("\n\n".join(part for part in (game["title"], *parts) if part) + "\n").encode()


# --- files

MANIFEST = "manifest.json"
"""The file that lists all other files in an archive, each with its size and SHA-256."""
SOURCES = SHIPPED / "site" / "bundle"
"""The folder of the files that are the same in the packages of all games."""
DATA_FILES = ("pack.json", "names.json", "migrations.json", "search.json")
"""The data files that a package contains."""

Files = Mapping[str, bytes]
"""The content of files, by path."""


def with_manifest(files: Files) -> dict[str, bytes]:
    """Files together with the manifest that lists them."""
    listed = [
        {"path": path, "size": len(content), "sha256": sha256(content).hexdigest()}
        for path, content in sorted(files.items())
    ]
    return {MANIFEST: json_file({"format": 1, "files": listed}), **files}


def example_name(pack: Data) -> str:
    """The name of the first entity, or else of the first section or the game, for the example of a package."""
    entities = (entity["name"] for of_kind in pack["entities"].values() for entity in of_kind)
    return str(next(entities, pack["sections"][0]["title"] if pack["sections"] else pack["game"]["title"]))


def readme(pack: Data, language: str, example: str) -> str:
    """The README of a package. `example` is the example program, written in the programming `language`."""
    game, name = pack["game"], example_name(pack)
    names = {"package": package_name(game["id"]), "module": module_name(game["id"])}
    code = example.format(**names, name=json.dumps(name, ensure_ascii=False))
    others = "`ask`, `calculate`, `odds`, `situation` and `rollTable`"
    if language == "python":
        others = "`ask`, `calculate`, `explain`, `odds`, `situation` and `roll_table`"
    site = f"<{game['url']}{game['id']}/downloads/> explains each file and field." if game["url"] else ""
    parts = (
        f"# {names['package']}",
        f"The rules of {escaped_text(game['title'])}, version {escaped_text(game['version'])}, as data: entities by "
        "kind, sections with the full text of the book, tables with typed cells, and calculators. Each has an id that "
        "never changes.",
        f"```{language}\n{code}```",
        "All of it is typed: an editor shows the fields of each kind and what they mean. `migrations.json` lists ids "
        "that changed. The JSON schemas are in the zip of the same version.",
        f"There are also {others}. `search` and `ask` look for words, so they may find something for a question that "
        "the rules do not answer. `calculate` uses the default of each input that you leave out, and defaults are "
        "examples: give every input. `situation` does not add the states that a state causes: they are in `left`.",
        site,
        escaped_text(game["licence"]),
        escaped_text(game["attribution"]),
    )
    return "\n\n".join(part for part in parts if part) + "\n"
