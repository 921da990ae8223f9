"""Select the documents to publish, and replace links to private documents by their words.

Later steps receive neither the path, the names nor the text of a private document, so they need not check for
privacy: docs/decisions/0021-private-texts.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain
from posixpath import basename, dirname
from typing import Any, NamedTuple
from urllib.parse import unquote

from kismet_build.config.discovery import parent_folders
from kismet_build.config.privacy import BY_DRAWING, PublicationRules, Verdict
from kismet_build.config.unread_properties import heads_of
from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, info, warning
from kismet_build.model.source import Source, Span, file_stem
from kismet_build.model.text_normalization import normalize
from kismet_build.model.titles import display_title
from kismet_build.resolve.chapters import name_of, one_line, without_suffix
from kismet_build.resolve.link_index import TEXT_SUFFIX, LinkNames, LinkResolver
from kismet_build.resolve.routes import Routes

WIKI_LINK = re.compile(r"!?\[\[(?P<target>[^\[\]|]+)(?:\\?\|(?P<label>[^\[\]]*))?\]\]")
"""A wikilink or an embed in a property."""
MARKDOWN_LINK = re.compile(
    r"!?\[(?P<label>[^\[\]]*)\]\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<target>[^()\s]*))(?P<rest>[^()\n]*)\)"
)
"""A Markdown link or image in a property."""
DICE_CODE = re.compile(r"`\s*dice\b[^`]*`")
"""A dice code in a property, which may link to tables."""


class PrivateNames(NamedTuple):
    """The names of a private document."""

    aliases: tuple[str, ...]
    others: frozenset[str]
    """The normalized title and headings of the document, or also the values of its properties if they are invalid."""


def verdicts_at(verdicts: Mapping[str, Verdict], now: float) -> dict[str, Verdict]:
    """The verdicts on all texts at a time, in seconds since 1970."""
    return {path: verdict.at(now) for path, verdict in verdicts.items()}


def select(
    documents: Mapping[str, nodes.Document], verdicts: Mapping[str, Verdict], private: bool
) -> dict[str, nodes.Document]:
    """The private or the published documents, by path. `verdicts`: the results of `privacy_of`."""
    return {path: document for path, document in documents.items() if bool(verdicts[path].reason) == private}


def with_attachments_of_drafts(
    excluded: frozenset[str], verdicts: Mapping[str, Verdict], attachments: Sequence[str], rules: PublicationRules
) -> frozenset[str]:
    """The excluded paths, with the attachments in bundles of which the text, such as `index.md`, is private."""
    private = (path for path, verdict in verdicts.items() if verdict.reason and rules.has_bundles)
    folders = {dirname(path) for path in private if basename(path).startswith(("index.", "_index."))}
    return excluded.union(path for path in attachments if not folders.isdisjoint((*parent_folders(path), "")))


def report_links(published: Mapping[str, "PublishedDocument"]) -> Diagnosed[None]:
    """Report all links to unread attachments in one diagnostic, and all embeds of drawings in another."""
    unread = [span for of_document in published.values() for span in of_document.unread]
    drawings = [span for of_document in published.values() for span in of_document.drawings]
    return Diagnosed(None, (*_unread_files(unread), *_embedded_drawings(drawings)))


def _unread_files(spans: Sequence[Span]) -> Iterator[Diagnostic]:
    if spans:
        several = f"{len(spans)} links lead to files that are not read or published"
        message = several if len(spans) > 1 else "this link leads to a file that is not read or published"
        hint = "canvases, bases and drawings may name private notes, and other files may run code: link to a picture"
        yield warning("unread-file", spans[0], message, hint, tuple(Related(span, "also here") for span in spans[1:]))


def _embedded_drawings(spans: Sequence[Span]) -> Iterator[Diagnostic]:
    """Report the embeds of drawings without showing a source line, because the line would name a private note."""
    if spans:
        several = f"{len(spans)} embeds of drawings (Excalidraw) in the texts show nothing"
        message = several if len(spans) > 1 else "an embed of a drawing (Excalidraw) in this text shows nothing"
        first = spans[0].source
        place = Source(first.path, "", display_path=first.display_path).full_span()
        yield info("unread-file", place, message, "export the drawing as a picture, and embed that")


def private_names(document: nodes.Document) -> PrivateNames:
    """The names by which links may refer to a private document."""
    stem = basename(without_suffix(document.source.path))
    titles = [
        name_of(document, stem),
        name_of(document, display_title(stem)),
        *(one_line(node) for node in document.nodes if isinstance(node, nodes.Heading)),
    ]
    if not document.metadata:
        # No parser read the properties of the document, so any value may be its name.
        for line in chain.from_iterable(head.text.splitlines() for head in heads_of(document.source.text)):
            values = (line, line.partition(":")[2], line.rpartition(": ")[2])
            titles += [name.strip(" -[]{}\"'") for value in values for name in value.split(",")]
    return PrivateNames(document.aliases, frozenset(map(normalize, titles)) - {""})


class PublishedDocument(NamedTuple):
    """A document in which links to unpublished files are replaced by their words."""

    document: nodes.Document
    unread: tuple[Span, ...]
    """The links of the document to unread attachments."""
    drawings: tuple[Span, ...] = ()
    """The embeds of drawings in the document that have no label."""


class PrivateIndex:
    """Finds the links to private documents and attachments, by the rules of `LinkResolver`."""

    def __init__(
        self,
        aliases: Mapping[str, Sequence[str]],
        attachments: Sequence[str],
        private: frozenset[str],
        unread: frozenset[str],
        drawings: frozenset[str],
        other_names: frozenset[str],
        routes: Routes | None,
    ) -> None:
        """`aliases`: the aliases of all documents, including private documents, by path.

        `private` includes `unread` attachments and `drawings`. `other_names`: normalized names.
        """
        self.resolver = LinkResolver(LinkNames(aliases, attachments, routes), {})
        self.private = private
        self.unread = unread
        self.drawings = drawings
        self.other_names = other_names | {normalize(file_stem(path)) for path in private - unread}

    def is_unread(self, path: str, node: nodes.Link | nodes.Image | nodes.Embed) -> bool:
        """Whether a private link in the document at this path leads to an attachment that is not read."""
        return self.resolver.file(path, node.target, not node.wiki) in self.unread

    def is_drawing(self, path: str, node: nodes.Link | nodes.Image | nodes.Embed) -> bool:
        """Whether a private link in the document at this path leads to a drawing."""
        documents, _ = self.resolver.find_documents(path, node.target, not node.wiki)
        return bool(documents) and documents[0] in self.drawings

    def is_private(self, path: str, node: nodes.Link | nodes.Image | nodes.Embed) -> bool:
        """Whether a link in the document at this path leads to a private file, or is broken and contains the name of
        one.
        """
        if nodes.is_url(node.target):
            return False
        relative = not node.wiki
        file = self.resolver.file(path, node.target, relative)
        if file is not None:
            return file in self.private
        documents, _ = self.resolver.find_documents(path, node.target, relative)
        if documents:
            return documents[0] in self.private
        name, *fragments = node.target.split("#")
        stem = basename(name.strip())
        names = (stem, stem.rpartition(".")[0] or stem, *fragments)
        return not self.other_names.isdisjoint(map(normalize, names))


def private_index(
    aliases: Mapping[str, Sequence[str]],
    names: Mapping[str, PrivateNames],
    verdicts: Mapping[str, Verdict],
    undecoded: Sequence[str],
    attachments: Sequence[str],
    excluded: frozenset[str],
    unread: frozenset[str],
    routes: Routes | None,
) -> PrivateIndex | None:
    """The index of everything unpublished; `None` if all files are published.

    `aliases`: of the published documents. `names`: of the private documents. `undecoded`: the paths of texts that
    cannot be read, and so may be private. `attachments`: the paths of all attachments. `excluded`: the paths that
    settings make private. `unread`: the attachments that are not read; links to them are reported. `routes`: the
    addresses of all texts on the website of a site generator, if any.
    """
    unread -= excluded
    private = frozenset((*names, *undecoded, *excluded, *unread))
    if not private:
        return None
    all_aliases = {**aliases, **{path: of_document.aliases for path, of_document in names.items()}}
    all_aliases |= dict.fromkeys(undecoded, ())
    drawings = frozenset(path for path, verdict in verdicts.items() if verdict.reason == BY_DRAWING)
    others = frozenset[str]().union(*(of_document.others for of_document in names.values()))
    return PrivateIndex(all_aliases, attachments, private, unread, drawings, others, routes)


def without_private_links(document: nodes.Document, index: PrivateIndex) -> PublishedDocument:
    """A document with private links replaced by their words.

    Returns the same document if there are no private links.
    """
    path = document.source.path
    links = [node for node in document.links if index.is_private(path, node)]
    unread = [node for node in links if index.is_unread(path, node)]
    private = {_key(node): node.label if isinstance(node, nodes.Embed) else "" for node in links}
    private |= {_key(node): node.label or basename(node.target) for node in unread if isinstance(node, nodes.Embed)}
    metadata = _without_private_values(document.metadata, document, index)
    if not private and metadata == document.metadata:
        return PublishedDocument(document, ())
    published = replace(
        document,
        blocks=_without(document.blocks, private),
        properties=_without(document.properties, private),
        metadata=metadata,
    )
    drawings = [
        node.span for node in links if isinstance(node, nodes.Embed) and not node.label and index.is_drawing(path, node)
    ]
    return PublishedDocument(published, tuple(node.span for node in unread), tuple(drawings))


def _key(node: nodes.Link | nodes.Image | nodes.Embed) -> tuple[type, Span, str]:
    """The key of a link. Links with the same key are all private or all published."""
    return type(node), node.span, node.target


def _without(siblings: Iterable[Any], private: Mapping[tuple[type, Span, str], str]) -> tuple[Any, ...]:
    """Nodes in which private links, at any depth, are replaced by their words.

    `private`: by `_key`, the words of private embeds, which may be empty, and empty strings for other private links.
    """
    return tuple(result for node in siblings for result in _replacement(node, private))


def _replacement(node: Any, private: Mapping[tuple[type, Span, str], str]) -> Iterator[Any]:
    if isinstance(node, nodes.Link | nodes.Image | nodes.Embed) and _key(node) in private:
        yield from _words(node, private)
        return
    if isinstance(node, nodes.RawBlock | nodes.RawInline):
        text = nodes.with_raw_addresses(node, lambda link: "" if _key(link) in private else None)
        yield node if text == node.text else replace(node, text=text)
        return
    changes: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], nodes.Node):
            changed: Any = _without(value, private)
            if changed != value:
                changes[field.name] = changed
        elif isinstance(value, nodes.Node):
            (changed,) = _replacement(value, private)
            if changed != value:
                changes[field.name] = changed
    if isinstance(node, nodes.Paragraph) and changes.get("children") == ():
        return  # an embed without words
    if isinstance(node, nodes.DiceRoll) and changes:
        return  # like an embed, a dice code would show rows of a private table
    yield replace(node, **changes) if changes else node


def _words(
    node: nodes.Link | nodes.Image | nodes.Embed, private: Mapping[tuple[type, Span, str], str]
) -> Iterator[Any]:
    if isinstance(node, nodes.Embed):
        if label := private[_key(node)]:
            yield nodes.Text(node.span, label)
        return
    path, words = node.target.partition("#")[0], nodes.plain_text(*node.children)
    if "/" in path and words.startswith(path):
        yield nodes.Text(node.span, basename(path) + words[len(path) :])
    else:
        yield from _without(node.children, private)


def _without_private_values(value: Any, document: nodes.Document, index: PrivateIndex) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_private_values(item, document, index) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_private_values(item, document, index) for item in value]
    if not isinstance(value, str) or "[" not in value:
        return value
    path, nowhere = document.source.path, document.source.span(0, 0)

    def is_private(target: str, *, wiki: bool = True) -> bool:
        return index.is_private(path, nodes.Link(span=nowhere, target=target.strip(), children=(), wiki=wiki))

    def dice(match: re.Match[str]) -> str:
        # Like the node of a dice code, the code in a property would show rows of a private table. A block id needs no
        # `#`.
        targets = (link["target"].partition("^")[0].rstrip("# ") for link in WIKI_LINK.finditer(match[0]))
        return "" if any(map(is_private, targets)) else match[0]

    def wiki_words(match: re.Match[str]) -> str:
        words = match["label"] or basename(match["target"].strip().partition("#")[0])
        return words if is_private(match["target"]) else match[0]

    def markdown_words(match: re.Match[str]) -> str:
        # The text after a space is a title or a part of the target.
        target = match["angled"] or match["target"] or ""
        targets = (TEXT_SUFFIX.sub("", unquote(typed)) for typed in (target, target + match["rest"]))
        return match["label"] if any(is_private(typed, wiki=False) for typed in targets) else match[0]

    return MARKDOWN_LINK.sub(markdown_words, WIKI_LINK.sub(wiki_words, DICE_CODE.sub(dice, value)))
