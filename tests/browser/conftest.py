"""A real browser, and the site of content/ to open in it, from a server and from disk."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.host import serve_folder
from tests.command import skip_without
from tests.conftest import BuiltTree
from tests.sample import RUN_ALL, SAMPLE

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
"""Names of the program in Debian and elsewhere. `make test` installs the first if permitted."""
HEADLESS = "chromium-headless-shell"
"""Chromium without a user interface. It opens a page in a third of the processor time."""
ARGUMENTS = (
    "--no-sandbox",  # A container has no permission for a sandbox.
    "--disable-gpu",
    # Chromium requests nothing but the pages under test.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
)
TIMEOUT = 10_000
"""Milliseconds to wait for an expected element."""
WAYS = ("served", "local")
"""Ways to open the site: on a server, or from the folder on disk."""
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until a page has handled a scroll and painted it, however long that takes."""

# `expect` has a timeout of its own, which a context does not set.
expect.set_options(timeout=TIMEOUT)


@dataclass(frozen=True, slots=True)
class Site:
    folder: Path
    served: str
    """Address on a server, with a slash at the end."""

    @property
    def local(self) -> str:
        """Address on disk, with a slash at the end."""
        return self.folder.as_uri() + "/"


def headless() -> str:
    """The browser program: the headless shell if it is installed; full Chromium in `make test-all`."""
    return (not RUN_ALL and shutil.which(HEADLESS)) or chromium()


def chromium() -> str:
    """Full Chromium. Skips the test if it is not installed."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        skip_without("Chromium", fails_in_ci=True)
    return program


@contextmanager
def started_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium_browser = playwright.chromium.launch(executable_path=headless(), args=list(ARGUMENTS))
        yield chromium_browser
        chromium_browser.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run a test on a server or from the folder, as the sample determines.

    `make test-all` runs it in both ways, and so does a run with named tests.
    """
    if RUN_ALL or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if isinstance(item, pytest.Function) and _is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _is_left_out(item: pytest.Function) -> bool:
    chosen = WAYS[(SAMPLE + crc32(item.originalname.encode())) % len(WAYS)]
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(way in parameters and way != chosen for way in WAYS)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A new desktop profile: wide, light theme, and all errors of a page reported."""
    with strict_context(browser) as opened:
        yield opened


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def site(content: BuiltTree) -> Iterator[Site]:
    assert content.run.status == 0, content.run.output
    with serve_folder(content.folder) as address:
        yield Site(content.folder, address)


@pytest.fixture(params=WAYS)
def root(request: pytest.FixtureRequest, site: Site) -> str:
    """The address of the site, with a slash at the end: once on a server, once on disk."""
    return site.served if request.param == "served" else site.local


@contextmanager
def strict_context(browser: Browser, **options: object) -> Iterator[BrowserContext]:
    """A context that fails at its end if a page threw, logged an error or requested anything outside the site."""
    # test_service_worker.py tests the worker. In other tests, it would only request all pages of a game.
    options = {"service_workers": "block", **options}
    context = browser.new_context(**options)  # type: ignore[arg-type]  # the options of new_context, as they are
    context.set_default_timeout(TIMEOUT)
    problems: list[str] = []
    context.on("weberror", lambda problem: problems.append(f"thrown: {problem.error}"))
    context.on(
        "console",
        lambda entry: (
            problems.append(f"logged: {entry.text} {entry.location['url']}") if entry.type == "error" else None
        ),
    )
    context.on(
        "request", lambda request: None if _is_own(request.url) else problems.append(f"requested: {request.url}")
    )
    try:
        yield context
    finally:
        context.close()
    assert problems == []


def _is_own(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
