"""The indexes of names of a library with many games."""

from kismet_build.render.site.name_shards import name_shards

KIND = {"title": "Being", "ornament": "◆", "colour": "gold"}


def test_spelling_of_common_words_alone_is_found_by_them() -> None:
    being = {"name": "The One", "url": "dream/being/the-one/", "aliases": ["Neo"]}
    game = {"id": "dream", "title": "Dream"}
    pack = {"game": game, "kinds": {"being": KIND}, "entities": {"being": [being]}, "calculators": []}
    starts, _ = name_shards([pack])
    assert starts == ["dr", "ne", "on", "th"]
