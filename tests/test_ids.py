"""Ids are told apart even where names run together."""

from kismet_build.dialects import OBSIDIAN
from kismet_build.link import link
from kismet_build.readers.markdown import read
from kismet_build.source import Source


def test_sections_of_one_name_have_ids_of_their_own() -> None:
    texts = {"a.md": "# b c\n\n# b c\n", "a b.md": "# c\n", "a/b.md": "# c 1\n"}
    book = link([read(Source(path, text), OBSIDIAN, lambda _: None) for path, text in texts.items()])
    slugs = [section.slug for section in book.all_sections()]
    assert len(set(slugs)) == len(slugs) == 7


def test_a_chapter_never_takes_the_address_of_a_kind() -> None:
    book = link([read(Source("Spell.md", "# Spell\n"), OBSIDIAN, lambda _: None)], kinds=["spell"])
    assert [chapter.slug for chapter in book.chapters] == ["spell-text"]
