"""Heading fragments that other programs generate lead to the heading."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

SPELLED = {
    "obsidian": "#LIST%20OF%20SKILLS",
    "obsidian, typed": "#List of Skills",
    "obsidian, with what is above": "#SKILLS#LIST%20OF%20SKILLS",
    "github": "#list--of-skills",
    "apostrophe": "#List%20of%20Skills%E2%80%99",
}


@pytest.mark.parametrize("fragment", SPELLED.values(), ids=list(SPELLED))
def test_a_heading_is_found_however_its_address_is_spelled(fragment: str, page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html{fragment}")
    page.wait_for_function("location.hash === '#list-of-skills'")
    expect(page.locator("#list-of-skills")).to_be_in_viewport()


def test_a_github_address_keeps_both_hyphens_of_a_sign_between_words(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html#bonus--penalty-dice")
    page.wait_for_function("location.hash === '#bonus-penalty-dice'")
    expect(page.locator("#bonus-penalty-dice")).to_be_in_viewport()


@pytest.mark.parametrize("fragment", ["#no such heading", "#%E0%A4%A", "#^"])
def test_an_address_of_nothing_stays_and_breaks_nothing(fragment: str, page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html{fragment}")
    expect(page.locator("h1")).to_be_in_viewport()


def test_an_address_that_is_right_asks_for_no_script(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/core-rules/index.html#list-of-skills")
    assert page.locator('script[src$="fragment.js"]').count() == 0


def test_another_name_of_a_thing_leads_to_it(page: Page, root: str) -> None:
    page.goto(f"{root}kismet/condition/grappled/index.html")
    page.wait_for_url("**/kismet/condition/restrained/index.html")
    expect(page.locator("h1")).to_contain_text("Restrained")


def test_a_term_that_links_itself_is_underlined_and_leads_to_its_card(context: BrowserContext, root: str) -> None:
    page = context.new_page()
    page.goto(f"{root}kismet/combat-rules/index.html#swarm-combat")
    link = page.locator("a.term", has_text="Stunned").first
    assert "underline" in link.evaluate("link => getComputedStyle(link).textDecorationLine")
    link.click()
    expect(page.locator("h1")).to_contain_text("Stunned")
