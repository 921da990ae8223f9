"""Exports of finished data (tables, types, packages, Foundry VTT), and the versions of released data."""
