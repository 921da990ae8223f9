"""Cross-references between documents and entities: backlinks, automatic links, citations, tables by name."""
