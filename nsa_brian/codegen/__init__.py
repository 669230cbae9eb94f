"""Compiled rounds, made by Brian2's code generator."""
