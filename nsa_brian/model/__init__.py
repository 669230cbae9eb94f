"""The model: its equations, its declaration, and the agreement rule."""

from nsa_brian.brian2_version import check_brian2

check_brian2()  # here, since all modules that import Brian2 import this package first
