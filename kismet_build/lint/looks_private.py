"""`looks-private`: what looks as if it were secret or private, and is published."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kismet_build.config.privacy import Verdict
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, info
from kismet_build.model.nodes import Callout, Document, Heading, plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import unicode_form

CALLOUTS = frozenset(("dm", "gm", "secret", "spoiler"))
NAMES: Mapping[str, str] = {
    "": "dm,dm only,gm,gm only,secret,secrets,spoiler,spoilers",
    "de": "geheim,geheimnis,geheimnisse,nur sl,nur spielleitung,sl,spielleitung",
    "es": "dj,secreto,secretos,solo dj",
    "fr": "mj,mj seulement,secret,secrets",
    "it": "segreti,segreto,solo master",
    "nl": "geheim,geheimen,sl",
    "pt": "segredo,segredos,só mestre",
    "ru": "секрет,секреты,только мастер",
}
"""The names of folders, tags and headings that are nothing but a secret, in the languages that kismet detects."""
SECRET_NAMES = frozenset(name for names in NAMES.values() for name in names.split(","))
NOT_LETTERS = re.compile(r"[\W\d_]+")
MAX_NAMES = 5
"""Maximum number of names of each type in a message. The others are counted."""
HINT = "put it in a note with `publish: false`, or in a comment: %% … %%"


class SecretMark(NamedTuple):
    """Something in a published document that looks secret."""

    type: str
    """`callout`, `folder`, `heading` or `tag`."""
    name: str
    span: Span


def secret_marks(document: Document) -> tuple[SecretMark, ...]:
    """The callouts, folders, tags and headings of a document that look secret."""
    return tuple(_marks(document))


def _marks(document: Document) -> Iterator[SecretMark]:
    start = document.source.span(0, 0)
    for folder in document.source.path.split("/")[:-1]:
        if _is_secret(folder):
            yield SecretMark("folder", folder, start)
    for tag in document.tags:
        if all(map(_is_secret, tag.split("/"))):
            yield SecretMark("tag", f"#{tag}", start)
    for node in document.nodes:
        match node:
            case Callout(kind=kind) if kind.casefold() in CALLOUTS:
                yield SecretMark("callout", f"[!{kind}]", node.span)
            case Heading() if _is_secret(plain_text(node)):
                yield SecretMark("heading", f'"{plain_text(node).strip()}"', node.span)
            case _:
                pass


def _is_secret(name: str) -> bool:
    folded = unicode_form("NFC", name).casefold()
    return NOT_LETTERS.sub(" ", folded).strip() in SECRET_NAMES


def looks_secret(marks: Mapping[str, tuple[SecretMark, ...]]) -> Diagnosed[None]:
    """Report all marks of a game in one diagnostic."""
    found = [mark for of_document in marks.values() for mark in of_document]
    if not found:
        return Diagnosed(None, ())
    parts = []
    for type_ in dict.fromkeys(mark.type for mark in found):
        names = Counter(mark.name for mark in found if mark.type == type_)
        shown = ", ".join([*names][:MAX_NAMES]) + (
            f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        )
        number = len(names) if type_ in ("folder", "tag") else names.total()
        parts.append(f"{type_} {shown}" if number == 1 else f"{number} {type_}s ({shown})")
    message = f"this looks secret and is published: {', '.join(parts)}"
    return Diagnosed(None, (_diagnostic(message, HINT, [mark.span for mark in found]),))


def lookalikes(verdicts: Mapping[str, Verdict], documents: Mapping[str, Document]) -> Diagnosed[None]:
    """Report the properties of published documents that look as if they hid them, in one diagnostic for each."""
    by_name: dict[str, dict[str, list[Span]]] = {}
    for path, document in documents.items():
        for written in verdicts[path].lookalikes:
            name, _, value = written.partition(": ")
            by_name.setdefault(name, {}).setdefault(value, []).append(document.property_span(name))
    return Diagnosed(None, tuple(_lookalike(name, spans) for name, spans in by_name.items()))


def _lookalike(name: str, by_value: Mapping[str, list[Span]]) -> Diagnostic:
    spans = [span for of_value in by_value.values() for span in of_value]
    values = ", ".join([*by_value][:MAX_NAMES]) + (" …" if len(by_value) > MAX_NAMES else "")
    texts = "1 text has it" if len(spans) == 1 else f"{len(spans)} texts have it"
    message = f"`{name}: {values}` looks private, but does not keep a text private here ({texts})"
    hint = f"write `publish: false` in what is private; if it is a field, list it under `also` of `properties`: {name}"
    return _diagnostic(message, hint, spans)


def _diagnostic(message: str, hint: str, spans: list[Span]) -> Diagnostic:
    return info("looks-private", spans[0], message, hint, tuple(Related(span, "also here") for span in spans[1:]))
