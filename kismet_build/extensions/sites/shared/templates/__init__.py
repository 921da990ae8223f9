"""An engine for templates in texts: the tags and filters of Liquid, which run as far as values are known."""
