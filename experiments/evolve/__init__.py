"""``nsa evolve`` and ``nsa evolution-figures``: the search for parameters from the command line."""
