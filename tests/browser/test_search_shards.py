"""Search in a game with shards finds the same as in one index, and loads only a few more bytes."""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmarks import library
from kismet_build.output import search_index
from kismet_build.output.search_index import INDEX_FOLDER, pagefind_program
from kismet_build.output.tree import replace_tree
from kismet_build.pack import compiled_game
from tests.browser.conftest import TIMEOUT, strict_context
from tests.browser.host import CompressingHandler, serve_folder
from tests.command import emitter_of, kismet, tree
from tests.sample import sample

pytestmark = pytest.mark.skipif(pagefind_program() is None, reason="there is no Pagefind for this machine")

CHAPTERS = 340
"""Chapters of the library, with 1,224 indexed pages: the smallest number with 16 shards."""
QUERIES = 200
MAX_BYTES_RATIO = 1.3
"""Maximum ratio of the bytes loaded until the first results to those of a single index."""
GAME = "generated"

OPEN = """async () => {
  await kismet.need("search-shards.js");
  const root = new URL(document.documentElement.dataset.root, location.href);
  const folder = (name) => new URL(`assets/${name}/generated/`, root).href;
  const shards = await (await fetch(`${folder("pagefind")}shards.json`)).json();
  const { createInstance } = await import(`${folder("one-index")}pagefind.js`);
  const one = createInstance({ basePath: folder("one-index"), baseUrl: "/", noWorker: true });
  await one.init();
  window.engines = [one, await kismet.openShards(folder("pagefind"), shards, { baseUrl: "/" })];
  return shards.length;
}"""
"""Opens the shards and the one index of the same pages."""
SEARCH = """(words) => Promise.all(window.engines.map(async (engine) => {
  const { results } = await engine.search(words);
  // The pages that may be among the first three: those with the score of the third.
  const tied = results.filter(({ score }, place) => place < 3 || score > results[2].score * 0.99999);
  const pages = await Promise.all(tied.slice(0, 40).map(async ({ score, data }) => [(await data()).url, score]));
  return { count: results.length, pages };
}))"""


@dataclass(frozen=True, slots=True)
class Found:
    """The results of one query."""

    count: int
    pages: Sequence[tuple[str, float]]
    """Address and score of the first three pages, and of those with the same score as the third."""

    def differences(self, other: "Found") -> list[str]:
        """The differences of the first three results, apart from the order of equal scores."""
        found = [f"{self.count} results, not {other.count}"] if self.count != other.count else []
        scores = dict(self.pages)
        for (address, score), (_, expected) in zip(other.pages[:3], self.pages[:3], strict=True):
            if score != pytest.approx(expected, rel=1e-4) or scores.get(address) != pytest.approx(score, rel=1e-4):
                found.append(f"{address} has {score}, not {expected}")
        return found


@dataclass(frozen=True, slots=True)
class Library:
    """A built library with shards; `assets/one-index` has one index of the same pages."""

    folder: Path
    queries: Sequence[str]
    served: str = ""


@pytest.fixture(scope="module")
def large_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shards")
    library.write(folder / "texts", CHAPTERS)
    with pytest.MonkeyPatch.context() as patch:
        # Act as if the text were too long for the index of entries.
        patch.setattr(compiled_game, "MAX_SEARCHED_CHARACTERS", 0)
        assert kismet("build", folder / "texts", "--out", folder / "public").status == 0
        patch.setattr(search_index, "SHARDS_BY_PAGES", ())
        files = tree(folder / "public").items()
        replace_tree(emitter_of((path, data) for path, data in files if INDEX_FOLDER not in path), folder / "one")
    shutil.copytree(folder / "one" / INDEX_FOLDER, folder / "public/assets/one-index")
    with serve_folder(folder, host=CompressingHandler) as address:
        yield Library(folder, [*queries(folder / "texts")], address)


