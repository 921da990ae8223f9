"""Programs for a release: list what the package is made of, and audit it. Their packages are in the extra `test`."""
