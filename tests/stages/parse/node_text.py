"""Source text of nodes."""

from kismet_build.model.nodes import Node
from kismet_build.model.source import Source
from kismet_build.parse import read


def node_texts(text: str, sort: type[Node], dialect: str = "obsidian") -> list[str]:
    page = read(Source("Page", text), dialect, lambda _: None)
    return [node.span.text for node in page.nodes if isinstance(node, sort)]
