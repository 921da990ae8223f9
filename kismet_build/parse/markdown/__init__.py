"""Parse Markdown into documents."""
