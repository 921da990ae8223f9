"""The published games of the last build: their files, and what became of their entities."""

import json
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from kismet_build.config.pack_schema import pack_test
from kismet_build.model.text_normalization import folder_name

# --- the published files of a game, which stay if it is unchanged or cannot be published now
#
# A game with errors must not remove other games from the website: docs/decisions/0024-games-with-errors.md.


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousBuild:
    """A game in the present tree."""

    pack: Mapping[str, Any]
    """The content of the game's `pack.json`."""
    tree: Path

    @property
    def id(self) -> str:
        game: str = self.pack["game"]["id"]
        return game

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file of the game: its path from the root of the tree, and its content."""
        game = self.id
        for folder in (game, f"data/{game}", f"data/schemas/{game}", f"assets/{game}"):
            for file in sorted((self.tree / folder).rglob("*")):
                if file.is_file() and not file.is_symlink():
                    yield file.relative_to(self.tree).as_posix(), file.read_bytes()
        # Not a glob pattern: the assets of the game `ember-court` would seem to belong to `ember`.
        asset_name = re.compile(rf"{re.escape(game)}-[a-z]+\.js")
        for file in sorted((self.tree / "assets").iterdir()):
            if asset_name.fullmatch(file.name) and not file.is_symlink():
                yield f"assets/{file.name}", file.read_bytes()


def previous_build(tree: Path, game: str) -> PreviousBuild | None:
    """The game with this id as published.

    `None` if it is not published, or if its data does not match the schema of this version of the compiler.
    """
    try:
        pack = json.loads((tree / "data" / game / "pack.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    is_complete = pack_test()(pack) and pack["game"]["id"] == game and (tree / game / "index.html").is_file()
    return PreviousBuild(pack=pack, tree=tree) if is_complete else None


# --- changes of entities

REQUIRED_KEYS = frozenset(("id", "name", "aliases", "fields", "effects", "text"))
"""Keys without which an entity is not compared.

