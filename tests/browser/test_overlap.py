"""No text overlaps another, on any kind of page, from the narrowest to the widest window."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import NEXT_FRAME, Site
from tests.sample import sample

WIDTHS = (360, 768, 1100, 1440, 1920)
OVERLAPS = """async () => {
  await document.fonts.ready;
  const cached = (find) => {
    const found = new Map();
    return (element) => found.get(element) ?? (found.set(element, find(element)), found.get(element));
  };
  const style = cached((element) => getComputedStyle(element));
  const seen = cached((element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest("[aria-hidden=true], option, svg"));
  // What stays in the window while the rest scrolls lies over it on purpose.
  const layer = cached((element) =>
    element === document.body || /fixed|sticky/.test(style(element).position) ? element : layer(element.parentElement));
  // The part of the page in which the text of an element is not cut off.
  const frame = cached((element) => {
    if (element === document.body) return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    const outer = frame(element.parentElement);
    const { overflowX, overflowY, clipPath } = style(element);
    if (overflowX === "visible" && overflowY === "visible" && clipPath === "none") return outer;
    const own = element.getBoundingClientRect();
    return {
      left: Math.max(outer.left, own.left), top: Math.max(outer.top, own.top),
      right: Math.min(outer.right, own.right), bottom: Math.min(outer.bottom, own.bottom),
    };
  });
  const boxes = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const node = texts.currentNode, element = node.parentElement;
    if (!node.data.trim() || !seen(element)) continue;
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      // A line is higher than its letters.
      const middle = (line.top + line.bottom) / 2;
      const half = Math.min(parseFloat(style(element).fontSize), line.height) / 2;
      const cut = frame(element);
      const left = Math.max(line.left, cut.left), right = Math.min(line.right, cut.right);
      const top = Math.max(middle - half, cut.top), bottom = Math.min(middle + half, cut.bottom);
      if (right - left > 2 && bottom - top > 2)
        boxes.push({ left, top, right, bottom, node, layer: layer(element), text: node.data.trim().slice(0, 40) });
    }
  }
  boxes.sort((one, other) => one.top - other.top);
  const found = [];
  boxes.forEach((one, place) => {
    for (const other of boxes.slice(place + 1)) {
      if (other.top > one.bottom - 2) break;
      if (one.node === other.node || one.layer !== other.layer) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      if (width > 2 && height > 2) found.push([one.text, other.text]);
    }
  });
  return found;
}"""
"""The pairs of visible strings that overlap by more than 2 pixels in both directions."""


def pages_by_kind(folder: Path) -> list[list[str]]:
    """The pages of each kind, from the shortest to the longest. A kind of page is one class of `<body>`."""
    kinds: dict[str, list[tuple[int, str]]] = {}
    for page in sorted(folder.rglob("index.html")):
        html = page.read_text(encoding="utf-8")
        if kind := re.search(r'<body class="([^"]*)"', html):  # redirects have no class
            kinds.setdefault(kind[1], []).append((len(html), page.relative_to(folder).as_posix()))
    return [[page for _, page in sorted(pages)] for _, pages in sorted(kinds.items())]


def test_no_text_is_over_another(page: Page, site: Site) -> None:
    kinds = pages_by_kind(site.folder)
    assert len(kinds) > 20
    longest = [kind[-1] for kind in kinds]
    others = [address for kind in kinds for address in (kind[0], kind[len(kind) // 2])]
    found = {}
    for address in dict.fromkeys([*longest, *sample(others, 4)]):
        page.goto(site.served + address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(NEXT_FRAME)
            if overlaps := page.evaluate(OVERLAPS):
                found[address, width] = overlaps[:3]
    assert found == {}


@pytest.mark.parametrize(
    ("style", "is_found"),
    [
        ("", False),
        ("margin-top: -1em", True),
        ("position: absolute; top: 0; left: 0", True),
        ("position: absolute; top: 0; left: 90%", False),
        ("position: fixed; top: 0; left: 0", False),
        ("margin-top: -1em; visibility: hidden", False),
        ("margin-top: -1em; height: 0; overflow: hidden", False),
    ],
)
def test_overlap_is_found_if_a_reader_sees_it(page: Page, style: str, *, is_found: bool) -> None:
    page.set_content(
        f"<body style='margin: 0; font: 20px/1 serif'><p style='margin: 0'>One<p style='margin: 0; {style}'>Two"
    )
    assert bool(page.evaluate(OVERLAPS)) == is_found
