"""A library with more games than its home page lists: games by letter, and search by the start of a word."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from kismet_build import cli
from kismet_build.config.library import LibraryConfig
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.render.data.listing import listing
from kismet_build.render.pages.library import MAX_LISTED_GAMES
from kismet_build.render.site.outputs import library_files
from tests.browser.conftest import strict_context
from tests.browser.host import serve_folder
from tests.browser.test_search import PHONE, field, results
from tests.many_games import write_game

GAMES = MAX_LISTED_GAMES + 2
SEARCH_SCRIPTS = ("search-text.js", "search-rank.js", "search-box.js")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("many")
    for number in range(GAMES):
        write_game(folder / "library", number)
    for number, title in enumerate(("Agate", "Against the Ox"), GAMES):
        write_game(folder / "library", number)
        game = folder / "library" / f"game-{number:03}" / "game.yaml"
        game.write_text(game.read_text(encoding="utf-8").replace(f"Game {number}", title), encoding="utf-8")
    assert cli.main(["build", str(folder / "library"), "--out", str(folder / "out"), "--quiet"]) == 0
    with serve_folder(folder / "out") as address:
        yield address


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with strict_context(browser, **PHONE) as context:
        yield context.new_page()


def test_home_page_leads_to_games_by_letter(phone: Page, library: str) -> None:
    phone.goto(library)
    expect(phone.locator(".card.game")).to_have_count(0)
    phone.get_by_role("link", name=f"G {GAMES}").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Games: G")
    phone.get_by_role("link", name="Game 7", exact=True).click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Game 7")


def test_home_page_finds_games_and_entries_by_name(phone: Page, library: str) -> None:
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url.removeprefix(library)))
    phone.goto(library)
    phone.get_by_role("searchbox").click()
    field(phone).fill("strike 1")  # No name contains the number.
    expect(results(phone).first).to_contain_text("Strike")
    field(phone).fill("game 41")
    expect(results(phone).first).to_contain_text("Game 41")
    indexes = [address for address in asked if "assets/search/" in address or address.endswith("-search.js")]
    assert indexes == ["assets/search/73-74.js", "assets/search/67-61.js"], "one index for the longest word"
    field(phone).fill("s")
    expect(phone.locator(".search-note").last).to_have_text("Type more letters.")
    field(phone).fill("zzz")
    expect(phone.locator(".search-note").last).to_have_text("No results for “zzz” in all games.")
    field(phone).fill("strike")
    results(phone).first.click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Strike")


def test_whole_name_with_common_words_is_found(phone: Page, library: str) -> None:
    """The name Agate makes an index for the start of "against", but no index contains common words."""
    phone.goto(library)
    phone.get_by_role("searchbox").click()
    field(phone).fill("against the ox")
    expect(results(phone).first).to_contain_text("Against the Ox")


def test_search_without_a_connection_says_so_and_works_when_it_is_back(browser: Browser, library: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(library)
        page.get_by_role("searchbox").click()
        context.route("**/assets/search/*", lambda route: route.abort())
        field(page).fill("strike")
        expect(page.locator(".search-note").last).to_have_text("The names cannot be loaded. Check the connection.")
        context.unroute("**/assets/search/*")
        field(page).fill("strikes")
        expect(results(page).first).to_contain_text("Strike")


def test_page_of_a_game_searches_its_text_and_names_of_the_others(phone: Page, library: str) -> None:
    phone.goto(library + "g004/turns/index.html")
    phone.keyboard.press("/")
    field(phone).fill("turn has steps")
    expect(results(phone).first).to_contain_text("A turn has 4 steps")
    phone.get_by_role("radio", name="All games").check()
    field(phone).fill("strike")
    expect(results(phone).nth(30)).to_contain_text("Strike")
    assert len({row.get_attribute("href") for row in results(phone).all()}) == results(phone).count()


def test_library_of_two_thousand_games_fits_the_budget_of_a_phone(tmp_path: Path) -> None:
    """Limits the uncompressed bytes, without fonts, of the home page, the first result, and the games with a letter."""
    write_game(tmp_path, 0)
    game = load_library(tmp_path / "game-000", None, lambda _: None).games[0]
    model = dict(listing(compile_game(game, lambda _: None)))
    (move,) = model["entities"]["move"]
    random = Random(42)
    starts, ends = ("b", "gr", "k", "st", "th"), ("a", "es", "or")
    words = [f"{a}{b}{c}{d}" for a in starts for b in "aeiou" for c in "lmnr" for d in ends]
    packs = []
    for number in range(2000):
        name, game_id = " ".join(random.sample(words, 2)).title(), f"g{number:04}"
        facts = model["game"] | {"id": game_id, "title": name, "description": f"The game of {name}."}
        moves = [move | {"name": " ".join(random.sample(words, 2)), "url": f"{game_id}/move/{n}/"} for n in range(10)]
        packs.append(model | {"game": facts, "entities": {"move": moves}})
    made = library_files(packs, LibraryConfig(), list)
    files = {path: make() for path, make in made if not path.endswith("llms.txt")}
    home = files["index.html"].decode()
    loaded = [path for path in re.findall(r'(?:src|href)="(assets/[^"]+)"', home) if path.endswith((".js", ".css"))]
    at_home = sum(len(files[path]) for path in ("index.html", *loaded))
    search = sum(len(files[f"assets/{name}"]) for name in ("games.js", "search-words.js", *SEARCH_SCRIPTS))
    names = max(len(content) for path, content in files.items() if path.startswith("assets/search/"))
    assert at_home < 150_000
    assert at_home + search + names < 300_000
    assert max(len(content) for path, content in files.items() if path.startswith("games/")) < 300_000
