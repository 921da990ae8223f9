"""Visited pages open offline, always in a single version."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.browser.conftest import TIMEOUT, Site, strict_context
from tests.browser.host import serve_folder
from tests.command import ROOT, kismet
from tests.small_library import GAME, TEXT, write_library

BOW = "ember-court/grace/bow/index.html"
WHISPER = "ember-court/grace/whisper/index.html"
IS_CACHED = """async (path) => {
  const names = (await caches.keys()).filter((name) => name.startsWith("kismet "));
  // Not `caches.open`, which would create a cache again that the worker has just deleted.
  const found = await Promise.all(names.map((cacheName) => caches.match(path, { cacheName })));
  return found.some(Boolean);
}"""
OFFLINE_SCRIPT = ROOT / "site" / "assets" / "offline.js"
DELAY = int(re.findall(r'setTimeout\(keep, (\d+), "game"\)', OFFLINE_SCRIPT.read_text(encoding="utf-8"))[0])
"""Milliseconds after which a page lets the worker cache its whole game."""
SHORT_DELAY = 50
"""Milliseconds that tests wait instead."""
SHORTEN_DELAY = f"""
const wait = globalThis.setTimeout;
globalThis.setTimeout = (work, delay, ...rest) => wait(work, delay === {DELAY} ? {SHORT_DELAY} : delay, ...rest);
"""
MAX_ANSWER = 2_000
"""Milliseconds until a call without a response is repeated. A call into a page has no timeout of its own."""


@dataclass
class Host:
    """A server of a small library of two games, which can stop and start again with another version."""

    folder: Path
    root: str = ""
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def texts(self) -> Path:
        return self.folder / "content"

    @property
    def address(self) -> str:
        """Address of the tree, in a subfolder of the host, as is common."""
        return f"{self.root}public/"

    def publish(self) -> None:
        run = kismet("build", self.texts, "--out", self.folder / "public")
        assert run.status == 0, run.output

    def write(self, old: str, new: str) -> None:
        write_library(self.texts / "ember", text=TEXT.replace(old, new))
        self.publish()

    def start(self) -> None:
        self.root = self._running.enter_context(serve_folder(self.folder))

    def stop(self) -> None:
        self._running.close()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    write_library(folder / "content" / "ember")
    other = GAME.replace("ember-court", "ash-court").replace("Ember Court", "Ash Court")
    write_library(folder / "content" / "ash", game=other)
    Host(folder).publish()
    return folder


@pytest.fixture
def host(library: Path, tmp_path: Path) -> Iterator[Host]:
    shutil.copytree(library, tmp_path, dirs_exist_ok=True)
    host = Host(tmp_path)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def device(browser: Browser) -> Iterator[BrowserContext]:
    """A profile with a service worker. Network errors are allowed, but uncaught exceptions fail the test."""
    with browser.new_context() as opened:
        opened.set_default_timeout(TIMEOUT)
        opened.add_init_script(SHORTEN_DELAY)
        thrown: list[str] = []
        opened.on("weberror", lambda problem: thrown.append(str(problem.error)))
        yield opened
    assert thrown == []


def wait_until(page: Page, expression: str, argument: str, first: Callable[[], object] = int) -> None:
    """Poll a page until an expression is true. If that takes long, `first` is repeated."""
    timer = f"new Promise((done) => setTimeout(done, {MAX_ANSWER}))"
    limited = f"(argument) => Promise.race([({expression})(argument), {timer}])"
    for turn in range(TIMEOUT // 100):
        if turn % 50 == 0:
            first()
        # A page cannot answer during navigation.
        with suppress(Error):
            if page.evaluate(limited, argument):
                return
        page.wait_for_timeout(100)
    pytest.fail(f"never true of {argument}: {expression}")


def wait_until_cached(page: Page, address: str) -> None:
    wait_until(page, IS_CACHED, address)


def visit(device: BrowserContext, host: Host) -> Page:
    page = device.new_page()
    page.goto(host.address + BOW)
    wait_until_cached(page, host.address + WHISPER)
    return page


def test_all_pages_of_a_visited_game_open_offline(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    wait_until_cached(page, host.address + "ember-court/index.html")
    host.stop()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bow")
    page.goto(host.address + WHISPER)
    expect(page.get_by_role("heading", level=1)).to_have_text("Whisper")
    assert page.evaluate("document.styleSheets[0].cssRules.length > 0"), "its style sheet is cached"
    page.goto(host.address + "ember-court/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ember Court")
    page.goto(host.address)
    expect(page.get_by_role("link", name="Ash Court")).to_be_visible()


def test_game_whose_id_is_a_name_in_javascript_opens_offline(host: Host, device: BrowserContext) -> None:
    write_library(host.texts / "other", game=GAME.replace("ember-court", "constructor"))
    host.publish()
    page = device.new_page()
    page.goto(host.address + "constructor/index.html")
    wait_until_cached(page, host.address + "constructor/grace/bow/index.html")
    host.stop()
    page.goto(host.address + "constructor/grace/bow/index.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bow")


def test_my_table_shows_what_is_pinned_offline(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    page.get_by_role("button", name="Pin: Bow").click()
    expect(page.get_by_role("button", name="Unpin: Bow")).to_be_visible()
    wait_until_cached(page, f"{host.address}ember-court/table/index.html")
    host.stop()
    page.locator(".newer").get_by_role("link", name="My table").click()
    for _ in range(2):
        expect(page.locator(".pinned > li")).to_contain_text("You bend, and the room forgives you.")
        page.reload()


def test_uncached_page_shows_a_message_and_links_to_cached_games(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    wait_until_cached(page, host.address + "ember-court/index.html")
    host.stop()
    page.goto(host.address + "ash-court/grace/bow/index.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not saved offline")
    expect(page.get_by_role("link", name="Ash Court")).to_have_count(0)
    retry = page.get_by_role("link", name="Try again")
    assert retry.evaluate("(link) => link.href") == host.address + "ash-court/grace/bow/index.html"
    page.get_by_role("link", name="Ember Court").click()
    expect(page).to_have_url(host.address + "ember-court/index.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ember Court")


def test_save_data_mode_caches_visited_pages_only(host: Host, device: BrowserContext) -> None:
    device.add_init_script("Object.defineProperty(navigator.connection, 'saveData', {get: () => true})")
    page = device.new_page()
    page.goto(host.address + BOW)
    wait_until_cached(page, host.address + BOW)
    page.wait_for_timeout(10 * SHORT_DELAY)
    assert not page.evaluate(IS_CACHED, host.address + WHISPER)
    page.goto(host.address + "ember-court/index.html")
    wait_until_cached(page, host.address + "ember-court/index.html")
    host.stop()
    page.goto(host.address + BOW)
    expect(page.get_by_role("heading", level=1)).to_have_text("Bow")


def test_changed_page_offers_a_reload_that_replaces_the_cache(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    old = page.evaluate("caches.keys()")
    host.write("forgives you", "looks away")
    page.reload()
    expect(page.get_by_text("the room forgives you").first).to_be_visible()
    navigations: list[str] = []
    page.on("framenavigated", lambda frame: navigations.append(frame.url))
    page.get_by_role("status").get_by_role("link").click()
    expect(page.get_by_text("the room looks away").first).to_be_visible()
    # First an empty page, until the new worker is active, and then the new page. No request reaches a worker that is
    # being stopped.
    assert navigations == [host.address + BOW] * 2
    host.stop()
    page.reload()
    expect(page.get_by_text("the room looks away").first).to_be_visible()
    page.goto(host.address + WHISPER)
    expect(page.get_by_role("heading", level=1)).to_have_text("Whisper")
    caches = page.evaluate("caches.keys()")
    assert len(caches) == 1
    assert caches != old


def test_change_of_another_page_updates_the_cache_without_a_message(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    page.goto(host.address + "index.html")
    before = page.evaluate("caches.keys()")
    host.write("Two people hear you", "Three people hear you")
    wait_until(page, "async (old) => !(await caches.keys()).includes(old)", before[0], page.reload)
    expect(page.get_by_role("status")).to_have_count(0)
    host.stop()
    page.goto(host.address + WHISPER)
    expect(page.get_by_text("Three people hear you").first).to_be_visible()


def restyle(public: Path, text: str) -> None:
    """Append to the style sheet of a tree, and give the tree another version."""
    style, listed, worker = (public / path for path in ("assets/site.css", "offline.json", "sw.js"))
    style.write_text(style.read_text(encoding="utf-8") + text, encoding="utf-8")
    manifest = json.loads(listed.read_text(encoding="utf-8"))
    manifest["files"]["assets/site.css"] = sha256(style.read_bytes()).hexdigest()[:8]
    worker.write_text(worker.read_text(encoding="utf-8").replace(manifest["version"], "restyled"), encoding="utf-8")
    listed.write_text(json.dumps({**manifest, "version": "restyled"}), encoding="utf-8")


def test_page_of_a_new_version_is_shown_with_the_new_style_sheet(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    host.write("Two people", "Three people")
    restyle(host.folder / "public", "\nbody { outline: 3px solid rgb(1, 2, 3) }\n")
    page.goto(host.address + "ash-court/grace/whisper/index.html")
    assert page.evaluate("getComputedStyle(document.body).outlineColor") == "rgb(1, 2, 3)"


def test_two_libraries_on_one_host_have_separate_caches(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    shutil.copytree(host.folder / "public", host.folder / "elsewhere")
    there = host.address.replace("public", "elsewhere")
    page.goto(there + BOW)
    wait_until_cached(page, there + BOW)
    assert len(page.evaluate("caches.keys()")) == 2
    host.stop()
    page.goto(host.address + WHISPER)
    expect(page.get_by_role("heading", level=1)).to_have_text("Whisper")


def test_pages_opened_from_disk_log_no_errors(site: Site, browser: Browser) -> None:
    with strict_context(browser, service_workers="allow") as context:
        page = context.new_page()
        for path in (
            "index.html",
            "kismet/index.html",
            "kismet/core-rules/index.html",
            "kismet/skill/bluff/index.html",
        ):
            page.goto(site.local + path)
            page.wait_for_load_state("networkidle")


def test_the_website_can_be_installed(host: Host, device: BrowserContext) -> None:
    page = visit(device, host)
    session = device.new_cdp_session(page)
    response = session.send("Page.getAppManifest")
    assert response["errors"] == []
    assert response["url"] == host.address + "manifest.webmanifest"
    # The incognito window of a test cannot install anything. No other error is allowed.
    errors = [error["errorId"] for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert [error for error in errors if error != "in-incognito"] == []
    manifest = json.loads(response["data"])
    for icon in manifest["icons"]:
        assert page.request.get(host.address + icon["src"]).ok


def test_content_security_policy_blocks_inline_scripts(site: Site, browser: Browser) -> None:
    # The browser logs each error, as it should, so the context is not strict.
    page = browser.new_page(service_workers="block")
    page.goto(site.served + "kismet/skill/bluff/index.html")
    refused = page.evaluate("""async () => {
      const violations = [];
      addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.body.append(script);
      document.body.setAttribute("onclick", "globalThis.ran = true");
      document.body.click();
      await new Promise((done) => setTimeout(done, 100));
      return [violations, Boolean(globalThis.ran)];
    }""")
    page.close()
    assert refused == [["script-src-elem", "script-src-attr"], False]
