"""Make the files that define a vault: its `game.yaml` and its found kinds."""

from dataclasses import replace
from pathlib import Path

from kismet_build.config.data_file import SHIPPED, UsageError
from kismet_build.config.game import DEFAULT_LANGUAGE, Game
from kismet_build.config.kind import Kind
from kismet_build.config.load_game import COMMON_KINDS
from kismet_build.config.load_library import load_library
from kismet_build.config.yaml import flow
from kismet_build.driver.compile import compile_game, kinds_of_notes
from kismet_build.extract.found_kinds import FoundKind
from kismet_build.model.diagnostic import Report
from kismet_build.model.dialects import DIALECT_OF_SUFFIX

KINDS_FOLDER = "kinds"
"""The folder of the kind files, next to `game.yaml`."""


def vault_definition(vault: Path, report: Report) -> tuple[str, dict[str, bytes]]:
    """The id of a vault, and the content of the files that define it, by path. Raises `UsageError`."""
    games = load_library(vault, None, report).games
    if not games[0].kind_rules.from_folders:
        raise UsageError(f'"{vault}" has a game.yaml')
    game = games[0]
    pack = compile_game(game, lambda _: None)
    found = kinds_of_notes(pack)
    files = {"game.yaml": _game_text(replace(game, title=pack.game.title, language=pack.game.language), found)}
    library = game.library_config
    settings = {"title": library.title, "url": library.url, "description": library.description}
    if any(settings.values()):
        files["library.yaml"] = "".join(f"{key}: {flow(value)}\n" for key, value in settings.items() if value)
    for kind in found:
        fields = [entity.fields for entity in pack.entities.get(kind.id, ())]
        files[f"{KINDS_FOLDER}/{kind.id}.yaml"] = kind.commented_text(fields)
    files[f"{KINDS_FOLDER}/term.yaml"] = _term_text(pack.game.kinds["term"])
    return game.id, {path: text.encode() for path, text in files.items()}


def _term_text(kind: Kind) -> str:
    text = (SHIPPED / COMMON_KINDS / "term.yaml").read_text(encoding="utf-8")
    words = {"title": kind.title, "x-plural": kind.plural, "description": kind.description}
    return "".join(f"{key}: {flow(value)}\n" for key, value in words.items()) + text[text.index("x-ornament:") :]


def _game_text(game: Game, found: tuple[FoundKind, ...]) -> str:
    suffixes = {file.suffix for file, _ in game.files.texts}
    sources = [{"glob": f"**/*{suffix}"} for suffix in sorted(suffixes, key=[*DIALECT_OF_SUFFIX, *suffixes].index)]
    sources_line = "" if game.vault.is_site else f"sources: {flow(sources)}\n"
    private = {"exclude": [*game.library_config.exclude], "only": game.library_config.only}
    language_line = f"language: {game.language}\n" if game.language != DEFAULT_LANGUAGE else ""
    private_lines = "".join(f"{key}: {flow(value)}\n" for key, value in private.items() if value)
    return f"""\
# How kismet understands this vault. Change it as you like.
id: {flow(game.id)}
title: {flow(game.title)}
version: {flow(game.version)}
licence: {flow(game.licence)}
{language_line}# An error in one text is only a warning.
vault: true
{sources_line}{private_lines}# One file for each kind of note; its name is the id of the kind.
kinds: {KINDS_FOLDER}
order: {flow([*game.kinds, *(kind.id for kind in found)])}
"""
