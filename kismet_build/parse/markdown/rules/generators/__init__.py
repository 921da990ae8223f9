"""Syntax rules of site generators: MkDocs, Jekyll, Hugo and others."""
