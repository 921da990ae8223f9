"""Add schemas to a new library. With these schemas, editors complete keys and mark mistakes in data files."""

import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from kismet_build.config.data_file import SHIPPED

SCHEMAS = ".schemas"
"""Folder of the schemas in a library. The folder is hidden, so nothing in it is published."""
MODELINE = "# yaml-language-server: $schema="
"""The comment by which the YAML language server finds the schema of a file."""
FILES = {
    "game": ("game.yaml",),
    "library": ("library.yaml",),
    "kind": ("kinds/*.yaml",),
    "calculator": ("calculators/*.yaml",),
    "effects": ("effects.yaml",),
    "corrections": ("corrections.yaml",),
    "migrations": ("migrations.yaml",),
}
"""Patterns of the data files that each schema describes."""


def with_schemas(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a library together with the schemas. Each data file gets a comment that names its schema."""
    named = {}
    for path, content in files.items():
        schema = next((name for name, globs in FILES.items() if any(map(PurePosixPath(path).match, globs))), "")
        line = f"{MODELINE}{'../' * path.count('/')}{_schema_path(schema)}\n" if schema else ""
        named[path] = line.encode() + content
    texts = {_schema_path(name): (SHIPPED / "schemas" / f"{name}.schema.json").read_bytes() for name in FILES}
    return {**named, **texts}


def vscode_settings() -> dict[str, bytes]:
    """Visual Studio Code settings that assign a schema to each data file, existing or new."""
    schemas = {f"./{_schema_path(name)}": [f"/{glob}" for glob in globs] for name, globs in FILES.items()}
    text = json.dumps({"yaml.schemas": schemas}, indent=2) + "\n"
    return {".vscode/settings.json": text.encode()}


def _schema_path(name: str) -> str:
    return f"{SCHEMAS}/{name}.schema.json"
