"""The indexes of names of a library with many games."""

from typing import Any

from kismet_build.render.site.name_shards import name_shards

KIND = {"title": "Being", "ornament": "◆", "colour": "gold"}


def test_spelling_of_common_words_alone_is_found_by_them() -> None:
    being = {"name": "The One", "url": "dream/being/the-one/", "aliases": ["Neo"]}
    game = {"id": "dream", "title": "Dream"}
    pack = {"game": game, "kinds": {"being": KIND}, "entities": {"being": [being]}, "calculators": []}
    starts, _ = name_shards([pack])
    assert starts == ["dr", "ne", "on", "th"]


def test_one_ideograph_finds_the_names_that_begin_with_it() -> None:
    names = ("龙之怒", "龙", "Ox")
    beings: list[dict[str, Any]] = [{"name": name, "url": f"dream/being/{name}/", "aliases": []} for name in names]
    pack = {"game": {"id": "dream", "title": "梦"}, "kinds": {"being": KIND}, "entities": {"being": beings}}
    starts, _ = name_shards([{**pack, "calculators": []}])
    assert starts == ["ox", "梦", "龙"]
