"""The model: its equations, the declaration that holds them, and the rule that decides."""
