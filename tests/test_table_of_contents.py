"""The table of contents is expanded as deep as a screen allows; published scripts have no comments."""

from kismet_build.render.pages.page import Entry
from kismet_build.render.pages.table_of_contents import LONG, depth, open_depth, openings, tree
from kismet_build.render.site.lean import lean


def entries(*levels: int) -> tuple[Entry, ...]:
    """Entries of these levels, each named by its index."""
    return tuple(Entry(level, f"Section {place}", f"s{place}") for place, level in enumerate(levels))


def test_an_entry_contains_the_deeper_entries_after_it() -> None:
    first, second = tree(entries(1, 2, 3, 2, 1))
    assert [branch.entry.id for branch in first.below] == ["s1", "s3"]
    assert [branch.entry.id for branch in first.below[0].below] == ["s2"]
    assert second.below == ()


def test_an_entry_without_a_parent_is_at_the_top() -> None:
    assert [branch.entry.id for branch in tree(entries(3, 1, 2))] == ["s0", "s1"]


def test_a_short_table_is_fully_expanded() -> None:
    branches = tree(entries(1, 2, 3, 1, 2))
    assert open_depth(branches) == depth(branches) == 3


def test_a_long_table_is_expanded_as_deep_as_a_screen_allows() -> None:
    branches = tree(entries(*[1, 2, 3, 3, 3, 3] * 6))
    assert 6 + 6 <= LONG < 6 + 6 + 24
    assert open_depth(branches) == 2


def test_the_first_level_is_always_expanded() -> None:
    assert open_depth(tree(entries(*[1] * 200))) == 1
    assert open_depth(tree(entries(*[1, 2] * 200))) == 1


def test_a_page_without_sections_has_no_table() -> None:
    assert tree(()) == ()
    assert open_depth(()) == depth(()) == 0


def test_sections_with_many_below_them_begin_with_their_names() -> None:
    branches = openings(tree(entries(1, 2, 2, 2, 2, 1, 2)))
    assert list(branches) == ["s0"]
    assert [branch.entry.id for branch in branches["s0"]] == ["s1", "s2", "s3", "s4"]


def test_published_scripts_have_no_comments_or_indentation() -> None:
    script = b"// Why.\n(() => {\n  /** What. */\n  const a = 'x // y'; // here\n\n  f(a);\n})();\n"
    assert lean("a.js", script) == b"(() => {\nconst a = 'x // y'; // here\nf(a);\n})();\n"
    style = b"/* One\n   two */\na { color: red; } /* three */\n"
    assert lean("a.css", style) == b"a { color: red; }\n"


def test_other_files_are_published_as_they_are() -> None:
    assert lean("icon.svg", b"  // <svg/>\n") == b"  // <svg/>\n"
