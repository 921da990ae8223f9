"""Cross-references between documents and entities: backlinks, automatic links and citations."""
