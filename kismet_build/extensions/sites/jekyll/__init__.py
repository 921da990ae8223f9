"""Jekyll: its project file, and its Markdown."""
