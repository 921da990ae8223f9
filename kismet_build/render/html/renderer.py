"""Turn blocks and inlines into HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Callout,
    Cell,
    Code,
    CodeBlock,
    Column,
    Columns,
    DefinitionItem,
    DefinitionList,
    Div,
    Embed,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    HardBreak,
    Heading,
    Highlight,
    Image,
    Inline,
    Link,
    List,
    ListItem,
    Paragraph,
    RawBlock,
    RawInline,
    Row,
    SoftBreak,
    Strikethrough,
    Strong,
    Table,
    Text,
    ThematicBreak,
    plain_text,
)
from kismet_build.render.html.addresses import fragment
from kismet_build.render.html.context import Href, RenderContext, as_typed, picture_as_typed
from kismet_build.render.html.escape import attribute, escaped
from kismet_build.render.html.footnote_numbers import Notes, mark_id
from kismet_build.render.html.sanitize import Piece, joined, may_follow, may_show
from kismet_build.render.html.tables import cell_words, sort_of, under

__all__ = ["Href", "RenderContext", "as_typed", "inline_html", "picture_as_typed", "to_html"]

USUAL = RenderContext()


def to_html(
    blocks: Sequence[Block], outlet: RenderContext = USUAL, footnotes: Mapping[str, FootnoteDefinition] | None = None
) -> str:
    """Blocks as HTML, with the footnotes that they refer to at the end.

    A footnote is looked for among the blocks first, then in `footnotes`, by its label.
    """
    page = _Page(outlet, Notes(blocks, footnotes or {}))
    body = page.blocks(blocks) + page.footnotes()
    return body + "\n" if body else ""


def inline_html(inlines: Sequence[Inline], outlet: RenderContext = USUAL) -> str:
    """Inlines as HTML; a footnote mark leads nowhere here."""
    return _Page(outlet, Notes((), {})).inlines(inlines)


TAGS: dict[type[Inline], str] = {Emphasis: "em", Strong: "strong", Strikethrough: "del", Highlight: "mark"}
"""Inlines that are an element and nothing more."""

FOREIGN = frozenset((RawBlock, RawInline))
"""What authors typed as HTML."""


@dataclass(slots=True)
class _Page:
    """One text in the making."""

    outlet: RenderContext
    notes: Notes
    is_still: bool = False
    """Nothing in the words can be pressed: they are in what is a link or a heading itself."""
    quiet: "_Page | None" = None
    """This page where it is still, once that was asked for."""

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Blocks, one below the other; those that show nothing leave no line."""
        shown: list[Block] = []
        html: list[str] = []
        above: Block | None = None
        for block in blocks:
            if one := self.block(under(above, block)) + self.outlet.after(block):
                shown.append(block)
                html.append(one)
            above = block
        return self.joined(shown, html, "\n")

    def joined(self, nodes: Sequence[Block | Inline], html: Sequence[str], between: str) -> str:
        """The HTML of some nodes as one text, what authors typed as HTML cleaned."""
        if self.outlet.raw or FOREIGN.isdisjoint(map(type, nodes)):
            return between.join(html)
        return joined([Piece(one, type(node) in FOREIGN) for node, one in zip(nodes, html, strict=True)], between)

    def block(self, block: Block) -> str:
        """One block, without a line end."""
        named = self.id(block)
        match block:
            case Paragraph():
                embed = _embed(block)
                if embed is not None and (shown := self.outlet.embed(embed)) is not None:
                    return self.around("div", f' class="embed"{named}', shown)
                return f"<p{named}>{self.words(block)}</p>"
            case Heading():
                return self.heading(block, named)
            case List(items=items, start=start):
                tag = "ul" if start is None else "ol"
                first = f' start="{start}"' if start not in (None, 1) else ""
                inside = "".join(f"{self.item(item, block.tight)}\n" for item in items)
                return f"<{tag}{first}{named}>\n{inside}</{tag}>"
            case Table():
                return self.table(block, named)
            case CodeBlock(text=text, info=info):
                language = f' class="language-{escaped(info.split()[0])}"' if info.split() else ""
                # A wide one scrolls in its own frame, which the keyboard has to reach.
                focus = "" if self.outlet.raw else ' tabindex="0"'
                return f"<pre{named}{focus}><code{language}>{escaped(text)}</code></pre>"
            case BlockQuote(children=children):
                return self.around("blockquote", named, children)
            case ThematicBreak():
                return "<hr />"
            case Callout():
                return self.callout(block, named)
            case Columns(columns=columns, count=count):
                return self.around("div", f' class="columns columns-{count}"', columns)
            case Column(children=children):
                return self.around("div", ' class="column"', children)
            case Div(name=name, children=children):
                return self.around("div", f' class="{escaped(name)}"{named}', children)
            case DefinitionList(items=items):
                inside = "".join(self.definition(item, item is items[-1]) for item in items)
                return f"<dl{named}>\n{inside}</dl>"
            case DefinitionItem():
                return self.definition(block, last=True).rstrip("\n")
            case RawBlock(text=text):
                return text.removesuffix("\n")
            case FootnoteDefinition():
                return ""
            case ListItem():
                return self.item(block, tight=False)
            case Row() | Cell():
                return self.blocks(block.children)

    def around(self, tag: str, attributes: str, blocks: Sequence[Block]) -> str:
        """Blocks inside an element."""
        inside = self.blocks(blocks)
        return f"<{tag}{attributes}>\n{inside}\n</{tag}>" if inside else f"<{tag}{attributes}>\n</{tag}>"

    def id(self, block: Block) -> str:
        """The attribute for the name that an author gave a block."""
        name = getattr(block, "block_id", "")
        return f' id="{escaped(self.outlet.id_prefix)}{escaped(name)}"' if name else ""

    def words(self, paragraph: Paragraph) -> str:
        """What stands in a paragraph, after its mark."""
        return self.outlet.mark(paragraph) + self.inlines(paragraph.children)

    def definition(self, item: DefinitionItem, last: bool) -> str:
        """A term and what it means; one that shares the meaning of the next term has none of its own."""
        term = f"<dt{self.id(item)}>{self.outlet.mark(item)}{self.inlines(item.term)}</dt>\n"
        return term + f"{self.around('dd', '', item.children)}\n" if item.children or last else term

    def heading(self, heading: Heading, named: str) -> str:
        """A heading, with a link to itself where that is wanted."""
        wanted = self.outlet.heading_level(heading)
        level = min(wanted, 6)
        anchor = self.outlet.heading_id(heading)
        inside = self.still().inlines(heading.children)
        if mark := self.outlet.mark(heading):
            inside += f" {mark}"
        if anchor:
            named = f' id="{escaped(anchor)}"'
            if self.outlet.permalinks:
                label = escaped("Link to " + " ".join(plain_text(heading).split()))
                inside += f' <a class="permalink" href="{fragment(anchor)}" aria-label="{label}">#</a>'
        # HTML ends at six; who listens is told the level all the same.
        deeper = f' aria-level="{wanted}"' if wanted > level else ""
        return f"<h{level}{named}{deeper}>{inside}</h{level}>"

    def item(self, item: ListItem, tight: bool) -> str:
        """An entry of a list; in a tight list its paragraphs are bare words."""
        box = ""
        if item.checked is not None:
            box = f'<input type="checkbox" disabled{"" if item.checked == " " else " checked"} /> '
        shown: list[Block] = []
        html: list[str] = []
        bare: list[bool] = []
        for block in item.children:
            one = self.words(block) if (is_bare := tight and _is_bare(block)) else self.block(block)
            if box and isinstance(block, Paragraph):
                one = f"{box}{one}" if is_bare else one.replace(">", f">{box}", 1)
                box = ""
            if one or is_bare:
                shown.append(block)
                html.append(one)
                bare.append(is_bare)
        before = "" if not bare or bare[0] else "\n"
        after = "" if not bare or bare[-1] else "\n"
        sort = "" if item.checked is None else ' class="task"'
        inside = self.joined(shown, html, "\n")
        return f"<li{sort}{self.id(item)}>{box}{before}{inside}{after}</li>"

    def table(self, table: Table, named: str) -> str:
        """A table in a frame of its own; every cell names its column, for where it is shown as a card."""
        sides = [f' class="{side}"' if side else "" for side in table.alignments]
        labels = [attribute("data-label", " ".join(cell_words(cell).split())) for cell in table.header.cells]
        starts = [f"<td{side}{label}>" for side, label in zip(sides, labels, strict=True)]
        caption = f"<caption>{self.inlines(table.caption)}</caption>\n" if table.caption else ""
        header = "".join(
            f'<th scope="col"{side}>{self.cell(cell)}</th>\n'
            for cell, side in zip(table.header.cells, sides, strict=True)
        )
        roll = self.outlet.roll(table)
        rows = ""
        for place, row in enumerate(table.rows):
            cells = [f"{start}{self.cell(cell)}</td>\n" for start, cell in zip(starts, row.cells, strict=True)]
            ends = ' data-low="{}" data-high="{}"'.format(*roll.rows[place]) if roll else ""
            rows += f"<tr{ends}>\n{''.join(cells)}</tr>\n"
        body = f"<tbody>\n{rows}</tbody>\n" if rows else ""
        # A row of empty cells is no header: it would be read out cell by cell.
        head = f"<thead>\n<tr>\n{header}</tr>\n</thead>\n" if any(cell.children for cell in table.header.cells) else ""
        rolled = f' data-roll="{escaped(roll.notation)}"' if roll else ""
        sort = sort_of(table)
        rolled += f' class="{sort}"' if sort else ""
        # What scrolls sideways in its own frame has to be reached by the keyboard.
        focus = ' tabindex="0"' if sort == "figures" and not self.outlet.raw else ""
        return f'<div class="table"{named}{focus}><table{rolled}>\n{caption}{head}{body}</table></div>'

    def cell(self, cell: Cell) -> str:
        """What stands in a cell; a single paragraph is bare words."""
        children = cell.children
        if len(children) == 1 and _is_bare(only := children[0]):
            return self.words(only)
        return self.blocks(children)

    def callout(self, callout: Callout, named: str) -> str:
        """An aside; one that folds is a disclosure."""
        kind = escaped(callout.kind)
        metadata = attribute("data-callout-metadata", callout.metadata)
        attributes = f' class="callout" data-callout="{kind}"{metadata}{named}'
        title = self.still().inlines(callout.title) or escaped(callout.kind.replace("-", " ").title())
        tag, line = ("details", "summary") if callout.fold else ("aside", "p")
        # A note, not a landmark: a chapter has dozens, and nobody navigates by them.
        attributes += {"+": " open", "-": ""}.get(callout.fold, ' role="note"')
        inside = self.blocks(callout.children)
        body = f"{inside}\n" if inside else ""
        return f'<{tag}{attributes}>\n<{line} class="callout-title">{title}</{line}>\n{body}</{tag}>'

    def inlines(self, inlines: Sequence[Inline]) -> str:
        """Inlines in a row."""
        if len(inlines) == 1 and isinstance(only := inlines[0], Text):
            return self.text(only, False)  # as in nearly every cell and heading
        last = len(inlines) - 1
        html = [
            self.text(inline, place < last) if isinstance(inline, Text) else self.inline(inline)
            for place, inline in enumerate(inlines)
        ]
        return self.joined(inlines, html, "")

    def still(self) -> "_Page":
        """This page where nothing in the words can be pressed."""
        if self.is_still:
            return self
        if self.quiet is None:
            self.quiet = _Page(self.outlet, self.notes, is_still=True)
        return self.quiet

    def inline(self, inline: Inline) -> str:
        """One inline; words in a row of others are asked for with what follows them."""
        match inline:
            case Text():
                return self.text(inline, False)
            case Emphasis() | Strong() | Strikethrough() | Highlight():
                tag = TAGS[type(inline)]
                return f"<{tag}>{self.inlines(inline.children)}</{tag}>"
            case Code(value=value):
                return f"<code>{escaped(value)}</code>"
            case Link():
                return self.link(inline)
            case Image():
                return self.image(inline)
            case Embed():
                return self.embed(inline)
            case FootnoteReference(label=label):
                return self.reference(label)
            case SoftBreak():
                return "\n"
            case HardBreak():
                return "<br />\n"
            case RawInline(text=text):
                return text

    def text(self, text: Text, goes_on: bool) -> str:
        """Words, of which some may link by themselves."""
        words = text.value
        if self.is_still:
            return escaped(words)
        outlet = self.outlet
        terms = outlet.terms(text)
        if not terms:
            return outlet.words(words, goes_on)
        html, place = "", 0
        for term in terms:
            if place < term.start:
                html += self.outlet.words(words[place : term.start], True)
            html += f'<a class="term" href="{escaped(term.address)}">' if term.opens else ""
            html += escaped(words[term.start : term.end]) + ("</a>" if term.closes else "")
            place = term.end
        return html + (self.outlet.words(words[place:], goes_on) if place < len(words) else "")

    def link(self, link: Link) -> str:
        """A link, or its words where it leads nowhere."""
        inside = self.still().inlines(link.children)
        href = self.outlet.href(link)
        if href.state == "missing":
            return f'<span class="unwritten"{attribute("title", href.title)}>{inside}</span>'
        if not self.outlet.raw and not may_follow(href.address):
            return inside
        sort = ' class="external"' if href.state == "external" else ""
        more = attribute("title", link.title or href.title) + attribute("data-place", href.place)
        return f'<a{sort} href="{escaped(href.address)}"{more}>{inside}</a>'

    def image(self, image: Image) -> str:
        """A picture, or the words for it where it may not be shown."""
        address, words = self.outlet.picture(image), plain_text(*image.children)
        if not self.outlet.raw and not (address and may_show(address)):
            return escaped(words)
        size = f' width="{image.width}"' if image.width is not None else ""
        size += f' height="{image.height}"' if image.height is not None else ""
        return f'<img src="{escaped(address)}" alt="{escaped(words)}"{attribute("title", image.title)}{size} />'

    def embed(self, embed: Embed) -> str:
        """An embed amid words: a single paragraph joins them, anything more stays a mention."""
        match self.outlet.embed(embed):
            case (Paragraph(children=inlines),):
                return self.inlines(inlines)
            case None:
                return f'<span class="unwritten">{escaped(_shown(embed))}</span>'
            case _:
                words = (Text(embed.span, _shown(embed)),)
                return self.link(Link(span=embed.span, target=embed.target, children=words, wiki=True))

    def reference(self, label: str) -> str:
        """The number of a footnote."""
        if self.notes.of(label) is None:
            return f'<sup class="footnote">{escaped(label)}</sup>'
        number, time = self.notes.refer(label)
        prefix = escaped(self.outlet.id_prefix)
        own = mark_id(prefix, number, time)
        return f'<sup class="footnote"><a href="#{prefix}fn:{number}" id="{own}">{number}</a></sup>'

    def footnotes(self) -> str:
        """The footnotes that were referred to; one may refer to others, which follow it."""
        numbers = self.notes.numbers
        bodies: dict[str, tuple[str, str]] = {}
        while len(bodies) < len(numbers):
            for label in list(numbers)[len(bodies) :]:
                note = self.notes.of(label)
                blocks = note.children if note is not None else ()
                last = blocks[-1] if blocks else None
                words = f"{self.inlines(last.children)} " if isinstance(last, Paragraph) else ""
                bodies[label] = (self.blocks(blocks[:-1] if words else blocks), words)
        if not bodies:
            return ""
        prefix = escaped(self.outlet.id_prefix)
        # Now that all references are counted, each footnote can lead back to its own.
        items = ""
        for label, (blocks_before, words) in bodies.items():
            before = f"{blocks_before}\n" if blocks_before else ""
            back = self.notes.back(label, prefix)
            items += f'<li id="{prefix}fn:{numbers[label]}">\n{before}<p>{words}{back}</p>\n</li>\n'
        return f'\n<section class="footnotes" aria-label="Footnotes">\n<ol>\n{items}</ol>\n</section>'


def _embed(paragraph: Paragraph) -> Embed | None:
    """The embed that is all of a paragraph."""
    children = paragraph.children
    return only if len(children) == 1 and isinstance(only := children[0], Embed) else None


def _is_bare(block: Block) -> TypeGuard[Paragraph]:
    """Whether a block can be shown as its words alone, without an element around them."""
    return isinstance(block, Paragraph) and not block.block_id and _embed(block) is None


def _shown(embed: Embed) -> str:
    return embed.label or embed.target.lstrip("#").replace("#", " > ")
