"""My table: readers pin, order, name, share and print. test_service_worker.py opens a board offline."""

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import TIMEOUT, Site, strict_context

TABLE = "kismet/table/index.html"
PRONE, STUNNED = "kismet/condition/prone/index.html", "kismet/condition/stunned/index.html"
GRAPPLING = "kismet/combat-rules/grappling/index.html"
WOUNDS = "kismet/wound/index.html"
CALCULATOR = "kismet/calculators/meet-to-beat/index.html"
QUESTION = "Does this Value meet the DL?"
STORED = "kismet-boards-kismet"
TONIGHT = ("combat-rules/grappling/#grappling", "wound/#~1", "condition/prone/", "calculators/#meet-to-beat")
"""Keys of a section, a roll table, a card and a calculator."""
BLOCK_STORAGE = """Object.defineProperty(window, "localStorage",
    { get() { throw new DOMException("blocked", "SecurityError"); } });"""


def pin(page: Page, address: str, name: str) -> None:
    """Press the button that pins a thing of this name, and wait until it is pinned."""
    page.goto(address)
    page.get_by_role("button", name=f"Pin: {name}", exact=True).first.click()
    expect(page.get_by_role("button", name=f"Unpin: {name}", exact=True).first).to_be_attached()


def shared(root: str, *keys: str, name: str = "Tonight") -> str:
    return f"{root}{TABLE}#board={quote(name)}&columns=2&pins={','.join(quote(key) for key in keys)}"


def fill_board(page: Page, root: str, *keys: str) -> None:
    """Open My table with these pins on a board of this device."""
    page.goto(root + TABLE)
    board = {"name": "Tonight", "columns": 2, "pins": [[key, f"Title of {key}"] for key in keys]}
    page.evaluate(
        "([key, all]) => localStorage.setItem(key, all)", [STORED, json.dumps({"boards": [board], "open": 0})]
    )
    page.reload()


def titles(page: Page) -> list[str]:
    return page.locator(".pinned > li .pin-row > b").all_inner_texts()


def items(page: Page) -> Locator:
    return page.locator(".pinned > li")


# --- pinning


def test_pinned_card_section_table_and_calculator_are_on_the_board_after_a_reload(page: Page, root: str) -> None:
    pin(page, root + PRONE, "Prone")
    pin(page, root + GRAPPLING, "Grappling")
    pin(page, root + WOUNDS, "Wounds")
    pin(page, root + CALCULATOR, QUESTION)
    page.locator(".newer").get_by_role("link", name="My table").click()
    for _ in range(2):
        expect(items(page)).to_have_count(4)
        expect(items(page).nth(0)).to_contain_text("The Creature lies on the ground")
        expect(items(page).nth(1)).to_contain_text("neither a Skill Roll nor a Major Action sets it free")
        expect(items(page).nth(2).get_by_role("button", name="Roll 1d10")).to_be_visible()
        expect(items(page).nth(3).get_by_role("spinbutton", name="Value")).to_be_visible()
        page.reload()


def test_pin_is_a_toggle_and_the_message_leads_to_the_board(page: Page, root: str) -> None:
    pin(page, root + PRONE, "Prone")
    expect(page.locator(".newer")).to_contain_text("Prone is pinned to Bookmarks.")
    page.reload()
    page.get_by_role("button", name="Unpin: Prone").click()
    expect(page.get_by_role("button", name="Pin: Prone", exact=True)).to_be_visible()
    expect(page.locator(".newer")).to_contain_text("Prone is removed from Bookmarks.")
    page.locator(".newer").get_by_role("link", name="My table").click()
    expect(page.get_by_text("Nothing is pinned yet.")).to_be_visible()


def test_key_p_pins_what_has_the_focus_else_what_is_read(page: Page, root: str) -> None:
    page.goto(root + CALCULATOR)
    page.get_by_role("button", name="Reset").focus()
    page.keyboard.press("p")
    expect(page.locator(".newer")).to_contain_text(f"{QUESTION} is pinned")
    page.goto(root + GRAPPLING)
    page.locator("#scaling-creatures").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#scaling-creatures').scrollIntoView()")
    page.keyboard.press("p")
    expect(page.locator(".newer")).to_contain_text("Scaling Creatures is pinned")
    page.goto(root + WOUNDS)
    page.get_by_role("searchbox").first.type("p")
    page.wait_for_timeout(200)
    expect(page.locator(".newer")).to_have_count(0)


