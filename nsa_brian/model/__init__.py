"""The model: its equations, the declaration that holds them, and the rule that decides."""

from nsa_brian.brian2_version import check_brian2

check_brian2()  # here: whatever imports Brian2 imports the model first
