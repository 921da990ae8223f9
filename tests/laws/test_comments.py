"""A comment hides what is in it, wherever it stands, and nothing else if it ends in its own block."""

import re
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.render.fragments.renderer import to_html

SECRET = "zqsecret"
CONTAINERS = ("", "> ", "> > ", "- ", "1. ", "  - ", "> - ", "> [!note] Title\n> ", "[^1]: ")
"""What may stand before the first line of a block. The lines below it are indented or quoted like it."""
BLOCKS = (
    "A word {0} and more.",
    "# Heading {0}",
    "One {0}\ntwo {0} lines.",
    "| a {0} | b |\n|---|---|\n| {0} | c {0} |",
    "- item {0}\n- other\n  below {0}",
    "Term {0}\n: definition {0}",
    "**Label:** {0}",
    "Words {0} ^block",
    "{0}",
)
INLINE = (f"%%{SECRET}%%", f"%% {SECRET} **b** `c` %%", f"%%{SECRET} [[Link|x]] #tag%%", f"%%{SECRET}\n{SECRET}%%", "")
ALONE = (
    f"%%\n{SECRET}\n\n{SECRET} more\n%%",
    f"%%\n# {SECRET}\n\n- {SECRET}\n\n```\n{SECRET}\n```\n%%",
    f"%% {SECRET}\n> {SECRET}\n%%",
    f"%%{SECRET}%%",
    f"%%\n\n{SECRET}\n%%",
    f"%%\n| {SECRET} | x |\n%%",
)
CODE = (
    "```\n%%shown%%\n```",
    "~~~~ md\n%%shown\n~~~~",
    "`%%shown%%` in a line",
    "A price of 50%%, a roll of d%% here.",
)


def shown(text: str) -> tuple[str, Sequence[Diagnostic]]:
    """Everything that a document holds of a text, and its diagnostics."""
    said: list[Diagnostic] = []
    document = read(Source("Note.md", text), "obsidian", said.append, {})
    everything = [repr(document), to_html(document.blocks), document.source.text]
    everything += [f"{found.message} {found.hint} {found.span.source.text}" for found in said]
    return "\n".join(everything), said


def inside(container: str, block: str) -> str:
    """A block in a container."""
    first, *others = block.split("\n")
    last = container.rpartition("\n")[2]
    below = re.sub(r"[-\d.\[\]^:]", " ", last)
    return "\n".join([container + first, *((below + line).rstrip() for line in others)])


blocks = st.builds(
    lambda container, block, inline: inside(container, block.format(inline)),
    st.sampled_from(CONTAINERS),
    st.sampled_from(BLOCKS),
    st.sampled_from(INLINE),
)
alone = st.builds(inside, st.sampled_from(CONTAINERS), st.sampled_from(ALONE))
code = st.builds(inside, st.sampled_from(CONTAINERS[:3]), st.sampled_from(CODE))
gaps = st.sampled_from(("\n", "\n\n", "\n\n\n"))


@given(st.lists(st.tuples(st.one_of(blocks, alone, code), gaps), min_size=1, max_size=8))
@example([("- item", "\n"), (ALONE[0], "\n\n"), ("> [!note] Title\n> text", "\n")])
@example([("50%% more", "\n\n"), (ALONE[0], "\n")])
def test_no_word_of_a_comment_is_anywhere(parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{block}{gap}" for block, gap in parts)
    assert SECRET not in shown(text)[0]


@given(st.lists(st.tuples(st.one_of(blocks, alone, code), gaps), min_size=1, max_size=6), st.sampled_from(CONTAINERS))
def test_a_comment_that_never_closes_shows_no_later_one(parts: list[tuple[str, str]], container: str) -> None:
    """The signs below an open comment could be paired in another way, which would show what is between them."""
    text = inside(container, "Words %%open") + "\n\n" + "".join(f"{block}{gap}" for block, gap in parts)
    content, said = shown(text)
    assert SECRET not in content
    assert "unclosed-comment" in [found.code for found in said]


@given(st.lists(st.tuples(st.sampled_from(CONTAINERS), st.sampled_from(BLOCKS[:4])), min_size=1, max_size=6))
def test_comments_in_their_own_block_change_nothing_else(parts: list[tuple[str, str]]) -> None:
    """Each block has two versions: with a comment, and without."""
    with_comment = "\n\n".join(inside(container, block.format(INLINE[0])) for container, block in parts)
    without = "\n\n".join(inside(container, block.format("")) for container, block in parts)
    documents = [read(Source("Note.md", text), "obsidian", lambda _: None, {}) for text in (with_comment, without)]
    first, second = (re.sub(r"\s+", " ", to_html(document.blocks)) for document in documents)
    assert first == second


def test_comments_in_properties_are_no_part_of_them() -> None:
    values = f"title: A <!-- {SECRET} --> moth\nfood: '50%% %% {SECRET} %%'\nmore: <!--\n  {SECRET} -->\n"
    text = f"---\n{values}---\nHome\n"
    everything, said = shown(text)
    assert SECRET not in everything
    assert "50%%" in everything
    assert not said


def test_a_comment_of_kramdown_without_an_end_hides_the_rest() -> None:
    for text in (f"a {{::comment}} {SECRET}\n\n{SECRET}\n", f"a\n\n{{::comment}}\n{SECRET}\n\n# {SECRET}\n"):
        said: list[Diagnostic] = []
        document = read(Source("Note.md", text), "jekyll", said.append, {})
        assert SECRET not in repr(document)
        assert [one.code for one in said] == ["unclosed-comment"]
    closed = f"a {{::comment}}{SECRET}{{:/comment}} b\n\n{{::comment}}\n{SECRET}\n{{:/}}\n\nc `{{::comment}}`\n"
    assert to_html(read(Source("Note.md", closed), "jekyll", lambda _: None, {}).blocks).count(SECRET) == 0
