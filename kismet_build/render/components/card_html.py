"""Cards as HTML, at the head of a page and where a link points. No template, because there are thousands of them.

What is said is spelled for HTML here; addresses are of our own making and have no signs that would have to be.
"""

from collections.abc import Sequence

from kismet_build.render.components.card import Badge, Card
from kismet_build.render.components.citation_link import Why
from kismet_build.render.components.effect_badge import EffectBadge
from kismet_build.render.html.addresses import Signpost
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.templates import macro, ornament

Effects = Sequence[tuple[EffectBadge, Why | None]]
"""What a card shows of effects, each with where it comes from; `None` where that is not told."""


def infobox(card: Card, effects: Effects) -> str:
    """The card at the head of the page of an entity."""
    return f"""<header class="card card-large tint-{quoted(card.kind.colour)}">
{_face(card, f"<h1>{quoted(card.name)}</h1>", effects)}</header>
"""


def entity_card(card: Card, effects: Effects, text: str) -> str:
    """What links to an entity show: its card with the first words about it, as HTML."""
    name, kind = quoted(card.name), card.kind
    head = f'<p class="card-name"><a href="{card.href}">{name}</a></p>'
    return f"""<div class="card link-card tint-{quoted(kind.colour)}" aria-label="{name}, {quoted(kind.title)}">
{_face(card, head, effects)}{_line("card-text", text)}</div>"""


def section_card(
    title: str, is_chapter: bool, href: str, path: Sequence[str], text: str, below: Sequence[Signpost]
) -> str:
    """What links to a chapter or a section show: what it stands in, its first words as HTML, what is below it."""
    sort, sign = ("Chapter", "❧") if is_chapter else ("Section", "§")
    name = quoted(title or "A passage")
    above = ' › <span class="heading">'.join(f"{quoted(one)}</span>" for one in path)
    inside = " <i>·</i> ".join(f'<a href="{one.address}">{quoted(one.title)}</a>' for one in below)
    return f"""<div class="card link-card tint-fate" aria-label="{name}, {sort}">
<div class="card-head">
<span class="emblem">{ornament(sign)}</span>
<p class="card-kind">{sort}</p>
<p class="card-name{"" if is_chapter else " heading"}"><a href="{href}">{name}</a></p>
{_line("card-also", f"<span>{above}" if above else "")}</div>
{_line("card-text", text)}{_line("card-below", inside)}</div>"""


def _face(card: Card, name: str, effects: Effects) -> str:
    """The head with the name as HTML, the plates, the effects."""
    number, aliases = card.number, ", ".join(f"<b>{quoted(alias)}</b>" for alias in card.aliases)
    badges = "".join(map(_plate, card.filled))
    return f"""<div class="card-head">
<span class="emblem">{ornament(card.kind.ornament)}</span>
<p class="card-kind"><a href="{card.kind_href}">{quoted(card.kind.title)}</a></p>
{name}
{_line("card-also", f"also {aliases}" if aliases else "")}
{_line("card-number", f"<span>{quoted(number.label)}</span> {number.value}" if number else "")}</div>
{_plates(badges)}{macro("effect", "badges")(effects) if effects else ""}
"""


def _plates(badges: str) -> str:
    return f'<dl class="plates">\n{badges}</dl>\n' if badges else ""


def _plate(plate: Badge) -> str:
    wide = ' class="wide"' if plate.is_wide else ""
    return f"<div{wide}><dt>{quoted(plate.label)}</dt> <dd>{plate.value}</dd></div>\n"


def _line(name: str, html: str) -> str:
    """A line of a card; none where there is nothing to say."""
    return f'<p class="{name}">{html}</p>\n' if html else ""
