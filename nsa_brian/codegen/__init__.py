"""Code generation: all that uses the inside of Brian2."""