def queries(texts: Path) -> Iterator[str]:
    """Queries of one word, two words and names: words from anywhere, and consecutive words of a text."""
    random = Random(16)
    paragraphs = [
        line for file in sorted(texts.rglob("*.md")) for line in file.read_text(encoding="utf-8").splitlines()
    ]
    words = sorted({word for line in paragraphs for word in re.findall(r"[^\W\d_]{3,}", line)})
    names = [library.PageId(number).name for number in range(CHAPTERS)]
    for number in range(QUERIES):
        match number % 5:
            case 0:
                yield random.choice(words)
            case 1:
                yield " ".join(random.sample(words, 2)).lower()
            case 2:
                yield " ".join(re.findall(r"[^\W\d_]{3,}", random.choice(paragraphs))[:2]) or random.choice(words)
            case 3:
                yield random.choice(names)
            case _:
                yield f"{random.choice(names)} {random.choice((*library.AILMENTS, *library.PLACES))}"


def chapter(large: Library, tree: str = "public") -> str:
    return f"{large.served}{tree}/{GAME}/folder-000/page-0000/index.html"


def test_the_first_three_results_are_those_of_one_index(context: BrowserContext, large_library: Library) -> None:
    page = context.new_page()
    page.goto(chapter(large_library))
    page.set_default_timeout(0)
    assert page.evaluate(OPEN) == 8
    wrong = {}
    for words in sample(large_library.queries, 10):
        one, shards = (Found(**found) for found in page.evaluate(SEARCH, words))
        if differences := one.differences(shards):
            wrong[words] = differences
    assert wrong == {}


def test_words_that_begin_with_a_typed_word_are_found_in_the_next_files(
    context: BrowserContext, large_library: Library
) -> None:
    page = context.new_page()  # Use a new page, because an earlier query may have loaded these files.
    page.goto(chapter(large_library))
    assert page.evaluate(OPEN) == 8
    # In some shards a file of words ends between "wit" and "with".
    one, shards = (Found(**found) for found in page.evaluate(SEARCH, "haze wit"))
    assert one.count > 3
    assert one.differences(shards) == []


def search(page: Page, words: str) -> None:
    page.keyboard.press("/")
    field = page.get_by_role("dialog", name="Search").get_by_role("combobox")
    field.fill(words)
    expect(page.get_by_role("dialog", name="Search").get_by_role("status")).to_contain_text("result", timeout=TIMEOUT)


def found_in_text(page: Page) -> list[str]:
    rows = page.get_by_role("group", name="In the text").get_by_role("option")
    addresses: list[str] = rows.evaluate_all(
        "rows => rows.map((row) => row.getAttribute('href').split('/generated/')[1])"
    )
    return addresses


def loaded(context: BrowserContext, address: str, words: str) -> tuple[int, int, list[str]]:
    """Requests and bytes from the opening of the search box to its results, and the results in the text."""
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    before = page.evaluate(
        "performance.setResourceTimingBufferSize(1000), performance.getEntriesByType('resource').length"
    )
    search(page, words)
    sizes: list[Any] = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.encodedBodySize)")
    return len(sizes[before:]), sum(sizes[before:]), found_in_text(page)


@pytest.mark.parametrize("words", sample(["lantern", "crooked bridge", library.PageId(7).name.lower()], 3))
def test_the_first_results_cost_few_more_bytes_than_from_one_index(
    browser: Browser, large_library: Library, words: str
) -> None:
    with strict_context(browser) as context:
        _, one_bytes, one_results = loaded(context, chapter(large_library, "one"), words)
    with strict_context(browser) as context:
        requests, shards_bytes, results = loaded(context, chapter(large_library), words)
    assert requests > 8 * 3
    assert shards_bytes <= MAX_BYTES_RATIO * one_bytes
    assert len(results) > 3
    assert len(results) == len(one_results)


def test_a_missing_shard_hides_its_own_pages_alone(browser: Browser, large_library: Library) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/pagefind/generated/05/**", lambda route: route.abort())
    page.goto(chapter(large_library))
    search(page, "lantern")
    assert len(found_in_text(page)) > 3
    context.close()


def test_a_search_is_repeated_offline(browser: Browser, large_library: Library) -> None:
    with strict_context(browser, service_workers="allow") as context:
        page = context.new_page()
        with serve_folder(large_library.folder) as address:
            page.goto(f"{address}public/{GAME}/index.html")
            page.evaluate("navigator.serviceWorker.ready")
            page.reload()
            search(page, "lantern")
            online = found_in_text(page)
        page.reload()
        search(page, "lantern")
        assert found_in_text(page) == online
