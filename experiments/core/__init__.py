"""Shared by all commands: agents by name, the game loop, settings, studies, results, metrics, tables, files."""
