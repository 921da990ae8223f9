"""Hugo: its project file, and its Markdown."""
