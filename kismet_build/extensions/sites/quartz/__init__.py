"""Quartz: its project file. Its texts are those of an Obsidian vault."""
