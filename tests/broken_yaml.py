"""What breaks a data file in the middle of which it comes to stand."""

BROKEN_YAML = ("[", "{", "}", ": ", "- ", "\t", "&a ", "*a ", "!!int ", "~", "'", "null", "1e999")
