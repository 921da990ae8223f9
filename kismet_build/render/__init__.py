"""Render packs as files in memory: `site.outputs` lists them."""
