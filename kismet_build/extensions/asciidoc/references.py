"""Cross-references: find their targets and default texts once all ids are known."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from posixpath import dirname, join, normpath
from typing import TypeVar

from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.nodes import Block, Inline, Link, Node, Text
from kismet_build.model.source import Span

OTHER_DOCUMENT = re.compile(
    r"(?P<path>[^#]+?)(?:\.(?:adoc|asciidoc|md))?#(?P<id>.*)|(?P<whole>.+?)\.(?:adoc|asciidoc|md)"
)
NODE_FIELDS = ("children", "items", "header", "rows", "cells", "columns", "term", "title", "caption")
"""The fields of nodes that contain other nodes."""

AnyNode = TypeVar("AnyNode", bound=Node)


def make_link(span: Span, target_span: Span, target: str, label: tuple[Inline, ...], state: ParseState) -> Link:
    """A link to an id or title of this document, to a file that is part of it, or to another document.

    Links within the document are added to `state.pending_links`: their ids and default texts may be defined later.
    """
    document = OTHER_DOCUMENT.fullmatch(target) if not target.startswith("#") else None
    path = (document["path"] or document["whole"]) if document is not None else ""
    if document is not None and (file := _file_of_this_text(path, span, state)):
        target = document["id"] or file
    elif document is not None:
        full_target = f"{path}#{document['id']}" if document["id"] else path
        children = label or (Text(target_span, f"[{document['id']}]" if document["id"] else path),)
        return Link(span=span, target=full_target, children=children, shows_title=not label and bool(document["id"]))
    reference_id = target.removeprefix("#")
    link = Link(span=span, target=f"#{reference_id}", children=label or (Text(target_span, f"[{reference_id}]"),))
    state.pending_links.append(link)
    return link


def _file_of_this_text(path: str, span: Span, state: ParseState) -> str:
    """The file of the composed text that a path without suffix names; empty if it names no such file.

    The path is relative to the folder of the text, as in Asciidoctor, or to the folder of the file with the link.
    """
    if not state.files:
        return ""
    folders = (dirname(source.path) for source in (state.source, span.original.source))
    return next(filter(None, (state.files.get(normpath(join(folder, path))) for folder in folders)), "")


def resolve_references(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """The blocks, with the target and text of each pending link filled in."""
    if not state.pending_links:
        return tuple(blocks)
    links = {id(link): _resolve(link, state) for link in state.pending_links}
    starts = sorted(link.span.start for link in state.pending_links)

    def has_pending_link(block: Block) -> bool:
        index = bisect_left(starts, block.span.start)
        return index < len(starts) and starts[index] < block.span.end

    replacements: dict[int, Node] = dict(links)
    return tuple(_replace_nodes(block, replacements) if has_pending_link(block) else block for block in blocks)


def _resolve(link: Link, state: ParseState) -> Link:
    name = link.target.removeprefix("#")
    by_title = state.ids_by_title.get(" ".join(name.split()), state.file_ids.get(name))
    block_id = name if name in state.link_texts else by_title
    if block_id is None:
        return link
    children = link.children
    if children == (Text(children[0].span, f"[{name}]"),) and state.link_texts[block_id]:
        children = (Text(children[0].span, state.link_texts[block_id]),)
    return replace(link, target=f"#{state.id_aliases.get(block_id, block_id)}", children=children)


def _replace_nodes(node: AnyNode, replacements: dict[int, Node]) -> AnyNode:
    """A node with replacements for some of the nodes in it. A node that occurs twice stays a single object."""
    if id(node) in replacements:
        return replacements[id(node)]  # type: ignore[return-value]
    changes: dict[str, object] = {}
    for field in NODE_FIELDS:
        value = getattr(node, field, None)
        if isinstance(value, tuple) and value:
            new_nodes = tuple(_replace_nodes(child, replacements) for child in value)
            if any(new is not old for new, old in zip(new_nodes, value, strict=True)):
                changes[field] = new_nodes
        elif value is not None and not isinstance(value, str | tuple):
            new_node = _replace_nodes(value, replacements)
            if new_node is not value:
                changes[field] = new_node
    # These types derive `children` from other fields.
    if type(node).__name__ in ("List", "Table", "Row", "DefinitionList", "Columns"):
        changes.pop("children", None)
    result = replace(node, **changes) if changes else node  # type: ignore[arg-type]
    replacements[id(node)] = result
    return result
