"""Messages for people count repetitions of a fault; the formats for programs list each of them."""

from pathlib import Path

from kismet_build.model.diagnostic import Diagnostic, Related, count_by_code, group_repeats, to_text, warning
from kismet_build.model.source import Source
from tests.command import kismet

SOURCE = Source("Walk.md", "one\ntwo\nthree\nfour\nfive\nsix")


def faults(words: str, lines: range) -> list[Diagnostic]:
    return [
        warning("odd-word", SOURCE.span(SOURCE.line_starts[line - 1], SOURCE.line_starts[line - 1] + 3), words)
        for line in lines
    ]


def test_repeats_are_one_message_with_a_count_and_the_first_places() -> None:
    grouped = group_repeats([*faults("odd", range(1, 7)), *faults("other", range(1, 4))])
    assert [diagnostic.message for diagnostic in grouped] == ["6 × odd", "other", "other", "other"]
    lines = to_text(grouped[0]).splitlines()
    assert lines[0] == "warning[odd-word]: 6 × odd"
    assert [line.strip() for line in lines[5:]] == [
        "= also here: Walk.md:2:1",
        "= also here: Walk.md:3:1",
        "= also here: Walk.md:4:1",
        "= and in 2 more places",
    ]
    (repeated,) = group_repeats(faults("odd", range(1, 6)))
    assert to_text(repeated).splitlines()[-1].strip() == "= and in 1 more place"


def test_diagnostic_that_refers_to_other_places_is_no_repeat() -> None:
    related = (Related(SOURCE.span(0, 3), "the first"),)
    each = [warning("odd-word", SOURCE.span(start, start + 1), "odd", related=related) for start in range(9)]
    assert group_repeats(each) == each


def test_control_characters_of_a_text_do_not_reach_the_terminal() -> None:
    source = Source(path="a\nb.md", text="\x1b[2J [[Gone]]\u202e\x9b2J\n")
    lines = to_text(warning("unresolved-link", source.span(5, 13), "nothing is \x1b]0;owned\x07")).split("\n")
    assert lines[0] == "warning[unresolved-link]: nothing is \ufffd]0;owned\ufffd"
    assert lines[1] == " --> a\ufffdb.md:1:6"
    assert lines[3] == "1 | \ufffd[2J [[Gone]]\ufffd\ufffd2J"


def test_run_ends_with_the_number_of_each_code(tmp_path: Path) -> None:
    (tmp_path / "Walk.md").write_text("[[Nowhere]] and [[Nobody]], !! **odd **, {{ page }}.\n", encoding="utf-8")
    run = kismet("check", tmp_path)
    assert "2 unresolved-link" in run.output.splitlines()[-2]
    assert "1 note (kismet check prints them); the website is at" in kismet("build", tmp_path, cwd=tmp_path).out
    assert count_by_code(faults("odd", range(1, 3))) == "2 odd-word"
    assert not count_by_code([])
