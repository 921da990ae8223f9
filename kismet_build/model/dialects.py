"""The names of the dialects, and the default dialect for each suffix."""

from kismet_build.model.entry_points import EntryPointGroup

DIALECT_OF_SUFFIX = {".md": "obsidian", ".markdown": "obsidian", ".adoc": "asciidoc", ".asciidoc": "asciidoc"}
"""The default dialect of a text, by file suffix."""

DIALECTS = EntryPointGroup(
    "kismet.dialects",
    "dialect",
    {
        "asciidoc": "kismet_build.extensions.asciidoc:asciidoc",
        "commonmark": "kismet_build.parse.markdown:commonmark",
        "github": "kismet_build.parse.markdown:github",
        "hugo": "kismet_build.extensions.sites.hugo.dialect:dialect",
        "jekyll": "kismet_build.extensions.sites.jekyll.dialect:dialect",
        "mdbook": "kismet_build.extensions.sites.mdbook.dialect:dialect",
        "mkdocs": "kismet_build.extensions.sites.mkdocs.dialect:dialect",
        "obsidian": "kismet_build.parse.markdown:obsidian",
    },
)
"""The dialects.

A dialect is a function `read(source: Source, report: Report, options: Mapping[str, Any]) -> Document`, or the
`parse.DialectFunctions` of a dialect whose texts include others.
"""
