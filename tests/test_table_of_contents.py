"""The contents of a page stand open as deep as there is room; what readers load holds no comments."""

from kismet_build.render.pages.page import Entry
from kismet_build.render.pages.table_of_contents import MAX_OPEN_ENTRIES, depth, long_sections, open_depth, tree
from kismet_build.render.site.assets import minify


def entries(*levels: int) -> tuple[Entry, ...]:
    """Lines of these levels, each named by its place."""
    return tuple(Entry(level, f"Section {place}", f"s{place}") for place, level in enumerate(levels))


def test_a_line_holds_the_deeper_ones_that_follow_it() -> None:
    first, second = tree(entries(1, 2, 3, 2, 1))
    assert [branch.entry.id for branch in first.children] == ["s1", "s3"]
    assert [branch.entry.id for branch in first.children[0].children] == ["s2"]
    assert second.children == ()


def test_a_line_without_one_above_it_stands_where_it_is() -> None:
    assert [branch.entry.id for branch in tree(entries(3, 1, 2))] == ["s0", "s1"]


def test_short_contents_stand_open_as_a_whole() -> None:
    branches = tree(entries(1, 2, 3, 1, 2))
    assert open_depth(branches) == depth(branches) == 3


def test_long_contents_are_open_as_deep_as_a_screen_holds() -> None:
    branches = tree(entries(*[1, 2, 3, 3, 3, 3] * 6))
    assert 6 + 6 <= MAX_OPEN_ENTRIES < 6 + 6 + 24
    assert open_depth(branches) == 2


def test_the_first_level_is_open_however_long_it_is() -> None:
    assert open_depth(tree(entries(*[1] * 200))) == 1
    assert open_depth(tree(entries(*[1, 2] * 200))) == 1


def test_a_page_without_sections_has_no_contents() -> None:
    assert tree(()) == ()
    assert open_depth(()) == depth(()) == 0


def test_sections_with_many_below_them_begin_with_their_names() -> None:
    found = long_sections(tree(entries(1, 2, 2, 2, 2, 1, 2)))
    assert list(found) == ["s0"]
    assert [branch.entry.id for branch in found["s0"]] == ["s1", "s2", "s3", "s4"]


def test_comments_and_indentation_stay_with_the_writers() -> None:
    script = b"// Why.\n(() => {\n  /** What. */\n  const a = 'x // y'; // here\n\n  f(a);\n})();\n"
    assert minify("a.js", script) == b"(() => {\nconst a = 'x // y'; // here\nf(a);\n})();\n"
    style = b"/* One\n   two */\na { color: red; } /* three */\n"
    assert minify("a.css", style) == b"a { color: red; }\n"


def test_other_files_are_published_as_they_are() -> None:
    assert minify("icon.svg", b"  // <svg/>\n") == b"  // <svg/>\n"
