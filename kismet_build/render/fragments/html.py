"""Render the blocks of a book as HTML fragments, once for all places that show them.

Nodes are rendered with strings instead of templates: a macro call takes 2 µs more, and 1,000 typical pages have 230,000
nodes (docs/decisions/0030-fragments.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from kismet_build.config.autolink import AutolinkRange
from kismet_build.config.language.catalog import Catalog, catalog
from kismet_build.config.language.strings import DEFAULT
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model import nodes
from kismet_build.model.nodes import footnote_references, plain_text, raw_links, target_words
from kismet_build.render.fragments import holes
from kismet_build.render.html.dice_buttons import results_attributes, roll_attributes
from kismet_build.render.html.escape import attribute, escaped, with_minus
from kismet_build.render.html.tables import cell_spans, cell_text, table_class

MAX_NARROW_FORMULA = 30
"""Maximum number of characters of a LaTeX formula that fits the width of a phone."""
CALLOUT_TITLES = {
    key.partition(".")[2]: key
    for key in (
        *("callout.abstract", "callout.bug", "callout.caution", "callout.danger", "callout.example"),
        *("callout.failure", "callout.hint", "callout.important", "callout.info", "callout.note", "callout.question"),
        *("callout.quote", "callout.success", "callout.summary", "callout.tip", "callout.todo", "callout.warning"),
    )
}
"""Catalog keys of the default titles of callouts, by kind."""

TAGS: dict[type[nodes.Inline], str] = {
    nodes.Emphasis: "em",
    nodes.Strong: "strong",
    nodes.Strikethrough: "del",
    nodes.Highlight: "mark",
}
"""Elements for inlines without attributes."""

RAW_HTML = frozenset((nodes.RawBlock, nodes.RawInline))
"""Nodes whose HTML was written by authors."""

Pieces = list[str | holes.Hole]


def without_dice(text: str, _has_next: bool = False) -> str:
    """Text as HTML, without dice buttons."""
    return escaped(text)


def _none(_: object) -> None:
    return None


def _always(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlFragments:
    """The HTML fragments of a book, each made when first shown. The defaults are for text outside a book."""

    catalog: Catalog = field(default_factory=lambda: catalog(DEFAULT))
    """The words of the website."""
    unsafe: bool = False
    """Whether authors' HTML is passed through without being sanitized."""
    text: Callable[[str, bool], str] = without_dice
    """Converts plain text to HTML. The flag tells whether more inlines follow. Not called in links, headings, titles
    and dice codes."""
    text_on_paper: Callable[[str, bool], str] = without_dice
    """Converts plain text to HTML for places where readers cannot roll."""
    terms: Callable[[nodes.Text], tuple[AutolinkRange, ...]] = holes.no_terms
    """Automatic links of a text node. Not called in links, headings, titles and dice codes."""
    link_words: Callable[[nodes.Link], str] = holes.nothing
    """Plain text that replaces the content of a link; empty to keep it."""
    heading_title: Callable[[nodes.Heading], str] = holes.nothing
    """Plain text that replaces the content of a heading; empty to keep it."""
    embed: Callable[[nodes.Embed], tuple[nodes.Block, ...] | None] = _none
    """Blocks of an embed; `None` if its target is missing or contains the embed itself."""
    dice_roll: Callable[[nodes.DiceRoll], str] = holes.nothing
    """Attributes of the `<span>` of a dice code; empty if readers cannot roll it."""
    roll_table: Callable[[nodes.Table], RollTable | None] = _none
    """How to roll on a table; `None` for a table without rolls."""
    may_have_mark: Callable[[nodes.Paragraph | nodes.DefinitionItem], bool] = _always
    """Whether any place shows a mark before the words of a block."""
    kept: holes.KeptFragments[holes.Fragment] = field(default_factory=holes.KeptFragments)

    def of(self, block: nodes.Block, previous: nodes.Block | None = None) -> holes.Fragment:
        """The fragment of a block, without a line end.

        A table's caption is dropped if it repeats the end of the heading above.
        """
        if type(block) is nodes.Paragraph:
            return self._paragraph(block)
        fragment = self.kept.get(block, self._make)
        if repeats_heading(block, previous):
            return [piece for piece in fragment if not isinstance(piece, holes.Caption)]
        return fragment

    def content(self, paragraph: nodes.Paragraph) -> holes.Fragment:
        """The content of a paragraph and the mark before it, without the enclosing `<p>` element."""
        return self.kept.get(paragraph, self._make)

    def with_terms(self, terms: Callable[[nodes.Text], tuple[AutolinkRange, ...]]) -> "HtmlFragments":
        """The same fragments with these automatic links instead, without a cache."""
        return replace(self, terms=terms, kept=holes.KeptFragments())

    def inlines(self, inlines: Sequence[nodes.Inline]) -> holes.Fragment:
        pieces: Pieces = []
        self._inlines(inlines, pieces)
        return holes.compact(pieces)

    def _make(self, block: nodes.Block) -> holes.Fragment:
        """The fragment of a block. A paragraph has no `<p>` element."""
        pieces: Pieces = []
        self.write(block, pieces)
        return holes.compact(pieces)

    def write(self, block: nodes.Block, pieces: Pieces) -> None:
        """Append the pieces of a block. A paragraph has no `<p>` element."""
        match block:
            case nodes.Paragraph():
                if self.may_have_mark(block):
                    pieces.append(holes.Mark(block))
                self._inlines(block.children, pieces)
            case nodes.Heading():
                inner: Pieces = []
                self._inlines(block.children, inner, inside=True)
                pieces.append(holes.HeadingHole(block, holes.compact(inner), self.heading_title(block)))
            case nodes.List():
                self._list(block, pieces)
            case nodes.Table():
                self._table(block, pieces)
            case nodes.CodeBlock(text=text, info=info):
                language = f' class="language-{escaped(info.split()[0])}"' if info.split() else ""
                # A wide code block scrolls, so it must be focusable by keyboard.
                pieces += ("<pre", *_id(block), self._focus(), f"><code{language}>{escaped(text)}</code></pre>")
            case nodes.BlockQuote(children=children):
                self._element("blockquote", _id(block), children, pieces)
            case nodes.ThematicBreak():
                pieces.append("<hr />")
            case nodes.Callout():
                self._callout(block, pieces)
            case nodes.Columns(columns=columns, count=count):
                pieces += (f'<div class="columns columns-{count}">\n', holes.Blocks(columns), "</div>")
            case nodes.Column(children=children):
                pieces += ('<div class="column">\n', holes.Blocks(children), "</div>")
            case nodes.Div(name=name, children=children):
                pieces += (f'<div class="{escaped(name)}"', *_id(block), ">\n", holes.Blocks(children), "</div>")
            case nodes.DefinitionList(items=items):
                pieces += ("<dl", *_id(block), ">\n")
                for item in items:
                    self._definition(item, item is items[-1], pieces)
                pieces.append("</dl>")
            case nodes.DefinitionItem():
                self._definition(block, True, pieces)
            case nodes.RawBlock():
                pieces.append(holes.RawHole(block) if any(raw_links(block)) else block.text.removesuffix("\n"))
            case nodes.FootnoteDefinition():
                pass
            case nodes.Statblock():
                pieces.append(holes.StatblockHole(block))
            case nodes.ListItem():
                self._item(block, False, pieces)
            case nodes.Property() | nodes.Row() | nodes.Cell():
                self._blocks(block.children, pieces)

    # --- blocks

    def _blocks(self, blocks: Sequence[nodes.Block], pieces: Pieces) -> None:
        parts: list[tuple[holes.Fragment, bool]] = []
        previous: nodes.Block | None = None
        for block in blocks:
            if fragment := self.of(block, previous):
                parts.append((fragment, type(block) is nodes.RawBlock))
            previous = block
        self._join(parts, "\n", pieces)

    def _lines(self, blocks: Sequence[nodes.Block], pieces: Pieces) -> None:
        before = len(pieces)
        self._blocks(blocks, pieces)
        if len(pieces) > before:
            if isinstance(last := pieces[-1], holes.Sanitized):
                pieces[-1] = last._replace(end="\n")
            else:
                pieces.append("\n")

    def _join(self, parts: Sequence[tuple[holes.Fragment, bool]], separator: str, pieces: Pieces) -> None:
        if not self.unsafe and any(is_raw for _, is_raw in parts):
            pieces.append(holes.Sanitized(tuple(parts), separator))
            return
        for number, (fragment, _) in enumerate(parts):
            if number and separator:
                pieces.append(separator)
            pieces += fragment

    def _element(
        self, tag: str, attributes: Sequence[str | holes.Hole], blocks: Sequence[nodes.Block], pieces: Pieces
    ) -> None:
        pieces += (f"<{tag}", *attributes, ">\n")
        self._lines(blocks, pieces)
        pieces.append(f"</{tag}>")

    def _paragraph(self, paragraph: nodes.Paragraph, start: str = "") -> holes.Fragment:
        content = self.content(paragraph)
        if len(content) == 1 and type(content[0]) is str:  # Fast path: most paragraphs have no holes.
            return ("<p", *_id(paragraph), f">{start}{content[0]}</p>")
        if len(parts := self._parts(paragraph)) > 1:
            pieces: Pieces = [start]
            for number, part in enumerate(parts):
                pieces += ("\n" if number else "", *self._paragraph(part))
            return pieces
        embed = _embed(paragraph)
        if embed is not None and (blocks := self.embed(embed)) is not None:
            hole = holes.EmbedHole(blocks, is_inline=False)
            return (start, '<div class="embed"', *_id(paragraph), ">\n", hole, "</div>")
        return ("<p", *_id(paragraph), f">{start}", *content, "</p>")

    def _parts(self, paragraph: nodes.Paragraph) -> tuple[nodes.Paragraph, ...]:
        """A paragraph split at embeds that take a line of their own and show blocks, as in Obsidian."""
        inlines = paragraph.children
        if len(inlines) < 2 or not any(isinstance(inline, nodes.Embed) for inline in inlines):
            return (paragraph,)
        runs: list[tuple[nodes.Inline, ...]] = []
        start = 0
        for index, inline in enumerate(inlines):
            around = (*inlines[max(index - 1, 0) : index], *inlines[index + 1 : index + 2])
            if all(isinstance(other, nodes.SoftBreak | nodes.HardBreak) for other in around) and self._shows_blocks(
                inline
            ):
                runs += [inlines[start : index - 1] if index > start else (), (inline,)]
                start = index + 2
        first, *others = [run for run in (*runs, inlines[start:]) if run]
        rest = (nodes.Paragraph(span=run[0].span, children=run) for run in others)
        return (replace(paragraph, children=first), *rest)

    def _shows_blocks(self, inline: nodes.Inline) -> bool:
        blocks = self.embed(inline) if isinstance(inline, nodes.Embed) else None
        return blocks is not None and not (len(blocks) == 1 and isinstance(blocks[0], nodes.Paragraph))

    def _can_be_bare(self, block: nodes.Block) -> TypeGuard[nodes.Paragraph]:
        if not isinstance(block, nodes.Paragraph) or block.block_id or _embed(block) is not None:
            return False
        return len(self._parts(block)) == 1

    def _definition(self, item: nodes.DefinitionItem, last: bool, pieces: Pieces) -> None:
        """Append a term and its definition. A term that shares its definition with the next term gets no `<dd>`."""
        pieces += ("<dt", *_id(item), ">")
        if self.may_have_mark(item):
            pieces.append(holes.Mark(item))
        self._inlines(item.term, pieces)
        pieces.append("</dt>\n")
        if item.children or last:
            self._element("dd", (), item.children, pieces)
            pieces.append("\n")

    def _list(self, block: nodes.List, pieces: Pieces) -> None:
        tag = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in (None, 1) else ""
        pieces += (f"<{tag}{start}", *_id(block), ">\n")
        for item in block.items:
            self._item(item, block.tight, pieces)
            pieces.append("\n")
        pieces.append(f"</{tag}>")

    def _item(self, item: nodes.ListItem, tight: bool, pieces: Pieces) -> None:
        """Append a list item. In a tight list, paragraphs have no `<p>` element, except named ones and embeds."""
        checkbox = ""
        if item.checked is not None:
            checkbox = f'<input type="checkbox" disabled{"" if item.checked == " " else " checked"} /> '
        parts: list[tuple[holes.Fragment, bool]] = []
        bare: list[bool] = []
        for block in item.children:
            if is_bare := tight and self._can_be_bare(block):
                fragment: holes.Fragment = (checkbox, *self.content(block))
                checkbox = ""
            elif isinstance(block, nodes.Paragraph):
                fragment = self._paragraph(block, checkbox)
                checkbox = ""
            else:
                fragment = self.of(block)
            if fragment or is_bare:
                parts.append((fragment, type(block) is nodes.RawBlock))
                bare.append(is_bare)
        css_class = "" if item.checked is None else ' class="task"'
        pieces += (f"<li{css_class}", *_id(item), f">{checkbox}", "" if not bare or bare[0] else "\n")
        self._join(parts, "\n", pieces)
        pieces.append("</li>" if not bare or bare[-1] else "\n</li>")

    def _table(self, table: nodes.Table, pieces: Pieces) -> None:
        """Append a table.

        On the website, a table is in a scrolling element, and each cell has the label of its column, because phones
        show rows as cards.
        """
        aligned = [f' class="{side}"' if side else "" for side in table.alignments]
        labels = [attribute("data-label", " ".join(cell_text(cell).split())) for cell in table.header.cells]
        starts = [holes.OnSite(f"<td{side}{label}", "<td") for side, label in zip(aligned, labels, strict=True)]
        header_spans, spans = cell_spans((table.header,)), cell_spans(table.rows)
        line_end = holes.OnSite("\n")
        roll = self.roll_table(table)
        # Cards for phones would not show a cell in each row that it spans.
        css_class = "" if spans else table_class(table)
        # A table of figures scrolls sideways, so it must be focusable by keyboard.
        focus = ' tabindex="0"' if (css_class == "figures" or spans) and not self.unsafe else ""
        if identity := _id(table):
            pieces += (holes.OnSite('<div class="table"', "<table"), *identity, holes.OnSite(f"{focus}><table"))
        else:
            pieces.append(holes.OnSite(f'<div class="table"{focus}><table', "<table"))
        if roll:
            pieces.append(holes.RollAttributes(roll_attributes(roll)))
        pieces += (holes.OnSite(f' class="{css_class}"') if css_class else "", ">", line_end)
        if table.caption:
            pieces.append(holes.Caption(self.inlines(table.caption)))
        # A header without words is left out, because screen readers would read each of its cells.
        if any(cell.children for cell in table.header.cells):
            pieces += ("<thead>", line_end, "<tr>", line_end)
            for column, (cell, side) in enumerate(zip(table.header.cells, aligned, strict=True)):
                if (span := header_spans.get((0, column), "")) is None:
                    continue
                pieces += (holes.OnSite(f'<th scope="col"{side}', '<th scope="col"'), f"{span}>")
                self._cell(cell, pieces)
                pieces += ("</th>", line_end)
            pieces += ("</tr>", line_end, "</thead>", line_end)
        if table.rows:
            pieces.append("<tbody>\n")
            for index, row in enumerate(table.rows):
                results = results_attributes(roll, index) if roll else ""
                pieces += ("<tr", holes.RollAttributes(results), ">", line_end) if results else ("<tr>", line_end)
                for column, (cell, start) in enumerate(zip(row.cells, starts, strict=True)):
                    if (span := spans.get((index, column), "")) is None:
                        continue
                    pieces += (start, f"{span}>")
                    self._cell(cell, pieces)
                    pieces += ("</td>", line_end)
                is_last = index == len(table.rows) - 1
                pieces += ("</tr>", line_end if is_last else "\n")
            pieces += ("</tbody>", line_end)
        pieces.append(holes.OnSite("</table></div>", "</table>"))

    def _focus(self) -> holes.OnSite:
        """The attribute that makes a scrolling element focusable by keyboard."""
        return holes.OnSite("" if self.unsafe else ' tabindex="0"')

    def _cell(self, cell: nodes.Cell, pieces: Pieces) -> None:
        children = cell.children
        if len(children) == 1 and self._can_be_bare(only := children[0]):
            pieces += self.content(only)
        else:
            self._blocks(children, pieces)

    def _callout(self, callout: nodes.Callout, pieces: Pieces) -> None:
        kind = escaped(callout.kind)
        metadata = attribute("data-callout-metadata", callout.metadata)
        tag, title_tag = ("details", "summary") if callout.fold else ("aside", "p")
        # The role `note` keeps `<aside>` from being a landmark, since a chapter would have dozens.
        state = {"+": " open", "-": ""}.get(callout.fold, holes.OnSite(' role="note"'))
        pieces += (f'<{tag} class="callout" data-callout="{kind}"{metadata}', *_id(callout), state)
        pieces.append(f'>\n<{title_tag} class="callout-title">')
        before = len(pieces)
        self._inlines(callout.title, pieces, inside=True)
        if len(pieces) == before:
            pieces.append(self._callout_title(callout.kind))
        pieces.append(f"</{title_tag}>\n")
        self._lines(callout.children, pieces)
        pieces.append(f"</{tag}>")

    def _callout_title(self, kind: str) -> str:
        words = CALLOUT_TITLES.get(kind)
        return self.catalog.html(words) if words else escaped(kind.replace("-", " ").title())

    # --- inlines

    def _inlines(self, inlines: Sequence[nodes.Inline], pieces: Pieces, inside: bool = False) -> None:
        """Append inlines one after the other.

        `inside`: whether they are in a link, heading or title, where text has no automatic links and no dice buttons.
        """
        if not RAW_HTML.isdisjoint(map(type, inlines)):
            parts = []
            for index, inline in enumerate(inlines):
                part: Pieces = []
                self._inline(inline, part, inside, index < len(inlines) - 1)
                parts.append((holes.compact(part), type(inline) in RAW_HTML))
            self._join(parts, "", pieces)
            return
        last = len(inlines) - 1
        for index, inline in enumerate(inlines):
            self._inline(inline, pieces, inside, index < last)

    def _inline(self, inline: nodes.Inline, pieces: Pieces, inside: bool, has_next: bool) -> None:
        match inline:
            case nodes.Text():
                self._text(inline, pieces, inside, has_next)
            case nodes.Emphasis() | nodes.Strong() | nodes.Strikethrough() | nodes.Highlight():
                tag = TAGS[type(inline)]
                pieces.append(f"<{tag}>")
                self._inlines(inline.children, pieces, inside)
                pieces.append(f"</{tag}>")
            case nodes.InlineField():
                self._inlines(inline.children, pieces, inside)
            case nodes.Code(value=value):
                pieces.append(f"<code>{escaped(value)}</code>")
            case nodes.Math():
                self._math(inline, pieces, inside)
            case nodes.Tag():
                pieces.append(f"#{escaped(inline.name)}" if inside else holes.TagHole(inline))
            case nodes.Link():
                self._link(inline, pieces)
            case nodes.DiceRoll():
                self._dice_roll(inline, pieces)
            case nodes.Image():
                pieces.append(holes.ImageHole(inline))
                pieces += map(holes.ReferenceHole, footnote_references(inline))
            case nodes.Embed():
                self._embed(inline, pieces)
            case nodes.FootnoteReference():
                pieces.append(holes.ReferenceHole(inline))
            case nodes.SoftBreak():
                pieces.append("\n")
            case nodes.HardBreak():
                pieces.append("<br />\n")
            case nodes.RawInline():
                pieces.append(holes.RawHole(inline) if any(raw_links(inline)) else inline.text)

    def _text(self, text: nodes.Text, pieces: Pieces, inside: bool, has_next: bool) -> None:
        value = text.value
        if inside:
            pieces.append(escaped(with_minus(value)))
            return
        end = 0
        for term in self.terms(text):
            if end < term.start:
                self._words(value[end : term.start], True, pieces)
            words = value[term.start : term.end]
            unlinked: Pieces = []
            self._words(words, has_next or term.end < len(value), unlinked)
            pieces.append(holes.TermHole(term, escaped(words), unlinked))
            end = term.end
        if end < len(value):
            self._words(value[end:], has_next, pieces)

    def _words(self, words: str, has_next: bool, pieces: Pieces) -> None:
        button, on_paper = self.text(words, has_next), self.text_on_paper(words, has_next)
        pieces.append(button if button == on_paper else holes.Rolls(button, on_paper))

    def _math(self, math: nodes.Math, pieces: Pieces, inside: bool) -> None:
        if len(math.value) <= MAX_NARROW_FORMULA or inside:
            pieces.append(math.mathml)
            return
        css_class = "formula" if ' display="block"' in math.mathml else "formula formula-inline"
        pieces += (f'<span class="{css_class}"', self._focus(), f">{math.mathml}</span>")

    def _dice_roll(self, roll: nodes.DiceRoll, pieces: Pieces) -> None:
        is_code = roll.rolls == "nothing"
        attributes = "" if is_code else self.dice_roll(roll)
        if is_code or attributes:
            pieces.append("<code>" if is_code else holes.Rolls(f"<span{attributes}>"))
        for child in roll.children:
            self._inline(child, pieces, True, False)
        if is_code or attributes:
            pieces.append("</code>" if is_code else holes.Rolls("</span>"))

    def _link(self, link: nodes.Link, pieces: Pieces) -> None:
        words: Pieces = []
        if title := self.link_words(link):
            words.append(escaped(title))
        else:
            self._inlines(link.children, words, inside=True)
        pieces.append(holes.LinkHole(link, holes.compact(words)))

    def _embed(self, embed: nodes.Embed, pieces: Pieces) -> None:
        """Append an embed among inlines: the content of a single paragraph, or a link if there is more."""
        match self.embed(embed):
            case (nodes.Paragraph(),) as blocks:
                pieces.append(holes.EmbedHole(blocks, is_inline=True))
            case None:
                pieces.append(f'<span class="unwritten">{escaped(_label(embed))}</span>')
            case _:
                label = (nodes.Text(embed.span, _label(embed)),)
                self._link(nodes.Link(span=embed.span, target=embed.target, children=label, wiki=True), pieces)


def _id(block: nodes.Block) -> tuple[holes.BlockId, ...]:
    name = getattr(block, "block_id", "")
    return (holes.BlockId(name),) if name else ()


def repeats_heading(block: nodes.Block, previous: nodes.Block | None) -> bool:
    """Whether a block is a table whose caption repeats the end of the heading above it."""
    if type(previous) is not nodes.Heading or type(block) is not nodes.Table or not block.caption:
        return False
    return plain_text(previous).endswith(plain_text(*block.caption))


def _embed(paragraph: nodes.Paragraph) -> nodes.Embed | None:
    children = paragraph.children
    return only if len(children) == 1 and isinstance(only := children[0], nodes.Embed) else None


def _label(embed: nodes.Embed) -> str:
    return embed.label or target_words(embed.target)