def test_preview_of_a_link_has_a_pin(page: Page, root: str) -> None:
    page.goto(root + "kismet/skill/bluff/index.html")
    page.locator("article .text a").first.focus()
    page.keyboard.press("Space")
    card = page.locator(".link-card")
    card.get_by_role("button", name=re.compile("^Pin: ")).click()
    expect(card.get_by_role("button", name=re.compile("^Unpin: "))).to_be_visible()
    page.goto(root + TABLE)
    expect(items(page)).to_have_count(1)
    expect(items(page).locator(".card")).to_be_visible()


def test_firefox_says_that_a_pin_from_a_folder_is_kept_for_its_page_alone(page: Page, site: Site) -> None:
    # Only Firefox has this property. The storage of Firefox itself was tested by hand.
    page.add_init_script("window.mozInnerScreenX = 0")
    page.goto(site.local + PRONE)
    page.get_by_role("button", name="Pin: Prone", exact=True).first.click()
    note = page.locator(".newer")
    expect(note).to_contain_text("Firefox stores the pin for this page only")
    expect(note.get_by_role("link", name="My table")).to_have_attribute(
        "href", re.compile(r"#board=.*condition/prone/$")
    )
    page.get_by_role("button", name="Unpin: Prone", exact=True).first.click()
    expect(note).to_have_text(re.compile(r"^Prone is removed from Bookmarks\. *My table$"))


# --- the board


def test_calculators_and_rolls_work_on_the_board_and_keep_their_values_when_moved(page: Page, root: str) -> None:
    fill_board(page, root, "calculators/#meet-to-beat", "wound/#~1")
    if root.startswith("file:"):
        # Pages cannot be loaded from a folder, but opening them stores what is pinned.
        page.goto(root + CALCULATOR)
        page.goto(root + WOUNDS)
        page.wait_for_timeout(300)
        page.goto(root + TABLE)
    items(page).nth(0).get_by_role("spinbutton", name="Value").fill("3")
    expect(items(page).nth(0).locator(".result")).to_contain_text("no")
    address = page.url
    items(page).nth(1).get_by_role("button", name="Roll 1d10").click()
    expect(page.get_by_role("complementary", name="Rolls")).to_contain_text("1d10")
    page.get_by_role("button", name="Arrange").click()
    page.get_by_role("button", name=re.compile("^Move down: Does this Value|^Move down: Title of calc")).click()
    page.get_by_role("button", name="Done").click()
    expect(items(page).nth(1).get_by_role("spinbutton", name="Value")).to_have_value("3")
    page.wait_for_timeout(700)
    assert page.url == address


def test_keys_and_buttons_order_the_pins_and_say_their_place(page: Page, root: str) -> None:
    fill_board(page, root, "condition/prone/", "condition/stunned/", "condition/restrained/")
    page.get_by_role("button", name="Arrange").click()
    handle = page.get_by_role("button", name=re.compile("^Move: .*prone"))
    handle.focus()
    page.keyboard.press("ArrowDown")
    expect(handle).to_be_focused()
    expect(page.get_by_role("status")).to_contain_text("2 of 3")
    page.keyboard.press("End")
    expect(page.get_by_role("status")).to_contain_text("3 of 3")
    page.get_by_role("button", name=re.compile("^Move up: .*restrained")).click()
    page.reload()
    assert [title.split("/")[1] for title in titles(page)] == ["restrained", "stunned", "prone"]


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_dragging_orders_the_pins(browser: Browser, site: Site, touch: bool) -> None:
    with strict_context(browser, has_touch=touch) as context:
        page = context.new_page()
        fill_board(page, site.served, "condition/prone/", "condition/stunned/", "condition/restrained/")
        page.get_by_role("button", name="Arrange").click()
        first, last = (items(page).nth(place).locator(".handle").bounding_box() for place in (0, 2))
        assert first
        assert last
        start, end = (first["x"] + 20, first["y"] + 20), (last["x"] + 20, last["y"] + 40)
        if touch:
            # Simulates a finger by the events that the browser sends to the page.
            session = context.new_cdp_session(page)
            for kind, (x, y) in (("touchStart", start), ("touchMove", end), ("touchEnd", end)):
                points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
                session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        else:
            page.mouse.move(*start)
            page.mouse.down()
            page.mouse.move(*end, steps=6)
            page.mouse.up()
        expect(page.get_by_role("status")).to_contain_text("3 of 3")
        page.reload()
        assert [title.split("/")[1] for title in titles(page)] == ["stunned", "restrained", "prone"]


