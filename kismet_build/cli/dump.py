"""`kismet dump`: the document model, links and entities of one text, for people who work on the compiler."""

import json
from collections.abc import Iterator
from pathlib import Path

from kismet_build.config.data_file import UsageError, yaml_file
from kismet_build.config.game import Game
from kismet_build.config.load_game import GAME_FILE
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.book import Chapter
from kismet_build.model.dump import dump_blocks
from kismet_build.model.nodes import Embed, Link, walk
from kismet_build.model.source import Span
from kismet_build.pack import Pack


def dump(file: Path, game_file: Path | None) -> str:
    """Compile the game of a text, and describe the text.

    `game_file` sets the game. Without it, the nearest folder with a `game.yaml` is the game, or else the folder of the
    text as a plain vault. Raises `UsageError` if the text is missing, private or part of another text, or if the game
    cannot be loaded.
    """
    if not file.is_file():
        raise UsageError(f'there is no file "{file}"')
    folder = file.parent if game_file else _game_folder(file)
    for game in load_library(folder, game_file, lambda _: None).games:
        if any(text.resolve() == file.resolve() for text, _ in game.files.texts):
            return _describe(game, file)
    raise UsageError(f'"{file}" is not a text of the game in "{folder}"')


def _game_folder(file: Path) -> Path:
    return next((folder for folder in file.resolve().parents if yaml_file(folder, GAME_FILE).is_file()), file.parent)


def _describe(game: Game, file: Path) -> str:
    pack = compile_game(game, lambda _: None)
    path = file.resolve().relative_to(game.files.folder.resolve()).as_posix()
    if path in pack.private:
        raise UsageError(f'"{file}" is private {pack.private[path]}')
    chapter = next((chapter for chapter in pack.book.chapters if chapter.source.path == path), None)
    if chapter is None:
        whole = next((chapter.source.path for chapter in pack.book.chapters if path in chapter.source.included), "")
        raise UsageError(f'"{file}" is a part of "{whole}": name that text' if whole else f'"{file}" is not published')
    parts = {
        "model": dump_blocks((*chapter.document.properties, *chapter.document.blocks), heading_ids=True),
        "links": "\n".join(_links(pack, chapter)),
        "entities": "\n".join(_entities(pack, chapter)),
    }
    return "\n\n".join(f"# {title}\n\n{text or 'none'}" for title, text in parts.items())


def _links(pack: Pack, chapter: Chapter) -> Iterator[str]:
    """One line for each link and embed: its place, its target, and what the target is."""
    for node in walk(*chapter.document.properties, *chapter.document.blocks):
        if not isinstance(node, Link | Embed):
            continue
        line, column = _line_and_column(node.span)
        place, entity = pack.book.targets.get(node.span), pack.link_entities.get(node.span)
        if entity is not None:
            target = entity
        elif place is not None and place.resolved_anchor is not None:
            target = f"{place.resolved_anchor.path}#{place.resolved_anchor.id}"
        elif place is not None and place.folder:
            target = f"{place.folder}/"
        else:
            target = pack.book.attachment_of.get(node.span) or "nothing"
        yield f"{line}:{column} {type(node).__name__} {node.target} -> {target}"


def _line_and_column(span: Span) -> tuple[int, int]:
    place = span.original
    return place.source.line_and_column(place.start)


def _entities(pack: Pack, chapter: Chapter) -> Iterator[str]:
    for entity in pack.by_source.get(chapter.source, ()):
        line, _ = _line_and_column(entity.span)
        yield json.dumps({"id": entity.id, "line": line, "fields": entity.fields}, ensure_ascii=False)
