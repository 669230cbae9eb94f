"""The study of ``nsa recover``: which parameters and agents a fit finds again in simulated subjects."""
