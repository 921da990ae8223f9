"""One module for each sort of page."""
