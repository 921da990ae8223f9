"""The document model to HTML."""
