"""Pages of the website, with one module for each type of page."""
