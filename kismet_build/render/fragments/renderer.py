"""Render blocks and inlines as HTML for one place, by filling the holes in their fragments."""

from collections.abc import Mapping, Sequence

from kismet_build.model.nodes import Block, FootnoteDefinition, Inline, Paragraph
from kismet_build.render.fragments.context import Href, RenderContext
from kismet_build.render.fragments.footnote_numbers import FootnoteNumbers, NoteKey, footnotes_start
from kismet_build.render.fragments.holes import Place
from kismet_build.render.html.escape import escaped

__all__ = ["Href", "RenderContext", "inline_html", "paragraph_html", "to_html"]

DEFAULT_CONTEXT = RenderContext()


def to_html(
    blocks: Sequence[Block],
    context: RenderContext = DEFAULT_CONTEXT,
    footnotes: Mapping[NoteKey, FootnoteDefinition] | None = None,
    *,
    is_embedded: bool = False,
) -> str:
    """Blocks as HTML, followed by the footnotes they refer to.

    `footnotes`: by key, the definitions of footnotes that the blocks do not define. `is_embedded`: leave out the ids of
    headings and named blocks.
    """
    place = Place(context, FootnoteNumbers(blocks, footnotes or {}), is_embedded)
    body = place.blocks(blocks) + _footnotes(place)
    return body + "\n" if body else ""


def inline_html(inlines: Sequence[Inline], context: RenderContext = DEFAULT_CONTEXT) -> str:
    """Inlines as HTML. References to footnotes are not links."""
    return Place(context, FootnoteNumbers((), {})).html(context.fragments.inlines(inlines))


def paragraph_html(paragraph: Paragraph, context: RenderContext) -> str:
    """The words of a paragraph as HTML. References to footnotes are not links."""
    return Place(context, FootnoteNumbers((), {})).html(context.fragments.content(paragraph))


def _footnotes(place: Place) -> str:
    notes, catalog = place.notes, place.context.fragments.catalog
    contents: dict[NoteKey, tuple[str, str]] = {}
    for key in notes.keys:  # `keys` grows during the loop, as footnotes may refer to others.
        note = notes.find(key)
        blocks = note.children if note is not None else ()
        last = blocks[-1] if blocks else None
        inside = place._replace(is_embedded=not isinstance(key, str))
        last_line = f"{inside.html(place.context.fragments.content(last))} " if isinstance(last, Paragraph) else ""
        contents[key] = (inside.blocks(blocks[:-1] if last_line else blocks), last_line)
    if not contents:
        return ""
    prefix = escaped(place.context.id_prefix)
    # Footnotes are written after all references are counted, because each links back to all of its references.
    items = []
    for number, (key, (first_blocks, last_line)) in enumerate(contents.items(), 1):
        before = f"{first_blocks}\n" if first_blocks else ""
        back_links = notes.back_links(key, prefix, catalog.html("chapter.footnote_back"))
        items.append(f'<li id="{prefix}fn:{number}">\n{before}<p>{last_line}{back_links}</p>\n</li>\n')
    start = footnotes_start(catalog.html("chapter.footnotes"))
    return f"\n{start}\n<ol>\n{''.join(items)}</ol>\n</section>"
