"""The article of a chapter as HTML, and what stands amid its text. It is no template, because there are thousands."""

from collections.abc import Sequence

from kismet_build.config.kind import Kind
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.templates import ornament
from kismet_build.render.pages.table_of_contents import Branch


def chapter_html(title: str, opening: str, text: str, listing: str) -> str:
    """A chapter: its title, the names of its sections where those are many, its text, what is in its folder."""
    within = f'<div class="of-chapter">\n{opening}</div>\n' if opening else ""
    return f"""{title}{within}<div class="text">
{text}
</div>
{_in_folder(listing)}"""


def title_html(title: str, ids: Sequence[str], trail: str, trail_id: str) -> str:
    """The title of a chapter with the way to it, which is HTML, and with the ids of all headings that say the same."""
    way = f'<p class="trail" id="{quoted(trail_id)}">{trail}</p>\n' if trail else ""
    # The headings that repeat the title are gone; links to them still lead here.
    others = "".join(f'<span id="{quoted(one)}"></span>\n' for one in ids[1:])
    named = f' id="{quoted(ids[0])}"' if ids else ""
    return f'<header class="title">\n{way}{others}<h1{named}>{quoted(title)}</h1>\n</header>\n'


def opening_html(title: str, branches: Sequence[Branch]) -> str:
    """What a long section begins with: the names of what is in it."""
    lines = "".join(f'<li><a href="{entry.link}">{quoted(entry.title)}</a></li>\n' for entry, _ in branches)
    return f'<ul class="opening" aria-label="Sections of {quoted(title)}">\n{lines}</ul>\n'


def to_card(kind: Kind, name: str, href: str, spelled: bool) -> str:
    """The way from where a text defines something to its card; beside a heading with the word for it."""
    named = quoted(name)
    words = " card" if spelled else f'<span class="heard">Card of {named}</span>'
    title = f"{quoted(kind.title)}: {named}"
    opening = f'<a class="to-card tint-{quoted(kind.colour)}" href="{href}" title="{title}">'
    return f"{opening}{ornament(kind.ornament)}{words}</a>"


def _in_folder(listing: str) -> str:
    if not listing:
        return ""
    return f"""<section class="in-folder" aria-labelledby="_in-folder">
<h2 id="_in-folder">In this folder</h2>
{listing}
</section>
"""
