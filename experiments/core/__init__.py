"""What all commands share: agents by name, the game, settings, studies, results, metrics, tables, files."""
