"""Games, metrics, tables, figures, and the ``nsa`` command."""
