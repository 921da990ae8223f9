"""The names of the dialects, and the default dialect for each suffix."""

from kismet_build.model.entry_points import EntryPointGroup

DIALECT_OF_SUFFIX = {".md": "obsidian", ".markdown": "obsidian", ".adoc": "asciidoc", ".asciidoc": "asciidoc"}
"""The default dialect of a text, by file suffix."""

DIALECTS = EntryPointGroup(
    "kismet.dialects",
    "dialect",
    {
        "asciidoc": "kismet_build.parse.asciidoc:read",
        "commonmark": "kismet_build.parse.markdown:commonmark",
        "docsify": "kismet_build.parse.markdown:docsify",
        "docusaurus": "kismet_build.parse.markdown:docusaurus",
        "github": "kismet_build.parse.markdown:github",
        "gitbook": "kismet_build.parse.markdown:gitbook",
        "hugo": "kismet_build.parse.markdown:hugo",
        "jekyll": "kismet_build.parse.markdown:jekyll",
        "mdbook": "kismet_build.parse.markdown:mdbook",
        "mkdocs": "kismet_build.parse.markdown:mkdocs",
        "obsidian": "kismet_build.parse.markdown:obsidian",
        "retype": "kismet_build.parse.markdown:retype",
    },
)
"""The dialects.

A dialect is a function `read(source: Source, report: Report, options: Mapping[str, Any]) -> Document`.
"""
