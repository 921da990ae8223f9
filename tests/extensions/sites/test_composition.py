"""A composed text knows the original place of each of its parts."""

from kismet_build.model.diagnostic import Related, to_dict, warning
from kismet_build.model.source import Source
from kismet_build.parse.composition import Composition

BOOK = Source("book.adoc", "one\ninclude::part.adoc[]\nthree\n")
PART = Source("part.adoc", "two {x}\n")


def composed() -> Source:
    composition = Composition()
    composition.add(BOOK.span(0, 4))
    composition.add(PART.span(0, 4))
    composition.replace(PART.span(4, 7), "value")
    composition.add(PART.span(7, 8))
    composition.add(BOOK.span(25, 29))
    composition.add(BOOK.span(29, len(BOOK.text)))
    return composition.source(BOOK, frozenset({"part.adoc"}))


def place(text: str) -> tuple[str, str]:
    source = composed()
    start = source.text.index(text)
    original = source.span(start, start + len(text)).original
    return original.source.path, original.text


def test_composed_text_consists_of_its_pieces() -> None:
    source = composed()
    assert source.text == "one\ntwo value\nthree\n"
    assert [piece.start for piece in source.pieces] == [0, 4, 8, 13, 14]  # adjacent parts of a file are one piece


def test_every_part_has_its_original_place() -> None:
    assert place("one") == ("book.adoc", "one")
    assert place("two") == ("part.adoc", "two")
    assert place("three") == ("book.adoc", "three")
    assert place("alu") == ("part.adoc", "{x}")
    assert place("two value") == ("part.adoc", "two {x}")


def test_span_of_several_files_is_shown_in_its_first_file() -> None:
    assert place("ne\ntwo") == ("book.adoc", "ne\n")
    assert place("value\nth") == ("part.adoc", "{x}\n")
    assert place("one\ntwo value\nthree") == ("book.adoc", "one\ninclude::part.adoc[]\nthree")


def test_place_in_the_text_of_one_file_is_itself() -> None:
    span = BOOK.span(1, 2)
    assert span.original is span


def test_empty_composition_is_at_the_start_of_its_file() -> None:
    source = Composition().source(BOOK)
    assert (source.text, source.full_span().original) == ("", BOOK.span(0, 0))


def test_diagnostic_is_shown_at_its_original_places() -> None:
    source = composed()
    related = (Related(source.span(14, 19), "here"),)
    found = to_dict(warning("code", source.span(4, 7), "message", related=related).original)
    assert (found["path"], found["line"], found["column"]) == ("part.adoc", 1, 1)
    assert (found["related"][0]["path"], found["related"][0]["line"]) == ("book.adoc", 3)
