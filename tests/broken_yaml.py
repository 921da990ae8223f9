"""Text fragments that break or change a YAML file when inserted."""

BROKEN_YAML = ("[", "{", "}", ": ", "- ", "\t", "&a ", "*a ", "!!int ", "~", "'", "null", "1e999")
