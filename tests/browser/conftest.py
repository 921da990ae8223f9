"""A real browser, and the site of content/ to open in it, from a server and from disk."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.host import serve_folder
from tests.conftest import BuiltTree
from tests.sample import RUN_ALL

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
"""What Debian and others call it; `make test` installs the first where it may."""
HEADLESS = "chromium-headless-shell"
"""Chromium without its windows. To open a page takes a third of the processor time."""
ARGUMENTS = (
    "--no-sandbox",  # which a container has no rights for
    "--disable-gpu",
    # It asks for nothing but the pages under test.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
)
TIMEOUT = 10_000
"""Milliseconds until something that should show is missing."""


@dataclass(frozen=True, slots=True)
class Site:
    """A built tree, and the addresses that it is to be found at."""

    folder: Path
    served: str
    """Its address on a server, with a slash at the end."""

    @property
    def local(self) -> str:
        """Its address on the disk, with a slash at the end."""
        return self.folder.as_uri() + "/"


def headless() -> str:
    """The program that opens pages: the headless shell where it is installed, but not in `make test-all`."""
    return (not RUN_ALL and shutil.which(HEADLESS)) or chromium()


def chromium() -> str:
    """Full Chromium. Skips the test where there is none."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        missing = "there is no Chromium here; make test installs it on Debian for those who may"
        # Nobody reads what a machine has skipped.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return program


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    with sync_playwright() as playwright:
        chromium_browser = playwright.chromium.launch(executable_path=headless(), args=list(ARGUMENTS))
        yield chromium_browser
        chromium_browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile on a desk: wide, light, with everything that a page does wrong caught."""
    with strict_context(browser) as opened:
        yield opened


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page."""
    return context.new_page()


@pytest.fixture(scope="session")
def site(content: BuiltTree) -> Iterator[Site]:
    """The site of content/, on the disk and on a server of its own."""
    assert content.run.status == 0, content.run.output
    with serve_folder(content.folder) as address:
        yield Site(content.folder, address)


@pytest.fixture(params=["served", "local"])
def root(request: pytest.FixtureRequest, site: Site) -> str:
    """The address of the site, with a slash at the end: once on a server, once on the disk."""
    return site.served if request.param == "served" else site.local


@contextmanager
def strict_context(browser: Browser, **options: object) -> Iterator[BrowserContext]:
    """A context that fails in the end when a page threw, complained or asked for anything but the site."""
    # What a worker keeps is the subject of test_offline.py; elsewhere it would only ask for every page of a game.
    options = {"service_workers": "block", **options}
    context = browser.new_context(**options)  # type: ignore[arg-type]  # the options of new_context, as they are
    context.set_default_timeout(TIMEOUT)
    problems: list[str] = []
    context.on("weberror", lambda problem: problems.append(f"thrown: {problem.error}"))
    context.on("console", lambda message: problems.append(f"said: {message.text}") if message.type == "error" else None)
    context.on("request", lambda asked: None if _is_ours(asked.url) else problems.append(f"asked for: {asked.url}"))
    try:
        yield context
    finally:
        context.close()
    assert problems == []


def _is_ours(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
