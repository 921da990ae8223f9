"""Repairs of untidy Markdown, each reported as a diagnostic."""
