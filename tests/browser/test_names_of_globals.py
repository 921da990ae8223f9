"""Notes and headings named like objects of JavaScript or of the page change nothing in the scripts."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import TIMEOUT, strict_context
from tests.command import kismet

NAMES = ("kismet", "constructor", "__proto__", "prototype", "document", "location", "toString", "hasOwnProperty")
HEADINGS = "".join(f"## {name}\n\nRoll 2d6 for {name}, see [[{name}]]. ^{name.strip('_')}\n\n" for name in NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("globals")
    vault = tmp_path / "constructor"
    for name in NAMES:
        for folder in ("prototype", "kismet"):
            note = vault / folder / f"{name}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"---\nharm: 3\n{name}: 1\ntags: [{name}]\n---\n\n# {name}\n\nBites.\n", encoding="utf-8")
    (vault / "All.md").write_text(f"# kismet\n\n{HEADINGS}", encoding="utf-8")
    run = kismet("build", vault, "--out", tmp_path / "public", "--no-cache")
    assert run.status == 0, run.output
    return tmp_path / "public"


@pytest.mark.parametrize("name", NAMES)
def test_note_named_like_a_global_is_found_by_search(folder: Path, browser: Browser, name: str) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto((folder / "constructor/all/index.html").as_uri())
        page.keyboard.press("/")
        page.get_by_role("dialog", name="Search").get_by_role("combobox").fill(name)
        options = page.get_by_role("dialog", name="Search").get_by_role("option")
        expect(options.first).to_contain_text(name.strip("_"), timeout=TIMEOUT)


def test_scripts_keep_their_object_beside_elements_with_its_name(folder: Path, browser: Browser) -> None:
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto((folder / "constructor/all/index.html").as_uri())
        assert page.locator("#kismet").count() == 1
        assert page.evaluate("Object.getPrototypeOf(kismet) === Object.prototype && typeof kismet.need") == "function"
        page.get_by_role("button", name="2d6").first.click()
        expect(page.get_by_role("complementary", name="Rolls").or_(page.locator(".rolls")).first).to_be_visible()
        for kind in ("prototype", "kismet"):
            page.goto((folder / f"constructor/{kind}/index.html").as_uri())
            expect(page.get_by_role("row")).to_have_count(
                len(NAMES)
            )  # A note with the name of its folder is about the folder.
