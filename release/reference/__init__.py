"""The reference of the manual, made from schemas, code and the pages of tests/pages/extract: `make docs`."""
