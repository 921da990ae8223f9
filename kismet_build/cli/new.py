"""The command `kismet new`, and the workflow that publishes a library."""

import argparse
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from kismet_build.cli.messages import OK, usage_error

if TYPE_CHECKING:
    from kismet_build.model.diagnostic import Diagnostic

STARTER = Path(__file__).parent / "starter"
"""The small library that `kismet new` copies."""


def new(options: argparse.Namespace) -> int:
    """Write a small library, or the definition of a vault."""
    from kismet_build.cli.editor_schemas import vscode_settings, with_schemas
    from kismet_build.config.data_file import UsageError

    folder: Path | None = options.folder
    vault: Path | None = options.vault
    is_in_vault = vault is not None and folder is None and options.publish
    diagnostics: list[Diagnostic] = []
    try:
        if vault is not None:
            from kismet_build.cli.definition import vault_definition

            game_id, files = vault_definition(vault, diagnostics.append)
            folder = folder or (vault if is_in_vault else Path(f"{game_id}-game"))
        elif folder is None:
            return usage_error("name the folder to create: kismet new DIR")
        else:
            starter = (file for file in sorted(STARTER.rglob("*")) if "__pycache__" not in file.parts)
            files = {file.relative_to(STARTER).as_posix(): file.read_bytes() for file in starter if file.is_file()}
        if options.publish:
            from kismet_build.cli.publish import repository_of, requirement_for

            requirement_for(repository_of(folder), options.requirement)
    except UsageError as problem:
        return usage_error(str(problem), diagnostics)
    files = {**with_schemas(files), **(vscode_settings() if options.vscode else {})}
    if is_in_vault:
        present = [path for path in files if (folder / path).exists() and path != "library.yaml"]
        if present:
            return usage_error(f'"{folder / present[0]}" already exists')
        files.pop("library.yaml", None)  # the file was already read
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        return usage_error(f'"{folder}" is not an empty folder')
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    typed, game = quote(str(folder)), quote(str(folder / "game.yaml"))
    if vault is None:
        print(f"a small library is in {folder}; try: kismet build {typed}")
    elif is_in_vault:
        print(f"the definition is in {folder / 'game.yaml'} and {folder / 'kinds'}; try: kismet build {typed}")
    else:
        print(f"the definition is in {folder}; try: kismet build {quote(str(vault))} --game {game}")
    if options.publish:
        game_file = None if vault is None or is_in_vault else folder / "game.yaml"
        return write_workflow(vault or folder, game_file, options.requirement)
    return OK


def write_workflow(
    library: Path, game_file: Path | None, requirement: str, *, force: bool = False, bundle: bool = False
) -> int:
    """Write the workflow that publishes a library, and print the remaining steps."""
    from kismet_build.cli.publish import WORKFLOW, next_steps, repository_of, workflow, write_new
    from kismet_build.config.data_file import UsageError

    diagnostics: list[Diagnostic] = []
    try:
        file, text = workflow(library, game_file, requirement, diagnostics.append, bundle=bundle)
        is_new = write_new(file, text, force=force)
    except UsageError as problem:
        return usage_error(str(problem), diagnostics)
    print(f"the workflow is in {WORKFLOW}" if is_new else f"{WORKFLOW} already exists and is up to date")
    for line in next_steps(repository_of(library), bundle=bundle):
        print(line)
    return OK
