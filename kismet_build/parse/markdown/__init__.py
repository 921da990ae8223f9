"""Parse Markdown into documents: the functions of its dialects."""

from collections.abc import Mapping
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.markdown import reader, site_generators
from kismet_build.parse.markdown.dialects import COMMONMARK, GITHUB, OBSIDIAN


def commonmark(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse CommonMark without extensions."""
    return reader.read(source, COMMONMARK, report, options)


def github(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse GitHub's Markdown."""
    return reader.read(source, GITHUB, report, options)


def obsidian(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse Obsidian's Markdown."""
    return reader.read(source, OBSIDIAN, report, options)


def docusaurus(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the MDX of Docusaurus."""
    return reader.read(source, site_generators.DOCUSAURUS, report, options)


def hugo(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Hugo."""
    return reader.read(source, site_generators.HUGO, report, options)


def jekyll(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Jekyll. `callouts` has the title of each class that makes a block a callout."""
    return reader.read(source, site_generators.JEKYLL, report, options)


def mkdocs(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of MkDocs, with the Python-Markdown extensions in `extensions`; if absent, with all."""
    return reader.read(source, site_generators.mkdocs(options.get("extensions")), report, options)


def docsify(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Docsify."""
    return reader.read(source, site_generators.DOCSIFY, report, options)


def gitbook(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of GitBook."""
    return reader.read(source, site_generators.GITBOOK, report, options)


def mdbook(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of mdBook."""
    return reader.read(source, site_generators.MDBOOK, report, options)


def retype(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Retype."""
    return reader.read(source, site_generators.RETYPE, report, options)
