"""Words of a search: folded and stemmed alike when an index is built and when it is asked."""