Another version of this program may have written an entity without them.
"""
PLACES = frozenset(("source", "url"))
"""Keys that say where an item is. Their values change with the texts around the item."""
DERIVED = PLACES | {"html", "links", "found_links", "backlinks"}
"""Keys of an entity, table, section or calculator whose values follow from its words, its place or other entities."""
VERBATIM = frozenset(("fields", "properties"))
"""Keys whose values are mappings with keys chosen by the author, which may be the same as a key in `DERIVED`."""
MAX_NAMES = 3
"""Maximum number of names in each list of a message; the rest are counted."""

Data = Mapping[str, Any]
"""A JSON object."""
PublishedEntities = Mapping[str, Sequence[Mapping[str, Any]]]
"""The entities of one game by kind, as in its `pack.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindChanges:
    """The differences between the entities of one kind in two builds of a game."""

    game: str
    kind: str
    added: tuple[str, ...] = ()
    """Names of new entities."""
    vanished: tuple[str, ...] = ()
    """Names of the entities whose id is gone: no entity has it, not even as an alias.

    Entities of private texts do not count.
    """
    changed: int = 0
    """Number of entities that differ in more than derived values, or whose old id is now only an alias."""

    def __str__(self) -> str:
        """`weapon: 1 fewer: Club; 2 changed`."""
        parts = [f"{len(self.vanished)} fewer: {_listed(self.vanished)}"] if self.vanished else []
        parts += [f"{len(self.added)} more: {_listed(self.added)}"] if self.added else []
        parts += [f"{self.changed} changed"] if self.changed else []
        return f"{self.kind}: {'; '.join(parts)}"


def compare_trees(old: Path, new: Path, private: Mapping[str, Container[str]] | None = None) -> list[KindChanges]:
    """The differences in the games that both trees contain.

    A file that cannot be read counts as missing. `private` has the paths of the private texts of each game.
    """
    changes: list[KindChanges] = []
    for folder in sorted(folder for folder in (new / "data").glob("*/") if (old / "data" / folder.name).is_dir()):
        game = folder.name
        kinds = {*_kinds(old, game), *_kinds(new, game)}
        differing = [kind for kind in sorted(kinds) if not is_same_file(old, new, f"data/{game}/{kind}.json")]
        before, after = ({kind: entities_in(tree, game, kind) for kind in differing} for tree in (old, new))
        changes += compare_entities(game, before, after, (private or {}).get(game, ()))
    return changes


class KindSnapshot(NamedTuple):
    """The published entities of one kind, reduced to what the comparison needs."""

    digest: bytes
    """SHA-256 of the kind's file; empty if it is missing."""
    entities: Sequence[Mapping[str, Any]]
    """The entities, with a digest in `fields` in place of the values to compare."""


EntitySnapshot = Mapping[str, Mapping[str, KindSnapshot]]
"""The entities of a tree, by game and kind, taken before the tree is updated in place."""


def snapshot_entities(tree: Path) -> EntitySnapshot:
    """The entities of all games in a tree."""
    games = (folder.name for folder in sorted((tree / "data").glob("*/")) if folder.name != "schemas")
    return {
        game: {
            kind: KindSnapshot(_file_digest(tree, game, kind), [*map(_reduced, entities_in(tree, game, kind))])
            for kind in _kinds(tree, game)
        }
        for game in games
    }


def compare_with_snapshot(
    snapshot: EntitySnapshot, tree: Path, private: Mapping[str, Container[str]]
) -> dict[str, list[KindChanges]]:
    """The differences since the snapshot in each game that the tree still has. `private`: as in `compare_trees`."""
    changes = {}
    for game, kinds in snapshot.items():
        if not (tree / "data" / game).is_dir():
            continue
        before: dict[str, Sequence[Mapping[str, Any]]] = {}
        after: dict[str, Sequence[Mapping[str, Any]]] = {}
        for kind in {*kinds, *_kinds(tree, game)}:
            known = kinds.get(kind, KindSnapshot(b"", ()))
            if known.digest != _file_digest(tree, game, kind):
                before[kind] = known.entities
                after[kind] = [*map(_reduced, entities_in(tree, game, kind))]
        changes[game] = [*compare_entities(game, before, after, private.get(game, ()))]
    return changes


def _file_digest(tree: Path, game: str, kind: str) -> bytes:
    try:
        return sha256((tree / "data" / game / f"{kind}.json").read_bytes()).digest()
    except OSError:
        return b""


def _reduced(entity: Mapping[str, Any]) -> Mapping[str, Any]:
    import orjson

    return {
        **{key: entity[key] for key in ("id", "name", "aliases")},
        "fields": sha256(orjson.dumps(content_of(entity))).digest(),
        "effects": None,
        "text": None,
        "source": {"path": entity.get("source", {}).get("path")},
    }


def published_entities(tree: Path, game: str) -> PublishedEntities:
    """The entities of a game in a tree; empty if the game is missing or one of its files is unreadable."""
    try:
        return {kind: _read_entities(tree, game, kind) for kind in _kinds(tree, game)}
    except OSError:
        return {}


def compare_entities(
    game: str, before: PublishedEntities, after: PublishedEntities, private: Container[str] = ()
) -> Iterator[KindChanges]:
    """The kinds of a game that differ, in alphabetical order.

    `private` are the paths of texts that are deliberately unpublished. Entities of these texts do not count as vanished
    and are not named.
    """
    for kind in sorted({*before, *after}):
        old = {entity["id"]: entity for entity in before.get(kind, ())}
        new = {entity["id"]: entity for entity in after.get(kind, ())}
        matched = match(old, new, renamed_by_alias(f"{game}/{kind}/", new.values()))
        vanished = [old[key]["name"] for key in matched.gone if old[key].get("source", {}).get("path") not in private]
        changed = [key for key, other in matched.pairs if key != other or content_of(old[key]) != content_of(new[key])]
        if vanished or matched.added or changed:
            yield KindChanges(
                game=game,
                kind=kind,
                added=tuple(new[key]["name"] for key in matched.added),
                vanished=tuple(vanished),
                changed=len(changed),
            )


class Matched(NamedTuple):
    """The result of matching the ids of two builds."""

    gone: Sequence[str]
    """Old ids without a new id that replaces them."""
    added: Sequence[str]
    """New ids that do not replace an old id."""
    pairs: Sequence[tuple[str, str]]
    """Pairs of an old id and the new id of the same item. The ids differ if the item was renamed."""


def match(old: Mapping[str, Data], new: Mapping[str, Data], renamed: Mapping[str, str]) -> Matched:
    """Match the items of two builds by id. `renamed` has new ids by old id, from aliases and migrations."""
    pairs = {key: key for key in old if key in new}
    pairs |= {key: renamed[key] for key in old if key not in new and renamed.get(key) in new}
    replacements = {*pairs.values()}
    return Matched(
        gone=[key for key in old if key not in pairs],
        added=[key for key in new if key not in old and key not in replacements],
        pairs=[*pairs.items()],
    )


def renamed_by_alias(prefix: str, entities: Iterable[Data]) -> dict[str, str]:
    """The ids of entities by the ids that their aliases would have. `prefix` is `game/kind/`."""
    return {prefix + folder_name(alias): entity["id"] for entity in entities for alias in entity["aliases"]}


def content_of(item: Data, without: Container[str] = DERIVED) -> Data:
    """The content of an entity or another record, at any depth without the keys whose values follow from other data."""
    return {
        key: value if key in VERBATIM else _without(value, without) for key, value in item.items() if key not in without
    }


def _without(value: Any, keys: Container[str]) -> Any:
    if isinstance(value, dict):
        return content_of(value, keys)
    return [_without(item, keys) for item in value] if isinstance(value, list) else value


def entities_in(tree: Path, game: str, kind: str) -> Sequence[Mapping[str, Any]]:
    """The entities of one kind in a tree; empty if its file is missing, damaged or unreadable."""
    try:
        return _read_entities(tree, game, kind)
    except OSError:
        return ()


def _read_entities(tree: Path, game: str, kind: str) -> Sequence[Mapping[str, Any]]:
    """The entities of one kind in a tree; empty if its file is missing or damaged.

    Raises `OSError` if it exists and cannot be read.
    """
    import orjson  # imported on use: a build without changes does not need it

    try:
        data = orjson.loads((tree / "data" / game / f"{kind}.json").read_bytes())
        entities: Sequence[Mapping[str, Any]] = data["entities"]
        # Entities written by another version of this program may lack some of the compared members.
        return [entity for entity in entities if entity.keys() >= REQUIRED_KEYS]
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def _kinds(tree: Path, game: str) -> Iterable[str]:
    schemas = (tree / "data" / "schemas" / game).glob("*.json")
    return (file.stem for file in schemas if file.stem != "pack")


def is_same_file(old: Path, new: Path, path: str) -> bool:
    """Whether a file is a hard link to the file in the old tree, and therefore unchanged. Copies do not count."""
    try:
        return os.path.samefile(old / path, new / path)
    except OSError:
        return False


def _listed(names: Sequence[str]) -> str:
    others = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {others} more" if others > 0 else "")
