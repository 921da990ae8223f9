"""Books: a whole game as one PDF or EPUB."""
