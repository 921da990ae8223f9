"""Names of a game as data: what each name means."""

from collections.abc import Iterator

from kismet_build.config.autolink import plural
from kismet_build.model.book import BLOCK_LEVEL
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack, section_id
from kismet_build.render.data.json_writer import json_file
from kismet_build.render.html.addresses import Files

FOLD = (
    "Unicode case folding; letters without accents (NFKD); ss for ß, ae for æ, oe for œ, o for ø, d for ð, th for þ, "
    "l for ł; plain quotes and dashes; single spaces, none at the ends"
)
"""How a name is turned into its key, for programs that look names up."""


def emit_names(pack: Pack) -> Files:
    """The file that maps each name to the ids of what it may mean.

    First are entities of that name, then entities with that alias, sections with that title and tables with that
    caption, each in the order of the pack. An entity is also found by its name with that of its kind, and by its
    English plural, where this is no name of anything else.
    """
    names: dict[str, dict[str, None]] = {}
    for name, meant in _names(pack):
        names.setdefault(normalize(name), {})[meant] = None
    derived: dict[str, dict[str, None]] = {}
    for name, meant in _derived_names(pack):
        if (key := normalize(name)) not in names:
            derived.setdefault(key, {})[meant] = None
    listed = {key: [*ids] for key, ids in sorted({**names, **derived}.items()) if key}
    yield f"data/{pack.game.id}/names.json", json_file({"fold": FOLD, "names": listed})


def _names(pack: Pack) -> Iterator[tuple[str, str]]:
    for entity in pack.all_entities():
        yield entity.name, entity.id
    for entity in pack.all_entities():
        yield from ((alias, entity.id) for alias in entity.aliases)
    for section in pack.book.all_sections():
        if section.anchor.level < BLOCK_LEVEL:
            yield section.anchor.title, section_id(pack.game, section)
    for table in pack.tables:
        yield table.caption, table.id


def _derived_names(pack: Pack) -> Iterator[tuple[str, str]]:
    for entity in pack.all_entities():
        for name in (entity.name, *entity.aliases):
            yield f"{name} {pack.kind(entity).title}", entity.id
            yield plural(name, pack.game.language), entity.id
