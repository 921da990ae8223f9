"""Links between Markdown files are valid: the target of each exists, and its fragment is that of a heading."""

import json
import re
from itertools import pairwise
from urllib.parse import unquote, urljoin

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kismet_build.model.markdown_text import escaped_text
from tests.command import tree
from tests.conftest import BuiltTree

PARSER = MarkdownIt("commonmark").enable("table")


@pytest.fixture(scope="module")
def files(content: BuiltTree) -> dict[str, bytes]:
    return tree(content.folder)


@pytest.fixture(scope="module")
def texts(files: dict[str, bytes]) -> dict[str, list[Token]]:
    ends = (".md", "llms.txt", "llms-full.txt")
    return {path: PARSER.parse(content.decode()) for path, content in files.items() if path.endswith(ends)}


def links(tokens: list[Token]) -> list[str]:
    inside = (child for token in tokens for child in token.children or ())
    return [str(child.attrs["href"]) for child in inside if child.type == "link_open"]


def fragments(tokens: list[Token]) -> set[str]:
    """The fragments of the headings of a file, made as GitHub does."""
    found: list[str] = []
    for start, heading in pairwise(tokens):
        if start.type == "heading_open":
            kinds = ("text", "code_inline", "softbreak")
            words = "".join(child.content or " " for child in heading.children or () if child.type in kinds)
            found.append(re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-"))
    return {f"{name}-{before}" if (before := found[:place].count(name)) else name for place, name in enumerate(found)}


def test_links_lead_to_existing_files_and_headings(files: dict[str, bytes], texts: dict[str, list[Token]]) -> None:
    headings = {path: fragments(tokens) for path, tokens in texts.items()}
    dead = []
    for path, tokens in texts.items():
        for link in links(tokens):
            target, _, fragment = unquote(urljoin(path, link)).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            is_dead = target not in files
            if not is_dead and fragment:
                names = headings.get(target)
                page = files[target].decode(errors="replace")
                is_dead = fragment not in names if names is not None else f'id="{fragment}"' not in page
            if is_dead:
                dead.append((path, link))
    assert dead == []


def test_links_lead_to_the_markdown_of_pages_that_have_it(
    files: dict[str, bytes], texts: dict[str, list[Token]]
) -> None:
    targets = {urljoin(path, link) for path in texts for link in links(texts[path])}
    assert {target for target in targets if f"{target.partition('#')[0]}.md" in files} == set()


@pytest.mark.parametrize("game", ["kismet", "kiss", "legend", "marchen"])
def test_full_text_has_the_words_of_all_chapters(game: str, files: dict[str, bytes]) -> None:
    whole = {*re.findall(r"\w+", files[f"{game}/llms-full.txt"].decode().casefold())}
    listed = re.findall(rf"\]\(\.\./({game}/[^)]*\.md)\)$", files[f"{game}/llms.txt"].decode(), re.MULTILINE)
    assert listed
    for path in listed:
        text = re.sub(r"\A# .*|\]\([^)]*\)", "", files[path].decode().casefold())
        assert {*re.findall(r"\w+", text)} <= whole, path


@pytest.mark.parametrize("game", ["kismet", "kiss", "legend", "marchen"])
def test_texts_end_with_the_rights_and_lists_link_each_once(game: str, files: dict[str, bytes]) -> None:
    head = json.loads(files[f"data/{game}/pack.json"])["game"]
    rights = escaped_text(" ".join(f"{head['licence']} {head['attribution']}".split()))
    texts = [path for path in files if path.startswith(f"{game}/") and path.endswith("index.html.md")]
    assert texts
    assert [path for path in texts if not files[path].decode().endswith(f"\n\n{rights}\n")] == []
    for part in files[f"{game}/llms.txt"].decode().split("\n## "):
        linked = re.findall(r"\]\(([^)]*)\)", part)
        assert len(linked) == len({*linked}), part
