"""Heading fragments that other programs generate lead to the heading."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import strict_context

FRAGMENTS = {
    "obsidian": "#LIST%20OF%20SKILLS",
    "obsidian, typed": "#List of Skills",
    "obsidian, with parent heading": "#SKILLS#LIST%20OF%20SKILLS",
    "github": "#list--of-skills",
    "apostrophe": "#List%20of%20Skills%E2%80%99",
}


@pytest.mark.parametrize("fragment", FRAGMENTS.values(), ids=list(FRAGMENTS))
def test_fragments_of_other_programs_lead_to_the_heading(fragment: str, page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html{fragment}")
    page.wait_for_function("location.hash === '#list-of-skills'")
    expect(page.locator("#list-of-skills")).to_be_in_viewport()


def test_github_fragment_with_two_hyphens_leads_to_the_heading(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html#bonus--penalty-dice")
    page.wait_for_function("location.hash === '#bonus-penalty-dice'")
    expect(page.locator("#bonus-penalty-dice")).to_be_in_viewport()


def test_an_old_address_of_a_section_leads_to_its_page(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html#list-of-skills")
    page.wait_for_url(f"{root}kismet/core-rules/list-of-skills/index.html#list-of-skills")
    expect(page.locator("#list-of-skills")).to_be_in_viewport()
    page.goto(f"{root}kismet/core-rules/index.html")
    page.evaluate("location.hash = '#calculator-pace'")
    page.wait_for_url(f"{root}kismet/core-rules/critical-successes-failures/index.html#calculator-pace")


def test_without_scripts_an_old_address_lands_on_the_line_of_the_section(browser: Browser, root: str) -> None:
    with strict_context(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{root}kismet/core-rules/index.html#list-of-skills")
        line = page.locator("#list-of-skills")
        expect(line).to_be_in_viewport()
        line.get_by_role("link").first.click()
        page.wait_for_url(f"{root}kismet/core-rules/list-of-skills/index.html#list-of-skills")


@pytest.mark.parametrize("fragment", ["#no such heading", "#%E0%A4%A", "#^"])
def test_unknown_fragment_causes_no_error(fragment: str, page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html{fragment}")
    expect(page.locator("h1")).to_be_in_viewport()


def test_correct_fragment_loads_no_fragment_script(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html#list-of-skills")
    assert page.locator('script[src$="fragment.js"]').count() == 0


def test_alias_url_redirects_to_the_entity(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/condition/grappled/index.html")
    page.wait_for_url("**/kismet/condition/restrained/index.html")
    expect(page.locator("h1")).to_contain_text("Restrained")


def test_autolink_is_underlined_and_leads_to_the_entity(context: BrowserContext, root: str) -> None:
    page = context.new_page()
    page.goto(f"{root}kismet/combat-rules/swarm-combat/index.html")
    link = page.locator("a.term", has_text="Stunned").first
    assert "underline" in link.evaluate("link => getComputedStyle(link).textDecorationLine")
    link.click()
    expect(page.locator("h1")).to_contain_text("Stunned")
