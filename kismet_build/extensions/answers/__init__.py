"""Answers to questions about the rules: the commands `kismet ask` and `kismet mcp`."""
