"""The website as a browser loads it: all links resolve in any folder and without a server."""

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote, urlsplit

import pytest

from tests.command import CONTENT, GAMES, ROOT
from tests.conftest import BuiltTree
from tests.sample import sample

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
ADDRESSES = ("href", "src", "poster", "action", "data")
LIBRARIES = (CONTENT, *(CONTENT / game for game in GAMES))
"""All games in one library, and each in one of its own."""


@dataclass
class Page(HTMLParser):
    ids: Counter[str] = field(default_factory=Counter)
    addresses: list[tuple[str, str]] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    headings: list[int] = field(default_factory=list)
    """Levels of the headings, in the order of the page."""
    lang: str = ""
    title: str = ""
    viewport: str = ""
    article: str = ""
    """The text of the page without its layout."""
    words: list[str] = field(default_factory=list)
    """The pieces of the article without code."""
    _open: list[tuple[str, bool, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        assert len(attributes) == len(attrs), f"<{tag}> has a duplicate attribute: {attrs}"
        self.tags[tag] += 1
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if "id" in attributes:
            self.ids[attributes["id"]] += 1
        self.addresses += [(tag, attributes[name]) for name in ADDRESSES if name in attributes]
        self.addresses += [(tag, part.split()[0]) for part in attributes.get("srcset", "").split(",") if part.strip()]
        if tag == "html":
            self.lang = attributes.get("lang", "")
        if tag == "meta" and attributes.get("name") == "viewport":
            self.viewport = attributes.get("content", "")
        if tag not in VOID:
            # The second is an attribute of the MkDocs theme.
            is_text = tag == "article" or attributes.get("itemprop") == "articleBody"
            is_hidden = tag in ("script", "style") or "permalink" in attributes.get("class", "").split()
            inside, hidden = self._open[-1][1:] if self._open else (False, False)
            self._open.append((tag, inside or is_text, hidden or is_hidden))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open, f"</{tag}> closes nothing"
            opened = self._open.pop()[0]
            assert opened == tag, f"</{tag}> closes <{opened}>"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "title" and not any(tag == "svg" for tag, *_ in self._open):
            self.title += data
        if self._open and self._open[-1][1:] == (True, False):
            self.article += data
            if not any(tag in ("code", "pre") for tag, *_ in self._open):
                self.words.append(data)


def read_pages(folder: Path) -> dict[str, Page]:
    """The pages of a tree by path, without redirects, the 404 page and the offline page."""
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        if '<meta http-equiv="refresh"' in text or "<base " in text:
            continue
        page = Page()
        page.feed(text)
        page.close()
        assert not page._open, f"{file} leaves <{page._open[-1][0]}> open"
        pages[file.relative_to(folder).as_posix()] = page
    assert pages
    return pages


pages_of = cache(read_pages)
"""The pages of a tree that no test changes, read once."""


def resolve(path: str, address: str) -> tuple[str, str] | None:
    """The file and fragment of an address on a page; `None` if it is outside the tree."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    here = PurePosixPath(path)
    target = path if not parts.path else normpath(str(here.parent / unquote(parts.path)))
    # `:~:` starts a text fragment, which makes a browser highlight text; it is not part of an id.
    return target, unquote(parts.fragment.partition(":~:")[0])


@pytest.fixture(scope="module")
def pages(built: BuiltTree) -> dict[str, Page]:
    return pages_of(built.folder)


def test_every_link_resolves_to_a_file_and_every_fragment_to_an_id(built: BuiltTree, pages: dict[str, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for _, address in page.addresses:
            target_place = resolve(path, address)
            if target_place is None:
                continue
            target, fragment = target_place
            if not (built.folder / target).is_file():
                dead.append(f"{path}: {address}")
            elif fragment and (target not in pages or fragment not in pages[target].ids):
                dead.append(f"{path}: {address} (no such id)")
    assert not dead, "\n".join(dead[:20])


def test_all_links_are_relative_and_stay_inside_the_site(pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        absolute = [address for _, address in page.addresses if address.startswith(("/", "file:", "\\"))]
        assert not absolute, f"{path}: {absolute}"
        outside = [address for _, address in page.addresses if (resolve(path, address) or ("",))[0].startswith("..")]
        assert not outside, f"{path}: {outside}"


def test_no_page_loads_files_from_other_hosts(built: BuiltTree, pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        fetched = [address for tag, address in page.addresses if tag != "a" and urlsplit(address).netloc]
        assert not fetched, f"{path}: {fetched}"
    for file in built.folder.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?([^)'\"]+)", file.read_text(encoding="utf-8")):
            assert address.startswith("data:") or (file.parent / address.partition("#")[0]).is_file(), address


def test_ids_are_unique_on_a_page(pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        assert [name for name, number in page.ids.items() if number > 1] == [], path


def test_every_page_has_title_language_viewport_and_one_main_heading(pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        assert page.tags["h1"] == 1, f"{path} has {page.tags['h1']} main headings"
        assert page.headings[0] == 1, f"{path} has a heading before the main one"
        assert page.tags["main"] == 1, path
        assert page.lang, path
        assert page.title.strip(), path
        assert "width=device-width" in page.viewport, path


def test_negative_numbers_have_a_minus_sign(pages: dict[str, Page]) -> None:
    """Code and dice keep hyphens, because a reader may copy them."""
    hyphens = {
        path: found
        for path, page in pages.items()
        if (found := [piece for piece in page.words if re.search(r"(?:^|[\s(“])-\d", piece)])
    }
    assert hyphens == {}


def test_titles_are_unique(pages: dict[str, Page]) -> None:
    titles = Counter(page.title for page in pages.values())
    assert [title for title, number in titles.items() if number > 1] == []


def test_every_page_is_reachable_from_the_home_page(pages: dict[str, Page]) -> None:
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        path = waiting.pop()
        for tag, address in pages[path].addresses:
            target = resolve(path, address) if tag == "a" else None
            if target and target[0] in pages and target[0] not in reached:
                reached.add(target[0])
                waiting.append(target[0])
    assert set(pages) - reached == set()


def test_link_to_an_unwritten_chapter_is_rendered_as_text(built: BuiltTree) -> None:
    chapter = (built.folder / "kismet/core-rules/index.html").read_text(encoding="utf-8")
    assert 'class="unwritten"' in chapter
    assert not re.search(r"<a [^>]*class=\"[^\"]*unwritten", chapter)


@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "kismet/index.html",
        "kismet/core-rules/index.html",
        "kismet/combat-rules/index.html",
        "kismet/skill/index.html",
        "kismet/skill/acrobatics/index.html",
        "kismet/condition/paralyzed/index.html",
        "kismet/damage-type-wound/frostbitten/index.html",
        "kismet/questions/index.html",
    ],
)
def test_page_listed_in_the_contract_exists(pages: dict[str, Page], path: str) -> None:
    assert path in pages


def test_chapter_html_contains_the_whole_text(pages: dict[str, Page]) -> None:
    whole = pages["kismet/core-rules/print/index.html"].article.split()
    assert len(whole) > 3000
    of_pages = " ".join(page.article for path, page in pages.items() if path.startswith("kismet/core-rules/")).split()
    assert Counter(whole) <= Counter(of_pages) - Counter(whole)


@pytest.mark.slow
@pytest.mark.parametrize("library", sample(LIBRARIES, 5), ids=lambda path: path.name)
def test_mkdocs_publishes_the_same_pages_at_the_same_urls(content: BuiltTree, tmp_path: Path, library: Path) -> None:
    out, settings = tmp_path / "mkdocs", tmp_path / "mkdocs.yml"
    text = (ROOT / "site/mkdocs.yml").read_text(encoding="utf-8")
    for old, new in (("docs_dir: mkdocs", f"docs_dir: {ROOT / 'site/mkdocs'}"), ("../content", str(library))):
        assert old in text
        text = text.replace(old, new)
    settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", settings, "-d", out]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    ours, theirs = pages_of(content.folder), read_pages(out)
    assert set(theirs) - set(ours) <= {"404.html", "search.html"}
    # A chapter is one page in MkDocs.
    if library != CONTENT:
        ours = {path: page for path, page in ours.items() if path.startswith(f"{library.name}/")}
    split = {path.removesuffix("print/index.html") for path in ours if re.fullmatch(r"\w+/.+/print/index.html", path)}
    assert len(split) == 5 or library != CONTENT
    # The manual is for authors, and My table needs scripts: both are not in a website of MkDocs.
    apart = re.compile(r"docs/|\w+/table/")
    same = {path: page for path, page in ours.items() if not path.startswith(tuple(split)) and not apart.match(path)}
    assert set(same) <= set(theirs)
    for path, page in same.items():
        # Our pages state the source outside the article, those of MkDocs at the end of it.
        words = page.article.split()
        assert theirs[path].article.split()[: len(words)] == words, path


def test_page_of_questions_has_every_question_of_the_data(built: BuiltTree, pages: dict[str, Page]) -> None:
    page = pages["kismet/questions/index.html"]
    listed = json.loads((built.folder / "data/kismet/questions.json").read_bytes())["questions"]
    assert listed
    for question in listed:
        assert page.ids[question["id"].rpartition("/")[2]] == 1
        assert " ".join(question["title"].split()) in " ".join(page.article.split())
        assert ("#" + question["url"].partition("#")[2]) in {
            address[address.find("#") :] for _, address in page.addresses
        }
