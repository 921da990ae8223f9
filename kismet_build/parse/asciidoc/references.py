"""References to places: what they lead to, and the words that they show, once all places are known."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from kismet_build.model.nodes import Block, Inline, Link, Node, Text
from kismet_build.model.source import Span
from kismet_build.parse.asciidoc.state import ParseState

OTHER = re.compile(r"(?P<path>[^#]+?)(?:\.(?:adoc|asciidoc|md))?#(?P<id>.*)|(?P<whole>.+?)\.(?:adoc|asciidoc|md)")
PARTS = ("children", "items", "header", "rows", "cells", "columns", "term", "title", "caption")
"""The fields of nodes that hold nodes."""

Part = TypeVar("Part", bound=Node)


def reference(span: Span, typed: Span, target: str, words: tuple[Inline, ...], state: ParseState) -> Link:
    """A link to an id, to a title, or to a place in another document; it may have to wait for its words."""
    other = OTHER.fullmatch(target) if not target.startswith("#") else None
    if other is not None:
        path = other["path"] or other["whole"]
        whole = f"{path}#{other['id']}" if other["id"] else path
        shown = words or (Text(typed, f"[{other['id']}]" if other["id"] else path),)
        return Link(span=span, target=whole, children=shown)
    name = target.removeprefix("#")
    link = Link(span=span, target=f"#{name}", children=words or (Text(typed, f"[{name}]"),))
    state.pending.append(link)
    return link


def settled(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """Blocks in which every link that waited leads to its place and shows its words."""
    if not state.pending:
        return tuple(blocks)
    links = {id(link): _settled(link, state) for link in state.pending}
    starts = sorted(link.span.start for link in state.pending)

    def waits(block: Block) -> bool:
        place = bisect_left(starts, block.span.start)
        return place < len(starts) and starts[place] < block.span.end

    done: dict[int, Node] = dict(links)
    return tuple(_mended(block, done) if waits(block) else block for block in blocks)


def _settled(link: Link, state: ParseState) -> Link:
    """A link as it is once every id and title is known."""
    name = link.target.removeprefix("#")
    found = name if name in state.names else state.titles.get(" ".join(name.split()))
    if found is None:
        return link
    shown = link.children
    if shown == (Text(shown[0].span, f"[{name}]"),) and state.names[found]:
        shown = (Text(shown[0].span, state.names[found]),)
    return replace(link, target=f"#{state.same.get(found, found)}", children=shown)


def _mended(node: Part, done: dict[int, Node]) -> Part:
    """A node with others in the place of some of those in it; what stands in two places is still one."""
    if id(node) in done:
        return done[id(node)]  # type: ignore[return-value]
    changes: dict[str, object] = {}
    for name in PARTS:
        inside = getattr(node, name, None)
        if isinstance(inside, tuple) and inside:
            mended = tuple(_mended(child, done) for child in inside)
            if any(one is not other for one, other in zip(mended, inside, strict=True)):
                changes[name] = mended
        elif inside is not None and not isinstance(inside, str | tuple):
            mended_one = _mended(inside, done)
            if mended_one is not inside:
                changes[name] = mended_one
    # `children` of lists and tables is made from their parts.
    if type(node).__name__ in ("List", "Table", "Row", "DefinitionList", "Columns"):
        changes.pop("children", None)
    result = replace(node, **changes) if changes else node  # type: ignore[arg-type]
    done[id(node)] = result
    return result
