"""Compiled rounds, generated with Brian2's code generator."""
