"""`ambiguous-link`: a link with several possible targets. `alias-link`: a link by alias."""

from kismet_build.model.book import MAX_CANDIDATES, Anchor
from kismet_build.model.diagnostic import Related, Report, info, warning
from kismet_build.pack import Pack


def ambiguous_link(pack: Pack, report: Report) -> None:
    """Report links with several possible targets, and links by an alias, which Obsidian does not resolve."""
    unclear = (link for links in pack.book.links.values() for link in links.unclear)
    for span, target in unclear:
        assert target.anchor is not None
        anchor = pack.book.anchor(target.anchor)
        if target.status == "ambiguous":
            hint = "add the heading above it, or the folder"
            message = f"this link could mean {1 + target.candidate_count} places; it leads to"
            if target.candidate_count > MAX_CANDIDATES:
                report(warning("ambiguous-link", span, f"{message} the nearest of them", hint))
                continue
            candidates = map(pack.book.anchor, target.candidates)
            others = tuple(Related(candidate.span, "it could also lead here") for candidate in candidates)
            report(warning("ambiguous-link", span, f"{message} {_location(anchor)}", hint, others))
        else:
            hint = f"write [[{anchor.chapter.source.path.removesuffix('.md')}|{span.text.strip('[]!')}]]"
            message = f'this is an alias of "{anchor.chapter.title}", and Obsidian does not resolve aliases in links'
            report(info("alias-link", span, message, hint))


def _location(anchor: Anchor) -> str:
    place = anchor.span.original
    line = place.source.line_and_column(place.start)[0]
    return f"line {line} of {place.source.path}"
