"""Fragments of text that break or change a YAML file when they are inserted."""

BROKEN_YAML = ("[", "{", "}", ": ", "- ", "\t", "&a ", "*a ", "!!int ", "~", "'", "null", "1e999")
