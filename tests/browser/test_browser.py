"""Properties of all pages in a real browser."""

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize("path", ["index.html", "kismet/index.html", "kismet/core-rules/index.html"])
def test_page_opens_without_errors(page: Page, root: str, path: str) -> None:
    page.goto(root + path)
    expect(page.locator("h1").first).to_be_visible()