def test_boards_are_begun_named_chosen_deleted_and_brought_back(page: Page, root: str) -> None:
    fill_board(page, root, "condition/prone/")
    page.get_by_role("button", name="New board").click()
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("Ambush")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("My table: Ambush")
    pin(page, root + STUNNED, "Stunned")
    page.goto(root + TABLE)
    assert titles(page) == ["Stunned"]
    page.get_by_role("combobox", name="Board").select_option("Tonight")
    expect(page.get_by_role("heading", level=1)).to_have_text("My table: Tonight")
    page.get_by_role("button", name="Arrange").click()
    page.get_by_label("3", exact=True).check()
    page.get_by_role("button", name="Delete board").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My table: Ambush")
    page.get_by_role("button", name="Undo").click()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("My table: Tonight")
    expect(page.locator(".pinned")).to_have_attribute("data-columns", "3")
    page.get_by_role("button", name="Arrange").click()
    page.get_by_role("button", name=re.compile("^Unpin: ")).click()
    expect(items(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(items(page)).to_have_count(1)


# --- shared boards


def test_shared_board_is_shown_and_saved_on_this_device(page: Page, root: str) -> None:
    pin(page, root + STUNNED, "Stunned")
    page.goto(shared(root, *TONIGHT, name="Der Überfall"))
    expect(page.get_by_text("Shared board: Der Überfall")).to_be_visible()
    expect(items(page)).to_have_count(len(TONIGHT))
    expect(items(page).nth(2)).to_contain_text("Prone")
    assert page.evaluate("(key) => localStorage.getItem(key)", STORED).count("prone") == 0
    page.get_by_role("button", name="Save as a board on this device").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My table: Der Überfall")
    assert "#board" not in page.url
    page.reload()
    expect(items(page)).to_have_count(len(TONIGHT))
    assert page.get_by_role("combobox", name="Board").locator("option").all_inner_texts() == [
        "Bookmarks",
        "Der Überfall",
    ]


def test_share_board_copies_an_address_that_shows_the_same_board(browser: Browser, site: Site) -> None:
    with strict_context(browser, permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        fill_board(page, site.served, *TONIGHT)
        page.get_by_role("button", name="Share board").click()
        expect(page.locator(".newer")).to_contain_text("copied")
        address = page.evaluate("navigator.clipboard.readText()")
    assert len(address) < len(site.served) + 200
    with strict_context(browser) as context:
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_text("Shared board: Tonight")).to_be_visible()
        expect(items(page).nth(3).get_by_role("spinbutton", name="Value")).to_be_visible()
        assert titles(page)[1:] == ["Wounds", "Prone", QUESTION]


def test_unknown_and_moved_pins_are_said(browser: Browser, site: Site) -> None:
    with browser.new_context() as context:  # the browser logs the answer 404
        page = context.new_page()
        fill_board(page, site.served, "condition/grappled/", "condition/none/", "combat-rules/#grappling", "../legend/")
        grappled, unknown, grappling, outside = (items(page).nth(place) for place in range(4))
        expect(grappled.get_by_role("heading", name="Restrained")).to_be_visible()
        expect(grappled).to_contain_text("It has moved")
        expect(grappling).to_contain_text("To Grapple is to grab another Creature")
        expect(unknown).to_contain_text("is no longer in these rules")
        expect(outside).to_contain_text("is no longer in these rules")
        page.reload()
        stored = page.evaluate("(key) => localStorage.getItem(key)", STORED)
        assert "condition/restrained/" in stored
        assert "combat-rules/flanking/#grappling" in stored
        assert "condition/none/" in stored


def test_pin_of_which_only_the_address_is_known_has_a_name(browser: Browser, site: Site) -> None:
    with browser.new_context() as context:  # the browser logs the answer 404
        page = context.new_page()
        page.goto(
            f"{site.served}{TABLE}#board=Tonight&columns=2&pins=condition/lost-at-sea/,combat-rules/%23no-such_rule~2"
        )
        expect(items(page).nth(0)).to_contain_text("Lost at sea is no longer in these rules")
        expect(items(page).nth(1)).to_contain_text("No such rule is no longer in these rules")


def test_address_that_was_cut_off_says_so(page: Page, root: str) -> None:
    page.goto(f"{root}{TABLE}#board=Tonight&col")
    expect(page.get_by_text("This address does not contain a board")).to_be_visible()


def test_board_from_a_folder_shows_previews_of_what_was_never_opened(page: Page, site: Site) -> None:
    page.goto(shared(site.local, *TONIGHT))
    expect(items(page).nth(2)).to_contain_text("The Creature lies on the ground")
    expect(items(page).nth(3)).to_contain_text("Open it once to see all of it here.")


# --- storage


@pytest.mark.parametrize("damage", ["{", "5", "null", '{"boards": 3}', '{"boards": [7, {"pins": [[1], "x", null]}]}'])
def test_damaged_storage_stops_nothing(page: Page, root: str, damage: str) -> None:
    page.goto(root + TABLE)
    page.evaluate(
        "([key, all]) => { localStorage.setItem(key, all); localStorage.setItem('kismet-read-kismet', all); }",
        [STORED, damage],
    )
    page.reload()
    expect(page.get_by_text("Nothing is pinned yet.")).to_be_visible()
    pin(page, root + PRONE, "Prone")
    page.goto(root + TABLE)
    expect(items(page)).to_have_count(1)


def test_boards_that_cannot_be_read_are_said(page: Page, root: str) -> None:
    page.goto(root + TABLE)
    page.evaluate("(key) => localStorage.setItem(key, '{')", STORED)
    page.reload()
    expect(page.get_by_text("cannot be read")).to_be_visible()


def test_blocked_storage_is_said_and_the_address_holds_the_board(context: BrowserContext, root: str) -> None:
    context.add_init_script(BLOCK_STORAGE)
    page = context.new_page()
    pin(page, root + PRONE, "Prone")
    expect(page.locator(".newer")).to_contain_text("This browser stores nothing for this site.")
    page.locator(".newer").get_by_role("link", name="My table").click()
    expect(items(page)).to_contain_text("The Creature lies on the ground")


def test_board_of_two_hundred_pins_is_shown_whole(page: Page, site: Site) -> None:
    folders = [place.parent for place in sorted((site.folder / "kismet").glob("*/*/index.html"))]
    keys = [
        f"{folder.relative_to(site.folder / 'kismet').as_posix()}/"
        for folder in folders
        if "card-large" in (folder / "index.html").read_text(encoding="utf-8")
    ][:200]
    assert len(keys) > 100
    fill_board(page, site.served, *keys)
    expect(items(page)).to_have_count(len(keys))
    # Loading two hundred pages takes longer than loading one.
    expect(items(page).locator(".card")).to_have_count(len(keys), timeout=6 * TIMEOUT)


# --- paper, and pages read


def test_board_is_printed_on_one_sheet(page: Page, site: Site) -> None:
    fill_board(page, site.served, *TONIGHT, "condition/stunned/", "condition/restrained/", "level/level-5/")
    expect(items(page).locator("h2")).to_have_count(7)
    page.wait_for_load_state("networkidle")
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


def test_pages_read_are_listed_until_the_setting_is_off(page: Page, root: str) -> None:
    page.goto(root + "kismet/index.html")
    expect(page.get_by_role("heading", name="Recently read")).to_have_count(0)
    for path in (PRONE, STUNNED, PRONE):
        page.goto(root + path)
    for path in (TABLE, "kismet/index.html"):
        page.goto(root + path)
        lists = page.locator("section", has=page.get_by_role("heading", name="Recently read"))
        expect(lists.get_by_role("link")).to_have_text(["Prone", "Stunned"])
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("group", name="Recently read").get_by_label("Off").check()
    page.goto(root + STUNNED)
    page.goto(root + "kismet/index.html")
    expect(page.get_by_role("heading", name="Recently read")).to_have_count(0)


def test_home_page_lists_what_is_pinned(page: Page, root: str) -> None:
    pin(page, root + PRONE, "Prone")
    page.goto(root + "kismet/index.html")
    lists = page.locator("section", has=page.get_by_role("heading", name="My table"))
    lists.get_by_role("link", name="Prone").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Prone")
