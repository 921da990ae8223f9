"""One page tries the main functions of the site in Chromium, Firefox and WebKit.

The page is `smoke/smoke.html`: its script opens pages of the site in a frame, and writes the result into its title. A
browser only opens this page, so the steps are the same in all browsers. `make test-all` installs Firefox and WebKit.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site, strict_context
from tests.browser.host import QuietHandler, serve_folder
from tests.command import skip_without
from tests.node import node
from tests.npm import npm_package
from tests.sample import RUN_ALL, sample

SMOKE = Path(__file__).parent / "smoke"
PASSED = "smoke: 11 of 11"
RUNNING = "smoke: running"
TIMEOUT = 300
"""Seconds for all steps. A failing step is reported in the title after 20 seconds."""
DISPLAY_OPTIONS = ("--auto-servernum", "--server-args=-screen 0 1400x1000x24")


class SmokeHandler(QuietHandler):
    """Serves the page of the smoke test next to the site."""

    def translate_path(self, path: str) -> str:
        file = SMOKE / path.lstrip("/")
        return str(file) if file.parent == SMOKE and file.is_file() else super().translate_path(path)


@pytest.fixture(scope="module")
def smoke_page(site: Site) -> Iterator[str]:
    with serve_folder(site.folder, host=SmokeHandler) as address:
        yield f"{address}smoke.html"


def engine(*programs: str) -> list[str]:
    """The paths of programs that a browser needs. Skips the test if one is missing; `make test-all` in CI fails."""
    paths = [shutil.which(program) for program in programs]
    missing = [program for program, path in zip(programs, paths, strict=True) if path is None]
    if missing:
        skip_without(", ".join(missing), fails_in_ci=RUN_ALL)
    return [path for path in paths if path]


def run_in_chromium(browser: Browser, smoke_page: str) -> str:
    with strict_context(browser, viewport={"width": 1400, "height": 1000}) as context:
        page = context.new_page()
        page.goto(smoke_page)
        page.wait_for_function(f"document.title !== {RUNNING!r}", timeout=TIMEOUT * 1000)
        return page.title()


def run_in_firefox(_: Browser, smoke_page: str) -> str:
    [firefox] = engine("firefox-esr")
    library = npm_package("puppeteer-core") / "lib" / "esm" / "puppeteer" / "puppeteer-core.js"
    arguments = [str(SMOKE / "firefox.mjs"), library.as_uri(), firefox, smoke_page, str(TIMEOUT * 1000)]
    done = subprocess.run(
        [node(), *arguments], capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT + 60, check=False
    )
    return done.stdout.strip() or done.stderr


def run_in_webkit(_: Browser, smoke_page: str) -> str:
    driver, display = engine("WebKitWebDriver", "xvfb-run")
    with webdriver_session([display, *DISPLAY_OPTIONS, driver]) as session:
        call(f"{session}/url", {"url": smoke_page})
        end = time.monotonic() + TIMEOUT
        while (title := call(f"{session}/title")) == RUNNING and time.monotonic() < end:
            time.sleep(0.5)
        return str(title)


ENGINES = {"chromium": run_in_chromium, "firefox": run_in_firefox, "webkit": run_in_webkit}
"""Functions that run the smoke test in a browser, and return the title of its page."""


@pytest.mark.parametrize("name", ["chromium", *sample(["firefox", "webkit"], 2)])
def test_a_reader_does_ten_things(name: str, browser: Browser, smoke_page: str) -> None:
    assert ENGINES[name](browser, smoke_page) == PASSED


@contextmanager
def webdriver_session(command: list[str]) -> Iterator[str]:
    """Start a WebDriver server and yield the address of a session.

    Uses three requests of the protocol instead of the twelve packages of Selenium.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with subprocess.Popen([*command, f"--port={port}"], start_new_session=True) as process:
        try:
            sessions = f"http://127.0.0.1:{port}/session"
            session = f"{sessions}/{call(sessions, {'capabilities': {}})['sessionId']}"
            yield session
            call(session, method="DELETE")
        finally:
            # xvfb-run starts the display server and the driver in the same process group.
            os.killpg(process.pid, signal.SIGTERM)


def call(address: str, body: dict[str, Any] | None = None, method: str | None = None) -> Any:
    """The value with which a WebDriver server answers. The request is repeated while the server starts."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, {"Content-Type": "application/json"}, method=method)
    end = time.monotonic() + 60
    while True:
        try:
            with urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except HTTPError:
            raise
        except URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
