"""The frame of a page, filled in. It is no template, because it is filled in for each of thousands of pages."""

from urllib.parse import quote

from kismet_build.render.html.addresses import INDEX, Signpost
from kismet_build.render.html.escape import quoted
from kismet_build.render.pages.around import Around
from kismet_build.render.pages.page import Page


def page_html(page: Page, head: str, around: Around, navigation: str, contents: str) -> str:
    """A whole page: its head, and its article with what stands around it."""
    crumbs = f"{around.crumbs(page.breadcrumbs)}\n" if page.breadcrumbs else ""
    return f"""{head}
<body class="{page.role}{"" if page.contents else " wide"}">
<a class="skip" href="#_text">Skip to the text</a>
<div class="frame">
<div class="side">
{around.bar}
{navigation}
</div>
<main id="_text">
{crumbs}<article{" data-pagefind-body" if page.role in ("chapter", "entity") else ""}>
{page.article}
</article>
{provenance(page, around.up) if page.source or page.data else ""}{_turn(page, around.up)}</main>
{contents}
{around.colophon}
</div>
<a class="to-top" href="#"><span aria-hidden="true">↑</span> Back to top</a>
{around.bottom_of_sections if page.contents else around.bottom}
</body>
</html>
"""


def provenance(page: Page, up: str) -> str:
    """Where what a page shows comes from, and where it is as data."""
    lines = ""
    if page.role == "entity":
        lines += f"<div><dt>Id</dt><dd><code>{page.address.rstrip('/')}</code></dd></div>\n"
    if page.source:
        parts = "; ".join(f"{quoted(part.path)}, {part.words}" for part in page.source)
        lines += f"<div><dt>Source</dt><dd>{parts}</dd></div>\n"
    if page.data:
        what = "JSON of the whole game" if page.role == "chapter" else "JSON"
        lines += f'<div><dt>Data</dt><dd><a href="{up}{quote(page.data)}">{what}</a></dd></div>\n'
    return f'<dl class="source">\n{lines}</dl>\n'


def _turn(page: Page, up: str) -> str:
    """The ways to the pages before and after."""
    if not (page.previous or page.next):
        return ""
    ways = _way(up, page.previous, "prev", "Previous") + _way(up, page.next, "next", "Next")
    return f'<nav class="turn" aria-label="Previous and next">\n{ways}</nav>\n'


def _way(up: str, to: Signpost | None, relation: str, words: str) -> str:
    if to is None:
        return ""
    return f'<a rel="{relation}" href="{up}{to.address}{INDEX}"><span>{words}</span> {quoted(to.title)}</a>\n'
