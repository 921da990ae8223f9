"""Parse Markdown into documents: the functions of its dialects."""

from collections.abc import Mapping
from typing import Any

from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source
from kismet_build.parse.markdown import reader
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


def _read(source: Source, name: str, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse a text in a dialect of `site_generators`, with the optional rules that are on."""
    # Imported late: commands for games without such texts, which are most, need not wait for these modules.
    from kismet_build.parse.markdown import site_generators

    dialect = site_generators.with_options(getattr(site_generators, name), options)
    return reader.read(source, dialect, report, options)


def hugo(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Hugo. If `emoji` is true, `:dragon:` is an emoji."""
    return _read(source, "HUGO", report, options)


def jekyll(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of Jekyll. `callouts` has the title of each class that makes a block a callout.

    If `emoji` is true, `:dragon:` is an emoji.
    """
    return _read(source, "JEKYLL", report, options)


def mkdocs(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    """Parse the Markdown of MkDocs, with the Python-Markdown extensions in `extensions`.

    If `extensions` is missing, all extensions but formulas are on.
    """
    from kismet_build.parse.markdown.site_generators import mkdocs_with

    return reader.read(source, mkdocs_with(options.get("extensions")), report, options)


def mdbook(source: Source, report: Report, options: Mapping[str, Any]) -> Document:
    r"""Parse the Markdown of mdBook.

    If `math` is true, `$x$` is a formula; if `mathjax` is, `\\(x\\)`; if `smart_punctuation` is, `--` is a dash.
    """
    return _read(source, "MDBOOK", report, options)
