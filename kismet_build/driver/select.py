"""Select the documents of a game that are published. No later step receives a private document."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import NamedTuple

from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game
from kismet_build.config.privacy import (
    BY_REFUSED_INCLUDE,
    BY_SETTINGS,
    PUBLISHED,
    WITHOUT,
    Place,
    Verdict,
    joined,
    privacy_of,
)
from kismet_build.config.sources.vault import FolderRules, Routing
from kismet_build.driver.included_files import Files, IncludedFiles, parts_of
from kismet_build.lint.looks_private import lookalikes
from kismet_build.model.diagnostic import Diagnostic, Findings
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.pack import OpenedFile, ParsedFile
from kismet_build.resolve.navigation import without_private
from kismet_build.resolve.places import is_garden_note, places, with_garden, with_given_properties
from kismet_build.resolve.routes import Routes, routes_of
from kismet_build.resolve.selection import (
    private_index,
    private_names,
    report_links,
    select,
    verdicts_at,
    with_attachments_of_drafts,
    without_private_links,
)


class Privacy(NamedTuple):
    """The private texts of a game, as settings and properties decide."""

    verdicts: Mapping[str, Verdict]
    """By path, the verdicts on all texts whose properties can be read."""
    reasons: Mapping[str, str]
    """The paths of the private texts, each with the reason."""
    places: Mapping[str, tuple[Place, ...]]
    included: IncludedFiles
    """The files that texts may include."""
    until: float
    """When a text appears or vanishes, in seconds since 1970."""


class Selection(NamedTuple):
    """The texts of a game that are published, and those that are not."""

    game: Game
    """The game, without the attachments that only private texts publish."""
    documents: tuple[Document, ...]
    public: Sequence[ParsedFile]
    until: float
    """When a text appears or vanishes, in seconds since 1970."""
    diagnostics: Sequence[Diagnostic]


def decide_privacy(game: Game, opened: Mapping[Path, OpenedFile], files: Files, memo: Memo) -> Privacy:
    """Decide which texts are private, before any of them is expanded or parsed. Raises `FailedText`."""
    texts = {text.path: text.properties for text in opened.values() if text.properties is not None}
    gardens = memo.each(is_garden_note, texts)
    rules = memo.once(with_garden, gardens, game.folder_rules, game.finds_gardens)
    places_of_texts = memo.once(_places_of, texts, rules)
    verdicts = memo.each(privacy_of, (texts, places_of_texts), game.files.excluded, game.files.only)
    now = memo.once(verdicts_at, verdicts, game.files.listed_at)

    # A text is private if a file that its header includes is
    included = IncludedFiles(game, files, texts, places_of_texts)
    of_headers = {path: text.source.included for path, text in texts.items() if text.source.included}
    hidden = {path for path in of_headers if included.has_private_header(texts[path])}
    refused = dict.fromkeys(hidden, Verdict(BY_REFUSED_INCLUDE))
    now = {path: joined((verdict, refused.get(path, PUBLISHED))) for path, verdict in now.items()} if hidden else now

    reasons = _reasons(game, [text.path for text in opened.values()], now)
    changes = (verdict.next_change(game.files.listed_at) for verdict in verdicts.values())
    until = min((*changes, *map(included.next_change, of_headers.values())), default=inf)
    return Privacy(now, reasons, places_of_texts, included, until)


def select_documents(game: Game, files: Mapping[Path, ParsedFile], privacy: Privacy, memo: Memo) -> Selection:
    """Remove the private texts and the links to them. Raises `FailedText`."""
    findings = Findings()
    vault = game.vault
    texts = {parsed.opened.path: parsed.document for parsed in files.values() if parsed.document is not None}
    unreadable = tuple(parsed.opened.path for parsed in files.values() if parsed.document is None)
    parts = parts_of(document.source for document in texts.values())
    verdicts, withheld = privacy.verdicts, game.files.excluded
    if vault.is_site:
        attachments = game.files.attachments
        withheld = memo.once(with_attachments_of_drafts, withheld, verdicts, attachments, vault.publication)
        texts = memo.each(with_given_properties, (texts, privacy.places), vault.property_names)
    private_texts = memo.once(_private, texts, verdicts)
    public_texts = memo.once(_public, texts, verdicts, parts)
    findings.of(memo.once(lookalikes, verdicts, public_texts))

    # Replace links to private texts with their words
    routes = None
    if vault.is_site:
        routes = memo.once(_routes_of_all, memo.each(_addresses, texts, vault.routing), vault.routing)
    index = memo.once(
        private_index,
        memo.each(_aliases, public_texts),
        memo.each(private_names, private_texts),
        verdicts,
        unreadable,
        game.files.attachments,
        withheld,
        game.unread,
        routes,
    )
    documents = public_texts
    if index:
        published = memo.each(without_private_links, public_texts, index)
        findings.of(memo.once(report_links, published))
        documents = {path: found.document for path, found in published.items()}

    if vault.navigation:
        written = memo.once(without_private, vault.navigation, frozenset(privacy.reasons), tuple(public_texts))
        game = replace(game, vault=vault._replace(navigation=written))
    unpublished = privacy.reasons.keys() | parts
    public = [parsed for parsed in files.values() if parsed.opened.path not in unpublished]
    return Selection(
        game=game.with_files(excluded=game.files.excluded | withheld.intersection(game.files.attachments)),
        documents=tuple(documents.values()),
        public=public,
        until=min((privacy.until, *(parsed.until for parsed in files.values())), default=inf),
        diagnostics=(*findings.diagnostics, *(found for parsed in public for found in parsed.diagnostics)),
    )


def _reasons(game: Game, paths: Collection[str], verdicts: Mapping[str, Verdict]) -> dict[str, str]:
    """The reason of each private text, by path. Raises `UsageError` if all texts lack a mark that publishes them."""
    named = f"by {game.vault.file.name}" if game.vault.is_site else BY_SETTINGS
    by_settings = game.files.excluded
    reasons = {path: named if path in by_settings else verdicts.get(path, PUBLISHED).reason for path in paths}
    private = {path: reason for path, reason in reasons.items() if reason}
    if len(private) == len(paths) and (lacking := [why for why in private.values() if why.startswith(WITHOUT)]):
        raise UsageError(
            f"{game.files.folder}: all texts are {lacking[0]}: true, so nothing would be published. Set it in some, "
            "or write `source: folder` in library.yaml to publish all others, too"
        )
    return private


# --- steps


def _places_of(texts: Mapping[str, Document], rules: Sequence[FolderRules]) -> dict[str, tuple[Place, ...]]:
    return places(texts, texts, rules)


def _private(texts: Mapping[str, Document], verdicts: Mapping[str, Verdict]) -> dict[str, Document]:
    return select(texts, verdicts, private=True)


def _public(
    texts: Mapping[str, Document], verdicts: Mapping[str, Verdict], parts: frozenset[str]
) -> dict[str, Document]:
    public = select(texts, verdicts, private=False)
    return {path: document for path, document in public.items() if path not in parts}


def _addresses(document: Document, routing: Routing) -> tuple[str, ...]:
    return routes_of(document, routing)


def _routes_of_all(addresses: Mapping[str, tuple[str, ...]], routing: Routing) -> Routes:
    return Routes(addresses, routing)


def _aliases(document: Document) -> tuple[str, ...]:
    return document.aliases
