"""Live reload: the open page reloads without a jump, and shows diagnostics."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from kismet_build.render.html.templates import SITE
from tests.browser.conftest import strict_context
from tests.browser.host import serve_folder
from tests.command import kismet
from tests.serve_process import ServeProcess, start_server
from tests.small_library import CALCULATORS, GAME, TEXT, write_library

CHAPTER = "ember-court/court/index.html"
PARAGRAPH_COUNT = 60
"""Number of paragraphs of the chapter, each with a unique text."""
SECRET = "> [!note]- A secret\n> Nobody bows to the dead.\n\n"
"""A collapsed callout."""
LONG = TEXT + "\n".join(
    f"{'## Hall ' + str(number) + chr(10) * 2 if number % 10 == 0 else ''}{SECRET if number == 20 else ''}"
    f"Door {number} of the court opens to those who knock {number} times, and stays closed to all others.\n"
    for number in range(PARAGRAPH_COUNT)
)
MAX_SCROLL_CHANGE = 2
"""Maximum pixels that the visible text may move."""
FRAMES = """
(globalThis.seen = []), requestAnimationFrame(function look() {
  if (document.body && getComputedStyle(document.documentElement).visibility === "visible") seen.push(scrollY);
  requestAnimationFrame(look);
})
"""
"""Records the scroll position in each visible frame."""

SET_HIDDEN = """(is) => {
  Object.defineProperty(document, "hidden", { value: is, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Makes a page report that it is hidden or visible."""
HAS_NO_WORKER = """async () => {
  const { get } = Object.getOwnPropertyDescriptor(Navigator.prototype, "serviceWorker");
  return !(await get.call(navigator).getRegistration());
}"""
"""Whether no service worker is registered. The page itself cannot see workers."""
MISS_FIRST_TAKE_OVER = """{
  const takeOver = skipWaiting.bind(self);
  let calls = 0;
  self.skipWaiting = async () => calls++ && takeOver();
}
"""
"""Start of a service worker: its first call of `skipWaiting` does nothing, as when Chromium misses it."""


@dataclass
class Desk:
    """The edited texts, the server that rebuilds them, and the open page."""

    texts: Path
    server: ServeProcess
    page: Page

    @property
    def chapter(self) -> Path:
        return self.texts / "1 Court.md"

    def edit(self, old: str, new: str, file: Path | None = None) -> str:
        file = file or self.chapter
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return self.server.built()

    def open(self, path: str = CHAPTER) -> None:
        with self.page.expect_response(re.compile("_kismet/state")):
            self.page.goto(self.server.address + path)
        self.page.evaluate("globalThis.isSame = true")

    def is_same(self) -> bool:
        """Whether the page has not been reloaded since it was opened."""
        return bool(self.page.evaluate("globalThis.isSame === true"))

    def wait_until_settled(self) -> None:
        """Wait until a reloaded page has restored its scroll position."""
        expect(self.page.locator("html")).to_have_attribute("data-live", "settled")

    def scroll_to(self, words: str) -> float:
        """Scroll a text a little below the top of the window, and return its position."""
        self.page.get_by_text(words).evaluate("node => scrollTo(0, node.getBoundingClientRect().top + scrollY - 200)")
        return self.top(words)

    def top(self, words: str) -> float:
        return float(self.page.get_by_text(words).evaluate("node => node.getBoundingClientRect().top"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court", game=f"{GAME}split: false\n", text=LONG)


@pytest.fixture
def desk(texts: Path, context: BrowserContext) -> Iterator[Desk]:
    with start_server(texts) as server:
        yield Desk(texts, server, context.new_page())
        context.close()  # Do this before the server stops, since a page logs a lost connection to the console.


def test_edits_above_and_below_keep_the_scroll_position(desk: Desk) -> None:
    desk.page.add_init_script(FRAMES)
    desk.open()
    before = desk.scroll_to("Door 31 of")
    desk.edit("Door 3 of", "Before it is another door.\n\n" * 9 + "Door 3 of")
    expect(desk.page.get_by_text("Before it is another door.")).to_have_count(9)
    desk.wait_until_settled()
    assert abs(desk.top("Door 31 of") - before) <= MAX_SCROLL_CHANGE
    assert min(desk.page.evaluate("seen")) > 200, "the top of the page was visible"

    desk.edit("Door 50 of", "And another one.\n\nDoor 50 of")
    expect(desk.page.get_by_text("And another one.")).to_have_count(1)
    desk.wait_until_settled()
    assert abs(desk.top("Door 31 of") - before) <= MAX_SCROLL_CHANGE


def test_edit_keeps_the_scroll_position_despite_a_url_fragment(desk: Desk) -> None:
    desk.open(f"{CHAPTER}#hall-10")
    before = desk.scroll_to("Door 41 of")
    desk.edit("Door 3 of", "Another door.\n\nDoor 3 of")
    expect(desk.page.get_by_text("Another door.")).to_have_count(1)
    desk.wait_until_settled()
    assert abs(desk.top("Door 41 of") - before) <= MAX_SCROLL_CHANGE


def test_edited_line_stays_visible(desk: Desk) -> None:
    desk.open()
    before = desk.scroll_to("Door 31 of")
    desk.edit("Door 31 of the court opens", "Door 31 of the court slowly opens")
    expect(desk.page.get_by_text("Door 31 of the court slowly opens")).to_have_count(1)
    desk.wait_until_settled()
    assert abs(desk.top("Door 31 of") - before) <= 40


def test_update_keeps_open_elements_and_entered_values(desk: Desk) -> None:
    (desk.texts / "calculators").mkdir()
    (desk.texts / "calculators" / "jumps.yaml").write_text(CALCULATORS, encoding="utf-8")
    desk.server.built()
    desk.open()
    desk.page.get_by_text("A secret").click()
    calculator = desk.page.locator("details.calculator", has_text="Far Jump").first
    calculator.locator("summary").first.click()
    speed = desk.page.locator("input[name=speed]").first
    speed.fill("11")
    desk.edit("Door 3 of", "Another door.\n\nDoor 3 of")
    expect(desk.page.get_by_text("Another door.")).to_have_count(1)
    expect(desk.page.get_by_text("Nobody bows to the dead.")).to_be_visible()
    expect(desk.page.locator("input[name=speed]").first).to_have_value("11")


def test_changed_style_sheet_is_replaced_without_a_reload(desk: Desk) -> None:
    desk.open()
    game = desk.texts / "game.yaml"
    # The accent is in the head of each page, too. The second colour is only in the style sheet.
    desk.edit("title:", "second_accent: {light: '#7A1230', dark: '#FFB3C7'}\ntitle:", game)
    expect(desk.page.locator("html")).to_have_css("--light-2", "#7A1230")
    assert desk.is_same()


def test_error_keeps_the_page_and_is_shown_until_fixed(desk: Desk) -> None:
    desk.open()
    expect(desk.page.locator("kismet-live details")).to_be_hidden()
    desk.edit("**Cost:** 2", "**Cost:** many")
    box = desk.page.locator("kismet-live details")
    expect(box).to_contain_text("1 error")
    expect(box).to_contain_text("Ember Court is not published: it has 1 error. Its last good pages stay.")
    expect(box).to_contain_text('"cost" is "many", but must be a whole number')
    place = box.get_by_role("link", name="1 Court.md:11:1")
    expect(place).to_be_visible()
    place.click()
    assert desk.page.url.endswith("#bow")
    assert desk.page.locator("kismet-live [role=status]").inner_text() == "1 error"

    desk.edit("**Cost:** many", "**Cost:** 2")
    expect(box).to_be_hidden()
    assert desk.is_same(), "the page was not reloaded"


def test_warning_is_shown_on_the_page_of_its_text_only(desk: Desk) -> None:
    desk.open("ember-court/grace/bow/index.html")
    desk.edit("Two people hear you", "Two people hear you in [[Nowhere]]")
    other = desk.page.context.new_page()
    other.goto(desk.server.address + "ember-court/grace/whisper/")
    expect(other.locator("kismet-live summary")).to_have_text("1 warning, 1 changed")
    other.locator("kismet-live summary").press("Enter")
    expect(other.locator("kismet-live details")).to_contain_text('nothing is named "Nowhere"')
    expect(desk.page.locator("kismet-live summary").first).to_have_text("1 changed")
    expect(desk.page.locator("kismet-live details details")).to_contain_text('nothing is named "Nowhere"')
    expect(desk.page.get_by_text('nothing is named "Nowhere"')).to_be_hidden()
    assert desk.is_same()


def test_removed_page_shows_a_message_until_it_exists_again(desk: Desk) -> None:
    desk.open("ember-court/grace/whisper/index.html")
    desk.edit("### Whisper", "### Murmur")
    expect(desk.page.locator("kismet-live details")).to_contain_text("This page is gone")
    expect(desk.page.locator("kismet-live summary")).to_have_text("Page is gone, 1 fewer, 1 more")
    expect(desk.page.locator("kismet-live details")).to_contain_text("grace: 1 fewer: Whisper; 1 more: Murmur")
    desk.edit("### Murmur", "### Whisper")
    expect(desk.page.locator("kismet-live details")).to_be_hidden()


def test_hidden_page_is_updated_when_it_becomes_visible(desk: Desk) -> None:
    desk.open()
    desk.page.evaluate(SET_HIDDEN, True)
    desk.edit("Door 3 of", "Another door.\n\nDoor 3 of")
    assert desk.is_same()
    desk.page.evaluate(SET_HIDDEN, False)
    expect(desk.page.get_by_text("Another door.")).to_have_count(1)


def test_page_reports_a_lost_server_and_reconnects(texts: Path, browser: Browser) -> None:
    context = browser.new_context(service_workers="block")  # not strict, as failed requests are logged
    page = context.new_page()
    with start_server(texts) as server:
        Desk(texts, server, page).open()
        port = server.address.rstrip("/").rpartition(":")[2]
    expect(page.locator("kismet-live details")).to_contain_text("kismet serve is not responding")
    write_library(texts, text=LONG.replace("Door 3 of", "Another door.\n\nDoor 3 of"))
    with start_server(texts, "--port", port):
        expect(page.get_by_text("Another door.")).to_have_count(1)
        expect(page.locator("kismet-live details")).to_be_hidden()
        context.close()


def test_diagnostics_box_is_above_the_bottom_bar_on_a_phone(texts: Path, browser: Browser) -> None:
    with (
        strict_context(browser, viewport={"width": 360, "height": 740}, color_scheme="dark") as context,
        start_server(texts) as server,
    ):
        desk = Desk(texts, server, context.new_page())
        desk.open()
        desk.edit("**Cost:** 2", "**Cost:** many")
        box = desk.page.locator("kismet-live details")
        expect(box).to_be_visible()
        place, bar = box.bounding_box(), desk.page.locator(".bottom").bounding_box()
        assert place
        assert bar
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= 360
        assert place["y"] + place["height"] <= bar["y"]
        desk.page.locator("kismet-live summary").click()
        collapsed = box.bounding_box()
        assert collapsed
        assert collapsed["height"] < 60
        context.close()


def test_service_worker_of_an_earlier_visit_is_unregistered(texts: Path, browser: Browser, tmp_path: Path) -> None:
    tree = tmp_path / "public"
    assert kismet("build", texts, "--out", tree).status == 0
    with strict_context(browser, service_workers="allow") as context:
        page = context.new_page()
        with serve_folder(tree) as address:
            page.goto(address + CHAPTER)
            page.wait_for_function("() => navigator.serviceWorker.ready")
            page.reload()
            page.wait_for_function("() => navigator.serviceWorker.controller")
            # Leave the page, because the next server answers a late request with status 503 until it has built
            # something.
            page.goto("about:blank")
        port = address.rstrip("/").rpartition(":")[2]
        with start_server(texts, "--port", port):
            page.goto(address + CHAPTER)
            # The old worker may show its cached page first. A browser decides when to look for a new worker, so make it
            # look now. The new worker opens the page again, which can end the call, so do not wait for the call.
            with suppress(Error):
                page.evaluate("void navigator.serviceWorker.getRegistration().then((found) => found?.update())")
            expect(page.locator("kismet-live")).to_be_attached(timeout=60_000)
            page.wait_for_function(HAS_NO_WORKER)
            assert [name for name in page.evaluate("caches.keys()") if name.startswith("kismet ")] == []
            context.close()


def test_unregistering_worker_repeats_a_take_over_that_the_browser_misses(
    texts: Path, browser: Browser, tmp_path: Path
) -> None:
    tree = tmp_path / "public"
    assert kismet("build", texts, "--out", tree).status == 0
    with serve_folder(tree) as address, strict_context(browser, service_workers="allow") as context:
        page = context.new_page()
        page.goto(address + CHAPTER)
        page.wait_for_function("() => navigator.serviceWorker.ready")
        page.reload()
        page.wait_for_function("() => navigator.serviceWorker.controller")
        worker = (SITE / "no-worker.js").read_text(encoding="utf-8")
        later = time.time() + 10  # The server compares whole seconds.
        for name, text in (("sw.js", MISS_FIRST_TAKE_OVER + worker), (CHAPTER, "<title>New</title><h1>New</h1>")):
            (tree / name).write_text(text, encoding="utf-8")
            os.utime(tree / name, (later, later))
        page.evaluate("void navigator.serviceWorker.getRegistration().then((found) => found.update())")
        expect(page.get_by_role("heading", name="New")).to_be_visible()
        page.wait_for_function(HAS_NO_WORKER)
        context.close()
