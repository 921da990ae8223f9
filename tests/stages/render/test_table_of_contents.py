"""The table of contents is expanded to two levels if a screen allows; published scripts have no comments."""

from pathlib import Path

from kismet_build.model.downloads import minify
from kismet_build.render.pages.page import MAX_OPEN_ENTRIES, Entry, depth, long_sections, open_depth, tree
from tests.command import kismet, write_files


def entries(*levels: int) -> tuple[Entry, ...]:
    return tuple(Entry(level, f"Section {place}", f"s{place}") for place, level in enumerate(levels))


def test_an_entry_contains_the_deeper_entries_after_it() -> None:
    first, second = tree(entries(1, 2, 3, 2, 1))
    assert [branch.entry.id for branch in first.children] == ["s1", "s3"]
    assert [branch.entry.id for branch in first.children[0].children] == ["s2"]
    assert second.children == ()


def test_an_entry_without_a_parent_is_at_the_top() -> None:
    assert [branch.entry.id for branch in tree(entries(3, 1, 2))] == ["s0", "s1"]


def test_a_short_table_is_expanded_to_two_levels() -> None:
    branches = tree(entries(1, 2, 3, 1, 2))
    assert (open_depth(branches), depth(branches)) == (2, 3)


def test_a_long_table_is_expanded_as_deep_as_a_screen_allows() -> None:
    branches = tree(entries(*[1, 2, 3, 3, 3, 3] * 6))
    assert 6 + 6 <= MAX_OPEN_ENTRIES < 6 + 6 + 24
    assert open_depth(branches) == 2


def test_the_first_level_is_always_expanded() -> None:
    assert open_depth(tree(entries(*[1] * 200))) == 1
    assert open_depth(tree(entries(*[1, 2] * 200))) == 1


def test_page_without_sections_has_no_table_of_contents() -> None:
    assert tree(()) == ()
    assert open_depth(()) == depth(()) == 0


def test_section_with_many_subsections_begins_with_a_list_of_them() -> None:
    branches = long_sections(tree(entries(1, 2, 2, 2, 2, 1, 2)))
    assert list(branches) == ["s0"]
    assert [branch.entry.id for branch in branches["s0"]] == ["s1", "s2", "s3", "s4"]


def test_numbered_sections_are_listed_with_their_numbers(tmp_path: Path) -> None:
    text = "= Rules\n:sectnums:\n\n== Lamps\n\n=== *Oil*\n\nSee <<_oil>>.\n"
    run = kismet("build", write_files(tmp_path / "rules", {"rules.adoc": text}), "--out", tmp_path / "public")
    assert run.status == 0, run.output
    page = (tmp_path / "public/rules/index.html").read_text(encoding="utf-8")
    assert '<h2 id="_lamps">1. Lamps' in page
    assert '<h3 id="_oil">1.1. <strong>Oil</strong>' in page
    assert '<a href="#_oil">1.1. Oil</a>' in page
    assert "See <a " in page
    assert ">Oil</a>.</p>" in page


def test_published_scripts_have_no_comments_or_indentation() -> None:
    script = b"// Why.\n/**\n * How.\n */\n(() => {\n  /** What. */\n  const a = 'x // y'; // here\n\n  f(a);\n})();\n"
    assert minify("a.js", script) == b"(() => {\nconst a = 'x // y'; // here\nf(a);\n})();\n"
    style = b"/* One\n   two */\na { color: red; } /* three */\n"
    assert minify("a.css", style) == b"a { color: red; }\n"


def test_other_files_are_published_unchanged() -> None:
    assert minify("icon.svg", b"  // <svg/>\n") == b"  // <svg/>\n"
