"""Markdown to the document model."""
