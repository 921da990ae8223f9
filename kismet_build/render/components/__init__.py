"""Parts of pages: cards, fields, tables, badges, charts."""
