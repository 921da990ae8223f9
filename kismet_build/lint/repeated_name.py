"""`repeated-name`: an alias that is the name of another text."""

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack


def repeated_name(pack: Pack, report: Report) -> None:
    """Report each alias that is the file name of another text, to which links by this name lead."""
    documents = [chapter.document for chapter in pack.book.chapters]
    by_name = {normalize(file_stem(document.source.path)): document for document in reversed(documents)}
    for document in documents:
        for alias in document.aliases:
            other = by_name.get(normalize(alias), document)
            if other is not document and normalize(file_stem(document.source.path)) != normalize(alias):
                message = f'the alias "{alias}" is the name of another text: links lead there'
                related = (Related(other.source.span(0, 0), "the other text"),)
                hint = "choose another alias, or write a path in links to this text"
                report(warning("repeated-name", document.property_span("aliases"), message, hint, related))
