"""Render blocks and inlines as HTML.

Nodes are rendered with f-strings, not templates. A macro call takes 2 µs more. 1,000 usual pages have 230,000 nodes,
most of them rendered two or three times (page, entity, data): about 1 s of the 5.5 s of processor time of their build.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    DiceRoll,
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
    Math,
    Paragraph,
    Property,
    RawBlock,
    RawInline,
    Row,
    SoftBreak,
    Statblock,
    Strikethrough,
    Strong,
    Table,
    Tag,
    Text,
    ThematicBreak,
    footnote_references,
    is_url,
    plain_text,
    with_raw_addresses,
)
from kismet_build.render.html.addresses import fragment
from kismet_build.render.html.context import Href, RenderContext
from kismet_build.render.html.dice_buttons import results_attributes, roll_attributes
from kismet_build.render.html.escape import attribute, escaped, with_minus
from kismet_build.render.html.footnote_numbers import FootnoteNumbers, footnotes_start, reference_id
from kismet_build.render.html.sanitize import Fragment, is_safe_image, is_safe_link, join_sanitized
from kismet_build.render.html.statblock import StatblockRenderer
from kismet_build.render.html.tables import cell_text, table_class, without_repeated_caption

__all__ = ["Href", "RenderContext", "inline_html", "to_html"]

MAX_NARROW_FORMULA = 30
"""Characters of a formula, in LaTeX, that fit into the width of a phone."""

CALLOUT_TITLES = {
    key.partition(".")[2]: key
    for key in (
        "callout.abstract",
        "callout.bug",
        "callout.caution",
        "callout.danger",
        "callout.example",
        "callout.failure",
        "callout.hint",
        "callout.important",
        "callout.info",
        "callout.note",
        "callout.question",
        "callout.quote",
        "callout.success",
        "callout.summary",
        "callout.tip",
        "callout.todo",
        "callout.warning",
    )
}
"""Keys of the titles of callouts that have none of their own, by kind."""

DEFAULT_CONTEXT = RenderContext()


def to_html(
    blocks: Sequence[Block],
    context: RenderContext = DEFAULT_CONTEXT,
    footnotes: Mapping[str, FootnoteDefinition] | None = None,
) -> str:
    """Blocks as HTML, followed by the footnotes that they refer to.

    A footnote is defined among the blocks, else in `footnotes` by its label.
    """
    renderer = _Renderer(context, FootnoteNumbers(blocks, footnotes or {}))
    body = renderer.blocks(blocks) + renderer.footnotes()
    return body + "\n" if body else ""


def inline_html(inlines: Sequence[Inline], context: RenderContext = DEFAULT_CONTEXT) -> str:
    """Inlines as HTML; references to footnotes are not links."""
    return _Renderer(context, FootnoteNumbers((), {})).inlines(inlines)


TAGS: dict[type[Inline], str] = {Emphasis: "em", Strong: "strong", Strikethrough: "del", Highlight: "mark"}
"""Elements of inlines without attributes."""

RAW_HTML = frozenset((RawBlock, RawInline))
"""Nodes with HTML that authors wrote."""


@dataclass(slots=True)
class _Renderer:
    """Renders one text; it counts the references to footnotes."""

    context: RenderContext
    notes: FootnoteNumbers
    is_inside_link: bool = False
    """Whether text has no links and dice buttons of its own, because it is inside a link, heading or callout title."""
    cached_inside_link: "_Renderer | None" = None

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Blocks separated by line ends; a block without HTML leaves no empty line."""
        shown: list[Block] = []
        html: list[str] = []
        previous: Block | None = None
        for block in blocks:
            own_html = self.block(without_repeated_caption(previous, block))
            if block_html := self.context.decorate(block, own_html):
                shown.append(block)
                html.append(block_html)
            previous = block
        return self.join(shown, html, "\n")

    def join(self, nodes: Sequence[Block | Inline], html: Sequence[str], separator: str) -> str:
        """The HTML of nodes joined, with raw HTML sanitized unless the context is unsafe."""
        if self.context.unsafe or RAW_HTML.isdisjoint(map(type, nodes)):
            return separator.join(html)
        fragments = [Fragment(node_html, type(node) in RAW_HTML) for node, node_html in zip(nodes, html, strict=True)]
        return join_sanitized(fragments, separator)

    def block(self, block: Block) -> str:
        """One block, without a line end."""
        id_attribute = self.id_attribute(block)
        match block:
            case Paragraph():
                if len(parts := self.parts(block)) > 1:
                    return "\n".join(map(self.block, parts))
                embed = _embed(block)
                if embed is not None and (embedded := self.context.embed(embed)) is not None:
                    return self.element("div", f' class="embed"{id_attribute}', embedded)
                return f"<p{id_attribute}>{self.paragraph_content(block)}</p>"
            case Heading():
                return self.heading(block, id_attribute)
            case List(items=items, start=start):
                tag = "ul" if start is None else "ol"
                start_attribute = f' start="{start}"' if start not in (None, 1) else ""
                content = "".join(f"{self.item(item, block.tight)}\n" for item in items)
                return f"<{tag}{start_attribute}{id_attribute}>\n{content}</{tag}>"
            case Table():
                return self.table(block, id_attribute)
            case CodeBlock(text=text, info=info):
                language = f' class="language-{escaped(info.split()[0])}"' if info.split() else ""
                # A wide code block scrolls, so the keyboard must be able to focus it.
                return f"<pre{id_attribute}{self.focus()}><code{language}>{escaped(text)}</code></pre>"
            case BlockQuote(children=children):
                return self.element("blockquote", id_attribute, children)
            case ThematicBreak():
                return "<hr />"
            case Callout():
                return self.callout(block, id_attribute)
            case Columns(columns=columns, count=count):
                return self.element("div", f' class="columns columns-{count}"', columns)
            case Column(children=children):
                return self.element("div", ' class="column"', children)
            case Div(name=name, children=children):
                return self.element("div", f' class="{escaped(name)}"{id_attribute}', children)
            case DefinitionList(items=items):
                content = "".join(self.definition(item, item is items[-1]) for item in items)
                return f"<dl{id_attribute}>\n{content}</dl>"
            case DefinitionItem():
                return self.definition(block, last=True).rstrip("\n")
            case RawBlock():
                return self.raw(block).removesuffix("\n")
            case FootnoteDefinition():
                return ""
            case Statblock():
                return StatblockRenderer(self.inlines, self.blocks, self.context.catalog).html(block, id_attribute)
            case Property():
                return self.blocks(block.children)
            case ListItem():
                return self.item(block, tight=False)
            case Row() | Cell():
                return self.blocks(block.children)

    def element(self, tag: str, attributes: str, blocks: Sequence[Block]) -> str:
        """An element with blocks as its content."""
        content = self.blocks(blocks)
        return f"<{tag}{attributes}>\n{content}\n</{tag}>" if content else f"<{tag}{attributes}>\n</{tag}>"

    def id_attribute(self, block: Block) -> str:
        """The `id` attribute of a named block; empty for any other block."""
        name = getattr(block, "block_id", "")
        return f' id="{escaped(self.context.id_prefix)}{escaped(name)}"' if name else ""

    def parts(self, paragraph: Paragraph) -> tuple[Paragraph, ...]:
        """A paragraph divided at the embeds that have a line of their own and show blocks, as Obsidian divides it."""
        inlines = paragraph.children
        if len(inlines) < 2 or not any(isinstance(inline, Embed) for inline in inlines):
            return (paragraph,)
        runs: list[tuple[Inline, ...]] = []
        start = 0
        for index, inline in enumerate(inlines):
            around = (*inlines[max(index - 1, 0) : index], *inlines[index + 1 : index + 2])
            if all(isinstance(other, SoftBreak | HardBreak) for other in around) and self.shows_blocks(inline):
                runs += [inlines[start : index - 1] if index > start else (), (inline,)]
                start = index + 2
        first, *others = [run for run in (*runs, inlines[start:]) if run]
        rest = (Paragraph(span=run[0].span, children=run) for run in others)
        return (replace(paragraph, children=first), *rest)

    def shows_blocks(self, inline: Inline) -> bool:
        """Whether an inline is an embed of more than a paragraph."""
        blocks = self.context.embed(inline) if isinstance(inline, Embed) else None
        return blocks is not None and not (len(blocks) == 1 and isinstance(blocks[0], Paragraph))

    def can_be_bare(self, block: Block) -> TypeGuard[Paragraph]:
        """Whether a block is a paragraph that can be shown without its `<p>` element."""
        if not isinstance(block, Paragraph) or block.block_id or _embed(block) is not None:
            return False
        return len(self.parts(block)) == 1

    def paragraph_content(self, paragraph: Paragraph) -> str:
        """The content of a paragraph, with its mark."""
        return self.context.mark(paragraph) + self.inlines(paragraph.children)

    def definition(self, item: DefinitionItem, last: bool) -> str:
        """A term and its definition; a term that shares the definition of the next one has none of its own."""
        term = f"<dt{self.id_attribute(item)}>{self.context.mark(item)}{self.inlines(item.term)}</dt>\n"
        return term + f"{self.element('dd', '', item.children)}\n" if item.children or last else term

    def heading(self, heading: Heading, id_attribute: str) -> str:
        """A heading, with its mark and permalink."""
        wanted_level = self.context.heading_level(heading)
        level = min(wanted_level, 6)
        html_id = self.context.heading_id(heading)
        title = self.context.heading_title(heading)
        content = escaped(title) if title else self.inside_link().inlines(heading.children)
        if mark := self.context.mark(heading):
            content += f" {mark}"
        if html_id:
            id_attribute = f' id="{escaped(html_id)}"'
            if self.context.permalinks:
                words = title or " ".join(plain_text(heading).split())
                label = self.context.catalog.html("chapter.permalink", heading=words)
                content += f' <a class="permalink" href="{fragment(html_id)}" aria-label="{label}">#</a>'
        # HTML has no level below 6; screen readers get the real level.
        aria_level = f' aria-level="{wanted_level}"' if wanted_level > level else ""
        return f"<h{level}{id_attribute}{aria_level}>{content}</h{level}>"

    def item(self, item: ListItem, tight: bool) -> str:
        """A list item; in a tight list its paragraphs have no `<p>` element."""
        checkbox = ""
        if item.checked is not None:
            checkbox = f'<input type="checkbox" disabled{"" if item.checked == " " else " checked"} /> '
        shown: list[Block] = []
        html: list[str] = []
        bare: list[bool] = []
        for block in item.children:
            if is_bare := tight and self.can_be_bare(block):
                block_html = self.paragraph_content(block)
            else:
                block_html = self.block(block)
            if checkbox and isinstance(block, Paragraph):
                block_html = f"{checkbox}{block_html}" if is_bare else block_html.replace(">", f">{checkbox}", 1)
                checkbox = ""
            if block_html or is_bare:
                shown.append(block)
                html.append(block_html)
                bare.append(is_bare)
        before = "" if not bare or bare[0] else "\n"
        after = "" if not bare or bare[-1] else "\n"
        css_class = "" if item.checked is None else ' class="task"'
        content = self.join(shown, html, "\n")
        return f"<li{css_class}{self.id_attribute(item)}>{checkbox}{before}{content}{after}</li>"

    def table(self, table: Table, id_attribute: str) -> str:
        """A table in a scrolling element. Each cell has its column's label, for phones, which show rows as cards."""
        if not self.context.for_site:
            return self.plain_table(table, id_attribute)
        aligned = [f' class="{side}"' if side else "" for side in table.alignments]
        labels = [attribute("data-label", " ".join(cell_text(cell).split())) for cell in table.header.cells]
        start_tags = [f"<td{side}{label}>" for side, label in zip(aligned, labels, strict=True)]
        caption = f"<caption>{self.inlines(table.caption)}</caption>\n" if table.caption else ""
        header = "".join(
            f'<th scope="col"{side}>{self.cell(cell)}</th>\n'
            for cell, side in zip(table.header.cells, aligned, strict=True)
        )
        roll = self.context.roll_table(table)
        rows = ""
        for index, row in enumerate(table.rows):
            cells = [f"{start}{self.cell(cell)}</td>\n" for start, cell in zip(start_tags, row.cells, strict=True)]
            results = results_attributes(roll, index) if roll else ""
            rows += f"<tr{results}>\n{''.join(cells)}</tr>\n"
        tbody = f"<tbody>\n{rows}</tbody>\n" if rows else ""
        # Empty header cells are left out, because screen readers would read each of them.
        thead = f"<thead>\n<tr>\n{header}</tr>\n</thead>\n" if any(cell.children for cell in table.header.cells) else ""
        attributes = roll_attributes(roll) if roll else ""
        css_class = table_class(table)
        attributes += f' class="{css_class}"' if css_class else ""
        # It scrolls sideways, so the keyboard must be able to focus it.
        focus = self.focus() if css_class == "figures" else ""
        return f'<div class="table"{id_attribute}{focus}><table{attributes}>\n{caption}{thead}{tbody}</table></div>'

    def plain_table(self, table: Table, id_attribute: str) -> str:
        """A table without what the website adds."""
        caption = f"<caption>{self.inlines(table.caption)}</caption>" if table.caption else ""
        header = "".join(f'<th scope="col">{self.cell(cell)}</th>' for cell in table.header.cells)
        thead = f"<thead><tr>{header}</tr></thead>" if any(cell.children for cell in table.header.cells) else ""
        rows = ("".join(f"<td>{self.cell(cell)}</td>" for cell in row.cells) for row in table.rows)
        body = "\n".join(f"<tr>{cells}</tr>" for cells in rows)
        tbody = f"<tbody>\n{body}</tbody>" if body else ""
        return f"<table{id_attribute}>{caption}{thead}{tbody}</table>"

    def focus(self) -> str:
        """The attribute by which the keyboard can focus an element that scrolls."""
        return "" if self.context.unsafe or not self.context.for_site else ' tabindex="0"'

    def cell(self, cell: Cell) -> str:
        """The content of a cell; a single paragraph has no `<p>` element."""
        children = cell.children
        if len(children) == 1 and self.can_be_bare(only := children[0]):
            return self.paragraph_content(only)
        return self.blocks(children)

    def callout(self, callout: Callout, id_attribute: str) -> str:
        """A callout; one that folds is a `<details>` element."""
        kind = escaped(callout.kind)
        metadata = attribute("data-callout-metadata", callout.metadata)
        attributes = f' class="callout" data-callout="{kind}"{metadata}{id_attribute}'
        title = self.inside_link().inlines(callout.title) or self.callout_title(callout.kind)
        tag, title_tag = ("details", "summary") if callout.fold else ("aside", "p")
        # The role `note` instead of a landmark, of which a chapter would have dozens.
        role = ' role="note"' if self.context.for_site else ""
        attributes += {"+": " open", "-": ""}.get(callout.fold, role)
        content = self.blocks(callout.children)
        body = f"{content}\n" if content else ""
        return f'<{tag}{attributes}>\n<{title_tag} class="callout-title">{title}</{title_tag}>\n{body}</{tag}>'

    def callout_title(self, kind: str) -> str:
        """The title of a callout without one: its kind, translated if the catalog has it."""
        words = CALLOUT_TITLES.get(kind)
        return self.context.catalog.html(words) if words else escaped(kind.replace("-", " ").title())

    def inlines(self, inlines: Sequence[Inline]) -> str:
        """Inlines, one after the other."""
        if len(inlines) == 1 and isinstance(only := inlines[0], Text):
            return self.text(only, False)  # Fast path: nearly every cell and heading.
        last = len(inlines) - 1
        html = [
            self.text(inline, index < last) if isinstance(inline, Text) else self.inline(inline)
            for index, inline in enumerate(inlines)
        ]
        return self.join(inlines, html, "")

    def inside_link(self) -> "_Renderer":
        """The renderer for the content of a link, heading or callout title."""
        if self.is_inside_link:
            return self
        if self.cached_inside_link is None:
            self.cached_inside_link = _Renderer(self.context, self.notes, is_inside_link=True)
        return self.cached_inside_link

    def inline(self, inline: Inline) -> str:
        """One inline. A text node with inlines after it goes to `text` instead."""
        match inline:
            case Text():
                return self.text(inline, False)
            case Emphasis() | Strong() | Strikethrough() | Highlight():
                tag = TAGS[type(inline)]
                return f"<{tag}>{self.inlines(inline.children)}</{tag}>"
            case Code(value=value):
                return f"<code>{escaped(value)}</code>"
            case Math():
                return self.math(inline)
            case Tag():
                return self.tag(inline)
            case Link():
                return self.link(inline)
            case DiceRoll():
                return self.dice_roll(inline)
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
            case RawInline():
                return self.raw(inline)

    def text(self, text: Text, has_next: bool) -> str:
        """A text node with its automatic links and dice buttons; `has_next` says whether inlines follow."""
        value = text.value
        if self.is_inside_link:
            return escaped(with_minus(value))
        context = self.context
        terms = context.terms(text)
        if not terms:
            return context.text(value, has_next)
        html, end = "", 0
        for term in terms:
            if end < term.start:
                html += context.text(value[end : term.start], True)
            html += f'<a class="term" href="{escaped(term.address)}">' if term.opens else ""
            html += escaped(value[term.start : term.end]) + ("</a>" if term.closes else "")
            end = term.end
        return html + (context.text(value[end:], has_next) if end < len(value) else "")

    def math(self, math: Math) -> str:
        """A formula; a long one is in an element that scrolls sideways."""
        if len(math.value) <= MAX_NARROW_FORMULA or self.is_inside_link:
            return math.mathml
        css_class = "formula" if ' display="block"' in math.mathml else "formula formula-inline"
        return f'<span class="{css_class}"{self.focus()}>{math.mathml}</span>'

    def tag(self, tag: Tag) -> str:
        """A tag, which leads to its page."""
        address = "" if self.is_inside_link else self.context.tag_address(tag)
        name = f"#{escaped(tag.name)}"
        return f'<a class="tag" href="{escaped(address)}">{name}</a>' if address else name

    def dice_roll(self, roll: DiceRoll) -> str:
        """Inline code that rolls. Its words have neither automatic links nor dice buttons of their own."""
        inside = self.inside_link()
        content = "".join(
            self.link(child) if isinstance(child, Link) else inside.inline(child) for child in roll.children
        )
        if roll.rolls == "nothing":
            return f"<code>{content}</code>"
        attributes = self.context.dice_roll(roll)
        return f"<span{attributes}>{content}</span>" if attributes else content

    def link(self, link: Link) -> str:
        """A link, or only its text if the target is missing or unsafe."""
        words = self.context.link_words(link)
        content = escaped(words) if words else self.inside_link().inlines(link.children)
        href = self.context.href(link)
        if href.state == "missing":
            return f'<span class="unwritten"{attribute("title", href.title)}>{content}</span>'
        if not self.context.unsafe and not is_safe_link(href.address):
            return content
        css_class = ' class="external"' if href.state == "external" else ""
        attributes = attribute("title", link.title or href.title) + attribute("data-place", href.print_label)
        attributes += attribute("download", href.download)
        return f'<a{css_class} href="{escaped(href.address)}"{attributes}>{content}</a>'

    def raw(self, node: RawBlock | RawInline) -> str:
        """Raw HTML, in which the images have the addresses of the attachments that they name."""

        def address(image: Image) -> str | None:
            return None if is_url(image.target) else escaped(self.context.image_address(image)) or None

        return with_raw_addresses(node, address)

    def image(self, image: Image) -> str:
        """An image, or its alternative text if its address is missing or unsafe; then its references to footnotes."""
        address, alternative = self.context.image_address(image), plain_text(*image.children)
        references = "".join(self.reference(node.label) for node in footnote_references(image))
        if not self.context.unsafe and not (address and is_safe_image(address)):
            return escaped(alternative) + references
        size = f' width="{image.width}"' if image.width is not None else ""
        size += f' height="{image.height}"' if image.height is not None else ""
        title = attribute("title", image.title)
        return f'<img src="{escaped(address)}" alt="{escaped(alternative)}"{title}{size} />{references}'

    def embed(self, embed: Embed) -> str:
        """An embed amid inlines: the content of a single paragraph, or a link to anything longer."""
        match self.context.embed(embed):
            case (Paragraph(children=inlines),):
                return self.inlines(inlines)
            case None:
                return f'<span class="unwritten">{escaped(_label(embed))}</span>'
            case _:
                label = (Text(embed.span, _label(embed)),)
                return self.link(Link(span=embed.span, target=embed.target, children=label, wiki=True))

    def reference(self, label: str) -> str:
        """A reference to a footnote; its label only if the footnote is not defined."""
        if self.notes.find(label) is None:
            return f'<sup class="footnote">{escaped(label)}</sup>'
        number, count = self.notes.add_reference(label)
        prefix = escaped(self.context.id_prefix)
        html_id = reference_id(prefix, number, count)
        return f'<sup class="footnote"><a href="#{prefix}fn:{number}" id="{html_id}">{number}</a></sup>'

    def footnotes(self) -> str:
        """The footnotes with references. Footnotes that these refer to follow them."""
        contents: dict[str, tuple[str, str]] = {}
        for label in self.notes.labels:  # to which a footnote adds those that it refers to
            note = self.notes.find(label)
            blocks = note.children if note is not None else ()
            last = blocks[-1] if blocks else None
            last_line = f"{self.inlines(last.children)} " if isinstance(last, Paragraph) else ""
            contents[label] = (self.blocks(blocks[:-1] if last_line else blocks), last_line)
        if not contents:
            return ""
        prefix = escaped(self.context.id_prefix)
        # Rendered only now, when all references are counted, because each footnote links back to all of its own.
        items = []
        for number, (label, (first_blocks, last_line)) in enumerate(contents.items(), 1):
            before = f"{first_blocks}\n" if first_blocks else ""
            back_links = self.notes.back_links(label, prefix, self.context.catalog.html("chapter.footnote_back"))
            items.append(f'<li id="{prefix}fn:{number}">\n{before}<p>{last_line}{back_links}</p>\n</li>\n')
        start = footnotes_start(self.context.catalog.html("chapter.footnotes"))
        return f"\n{start}\n<ol>\n{''.join(items)}</ol>\n</section>"


def _embed(paragraph: Paragraph) -> Embed | None:
    """The embed that is the whole content of a paragraph; `None` if there is none."""
    children = paragraph.children
    return only if len(children) == 1 and isinstance(only := children[0], Embed) else None


def _label(embed: Embed) -> str:
    return embed.label or embed.target.lstrip("#").replace("#", " > ")
