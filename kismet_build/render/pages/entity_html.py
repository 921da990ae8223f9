"""The article of an entity as HTML. It is no template, because there are thousands of them.

What is said is spelled for HTML here; addresses are of our own making and have no signs that would have to be.
"""

from collections.abc import Sequence

from kismet_build.render.html.addresses import Signpost
from kismet_build.render.html.escape import quoted
from kismet_build.render.pages.backlinks import Group, Reason

NO_REFERENCES = (
    '<p class="nothing-here">Nothing yet. A link to it in the text, or a field that names it, is listed here.</p>\n'
)


def entity_html(card: str, text: str, calculators: str, stands_in: Sequence[Signpost], groups: Sequence[Group]) -> str:
    """The card of an entity, what the book says of it and works out from it, where that stands, what refers to it."""
    chapter, *headings = (f'href="{one.address}">{quoted(one.title)}</a>' for one in stands_in)
    stands = " <i>›</i> ".join((f"<a {chapter}", *(f'<a class="heading" {one}' for one in headings)))
    return f"""<div class="spread">
<div class="spread-text">
{card}
{text}{calculators}<p class="stands-in"><span>Stands in</span> {stands}</p>
</div>
<div class="spread-margin">
<section class="references" aria-labelledby="_references">
<h2 id="_references">What refers to this</h2>
{"".join(map(_group, groups)) or NO_REFERENCES}</section>
</div>
</div>
"""


def text_html(body: str, is_row: bool) -> str:
    """What the book says, below the card; of a row, that it is printed so."""
    printed = '<p class="printed">As printed</p>\n' if is_row else ""
    return f'<div class="text">\n{printed}{body}\n</div>\n' if body else ""


def _group(group: Group) -> str:
    return f"<h3>{quoted(group.title)}</h3>\n<dl>\n{''.join(_reason(one, group) for one in group.reasons)}</dl>\n"


def _reason(reason: Reason, group: Group) -> str:
    folded, number = reason.folded, len(reason.places)
    more = f"<details><summary>{len(folded)} more</summary>{_list(folded, group)}</details>" if folded else ""
    if reason.table and number > 3:
        more += f'<a class="as-table" href="{reason.table}">All {number} as a table</a>'
    return f"<div><dt>{quoted(reason.label)}</dt><dd>{_list(reason.shown, group)}{more}</dd></div>\n"


def _list(places: Sequence[Signpost], group: Group) -> str:
    items = "".join(f'<li><a href="{place.address}">{quoted(place.title)}</a></li>' for place in places)
    return f'<ul class="headings">{items}</ul>' if group.are_sections else f"<ul>{items}</ul>"
